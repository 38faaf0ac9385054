import os
import re
import sys
import lit.formats

config.name = "ScopeSan-pass"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".ll", ".cu"]
config.test_source_root = os.path.dirname(__file__)
config.environment["PATH"] = os.path.pathsep.join(
    [config.scopesan_llvm_bin, config.environment["PATH"]])

config.substitutions.append(
    ("%instrument", f"opt -load-pass-plugin {config.scopesan_plugin} -S "
                    "-passes=scopesan-normalise,scopesan-instrument"))
config.substitutions.append(
    ("%opt-scopesan", f"opt -load-pass-plugin {config.scopesan_plugin} -S"))
with open(config.scopesan_abi, encoding="utf-8") as abi:
    version = re.search(r"uint32_t Version = (\d+);", abi.read()).group(1)
config.substitutions.append(
    ("%snapshot", f"{sys.executable} {config.test_source_root}/extract_snapshot.py {version}"))
cuda = config.scopesan_cuda_root
config.substitutions.append(
    ("%clang-cuda", f"clang++ -x cuda -std=c++17 --cuda-gpu-arch=sm_90 --no-cuda-gpu-arch=sm_52 "
                    f"--cuda-path={cuda} -I{cuda}/include/cccl -Wno-unknown-cuda-version "
                    f"-fpass-plugin={config.scopesan_plugin}"))
# As the config file of scopesan-clang++ has it, without the pass plugin.
config.substitutions.append(
    ("%clang-front", f"clang++ -x cuda -std=c++17 --cuda-gpu-arch=sm_90 --no-cuda-gpu-arch=sm_52 "
                     f"--cuda-path={cuda} -Wno-unknown-cuda-version "
                     f"-isystem {config.scopesan_compat}/wrapper "
                     f"-fplugin={config.scopesan_frontend}"))
