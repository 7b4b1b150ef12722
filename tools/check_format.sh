#!/usr/bin/env bash
# Fails where a C++ file is not as .clang-format wants it; with --fix, rewrites it.
set -euo pipefail
cd "$(dirname "$0")/.."
mode=(--dry-run -Werror)
[ "${1:-}" = --fix ] && mode=(-i)
find src tests bench -name '*.h' -o -name '*.cpp' | LC_ALL=C sort | xargs clang-format-14 "${mode[@]}"
