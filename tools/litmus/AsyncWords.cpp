#include "AsyncWords.h"

#include "OpParser.h"

namespace scopesan::litmus {

bool parseSuffixes(Cursor &c, Instr &i) {
  for (;;) {
    if (c.accept("@")) {
      std::optional<Scope> s = parseScope(c.identifier());
      if (!s)
        return false;
      i.scope = *s;
    } else if (c.accept(".")) {
      std::string_view word = c.identifier();
      if (std::optional<MemoryOrder> o = parseOrder(word))
        i.order = *o;
      else if (std::optional<Scope> s = parseScope(word))
        i.scope = *s;
      else if (word == "expect_tx")
        i.async.expectsBytes = true;
      else if (word == "parity") {
        std::optional<std::string_view> p;
        if (c.accept("("))
          p = c.bracketed('(', ')');
        i.async.parity = uint32_t(p ? parseInteger(*p).value_or(0) : 0);
      } else if (word != "aligned" && word != "noinc")
        return false;
    } else {
      return true;
    }
  }
}

namespace {

/// The location after the operation's name; "m" where the text leaves it out.
uint32_t parseMbarrier(ThreadBuilder &t, Cursor &c) {
  c.skipSpace();
  c.acceptWord("own");
  c.acceptWord("remote");
  c.skipSpace();
  bool bracket = c.accept("[");
  Cursor probe = c;
  std::string_view name = probe.identifier();
  uint32_t l;
  if (name.empty() || name == "True" || name == "False" || name == "returns") {
    l = t.location("m");
  } else {
    l = t.location(name);
    c = probe;
  }
  if (bracket)
    c.accept("]");
  t.program().program.locations[l].mbarrier.used = true;
  return l;
}

/// "True", "(phase 1)", "for phase 0".
bool parseRemarks(ThreadBuilder &t, Cursor &c, const Instr &i) {
  for (;;) {
    c.skipSpace();
    if (c.acceptWord("True")) {
    } else if (c.accept("(phase ")) {
      std::optional<int64_t> n = parseInteger(c.identifier());
      if (!n || !c.accept(")"))
        return false;
      t.program().program.locations[i.location].mbarrier.completedPhases = uint32_t(*n);
    } else if (c.accept("(")) {
      if (!c.bracketed('(', ')'))
        return false;
    } else if (c.accept("for phase ")) {
      c.identifier();
    } else {
      return c.atEnd();
    }
  }
}

} // namespace

bool parseClusterWord(ThreadBuilder &t, std::string_view op) {
  Cursor c(op);
  bool named = c.accept("barrier.cluster.") || c.accept("cluster.");
  if (!named && !t.program().speaksOfClusterBarriers)
    return false;
  bool sync = named && c.acceptWord("sync");
  bool arrive = !sync && c.accept("arrive");
  bool wait = !sync && !arrive && c.accept("wait");
  Instr i;
  i.text = op;
  i.scope = Scope::Cluster;
  i.order = wait ? MemoryOrder::Acquire : MemoryOrder::Release;
  if (!(sync || arrive || wait) || !parseSuffixes(c, i) || !c.atEnd())
    return false;
  if (!wait) {
    i.verb = Verb::ClusterArrive;
    t.thread().code.push_back(i);
  }
  if (!arrive) {
    i.verb = Verb::ClusterWait;
    t.thread().code.push_back(i);
  }
  return true;
}

bool parseMbarrierWord(ThreadBuilder &t, std::string_view op) {
  Cursor c(op);
  Instr i;
  i.text = op;
  i.scope = Scope::Block;
  bool named = c.accept("mbarrier.") || c.accept("mbar.");
  c.acceptWord("remote");
  c.skipSpace();
  if (named && c.acceptWord("init")) {
    i.verb = Verb::MbarInit;
  } else if (!named && c.accept("cp.async.mbarrier.arrive")) {
    i.verb = Verb::MbarArrive;
    i.async.ofCopies = true;
  } else if (c.accept("arrive")) {
    i.verb = Verb::MbarArrive;
    i.order = MemoryOrder::Release;
  } else if (c.accept("try_wait") || c.accept("test_wait") || c.acceptWord("wait")) {
    i.verb = Verb::MbarWait;
    i.order = MemoryOrder::Acquire;
  } else {
    return false;
  }
  if (!parseSuffixes(c, i) || (!c.atEnd() && c.peek() != ' '))
    return false;
  i.location = parseMbarrier(t, c);
  if (!parseRemarks(t, c, i))
    return false;
  i.bytes = 8;
  if (i.verb == Verb::MbarInit)
    t.program().program.locations[i.location].mbarrier.initialisedByProgram = true;
  t.thread().code.push_back(i);
  return true;
}

// ---------------------------------------------------------------------------- copies

namespace {

/// "g->s", "A", "s{b0,b1}", "remote s", then "[m]" and remarks. A single name is the destination of
/// a copy, and with `isSource` the source.
bool parseCopyOperands(ThreadBuilder &t, Cursor &c, Instr &i, bool isSource) {
  c.skipSpace();
  c.acceptWord("remote");
  c.skipSpace();
  std::string_view first = c.identifier();
  if (first.empty())
    return false;
  if (c.accept("->")) {
    i.async.source = t.location(first);
    i.async.destination = t.location(c.identifier());
  } else {
    (isSource ? i.async.source : i.async.destination) = t.location(first);
  }
  if (c.accept("{") && !c.bracketed('{', '}'))
    return false;
  for (;;) {
    c.skipSpace();
    if (c.accept("[")) {
      std::optional<std::string_view> m = c.bracketed('[', ']');
      if (!m)
        return false;
      i.async.mbarrier = t.location(*m);
      t.program().program.locations[i.async.mbarrier].mbarrier.used = true;
    } else if (c.accept("(")) {
      if (!c.bracketed('(', ')'))
        return false;
    } else {
      return c.atEnd();
    }
  }
}

/// Names of copies and what they are. The longest that fits counts.
struct CopyName {
  std::string_view name;
  AsyncKind kind;
  bool reduces, isSource, generic;
};
constexpr CopyName CopyNames[] = {
    {"cp.reduce.async.bulk add ", AsyncKind::Bulk, true, false, false},
    {"cp.reduce.async.bulk ", AsyncKind::Bulk, true, false, false},
    {"cp.async.bulk.tensor ", AsyncKind::Bulk, false, false, false},
    {"cp.async.bulk ", AsyncKind::Bulk, false, false, false},
    {"cp.async ", AsyncKind::CpAsync, false, false, false},
    {"bulk.multicast ", AsyncKind::Bulk, false, false, false},
    {"bulk ", AsyncKind::Bulk, false, false, false},
    {"st.async.weak ", AsyncKind::Bulk, false, false, true},
    {"st.async ", AsyncKind::Bulk, false, false, true},
    {"red.async.relaxed.cluster ", AsyncKind::Bulk, true, false, true},
    {"red.async ", AsyncKind::Bulk, true, false, true},
};

bool parseCopy(ThreadBuilder &t, std::string_view op) {
  for (const CopyName &n : CopyNames) {
    Cursor c(op);
    if (!c.accept(n.name))
      continue;
    Instr i;
    i.verb = Verb::AsyncCopy;
    i.text = op;
    i.async.kind = n.kind;
    i.async.reduces = n.reduces;
    i.async.generic = n.generic;
    if (n.reduces) { // O1
      i.order = MemoryOrder::Relaxed;
      i.scope = n.generic ? Scope::Cluster : Scope::Device;
    }
    if (!parseCopyOperands(t, c, i, n.isSource))
      return false;
    if (n.name == "bulk.multicast " && i.async.mbarrier == None) { // signals all its receivers
      i.async.mbarrier = t.location("m");
      t.program().program.locations[i.async.mbarrier].mbarrier.used = true;
    }
    t.thread().code.push_back(i);
    return true;
  }
  return false;
}

/// wgmma and tcgen05 read shared memory, and tcgen05 tensor memory, asynchronously.
bool parseMma(ThreadBuilder &t, std::string_view op) {
  Cursor c(op);
  Instr i;
  i.verb = Verb::AsyncCopy;
  i.text = op;
  i.async.kind = AsyncKind::Bulk;
  if (c.accept("wgmma.mma_async")) {
    if (c.accept("("))
      if (std::optional<std::string_view> a = c.bracketed('(', ')'))
        i.async.source = t.location(*a);
  } else if (c.accept("tcgen05.mma")) {
    i.async.destination = t.location("tensor memory");
    i.async.tracked = false;
  } else {
    return false;
  }
  if (!c.atEnd())
    return false;
  t.thread().code.push_back(i);
  return true;
}

AsyncKind latestKind(const ThreadBuilder &t) {
  const std::vector<Instr> &code = const_cast<ThreadBuilder &>(t).thread().code;
  for (size_t i = code.size(); i-- > 0;)
    if (code[i].verb == Verb::AsyncCopy)
      return code[i].async.kind;
  return AsyncKind::CpAsync;
}

/// "commit", "wait_group 1", "wait_all", "bulk.wait_group.read 0".
bool parseGroups(ThreadBuilder &t, std::string_view op) {
  Cursor c(op);
  Instr i;
  i.text = op;
  i.async.kind = latestKind(t);
  if (c.accept("cp.async.bulk.") || c.accept("bulk.") || c.accept("wgmma.") || c.accept("tcgen05."))
    i.async.kind = AsyncKind::Bulk;
  else if (c.accept("cp.async."))
    i.async.kind = AsyncKind::CpAsync;
  if (c.acceptWord("commit_group") || c.acceptWord("commit")) {
    i.verb = Verb::AsyncCommit;
    c.skipSpace();
    if (!c.atEnd()) { // tcgen05.commit: the copies so far complete on an mbarrier
      uint32_t m = t.location(c.identifier());
      t.program().program.locations[m].mbarrier.used = true;
      for (Instr &x : t.thread().code)
        if (x.verb == Verb::AsyncCopy && !x.async.tracked && x.async.mbarrier == None)
          x.async.mbarrier = m;
      i.verb = Verb::Nop;
    }
  } else if (c.acceptWord("wait_all")) {
    i.verb = Verb::AsyncWait;
    i.async.groups = None;
  } else if (c.accept("wait_group")) {
    i.verb = Verb::AsyncWait;
    i.async.readOnly = c.accept(".read");
    c.skipSpace();
    std::optional<int64_t> n = parseInteger(c.identifier());
    if (!n)
      return false;
    i.async.groups = uint32_t(*n);
  } else {
    return false;
  }
  if (!c.atEnd())
    return false;
  t.thread().code.push_back(i);
  return true;
}

} // namespace

bool parseCopyWord(ThreadBuilder &t, std::string_view op) {
  Cursor c(op);
  if (c.accept("st.async.release")) { // S12: the form on global memory is a strong store
    std::string rest = std::string("Wrel") + std::string(c.rest());
    if (rest.size() > 4 && rest[4] == '.')
      rest[4] = '@';
    return parseOp(t, rest);
  }
  if (op.starts_with("tcgen05.fence::after")) {
    Instr &f = t.add(Verb::Fence, op);
    f.order = MemoryOrder::Acquire;
    f.scope = Scope::Block;
    return true;
  }
  if (op == "tcgen05.ld" || op == "tcgen05.st") {
    Instr &r = t.add(op == "tcgen05.ld" ? Verb::Load : Verb::Store, op);
    r.location = t.location("tensor memory");
    r.value = Expr::constant(1);
    return true;
  }
  return parseGroups(t, op) || parseMma(t, op) || parseCopy(t, op);
}

} // namespace scopesan::litmus
