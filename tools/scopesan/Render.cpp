#include "Render.h"

#include "Journal.h"
#include "Json.h"
#include "Text.h"
#include "build_config.h"

#include "llvm/Support/FileSystem.h"

#include <cstdlib>
#include <unistd.h>

namespace scopesan::tool {
namespace {

using llvm::raw_fd_ostream;

report::ProgressMode progressMode(const std::string &name) {
  return name == "strict" ? report::ProgressMode::Strict
         : name == "off"  ? report::ProgressMode::Off
                          : report::ProgressMode::Advise;
}

report::ExitCodes exitCodes(const host::Options &options) {
  return {static_cast<int>(options.findings_exit_code), static_cast<int>(options.failure_exit_code),
          static_cast<int>(options.nothing_ran_exit_code),
          static_cast<int>(options.incomplete_exit_code), options.strict};
}

/// Puts the run's facts over the journal's.
void complete(report::Report &report, const RunFacts &facts, const host::Options &options) {
  report.version = Version;
  if (!facts.backend.empty()) {
    report.backend = facts.backend;
    report.seed = options.seed;
  }
  if (!facts.command.empty())
    report.command = facts.command;
  report.notes.insert(report.notes.begin(), facts.notes.begin(), facts.notes.end());
  report.end = facts.end;
  report::applyProgressMode(report, progressMode(options.progress));
  report::dropCoveredAdvice(report);
  report::addDerivedLimits(report);
  report::symbolize(report);
}

/// Writes a file through `write`. Returns a message or the empty string.
template <class Writer>
std::string writeFile(const std::string &path, const char *option, Writer write) {
  std::error_code error;
  raw_fd_ostream out(path, error);
  if (!error) {
    write(out);
    out.close();
    error = out.error();
    out.clear_error();
  }
  if (!error)
    return {};
  return "cannot write '" + path + "' (option " + option + "): " + error.message() +
         "; name a file in a writable folder";
}

} // namespace

int failure(const host::Options &options, const std::string &what) {
  llvm::errs() << "ScopeSan: " << what << '\n';
  return static_cast<int>(options.failure_exit_code);
}

int renderFolder(const std::string &folder, const RunFacts &facts, const host::Options &options) {
  llvm::Expected<report::Report> report = report::readJournalFolder(folder);
  if (!report)
    return failure(options, llvm::toString(report.takeError()));
  complete(*report, facts, options);

  report::TextOptions text;
  text.printLimit = options.print_limit;
  text.toolkitFrames = options.verbosity > 0;
  if (options.log_file.empty()) {
    text.colour = isatty(STDERR_FILENO) && !getenv("NO_COLOR");
    report::writeText(llvm::errs(), *report, text);
    llvm::errs().flush();
  } else {
    std::string problem = writeFile(options.log_file, "log_file", [&](llvm::raw_ostream &out) {
      report::writeText(out, *report, text);
    });
    if (!problem.empty())
      return failure(options, problem);
  }
  if (!options.json.empty()) {
    std::string problem = writeFile(
        options.json, "json", [&](llvm::raw_ostream &out) { report::writeJson(out, *report); });
    if (!problem.empty())
      return failure(options, problem);
  }
  return report::exitCode(*report, exitCodes(options));
}

int renderJournalCommand(const Words &words) {
  host::Options options;
  const char *text = getenv("SCOPESAN_OPTIONS");
  if (std::string problem = host::parseOptions(options, text ? text : ""); !problem.empty())
    return failure(options, "SCOPESAN_OPTIONS: " + problem);
  RunFacts facts;
  std::string folder;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--program-status" && i + 1 < words.size())
      facts.end.code = static_cast<int>(strtol(words[++i].c_str(), nullptr, 10)) & 255;
    else
      folder = words[i];
  }
  if (folder.empty())
    return failure(options, "render-journal needs the journal's folder");
  return renderFolder(folder, facts, options);
}

} // namespace scopesan::tool
