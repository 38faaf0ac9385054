// Effects as text, for tests that are tables.
#pragma once

#include <string>
#include <string_view>

namespace scopesan::test {

/// The effects of `Text` in one line, or "? error" if it does not parse. An effect reads
///
///   name(arguments) op order scope [@space] [if guard] [after] [publishes] [cpu|gpu]
///
/// where an argument is a number, $N[+offset], &address@space[^rank] with @ for the generic space,
/// null, $N==value or ~$N (the bytes that a mask leaves out), and `x?0` after it says when it is 0.
std::string show(std::string_view Text);

} // namespace scopesan::test
