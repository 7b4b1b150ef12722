#!/usr/bin/env bash
# The main job, then a short tour: tools/demo.sh PROGRAM
set -euo pipefail
phaze=${1:?usage: demo.sh PROGRAM}

show() {
  printf '\n$ phaze %s\n' "$*"
  "$phaze" "$@"
}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
show search gpt3-175b --study "$folder/gpt3.db"
show report "$folder/gpt3.db" -o "$(dirname "$phaze")/report.html" || true  # built without Node: it says so
show models
show graph llama3-8b --tensor 8 --sequence-parallel
show estimate llama3-8b --chip h200
show estimate --gemm 512,1024,4096 --chip h200
show chip h100
show cluster dgx-h100
printf '\n$ phaze graph llama3-8b --json | head -n 14\n'
"$phaze" graph llama3-8b --json | head -n 14
