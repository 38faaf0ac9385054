#include "Journal.h"

#include "Names.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <map>
#include <tuple>

using llvm::StringRef;
namespace json = llvm::json;

namespace scopesan::report {
namespace {

std::string text(const json::Object &object, StringRef name) {
  std::optional<StringRef> value = object.getString(name);
  return value ? value->str() : std::string();
}
uint64_t number(const json::Object &object, StringRef name) {
  const json::Value *value = object.get(name);
  return value ? value->getAsUINT64().value_or(0) : 0;
}
bool flag(const json::Object &object, StringRef name) {
  return object.getBoolean(name).value_or(false);
}

Coordinates coordinates(const json::Object &object, StringRef name) {
  Coordinates result{};
  if (const json::Array *array = object.getArray(name))
    for (size_t i = 0; i < 3 && i < array->size(); ++i)
      result[i] = static_cast<unsigned>((*array)[i].getAsUINT64().value_or(0));
  return result;
}

std::vector<Frame> frames(const json::Array *array) {
  std::vector<Frame> result;
  if (!array)
    return result;
  for (const json::Value &value : *array)
    if (const json::Object *frame = value.getAsObject())
      result.push_back({text(*frame, "file"), static_cast<unsigned>(number(*frame, "line")),
                        static_cast<unsigned>(number(*frame, "column")),
                        readable(text(*frame, "function"))});
  return result;
}

HostStack hostStack(const json::Array *array) {
  HostStack result;
  if (array)
    for (const json::Value &value : *array)
      if (const json::Object *code = value.getAsObject())
        result.code.push_back({text(*code, "module"), number(*code, "offset")});
  return result;
}

Operation operation(const json::Object &object) {
  Operation result;
  result.kind = text(object, "kind");
  result.order = text(object, "order");
  result.scope = text(object, "scope");
  result.isVolatile = flag(object, "volatile");
  result.bytes = number(object, "bytes");
  result.type = text(object, "type");
  result.frames = frames(object.getArray("frames"));
  result.kernel = readable(text(object, "kernel"));
  result.api = text(object, "api");
  result.hostThread = static_cast<unsigned>(number(object, "host_thread"));
  result.launch = static_cast<unsigned>(number(object, "launch"));
  result.block = coordinates(object, "block");
  result.thread = coordinates(object, "thread");
  result.warp = static_cast<unsigned>(number(object, "warp"));
  result.lane = static_cast<unsigned>(number(object, "lane"));
  result.stream = static_cast<unsigned>(number(object, "stream"));
  result.isHost = !object.get("stream");
  result.staged = flag(object, "staged");
  result.isAsynchronous = flag(object, "asynchronous");
  result.proxy = text(object, "proxy");
  result.device = static_cast<unsigned>(number(object, "device"));
  result.graph = static_cast<unsigned>(number(object, "graph"));
  result.graphLaunch = static_cast<unsigned>(number(object, "graph_launch"));
  result.graphNode = static_cast<unsigned>(number(object, "graph_node"));
  result.host = hostStack(object.getArray("host"));
  result.graphHost = hostStack(object.getArray("graph_host"));
  if (object.get("domain"))
    result.domain = static_cast<unsigned>(number(object, "domain"));
  result.isHostFunction = flag(object, "host_function");
  result.streamKind = text(object, "stream_kind");
  result.streamHost = hostStack(object.getArray("stream_host"));
  result.needs = text(object, "needs");
  return result;
}

Memory memory(const json::Object *object) {
  Memory result;
  result.kind = "unknown";
  if (!object)
    return result;
  result.kind = text(*object, "kind");
  result.name = readable(text(*object, "name"));
  if (object->get("index"))
    result.index = static_cast<unsigned>(number(*object, "index"));
  if (object->get("size"))
    result.size = number(*object, "size");
  result.offset = number(*object, "offset");
  result.bytes = number(*object, "bytes");
  result.device = static_cast<unsigned>(number(*object, "device"));
  result.freed = flag(*object, "freed");
  return result;
}

BarrierUse barrierUse(const json::Object &object) {
  BarrierUse result;
  result.misuse = text(object, "misuse");
  result.kind = text(object, "kind");
  result.number = static_cast<unsigned>(number(object, "number"));
  result.expected = number(object, "expected");
  result.arrived = number(object, "arrived");
  result.lackingBytes = number(object, "lacking_bytes");
  result.here = number(object, "here");
  result.elsewhere = number(object, "elsewhere");
  return result;
}

Finding finding(const json::Object &object) {
  Finding result;
  result.rule = text(object, "rule");
  result.name = text(object, "name");
  result.isAdvisory = flag(object, "advisory");
  result.hazard = text(object, "hazard");
  if (result.hazard == "none")
    result.hazard.clear();
  if (const json::Object *barrier = object.getObject("barrier"))
    result.barrier = barrierUse(*barrier);
  result.distance = text(object, "distance");
  if (object.get("programmatic"))
    result.programmatic = static_cast<unsigned>(number(object, "programmatic"));
  if (const json::Array *accesses = object.getArray("accesses"))
    for (size_t i = 0; i < 2 && i < accesses->size(); ++i)
      if (const json::Object *access = (*accesses)[i].getAsObject())
        result.accesses[i] = operation(*access);
  result.memory = memory(object.getObject("memory"));
  if (const json::Array *blamed = object.getArray("blamed"))
    for (const json::Value &value : *blamed)
      if (const json::Object *blame = value.getAsObject())
        result.blamed.push_back(operation(*blame));
  result.count = 1;
  return result;
}

void addKernel(std::vector<KernelTally> &kernels, const std::string &name, uint64_t launches) {
  auto it = llvm::find_if(kernels, [&](const KernelTally &k) { return k.name == name; });
  if (it == kernels.end())
    kernels.push_back({name, launches});
  else
    it->launches += launches;
}

std::string uninstrumentedModule(const json::Object &object) {
  std::string result = "device module without instrumentation: '" + text(object, "name") + "'";
  const json::Array *kernels = object.getArray("kernels");
  if (kernels && !kernels->empty()) {
    result += " (kernels";
    const char *separator = " ";
    for (const json::Value &kernel : *kernels) {
      result += separator + readable(kernel.getAsString().value_or("?").str());
      separator = ", ";
    }
    result += ")";
  }
  return result + "; build it with scopesan-clang++ or --config scopesan.cfg";
}

/// Collects the lines of one process. Findings are addressed by id, X1 entries by what and site.
class Parser {
public:
  void line(const json::Object &object) {
    std::string type = text(object, "t");
    Report &facts = result.facts;
    if (type == "start")
      start(object);
    else if (type == "module" && !flag(object, "instrumented"))
      result.uninstrumented.push_back(uninstrumentedModule(object));
    else if (type == "launch")
      addKernel(facts.kernels, readable(text(object, "kernel")), 1);
    else if (type == "finding")
      findings[number(object, "id")] = finding(object);
    else if (type == "scope")
      scope(object);
    else if (type == "count")
      counts[number(object, "id")] = {number(object, "count"), number(object, "offset"),
                                      number(object, "bytes")};
    else if (type == "incomplete")
      incomplete(object);
    else if (type == "counters")
      counters(object);
    else if (type == "note")
      facts.notes.push_back(readable(text(object, "what")));
    else if (type == "standstill")
      facts.standstill = {readable(text(object, "kernel")),
                          static_cast<unsigned>(number(object, "launch")),
                          static_cast<unsigned>(number(object, "seconds"))};
    else if (type == "failure")
      facts.failures.push_back(readable(text(object, "what")));
    else if (type == "end")
      result.ended = true;
  }
  void damaged() { ++damagedLines; }
  void counters(const llvm::json::Object &object) {
    auto &facts = result.facts;
    facts.checkedAccesses = number(object, "checked_accesses");
    if (object.get("settled"))
      facts.device = {number(object, "settled"),      number(object, "logged"),
                      number(object, "candidates"),   number(object, "suppressed"),
                      number(object, "shadow_bytes"), number(object, "elided_sites")};
  }

