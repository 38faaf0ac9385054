// Host code under -scopesan-host: its accesses, atomics and fences are reported like device code's
// (S15). Locks and threads are seen at run time, in the library calls that make them.
#pragma once

namespace llvm {
class Module;
}

namespace scopesan::pass {

/// Inserts the calls of host_abi.def, a site table and a constructor that registers it.
void instrumentHost(llvm::Module &M);

/// Leaves the unit's name in the program: host code that is not instrumented. A program with
/// instrumented units names it in its report.
void markPlainHost(llvm::Module &M);

} // namespace scopesan::pass
