#!/usr/bin/env bash
# Installs the Debian packages that a target of the Makefile needs and that are missing.
#   tools/setup.sh [build|test|bench|check|fuzz|coverage]...
# Where it cannot install, it names them and goes on: the build then says what it does not find.
set -euo pipefail

build='g++ cmake ninja-build libcli11-dev libyaml-cpp-dev nlohmann-json3-dev coinor-libcbc-dev libtbb-dev libsqlite3-dev zlib1g-dev libbz2-dev pkgconf'
test='libgtest-dev librapidcheck-dev python3'
# Reports are built by Node and tried in a browser. Programs that are there from elsewhere will do.
node='nodejs npm'
browser='chromium fonts-dejavu-core'
bench='libbenchmark-dev python3'
check='clang-14 clang-format-14 clang-tidy-14 python3'
fuzz='clang-14 libclang-rt-14-dev'
coverage='gcovr'

packages=$build
extra=''
command -v node >/dev/null && command -v npm >/dev/null || extra=$node
for group in "$@"; do
  case $group in
    build) ;;
    test)
      packages+=" $test"
      command -v chromium >/dev/null || extra+=" $browser"
      ;;
    bench) packages+=" $bench" ;;
    check) packages+=" $check" ;;
    fuzz) packages+=" $fuzz" ;;
    coverage) packages+=" $test $coverage" ;;  # reports are not tried in a browser then
    *) echo "setup: unknown group $group" >&2; exit 2 ;;
  esac
done

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  echo "setup: not a Debian system; needed are what Debian 12 calls: $packages $extra" >&2
  exit 0
fi

# The lists are words: unquoted on purpose here and below. dpkg-query fails when it does not know one of them.
find_missing() {
  local known package
  known=$(dpkg-query -W -f '${Package}=${db:Status-Status}\n' "$@" 2>/dev/null || true)
  for package in "$@"; do
    grep -qx "$package=installed" <<<"$known" || printf ' %s' "$package"
  done
}
missing=$(find_missing $packages)
without=$(find_missing $extra)  # the program is built without reports where these cannot be had
[ -n "$missing$without" ] || exit 0

root=''
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "setup: neither root nor sudo; please install:$missing$without" >&2
    exit 0
  fi
  root='sudo'
fi
echo "setup: installing$missing$without"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() { $root env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "$@" >>"$log" 2>&1; }
install() {
  [ -z "$*" ] || apt install -y --no-install-recommends "$@" || {
    tail -n 15 "$log" >&2
    echo "setup: could not install: $*" >&2
  }
}
apt update || true
install $missing
install $without
