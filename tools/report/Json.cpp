#include "Json.h"

#include "Words.h"

#include "llvm/Support/JSON.h"

namespace scopesan::report {
namespace {

using llvm::json::OStream;

void writeCoordinates(OStream &json, const char *name, const Coordinates &c) {
  json.attributeArray(name, [&] {
    for (unsigned value : c)
      json.value(value);
  });
}

/// file, line, column, function of the user's own frame (null without debug information).
void writePlace(OStream &json, const Frame *frame) {
  if (!frame) {
    for (const char *name : {"file", "line", "column", "function"})
      json.attribute(name, nullptr);
    return;
  }
  json.attribute("file", frame->file);
  json.attribute("line", frame->line);
  json.attribute("column", frame->column);
  json.attribute("function", frame->function);
}

void writeFrames(OStream &json, const std::vector<Frame> &frames) {
  json.attributeArray("frames", [&] {
    for (const Frame &frame : frames)
      json.object([&] { writePlace(json, &frame); });
  });
}

/// Where the work came from: a graph, and host code.
void writeOrigin(OStream &json, const Operation &op) {
  auto writeHost = [&](const char *name, const HostStack &stack) {
    if (!stack.frames.empty())
      json.attributeArray(name, [&] {
        for (const Frame &frame : stack.frames)
          json.object([&] { writePlace(json, &frame); });
      });
  };
  writeHost("host", op.host);
  if (!op.streamKind.empty())
    json.attribute("stream_kind", op.streamKind);
  writeHost("stream_host", op.streamHost);
  if (!op.graph)
    return;
  json.attributeObject("graph", [&] {
    json.attribute("number", op.graph);
    json.attribute("launch", op.graphLaunch);
    json.attribute("node", op.graphNode);
    writeHost("host", op.graphHost);
  });
}

void writeOperation(OStream &json, const Operation &op) {
  json.object([&] {
    writePlace(json, op.place());
    json.attribute("kind", op.kind);
    json.attribute("order", op.order);
    if (op.scope.empty())
      json.attribute("scope", nullptr);
    else
      json.attribute("scope", op.scope);
    if (!op.needs.empty())
      json.attribute("needs", op.needs);
    json.attribute("volatile", op.isVolatile);
    if (op.kind != "fence")
      json.attribute("bytes", op.bytes);
    if (!op.type.empty())
      json.attribute("type", op.type);
    if (op.kernel.empty()) {
      json.attribute("api", op.api);
      if (op.isHostFunction)
        json.attribute("host_function", true);
      if (!op.isHost)
        json.attribute("stream", op.stream);
      if (op.hostThread)
        json.attribute("host_thread", op.hostThread);
      if (op.staged)
        json.attribute("staged", true);
    } else {
      json.attribute("kernel", op.kernel);
      json.attribute("launch", op.launch);
      json.attribute("stream", op.stream);
      json.attribute("device", op.device);
      if (op.domain)
        json.attribute("domain", *op.domain);
      writeCoordinates(json, "block", op.block);
      writeCoordinates(json, "thread", op.thread);
      json.attribute("warp", op.warp);
      json.attribute("lane", op.lane);
      if (op.isAsynchronous)
        json.attribute("asynchronous", true);
      if (!op.proxy.empty())
        json.attribute("proxy", op.proxy);
    }
    writeOrigin(json, op);
    writeFrames(json, op.frames);
  });
}

void writeMemory(OStream &json, const Memory &memory) {
  json.attributeObject("memory", [&] {
    json.attribute("kind", memory.kind);
    json.attribute("name", memory.name);
    if (memory.index)
      json.attribute("index", *memory.index);
    if (memory.size)
      json.attribute("size", *memory.size);
    if (memory.device)
      json.attribute("device", memory.device);
    json.attribute("offset", memory.offset);
    json.attribute("bytes", memory.bytes);
    json.attribute("freed", memory.freed);
    json.attribute("text", describeMemory(memory));
  });
}

void writeBarrier(OStream &json, const BarrierUse &barrier) {
  json.attributeObject("barrier", [&] {
    json.attribute("misuse", barrier.misuse);
    json.attribute("kind", barrier.kind);
    if (barrier.kind == "block")
      json.attribute("number", barrier.number);
    json.attribute("expected", barrier.expected);
    json.attribute("arrived", barrier.arrived);
    if (barrier.lackingBytes)
      json.attribute("lacking_bytes", barrier.lackingBytes);
    if (barrier.here) {
      json.attribute("here", barrier.here);
      json.attribute("elsewhere", barrier.elsewhere);
    }
  });
}

void writeFindings(OStream &json, const char *name, const std::vector<Finding> &findings) {
  json.attributeArray(name, [&] {
    for (const Finding &finding : findings)
      json.object([&] {
        json.attribute("rule", finding.rule);
        json.attribute("name", finding.name);
        json.attribute("title", titleOf(finding));
        json.attribute("count", finding.count);
        if (finding.hazard.empty())
          json.attribute("hazard", nullptr);
        else
          json.attribute("hazard", finding.hazard);
        json.attribute("distance", finding.distance);
        if (std::string why = summaryOf(finding); !why.empty())
          json.attribute("why", why);
        if (MissingEdge edge = missingEdgeOf(finding); !edge.kind.empty())
          json.attributeObject("missing_edge", [&] {
            json.attribute("kind", edge.kind);
            json.attribute("text", edge.text);
          });
        writeMemory(json, finding.memory);
        json.attributeArray("accesses", [&] {
          for (const Operation &access : finding.accesses)
            if (access.isKnown())
              writeOperation(json, access);
        });
        json.attributeArray("blamed", [&] {
          for (const Operation &op : finding.blamed)
            writeOperation(json, op);
        });
        if (finding.barrier)
          writeBarrier(json, *finding.barrier);
        if (finding.coverage)
          json.attributeObject("coverage", [&] {
            json.attribute("executions", finding.coverage->executions);
            json.attribute("edges", finding.coverage->edges);
            json.attribute("blocks", finding.coverage->blocks);
            json.attribute("launches", finding.coverage->launches);
          });
        json.attribute("hint", hintOf(finding));
      });
  });
}

void writeIncomplete(OStream &json, const std::vector<Incomplete> &incomplete) {
  json.attributeArray("incomplete", [&] {
    for (const Incomplete &entry : incomplete)
      json.object([&] {
        Operation at;
        at.frames = entry.frames;
        json.attribute("what", entry.what);
        writePlace(json, at.place());
        json.attribute("text", entry.text.empty() ? llvm::json::Value(nullptr)
                                                  : llvm::json::Value(entry.text));
        json.attribute("count", entry.count);
      });
  });
}

void writeStrings(OStream &json, const char *name, const std::vector<std::string> &strings) {
  json.attributeArray(name, [&] {
    for (const std::string &text : strings)
      json.value(text);
  });
}

} // namespace

void writeJson(llvm::raw_ostream &out, const Report &report) {
  OStream json(out, 2);
  json.object([&] {
    json.attribute("schema", JsonSchema);
    json.attribute("tool", "ScopeSan");
    json.attribute("version", report.version);
    json.attribute("verdict", nameOf(report.verdict()));
    if (report.backend.empty())
      json.attribute("backend", nullptr);
    else
      json.attribute("backend", report.backend);
    json.attribute("seed", report.seed);
    writeStrings(json, "command", report.command);
    json.attributeObject("exit", [&] {
      json.attribute("code", report.end.code);
      json.attribute("signal", report.end.signal);
      json.attribute("timed_out", report.end.timedOut);
    });
    json.attributeArray("kernels", [&] {
      for (const KernelTally &kernel : report.kernels)
        json.object([&] {
          json.attribute("name", kernel.name);
          json.attribute("launches", kernel.launches);
        });
    });
    json.attribute("checked_accesses", report.checkedAccesses);
    if (report.device)
      json.attributeObject("device_shadow", [&] {
        json.attribute("settled", report.device->settled);
        json.attribute("logged", report.device->logged);
        json.attribute("candidates", report.device->candidates);
        json.attribute("suppressed", report.device->suppressed);
        json.attribute("bytes", report.device->shadowBytes);
        json.attribute("elided_sites", report.device->elidedSites);
      });
    writeFindings(json, "findings", report.findings);
    writeFindings(json, "advisories", report.advisories);
    writeIncomplete(json, report.incomplete);
    writeStrings(json, "failures", report.failures);
    writeStrings(json, "notes", report.notes);
  });
  out << '\n';
}

} // namespace scopesan::report
