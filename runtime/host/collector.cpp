// The process-wide collector: one lock, the registries, the finding store and the journal.
//
// States: Fresh --initialise--> Running --finish--> Finished. Facts that arrive in another state
// are registered but not journalled. A forked child goes on in Running with an empty store and
// a file of its own, opened at its first fact that is worth one.
#include "collector.h"

#include "bare_run.h"
#include "finding_json.h"
#include "finding_store.h"
#include "journal.h"
#include "names.h"
#include "options.h"
#include "standstill.h"
#include "tool_mutex.h"

#include <algorithm>
#include <errno.h>
#include <fcntl.h>
#include <mutex>
#include <pthread.h>
#include <set>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tuple>
#include <unistd.h>

#ifndef SCOPESAN_VERSION
#define SCOPESAN_VERSION "0"
#endif

namespace scopesan::host {
namespace {

enum class State { Fresh, Running, Finished };

struct Collector final : core::FindingSink {
  ToolMutex lock;
  State state = State::Fresh;
  Options options;
  std::string backend;
  bool isBare = false; ///< no `scopesan run` above: render at finish()
  bool isForkedChild = false;
  int programStatus = 0;
  Registries registries;
  FindingStore findings;
  IncompleteStore incompletes;
  std::set<std::string> notes;
  Journal journal;
  std::vector<std::string> moduleLines; ///< repeated in the file of a forked child
  uint64_t checkedAccesses = 0, journalledAccesses = 0;
  DeviceCounters device;
  SharedResolver sharedResolver = nullptr;
  bool halt = false, writeFailed = false;

  void report(const core::Finding &) override;
  void gaveUp(const char *what, uint64_t count) override;
  void scopeUse(const core::ScopeUse &) override;

