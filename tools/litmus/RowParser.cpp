#include "RowParser.h"

#include "GuardParser.h"
#include "KernelRows.h"
#include "OpParser.h"
#include "Placement.h"

namespace scopesan::litmus {

namespace {

/// "T0: ...", "T1(owner): ...", "host: ...", "host spin ...": the name before the operations.
ThreadText nameAndOps(std::string_view text, size_t index) {
  Cursor c(text);
  if (c.acceptWord("host") && c.peek() == ' ')
    return {"host", std::string(trim(c.rest())), ""};
  size_t colon = text.find(':');
  std::string_view name = text.substr(0, colon);
  size_t bracket = name.find('(');
  bool known = colon != std::string_view::npos &&
               text.find_first_of(":=", colon + 1) != colon + 1 && !name.empty() &&
               isIdentifierStart(name[0]) && name.find_first_of(";=[]@>+") == (name.find('@'));
  if (!known)
    return {"T" + std::to_string(index), std::string(text), ""};
  return {std::string(trim(name.substr(0, bracket))), std::string(trim(text.substr(colon + 1))),
          ""};
}

/// Threads are separated by " ## ", or " | " in rows in words; a new name after a ';' begins
/// another thread.
std::vector<ThreadText> threadTexts(std::string_view ops) {
  std::vector<ThreadText> out;
  std::string_view separator = contains(ops, " ## ") || ops.ends_with("##") ? "##" : "|";
  for (std::string_view text : split(ops, separator)) {
    ThreadText current = nameAndOps(text, out.size());
    std::string kept;
    for (std::string_view op : splitTop(current.ops, ';')) {
      ThreadText another = nameAndOps(op, out.size());
      bool isNew = another.ops.size() < op.size();
      if (isNew) {
        out.push_back({current.name, kept, ""});
        current = another;
        kept = another.ops;
      } else {
        kept += (kept.empty() ? "" : "; ") + std::string(op);
      }
    }
    out.push_back({current.name, kept, ""});
  }
  return out;
}

class RowBuilder {
public:
  explicit RowBuilder(const Row &row) : R(row) { B.program.name = row.id; }

  Program build() {
    std::string_view ops = R.ops, placement = R.placement;
    if (ops.starts_with("one block:")) {
      placement = "one block";
      ops = trim(ops.substr(10));
    }
    std::optional<std::vector<ThreadText>> kernel = kernelThreads(R);
    std::vector<ThreadText> texts = kernel ? *kernel : threadTexts(ops);
    B.program.threads.resize(texts.size());
    for (size_t i = 0; i < texts.size(); ++i)
      B.program.threads[i].name = texts[i].name;
    B.barIsWarpBarrier = contains(R.placement, "warp") && !contains(R.placement, "threads/warp") &&
                         !contains(R.placement, "threads 0");
    B.speaksOfClusterBarriers =
        contains(R.ops, "cluster.arrive") || contains(R.ops, "cluster.wait");
    parseAliases();
    for (size_t i = 0; i < texts.size(); ++i)
      parseThread(B.program.threads[i], texts[i].ops);
    aliasesBySecondName();
    aliasesByStorageClass();
    place(texts, placement);
    parseInitial();
    if (!parseGuard(B, R.guard))
      fail("unknown guard '" + R.guard + "'");
    guardInNotes();
    B.finish();
    checkSize();
    checkBlocks();
    checkHostCalls();
    if (!Failure.empty())
      B.program.notRunnable = Failure;
    return std::move(B.program);
  }

private:
  void fail(const std::string &why) {
    if (Failure.empty())
      Failure = why;
  }
  void failAt(const ThreadBuilder &t, std::string_view text, const std::string &why) {
    if (Failure.empty()) {
      B.program.failedThread = t.index();
      B.program.failedText = text;
    }
    fail(why);
  }
  /// A step of the host's is one of a host thread.
  void checkHostCalls() {
    for (const ThreadCode &t : B.program.threads)
      for (const Instr &i : t.code)
        if (i.verb == Verb::Sync && !t.at.host)
          fail("'" + i.text + "' is a call of the host's");
  }
  /// A block has 32 warps of 32 lanes.
  void checkBlocks() {
    const std::vector<ThreadCode> &threads = B.program.threads;
    for (uint32_t t = 0; t < threads.size(); ++t) {
      uint32_t lanes = 1;
      for (uint32_t u = 0; u < t; ++u)
        lanes += B.program.sameBlock(t, u) && threads[u].at.warp == threads[t].at.warp;
      if (threads[t].at.warp >= 32 || lanes > 32)
        return fail("a block has at most 32 warps of 32 threads");
    }
  }
  /// The explorer keeps every state on the way to the end of an execution.
  void checkSize() {
    constexpr uint64_t MaxThreads = 64, MaxSteps = 2000;
    uint64_t steps = 0;
    for (const ThreadCode &t : B.program.threads) {
      uint64_t loops = 0;
      for (uint32_t i = 0; i < t.code.size(); ++i)
        loops += t.code[i].verb == Verb::Branch && t.code[i].target <= i;
      steps += t.code.size() * (1 + loops * B.program.maxLoop);
    }
    if (B.program.threads.size() > MaxThreads)
      fail(std::to_string(B.program.threads.size()) + " threads; at most " +
           std::to_string(MaxThreads) + " can be explored");
    if (steps > MaxSteps)
      fail("an execution may take " + std::to_string(steps) +
           " steps (operations times loops); at most " + std::to_string(MaxSteps) +
           " can be explored");
  }
  void place(const std::vector<ThreadText> &texts, std::string_view placement) {
    if (!texts[0].position.empty()) {
      for (size_t i = 0; i < texts.size(); ++i)
        parsePosition(texts[i].position, B.program.threads[i].at);
      finishPositions(B.program);
    } else if (!parsePlacement(B, placement)) {
      fail("unknown placement '" + R.placement + "'");
    }
    if (!B.placementError.empty())
      fail(B.placementError);
  }
  void parseThread(ThreadCode &thread, std::string_view ops) {
    ThreadBuilder t(B, thread);
    for (std::string_view op : splitTop(ops, ';'))
      if (!parseOp(t, op))
        failAt(t, op, "unknown operation '" + std::string(op) + "'");
    std::string label = t.finish();
    if (!label.empty())
      failAt(t, label, "undefined label '" + label + "'");
  }

