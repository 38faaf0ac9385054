#include "compile.h"

#include "repair.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace scopesan::wrapper {
namespace {

using Arguments = std::vector<std::string>;

/// Each run finds the first bad place of a statement at least.
constexpr int MostRuns = 20;

std::vector<char *> pointers(std::string &program, Arguments &arguments) {
  std::vector<char *> vector{program.data()};
  for (std::string &argument : arguments)
    vector.push_back(argument.data());
  vector.push_back(nullptr);
  return vector;
}

struct Outcome {
  int status = -1;    ///< as waitpid gives it; -1: could not be started
  std::string errors; ///< what it wrote to standard error
};

Outcome runCapturing(std::string program, Arguments arguments) {
  Outcome outcome;
  int ends[2];
  if (pipe(ends))
    return outcome;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  pid_t child = 0;
  std::vector<char *> vector = pointers(program, arguments);
  int failure = posix_spawn(&child, program.c_str(), &actions, nullptr, vector.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  char buffer[4096];
  for (ssize_t n; !failure && (n = read(ends[0], buffer, sizeof buffer)) != 0;) {
    if (n > 0)
      outcome.errors.append(buffer, size_t(n));
    else if (errno != EINTR)
      break;
  }
  close(ends[0]);
  if (!failure)
    while (waitpid(child, &outcome.status, 0) < 0 && errno == EINTR)
      ;
  return outcome;
}

bool succeeded(const Outcome &outcome) {
  return WIFEXITED(outcome.status) && WEXITSTATUS(outcome.status) == 0;
}

std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// A folder for the patched copies, removed with everything in it.
class Overlay {
public:
  Overlay() {
    const char *base = getenv("TMPDIR");
    folder = std::string(base && *base ? base : "/tmp") + "/scopesan-XXXXXX";
    if (!mkdtemp(folder.data()))
      folder.clear();
  }
  ~Overlay() {
    for (const std::string &path : written)
      unlink(path.c_str());
    if (!folder.empty())
      rmdir(folder.c_str());
  }
  Overlay(const Overlay &) = delete;

  /// Writes the copies and what tells clang to read them under the names of the originals.
  bool write(const std::map<std::string, std::string> &files);
  std::string list() const { return folder + "/overlay.yaml"; }

private:
  bool put(const std::string &path, const std::string &content) {
    written.push_back(path);
    std::ofstream file(path, std::ios::binary);
    file << content;
    file.close();
    return bool(file);
  }
  std::string folder;
  Arguments written;
};

std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += c;
  }
  return result + "\"";
}

bool Overlay::write(const std::map<std::string, std::string> &files) {
  if (folder.empty())
    return false;
  std::string roots;
  for (const auto &[name, content] : files) {
    char *real = realpath(name.c_str(), nullptr);
    char *here = getcwd(nullptr, 0);
    std::string absolute = name[0] == '/' ? name : std::string(here ? here : "") + "/" + name;
    std::string copy = folder + "/" + std::to_string(written.size());
    bool isWritten = put(copy, content);
    for (const std::string &original : {absolute, std::string(real ? real : absolute)})
      roots += (roots.empty() ? "" : ",") + ("{\"type\":\"file\",\"name\":" + quoted(original)) +
               ",\"external-contents\":" + quoted(copy) + "}";
    free(real);
    free(here);
    if (!isWritten)
      return false;
  }
  return put(list(), "{\"version\":0,\"use-external-names\":false,\"roots\":[" + roots + "]}\n");
}

/// Patches until clang has nothing left that a patch cures. False when nothing was patched.
bool patch(const std::string &clang, const Arguments &arguments, Repairs &repairs,
           Overlay &overlay) {
  Arguments check = arguments;
  check.insert(check.end(),
               {"-fsyntax-only", "-ferror-limit=0", "-fno-color-diagnostics",
                "-fno-caret-diagnostics", "-fmacro-backtrace-limit=0", "-Qunused-arguments"});
  bool hasPatches = false;
  for (int i = 0; i < MostRuns; ++i) {
    Outcome outcome = runCapturing(clang, check);
    if (succeeded(outcome) || !repairs.apply(parseDiagnostics(outcome.errors)))
      break;
    if (!overlay.write(repairs.files()))
      return false;
    if (!hasPatches)
      check.insert(check.end(), {"-ivfsoverlay", overlay.list()});
    hasPatches = true;
  }
  return hasPatches;
}

/// The exit code, or the signal that ended the child.
int finish(const Outcome &outcome) {
  fputs(outcome.errors.c_str(), stderr);
  if (WIFSIGNALED(outcome.status)) {
    signal(WTERMSIG(outcome.status), SIG_DFL);
    raise(WTERMSIG(outcome.status));
  }
  return WIFEXITED(outcome.status) ? WEXITSTATUS(outcome.status) : 1;
}

} // namespace

void execute(const std::string &program, Arguments arguments) {
  std::string name = program;
  std::vector<char *> vector = pointers(name, arguments);
  execvp(name.c_str(), vector.data());
}

int compile(const std::string &clang, const Arguments &arguments) {
  Arguments command = arguments;
  if (isatty(STDERR_FILENO)) // clang sees a pipe
    command.insert(command.begin(), "-fcolor-diagnostics");
  Outcome first = runCapturing(clang, command);
  if (first.status == -1) {
    execute(clang, command); // finds it in PATH, or says why not
    return -1;
  }
  if (succeeded(first) || !WIFEXITED(first.status))
    return finish(first);
  Repairs repairs(readFile);
  Overlay overlay;
  if (!patch(clang, arguments, repairs, overlay))
    return finish(first);
  command.insert(command.end(), {"-ivfsoverlay", overlay.list()});
  Outcome second = runCapturing(clang, command);
  if (!succeeded(second))
    return finish(first);
  for (const auto &file : repairs.files())
    fprintf(stderr, "scopesan-clang++: note: %s: compiled with changes that nvcc does not need\n",
            file.first.c_str());
  return finish(second);
}

} // namespace scopesan::wrapper