  void start(const char *backendName);
  bool openJournal();
  void write(const std::string &line);
  void writeIncomplete(const IncompleteStore::Key &, Tally &);
  void writeCounters();
  void writeRest();
  FindingKey keyOf(const core::Finding &) const;
  void extend(Tally &, Overlap, bool isFirst);
  void writeCount(Tally &);
};

/// Never destroyed: other libraries' exit code may still report.
Collector &collector() {
  static Collector *instance = new Collector;
  return *instance;
}

[[noreturn]] void failAtStart(const std::string &what, uint64_t code) {
  fprintf(stderr, "ScopeSan: %s\n", what.c_str());
  _exit(static_cast<int>(code));
}

std::vector<std::string> commandLine() {
  std::string bytes;
  int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  char buffer[4096];
  ssize_t n;
  while (fd >= 0 && (n = read(fd, buffer, sizeof buffer)) > 0)
    bytes.append(buffer, static_cast<size_t>(n));
  if (fd >= 0)
    close(fd);
  std::vector<std::string> words;
  for (size_t begin = 0; begin < bytes.size();) {
    size_t end = bytes.find('\0', begin);
    if (end == bytes.npos)
      end = bytes.size();
    words.push_back(bytes.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

std::string startLine(const Collector &c) {
  JsonWriter json;
  json.beginObject().field("t", "start").field("version", SCOPESAN_VERSION);
  json.field("backend", c.backend).field("seed", c.options.seed);
  json.key("command").beginArray();
  for (const std::string &word : commandLine())
    json.value(word);
  json.endArray().key("options").beginObject();
  for (const OptionText &option : nonDefaultOptions(c.options))
    json.field(option.name, option.value);
  json.endObject().endObject();
  return json.text();
}

void beforeFork() { collector().lock.lock(); }
void afterForkInParent() { collector().lock.unlock(); }
void afterForkInChild() {
  Collector &c = collector();
  c.journal.abandon();
  c.findings.clear();
  c.incompletes.clear();
  c.notes.clear();
  c.isBare = false; // the parent renders; it waits for nobody, so this child's facts may be lost
  c.isForkedChild = true;
  c.lock.unlock();
}

void rememberStatus(int status, void *) { collector().programStatus = status; }

void Collector::start(const char *backendName) {
  backend = backendName;
  const char *text = getenv("SCOPESAN_OPTIONS");
  if (std::string error = parseOptions(options, text ? text : ""); !error.empty())
    failAtStart("SCOPESAN_OPTIONS: " + error, options.failure_exit_code);
  if (options.help)
    fprintf(stderr, "ScopeSan options (SCOPESAN_OPTIONS=name=value:...):\n%s",
            optionHelp().c_str());
  const char *folder = getenv("SCOPESAN_JOURNAL");
  isBare = !folder || !*folder;
  if (!isBare)
    journal.setFolder(folder);
  pthread_atfork(beforeFork, afterForkInParent, afterForkInChild);
  on_exit(rememberStatus, nullptr);
  state = State::Running;
}

/// Opens the file on first use and writes what every file begins with.
bool Collector::openJournal() {
  if (state != State::Running || writeFailed)
    return false;
  if (journal.isOpen())
    return true;
  if (isBare && journal.folder().empty()) {
    std::string folder = makeTemporaryFolder();
    if (folder.empty())
      failAtStart(std::string("cannot create a temporary folder for the journal: ") +
                      strerror(errno) + "; set TMPDIR to a writable folder",
                  options.failure_exit_code);
    journal.setFolder(folder);
  }
  if (std::string error = journal.open(); !error.empty()) {
    if (!isForkedChild)
      failAtStart(error, options.failure_exit_code);
    writeFailed = true; // the parent of a bare run has rendered and removed the folder
    return false;
  }
  write(startLine(*this));
  for (const std::string &line : moduleLines)
    write(line);
  return true;
}

void Collector::write(const std::string &line) {
  if (writeFailed || journal.write(line))
    return;
  writeFailed = true;
  fprintf(stderr,
          "ScopeSan: cannot write the journal in '%s': %s; the report will be incomplete. "
          "Free some space there and run again.\n",
          journal.folder().c_str(), strerror(errno));
}

FindingKey Collector::keyOf(const core::Finding &finding) const {
  FindingKey key;
  key.rule = finding.rule;
  key.sites = {finding.first.site.value, finding.second.site.value};
  const core::NodeId nodes[] = {finding.first.node, finding.second.node};
  for (int i = 0; i < 2; ++i)
    if (const NodeRegistry::Node *node = registries.nodes.find(nodes[i]);
        node && (!node->isLaunch || !key.sites[i])) {
      key.actors[i] = node->name; // interned
      key.stacks[i] = node->isLaunch ? 0 : node->origin.stack.value;
    }
  if (key.sites[0] > key.sites[1] ||
      (key.sites[0] == key.sites[1] &&
       std::tie(key.actors[0], key.stacks[0]) > std::tie(key.actors[1], key.stacks[1]))) {
    std::swap(key.sites[0], key.sites[1]);
    std::swap(key.actors[0], key.actors[1]);
    std::swap(key.stacks[0], key.stacks[1]);
  }
  uint32_t n = std::min(finding.blamedCount, core::Finding::MaxBlamed);
  for (uint32_t i = 0; i < n; ++i)
    key.blamed[i] = finding.blamed[i].site.value;
  std::sort(key.blamed.begin(), key.blamed.begin() + n);
  return key;
}

void Collector::report(const core::Finding &finding) {
  SharedPlace shared;
  if (sharedResolver)
    shared = sharedResolver(overlapOf(finding).address);
  std::lock_guard guard(lock);
  bool isNew = false;
  Tally &tally = findings.count(keyOf(finding), finding.occurrences, isNew);
  if (!textOf(finding.rule).isAdvisory && options.halt_on_finding)
    halt = true;
  if (!openJournal())
    return;
  if (isNew)
    write(findingLine(registries, finding, tally.id, shared));
  extend(tally, overlapOf(finding), isNew && !shared.found);
  if (isMilestone(tally.count))
    writeCount(tally);
}

/// The bytes of one allocation that the finding's occurrences touch.
void Collector::extend(Tally &tally, Overlap overlap, bool isFirst) {
  const Allocation *found = isFirst ? registries.allocations.find(overlap.address) : nullptr;
  if (found)
    tally.range = {found->facts.address, found->facts.bytes, overlap.address,
                   overlap.address + overlap.bytes};
  Tally::Range &range = tally.range;
  if (overlap.address - range.base >= range.bytes)
    return;
  range.begin = std::min(range.begin, overlap.address);
  range.end = std::max(range.end, overlap.address + overlap.bytes);
}

void Collector::writeCount(Tally &tally) {
  JsonWriter json;
  json.beginObject().field("t", "count").field("id", tally.id).field("count", tally.count);
  if (const Tally::Range &range = tally.range; range.end > range.begin)
    json.field("offset", range.begin - range.base).field("bytes", range.end - range.begin);
  write(json.endObject().text());
  tally.journalled = tally.count;
}

void Collector::scopeUse(const core::ScopeUse &use) {
  std::lock_guard guard(lock);
  if (openJournal())
    write(scopeUseLine(registries, use));
}

void Collector::writeIncomplete(const IncompleteStore::Key &key, Tally &tally) {
  JsonWriter json;
  json.beginObject().field("t", "incomplete").field("what", key.first).key("site");
  if (key.second) // the innermost frame is enough, but the chain says which caller
    registries.sites.writeFrames(json, core::SiteId{key.second});
  else
    json.null();
  json.field("count", tally.count);
  if (const char *text = registries.sites.text(core::SiteId{key.second}); *text)
    json.field("text", text);
  write(json.endObject().text());
  tally.journalled = tally.count;
}

void Collector::gaveUp(const char *what, uint64_t count) {
  std::lock_guard guard(lock);
  Tally &tally = incompletes.set(what, count);
  if ((tally.journalled == 0 || count >= 2 * tally.journalled) && openJournal())
    writeIncomplete({what, 0}, tally);
}

void Collector::writeCounters() {
  JsonWriter json;
  json.beginObject().field("t", "counters").field("checked_accesses", checkedAccesses);
  json.field("launches", registries.nodes.launches());
  if (device != DeviceCounters())
    json.field("settled", device.settled)
        .field("logged", device.logged)
        .field("candidates", device.candidates)
        .field("suppressed", device.suppressed)
        .field("shadow_bytes", device.shadowBytes)
        .field("elided_sites", device.elidedSites);
  json.endObject();
  write(json.text());
  journalledAccesses = checkedAccesses;
}

/// Counts that grew since their last line, the counters, the end.
void Collector::writeRest() {
  for (auto &[key, tally] : findings.all()) {
    if (tally.count == tally.journalled)
      continue;
    writeCount(tally);
  }
  for (auto &[key, tally] : incompletes.all())
    if (tally.count != tally.journalled)
      writeIncomplete(key, tally);
  writeCounters();
  write(R"({"t":"end","status":"exit"})");
}

} // namespace

const Options &options() { return collector().options; }

void initialise(const char *backend) {
  Collector &c = collector();
  std::lock_guard guard(c.lock);
  if (c.state == State::Fresh)
    c.start(backend);
}

core::SiteId registerModule(const abi::Module &module, const std::string &name) {
  Collector &c = collector();
  std::lock_guard guard(c.lock);
  core::SiteId first = c.registries.sites.add(module);
  JsonWriter json;
  json.beginObject().field("t", "module").field("name", name).field("instrumented", true);
  c.moduleLines.push_back(json.field("sites", module.siteCount).endObject().text());
  bool wasOpen = c.journal.isOpen();
  if (c.openJournal() && wasOpen)
    c.write(c.moduleLines.back());
  return first;
}

void uninstrumentedModule(const std::string &name, const std::vector<std::string> &kernels) {
  Collector &c = collector();
  std::lock_guard guard(c.lock);
  JsonWriter json;
  json.beginObject().field("t", "module").field("name", name).field("instrumented", false);
  json.key("kernels").beginArray();
  for (const std::string &kernel : kernels)
    json.value(kernel);
  c.moduleLines.push_back(json.endArray().endObject().text());
  bool wasOpen = c.journal.isOpen();
  if (c.openJournal() && wasOpen)
    c.write(c.moduleLines.back());
}

void memoryAllocated(const MemoryFacts &facts) {
  Collector &c = collector();
  std::lock_guard guard(c.lock);
  c.registries.allocations.add(facts);
}

void memoryFreed(uint64_t address) {
  Collector &c = collector();
  std::lock_guard guard(c.lock);
  c.registries.allocations.remove(address);
}

bool hostMaySee(uint64_t address) {
  Collector &c = collector();
  if (c.sharedResolver && c.sharedResolver(address).found)
    return false;
  std::lock_guard guard(c.lock);
  const Allocation *found = c.registries.allocations.find(address);
  return !found || found->facts.kind == MemoryKind::Managed ||
         found->facts.kind == MemoryKind::MappedHost || found->facts.kind == MemoryKind::PinnedHost;
}

void setSharedResolver(SharedResolver resolver) {
  Collector &c = collector();
  std::lock_guard guard(c.lock);
  c.sharedResolver = resolver;
}

void launchStarted(const LaunchRecord &launch) {
  Collector &c = collector();
  std::lock_guard guard(c.lock);
  c.registries.nodes.addLaunch(launch);
  JsonWriter json;
  json.beginObject().field("t", "launch").field("index", launch.index);
  json.field("kernel", launch.kernel);
  const std::pair<const char *, core::Dim3> dims[] = {
      {"grid", launch.grid}, {"block", launch.block}, {"cluster", launch.cluster}};
  for (const auto &[name, d] : dims)
    json.key(name).beginArray().value(d.x).value(d.y).value(d.z).endArray();
  json.field("shared", launch.dynamicShared).field("stream", launch.origin.stream);
  json.field("cooperative", launch.cooperative).field("device", launch.origin.device);
  json.field("domain", launch.domain).endObject();
  if (c.openJournal())
    c.write(json.text());
}

void nodeNamed(core::NodeId node, const std::string &what, const Origin &origin) {
  Collector &c = collector();
  std::lock_guard guard(c.lock);
  c.registries.nodes.addApi(node, what, origin);
}

void streamMade(const StreamFacts &facts) {
  Collector &c = collector();
  std::lock_guard guard(c.lock);
  c.registries.nodes.addStream(facts);
}

void hostFunction(core::HostId thread, const std::string &api, const Origin &origin) {
  Collector &c = collector();
  std::lock_guard guard(c.lock);
  c.registries.nodes.addHostFunction(thread, api, origin);
}

StackId captureStack() {
  std::vector<uint64_t> addresses = unwind();
  Collector &c = collector();
  std::lock_guard guard(c.lock);
  return c.registries.stacks.add(std::move(addresses));
}

core::FindingSink &findingSink() { return collector(); }

void incomplete(const std::string &what, core::SiteId site) {
  Collector &c = collector();
  std::lock_guard guard(c.lock);
  Tally &tally = c.incompletes.add(what, site);
  if (isMilestone(tally.count) && c.openJournal())
    c.writeIncomplete({what, site.value}, tally);
}

void kernelFailed(const std::string &cause, core::SiteId site) {
  incomplete("a kernel ended with an error; what it had not executed was not checked: " + cause,
             site);
}

void setDeviceCounters(const DeviceCounters &counters) {
  Collector &c = collector();
  std::lock_guard guard(c.lock);
  c.device = counters;
}

void note(const std::string &what) {
  Collector &c = collector();
  std::lock_guard guard(c.lock);
  if (!c.notes.insert(what).second)
    return;
  JsonWriter json;
  json.beginObject().field("t", "note").field("what", what).endObject();
  if (c.openJournal())
    c.write(json.text());
}

void plainUnits(std::string_view names) {
  constexpr size_t Most = 5;
  std::string text;
  size_t count = 0;
  for (size_t end; (end = names.find('\0')) != names.npos; names.remove_prefix(end + 1))
    if (end && ++count <= Most)
      text += (count > 1 ? ", " : "") + std::string(names.substr(0, end));
  if (count > Most)
    text += " and " + std::to_string(count - Most) + " more";
  if (count)
    note("host code without -fscopesan-host: " + text + ": its accesses and locks are not seen");
}

void standstill(const std::string &kernel, uint32_t launch, uint32_t seconds) {
  Collector &c = collector();
  std::lock_guard guard(c.lock);
  JsonWriter json;
  json.beginObject().field("t", "standstill").field("kernel", kernel).field("launch", launch);
  json.field("seconds", seconds).endObject();
  if (c.openJournal())
    c.write(json.text());
}

void setCheckedAccesses(uint64_t count) {
  Collector &c = collector();
  std::lock_guard guard(c.lock);
  c.checkedAccesses = count;
  if (count >= 2 * c.journalledAccesses && count && c.openJournal())
    c.writeCounters();
}

void toolFailure(const std::string &what) {
  Collector &c = collector();
  std::lock_guard guard(c.lock);
  fprintf(stderr, "ScopeSan: tool failure: %s\n", what.c_str());
  JsonWriter json;
  json.beginObject().field("t", "failure").field("what", what).endObject();
  if (c.openJournal())
    c.write(json.text());
}

bool shouldHalt() {
  Collector &c = collector();
  std::lock_guard guard(c.lock);
  return c.halt;
}

void finish() {
  Collector &c = collector();
  std::unique_lock guard(c.lock);
  if (c.state != State::Running)
    return;
  if (c.journal.isOpen())
    c.writeRest();
  c.state = State::Finished;
  if (!c.isBare || !c.journal.isOpen())
    return;
  std::string folder = c.journal.folder();
  guard.unlock();
  fflush(nullptr); // the report comes after the program's own output
  int code = renderAndRemove(folder, c.programStatus);
  if (code > 0 && code != c.programStatus)
    _exit(code);
}

} // namespace scopesan::host
