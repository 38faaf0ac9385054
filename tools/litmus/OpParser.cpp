// The formal part of the notation: accesses, fences, barriers, control flow. Operations in words
// are in WordOps.cpp.
#include "OpParser.h"

#include "PtxWords.h"
#include "WordOps.h"

namespace scopesan::litmus {

namespace {

constexpr int64_t NobodysValue = -77777; ///< operand of a compare-exchange that must fail

/// ".b32", ".v2", ".f16x2": sizes of the access and of its elements.
bool parseTypeSuffix(std::string_view s, Instr &i) {
  if (s == "v2" || s == "v4" || s == "v8") {
    i.elementBytes = uint32_t(s[1] - '0'); // completed by the element's type
    return true;
  }
  size_t x = s.find('x');
  std::string_view element = s.substr(0, x);
  if (element.size() < 2 || std::string_view("busf").find(element[0]) == std::string_view::npos)
    return false;
  std::optional<int64_t> bits = parseInteger(element.substr(1));
  if (!bits || *bits % 8)
    return false;
  uint32_t bytes = uint32_t(*bits / 8);
  uint32_t elements = i.elementBytes ? i.elementBytes : 1;
  if (x != std::string_view::npos)
    elements = uint32_t(parseInteger(s.substr(x + 1)).value_or(1));
  i.bytes = bytes * elements;
  i.elementBytes = elements > 1 ? bytes : 0;
  return true;
}

/// Order names may be glued to a scope ("U0[add]sys").
bool parseOrderWord(std::string_view word, Instr &i) {
  static constexpr struct {
    std::string_view name;
    Proxy proxy;
  } Views[] = {{"tex", Proxy::Texture}, {"surf", Proxy::Surface}, {"const", Proxy::Constant}};
  i.order = MemoryOrder::Relaxed;
  if (word.empty())
    return i.verb == Verb::Rmw;
  for (auto &v : Views)
    if (word == v.name) {
      i.order = MemoryOrder::Weak;
      i.proxy = v.proxy;
      return true;
    }
  if (word == "vol" || word == "volatile" || word == "mmio") {
    i.isVolatile = word != "mmio";
    i.scope = Scope::System;
    return true;
  }
  if (std::optional<MemoryOrder> o = parseOrder(word)) {
    i.order = *o;
    return true;
  }
  if (std::optional<Scope> s = parseScope(word); s && i.verb == Verb::Rmw) {
    i.scope = *s;
    return true;
  }
  return false;
}

bool parseModifiers(Cursor &c, Instr &i) {
  for (;;) {
    if (c.accept("@")) {
      std::optional<Scope> s = parseScope(c.identifier());
      if (!s)
        return false;
      i.scope = *s;
    } else if (c.accept("[")) {
      if (!c.bracketed('[', ']')) // Vulkan: availability, privacy
        return false;
    } else if (c.accept("+")) {
      std::string_view word = c.identifier(); // Vulkan: storage classes and semantics
      if (word.empty())
        return false;
      if (word.starts_with("sc"))
        i.storageClass = uint32_t(parseInteger(word.substr(2)).value_or(0));
    } else if (c.accept(".")) {
      if (!parseTypeSuffix(c.identifier(), i))
        return false;
    } else {
      return true;
    }
  }
}

/// PTX seq_cst operations are a fence.sc and an acquire or release operation (O3).
void splitSeqCst(ThreadBuilder &t, Instr &i) {
  if (i.order != MemoryOrder::SeqCst || i.verb == Verb::Fence)
    return;
  Instr &f = t.add(Verb::Fence, i.text);
  f.order = MemoryOrder::SeqCst;
  f.scope = i.scope;
  i.order = i.verb == Verb::Load    ? MemoryOrder::Acquire
            : i.verb == Verb::Store ? MemoryOrder::Release
                                    : MemoryOrder::AcqRel;
}

void append(ThreadBuilder &t, Instr i) {
  splitSeqCst(t, i);
  t.thread().code.push_back(std::move(i));
}

/// Names of locations may have an element ("flag[1]") or a half ("x.lo").
bool parseLocation(ThreadBuilder &t, Cursor &c, Instr &i) {
  c.skipSpace();
  std::string name(c.identifier());
  if (name.empty() || !isIdentifierStart(name[0]))
    return false;
  if (c.accept("[")) {
    std::optional<std::string_view> index = c.bracketed('[', ']');
    if (!index || !parseInteger(*index))
      return false;
    name += "[" + std::string(*index) + "]";
  }
  if (c.accept(".hi"))
    i.offset = i.bytes;
  else
    c.accept(".lo");
  i.location = t.location(name);
  if (Proxy view = t.program().program.locations[i.location].view;
      i.proxy == Proxy::Generic && view != Proxy::Generic && i.order == MemoryOrder::Weak)
    i.proxy = view;
  return true;
}

/// "->r0", "-> 1", "==1", "reads 0 of unlock", "fails": destination and what a guard asks.
bool parseOutcome(ThreadBuilder &t, Cursor &c, Instr &i) {
  for (;;) {
    c.skipSpace();
    if (c.accept("->")) {
      c.skipSpace();
      std::string_view to = c.identifier("-");
      if (std::optional<int64_t> v = parseInteger(to))
        i.expect.reads = v;
      else if (to.empty() || to[0] == '-')
        return false;
      else
        i.dst = t.assigned(to);
    } else if (c.accept("==")) {
      c.skipSpace();
      i.expect.reads = parseInteger(c.identifier("-"));
      if (!i.expect.reads)
        return false;
    } else if (c.acceptWord("reads")) {
      c.skipSpace();
      i.expect.reads = parseInteger(c.identifier("-"));
      i.expect.fromOtherThread = c.accept(" of unlock");
    } else if (c.accept("(fails)") || c.acceptWord("fails")) {
      i.expect.succeeds = false;
    } else if (c.accept("(succeeds)") || c.acceptWord("succeeds") ||
               c.accept("(one lane succeeds)")) {
      i.expect.succeeds = true;
    } else if (c.accept("(")) { // a remark
      if (!c.bracketed('(', ')'))
        return false;
    } else if (c.acceptWord("before")) { // "before wait": position in the text says it
      c.skipSpace();
      c.identifier();
    } else {
      return c.atEnd();
    }
  }
}

bool parseRmwOperands(ThreadBuilder &t, Cursor &c, Instr &i) {
  i.value = Expr::constant(1); // also of inc and dec, whose operand is a bound
  i.compare = Expr::constant(0);
  bool bounded = contains(i.text, "[inc]") || contains(i.text, "[dec]");
  Cursor probe = c;
  if (!probe.accept("("))
    return true;
  std::optional<std::string_view> inside = probe.bracketed('(', ')');
  if (!inside)
    return false;
  std::vector<std::string_view> parts = split(*inside, ";");
  std::optional<Expr> a = t.expression(parts[0]);
  if (!a || parts.size() > 2)
    return true; // a remark, left to parseOutcome
  if (i.rmw == RmwKind::CompareExchange) {
    i.compare = *a;
    std::optional<Expr> b = parts.size() == 2 ? t.expression(parts[1]) : std::nullopt;
    if (b)
      i.value = *b;
  } else if (!bounded) {
    i.value = *a;
  }
  c = probe;
  return true;
}

/// A load releases nothing, a store acquires nothing.
bool hasItsOrder(const Instr &i) {
  MemoryOrder others = i.verb == Verb::Load    ? MemoryOrder::Release
                       : i.verb == Verb::Store ? MemoryOrder::Acquire
                                               : MemoryOrder::Weak;
  return i.verb == Verb::Rmw || (i.order != others && i.order != MemoryOrder::AcqRel);
}

bool parseAccess(ThreadBuilder &t, std::string_view text) {
  Cursor c(text);
  Instr i;
  i.text = text;
  if (!parseAccessHead(c, i) || !hasItsOrder(i) || !parseLocation(t, c, i))
    return false;
  if (i.verb == Verb::Store) {
    i.value = Expr::constant(1);
    c.skipSpace();
    if (c.accept("=")) {
      Cursor probe = c;
      probe.skipSpace();
      std::optional<Expr> v = t.expression(probe.identifier("+-"));
      if (!v)
        return false;
      i.value = *v;
      c = probe;
    }
  } else if (i.verb == Verb::Rmw && !parseRmwOperands(t, c, i)) {
    return false;
  }
  if (!parseOutcome(t, c, i))
    return false;
  if (i.expect.succeeds == std::optional<bool>(false) && i.rmw == RmwKind::CompareExchange)
    i.compare = Expr::constant(NobodysValue);
  append(t, i);
  return true;
}

// ---------------------------------------------------------------------------- fences, barriers

bool parseFence(ThreadBuilder &t, std::string_view text) {
  Cursor c(text);
  if (c.accept("PF.")) {
    std::string_view kind = c.identifier();
    static constexpr struct {
      std::string_view name;
      Proxy proxy;
    } Kinds[] = {{"texture", Proxy::Texture},   {"surface", Proxy::Surface},
                 {"constant", Proxy::Constant}, {"async", Proxy::Async},
                 {"alias", Proxy::Generic},     {"tensormap", Proxy::TensorMap}};
    for (auto &k : Kinds)
      if (k.name == kind) {
        Instr i;
        i.verb = Verb::ProxyFence;
        i.text = text;
        i.proxy = k.proxy;
        i.aliasFence = kind == "alias";
        if (kind == "tensormap") {
          if (c.accept(".rel"))
            i.order = MemoryOrder::Release;
          else if (c.accept(".acq"))
            i.order = MemoryOrder::Acquire;
          if (!parseModifiers(c, i))
            return false;
          c.skipSpace();
          if (i.order == MemoryOrder::Acquire && c.accept("[")) {
            std::string_view map = c.identifier();
            if (map.empty() || !c.accept("]"))
              return false;
            i.acquiredMap = t.location(map);
          }
        }
        if (!c.atEnd())
          return false;
        append(t, i);
        return true;
      }
    return false;
  }
  Instr i;
  i.verb = Verb::Fence;
  i.text = text;
  i.scope = Scope::System;
  if (!c.accept("F"))
    return false;
  std::string_view word = c.identifier();
  i.initsOnly = word == "init";
  std::optional<MemoryOrder> order = i.initsOnly ? MemoryOrder::Release : parseOrder(word);
  if (!order || *order == MemoryOrder::Weak || !parseModifiers(c, i) || !c.atEnd())
    return false;
  i.order = *order;
  if (i.order != MemoryOrder::Relaxed) // a fence without semantics orders nothing
    append(t, i);
  return true;
}

/// "B.sync(id)", "B.sync(id;logical)", "B.sync(id;logical;count)", "CBar@wg(...)".
bool parseBlockBarrier(ThreadBuilder &t, std::string_view text) {
  Cursor c(text);
  Instr i;
  i.verb = Verb::BlockBarrier;
  i.text = text;
  if (c.accept("B.arrive"))
    i.arriveOnly = true;
  else if (!c.accept("B.sync") && !c.accept("B.red") && !c.accept("CBar") && !c.accept("CBrlx"))
    return false;
  if (!parseModifiers(c, i) || !c.accept("("))
    return false;
  std::optional<std::string_view> inside = c.bracketed('(', ')');
  if (!inside || !c.atEnd())
    return false;
  std::vector<std::string_view> parts = split(*inside, ";");
  Expr *targets[] = {&i.barrier, &i.logicalBarrier};
  for (size_t p = 0; p < parts.size() && p < 3; ++p) {
    std::optional<Expr> e = t.expression(parts[p]);
    if (!e)
      return false;
    if (p < 2)
      *targets[p] = *e;
    else
      i.count = e;
  }
  i.order = MemoryOrder::Weak;
  append(t, i);
  return true;
}

// ---------------------------------------------------------------------------- control flow

bool parseControl(ThreadBuilder &t, std::string_view text) {
  Cursor c(text);
  if (c.acceptWord("L")) {
    c.skipSpace();
    std::string_view name = c.identifier();
    return !name.empty() && c.atEnd() && t.defineLabel(name);
  }
  if (c.acceptWord("goto")) {
    c.skipSpace();
    t.branch(text, Expr::constant(0), Compare::Equal, Expr::constant(0), c.identifier());
    return c.atEnd();
  }
  if (c.acceptWord("if")) {
    c.skipSpace();
    if (!c.accept("("))
      return false;
    std::optional<std::string_view> condition = c.bracketed('(', ')');
    if (!condition)
      return false;
    bool equal = contains(*condition, "==");
    std::vector<std::string_view> sides = split(*condition, equal ? "==" : "!=");
    std::optional<Expr> a = t.expression(sides[0]);
    std::optional<Expr> b = sides.size() == 2 ? t.expression(sides[1]) : std::nullopt;
    c.skipSpace();
    if (!a || !b || !c.acceptWord("goto"))
      return false;
    c.skipSpace();
    t.branch(text, *a, equal ? Compare::Equal : Compare::NotEqual, *b, c.identifier());
    return c.atEnd();
  }
  size_t at = text.find(":=");
  if (at == std::string_view::npos)
    return false;
  std::optional<Expr> e = t.expression(text.substr(at + 2));
  if (!e)
    return false;
  Instr &i = t.add(Verb::Assign, text);
  i.value = *e;
  i.dst = t.assigned(trim(text.substr(0, at)));
  return true;
}

/// One operation of a spin and the condition that ends it.
bool parseSpinPart(ThreadBuilder &t, std::string_view text, const std::string &again) {
  size_t at = std::string_view::npos;
  for (std::string_view sign : {"==", "!="})
    if (at == std::string_view::npos)
      at = text.find(sign);
  std::string_view op = trim(text.substr(0, at));
  std::string spelledOut = ptxToNotation(op);
  if (!spelledOut.empty())
    op = spelledOut;
  size_t before = t.thread().code.size();
  if (!parseAccess(t, op))
    return false;
  uint32_t r = t.freshRegister();
  Instr &access = t.thread().code.back();
  access.dst = r;
  access.text = op;
  Expr wanted = access.compare;
  Compare leave = Compare::Equal;
  if (at != std::string_view::npos) {
    std::optional<Expr> v = t.expression(split(text.substr(at + 2), "(")[0]);
    if (!v) {
      t.thread().code.resize(before);
      return false;
    }
    wanted = *v;
    leave = text[at] == '=' ? Compare::Equal : Compare::NotEqual;
  } else if (access.rmw != RmwKind::CompareExchange || access.verb != Verb::Rmw) {
    wanted = Expr::constant(0);
    leave = access.verb == Verb::Rmw ? Compare::Equal : Compare::NotEqual;
  }
  Compare repeat = leave == Compare::Equal ? Compare::NotEqual : Compare::Equal;
  t.branch(text, Expr::reg(r), repeat, wanted, again);
  return true;
}

bool parseSpin(ThreadBuilder &t, std::string_view text) {
  Cursor c(text);
  if (!c.acceptWord("spin"))
    return false;
  std::string label = t.freshLabel();
  t.defineLabel(label);
  size_t first = t.thread().code.size();
  std::vector<std::string_view> parts = split(c.rest(), " then ");
  for (std::string_view part : parts)
    if (!parseSpinPart(t, part, label))
      return false;
  t.thread().code[first].isOnlyWayOut = parts.size() == 1;
  return true;
}

} // namespace

bool parseAccessHead(Cursor &c, Instr &i) {
  if (c.accept("U")) {
    i.verb = Verb::Rmw;
    i.returns = !c.accept("0");
    std::optional<std::string_view> kind;
    if (c.accept("["))
      kind = c.bracketed('[', ']');
    std::optional<RmwKind> k = kind ? parseRmwKind(*kind) : std::nullopt;
    if (!k)
      return false;
    i.rmw = *k;
    i.scope = Scope::Device; // O3
  } else if (c.accept("R")) {
    i.verb = Verb::Load;
    i.scope = Scope::System;
  } else if (c.accept("W")) {
    i.verb = Verb::Store;
    i.scope = Scope::System;
  } else {
    return false;
  }
  if (!parseOrderWord(c.identifier(), i) || !parseModifiers(c, i))
    return false;
  if (i.order == MemoryOrder::Weak)
    i.scope = Scope::Thread;
  return true;
}

bool parseOp(ThreadBuilder &t, std::string_view op) {
  op = trim(op);
  return op.empty() || parseControl(t, op) || parseFence(t, op) || parseBlockBarrier(t, op) ||
         parseSpin(t, op) || parseAccess(t, op) || parseWordOp(t, op);
}

} // namespace scopesan::litmus
