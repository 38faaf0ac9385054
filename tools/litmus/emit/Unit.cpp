#include "Unit.h"

#include "HostCode.h"
#include "Needs.h"

#include <algorithm>

namespace scopesan::litmus {

namespace {

/// The CUDA text of one row.
class RowWriter {
public:
  RowWriter(uint32_t row, const Program &p)
      : P(p), Name("row" + std::to_string(row)), Where(p), At(p) {}

  std::string Error;
  std::vector<CodeLine> Lines;
  std::vector<std::pair<uint32_t, uint32_t>> Operations; ///< thread, instr; by line, None if none

  void run() {
    line("");
    line("// " + P.name);
    if (launchesFromDevice(P))
      for (uint32_t l = 0; l < P.launches.size(); ++l)
        line(kernelHead(l) + ";");
    for (uint32_t t = 0; t < P.threads.size(); ++t)
      if (!P.threads[t].at.host)
        threadFunction(t);
    for (uint32_t l = 0; l < P.launches.size(); ++l)
      if (!isHostLaunch(P, l))
        kernel(l);
    HostCode host = emitHost(P, Where, At, Name);
    fail(host.error);
    for (const HostLine &x : host.lines)
      line(x.text, x.thread, x.instr);
  }

private:
  /// What CUDA cannot say outweighs what is merely not emitted; a fence that PTX lacks, all else.
  void fail(const std::string &why) {
    auto weight = [](const std::string &reason) {
      return reason.empty()                                         ? 0
             : reason.find("PTX has no fence") != std::string::npos ? 3
             : hasNoCudaForm(reason)                                ? 2
                                                                    : 1;
    };
    if (weight(why) > weight(Error))
      Error = why;
  }
  void line(const std::string &text, uint32_t thread = None, uint32_t instr = None) {
    Lines.push_back({text, instr});
    Operations.push_back({thread, instr});
  }

  void threadFunction(uint32_t t) {
    ThreadBody body = emitThread(P, Where, At, t, Name);
    if (!body.error.empty())
      fail(body.error);
    line("static __device__ __noinline__ void " + Name + "_T" + std::to_string(t) +
         "(char *m, char *s, Log log) {");
    for (const CodeLine &x : body.lines)
      line("  " + x.text, t, x.instr);
    line("}");
  }

  /// Some thread accesses the shared memory of another block of its cluster.
  bool hasPeers() const {
    for (uint32_t t = 0; t < P.threads.size(); ++t)
      for (const Instr &i : P.threads[t].code) {
        if (i.verb == Verb::AsyncCopy && i.text.find("multicast") != std::string::npos)
          return true;
        for (uint32_t l : {i.location, i.async.destination, i.async.mbarrier})
          if (l != None && At.of[l].space == Space::Shared && At.of[l].owner != t &&
              !P.sameBlock(At.of[l].owner, t))
            return true;
      }
    return false;
  }
  /// Whether a peer has begun is what the row asks (D8): nobody waits for it.
  bool aboutLifetime() const {
    for (const Location &l : P.locations)
      if (l.sharedOf != None)
        return !usesMbarriers() && !copiesInBulk();
    return false;
  }
  bool exitsEarly() const {
    for (const ThreadCode &t : P.threads)
      for (const Instr &i : t.code)
        if (i.verb == Verb::Exit)
          return true;
    return false;
  }

  std::string kernelHead(uint32_t l) const {
    return "static __global__ void " + Name + "_K" + std::to_string(l) +
           "(char *m, unsigned long long *log, unsigned long long delays)";
  }
  void kernel(uint32_t l) {
    line(kernelHead(l) + " {");
    if (At.sharedBytes) {
      line("  static __shared__ __align__(128) char s[" + std::to_string(At.sharedBytes) + "];");
      if (!aboutLifetime()) {
        setUpShared(l);
        line(hasPeers() ? "  clusterBarrier();" : "  __syncthreads();");
      }
      if (hasPeers() && copiesInBulk())
        line("  shareWithCopies();"); // what peers wrote needs a fence here, before the copy (S13)
    } else {
      line("  char *s = nullptr;");
    }
    for (uint32_t t = 0; t < P.threads.size(); ++t)
      if (P.threads[t].at.launch == l)
        line("  if (blockIdx.x == " + std::to_string(Where.block[t]) +
             (isWarpgroup(P.threads[t])
                  ? ") "
                  : " && threadIdx.x == " + std::to_string(Where.index[t]) + ") ") +
             Name + "_T" + std::to_string(t) + "(m, s, Log(log, " + std::to_string(t) +
             ", delays));");
    // No row is about copies that their block does not outlive (D8).
    if (copiesInBulk() && !exitsEarly())
      line("  waitForSources();");
    // Peers' shared memory must outlive their accesses (D8), unless the row is about that.
    if (hasPeers() && !exitsEarly())
      line("  clusterBarrier();");
    line("}");
  }

