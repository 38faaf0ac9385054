// Which PTX barrier, and how many threads, each block barrier of a program names.
#pragma once

#include "Layout.h"

namespace scopesan::litmus {

/// Operands of a barrier instruction as C++ expressions over the registers `q<n>` of the thread.
struct BarrierOperands {
  std::string id;
  std::string count; ///< threads; empty: every thread of the block that has not exited
  std::string alone; ///< not empty: when it holds, the thread's warp is the only one; else all
  std::string error; ///< the barrier cannot be written in PTX
};

/// A litmus thread stands for a warp where it is counted: counts are multiples of 32 (S7).
BarrierOperands barrierOperands(const Program &p, const Layout &where, uint32_t thread,
                                const Instr &i);

/// `q1 + 2` for an expression of the program.
std::string cxx(const Expr &e);

} // namespace scopesan::litmus