  ProcessJournal take() {
    for (auto &[id, entry] : findings) {
      if (auto it = counts.find(id); it != counts.end()) {
        entry.count = std::max<uint64_t>(1, it->second.count);
        if (it->second.bytes) {
          entry.memory.offset = it->second.offset;
          entry.memory.bytes = it->second.bytes;
        }
      }
      auto &list = entry.isAdvisory ? result.facts.advisories : result.facts.findings;
      list.push_back(std::move(entry));
    }
    if (damagedLines)
      result.facts.incomplete.push_back({"damaged journal line", {}, "", damagedLines});
    return std::move(result);
  }

private:
  void scope(const json::Object &object) {
    const json::Object *op = object.getObject("operation");
    if (!op)
      return damaged();
    ScopeUse use;
    use.operation = operation(*op);
    use.operation.needs = text(object, "needs");
    if (const json::Object *observer = object.getObject("observer"))
      use.observer = operation(*observer);
    use.coverage = {number(object, "executions"), number(object, "edges"), number(object, "blocks"),
                    number(object, "launches")};
    result.facts.scopeUses.push_back(std::move(use));
  }
  void start(const json::Object &object) {
    Report &facts = result.facts;
    facts.version = text(object, "version");
    facts.backend = text(object, "backend");
    facts.seed = number(object, "seed");
    if (const json::Array *words = object.getArray("command"))
      for (const json::Value &word : *words)
        facts.command.push_back(word.getAsString().value_or("").str());
  }
  void incomplete(const json::Object &object) {
    Incomplete entry{readable(text(object, "what")), frames(object.getArray("site")),
                     text(object, "text"), number(object, "count")};
    auto &list = result.facts.incomplete;
    auto it = llvm::find_if(list, [&](const Incomplete &other) {
      return other.what == entry.what && other.frames == entry.frames && other.text == entry.text;
    });
    if (it == list.end())
      list.push_back(std::move(entry));
    else
      it->count = entry.count;
  }

