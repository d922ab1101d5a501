#!/usr/bin/env bash
# Shared set-up: installs the Debian packages that are missing, configures and builds one preset.
#   tests/setup.sh PRESET [TARGET...]      (presets: CMakePresets.json; no target builds everything)
set -euo pipefail
cd "$(dirname "$0")/.."

preset=$1
shift

packages=(cmake ninja-build g++ libboost-dev libgsl-dev libfmt-dev libcerf-dev libcli11-dev
          libeigen3-dev librandom123-dev nlohmann-json3-dev doctest-dev libglpk-dev python3)
[ "$preset" != clang ] || packages+=(clang libomp-dev libopenmpi-dev openmpi-bin)
[ "$preset" != bench ] || packages+=(libbenchmark-dev)
bash tests/packages.sh "${packages[@]}"

cmake --preset "$preset" >&2
targets=()
[ $# -eq 0 ] || targets=(--target "$@")
cmake --build --preset "$preset" "${targets[@]}" >&2