  /// Initial values and mbarriers that the row takes for granted.
  void setUpShared(uint32_t l) {
    line("  if (threadIdx.x == 0) {");
    line("    for (int i = 0; i < " + std::to_string(At.sharedBytes) +
         "; i += 8) *(long long *)(s + i) = 0;");
    for (uint32_t x = 0; x < P.locations.size(); ++x) {
      const Place &at = At.of[x];
      if (P.root(x) != x || at.space != Space::Shared)
        continue;
      std::string offset = std::to_string(at.offset);
      if (P.locations[x].initial)
        line("    *(long long *)(s + " + offset + ") = " + std::to_string(P.locations[x].initial) +
             ";");
      mbarrier(x, offset);
    }
    if (At.scratchMbarrier != None)
      line("    initMbarrier(s + " + std::to_string(At.scratchMbarrier) + ", 1);");
    if (usesMbarriers())
      line("    shareMbarriers();");
    if (copiesInBulk())
      line("    shareWithCopies();");
    line("  }");
  }
  bool usesMbarriers() const {
    bool used = At.scratchMbarrier != None;
    for (const Location &l : P.locations)
      used |= l.mbarrier.used;
    return used;
  }
  bool copiesInBulk() const {
    for (const ThreadCode &t : P.threads)
      for (const Instr &i : t.code)
        if ((i.verb == Verb::AsyncCopy && i.async.kind == AsyncKind::Bulk) ||
            (i.verb == Verb::Load && i.proxy == Proxy::TensorMap))
          return true;
    return false;
  }
  void mbarrier(uint32_t location, const std::string &offset) {
    const MbarrierSetup &setup = P.locations[location].mbarrier;
    if (!setup.used || setup.initialisedByProgram)
      return;
    bool multicast = false;
    uint32_t bytes = 0;
    for (const ThreadCode &t : P.threads)
      for (const Instr &c : t.code)
        if (c.verb == Verb::AsyncCopy && c.async.mbarrier == location) {
          bytes += copyBytes(c);
          multicast |= c.text.find("multicast") != std::string::npos;
        }
    if (!setup.bytes)
      bytes = 0;
    uint32_t own = bytes ? 1 : 0;
    line("    initMbarrier(s + " + offset + ", " + std::to_string(setup.arrivals + own) + ");");
    for (uint32_t k = 0; k < setup.completedPhases * setup.arrivals; ++k)
      line("    arrive(s + " + offset + ");");
    if (own)
      line("    arriveExpecting(s + " + offset + ", " + std::to_string(bytes) + ");");
  }

  const Program &P;
  std::string Name;
  Layout Where;
  Places At;
};

} // namespace

UnitWriter::UnitWriter() {
  Line = 4; // after the head
}

std::string UnitWriter::add(uint32_t row, const Program &p) {
  if (!p.notRunnable.empty())
    return p.notRunnable;
  RowWriter w(row, p);
  w.run();
  if (!w.Error.empty())
    return w.Error;
  for (size_t i = 0; i < w.Lines.size(); ++i, ++Line) {
    Text += w.Lines[i].text + "\n";
    auto [thread, instr] = w.Operations[i];
    if (instr != None)
      Sites.push_back({Line, row, thread, instr});
  }
  Rows.push_back(row);
  return {};
}

std::string UnitWriter::text() const {
  bool cxx = Text.find("cuda::") != std::string::npos; // a large header: only where it is needed
  std::string head = "// Generated by `scopesan-litmus --emit`.\n#include \"prelude.h\"\n";
  std::string out = head + (cxx ? "#include <cuda/atomic>\n" : "\n") + Text +
                    "\nint main(int argc, char **argv) {\n  Choice rows(argc, argv);\n";
  for (uint32_t row : Rows)
    out += "  if (rows.has(" + std::to_string(row) + ")) row" + std::to_string(row) + "();\n";
  return out + "  return 0;\n}\n";
}

} // namespace scopesan::litmus