  ProcessJournal result;
  std::map<uint64_t, Finding> findings; // by id: order of discovery
  struct Count {
    uint64_t count = 0, offset = 0, bytes = 0; ///< bytes 0: one place in memory
  };
  std::map<uint64_t, Count> counts;
  uint64_t damagedLines = 0;
};

// ------------------------------------------------------------------ merging
using Place = std::tuple<std::string, std::string, std::string, std::vector<Frame>>;
/// A kernel is the place of what has no other, the call that of a copy.
Place placeOf(const Operation &op) {
  if (op.api.empty())
    return {op.kind, op.scope, op.frames.empty() ? op.kernel : "", op.frames};
  std::string call = op.api;
  for (const HostCode &code : op.host.code)
    call += ' ' + code.module + '+' + std::to_string(code.offset);
  return {op.kind, op.scope, call, op.frames};
}

bool hasLine(const Operation &op) {
  return !op.api.empty() || (!op.frames.empty() && op.frames.front().line != 0);
}

/// Same rule, same unordered pair of places, same set of blamed places: same finding. Where an
/// access has no line (the compiler merged two statements), the object in memory tells findings
/// apart.
using Identity =
    std::tuple<std::string, std::string, std::vector<Place>, std::vector<Place>, std::string>;
Identity identityOf(const Finding &f) {
  std::vector<Place> pair{placeOf(f.accesses[0]), placeOf(f.accesses[1])}, blamed;
  llvm::sort(pair);
  for (const Operation &op : f.blamed)
    blamed.push_back(placeOf(op));
  llvm::sort(blamed);
  std::string memory;
  if (!hasLine(f.accesses[0]) || !hasLine(f.accesses[1]))
    memory = f.memory.kind + ' ' + f.memory.name + ' ' + std::to_string(f.memory.index.value_or(0));
  return {f.rule, f.name, std::move(pair), std::move(blamed), std::move(memory)};
}
using IncompleteIdentity = std::tuple<std::string, std::vector<Frame>, std::string>;

class Merger {
public:
  explicit Merger(Report &report) : report(report) {}

