// Builds a Program thread by thread: names become indices, labels become branch targets.
#pragma once

#include "Program.h"

#include <map>

namespace scopesan::litmus {

class ProgramBuilder;

/// Code of one thread under construction.
class ThreadBuilder {
public:
  ThreadBuilder(ProgramBuilder &program, ThreadCode &thread) : B(program), T(thread) {}

  ProgramBuilder &program() { return B; }
  ThreadCode &thread() { return T; }
  uint32_t index() const;

  uint32_t location(std::string_view name);
  /// The register `name`, to be assigned; created on first use.
  uint32_t assigned(std::string_view name);
  /// The register `name`, to be read: remembered as unknown when nothing assigned it before.
  uint32_t used(std::string_view name);
  uint32_t freshRegister();
  /// A number, a register, or a sum or difference of two of them.
  std::optional<Expr> expression(std::string_view text);

  Instr &add(Verb verb, std::string_view text);
  /// False: there is one of this name.
  bool defineLabel(std::string_view name);
  void branch(std::string_view text, Expr lhs, Compare cmp, Expr rhs, std::string_view label);
  /// A label nobody else uses, not yet defined.
  std::string freshLabel();
  /// Resolves labels; returns the name of an undefined one, empty when all are known.
  std::string finish();

private:
  std::optional<Operand> operand(std::string_view text);

  ProgramBuilder &B;
  ThreadCode &T;
  std::map<std::string, uint32_t, std::less<>> Labels;
  std::vector<std::pair<uint32_t, std::string>> Unresolved; ///< instruction, label
  uint32_t NextLabel = 0;
};

class ProgramBuilder {
public:
  Program program;
  bool barIsWarpBarrier = false;        ///< "BAR" in a placement by warps
  bool speaksOfClusterBarriers = false; ///< bare "arrive" and "wait" mean the cluster's barrier
  std::string placementError;           ///< what a placement names that does not exist
  std::optional<uint32_t> handOver;     ///< thread for which all others wait at their beginning
  std::vector<std::pair<uint32_t, uint32_t>> syncPoints; ///< "sync": thread, instruction

  uint32_t location(std::string_view name);
  std::optional<uint32_t> findLocation(std::string_view name) const;
  std::optional<uint32_t> findThread(std::string_view name) const;
  /// `alias` becomes a view of `of`.
  void makeAlias(uint32_t alias, uint32_t of, Proxy view, bool distinctAddress);

  /// Consistency after all threads are known: initial values that only a guard tells, launches.
  void finish();

private:
  void insertHandOver();
  void expandSyncPoints();
  void setUpMbarriers();
  void initialValuesFromExpectations();
  void unknownBarrierNames();
};

constexpr int64_t HandOverBarrier = 1000; ///< name of the barrier behind ProgramBuilder::handOver

/// Words of the notation.
std::optional<MemoryOrder> parseOrder(std::string_view name);
std::optional<Scope> parseScope(std::string_view name);
std::optional<RmwKind> parseRmwKind(std::string_view name);

} // namespace scopesan::litmus
