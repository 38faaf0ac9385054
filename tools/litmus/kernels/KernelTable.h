// The table of `tests/litmus/run_kernels`: agree, differ, explained, not run, by collection.
#pragma once

#include "Compare.h"
#include "Table.h"

namespace scopesan::litmus {

struct KernelTableOptions {
  CompareOptions compare;
  std::string observations; ///< file
  bool verbose = false;
  bool listWanting = false; ///< print only the numbers of the rows that need more runs
  /// Percent of the rows of a collection that have a CUDA form. Incomplete rows do run, and say X1.
  uint64_t maxNotRun = 100, maxIncomplete = 100;
};

/// Prints every row that does not agree, then the table. Returns 0 when nothing differs without an
/// explanation and enough was run, 66 otherwise, 67 when the observations cannot be read.
int printKernelTable(const Table &table, const KernelTableOptions &options);

} // namespace scopesan::litmus
