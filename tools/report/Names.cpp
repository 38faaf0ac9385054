#include "Names.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/Regex.h"

#include <algorithm>

namespace scopesan::report {
namespace {

using llvm::StringRef;

/// Longest name that keeps its template arguments.
constexpr size_t LongName = 80;

bool isWordPart(char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$'; }

/// The identifiers of the name that a mangled symbol begins with: "a::b" of _ZN1a1bIiEEvPi.
std::string identifiersOf(StringRef symbol) {
  std::string result;
  symbol.consume_front("_Z");
  bool isNested = symbol.consume_front("N");
  symbol.consume_front("K");
  symbol.consume_front("L");
  size_t length;
  while (!symbol.empty() && !symbol.consumeInteger(10, length) && length &&
         length <= symbol.size()) {
    StringRef part = symbol.take_front(length);
    symbol = symbol.drop_front(length);
    if (part.starts_with("_GLOBAL__N"))
      part = "(anonymous namespace)";
    result += (result.empty() ? "" : "::") + part.str();
    if (!isNested)
      break;
  }
  return result.empty() ? "a function with an unknown name" : result;
}

std::string demangled(const std::string &symbol) {
  std::string result = llvm::demangle(symbol);
  return StringRef(result).starts_with("_Z") ? identifiersOf(symbol) : result;
}

/// Erases every "NAME::" that only tells versions apart.
void dropVersions(std::string &name) {
  static const llvm::Regex Version("(CUB|THRUST|_V)_[0-9]+(_SM_[0-9_]+)?(_NS)?::|__[0-9]+::");
  llvm::SmallVector<StringRef, 4> found;
  while (Version.match(name, &found)) {
    size_t at = size_t(found[0].data() - name.data());
    name.erase(at, found[0].size());
  }
}

/// Calls f(depth, i) for each character outside of "operator<" and the like; depth counts '<'.
template <typename F> void forDepths(const std::string &name, F f) {
  int depth = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    bool isOperator = StringRef(name).take_front(i).rtrim("<>=-").ends_with("operator");
    if (name[i] == '<' && !isOperator)
      f(depth++, i);
    else if (name[i] == '>' && !isOperator && depth)
      f(--depth, i);
    else
      f(depth, i);
  }
}

/// The part of the name before its parameters, without the return type.
std::string withoutSignature(const std::string &name) {
  size_t begin = 0, end = name.size();
  int parentheses = 0;
  forDepths(name, [&](int depth, size_t i) {
    if (depth || i >= end)
      return;
    if (name[i] == '(' && i > begin && parentheses == 0 &&
        !StringRef(name).substr(i).starts_with("(anonymous namespace)") &&
        !StringRef(name).take_front(i).ends_with("operator") &&
        !StringRef(name).take_front(i).ends_with("decltype"))
      end = i;
    parentheses += name[i] == '(' ? 1 : name[i] == ')' ? -1 : 0;
    bool isResult = name[i] == ' ' && parentheses == 0 &&
                    !StringRef(name).take_front(i).rtrim("<>=").ends_with("operator") &&
                    !StringRef(name).take_front(i).ends_with("operator new") &&
                    !StringRef(name).take_front(i).ends_with(",");
    if (isResult && i < end)
      begin = i + 1;
  });
  return begin < end ? name.substr(begin, end - begin) : name;
}

std::string withoutArguments(const std::string &name) {
  std::string result;
  forDepths(name, [&](int depth, size_t i) {
    if (depth == 0)
      result += name[i] == '<' && i + 1 < name.size() ? "<...>" : std::string(1, name[i]);
  });
  for (size_t at; (at = result.find("<...>>")) != result.npos;)
    result.erase(at + 5, 1);
  return result;
}

} // namespace

std::string readable(const std::string &text) {
  std::string result;
  for (size_t i = 0; i < text.size();) {
    bool begins =
        StringRef(text).substr(i).starts_with("_Z") && (i == 0 || !isWordPart(text[i - 1]));
    if (!begins) {
      result += text[i++];
      continue;
    }
    size_t end = i;
    while (end < text.size() && isWordPart(text[end]))
      ++end;
    result += demangled(text.substr(i, end - i));
    i = end;
  }
  return result;
}

std::string functionName(const std::string &name) {
  std::string result = readable(name);
  dropVersions(result);
  return result.size() > LongName ? shortFunctionName(result) : result;
}

std::string shortFunctionName(const std::string &name) {
  std::string result = withoutSignature(readable(name));
  dropVersions(result);
  return result.size() > LongName ? withoutArguments(result) : result;
}

} // namespace scopesan::report
