// scopesan run: options, backend, the program under the collector, the report.
#include "Backend.h"
#include "Launch.h"
#include "Render.h"

#include "cpu/elf_scan.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

namespace scopesan::tool {
namespace {

struct RunRequest {
  host::Options options;
  Words program; ///< argv of the program
};

void printHelp() {
  llvm::outs() << "usage: scopesan run [options] [--] program [arguments]\n\n"
                  "Runs the program with ScopeSan and reports data races and scope violations.\n"
                  "Exit code, the first that applies: 128+n when signal n ended the program, tool "
                  "failure,\nfindings, the program's own non-zero code, incomplete under --strict, "
                  "no instrumented\nkernel ran, 0.\n\nOptions (also as "
                  "SCOPESAN_OPTIONS=name=value:name=value, with '_' for '-'):\n"
               << host::optionHelp();
}

/// Options of the environment, then those of the command line. Returns a message or "".
std::string parse(const Words &words, RunRequest &request) {
  const char *environment = getenv("SCOPESAN_OPTIONS");
  if (environment)
    if (std::string error = host::parseOptions(request.options, environment); !error.empty())
      return "SCOPESAN_OPTIONS: " + error;
  size_t i = 0;
  for (; i < words.size() && words[i].size() > 1 && words[i][0] == '-'; ++i) {
    const std::string &word = words[i];
    if (word == "--") {
      ++i;
      break;
    }
    if (word == "-h") {
      request.options.help = true;
      continue;
    }
    if (word[1] != '-')
      return "unknown option '" + word +
             "'; options are written --name=value, see scopesan run "
             "--help";
    size_t equals = word.find('=');
    std::string name = word.substr(2, equals == word.npos ? word.npos : equals - 2);
    bool isBoolean = false;
    if (equals == word.npos && host::isOption(name, &isBoolean) && !isBoolean)
      return "option '--" + name + "' needs a value: --" + name + "=...";
    std::string value = equals == word.npos ? "1" : word.substr(equals + 1);
    if (std::string error = host::setOption(request.options, name, value); !error.empty())
      return error;
  }
  request.program.assign(words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
  return {};
}

/// A private folder that goes away with its contents.
class JournalFolder {
public:
  std::string create() {
    if (std::error_code error = llvm::sys::fs::createUniqueDirectory("scopesan", path))
      return "cannot create a folder for the journal: " + error.message() +
             "; set TMPDIR to a writable folder";
    return {};
  }
  ~JournalFolder() {
    if (!path.empty())
      (void)llvm::sys::fs::remove_directories(path);
  }
  std::string name() const { return path.str().str(); }

private:
  llvm::SmallString<128> path;
};

/// Preloading cannot replace a CUDA runtime inside the program: refuse instead of checking nothing.
std::string checkLinkage(const std::string &program) {
  if (cpu::scanCudartLinkage(program) == cpu::CudartLinkage::Static)
    return cpu::staticCudartMessage(program);
  return {};
}

int runProgram(RunRequest &request) {
  host::Options &options = request.options;
  Installation installation;
  llvm::Expected<BackendChoice> backend = chooseBackend(installation, options);
  if (!backend)
    return failure(options, llvm::toString(backend.takeError()));
  options.backend = backend->name;

  llvm::Expected<std::string> path = findProgram(request.program.front());
  if (!path)
    return failure(options, llvm::toString(path.takeError()));
  if (std::string problem = checkLinkage(*path); !problem.empty() && options.backend == "cpu")
    return failure(options, problem);

  JournalFolder journal;
  if (std::string problem = journal.create(); !problem.empty())
    return failure(options, problem);
  exportEnvironment(installation, options, journal.name());
  if (options.verbosity > 0)
    llvm::errs() << "ScopeSan: running " << *path << " on the " << options.backend
                 << " backend with SCOPESAN_OPTIONS=" << getenv("SCOPESAN_OPTIONS") << '\n';

  llvm::Expected<report::ProgramEnd> end = launchAndWait(*path, request.program, options.timeout);
  if (!end)
    return failure(options, llvm::toString(end.takeError()));
  RunFacts facts{request.program, options.backend, {}, *end};
  if (!backend->note.empty())
    facts.notes.push_back(backend->note);
  return renderFolder(journal.name(), facts, options);
}

} // namespace

int runCommand(const Words &words) {
  RunRequest request;
  if (std::string error = parse(words, request); !error.empty())
    return failure(request.options, error);
  if (request.options.help) {
    printHelp();
    return 0;
  }
  if (request.program.empty())
    return failure(request.options, "no program to run; usage: scopesan run [options] [--] program "
                                    "[arguments]");
  return runProgram(request);
}

} // namespace scopesan::tool
