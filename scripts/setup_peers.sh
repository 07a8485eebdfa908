#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what benchmarks/peers.py compares with, PyTorch and JAX, in a virtual
# environment: scripts/setup_peers.sh [DIR], by default build/peers, where
# peers.py looks for it. Nothing else in the project needs it.
#
# PyTorch comes from its index of builds without CUDA; where that cannot be
# reached, from the package index, which takes 6 GB.
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
DIR=${1:-${BUILD:-$ROOT/build}/peers}
TORCH=2.15.0 JAX=0.10.2

if [[ ! -x $DIR/bin/python3 ]]; then
  python3 -m venv "$DIR" || {
    echo "setup_peers: expected python3 -m venv to work (Debian: python3-venv)" >&2
    exit 1
  }
fi
pip=("$DIR/bin/python3" -m pip install --quiet --disable-pip-version-check)
"${pip[@]}" "torch==$TORCH" --index-url https://download.pytorch.org/whl/cpu ||
  "${pip[@]}" "torch==$TORCH"
"${pip[@]}" numpy "jax==$JAX"
"$DIR/bin/python3" -c 'import jax, torch
print(f"torch {torch.__version__}, jax {jax.__version__}")'
echo "benchmarks/peers.py --python $DIR/bin/python3"
