// Text helpers of the parsers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace scopesan::litmus {

constexpr std::string_view ByteOrderMark = "\xef\xbb\xbf"; ///< some editors begin a file with it
constexpr int64_t MaxLoops = 100; ///< backward jumps per branch; more cannot be explored

/// The whole file; nothing for what is no file, such as a folder.
std::optional<std::string> readText(const std::string &path);

std::string_view trim(std::string_view s);
/// Parts between occurrences of `separator`, each trimmed; empty parts are kept.
std::vector<std::string_view> split(std::string_view s, std::string_view separator);
/// As split, but not inside (), [] or {}.
std::vector<std::string_view> splitTop(std::string_view s, char separator);
bool contains(std::string_view s, std::string_view part);
bool isIdentifierStart(char c);
bool isIdentifierChar(char c);
std::optional<int64_t> parseInteger(std::string_view s);

/// Reads a text from left to right.
class Cursor {
public:
  explicit Cursor(std::string_view s) : S(s) {}
  bool atEnd() const { return P >= S.size(); }
  char peek() const { return P < S.size() ? S[P] : 0; }
  std::string_view rest() const { return S.substr(P); }
  void skipSpace() {
    while (P < S.size() && (S[P] == ' ' || S[P] == '\t'))
      ++P;
  }
  /// Consumes `text` if it comes next.
  bool accept(std::string_view text) {
    if (S.substr(P, text.size()) != text)
      return false;
    P += text.size();
    return true;
  }
  /// As accept, but `word` must not be followed by an identifier character.
  bool acceptWord(std::string_view word) {
    std::string_view r = rest();
    if (!r.starts_with(word) || (r.size() > word.size() && isIdentifierChar(r[word.size()])))
      return false;
    P += word.size();
    return true;
  }
  /// Letters, digits and '_'; with `extra` those characters too.
  std::string_view identifier(std::string_view extra = "") {
    size_t from = P;
    while (P < S.size() && (isIdentifierChar(S[P]) || extra.find(S[P]) != std::string_view::npos))
      ++P;
    return S.substr(from, P - from);
  }
  /// The text up to `stop` (not consumed) or the end.
  std::string_view until(std::string_view stop) {
    size_t at = S.find(stop, P);
    if (at == std::string_view::npos)
      at = S.size();
    std::string_view r = S.substr(P, at - P);
    P = at;
    return r;
  }
  /// After an opening bracket was consumed: the text up to its closing one, which is consumed.
  std::optional<std::string_view> bracketed(char open, char close);

private:
  std::string_view S;
  size_t P = 0;
};

} // namespace scopesan::litmus
