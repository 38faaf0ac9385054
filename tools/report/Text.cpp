#include "Text.h"

#include "BarrierWords.h"
#include "Names.h"
#include "Words.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"

#include <map>

namespace scopesan::report {
namespace {

using llvm::raw_ostream;

/// Lines of source files, read once.
class SourceCache {
public:
  /// Empty when the file cannot be read or has no such line.
  std::string line(const std::string &file, unsigned number) {
    auto [it, isNew] = files.try_emplace(file);
    if (isNew)
      if (auto buffer = llvm::MemoryBuffer::getFile(file))
        for (llvm::line_iterator line(**buffer, /*SkipBlanks=*/false); !line.is_at_eof(); ++line)
          it->second.push_back(line->rtrim().str());
    return number >= 1 && number <= it->second.size() ? it->second[number - 1] : std::string();
  }

private:
  std::map<std::string, std::vector<std::string>> files;
};

class TextWriter {
public:
  TextWriter(raw_ostream &out, const TextOptions &options) : out(out), options(options) {}

  void write(const Report &report) {
    for (const std::string &failure : report.failures)
      out << colour(raw_ostream::RED) << "ScopeSan: tool failure: " << plain() << failure << "\n";
    size_t printed = 0;
    for (const Finding &finding : report.findings)
      if (printed++ < options.printLimit)
        writeFinding(finding);
    if (!report.advisories.empty() && printed < options.printLimit)
      out << colour(raw_ostream::WHITE) << "ScopeSan: advice (no failures)" << plain() << "\n\n";
    for (const Finding &advisory : report.advisories)
      if (printed++ < options.printLimit)
        writeFinding(advisory);
    if (printed > options.printLimit)
      out << "ScopeSan: " << printed - options.printLimit
          << " more not printed (print_limit=" << options.printLimit
          << "); the JSON report has all\n\n";
    writeIncomplete(report);
    writeSummary(report);
  }

private:
  std::string colour(raw_ostream::Colors c) const {
    if (!options.colour)
      return "";
    return c == raw_ostream::RED      ? "\033[1;31m"
           : c == raw_ostream::YELLOW ? "\033[1;33m"
                                      : "\033[1m";
  }
  const char *plain() const { return options.colour ? "\033[0m" : ""; }

  void writeFinding(const Finding &finding) {
    isBetweenWork = false;
    out << colour(finding.isAdvisory ? raw_ostream::YELLOW : raw_ostream::RED)
        << "ScopeSan: " << (finding.isAdvisory ? "advisory " : "") << finding.rule << ' '
        << finding.name << ": " << plain() << colour(raw_ostream::WHITE) << titleOf(finding)
        << plain() << '\n';
    // In execution order.
    static constexpr const char *Labels[] = {"earlier: ", "later:   "};
    static constexpr const char *LifeLabels[] = {"owner:   ", "access:  "};
    static constexpr const char *ScopeLabels[] = {"used:    ", "farthest observer: "};
    for (size_t i = 0; i < 2; ++i)
      if (finding.isStuck()) { // places where threads are, not accesses to memory
        if (isOther(finding, i))
          writeOperation(finding.accesses[i],
                         "thread:  " + (finding.rule == "D7" ? barrierRole(finding, unsigned(i))
                                                             : "waits here"));
      } else if (finding.accesses[i].isKnown()) {
        isBetweenWork = finding.isBetweenWork();
        const char *label = finding.coverage       ? ScopeLabels[i]
                            : finding.isBlockEnd() ? LifeLabels[i]
                                                   : Labels[i];
        writeOperation(finding.accesses[i], label + describeLong(finding.accesses[i]));
      }
    bool isObject = !finding.isStuck() || (finding.barrier && finding.barrier->kind == "mbarrier");
    if (isObject && finding.memory.kind != "none")
      out << "  memory:  " << describeMemory(finding.memory) << '\n';
    if (std::string why = summaryOf(finding); !why.empty())
      out << "  why:     " << why << '\n';
    if (std::string copy = copyNoteOf(finding); !copy.empty())
      out << "  copy:    " << copy << '\n';
    if (finding.coverage)
      out << "  run:     " << describeCoverage(*finding.coverage) << '\n';
    for (const Operation &op : finding.coverage ? std::vector<Operation>() : finding.blamed)
      writeOperation(op, "blamed:  " + describeLong(op) +
                             (op.needs.empty() ? "" : ", needs " + op.needs + " scope"));
    if (std::string hint = hintOf(finding); !hint.empty())
      out << "  fix:     " << hint << '\n';
    if (finding.count > 1 && !finding.coverage)
      out << "  seen " << finding.count << " times\n";
    out << '\n';
  }

  /// The second thread of a standstill may be the first one, or in the same state.
  static bool isOther(const Finding &finding, size_t i) {
    const Operation &a = finding.accesses[0], &b = finding.accesses[1];
    bool oneThread = a.thread == b.thread && a.block == b.block && a.launch == b.launch;
    if (finding.rule == "D7")
      return i == 1 || !oneThread;
    return i == 0 || a.frames != b.frames;
  }

