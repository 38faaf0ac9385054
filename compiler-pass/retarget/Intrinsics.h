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

  // Handlers of nvvm_lower.def.
  Result specialRegister(), explicitCluster(), shuffle(), vote(), match(), redux(), elect();
  Result activeMask(), warpSync(), blockSync(), blockArrive(), blockReduce(), clusterArrive();
  Result clusterWait(), drop(), nanosleep(), exit(), isSpace(), mapa(), getctarank(), forward();
  Result load(), atomic(), bulkStore(), texture();
  Result mbarrier(), copyAsync(), copyArrive(), copyGroup(), copyBulk(), copyBulkOut();
  Result dependentLaunch(), loadMatrix(), storeMatrix(), fragmentOperation(), matrixMultiply(),
      warpgroup();
  Result floatBinary(), fma(), floatMin(), floatMax(), function(), saturate(), fabs(), negate();
  Result roundUp(), roundDown(), roundZero(), roundNearest();
  Result highWord(), lowWord(), joinWords(), toInt(), toUnsigned(), fromInt(), fromUnsigned();
  Result floatConvert(), packHalves(), toTf32(), packBytes(), unpackBytes();
  Result mulHigh(), mul24(), sad(), permute(), findLeadingOne(), bitMask(), extend();
  Result funnelLeft(), funnelRight(), findNthSet(), dotProduct();

  llvm::Value *arg(unsigned I) { return Call.getArgOperand(I); }
  bool argIsTrue(unsigned I);
  /// {value, predicate} where the intrinsic returns a struct, else the value.
  llvm::Value *withPredicate(llvm::Value *V, llvm::Value *Predicate);
  llvm::Value *flat(llvm::Value *Pointer) { return B.CreateAddrSpaceCast(Pointer, B.getPtrTy()); }
  /// Null means unsupported.
  Result orUnsupported(llvm::Value *V) { return V ? Result(V) : std::nullopt; }
  llvm::Value *halves(llvm::Value *High, llvm::Value *Low, llvm::Type *Element);

  llvm::AllocaInst *fragment(unsigned First, unsigned Registers, unsigned Bits);
  llvm::Value *unpackFragment(llvm::AllocaInst *From);

  Engine &E;
  llvm::CallInst &Call;
  llvm::IRBuilder<> B;
  Arith A;
  llvm::StringRef Name; ///< after "llvm.nvvm."
  Modifiers Mods;       ///< of Name
  llvm::Type *T;        ///< result type
};

} // namespace scopesan::retarget
