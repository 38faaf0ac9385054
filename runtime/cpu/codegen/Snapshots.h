// Finds device bitcode in a file: plain bitcode or IR text, or the snapshots that the pass embedded
// in an object, executable or fat binary.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <vector>

namespace scopesan::codegen {

struct Snapshots {
  /// Owns the bytes that Modules refer to.
  std::unique_ptr<llvm::MemoryBuffer> File;
  /// Decompressed parts of the file; Modules may refer to them.
  std::vector<std::unique_ptr<llvm::SmallVector<uint8_t, 0>>> Decompressed;
  /// Each one module; without duplicates.
  llvm::SmallVector<llvm::MemoryBufferRef, 2> Modules;
};

/// `Path` may be "-". Fails when the file cannot be read or holds no device bitcode.
llvm::Expected<Snapshots> readSnapshots(llvm::StringRef Path);

} // namespace scopesan::codegen
