// Journal folder in, reports and exit code out.
#pragma once

#include "Commands.h"
#include "Model.h"

#include "host/options.h"

namespace scopesan::tool {

/// What the journal cannot know.
struct RunFacts {
  Words command;       ///< empty: as the journal says
  std::string backend; ///< empty: as the journal says
  std::vector<std::string> notes;
  report::ProgramEnd end;
};

/// Reads `folder`, writes the text report and what `options` ask for. Returns the exit code.
int renderFolder(const std::string &folder, const RunFacts &facts, const host::Options &options);

/// Prints "ScopeSan: what" to stderr and returns the tool-failure code.
int failure(const host::Options &options, const std::string &what);

} // namespace scopesan::tool
