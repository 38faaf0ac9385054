#include "Externalised.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace scopesan::pass {
namespace {

/// NAME of NAME__static__HASH; empty for other names.
StringRef originalName(StringRef Name) {
  for (StringRef Mark : {"__static__", "__intern__"}) {
    auto [Original, Hash] = Name.rsplit(Mark);
    if (!Hash.empty() && all_of(Hash, isHexDigit))
      return Original;
  }
  return {};
}

} // namespace

void joinExternalised(Module &M) {
  StringMap<GlobalValue *> Definitions;
  for (GlobalValue &G : M.global_values())
    if (StringRef Original = originalName(G.getName()); !Original.empty() && !G.isDeclaration())
      Definitions[Original] = &G;
  SmallVector<GlobalValue *> Joined;
  for (GlobalValue &G : M.global_values()) {
    auto Definition = Definitions.find(G.getName());
    if (Definition == Definitions.end() || !G.isDeclaration() ||
        G.getType() != Definition->second->getType())
      continue;
    G.replaceAllUsesWith(Definition->second);
    Joined.push_back(&G);
  }
  for (GlobalValue *G : Joined)
    G->eraseFromParent();
}

} // namespace scopesan::pass
