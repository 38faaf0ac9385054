#include "options.h"

#include <charconv>

namespace scopesan::host {
namespace {

// ------------------------------------------------------------------ text <-> value, one per type
bool fromText(std::string_view text, bool &value) {
  if (text == "1" || text == "true" || text == "yes" || text == "on" || text.empty())
    value = true;
  else if (text == "0" || text == "false" || text == "no" || text == "off")
    value = false;
  else
    return false;
  return true;
}
bool fromText(std::string_view text, uint64_t &value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}
bool fromText(std::string_view text, std::string &value) {
  value = text;
  return true;
}
std::string toText(bool value) { return value ? "1" : "0"; }
std::string toText(uint64_t value) { return std::to_string(value); }
std::string toText(const std::string &value) { return value; }

const char *typeName(bool) { return "0 or 1"; }
const char *typeName(uint64_t) { return "a whole number"; }
const char *typeName(const std::string &) { return "text"; }

std::string canonical(std::string_view name) {
  std::string result(name);
  for (char &c : result)
    if (c == '-')
      c = '_';
  return result;
}

/// The name in options.def without the '_' that keeps it apart from a C++ keyword.
constexpr std::string_view publicName(std::string_view name) {
  if (name.ends_with('_'))
    name.remove_suffix(1);
  return name;
}

struct Choice {
  std::string_view name;
  std::string_view values; // separated by '|'
};
constexpr Choice Choices[] = {
    {"backend", "auto|cpu|gpu"},          {"memory_model", "ptx|c++"},
    {"concurrent", "serial|overlap"},     {"volatile", "relaxed|weak"},
    {"pageable_copy", "staged|complete"}, {"progress", "advise|strict|off"},
};

bool isOneOf(std::string_view value, std::string_view values) {
  while (!values.empty()) {
    size_t bar = values.find('|');
    if (values.substr(0, bar) == value)
      return true;
    values = bar == values.npos ? std::string_view() : values.substr(bar + 1);
  }
  return false;
}

/// Restrictions beyond the type.
std::string checkValue(std::string_view name, std::string_view value, const Options &options) {
  for (const Choice &choice : Choices)
    if (choice.name == name && !isOneOf(value, choice.values))
      return "option '" + std::string(name) + "' is '" + std::string(value) + "'; use one of " +
             std::string(choice.values);
  if (name == "resident_blocks" && options.resident_blocks < 4)
    return "option 'resident_blocks' is " + std::string(value) +
           "; use at least 4, or programs that work on every GPU could hang here";
  if (name.ends_with("_exit_code")) {
    uint64_t code = 0;
    fromText(value, code);
    if (code > 255)
      return "option '" + std::string(name) + "' is " + std::string(value) +
             "; an exit code is at most 255";
  }
  if (name == "sm_count" && options.sm_count < 1)
    return "option 'sm_count' is " + std::string(value) + "; a device has at least 1";
  if (name == "fiber_stack_kb" && options.fiber_stack_kb < 16)
    return "option 'fiber_stack_kb' is " + std::string(value) + "; use at least 16";
  return {};
}

std::string quoted(const std::string &value) {
  if (value.find(':') == value.npos && value.find('\'') == value.npos)
    return value;
  char quote = value.find('\'') == value.npos ? '\'' : '"';
  return quote + value + quote;
}

} // namespace

std::string setOption(Options &options, std::string_view rawName, std::string_view value) {
  std::string name = canonical(rawName);
  Options changed = options;
  bool known = false, wellTyped = false;
  const char *type = "";
#define SCOPESAN_OPTION(type_, field, default_, help)                                              \
  if (name == publicName(#field)) {                                                                \
    known = true;                                                                                  \
    wellTyped = fromText(value, changed.field);                                                    \
    type = typeName(changed.field);                                                                \
  }
#include "options.def"
  if (!known)
    return "unknown option '" + name + "'; help=1 (or scopesan run --help) prints all options";
  if (!wellTyped)
    return "option '" + name + "' is '" + std::string(value) + "'; it needs " + type;
  if (std::string error = checkValue(name, value, changed); !error.empty())
    return error;
  options = changed;
  return {};
}

std::string parseOptions(Options &options, std::string_view text) {
  while (!text.empty()) {
    if (text.front() == ':' || text.front() == ' ') {
      text.remove_prefix(1);
      continue;
    }
    size_t nameEnd = text.find_first_of("=:");
    std::string_view name = text.substr(0, nameEnd), value;
    bool hasValue = nameEnd != text.npos && text[nameEnd] == '=';
    text = nameEnd == text.npos ? std::string_view() : text.substr(nameEnd + (hasValue ? 1 : 0));
    if (hasValue && !text.empty() && (text.front() == '\'' || text.front() == '"')) {
      size_t close = text.find(text.front(), 1);
      if (close == text.npos)
        return "the quote after '" + std::string(name) + "=' is not closed";
      value = text.substr(1, close - 1);
      text.remove_prefix(close + 1);
    } else if (hasValue) {
      size_t end = text.find(':');
      value = text.substr(0, end);
      text = end == text.npos ? std::string_view() : text.substr(end);
    }
    bool isBoolean = false;
    if (!hasValue && isOption(name, &isBoolean) && !isBoolean)
      return "option '" + std::string(name) + "' needs a value: " + std::string(name) + "=...";
    if (std::string error = setOption(options, name, value); !error.empty())
      return error;
  }
  return {};
}

std::vector<OptionText> nonDefaultOptions(const Options &options) {
  const Options defaults;
  std::vector<OptionText> result;
#define SCOPESAN_OPTION(type, field, default_, help)                                               \
  if (options.field != defaults.field)                                                             \
    result.push_back({std::string(publicName(#field)), toText(options.field)});
#include "options.def"
  return result;
}

std::string formatOptions(const Options &options) {
  std::string result;
  for (const OptionText &option : nonDefaultOptions(options)) {
    if (!result.empty())
      result += ':';
    result += option.name + '=' + quoted(option.value);
  }
  return result;
}

bool isOption(std::string_view rawName, bool *isBoolean) {
  std::string name = canonical(rawName);
#define SCOPESAN_OPTION(type, field, default_, help)                                               \
  if (name == publicName(#field)) {                                                                \
    if (isBoolean)                                                                                 \
      *isBoolean = std::string_view(#type) == "bool";                                              \
    return true;                                                                                   \
  }
#include "options.def"
  return false;
}

std::string optionHelp() {
  const Options defaults;
  std::string result;
  auto add = [&result](std::string_view name, const std::string &value, const char *help) {
    std::string dashed(name);
    for (char &c : dashed)
      if (c == '_')
        c = '-';
    std::string left = "  --" + dashed + "=" + (value.empty() ? "TEXT" : value);
    left.resize(left.size() < 34 ? 34 : left.size() + 1, ' ');
    result += left + help + "\n";
  };
#define SCOPESAN_OPTION(type, field, default_, help)                                               \
  add(publicName(#field), toText(defaults.field), help);
#include "options.def"
  return result;
}

} // namespace scopesan::host
