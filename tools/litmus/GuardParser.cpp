#include "GuardParser.h"

#include "Text.h"

namespace scopesan::litmus {

namespace {

class ConditionParser {
public:
  ConditionParser(ProgramBuilder &b, std::string_view text, bool reads)
      : B(b), C(text), Reads(reads) {}

  std::optional<Condition> parse() {
    std::optional<Condition> c = any();
    C.skipSpace();
    return C.atEnd() ? c : std::nullopt;
  }

private:
  std::optional<Condition> list(Condition::Kind kind, std::string_view sign,
                                std::optional<Condition> (ConditionParser::*element)()) {
    std::optional<Condition> first = (this->*element)();
    if (!first)
      return first;
    Condition all;
    all.kind = kind;
    all.parts.push_back(*first);
    for (C.skipSpace(); C.accept(sign); C.skipSpace()) {
      std::optional<Condition> next = (this->*element)();
      if (!next)
        return next;
      all.parts.push_back(*next);
    }
    return all.parts.size() == 1 ? all.parts[0] : all;
  }
  std::optional<Condition> any() { return list(Condition::Kind::Or, "\\/", &ConditionParser::all); }
  std::optional<Condition> all() {
    return list(Condition::Kind::And, "/\\", &ConditionParser::unary);
  }
  /// Deeper ones would need a stack of their own to be judged.
  std::optional<Condition> unary() {
    if (Depth == MaxDepth)
      return std::nullopt;
    ++Depth;
    std::optional<Condition> c = nested();
    --Depth;
    return c;
  }
  std::optional<Condition> nested() {
    C.skipSpace();
    if (C.accept("~") || (C.peek() == '!' && C.accept("!"))) {
      std::optional<Condition> c = unary();
      if (!c)
        return c;
      Condition n;
      n.kind = Condition::Kind::Not;
      n.parts.push_back(*c);
      return n;
    }
    if (C.accept("(")) {
      std::optional<Condition> c = any();
      C.skipSpace();
      return C.accept(")") ? c : std::nullopt;
    }
    if (C.acceptWord("true"))
      return Condition();
    return atom();
  }
  std::optional<Condition> atom() {
    Condition c;
    std::string_view name = C.identifier("[]");
    if (name.empty())
      return std::nullopt;
    C.skipSpace();
    if (C.accept(":")) {
      std::optional<uint32_t> thread = threadOf(name);
      if (!thread)
        return std::nullopt;
      C.skipSpace();
      c.kind = Condition::Kind::Register;
      c.thread = *thread;
      std::string_view reg = C.identifier();
      const std::vector<std::string> &known = B.program.threads[*thread].registers;
      for (c.reg = 0; c.reg < known.size() && known[c.reg] != reg; ++c.reg)
        ;
      if (c.reg == known.size())
        return std::nullopt;
    } else {
      std::optional<uint32_t> location = B.findLocation(name);
      if (!location)
        return std::nullopt;
      c.kind = Reads ? Condition::Kind::ReadsOf : Condition::Kind::Final;
      c.location = *location;
    }
    C.skipSpace();
    if (C.accept("!="))
      c.cmp = Compare::NotEqual;
    else if (!C.accept("==") && !C.accept("="))
      return std::nullopt;
    C.skipSpace();
    std::optional<int64_t> v = parseInteger(C.identifier("-"));
    if (!v)
      return std::nullopt;
    c.value = *v;
    return c;
  }
  std::optional<uint32_t> threadOf(std::string_view name) const {
    if (name.starts_with("P") || name.starts_with("T"))
      name.remove_prefix(1);
    std::optional<int64_t> n = parseInteger(name);
    if (!n || *n < 0 || size_t(*n) >= B.program.threads.size())
      return std::nullopt;
    return uint32_t(*n);
  }

  static constexpr uint32_t MaxDepth = 200;
  uint32_t Depth = 0;
  ProgramBuilder &B;
  Cursor C;
  bool Reads;
};

} // namespace

std::optional<Condition> parseCondition(ProgramBuilder &b, std::string_view text, bool reads) {
  return ConditionParser(b, text, reads).parse();
}

bool parseGuard(ProgramBuilder &b, std::string_view text) {
  text = trim(text);
  Guard &g = b.program.guard;
  if (text.empty() || text == "-")
    return true;
  if (text == "all strong loads return a non-initial value") {
    g.strongLoadsSeeNonInitial = true;
    return true;
  }
  if (text == "spins succeed at first try") {
    b.program.maxLoop = 0;
    return true;
  }
  bool filter = text.starts_with("filter");
  std::optional<Condition> c = parseCondition(b, filter ? text.substr(6) : text, !filter);
  if (!c)
    return false;
  Condition both;
  both.kind = Condition::Kind::And;
  both.parts = {g.condition, *c};
  g.condition = both;
  return true;
}

} // namespace scopesan::litmus
