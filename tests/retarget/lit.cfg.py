# FileCheck tests of the retargeted IR and of the scopesan-cpu-codegen command.
import os
import re
import sys

import lit.formats

config.name = "ScopeSan retarget"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".ll", ".test"]
config.test_source_root = os.path.join(os.path.dirname(__file__), "lit")
config.test_exec_root = config.output
with open(config.abi, encoding="utf-8") as abi:
    version = re.search(r"uint32_t Version = (\d+);", abi.read()).group(1)
config.substitutions += [
    ("%embed", f"{sys.executable} {config.test_source_root}/embed.py"),
    ("%version", version),
    ("%codegen", config.codegen),
    ("%FileCheck", os.path.join(config.llvm_bin, "FileCheck")),
    ("%llvm-as", os.path.join(config.llvm_bin, "llvm-as")),
    ("%not", os.path.join(config.llvm_bin, "not")),
    ("\\bcount\\b", os.path.join(config.llvm_bin, "count")),
]

config.excludes = ["Inputs"]
