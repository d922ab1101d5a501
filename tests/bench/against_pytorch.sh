#!/usr/bin/env bash
# One full-batch step of Adam here and in PyTorch (CPU, OpenBLAS), by turns in one run: medians, the
# ratio, shares of the rate that PyTorch's matrix product reaches; then the peak memory of both.
#   tests/bench/against_pytorch.sh [ROUNDS]
# A step of PyTorch allocates arrays of p^2 numbers anew, and page faults can take most of its time:
# it is measured as installed, and with glibc told to ask for huge pages, its best.
set -euo pipefail
export LC_ALL=C
unset "${!OPENBLAS_@}" # it finds this machine's kernels itself
cd "$(dirname "$0")/../.."
rounds=${1:-7}
bash tests/packages.sh python3-torch libopenblas0-pthread
bash tests/setup.sh bench lamcap_bench lamcap_program

python=/usr/bin/python3 # the one that Debian's packages are for
facts=4000
dim=256
directory=$(mktemp -d)
trap 'rm -r "$directory"' EXIT

lamcap_step() { # THREADS: milliseconds
  build/bench/tests/bench/lamcap_bench --benchmark_format=json \
    --benchmark_filter="adam_step/facts:$facts/dim:$dim/threads:$1/" 2>/dev/null |
    "$python" -c 'import json, sys; print(json.load(sys.stdin)["benchmarks"][0]["real_time"])'
}
pytorch() { # THREADS FACTS DIM STEPS: milliseconds, Gflop/s of sgemm, MB, kernels
  OMP_NUM_THREADS=$1 OPENBLAS_NUM_THREADS=$1 "$python" -W ignore tests/bench/pytorch_step.py \
    --threads "$1" --facts "$2" --dim "$3" --steps "$4" | awk '{print $2, $4, $6, $8}'
}
huge_pages() { GLIBC_TUNABLES=glibc.malloc.hugetlb=1 "$@"; }
median() { sort -g | awk '{value[NR] = $1} END {print value[int((NR + 1) / 2)]}'; }
peak_mb() { # COMMAND...
  "$python" -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(1.024e-3 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$@"
}

# Of a round: lamcap's step; PyTorch's four values; the same four with huge pages.
echo "one step of Adam, p = $facts, d = $dim, float32; medians of $rounds rounds"
for threads in 1 2; do
  for _ in $(seq "$rounds"); do
    ours=$(lamcap_step "$threads")
    plain=$(pytorch "$threads" "$facts" "$dim" 5)
    best=$(huge_pages pytorch "$threads" "$facts" "$dim" 5)
    echo "$ours $plain $best"
  done | awk '{print $1, $2, $6, $2 / $1, $6 / $1, $7, $9}' >"$directory/$threads"
  for column in 1 2 3 4 5 6 7; do
    cut -d ' ' -f "$column" "$directory/$threads" | median
  done | paste -s -d ' ' | awk -v threads="$threads" -v p="$facts" -v d="$dim" '{
    share = 100 * 4 * p * p * d / 1e6 / $6 # of a step of 1 ms
    printf "%d thread%s, sgemm of PyTorch (OpenBLAS, %s) %.0f Gflop/s\n", threads, (threads > 1 ? "s" : ""), $7, $6
    printf "  lamcap               %7.1f ms, %3.0f %% of sgemm\n", $1, share / $1
    printf "  PyTorch              %7.1f ms, %3.0f %% of sgemm, %.2f times lamcap\n", $2, share / $2, $4
    printf "  PyTorch, huge pages  %7.1f ms, %3.0f %% of sgemm, %.2f times lamcap\n", $3, share / $3, $5
  }'
done

echo "peak memory, p = 20000, d = 512, float32"
peak_mb build/bench/tables/lamcap simulate --rule adam --dim 512 --facts 20000 --steps 2 |
  awk '{printf "  lamcap, the process  %5.0f MB\n", $1}'
pytorch 2 8000 512 1 | awk '{
  printf "  PyTorch, a step      %5.0f MB, by p^2 from %.0f MB at p = 8000; three arrays of p^2 ", $3 * 6.25, $3
  printf "numbers (log-softmax, two gradients) are %.0f MB\n", 12e-6 * 20000 ^ 2
}'
