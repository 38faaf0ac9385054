// Code that nvcc takes and clang does not, beyond what options and headers can cure: clang's errors
// say where, and a patched copy of the file is compiled in its place. Line numbers stay.
//
//   clang says                                               the patch
//   use 'template' keyword to treat 'X' as a dependent ...   `template ` before X
//   invalid % escape in inline assembly string               `%` doubled (%laneid, %tid.x, ...)
//   default arguments cannot be added to an out-of-line ...  the default moves to the declaration
//   expected expression, at `<< <`                           `<<<` and `>>>`
//
// No processes, no files: those are the caller's.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace scopesan::wrapper {

struct Diagnostic {
  std::string file;
  unsigned line = 0, column = 0; ///< 1-based, bytes
  std::string severity;          ///< "error", "note", ...
  std::string message;
};

/// The messages of clang's output, one line each (-fno-caret-diagnostics).
std::vector<Diagnostic> parseDiagnostics(const std::string &output);

class Repairs {
public:
  /// `read` returns a file's content, or an empty string.
  explicit Repairs(std::function<std::string(const std::string &)> read) : read(std::move(read)) {}

  /// Patches what the messages of one run name. Returns the number of patches.
  size_t apply(const std::vector<Diagnostic> &diagnostics);

  /// Content by file name as clang spelled it.
  const std::map<std::string, std::string> &files() const { return contents; }

private:
  struct Edit {
    std::string file;
    size_t offset, length;
    std::string text;
    bool operator<(const Edit &other) const {
      return file != other.file ? file < other.file : offset > other.offset; // from the end
    }
    bool operator==(const Edit &other) const {
      return file == other.file && offset == other.offset && text == other.text;
    }
  };
  /// A default argument that was taken from an out-of-line definition.
  struct Default {
    std::string function;
    size_t parameter; ///< 0-based
    std::string text; ///< "= 3"
  };

  const std::string *contentOf(const std::string &file);
  /// Byte at a place; npos when the file has no such place.
  size_t offsetOf(const std::string &content, unsigned line, unsigned column) const;
  void repair(const Diagnostic &error, const Diagnostic *begin, const Diagnostic *end);
  // Each patches one place; false when the text there is something else.
  bool addTemplate(const Diagnostic &at);
  bool escapeRegister(const Diagnostic &at);
  bool takeDefault(const Diagnostic &at);
  bool joinLaunch(const Diagnostic &at);
  void giveDefaults(const Diagnostic &declaration);
  bool edit(const std::string &file, size_t offset, size_t length, const std::string &text) {
    edits.push_back({file, offset, length, text});
    return true;
  }

  std::function<std::string(const std::string &)> read;
  std::map<std::string, std::string> contents, unpatched;
  std::vector<Edit> edits;
  std::vector<Default> defaults;
};

} // namespace scopesan::wrapper
