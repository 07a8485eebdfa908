# SPDX-License-Identifier: Apache-2.0
# Installs what the project needs on Debian 12, and finds compiler and Python.
#
# To be sourced: . scripts/setup.sh. Sets ROOT, BUILD, CC, CXX, PYTHON and
# CMAKE_ARGS. Nothing is installed where all packages are there.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BUILD=${BUILD:-$ROOT/build}
export CC=${CC:-clang-22} CXX=${CXX:-clang++-22}

PACKAGES=(
  cmake ninja-build g++ clang-22 lld-22 clang-format-22 clang-tidy-22
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools
  libdnnl-dev libzstd-dev zlib1g-dev
  python3 python3-numpy python3-pytest python3-yaml
)

missing=()
for package in "${PACKAGES[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ $status == installed ]] || missing+=("$package")
done
if ((${#missing[@]})); then
  if ! command -v apt-get >/dev/null; then
    echo "setup: not Debian; please install what stands for: ${missing[*]}" >&2
  else
    as_root=()
    ((EUID == 0)) || as_root=(sudo)
    "${as_root[@]}" apt-get update
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y --no-install-recommends "${missing[@]}"
  fi
fi

# The first interpreter on PATH that has what tests and tools import; Debian's
# packages serve Debian's interpreter only. If there is none, an environment in
# the build tree.
PYTHON=${PYTHON:-}
if [[ -z $PYTHON ]]; then
  while read -r candidate; do
    if "$candidate" -c 'import numpy, pytest, yaml' 2>/dev/null; then
      PYTHON=$candidate
      break
    fi
  done < <(type -ap python3; echo "$BUILD/venv/bin/python3")
fi
if [[ -z $PYTHON ]]; then
  python3 -m venv "$BUILD/venv"
  PYTHON=$BUILD/venv/bin/python3
  "$PYTHON" -m pip install --quiet numpy pytest pyyaml
fi
export PYTHON

CMAKE_ARGS=(
  -G Ninja -S "$ROOT" -B "$BUILD"
  -DCMAKE_BUILD_TYPE=Release -DLLVM_USE_LINKER=lld
  -DPython3_EXECUTABLE="$PYTHON"
)
if command -v ccache >/dev/null; then
  CMAKE_ARGS+=(-DCMAKE_C_COMPILER_LAUNCHER=ccache
               -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
fi
