#!/usr/bin/env bash
# Builds and runs the benchmarks: medians of repeated calls, then whole processes.
set -euo pipefail
export LC_ALL=C # a full stop in EPOCHREALTIME
cd "$(dirname "$0")/../.."
tests/setup.sh bench lamcap_bench lamcap_program
build/bench/tests/bench/lamcap_bench --benchmark_repetitions=9 --benchmark_min_time=0.05 \
  --benchmark_report_aggregates_only=true 2>/dev/null | grep -E 'median|^Benchmark'

program=build/bench/tables/lamcap
directory=$(mktemp -d)
trap 'rm -r "$directory"' EXIT
median_ms() { # median wall time of 21 runs
  for _ in $(seq 21); do
    local start=$EPOCHREALTIME
    "$@" >/dev/null
    local end=$EPOCHREALTIME
    echo $(((${end/./} - ${start/./})))
  done | sort -n | awk 'NR == 11 {printf "%.1f ms\n", $1 / 1000}'
}
echo "process: lamcap capacity --dim 4096          $(median_ms "$program" capacity --dim 4096)"
echo "process: lamcap table --all --out DIR        $(median_ms "$program" table --all --out "$directory")"