  /// "aliases: t=texture view of x,y=generic view of x (distinct VA)".
  void parseAliases() {
    size_t at = R.notes.find("aliases:");
    if (at == std::string::npos)
      return;
    for (std::string_view part : split(std::string_view(R.notes).substr(at + 8), ",")) {
      Cursor c(part);
      std::string_view name = c.identifier();
      if (!c.accept("="))
        continue;
      std::string_view view = c.identifier();
      Proxy proxy = view == "texture"    ? Proxy::Texture
                    : view == "surface"  ? Proxy::Surface
                    : view == "constant" ? Proxy::Constant
                                         : Proxy::Generic;
      if (!c.accept(" view of "))
        continue;
      std::string_view of = c.identifier();
      B.makeAlias(B.location(name), B.location(of), proxy, contains(c.rest(), "(distinct VA)"));
    }
  }
  /// "xa" beside "x" where the row is about aliases: a second address.
  void aliasesBySecondName() {
    if (!contains(R.notes, "two VAs") && !contains(R.ops, "PF.alias"))
      return;
    for (uint32_t l = 0; l < B.program.locations.size(); ++l) {
      std::string name = B.program.locations[l].name;
      if (name.size() < 2 || name.back() != 'a')
        continue;
      name.pop_back();
      if (std::optional<uint32_t> of = B.findLocation(name))
        B.makeAlias(l, *of, Proxy::Generic, true);
    }
  }
  /// Vulkan rows with the reason "alias" alias locations of different storage classes without
  /// saying which: those that only one thread uses otherwise.
  void aliasesByStorageClass() {
    size_t reasons = R.notes.find("reasons:");
    if (reasons == std::string::npos || !contains(R.notes.substr(reasons), "alias"))
      return;
    struct Use {
      uint32_t threads = 0, lastThread = None, storageClass = 0;
      bool strong = false;
    };
    std::vector<Use> uses(B.program.locations.size());
    for (uint32_t t = 0; t < B.program.threads.size(); ++t)
      for (const Instr &i : B.program.threads[t].code)
        if (i.isMemory()) {
          Use &u = uses[i.location];
          u.threads += u.lastThread != t;
          u.lastThread = t;
          u.storageClass = i.storageClass;
          u.strong |= i.isStrong();
        }
    for (uint32_t a = 0; a < uses.size(); ++a)
      for (uint32_t b = 0; b < uses.size(); ++b)
        if (uses[a].threads == 1 && uses[b].threads == 1 && uses[a].storageClass == 0 &&
            uses[b].storageClass != 0) {
          B.makeAlias(b, a, Proxy::Generic, true);
          if (uses[a].strong || uses[b].strong)
            fail("Vulkan only: an atomic access through an alias of another storage class");
        }
  }
  /// "init: x=2", "maxloop=1".
  void parseInitial() {
    std::string_view notes = R.notes;
    size_t at = notes.find("init:");
    if (at != std::string_view::npos)
      for (std::string_view word : split(notes.substr(at + 5), " ")) {
        size_t eq = word.find('=');
        if (eq == std::string_view::npos)
          continue;
        std::optional<int64_t> v = parseInteger(word.substr(eq + 1));
        if (v)
          initialValue(word.substr(0, eq), *v);
      }
    at = notes.find("maxloop=");
    if (at != std::string_view::npos)
      if (std::optional<int64_t> n = parseInteger(split(notes.substr(at + 8), " ")[0])) {
        if (*n < 0 || *n > MaxLoops)
          fail("loops: at most " + std::to_string(MaxLoops) + ", not " + std::to_string(*n));
        else
          B.program.maxLoop = uint32_t(*n);
      }
  }
  /// "x" or "P0:r1".
  void initialValue(std::string_view name, int64_t value) {
    size_t colon = name.find(':');
    if (colon == std::string_view::npos) {
      if (std::optional<uint32_t> l = B.findLocation(name)) {
        Location &root = B.program.locations[B.program.root(*l)];
        root.initial = value;
        root.initialGiven = true;
      }
      return;
    }
    std::optional<int64_t> t = parseInteger(name.substr(1, colon - 1));
    if (!t || *t < 0 || size_t(*t) >= B.program.threads.size())
      return;
    ThreadCode &thread = B.program.threads[*t];
    for (uint32_t r = 0; r < thread.registers.size(); ++r)
      if (thread.registers[r] == name.substr(colon + 1)) {
        thread.initialRegisters[r] = value;
        thread.unknownInitial[r] = false;
      }
  }
  /// "guard flag==1" in the notes.
  void guardInNotes() {
    size_t at = R.notes.find("guard ");
    if (at == 0 || (at != std::string::npos && R.notes[at - 1] == ' '))
      if (std::string_view g = std::string_view(R.notes).substr(at + 6); contains(g, "=="))
        if (!parseGuard(B, g))
          fail("unknown guard '" + std::string(g) + "'");
  }

  const Row &R;
  ProgramBuilder B;
  std::string Failure;
};

} // namespace

Program parseRow(const Row &row) { return RowBuilder(row).build(); }

} // namespace scopesan::litmus