  void writeOperation(const Operation &op, const std::string &what) {
    out << "  " << colour(raw_ostream::WHITE) << what << plain() << '\n';
    // A copy has no place in the source, nor has the start of a block.
    if (!op.frames.empty() || (!op.kernel.empty() && op.kind != "enter"))
      writePlace(op.frames, op.placeIndex());
    out << "      by " << describeActor(op) << '\n';
    writeHost(op.graph ? "added to graph " + std::to_string(op.graph) + " at" : "launched at",
              op.host);
    writeHost("graph launched at", op.graphHost);
    if (isBetweenWork && !op.isHost && !op.streamHost.frames.empty())
      writeHost("stream " + std::to_string(op.stream) + " made at",
                {{}, {op.streamHost.frames.front()}});
  }

  void writeHost(const std::string &what, const HostStack &stack) {
    std::string words = what;
    for (const Frame &frame : stack.frames) {
      out << "         " << words << ' ' << describePosition(frame);
      if (!frame.function.empty())
        out << " in " << shortFunctionName(frame.function);
      out << '\n';
      words = "called from";
    }
  }

  /// The user's own line with its callers; frames further in are the toolkit's.
  void writePlace(const std::vector<Frame> &frames, size_t place) {
    if (frames.empty()) {
      out << "      at an unknown place (no line information: compile with -gline-tables-only)\n";
      return;
    }
    for (size_t i = 0; options.toolkitFrames && i < place; ++i)
      out << "      in " << functionName(frames[i].function) << " at "
          << describePosition(frames[i]) << '\n';
    const Frame &frame = frames[place];
    out << "      at " << describePosition(frame);
    if (!frame.function.empty())
      out << " in " << functionName(frame.function);
    out << '\n';
    writeExcerpt(frame);
    for (size_t i = place + 1; i < frames.size(); ++i) {
      out << "         inlined from " << describePosition(frames[i]);
      if (!frames[i].function.empty())
        out << " in " << functionName(frames[i].function);
      out << '\n';
    }
  }

  void writeExcerpt(const Frame &frame) {
    if (!options.excerpts || frame.line == 0)
      return;
    std::string line = sources.line(frame.file, frame.line);
    if (line.empty())
      return;
    std::string number = std::to_string(frame.line);
    out << "        " << number << " | " << line << '\n';
    if (frame.column == 0 || frame.column > line.size())
      return;
    std::string pad;
    for (size_t i = 0; i + 1 < frame.column; ++i)
      pad += line[i] == '\t' ? '\t' : ' ';
    out << "        " << std::string(number.size(), ' ') << " | " << pad << "^\n";
  }

  void writeIncomplete(const Report &report) {
    for (const Incomplete &entry : report.incomplete) {
      out << colour(raw_ostream::YELLOW) << "ScopeSan: incomplete: " << plain() << entry.what;
      Operation at;
      at.frames = entry.frames;
      if (const Frame *frame = at.place()) {
        out << " at " << describePosition(*frame);
        if (!frame->function.empty())
          out << " in " << functionName(frame->function);
      }
      if (entry.count > 1)
        out << " (" << entry.count << " times)";
      out << '\n';
      if (!entry.text.empty())
        out << "      " << llvm::StringRef(entry.text).trim() << '\n';
    }
  }

  void writeSummary(const Report &report) {
    for (const std::string &note : report.notes)
      out << "ScopeSan: " << note << '\n';
    out << "ScopeSan: " << (report.backend.empty() ? "no backend" : report.backend + " backend")
        << ", seed " << report.seed << "; kernels run:";
    if (report.kernels.empty())
      out << " none";
    const char *separator = " ";
    for (const KernelTally &kernel : report.kernels) {
      out << separator << shortFunctionName(kernel.name);
      if (kernel.launches > 1)
        out << " x" << kernel.launches;
      separator = ", ";
    }
    out << "; " << report.checkedAccesses << " accesses checked\n";
    if (report.end.signal)
      out << "ScopeSan: the program was ended by signal " << report.end.signal
          << (report.end.timedOut ? " after the time limit" : "") << '\n';
    else if (report.end.code)
      out << "ScopeSan: the program itself exited with code " << report.end.code << '\n';
    out << "ScopeSan: verdict " << colour(raw_ostream::WHITE) << nameOf(report.verdict()) << plain()
        << ": " << plural(report.findings.size(), "finding") << ", "
        << plural(report.advisories.size(), "advisory") << ", " << report.incomplete.size()
        << " incomplete\n";
  }

  static std::string plural(size_t n, llvm::StringRef word) {
    std::string result = std::to_string(n) + " ";
    if (n != 1 && word.ends_with("y"))
      return result + word.drop_back().str() + "ies";
    return result + word.str() + (n == 1 ? "" : "s");
  }

  raw_ostream &out;
  const TextOptions &options;
  SourceCache sources;
  bool isBetweenWork = false; ///< streams matter to the access that is written
};

} // namespace

void writeText(raw_ostream &out, const Report &report, const TextOptions &options) {
  TextWriter(out, options).write(report);
}

} // namespace scopesan::report
