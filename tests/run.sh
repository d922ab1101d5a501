#!/usr/bin/env bash
# Builds and runs every test, for each preset given (default: release).
#   tests/run.sh [release] [clang] [sanitize]
# The last line is the sum over all presets, "tests: N passed, N failed"; the exit code is that of
# the worst preset.
set -uo pipefail
here=$(dirname "$0")
cd "$here/.."

presets=("$@")
[ $# -gt 0 ] || presets=(release)
passed=0
failed=0
worst=0
for preset in "${presets[@]}"; do
  echo "== $preset"
  if ! tests/setup.sh "$preset"; then
    echo "== $preset: the build failed"
    failed=$((failed + 1))
    worst=1
    continue
  fi
  log=build/$preset/test-output.txt
  ctest --preset "$preset" 2>&1 | tee "$log"
  [ "${PIPESTATUS[0]}" -eq 0 ] || worst=1
  # ctest closes with "NN% tests passed, F tests failed out of T".
  read -r bad total < <(sed -n 's/.*tests passed, \([0-9]*\) tests failed out of \([0-9]*\).*/\1 \2/p' "$log")
  if [ -z "${total:-}" ]; then
    bad=1
    total=1
    worst=1
  fi
  passed=$((passed + total - bad))
  failed=$((failed + bad))
done
echo "tests: $passed passed, $failed failed"
exit "$worst"
