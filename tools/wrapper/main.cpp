// scopesan-clang++: clang++ with ScopeSan's config file, for build systems that want a compiler.
//
// Everything is passed through; see rewrite.h for what changes. SCOPESAN_VERBOSE=1 or -v prints the
// command that is run, SCOPESAN_CLANG names another clang++ 22.
#include "rewrite.h"

#include "wrapper_config.h" // generated: WrapperClang, WrapperDefaultArch, WrapperOldestArch

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>

using namespace scopesan::wrapper;

namespace {

/// Same code as `scopesan run` uses for a failure of the tool itself.
constexpr int FailureExitCode = 67;
constexpr off_t LargestResponseFile = 512L * 1024;

[[noreturn]] void fail(const std::string &what) {
  fprintf(stderr, "scopesan-clang++: error: %s\n", what.c_str());
  exit(FailureExitCode);
}

std::string ownFolder() {
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  if (length <= 0)
    fail("cannot read /proc/self/exe; is /proc mounted?");
  std::string folder(path, static_cast<size_t>(length));
  return folder.substr(0, folder.rfind('/'));
}

/// Replaces @file by its words, so that inputs and libraries in it are seen.
Arguments expandResponseFiles(int argc, char **argv) {
  Arguments words;
  for (int i = 1; i < argc; ++i) {
    struct stat info;
    if (argv[i][0] == '@' && stat(argv[i] + 1, &info) == 0 && info.st_size <= LargestResponseFile) {
      std::ifstream file(argv[i] + 1);
      std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
      for (std::string &word : splitResponseFile(text))
        words.push_back(std::move(word));
    } else {
      words.push_back(argv[i]);
    }
  }
  return words;
}

void print(const std::string &program, const Arguments &arguments) {
  fprintf(stderr, "scopesan-clang++: %s", program.c_str());
  for (const std::string &argument : arguments)
    fprintf(stderr, argument.find_first_of(" \t\"'\\$") == std::string::npos ? " %s" : " '%s'",
            argument.c_str());
  fputc('\n', stderr);
}

bool isVerbose(const Arguments &arguments) {
  const char *setting = getenv("SCOPESAN_VERBOSE");
  if (setting && *setting && strcmp(setting, "0") != 0)
    return true;
  for (const std::string &argument : arguments)
    if (argument == "-v" || argument == "-###")
      return true;
  return false;
}

} // namespace

int main(int argc, char **argv) {
  std::string folder = ownFolder();
  const char *chosen = getenv("SCOPESAN_CLANG");
  std::string clang = chosen && *chosen ? chosen : WrapperClang;
  Settings settings{folder + "/scopesan.cfg", WrapperDefaultArch, WrapperOldestArch,
                    WrapperCudaInclude};

  Arguments words = expandResponseFiles(argc, argv);
  Rewritten command = rewrite(words, settings);
  std::string plugin = folder + "/../lib/libScopeSanPass.so";
  if (command.usesConfig && access(plugin.c_str(), R_OK) != 0)
    fail("the compiler plugin '" + plugin +
         "' is missing; build it (target ScopeSanPass) or install "
         "ScopeSan again, and see 'scopesan doctor'");
  for (const std::string &note : command.notes)
    fprintf(stderr, "scopesan-clang++: note: %s\n", note.c_str());
  if (isVerbose(words))
    print(clang, command.arguments);

  std::vector<char *> vector{clang.data()};
  for (std::string &argument : command.arguments)
    vector.push_back(argument.data());
  vector.push_back(nullptr);
  execvp(clang.c_str(), vector.data());
  fail("cannot run '" + clang + "': " + strerror(errno) +
       "; install clang-22 or set SCOPESAN_CLANG to a clang++ 22");
}
