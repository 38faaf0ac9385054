// Looking at the words of a command line.
#pragma once

#include <initializer_list>
#include <string_view>

namespace scopesan::wrapper {

bool isOneOf(std::string_view word, std::initializer_list<std::string_view> words);
bool startsWithAny(std::string_view word, std::initializer_list<std::string_view> prefixes);

/// clang's options whose value is the next word, so that the value is not taken for an option or an
/// input file.
bool takesNextWord(std::string_view word);

} // namespace scopesan::wrapper
