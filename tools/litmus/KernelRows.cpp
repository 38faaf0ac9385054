#include "KernelRows.h"

#include "Text.h"

namespace scopesan::litmus {

namespace {

std::string replaced(std::string s, std::string_view from, std::string_view to) {
  for (size_t at = s.find(from); at != std::string::npos; at = s.find(from, at + to.size()))
    s.replace(at, from.size(), to);
  return s;
}

/// "cfg 2.1.2 (threads/warp.warps/block.blocks)".
struct Shape {
  uint32_t lanes = 1, warps = 1, blocks = 1;
  uint32_t perBlock() const { return lanes * warps; }
  uint32_t total() const { return perBlock() * blocks; }
  std::string position(uint32_t gid) const {
    uint32_t inBlock = gid % perBlock();
    return "g0.b" + std::to_string(gid / perBlock()) + ".w" + std::to_string(inBlock / lanes);
  }
};
std::optional<Shape> parseShape(std::string_view placement) {
  Cursor c(placement);
  if (!c.accept("cfg "))
    return std::nullopt;
  std::vector<std::string_view> n = split(c.identifier("."), ".");
  if (n.size() != 3)
    return std::nullopt;
  Shape s;
  uint32_t *fields[] = {&s.lanes, &s.warps, &s.blocks};
  for (int i = 0; i < 3; ++i) {
    std::optional<int64_t> v = parseInteger(n[i]);
    if (!v || *v < 1 || *v > 8)
      return std::nullopt;
    *fields[i] = uint32_t(*v);
  }
  return s;
}

// ---------------------------------------------------------------------------- mutex

/// The text between `from` and `to`.
std::optional<std::string> between(std::string_view s, std::string_view from, std::string_view to) {
  size_t a = s.find(from);
  if (a == std::string_view::npos)
    return std::nullopt;
  a += from.size();
  size_t b = s.find(to, a);
  if (b == std::string_view::npos)
    return std::nullopt;
  std::string_view inside = trim(s.substr(a, b - a));
  while (inside.ends_with(";"))
    inside = trim(inside.substr(0, inside.size() - 1));
  return std::string(inside);
}

/// "t=U[add]rlx@S next" and "Wrel@S owner+1" in the notation of a thread.
std::string formalOp(std::string_view op) {
  size_t eq = op.find('=');
  if (eq != std::string_view::npos && contains(op.substr(eq), "U["))
    return std::string(op.substr(eq + 1)) + "->" + std::string(op.substr(0, eq));
  if (op.ends_with("+1") && eq == std::string_view::npos) {
    std::string_view access = op.substr(0, op.size() - 2);
    std::string location(access.substr(access.rfind(' ') + 1));
    return std::string(access) + "=" + location + "_read+1";
  }
  if (op.starts_with("R") && !contains(op, "->"))
    return std::string(op) + "->" + std::string(op.substr(op.rfind(' ') + 1)) + "_read";
  return std::string(op);
}
std::string formalOps(std::string_view ops, char separator) {
  std::string out;
  for (std::string_view op : splitTop(ops, separator))
    out += (out.empty() ? "" : "; ") + (op.starts_with("spin") ? std::string(op) : formalOp(op));
  return out;
}

std::optional<std::vector<ThreadText>> mutexThreads(const Row &row, const Shape &shape) {
  std::optional<std::string> lock = between(row.ops, "lock:", "body:"),
                             body = between(row.ops, "body:", "unlock:"),
                             unlock = between(row.ops, "unlock:", "every thread"),
                             scope = between(row.ops + "\n", "S=", "\n");
  if (!lock || !body || !unlock || !scope)
    return std::nullopt;
  if (contains(row.notes, "lock acquire->relaxed"))
    lock = replaced(*lock, "acq@", "rlx@");
  if (contains(row.notes, "unlock release->relaxed"))
    unlock = replaced(*unlock, "rel@", "rlx@");
  std::string ops =
      formalOps(*lock, ';') + "; " + formalOps(*body, ',') + "; " + formalOps(*unlock, ';');
  ops = replaced(ops, "@S", "@" + *scope);
  std::vector<ThreadText> out;
  for (uint32_t g = 0; g < shape.total(); ++g)
    out.push_back({"T" + std::to_string(g), ops, shape.position(g)});
  return out;
}

// ---------------------------------------------------------------------------- roles

/// "Ww in[gid]=1; block0 thread i(i+1<nblk): spin ...; BAR; ... | other blocks: ... | all: ...".
/// A block selector lasts for its part of the text, a thread selector until the end of that part;
/// barriers are executed by all threads of the selected blocks.
class Roles {
public:
  Roles(const Row &row, const Shape &shape) : R(row), S(shape) {}

