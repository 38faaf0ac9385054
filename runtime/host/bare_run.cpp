#include "bare_run.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char **environ;

namespace scopesan::host {
namespace {

/// $SCOPESAN_TOOL, else bin/scopesan beside the lib folder of the library this code is part of.
std::string findTool() {
  if (const char *tool = getenv("SCOPESAN_TOOL"); tool && *tool)
    return tool;
  Dl_info info{};
  if (dladdr(reinterpret_cast<void *>(&makeTemporaryFolder), &info) && info.dli_fname) {
    char real[4096];
    if (realpath(info.dli_fname, real)) {
      std::string folder(real);
      folder.erase(folder.rfind('/'));
      for (const char *relative : {"/../bin/scopesan", "/../../bin/scopesan", "/scopesan"})
        if (std::string path = folder + relative; access(path.c_str(), X_OK) == 0)
          return path;
    }
  }
  return "scopesan"; // by PATH
}

/// The renderer must not be instrumented itself: no preload, no journal.
std::vector<char *> rendererEnvironment() {
  std::vector<char *> result;
  for (char **entry = environ; *entry; ++entry) {
    std::string_view text = *entry;
    if (!text.starts_with("LD_PRELOAD=") && !text.starts_with("SCOPESAN_JOURNAL="))
      result.push_back(*entry);
  }
  result.push_back(nullptr);
  return result;
}

void removeFolder(const std::string &folder) {
  if (DIR *dir = opendir(folder.c_str())) {
    while (dirent *entry = readdir(dir))
      if (std::string_view name = entry->d_name; name.ends_with(".jsonl"))
        unlink((folder + '/' + entry->d_name).c_str());
    closedir(dir);
  }
  rmdir(folder.c_str());
}

} // namespace

std::string makeTemporaryFolder() {
  const char *base = getenv("TMPDIR");
  std::string path = std::string(base && *base ? base : "/tmp") + "/scopesan-XXXXXX";
  return mkdtemp(path.data()) ? path : std::string();
}

int renderAndRemove(const std::string &folder, int programStatus) {
  std::string tool = findTool(), status = std::to_string(programStatus);
  const char *arguments[] = {tool.c_str(),   "render-journal", "--program-status",
                             status.c_str(), folder.c_str(),   nullptr};
  std::vector<char *> environment = rendererEnvironment();
  pid_t child = -1;
  int error = posix_spawnp(&child, tool.c_str(), nullptr, nullptr, const_cast<char **>(arguments),
                           environment.data());
  if (error) {
    fprintf(stderr,
            "ScopeSan: cannot run '%s' to print the report (%s); the findings stay in '%s'. Set "
            "SCOPESAN_TOOL to the scopesan command and run: scopesan render-journal %s\n",
            tool.c_str(), strerror(error), folder.c_str(), folder.c_str());
    return -1;
  }
  int result = 0;
  while (waitpid(child, &result, 0) < 0)
    if (errno != EINTR)
      return -1;
  removeFolder(folder);
  return WIFEXITED(result) ? WEXITSTATUS(result) : -1;
}

} // namespace scopesan::host
