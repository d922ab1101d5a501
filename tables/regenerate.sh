#!/usr/bin/env bash
# The main job: builds lamcap, prints the capacity of a 4096 x 4096 memory, makes every table anew.
set -euo pipefail
cd "$(dirname "$0")/.."
tests/setup.sh release lamcap_program
echo "\$ lamcap capacity --dim 4096"
build/release/tables/lamcap capacity --dim 4096
echo "\$ lamcap table --all --out tables"
build/release/tables/lamcap table --all --out tables