  void add(ProcessJournal process) {
    Report &facts = process.facts;
    if (report.backend.empty()) {
      report.backend = facts.backend;
      report.version = facts.version;
      report.seed = facts.seed;
      report.command = facts.command;
    }
    for (const KernelTally &kernel : facts.kernels)
      addKernel(report.kernels, kernel.name, kernel.launches);
    report.checkedAccesses += facts.checkedAccesses;
    if (facts.device) {
      DeviceTally sum = report.device.value_or(DeviceTally());
      sum.settled += facts.device->settled;
      sum.logged += facts.device->logged;
      sum.candidates += facts.device->candidates;
      sum.suppressed += facts.device->suppressed;
      sum.shadowBytes += facts.device->shadowBytes;
      sum.elidedSites += facts.device->elidedSites;
      report.device = sum;
    }
    for (Finding &entry : facts.findings)
      addFinding(report.findings, std::move(entry));
    for (Finding &entry : facts.advisories)
      addFinding(report.advisories, std::move(entry));
    for (const std::string &module : process.uninstrumented)
      addIncomplete({module, {}, "", 1});
    for (const Incomplete &entry : facts.incomplete)
      addIncomplete(entry);
    if (!process.ended)
      addIncomplete({"a process ended without reaching its exit (crash, kill or _exit); work it "
                     "had queued was not checked",
                     {},
                     "",
                     1});
    if (facts.standstill.seconds > report.standstill.seconds)
      report.standstill = facts.standstill;
    llvm::append_range(report.failures, facts.failures);
    for (const std::string &note : facts.notes)
      if (!llvm::is_contained(report.notes, note))
        report.notes.push_back(note);
    llvm::append_range(report.scopeUses, facts.scopeUses);
  }

private:
  void addFinding(std::vector<Finding> &list, Finding entry) {
    auto [it, isNew] = findings.try_emplace(identityOf(entry), list.size());
    if (isNew)
      list.push_back(std::move(entry));
    else
      add(list[it->second], entry);
  }
  /// One more of the same: at further bytes of the same object.
  static void add(Finding &known, const Finding &more) {
    known.count += more.count;
    Memory &a = known.memory;
    const Memory &b = more.memory;
    if (a.kind != b.kind || a.name != b.name || a.index != b.index || !a.size)
      return;
    uint64_t begin = std::min(a.offset, b.offset);
    a.bytes = std::max(a.offset + a.bytes, b.offset + b.bytes) - begin;
    a.offset = begin;
  }
  void addIncomplete(const Incomplete &entry) {
    auto [it, isNew] =
        limits.try_emplace({entry.what, entry.frames, entry.text}, report.incomplete.size());
    if (isNew)
      report.incomplete.push_back(entry);
    else
      report.incomplete[it->second].count += entry.count;
  }

  Report &report;
  std::map<Identity, size_t> findings; // index into its list: the rule name tells which list
  std::map<IncompleteIdentity, size_t> limits;
};

} // namespace

ProcessJournal parseJournal(StringRef journal) {
  Parser parser;
  while (!journal.empty()) {
    auto [line, rest] = journal.split('\n');
    bool isWhole = line.size() < journal.size();
    journal = rest;
    if (line.trim().empty())
      continue;
    llvm::Expected<json::Value> value = json::parse(line);
    if (!value) {
      llvm::consumeError(value.takeError());
      if (isWhole)
        parser.damaged();
      continue;
    }
    if (const json::Object *object = value->getAsObject())
      parser.line(*object);
    else
      parser.damaged();
  }
  return parser.take();
}

Report mergeJournals(std::vector<std::string> texts) {
  // Process ids differ from run to run; the facts do not, so they give the order.
  llvm::sort(texts);
  Report report;
  Merger merger(report);
  for (const std::string &journal : texts)
    merger.add(parseJournal(journal));
  finishAdvice(report);
  return report;
}

llvm::Expected<Report> readJournalFolder(StringRef folder) {
  std::error_code error;
  std::vector<std::string> texts;
  for (llvm::sys::fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    if (llvm::sys::path::extension(it->path()) != ".jsonl")
      continue;
    auto buffer = llvm::MemoryBuffer::getFile(it->path());
    if (!buffer)
      return llvm::createStringError(buffer.getError(), "cannot read the journal '" + it->path() +
                                                            "': " + buffer.getError().message());
    texts.push_back((*buffer)->getBuffer().str());
  }
  if (error)
    return llvm::createStringError(error, "cannot read the journal folder '" + folder.str() +
                                              "': " + error.message() +
                                              "; it is what SCOPESAN_JOURNAL named in the run");
  return mergeJournals(std::move(texts));
}

} // namespace scopesan::report
