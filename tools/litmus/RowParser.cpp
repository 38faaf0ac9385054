#include "RowParser.h"

#include "GuardParser.h"
#include "OpParser.h"
#include "Placement.h"

namespace scopesan::litmus {

namespace {

struct ThreadText {
  std::string name, ops;
};

/// "T0: ...", "T1(owner): ...", "host: ...": the name before the first colon.
ThreadText nameAndOps(std::string_view text, size_t index) {
  Cursor c(text);
  std::string_view name = c.identifier("@");
  if (!name.empty() && c.accept("(") && !c.bracketed('(', ')'))
    name = {};
  if (name.empty() || c.peek() != ':' || c.rest().starts_with(":="))
    return {"T" + std::to_string(index), std::string(text)};
  c.accept(":");
  return {std::string(name), std::string(trim(c.rest()))};
}

/// Threads are separated by " ## ", or " | " in rows in words.
std::vector<ThreadText> threadTexts(std::string_view ops) {
  std::vector<ThreadText> out;
  std::string_view separator = contains(ops, " ## ") || ops.ends_with("##") ? "##" : "|";
  for (std::string_view text : split(ops, separator))
    out.push_back(nameAndOps(text, out.size()));
  return out;
}

class RowBuilder {
public:
  explicit RowBuilder(const Row &row) : R(row) { B.program.name = row.id; }

  Program build() {
    std::vector<ThreadText> texts = threadTexts(R.ops);
    B.program.threads.resize(texts.size());
    for (size_t i = 0; i < texts.size(); ++i)
      B.program.threads[i].name = texts[i].name;
    B.barIsWarpBarrier = contains(R.placement, "warp") && !contains(R.placement, "threads/warp") &&
                         !contains(R.placement, "threads 0");
    parseAliases();
    for (size_t i = 0; i < texts.size(); ++i)
      parseThread(B.program.threads[i], texts[i].ops);
    if (!parsePlacement(B, R.placement))
      fail("unknown placement '" + R.placement + "'");
    parseInitial();
    if (!parseGuard(B, R.guard))
      fail("unknown guard '" + R.guard + "'");
    guardInNotes();
    B.finish();
    if (!Failure.empty())
      B.program.notRunnable = Failure;
    return std::move(B.program);
  }

private:
  void fail(const std::string &why) {
    if (Failure.empty())
      Failure = why;
  }
  void parseThread(ThreadCode &thread, std::string_view ops) {
    ThreadBuilder t(B, thread);
    for (std::string_view op : splitTop(ops, ';'))
      if (!parseOp(t, op))
        fail("unknown operation '" + std::string(op) + "'");
    std::string label = t.finish();
    if (!label.empty())
      fail("undefined label '" + label + "'");
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
  /// "init: x=2", "maxloop=1".
  void parseInitial() {
    std::string_view notes = R.notes;
    size_t at = notes.find("init:");
    if (at != std::string_view::npos)
      for (std::string_view word : split(notes.substr(at + 5), " ")) {
        size_t eq = word.find('=');
        if (eq == std::string_view::npos)
          continue;
        std::optional<uint32_t> l = B.findLocation(word.substr(0, eq));
        std::optional<int64_t> v = parseInteger(word.substr(eq + 1));
        if (l && v)
          B.program.locations[B.program.root(*l)].initial = *v;
      }
    at = notes.find("maxloop=");
    if (at != std::string_view::npos)
      if (std::optional<int64_t> n = parseInteger(split(notes.substr(at + 8), " ")[0]))
        B.program.maxLoop = uint32_t(*n);
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
