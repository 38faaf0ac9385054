// Command-line options of the plugin: -mllvm -scopesan-... in clang, plain in opt.
#pragma once

#include "llvm/Support/CommandLine.h"

#include <string>

namespace scopesan::pass {

/// -scopesan-emit-instrumented=FILE: write the instrumented copy as LLVM assembly.
extern llvm::cl::opt<std::string> EmitInstrumented;
/// -scopesan-enable=0: leave the module as it is.
extern llvm::cl::opt<bool> Enable;
/// -scopesan-check=0: no call of the runtime. The program runs on the CPU backend as it is; nothing
/// is checked. For comparing what a program prints.
extern llvm::cl::opt<bool> Check;
/// -scopesan-gpu=0: the module's own code stays plain; only the CPU backend can check it.
extern llvm::cl::opt<bool> Gpu;
/// -scopesan-device-runtime=FILE: bitcode of the device runtime; default: beside the plugin.
extern llvm::cl::opt<std::string> DeviceRuntime;
/// -scopesan-host: instrument host code as well (S15).
extern llvm::cl::opt<bool> Host;
/// -scopesan-gpu-mode=logged: every kernel logs every event; auto: see GpuMode.h.
extern llvm::cl::opt<std::string> GpuMode;
/// Registers per thread of kernels without launch bounds.
extern llvm::cl::opt<unsigned> GpuRegisters;
/// -scopesan-notes=0: no note for each unmodelled operation. The X1 call stays.
extern llvm::cl::opt<bool> Notes;
/// -scopesan-toolkit=DIR: include folders whose sites get abi::Op::ToolkitBit.
extern llvm::cl::list<std::string> ToolkitFolders;

} // namespace scopesan::pass