  std::optional<std::vector<ThreadText>> threads() {
    std::vector<ThreadText> out;
    for (uint32_t g = 0; g < S.total(); ++g) {
      Gid = g;
      Ops.clear();
      for (std::string_view part : split(R.ops, " | "))
        if (!segment(part))
          return std::nullopt;
      out.push_back({"T" + std::to_string(g), Ops, S.position(g)});
    }
    return out;
  }

private:
  uint32_t block() const { return Gid / S.perBlock(); }
  uint32_t thread() const { return Gid % S.perBlock(); }

  bool segment(std::string_view text) {
    bool blockFits = true, threadFits = true, leader = false;
    for (std::string_view statement : splitTop(text, ';')) {
      Cursor c(statement);
      if (c.accept("block0 thread i(i+1<nblk):")) {
        leader = true;
        blockFits = block() == 0;
        threadFits = thread() + 1 < S.blocks;
      } else if (c.accept("other blocks:")) {
        blockFits = block() != 0;
      } else if (c.accept("thread0:")) {
        threadFits = thread() == 0;
      } else if (c.accept("all:")) {
        blockFits = threadFits = true;
      }
      c.skipSpace();
      bool barrier = c.rest() == "BAR";
      if (blockFits && (threadFits || barrier) && !add(c.rest(), leader))
        return false;
    }
    return true;
  }
  bool add(std::string_view statement, bool leader) {
    std::string op(statement);
    weaken(op, leader);
    op = replaced(op, "[gid]", "[" + std::to_string(Gid) + "]");
    op = replaced(op, "[i+1]", "[" + std::to_string(thread() + 1) + "]");
    op = replaced(op, "[b]", "[" + std::to_string(block()) + "]");
    if (!contains(op, "[*]")) {
      append(op);
      return true;
    }
    std::vector<std::string_view> sides = split(op, "->"); // read all, write the result
    for (uint32_t g = 0; g < S.total(); ++g)
      append(replaced(std::string(sides[0]), "[*]", "[" + std::to_string(g) + "]"));
    if (sides.size() == 2)
      append("Ww " + std::string(sides[1]));
    return true;
  }
  /// What the notes weaken: "leader poll acquire->relaxed".
  void weaken(std::string &op, bool leader) const {
    std::string_view notes = R.notes;
    bool all = contains(notes, "all relaxed");
    std::string who = leader ? "leader " : "follower ";
    if (all || contains(notes, who + "poll acquire->relaxed"))
      op = replaced(op, "acq@", "rlx@");
    if (all || contains(notes, who + (leader ? "clear" : "set") + " release->relaxed"))
      op = replaced(op, "rel@", "rlx@");
  }
  void append(const std::string &op) { Ops += (Ops.empty() ? "" : "; ") + op; }

  const Row &R;
  Shape S;
  uint32_t Gid = 0;
  std::string Ops;
};

// ---------------------------------------------------------------------------- families

/// "generated 2- and 3-thread spin programs; every access is A, B or C": three threads that make
/// every such access to two locations, in different orders.
std::optional<std::vector<ThreadText>> familyThreads(const Row &row) {
  size_t at = row.ops.find("every access is ");
  if (at == std::string::npos)
    return std::nullopt;
  std::string list = replaced(row.ops.substr(at + 16), " or ", ", ");
  std::vector<ThreadText> out;
  for (uint32_t t = 0; t < 3; ++t) {
    std::string ops;
    for (const char *l : {t == 1 ? "y" : "x", t == 1 ? "x" : "y"})
      for (std::string_view a : split(list, ","))
        ops += (ops.empty() ? "" : "; ") + std::string(a) + " " + l;
    out.push_back({"T" + std::to_string(t), ops, "g0.b0"});
  }
  return out;
}

/// "reader relaxed", "writer relaxed": message passing with one side weakened.
std::optional<std::vector<ThreadText>> weakenedMessagePassing(const Row &row) {
  bool reader = row.ops.starts_with("reader relaxed"),
       writer = row.ops.starts_with("writer relaxed");
  if (!reader && !writer)
    return std::nullopt;
  return std::vector<ThreadText>{
      {"T0", writer ? "Ww data; Wrlx flag" : "Ww data; Wrel flag", "g0.b0"},
      {"T1", reader ? "Rrlx flag; Rw data" : "Racq flag; Rw data", "g0.b1"}};
}

} // namespace

std::optional<std::vector<ThreadText>> kernelThreads(const Row &row) {
  if (std::optional<std::vector<ThreadText>> mp = weakenedMessagePassing(row))
    return mp;
  if (std::optional<std::vector<ThreadText>> family = familyThreads(row))
    return family;
  std::optional<Shape> shape = parseShape(row.placement);
  if (!shape)
    return std::nullopt;
  if (row.ops.starts_with("lock:"))
    return mutexThreads(row, *shape);
  return Roles(row, *shape).threads();
}

} // namespace scopesan::litmus
