// Command-line options of the plugin: -mllvm -scopesan-... in clang, plain in opt.
#pragma once

#include "llvm/Support/CommandLine.h"

#include <string>

namespace scopesan::pass {

/// -scopesan-emit-instrumented=FILE: write the instrumented copy as LLVM assembly.
extern llvm::cl::opt<std::string> EmitInstrumented;
/// -scopesan-enable=0: leave the module as it is.
extern llvm::cl::opt<bool> Enable;
/// -scopesan-notes=0: no note for each unmodelled operation. The X1 call stays.
extern llvm::cl::opt<bool> Notes;
/// -scopesan-toolkit=DIR: include folders whose sites get abi::Op::ToolkitBit.
extern llvm::cl::list<std::string> ToolkitFolders;

} // namespace scopesan::pass
