#include "Snapshot.h"

#include "AddressSpaces.h"
#include "SiteTable.h"

#include "scopesan/abi.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#include <cstring>

using namespace llvm;

namespace scopesan::pass {
void embedSnapshot(const Module &Instrumented, Module &Target) {
  SmallVector<char, 0> Bitcode;
  raw_svector_ostream OS(Bitcode);
  WriteBitcodeToFile(Instrumented, OS);

  abi::SnapshotHeader Header{};
  static_assert(sizeof(abi::SnapshotMagicHead) + sizeof(abi::SnapshotMagicTail) - 2 ==
                sizeof(Header.magic));
  std::string Magic = std::string(abi::SnapshotMagicHead) + abi::SnapshotMagicTail;
  std::memcpy(Header.magic, Magic.data(), sizeof(Header.magic));
  Header.version = abi::Version;
  Header.size = Bitcode.size();
  Header.hash = fnv1a(StringRef(Bitcode.data(), Bitcode.size()));

  SmallVector<char, 0> Bytes(sizeof(Header));
  std::memcpy(Bytes.data(), &Header, sizeof(Header));
  Bytes.append(Bitcode.begin(), Bitcode.end());

  // Weak and named by content: equal snapshots of several translation units merge under -fgpu-rdc.
  Constant *Data = ConstantDataArray::getString(
      Target.getContext(), StringRef(Bytes.data(), Bytes.size()), /*AddNull=*/false);
  std::string Name = "__scopesan_snapshot_" + utohexstr(Header.hash, /*LowerCase=*/true, 16);
  auto *G =
      new GlobalVariable(Target, Data->getType(), /*isConstant=*/true, GlobalValue::WeakODRLinkage,
                         Data, Name, nullptr, GlobalValue::NotThreadLocal, GlobalAddressSpace);
  G->setAlignment(Align(8));
  appendToUsed(Target, {G});
}

} // namespace scopesan::pass
