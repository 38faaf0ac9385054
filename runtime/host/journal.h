// The journal file of one process (docs/journal.md).
//
// Opened at the first event, so a process that never touches CUDA leaves no trace. Each line is one
// write(2): whatever was found before a crash is in the file. Not thread-safe; the collector's lock
// covers it.
#pragma once

#include <string>
#include <sys/types.h>

namespace scopesan::host {

class Journal {
public:
  /// Lines go to a new file of `folder`. Relative folders are resolved now: the program may chdir.
  void setFolder(const std::string &folder);
  const std::string &folder() const { return directory; }
  bool isOpen() const { return fd >= 0; }

  /// Creates the file. Returns a message or the empty string.
  std::string open();
  /// Appends one line. False when it could not be written; the reason is in errno.
  bool write(const std::string &json);
  /// In a forked child: forget the parent's file.
  void abandon();

private:
  bool descriptorIsOurs() const;

  std::string directory, path;
  int fd = -1;
  dev_t device = 0;
  ino_t inode = 0;
};

} // namespace scopesan::host
