// Compares the detector's verdict on the rows of a table with the table's.
#pragma once

#include "RowParser.h"
#include "Verdict.h"

namespace scopesan::litmus {

enum class Outcome : uint8_t {
  Agree,
  Explained, ///< differs for a reason that a rule gives; `reason` names it
  Differ,    ///< differs, unexplained
  NotRun,    ///< `reason` says why
  NoVerdict, ///< the table gives none: left out of all counts
  Incomplete ///< of kernels: it ran, and X1 names the operation that the backend does not model
};
const char *outcomeName(Outcome o);

struct RowResult {
  const Row *row = nullptr;
  Outcome outcome = Outcome::NotRun;
  std::string reason;
  bool unreadable = false; ///< not run because the row has a form that nobody knows
  bool incomplete = false; ///< not run because the detector gave up and found nothing (X1)
  Verdict verdict;
  Program program;
  std::vector<std::string> missingPairs; ///< of the table's examples; no finding names them
};

struct CompareOptions {
  bool cxxMode = false;
  ExploreLimits limits;
};

/// The program with a different value in each register that names barriers and has no given one.
Program withDistinctBarriers(Program p);

RowResult compareRow(const Row &row, const CompareOptions &options);

} // namespace scopesan::litmus
