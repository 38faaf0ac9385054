// A thread of a program as the body of a CUDA device function: each operation in its PTX form, on
// one source line, so that the line of a finding names the operation.
#pragma once

#include "Barriers.h"
#include "Places.h"

namespace scopesan::litmus {

struct CodeLine {
  std::string text;
  uint32_t instr = None; ///< operation of the program that the line is
};

struct ThreadBody {
  std::vector<CodeLine> lines;
  std::string error; ///< why the thread has no CUDA form; empty = it has
};

/// The function's parameters are `char *m` (global memory of the row), `char *s` (shared memory of
/// the block) and `Log log`; tests/litmus/kernels/prelude.h has what the code calls.
/// The kernel of launch `l` is `<row>_K<l>`.
ThreadBody emitThread(const Program &p, const Layout &where, const Places &places, uint32_t thread,
                      const std::string &row);

/// Bytes that a copy moves: what completes on its mbarrier.
uint32_t copyBytes(const Instr &i);

/// The reason, given by emission, is that CUDA cannot say it: not that the emitter does not.
std::string noCudaForm(const std::string &why);
bool hasNoCudaForm(const std::string &reason);

} // namespace scopesan::litmus
