#!/usr/bin/env bash
# Shared set-up: installs the Debian packages that are missing, configures and builds one preset.
#   tests/setup.sh PRESET [TARGET...]      (presets: CMakePresets.json; no target builds everything)
set -euo pipefail
cd "$(dirname "$0")/.."

preset=$1
shift

packages=(cmake ninja-build g++ libboost-dev libgsl-dev libfmt-dev libcerf-dev libcli11-dev
          libeigen3-dev librandom123-dev nlohmann-json3-dev doctest-dev libglpk-dev python3)
[ "$preset" != clang ] || packages+=(clang libomp-dev)
[ "$preset" != bench ] || packages+=(libbenchmark-dev)

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q '^install ok installed' ||
    missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "setup: run as root, or install sudo, to add: ${missing[*]}" >&2; exit 1; }
    as_root=(sudo)
  fi
  echo "setup: installing ${missing[*]}" >&2
  "${as_root[@]}" apt-get update -qq >&2
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
fi

cmake --preset "$preset" >&2
targets=()
[ $# -eq 0 ] || targets=(--target "$@")
cmake --build --preset "$preset" "${targets[@]}" >&2
