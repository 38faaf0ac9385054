// Lowering of one NVVM intrinsic call.
#pragma once

#include "Arith.h"

#include "llvm/IR/Instructions.h"

#include <optional>

namespace scopesan::retarget {

class IntrinsicLowering {
public:
  IntrinsicLowering(Engine &E, llvm::CallInst &Call, llvm::StringRef Name);

  /// The value of the call (null for void), or nothing when the operation is unsupported.
  std::optional<llvm::Value *> lower();

private:
  using Result = std::optional<llvm::Value *>;

#define SCOPESAN_NVVM_HANDLERS(X)                                                                  \
  X(specialRegister)                                                                               \
  X(explicitCluster) X(shuffle) X(vote) X(match) X(redux) X(elect) X(activeMask) X(warpSync)       \
      X(blockSync) X(blockArrive) X(blockReduce) X(clusterArrive) X(clusterWait) X(drop)           \
          X(nanosleep) X(exit) X(isSpace) X(mapa) X(getctarank) X(forward) X(load) X(atomic)       \
              X(bulkStore) X(floatBinary) X(fma) X(floatMin) X(floatMax) X(function) X(saturate)   \
                  X(fabs) X(negate) X(roundUp) X(roundDown) X(roundZero) X(roundNearest)           \
                      X(highWord) X(lowWord) X(joinWords) X(toInt) X(toUnsigned) X(fromInt)        \
                          X(fromUnsigned) X(floatConvert) X(packHalves) X(toTf32) X(packBytes)     \
                              X(unpackBytes) X(mulHigh) X(mul24) X(sad) X(permute)                 \
                                  X(findLeadingOne) X(bitMask) X(extend) X(funnelLeft)             \
                                      X(funnelRight) X(findNthSet) X(dotProduct)
#define SCOPESAN_DECLARE(Name) Result Name();
  SCOPESAN_NVVM_HANDLERS(SCOPESAN_DECLARE)
#undef SCOPESAN_DECLARE

  llvm::Value *arg(unsigned I) { return Call.getArgOperand(I); }
  bool argIsTrue(unsigned I);
  /// {value, predicate} where the intrinsic returns a struct, else the value.
  llvm::Value *withPredicate(llvm::Value *V, llvm::Value *Predicate);
  llvm::Value *flat(llvm::Value *Pointer) { return B.CreateAddrSpaceCast(Pointer, B.getPtrTy()); }
  /// Null means unsupported.
  Result orUnsupported(llvm::Value *V) { return V ? Result(V) : std::nullopt; }
  llvm::Value *halves(llvm::Value *High, llvm::Value *Low, llvm::Type *Element);

  Engine &E;
  llvm::CallInst &Call;
  llvm::IRBuilder<> B;
  Arith A;
  llvm::StringRef Name; ///< after "llvm.nvvm."
  Modifiers Mods;       ///< of Name
  llvm::Type *T;        ///< result type
};

} // namespace scopesan::retarget
