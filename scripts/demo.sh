#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The main job: carries one exported training step through every stage, then
# runs it on 8 ranks and compares them with the unsharded step. Installs and
# builds what that needs first.
#
# BUILD=DIR builds elsewhere than in build/; BUILT=1 takes what is built there.
# The stages are left in $BUILD/demo (or DEMO=DIR).
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BUILD=${BUILD:-$ROOT/build}
cd "$ROOT"
if [[ -z ${BUILT:-} ]]; then
  . scripts/setup.sh
  cmake "${CMAKE_ARGS[@]}"
  cmake --build "$BUILD" --target fsdp-opt fsdp-run
fi
DEMO=${DEMO:-$BUILD/demo}
mkdir -p "$DEMO"
export PATH=$BUILD/tools/fsdp-opt:$BUILD/tools/fsdp-run:$PATH
MODEL=test/Inputs/A1_nanogpt.mlir
PLAN=examples/nanogpt.yaml

# Prints a command, with the places of its files left out, and runs it.
run() {
  local line="$*"
  line=${line//"$DEMO/"/}
  printf '\n$ %s\n' "$line"
  "$@"
}

# Prints the first lines of a stage that match each pattern, only what matched.
show() {
  local file=$DEMO/$1 pattern
  shift
  for pattern in "$@"; do
    grep -oEm1 -- "$pattern" "$file" | head -n 1 | sed 's/  */ /g; s/^ */  /' ||
      { echo "demo: expected '$pattern' in $file, but got nothing"; exit 1; }
  done
}

run fsdp-opt "$MODEL" --fsdp-import \
  -o "$DEMO/1-imported.mlir"
show 1-imported.mlir 'tensor<[^>]*> \{fsdp.param = "transformer.h.1.mlp.c_fc.weight"\}' \
  '.*fsdp.local_grad .* of "transformer.h.1.mlp.c_fc.weight".*'

run fsdp-opt "$DEMO/1-imported.mlir" --fsdp-annotate="config=$PLAN" \
  -o "$DEMO/2-annotated.mlir"
show 2-annotated.mlir 'fsdp.process_group @pairs .*' 'fsdp.process_group @node .*' \
  'fsdp.process_group @local_rank_across_nodes .*' 'fsdp.unit @root .*' \
  'fsdp.unit @transformer.h.1 .*' 'fsdp.unit @transformer.h.1.mlp .*'

run fsdp-opt "$DEMO/2-annotated.mlir" --fsdp-shard -o "$DEMO/3-sharded.mlir"
show 3-sharded.mlir \
  'tensor<[^>]*> \{[^"]*"transformer.h.1.mlp.c_fc.weight"[^>]*>[^>]*>' \
  '.*fsdp.all_gather .* over @node .*128x32xf32>' \
  '.*fsdp.all_gather .* over @pairs .*128x32xf32>' \
  '.*fsdp.local_grad .* of "transformer.h.1.mlp.c_fc.weight".*' \
  '.*fsdp.reduce_scatter .* over @pairs .*128x32xf32.*' \
  '.*fsdp.all_reduce .* over @replicas .*64x32xf32.*' \
  '.*fsdp.scale .* : tensor<64x32xf32>'

run fsdp-run "$MODEL" --config="$PLAN" --ranks=8 --ranks-per-node=4 --steps=3 \
  --verify=f64
