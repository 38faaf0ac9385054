#include "repair.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string_view>

namespace scopesan::wrapper {
namespace {

using std::string_view;
constexpr size_t npos = std::string::npos;

bool isIdentifier(char c) { return isalnum(static_cast<unsigned char>(c)) || c == '_'; }

bool parseLine(string_view line, Diagnostic &out) {
  for (string_view severity : {"fatal error", "error", "warning", "note"}) {
    std::string mark = ": " + std::string(severity) + ": ";
    size_t at = line.find(mark);
    if (at == npos)
      continue;
    string_view place = line.substr(0, at);
    size_t second = place.rfind(':');
    size_t first = second == npos || second == 0 ? npos : place.rfind(':', second - 1);
    if (first == npos)
      continue;
    out.file = place.substr(0, first);
    out.line = unsigned(atoi(std::string(place.substr(first + 1, second - first - 1)).c_str()));
    out.column = unsigned(atoi(std::string(place.substr(second + 1)).c_str()));
    out.severity = severity == "fatal error" ? "error" : severity;
    out.message = line.substr(at + mark.size());
    return out.line && out.column;
  }
  return false;
}

bool contains(string_view text, string_view part) { return text.find(part) != npos; }

/// Position after the string or character literal that begins at `at`.
size_t skipLiteral(string_view text, size_t at) {
  char quote = text[at++];
  while (at < text.size() && text[at] != quote && text[at] != '\n')
    at += text[at] == '\\' ? 2 : 1;
  return std::min(at + 1, text.size());
}

/// The first `,` or `)` at or after `at` that belongs to the enclosing parameter list.
size_t endOfParameter(string_view text, size_t at) {
  int depth = 0, angles = 0;
  while (at < text.size()) {
    char c = text[at];
    if (c == '"' || c == '\'') {
      at = skipLiteral(text, at);
      continue;
    }
    if (depth == 0 && (c == ')' || (c == ',' && angles == 0)))
      return at;
    if (c == '(' || c == '[' || c == '{')
      ++depth;
    if (c == ')' || c == ']' || c == '}')
      --depth;
    // `a < b` has blanks in the code that formatters leave; `T<int>` has not.
    if (c == '<' && at && isIdentifier(text[at - 1]))
      ++angles;
    if (c == '>' && angles > 0 && text[at - 1] != '-')
      --angles;
    ++at;
  }
  return npos;
}

/// The `(` that opens the list around `at`; counts the commas between in `index`.
size_t startOfList(string_view text, size_t at, size_t &index) {
  int depth = 0, angles = 0;
  index = 0;
  while (at-- > 0) {
    char c = text[at];
    if (c == ')' || c == ']' || c == '}')
      ++depth;
    else if (c == '[' || c == '{' || (c == '(' && depth > 0))
      --depth;
    else if (c == '(')
      return at;
    else if (c == '>' && depth == 0 && at && text[at - 1] != '-')
      ++angles;
    else if (c == '<' && depth == 0 && angles > 0)
      --angles;
    else if (c == ',' && depth == 0 && angles == 0)
      ++index;
  }
  return npos;
}

string_view identifierBefore(string_view text, size_t at) {
  while (at > 0 && isspace(static_cast<unsigned char>(text[at - 1])))
    --at;
  size_t end = at;
  while (at > 0 && isIdentifier(text[at - 1]))
    --at;
  return text.substr(at, end - at);
}

} // namespace

std::vector<Diagnostic> parseDiagnostics(const std::string &output) {
  std::vector<Diagnostic> result;
  for (size_t begin = 0; begin < output.size();) {
    size_t end = std::min(output.find('\n', begin), output.size());
    Diagnostic diagnostic;
    if (parseLine(string_view(output).substr(begin, end - begin), diagnostic))
      result.push_back(diagnostic);
    begin = end + 1;
  }
  return result;
}

const std::string *Repairs::contentOf(const std::string &file) {
  if (auto it = contents.find(file); it != contents.end())
    return &it->second;
  auto [it, isNew] = unpatched.try_emplace(file);
  if (isNew)
    it->second = read(file);
  return it->second.empty() ? nullptr : &it->second;
}

size_t Repairs::offsetOf(const std::string &content, unsigned line, unsigned column) const {
  size_t at = 0;
  for (unsigned i = 1; i < line; ++i) {
    at = content.find('\n', at);
    if (at == npos)
      return npos;
    ++at;
  }
  return at + column - 1 < content.size() ? at + column - 1 : npos;
}

bool Repairs::addTemplate(const Diagnostic &at) {
  const std::string *content = contentOf(at.file);
  size_t offset = content ? offsetOf(*content, at.line, at.column) : npos;
  size_t open = at.message.find("treat '"), close = at.message.find('\'', open + 7);
  if (offset == npos || open == npos || close == npos)
    return false;
  std::string name = at.message.substr(open + 7, close - open - 7);
  return content->compare(offset, name.size(), name) == 0 && edit(at.file, offset, 0, "template ");
}

/// The place is up to two characters after the `%`. clang names the first of a statement only, so a
/// statement with several takes several runs.
bool Repairs::escapeRegister(const Diagnostic &at) {
  const std::string *content = contentOf(at.file);
  size_t offset = content ? offsetOf(*content, at.line, at.column) : npos;
  if (offset == npos)
    return false;
  size_t percent = content->rfind('%', offset);
  return percent != npos && offset - percent <= 2 && edit(at.file, percent, 1, "%%");
}

bool Repairs::takeDefault(const Diagnostic &at) {
  const std::string *content = contentOf(at.file);
  size_t name = content ? offsetOf(*content, at.line, at.column) : npos;
  if (name == npos)
    return false;
  size_t end = endOfParameter(*content, name), equals = content->find('=', name);
  size_t index = 0, open = startOfList(*content, name, index);
  if (end == npos || open == npos || equals == npos || equals > end)
    return false;
  std::string text = content->substr(equals, end - equals);
  defaults.push_back({std::string(identifierBefore(*content, open)), index, text});
  std::string blank = text; // line breaks stay
  std::replace_if(blank.begin(), blank.end(), [](char c) { return c != '\n'; }, ' ');
  return edit(at.file, equals, text.size(), blank);
}

/// The declaration that a call does not fit gets the defaults of its definition.
void Repairs::giveDefaults(const Diagnostic &declaration) {
  const std::string *content = contentOf(declaration.file);
  size_t name = content ? offsetOf(*content, declaration.line, declaration.column) : npos;
  if (name == npos)
    return;
  for (const Default &known : defaults) {
    if (content->compare(name, known.function.size(), known.function) != 0)
      continue;
    size_t at = content->find('(', name + known.function.size());
    for (size_t i = 0; at != npos && i <= known.parameter; ++i) {
      size_t begin = at + 1;
      at = endOfParameter(*content, begin);
      bool isLast = at != npos && (*content)[at] == ')';
      if (i == known.parameter && at != npos &&
          !contains(string_view(*content).substr(begin, at - begin), "="))
        edit(declaration.file, at, 0, " " + known.text);
      if (isLast && i < known.parameter)
        break;
    }
  }
}

/// `k << <grid, block>> >(...)`. Columns stay: a blank goes in front instead.
bool Repairs::joinLaunch(const Diagnostic &at) {
  const std::string *content = contentOf(at.file);
  size_t error = content ? offsetOf(*content, at.line, at.column) : npos;
  if (error == npos)
    return false;
  // The three brackets before or at the place of the error, blanks between two of them.
  auto bracketsFrom = [&](size_t start, char bracket, size_t &end) {
    size_t count = 0, i = start;
    for (; i < content->size() && count < 3; ++i) {
      char c = (*content)[i];
      if (c == bracket)
        ++count;
      else if (c != ' ' && c != '\t')
        break;
    }
    end = i;
    return count == 3;
  };
  auto join = [&](size_t start, size_t end, char bracket) {
    return end - start > 3 && edit(at.file, start, end - start,
                                   std::string(end - start - 3, ' ') + std::string(3, bracket));
  };
  size_t line = content->rfind('\n', error);
  size_t open = content->rfind("<<", error);
  size_t openEnd = 0;
  if (open == npos || (line != npos && open < line) || !bracketsFrom(open, '<', openEnd) ||
      error >= openEnd)
    return false;
  bool isJoined = join(open, openEnd, '<');
  int depth = 0;
  for (size_t i = openEnd; i < content->size(); ++i) {
    char c = (*content)[i];
    size_t closeEnd = 0;
    if (c == '(' || c == '[' || c == '{')
      ++depth;
    else if (c == ')' || c == ']' || c == '}')
      --depth;
    else if (depth == 0 && c == '>' && bracketsFrom(i, '>', closeEnd))
      return join(i, closeEnd, '>') || isJoined;
    if (depth < 0 || c == ';')
      break;
  }
  return isJoined;
}

void Repairs::repair(const Diagnostic &error, const Diagnostic *begin, const Diagnostic *end) {
  // With macros the text stands at one of several places.
  std::vector<Diagnostic> places{error};
  const Diagnostic *note = begin;
  for (; note != end && note->message.starts_with("expanded from macro"); ++note) {
    places.push_back(*note);
    places.back().message = error.message;
  }
  auto tryAll = [&](bool (Repairs::*patch)(const Diagnostic &)) {
    for (const Diagnostic &place : places)
      if ((this->*patch)(place))
        return;
  };
  string_view message = error.message;
  if (message.starts_with("use 'template'") && contains(message, "as a dependent template name"))
    tryAll(&Repairs::addTemplate);
  else if (contains(message, "invalid % escape in inline assembly string"))
    tryAll(&Repairs::escapeRegister);
  else if (message.starts_with("default arguments cannot be added to an out-of-line definition"))
    tryAll(&Repairs::takeDefault);
  else if (message.starts_with("expected expression"))
    tryAll(&Repairs::joinLaunch);
  else if (message.starts_with("too few arguments to function call") ||
           (message.starts_with("no matching ") && contains(message, "function for call to")))
    for (; note != end; ++note)
      if (note->message.ends_with("declared here") || note->message.starts_with("candidate"))
        giveDefaults(*note);
}

size_t Repairs::apply(const std::vector<Diagnostic> &diagnostics) {
  edits.clear();
  const Diagnostic *all = diagnostics.data(), *last = all + diagnostics.size();
  for (const Diagnostic *d = all; d != last;) {
    const Diagnostic *end = d + 1;
    while (end != last && end->severity == "note")
      ++end;
    if (d->severity == "error")
      repair(*d, d + 1, end);
    d = end;
  }
  std::sort(edits.begin(), edits.end());
  edits.erase(std::unique(edits.begin(), edits.end()), edits.end());
  for (const Edit &e : edits) {
    auto [it, isNew] = contents.try_emplace(e.file);
    if (isNew)
      it->second = unpatched[e.file];
    it->second.replace(e.offset, e.length, e.text);
  }
  return edits.size();
}

} // namespace scopesan::wrapper
