# SPDX-License-Identifier: Apache-2.0
"""Configuration of the lit suite.

Environment:
  FSDP_VERIFY_ROUNDTRIP=1  fsdp-opt also prints and parses its input again, as
                           text and as bytecode, and compares. It holds for all
                           tests, also those that expect errors: an input that
                           does not parse ends before it.
  FSDP_HEAVY=1             runs the lanes that take minutes; also as a lit
                           parameter, `lit --param FSDP_HEAVY=1`.
"""

import os

import lit.formats
from lit.llvm import llvm_config
from lit.llvm.subst import FindTool, ToolSubst

config.name = "fsdp"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.fsdp_obj_root, "test")

# Found tools: ours, those of LLVM (FileCheck, not, split-file), python.
tool_dirs = [os.path.join(config.fsdp_obj_root, "tools", name) for name in ("fsdp-opt", "fsdp-run", "fsdp-lsp-server")]
tool_dirs += [config.test_exec_root, config.llvm_tools_dir]
for directory in reversed(tool_dirs):
    llvm_config.with_environment("PATH", directory, append_path=True)
llvm_config.with_environment("PYTHONPATH", os.path.join(config.fsdp_src_root, "python"), append_path=True)
# Tests must not depend on byte code that an earlier run left in the sources.
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"

if os.environ.get("FSDP_VERIFY_ROUNDTRIP", "0") not in ("", "0"):
    # Where it is the command; a script that gets `fsdp-opt` as an argument
    # finds it on PATH.
    command = r"(?:^ *|(?<=\) )|(?<=\| )|(?<=&& )|(?<=; )|(?<=not ))fsdp-opt(?= )"
    config.substitutions.append((command, "fsdp-opt --verify-roundtrip"))
llvm_config.add_tool_substitutions(
    [
        ToolSubst("fsdp-run", FindTool("fsdp-run"), unresolved="ignore"),
        ToolSubst("fsdp-lsp-server", FindTool("fsdp-lsp-server"), unresolved="ignore"),
        ToolSubst("fsdp-runtime-test", FindTool("fsdp-runtime-test")),
        ToolSubst("fsdp-axes-test", FindTool("fsdp-axes-test")),
        ToolSubst("%python", config.python_executable),
    ],
    tool_dirs,
)
config.substitutions.append(("%fsdp_src_root", config.fsdp_src_root))
config.substitutions.append(("%fsdp_obj_root", config.fsdp_obj_root))
config.substitutions.append(("%mlir_include", config.mlir_include_dir))
config.substitutions.append(("%mlir_dir", config.mlir_dir))
config.substitutions.append(("%host_cc", config.host_cc))
config.substitutions.append(("%host_cxx", config.host_cxx))

heavy = lit_config.params.get("FSDP_HEAVY", os.environ.get("FSDP_HEAVY", "0"))
if heavy not in ("", "0"):
    config.available_features.add("heavy")
if config.fsdp_onednn == "1":
    config.available_features.add("onednn")
    config.substitutions.append(
        (
            "%fsdp_runtime_libs",
            f"{config.fsdp_obj_root}/lib/Runtime/libfsdp_runtime.a -ldnnl -l:libgomp.so.1 -lstdc++ -lpthread -lm",
        )
    )
# `cuda` and `mpi`: no lane makes them available yet.

if config.fsdp_sanitizer:
    config.available_features.add(config.fsdp_sanitizer)
    # libMLIR and libLLVM are not instrumented. A std::vector that they grow and
    # we read looks overflowed to container annotations; memory that our copy of
    # an inline LLVM allocator poisoned and theirs gave out looks poisoned; and
    # what they keep until exit (registries, statics) looks leaked. Races inside
    # them are not seen at all, and a lock of theirs that is not seen may make
    # one up.
    config.environment["ASAN_OPTIONS"] = "detect_container_overflow=0:allow_user_poisoning=0:detect_leaks=0"
    config.environment["TSAN_OPTIONS"] = "ignore_noninstrumented_modules=1"
