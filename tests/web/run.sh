#!/usr/bin/env bash
# Runs a test of the page, or skips it (77) where the page could not be built: run.sh PAGE COMMAND...
set -euo pipefail
page=${1:?usage: run.sh PAGE COMMAND...}
shift
if [ ! -s "$page" ]; then
  echo "npm could not install what the page is built from: nothing to try"
  exit 77
fi
exec "$@"
