#!/usr/bin/env bash
# Builds the page of reports from web/: tools/build_page.sh OUTPUT
# Packages come from npm as web/package-lock.json has them, into web/node_modules. Where that fails (no network) the
# page is empty, older than its sources so that the next build tries again, and `phaze report` says that it is missing.
# Mistakes in web/ fail the build.
set -euo pipefail
output=$(realpath -m "${1:?usage: build_page.sh OUTPUT}")
cd "$(dirname "$0")/../web"
mkdir -p "$(dirname "$output")"

exec 9>"${TMPDIR:-/tmp}/phaze-page-$(id -u).lock"
flock 9  # two builds of one tree share node_modules

installed=node_modules/.phaze-installed
if ! cmp -s package-lock.json "$installed"; then
  if ! npm ci --no-audit --no-fund --loglevel=error; then
    echo "build_page: npm could not install the packages of web/: this build has no reports" >&2
    : >"$output"
    touch -d @0 "$output"
    exit 0
  fi
  cp package-lock.json "$installed"
fi
node_modules/.bin/tsc --noEmit
node_modules/.bin/vite build --logLevel warn --outDir "$(dirname "$output")/dist" --emptyOutDir
mv "$(dirname "$output")/dist/index.html" "$output"
