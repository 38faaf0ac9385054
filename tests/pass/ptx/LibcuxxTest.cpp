// Every asm string of the installed libcu++ atomics must have exactly the effect its function
// promises; the asm strings of all other toolkit headers must at least parse.
#include "AsmStrings.h"

#include "Effects.h"
#include "Parser.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

using namespace scopesan::abi;
using namespace scopesan::ptx;
using scopesan::test::AsmString;
using scopesan::test::asmStrings;

namespace {

const std::string Include = SCOPESAN_CUDA_INCLUDE;
const std::string Functions = Include + "cccl/cuda/std/__atomic/functions/";

/// The word between dots, as in ".acquire.".
bool has(const std::string &Text, const std::string &Word) {
  return Text.find("." + Word + ".") != std::string::npos ||
         Text.find("." + Word + ";") != std::string::npos ||
         Text.find("." + Word + " ") != std::string::npos;
}

MemoryOrder orderIn(const std::string &T) {
  return has(T, "acquire")                                                   ? MemoryOrder::Acquire
         : has(T, "release")                                                 ? MemoryOrder::Release
         : has(T, "acq_rel")                                                 ? MemoryOrder::AcqRel
         : has(T, "sc")                                                      ? MemoryOrder::SeqCst
         : T.starts_with("membar") || T.find("membar.") != std::string::npos ? MemoryOrder::SeqCst
                                                                             : MemoryOrder::Relaxed;
}

Scope scopeIn(const std::string &T) {
  return has(T, "volatile") || has(T, "sys") ? Scope::System
         : has(T, "cluster")                 ? Scope::Cluster
         : has(T, "cta")                     ? Scope::Block
                                             : Scope::Device;
}

void expectAtomicForm(const AsmString &A) {
  SCOPED_TRACE("line " + std::to_string(A.Line) + ": " + A.Text);
  std::string Error;
  auto P = parse(A.Text, Error);
  ASSERT_TRUE(P) << Error;
  std::vector<Effect> All = effects(*P);
  ASSERT_EQ(All.size(), 1u);
  const Effect &E = All[0];
  EXPECT_EQ(E.Op.order(), orderIn(A.Text));
  EXPECT_EQ(E.Op.scope(), scopeIn(A.Text));
  EXPECT_EQ(E.Condition.Kind, GuardKind::Always);
  if (E.Kind == EffectKind::Fence)
    return;
  ASSERT_EQ(E.Kind, EffectKind::Access) << E.Reason;
  EXPECT_TRUE(E.Address.Value.known());
  // CCCL 3.0 writes the operands of its 128-bit forms backwards; the values they yield are garbage.
  if (has(A.Text, "b128"))
    return;
  if (E.Op.kind() != AccessKind::Store)
    EXPECT_EQ(E.Result, std::vector{ValueRef::asmOperand(0)});
  if (E.Op.kind() == AccessKind::Cas)
    EXPECT_EQ(E.Compare, std::vector{ValueRef::asmOperand(2)});
}

TEST(Libcuxx, EveryAtomicFormHasItsEffect) {
  std::vector<AsmString> All = asmStrings(Functions + "cuda_ptx_generated.h");
  EXPECT_GT(All.size(), 600u) << "no asm found: has the header changed?";
  for (const AsmString &A : All)
    expectAtomicForm(A);
}

TEST(Libcuxx, LocalCheckHasNoEffect) {
  std::vector<AsmString> All = asmStrings(Functions + "cuda_local.h");
  ASSERT_EQ(All.size(), 1u);
  std::string Error;
  auto P = parse(All[0].Text, Error);
  ASSERT_TRUE(P) << Error;
  EXPECT_TRUE(effects(*P).empty());
}

/// Texts built from macro parameters: unreadable without the preprocessor.
bool isMacroFragment(const std::string &Text) {
  return Text.find('#') != std::string::npos || Text.find("\" ") != std::string::npos;
}

void expectModelled(const AsmString &A) {
  SCOPED_TRACE("line " + std::to_string(A.Line) + ": " + A.Text);
  std::string Error;
  auto P = parse(A.Text, Error);
  ASSERT_TRUE(P) << Error;
  for (const Effect &E : effects(*P)) {
    EXPECT_NE(E.Kind, EffectKind::Unmodelled) << E.Reason;
    EXPECT_EQ(E.Condition.Kind, GuardKind::Always);
    for (const EntryArgument &G : E.Arguments)
      EXPECT_TRUE(G.Kind == ArgumentKind::Address ? G.Place.Value.known() : G.Value.known());
  }
}

TEST(Libcuxx, EverySynchronizingFormIsModelled) {
  const std::string Generated = Include + "cccl/cuda/__ptx/instructions/generated/";
  for (const char *Name : {"barrier_cluster",
                           "cp_async_bulk",
                           "cp_async_bulk_commit_group",
                           "cp_async_bulk_multicast",
                           "cp_async_bulk_wait_group",
                           "cp_async_mbarrier_arrive",
                           "cp_async_mbarrier_arrive_noinc",
                           "cp_reduce_async_bulk",
                           "cp_reduce_async_bulk_bf16",
                           "cp_reduce_async_bulk_f16",
                           "fence",
                           "fence_mbarrier_init",
                           "fence_proxy_alias",
                           "fence_proxy_async",
                           "fence_proxy_async_generic_sync_restrict",
                           "fence_proxy_tensormap_generic",
                           "fence_sync_restrict",
                           "mbarrier_arrive",
                           "mbarrier_arrive_expect_tx",
                           "mbarrier_arrive_no_complete",
                           "mbarrier_expect_tx",
                           "mbarrier_init",
                           "mbarrier_test_wait",
                           "mbarrier_test_wait_parity",
                           "mbarrier_try_wait",
                           "mbarrier_try_wait_parity",
                           "red_async",
                           "st_async",
                           "st_bulk"}) {
    std::vector<AsmString> All = asmStrings(Generated + Name + ".h");
    EXPECT_FALSE(All.empty()) << Name;
    for (const AsmString &A : All)
      expectModelled(A);
  }
  for (const char *Name : {"cuda_awbarrier_helpers.h", "cuda_pipeline_helpers.h",
                           "cccl/cuda/__barrier/barrier_block_scope.h"}) {
    std::vector<AsmString> All = asmStrings(Include + Name);
    EXPECT_FALSE(All.empty()) << Name;
    for (const AsmString &A : All)
      if (!isMacroFragment(A.Text))
        expectModelled(A);
  }
}

TEST(Toolkit, EveryAsmStringParses) {
  // Host assembly and the asm label of a declaration.
  const std::set<std::string> NotPtx = {"pause", "yield", "clock32"};
  std::set<std::string> Seen, Unknown, Unparsed;
  for (const auto &Entry : std::filesystem::recursive_directory_iterator(Include)) {
    if (!Entry.is_regular_file())
      continue;
    for (const AsmString &A : asmStrings(Entry.path())) {
      if (isMacroFragment(A.Text) || !Seen.insert(A.Text).second)
        continue;
      std::string Error;
      auto P = parse(A.Text, Error);
      if (!P) {
        Unparsed.insert(Entry.path().string() + ":" + std::to_string(A.Line) + ": " + Error);
        continue;
      }
      for (const Statement &S : P->Statements)
        if (S.Kind == StatementKind::Instruction && !isKnownOpcode(S) && !NotPtx.count(S.Opcode))
          Unknown.insert(S.Opcode + "  in " + Entry.path().string());
    }
  }
  EXPECT_GT(Seen.size(), 1500u);
  for (const std::string &U : Unparsed)
    ADD_FAILURE() << "not parsed: " << U;
  for (const std::string &U : Unknown)
    ADD_FAILURE() << "not in ptx.def: " << U;
}

} // namespace
