#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs, builds, and runs all tests: lit, then pytest. The last line is
# "N passed, N failed, N skipped"; the exit status is 0 only if none failed.
#
# BUILD=DIR builds elsewhere than in build/; FSDP_HEAVY=1 runs the lanes that
# take minutes.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

cmake "${CMAKE_ARGS[@]}"
cmake --build "$BUILD"

reports=("$BUILD/lit.xml" "$BUILD/pytest.xml")
rm -f "${reports[@]}"
failed=0
FSDP_VERIFY_ROUNDTRIP=${FSDP_VERIFY_ROUNDTRIP:-1} \
  LIT_OPTS="--verbose --xunit-xml-output=${reports[0]} ${LIT_OPTS:-}" \
  cmake --build "$BUILD" --target check-fsdp || failed=1
PATH=$BUILD/tools/fsdp-opt:$BUILD/tools/fsdp-run:$PATH \
  "$PYTHON" -m pytest -q -p no:cacheprovider "$ROOT/test/python" \
  --junitxml="${reports[1]}" || failed=1

"$PYTHON" "$ROOT/scripts/count_tests.py" "${reports[@]}" || failed=1
exit "$failed"
