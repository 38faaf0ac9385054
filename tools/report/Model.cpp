#include "Model.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <csignal>

namespace scopesan::report {

bool isToolkitFile(const std::string &file) {
  static constexpr const char *Marks[] = {
      "/include/cccl/", "/cuda/include/", "/include/c++/",         "/lib/clang/",
      "/include/cuda/", "/include/crt/",  "/x86_64-linux/include/"};
  llvm::StringRef path = file;
  if (llvm::any_of(Marks, [&](const char *mark) { return path.contains(mark); }))
    return true;
  size_t cuda = path.find("/cuda-"); // /usr/local/cuda-13.0/include/...
  return cuda != llvm::StringRef::npos && path.substr(cuda).contains("/include/");
}

size_t Operation::placeIndex() const {
  for (size_t i = 0; i < frames.size(); ++i)
    if (!isToolkitFile(frames[i].file))
      return i;
  return 0;
}

bool Operation::isFromAtomic() const {
  return llvm::any_of(llvm::ArrayRef(frames).take_front(placeIndex()),
                      [](const Frame &f) { return llvm::StringRef(f.file).contains("atomic"); });
}

const Frame *Operation::place() const { return frames.empty() ? nullptr : &frames[placeIndex()]; }

const char *nameOf(Verdict verdict) {
  switch (verdict) {
  case Verdict::Clean:
    return "clean";
  case Verdict::Findings:
    return "findings";
  case Verdict::Incomplete:
    return "incomplete";
  }
  return "incomplete";
}

Verdict Report::verdict() const {
  if (!findings.empty())
    return Verdict::Findings;
  if (!incomplete.empty() || !failures.empty())
    return Verdict::Incomplete;
  return Verdict::Clean;
}

uint64_t Report::launches() const {
  uint64_t sum = 0;
  for (const KernelTally &kernel : kernels)
    sum += kernel.launches;
  return sum;
}

void applyProgressMode(Report &report, ProgressMode mode) {
  if (mode == ProgressMode::Advise)
    return;
  std::vector<Finding> kept;
  for (Finding &advisory : report.advisories) {
    if (advisory.name != "progress-not-promised") {
      kept.push_back(std::move(advisory));
    } else if (mode == ProgressMode::Strict) {
      advisory.isAdvisory = false;
      report.findings.push_back(std::move(advisory));
    }
  }
  report.advisories = std::move(kept);
}

void dropCoveredAdvice(Report &report) {
  std::erase_if(report.advisories, [&](const Finding &advice) {
    if (advice.name != "non-atomic-memory")
      return false;
    const std::vector<Frame> &place = advice.accesses[1].frames;
    return llvm::any_of(report.findings, [&](const Finding &finding) {
      return finding.name == advice.name &&
             (finding.accesses[0].frames == place || finding.accesses[1].frames == place);
    });
  });
}

void addDerivedLimits(Report &report) {
  if (report.launches() == 0 && report.failures.empty()) // a failure says it better
    report.incomplete.push_back(
        {"no instrumented kernel ran",
         {},
         "did the program launch a kernel, and was it built with scopesan-clang++?",
         1});
  const Standstill &s = report.standstill;
  if (s.seconds && (report.end.timedOut || report.end.signal))
    report.incomplete.push_back(
        {"when the program ended, launch " + std::to_string(s.launch) + " of kernel '" + s.kernel +
             "' waited, and the host computed without calling the CUDA API",
         {},
         "the kernel could not go on: it waits for earlier work or for a value in memory, which "
         "the "
         "host did not write. If the host waits for the kernel in turn, call cudaStreamQuery in "
         "its "
         "loop or build host code with -fscopesan-host: the report then says who waits",
         1});
  if (report.end.timedOut)
    report.incomplete.push_back({"the program was stopped by the time limit (timeout)", {}, "", 1});
}

int exitCode(const Report &report, const ExitCodes &codes) {
  if (report.end.signal)
    return 128 + report.end.signal;
  if (report.end.timedOut) // it caught our SIGTERM and exited
    return 128 + SIGTERM;
  if (!report.failures.empty())
    return codes.failure;
  if (!report.findings.empty())
    return codes.findings;
  if (report.end.code)
    return report.end.code;
  if (codes.strict && report.verdict() == Verdict::Incomplete)
    return codes.incomplete;
  if (report.launches() == 0)
    return codes.nothingRan;
  return 0;
}

} // namespace scopesan::report
