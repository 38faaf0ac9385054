// scopesan-clang++: clang++ with ScopeSan's config file, for build systems that want a compiler;
// takes nvcc's options too.
//
// Everything is passed through; see rewrite.h for what changes. SCOPESAN_VERBOSE=1 or -v prints the
// command that is run, SCOPESAN_CLANG names another clang++ 22.
#include "compile.h"
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

/// The file that word `i` names: @file, or nvcc's --options-file. Null for other words.
const char *responseFile(int argc, char **argv, int &i) {
  if (argv[i][0] == '@')
    return argv[i] + 1;
  std::string word = argv[i];
  if ((word == "-optf" || word == "--options-file") && i + 1 < argc)
    return argv[++i];
  for (const char *prefix : {"-optf=", "--options-file="})
    if (word.starts_with(prefix))
      return argv[i] + strlen(prefix);
  return nullptr;
}

/// Replaces response files by their words, so that inputs and libraries in them are seen.
Arguments expandResponseFiles(int argc, char **argv) {
  Arguments words;
  for (int i = 1; i < argc; ++i) {
    struct stat info;
    const char *path = responseFile(argc, argv, i);
    if (path && stat(path, &info) == 0 && info.st_size <= LargestResponseFile) {
      std::ifstream file(path);
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

/// clang's OpenMP library lies beside its other libraries.
bool hasOpenMp(const std::string &clang) {
  size_t slash = clang.rfind('/');
  std::string root = slash == std::string::npos ? "." : clang.substr(0, slash);
  return access((root + "/../lib/libomp.so").c_str(), R_OK) == 0;
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
  Settings settings{folder + "/scopesan.cfg",
                    WrapperDefaultArch,
                    WrapperOldestArch,
                    WrapperCudaInclude,
                    hasOpenMp(clang),
                    folder + "/../lib/scopesan/compat/device_link.c",
                    folder + "/../lib/libScopeSanPass.so"};

  Arguments words = expandResponseFiles(argc, argv);
  Rewritten command = rewrite(words, settings);
  if (!command.error.empty())
    fail(command.error);
  for (const char *part :
       {"libScopeSanPass.so", "libScopeSanFrontend.so", "scopesan/compat/scopesan_cuda.h"}) {
    std::string path = folder + "/../lib/" + part;
    if (command.usesConfig && access(path.c_str(), R_OK) != 0)
      fail("'" + path +
           "' is missing; build it (targets ScopeSanPass and ScopeSanFrontend) or install ScopeSan "
           "again, and see 'scopesan doctor'");
  }
  for (const std::string &note : command.notes)
    fprintf(stderr, "scopesan-clang++: note: %s\n", note.c_str());
  if (isVerbose(words))
    print(clang, command.arguments);

  if (command.compilesCuda)
    if (int code = compile(clang, command.arguments); code >= 0)
      return code;
  execute(clang, command.arguments);
  fail("cannot run '" + clang + "': " + strerror(errno) +
       "; install clang-22 or set SCOPESAN_CLANG to a clang++ 22");
}
