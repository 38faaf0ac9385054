// Reads the journal of a run (docs/journal.md) and merges its processes into one Report.
#pragma once

#include "Model.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace scopesan::report {

/// What one process wrote.
struct ProcessJournal {
  Report facts;
  std::vector<std::string> uninstrumented; ///< modules, as sentences
  bool ended = false;                      ///< wrote its `end` line
};

/// Parses the text of one file. A last line without a newline is what a kill left: ignored.
/// Damaged lines become entries of `incomplete`, never errors.
ProcessJournal parseJournal(llvm::StringRef text);

/// Merges processes. The result does not depend on their ids or on the order of `texts`.
Report mergeJournals(std::vector<std::string> texts);

/// Reads every *.jsonl of a folder. Errors name the file and what to do.
llvm::Expected<Report> readJournalFolder(llvm::StringRef folder);

} // namespace scopesan::report
