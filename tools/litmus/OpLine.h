// Where the operations of a file are, for messages about those that nobody understands.
#pragma once

#include "Text.h"

namespace scopesan::litmus {

struct OpLine {
  uint32_t thread = 0;
  std::string text; ///< one or more operations
  uint32_t line = 0;
};

/// The line of `text` in `thread`: that with such an operation, else that which names it; 0 = none.
inline uint32_t lineOf(const std::vector<OpLine> &lines, uint32_t thread, std::string_view text) {
  for (const OpLine &l : lines)
    if (l.thread == thread)
      for (std::string_view op : splitTop(l.text, ';'))
        if (op == text)
          return l.line;
  for (const OpLine &l : lines)
    if (l.thread == thread && contains(l.text, text))
      return l.line;
  return 0;
}

} // namespace scopesan::litmus
