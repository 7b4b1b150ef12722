#!/usr/bin/env bash
# The library never prints, exits or aborts: fails when an archive needs a symbol that does.
#   tools/check_symbols.sh ARCHIVE...
# std::terminate is allowed: every noexcept function refers to it. Writing to files is allowed too,
# but not the names of the standard streams. Made for release builds: assert() must be compiled out.
set -euo pipefail
[ $# -gt 0 ] || { echo 'usage: check_symbols.sh ARCHIVE...' >&2; exit 2; }

banned='std::(w?cout|w?cerr|w?clog)|stdout|stderr'
banned+='|(__)?v?printf(_chk)?|puts|putchar|perror|fmt::v[0-9]+::v?print\(.*'
banned+='|exit|_exit|_Exit|quick_exit|abort|__assert_fail'

rc=0
for archive in "$@"; do
  # An undefined symbol is "U name@version"; archives have no version, shared names may.
  found=$(nm -C --undefined-only "$archive" | sed -nE "s/^ +[Uw] (($banned)(@.*)?)$/\1/p" | sort -u)
  if [ -n "$found" ]; then
    echo "${archive##*/}: a library must not use:" $found
    rc=1
  fi
done
[ $rc -ne 0 ] || echo "no output, exit or abort in $# archives"
exit $rc
