// The device modules of one image to one object file in memory.
#pragma once

#include "Retarget.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>

namespace scopesan::codegen {

/// Wall time of the phases, milliseconds.
struct Timing {
  double Read = 0, Retarget = 0, Optimise = 0, Emit = 0, Link = 0;
};

class Compiler {
public:
  /// `Level`: 0 no passes, 1 light passes, 2 the full pipeline.
  static llvm::Expected<Compiler> create(unsigned Level);

  /// Identifies target and options; part of the cache key.
  std::string identity() const;
  /// Reads, links and retargets `Inputs`; the result is ready for optimisation.
  llvm::Expected<std::unique_ptr<llvm::Module>>
  retarget(llvm::ArrayRef<llvm::MemoryBufferRef> Inputs, llvm::LLVMContext &Context);
  void optimise(llvm::Module &M);
  llvm::Expected<llvm::SmallVector<char, 0>> emitObject(llvm::Module &M);
  llvm::Error link(llvm::ArrayRef<char> Object, llvm::StringRef Output);

  const Timing &timing() const { return Times; }
  const retarget::Statistics &statistics() const { return Stats; }

private:
  Compiler(std::unique_ptr<llvm::TargetMachine> TM, unsigned Level)
      : TM(std::move(TM)), Level(Level) {}

  std::unique_ptr<llvm::TargetMachine> TM;
  unsigned Level;
  Timing Times;
  retarget::Statistics Stats;
};

} // namespace scopesan::codegen
