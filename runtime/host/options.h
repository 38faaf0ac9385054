// Run-time options: struct, parser, formatter and help, all made from options.def.
#pragma once

#include <stdint.h>
#include <string>
#include <string_view>
#include <vector>

namespace scopesan::host {

/// The types that options.def names.
using Option_bool = bool;
using Option_uint = uint64_t;
using Option_string = std::string;

struct Options {
#define SCOPESAN_OPTION(type, name, default_, help) Option_##type name = default_;
#include "options.def"
  bool operator==(const Options &) const = default;
};

/// Sets one option from text. `name` may be written with '-' or '_'. An empty result means success,
/// anything else is a message that says what was wrong and what to do.
std::string setOption(Options &options, std::string_view name, std::string_view value);

/// Parses "name=value:name=value" (a value with ':' is quoted: name='a:b'). Later entries win.
/// "name" alone means name=1 for a boolean. Returns an error message or the empty string.
std::string parseOptions(Options &options, std::string_view text);

/// The options that differ from their defaults, as parseOptions reads them.
std::string formatOptions(const Options &options);

/// One option that differs from its default.
struct OptionText {
  std::string name;
  std::string value;
};
std::vector<OptionText> nonDefaultOptions(const Options &options);

/// True when `name` ('-' or '_') is an option, and whether it is a boolean one.
bool isOption(std::string_view name, bool *isBoolean = nullptr);

/// The table of all options with type, default and help, one paragraph each.
std::string optionHelp();

/// The process's options; valid after initialise().
const Options &options();

} // namespace scopesan::host
