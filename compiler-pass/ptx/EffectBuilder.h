// Builds the effects of a program: one function for each class of instructions.
#pragma once

#include "Effects.h"
#include "Opcodes.h"
#include "Resolve.h"

#include "scopesan/tensor_map_field.h"

#include <string_view>
#include <utility>

namespace scopesan::ptx {

class EffectBuilder {
public:
  explicit EffectBuilder(const Program &P) : Prog(P), Values(P) {}
  std::vector<Effect> run();

private:
  // Effects.cpp
  void instruction(unsigned At);
  void access(unsigned At, OpcodeClass Class);
  void accessParts(const Effect &Whole, const Operand &Vector, unsigned At);
  void accessValues(Effect &E, const Statement &S, unsigned Memory);
  void fence(unsigned At, bool Membar);
  void blockBarrier(unsigned At);
  void warpBarrier(unsigned At);
  void unmodelled(unsigned At, std::string Reason);
  void push(Effect E, unsigned At);

  // EffectsAsync.cpp
  void asyncInstruction(unsigned At, OpcodeClass Class);
  void clusterBarrier(unsigned At);
  void griddep(unsigned At);
  void proxyFence(unsigned At);
  void oneWayProxyFence(unsigned At, unsigned Kind);
  void mbarrier(unsigned At);
  void mbarrierArrive(Effect E, unsigned At, unsigned Memory);
  void mbarrierWait(Effect E, unsigned At);
  void cpAsync(unsigned At);
  void cpAsyncArrive(unsigned At);
  void copyGroup(unsigned At);
  void bulkCopy(unsigned At);
  void asyncStore(unsigned At);
  void asyncRelease(unsigned At);
  void writeRange(unsigned At);
  void texture(unsigned At);

  // EffectsMatrix.cpp
  void matrix(unsigned At);
  void tile(unsigned At);
  void warpgroup(unsigned At);
  void warpgroupGroup(unsigned At);
  void tensorCopy(unsigned At);
  void tensorMap(unsigned At);
  void tensorMapCopy(unsigned At);
  void tensorMapChange(unsigned At, abi::TensorMapField Field, abi::Space In);

  EntryArgument number(const Statement &S, unsigned Operand, unsigned At);
  EntryArgument address(const Statement &S, unsigned Operand, abi::Space Space, unsigned At);

  const Program &Prog;
  Resolver Values;
  std::vector<Effect> Out;
};

/// A call of an entry point of the runtime, before the statement.
Effect entry(std::string_view Name);
EntryArgument constant(int64_t V);
/// The address of nothing.
EntryArgument null();

/// Index of the first memory operand from `From` on, or NoIndex.
unsigned memoryOperand(const Statement &S, unsigned From = 0);

} // namespace scopesan::ptx
