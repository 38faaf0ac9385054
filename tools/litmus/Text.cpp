#include "Text.h"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace scopesan::litmus {

std::optional<std::string> readText(const std::string &path) {
  std::error_code ignored;
  std::ifstream in(path);
  if (!in || std::filesystem::is_directory(path, ignored))
    return std::nullopt;
  std::stringstream all;
  all << in.rdbuf();
  return all.str();
}

std::string_view trim(std::string_view s) {
  size_t from = s.find_first_not_of(" \t\r\n");
  if (from == std::string_view::npos)
    return {};
  return s.substr(from, s.find_last_not_of(" \t\r\n") - from + 1);
}

std::vector<std::string_view> split(std::string_view s, std::string_view separator) {
  std::vector<std::string_view> out;
  for (size_t from = 0;;) {
    size_t at = s.find(separator, from);
    if (at == std::string_view::npos) {
      out.push_back(trim(s.substr(from)));
      return out;
    }
    out.push_back(trim(s.substr(from, at - from)));
    from = at + separator.size();
  }
}

std::vector<std::string_view> splitTop(std::string_view s, char separator) {
  std::vector<std::string_view> out;
  int depth = 0;
  size_t from = 0;
  for (size_t i = 0; i < s.size(); ++i) {
    char c = s[i];
    depth += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
    if (c == separator && depth <= 0) {
      out.push_back(trim(s.substr(from, i - from)));
      from = i + 1;
    }
  }
  out.push_back(trim(s.substr(from)));
  return out;
}

bool contains(std::string_view s, std::string_view part) {
  return s.find(part) != std::string_view::npos;
}
bool isIdentifierStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool isIdentifierChar(char c) { return isIdentifierStart(c) || (c >= '0' && c <= '9'); }

std::optional<int64_t> parseInteger(std::string_view s) {
  s = trim(s);
  int64_t v = 0;
  auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), v);
  if (s.empty() || error != std::errc() || end != s.data() + s.size())
    return std::nullopt;
  return v;
}

std::optional<std::string_view> Cursor::bracketed(char open, char close) {
  size_t from = P;
  for (int depth = 1; P < S.size(); ++P) {
    depth += (S[P] == open) - (S[P] == close);
    if (depth == 0)
      return S.substr(from, P++ - from);
  }
  return std::nullopt;
}

} // namespace scopesan::litmus
