#!/usr/bin/env bash
# A short tour: tools/demo.sh PROGRAM
set -euo pipefail
phaze=${1:?usage: demo.sh PROGRAM}

show() {
  printf '\n$ phaze %s\n' "$*"
  "$phaze" "$@"
}

show models
show models --json
show graph llama2-7b
show graph llama2-7b --json
