#include "Installation.h"

#include <climits>
#include <cstdlib>
#include <unistd.h>

namespace scopesan::tool {

Installation::Installation() {
  char path[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  if (length > 0)
    root.assign(path, static_cast<size_t>(length));
  for (int level = 0; level < 2 && root.find('/') != std::string::npos; ++level)
    root.erase(root.rfind('/'));
}

bool fileExists(const std::string &path) { return access(path.c_str(), F_OK) == 0; }

} // namespace scopesan::tool
