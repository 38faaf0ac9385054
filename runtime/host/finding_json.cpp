#include "finding_json.h"

#include "names.h"

#include <algorithm>

namespace scopesan::host {
namespace {

constexpr uint32_t WarpSize = 32;

void writeDim(JsonWriter &json, const char *name, core::Dim3 d) {
  json.key(name).beginArray().value(d.x).value(d.y).value(d.z).endArray();
}

void writeStream(JsonWriter &json, const Registries &registries, uint32_t number) {
  json.field("stream", number);
  const StreamFacts *facts = registries.nodes.findStream(number);
  if (!facts)
    return;
  json.field("stream_kind", nameOf(facts->kind));
  if (facts->stack.value) {
    json.key("stream_host");
    registries.stacks.write(json, facts->stack);
  }
}

/// Where the work came from: stream, device, graph, host code.
void writeOrigin(JsonWriter &json, const Registries &registries, const Origin &origin) {
  if (!origin.isHost)
    writeStream(json, registries, origin.stream);
  json.field("device", origin.device);
  if (origin.staged)
    json.field("staged", true);
  if (origin.graph) {
    json.field("graph", origin.graph).field("graph_launch", origin.graphLaunch);
    json.field("graph_node", origin.graphNode);
  }
  if (origin.stack.value) {
    json.key("host");
    registries.stacks.write(json, origin.stack);
  }
  if (origin.graphStack.value) {
    json.key("graph_host");
    registries.stacks.write(json, origin.graphStack);
  }
}

/// Who: kernel and thread coordinates, or the API call. Blocks and threads are coordinates.
void writeActor(JsonWriter &json, const Registries &registries, core::NodeId nodeId,
                core::BlockId block, core::ThreadIndex thread) {
  const NodeRegistry::Node *node = registries.nodes.find(nodeId);
  if (!node)
    return;
  json.field(node->isLaunch ? "kernel" : "api", *node->name);
  writeOrigin(json, registries, node->origin);
  if (!node->isLaunch)
    return;
  json.field("launch", node->index).field("domain", node->domain);
  writeDim(json, "block", unflatten(block.value - node->firstBlock.value, node->grid));
  writeDim(json, "thread", unflatten(thread.value, node->block));
  json.field("warp", thread.value / WarpSize).field("lane", thread.value % WarpSize);
}

void writeOperation(JsonWriter &json, const Registries &registries, abi::Op op, core::SiteId site) {
  // A thread that was not told to end has last been seen elsewhere.
  if (op.kind() == abi::AccessKind::Exit && registries.sites.op(site).kind() != op.kind())
    site = {};
  json.field("kind", nameOf(op.kind())).field("order", nameOf(op.order()));
  json.key("scope");
  if (op.isStrong())
    json.value(nameOf(op.scope()));
  else
    json.null();
  json.field("volatile", op.isVolatile());
  if (const char *text = registries.sites.text(site); *text)
    json.field("type", text);
  json.key("frames");
  registries.sites.writeFrames(json, site);
}

void writeAccess(JsonWriter &json, const Registries &registries, const core::AccessRecord &access) {
  json.beginObject();
  if (!access.node.value && !access.site.value && !access.host.value) {
    json.endObject(); // the finding is about the other access alone
    return;
  }
  writeOperation(json, registries, access.op, access.site);
  json.field("bytes", access.bytes);
  if (const NodeRegistry::Node *function = registries.nodes.findHostFunction(access.host)) {
    json.field("api", *function->name).field("host_function", true);
    writeOrigin(json, registries, function->origin);
  } else {
    writeActor(json, registries, access.node, access.block, access.thread);
  }
  if (access.host.value)
    json.field("host_thread", access.host.value);
  if (access.isCopy)
    json.field("asynchronous", true);
  if (access.proxy != abi::Proxy::Generic)
    json.field("proxy", nameOf(access.proxy));
  json.endObject();
}

void writeBlame(JsonWriter &json, const Registries &registries, const core::Blame &blame) {
  json.beginObject();
  writeOperation(json, registries, blame.op, blame.site);
  writeActor(json, registries, blame.node, blame.block, blame.thread);
  json.field("needs", nameOf(blame.needs)).endObject();
}

void writeMemory(JsonWriter &json, const Registries &registries, Overlap overlap,
                 const SharedPlace &shared) {
  json.key("memory").beginObject();
  if (shared.found) {
    bool isDynamic = shared.variable == "dynamic shared memory";
    json.field("kind", isDynamic ? "dynamic-shared" : "shared").field("name", shared.variable);
    if (shared.size)
      json.field("size", shared.size);
    json.field("offset", shared.offset);
  } else if (const Allocation *found = registries.allocations.find(overlap.address)) {
    json.field("kind", nameOf(found->facts.kind)).field("name", found->facts.name);
    json.field("device", found->facts.device);
    if (found->index)
      json.field("index", found->index);
    json.field("size", found->facts.bytes);
    json.field("offset", overlap.address - found->facts.address);
    if (found->freed)
      json.field("freed", true);
  } else {
    json.field("kind", "unknown").field("offset", uint32_t(0));
  }
  json.field("bytes", overlap.bytes).endObject();
}

/// Which access, 0 or 1, is by a programmatic launch that may overlap the other one's; 2: none.
uint32_t overlapping(const Registries &registries, const core::Finding &finding) {
  const core::NodeId nodes[] = {finding.first.node, finding.second.node};
  for (uint32_t i = 0; i < 2; ++i)
    if (const NodeRegistry::Node *node = registries.nodes.find(nodes[i]))
      for (core::NodeId primary : node->origin.primaries)
        if (primary == nodes[1 - i])
          return i;
  return 2;
}

/// D7: what is wrong at which barrier.
void writeBarrier(JsonWriter &json, const core::BarrierFacts &barrier) {
  json.key("barrier").beginObject();
  json.field("misuse", nameOf(barrier.misuse)).field("kind", nameOf(barrier.kind));
  json.field("number", barrier.id);
  json.field("expected", barrier.expected).field("arrived", barrier.arrived);
  if (barrier.lackingBytes)
    json.field("lacking_bytes", barrier.lackingBytes);
  if (barrier.here)
    json.field("here", barrier.here).field("elsewhere", barrier.elsewhere);
  json.endObject();
}

} // namespace

Overlap overlapOf(const core::Finding &finding) {
  const core::AccessRecord &a = finding.first, &b = finding.second;
  uint64_t begin = std::max(a.address, b.address);
  uint64_t end = std::min(a.address + a.bytes, b.address + b.bytes);
  if (begin >= end)
    return {a.address, a.bytes};
  return {begin, end - begin};
}

std::string scopeUseLine(const Registries &registries, const core::ScopeUse &use) {
  JsonWriter json;
  json.beginObject().field("t", "scope").key("operation");
  writeAccess(json, registries, use.example);
  json.key("needs");
  if (use.isNeeded)
    json.value(nameOf(use.needed));
  else
    json.null();
  json.key("observer");
  if (use.observer.op.isStrong())
    writeAccess(json, registries, use.observer);
  else
    json.null();
  json.field("executions", use.executions).field("edges", use.edges);
  json.field("blocks", use.blocks).field("launches", use.launches).endObject();
  return json.text();
}

std::string findingLine(const Registries &registries, const core::Finding &finding, uint32_t id,
                        const SharedPlace &shared) {
  const RuleText &rule = textOf(finding.rule);
  JsonWriter json;
  json.beginObject().field("t", "finding").field("id", id);
  json.field("rule", rule.id).field("name", rule.name).field("advisory", rule.isAdvisory);
  json.field("hazard", nameOf(finding.hazard)).field("distance", nameOf(finding.distance));
  json.key("accesses").beginArray();
  writeAccess(json, registries, finding.first);
  writeAccess(json, registries, finding.second);
  json.endArray();
  if (uint32_t i = overlapping(registries, finding); i < 2)
    json.field("programmatic", i);
  writeMemory(json, registries, overlapOf(finding), shared);
  if (finding.barrier.misuse != core::Misuse::None)
    writeBarrier(json, finding.barrier);
  json.key("blamed").beginArray();
  for (uint32_t i = 0; i < std::min(finding.blamedCount, core::Finding::MaxBlamed); ++i)
    writeBlame(json, registries, finding.blamed[i]);
  json.endArray().endObject();
  return json.text();
}

} // namespace scopesan::host
