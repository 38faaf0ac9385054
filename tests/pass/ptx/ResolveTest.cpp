// Tracing of addresses, results and guards to the operands of the asm statement.
#include "Effects.h"
#include "Parser.h"

#include <gtest/gtest.h>

using namespace scopesan::abi;
using namespace scopesan::ptx;

namespace {

Effect only(std::string_view Text) {
  std::string Error;
  auto P = parse(Text, Error);
  EXPECT_TRUE(P) << Error;
  auto All = P ? effects(*P) : std::vector<Effect>();
  EXPECT_EQ(All.size(), 1u) << Text;
  return All.empty() ? Effect() : All[0];
}

TEST(Resolve, AddressThroughMovAddAndCvta) {
  Effect E = only("{ .reg .u64 a, b; mov.u64 a, $1; add.s64 b, a, 24; ld.global.u32 $0, [b+8]; }");
  EXPECT_EQ(E.Address.Value, ValueRef::asmOperand(1, 32));
  EXPECT_EQ(E.Address.Space, Space::Global);
  E = only("{ .reg .u64 a; cvta.to.shared.u64 a, $1; ld.shared.u32 $0, [a]; }");
  EXPECT_EQ(E.Address.Value, ValueRef::asmOperand(1));
  EXPECT_EQ(E.Address.Space, Space::Generic);
  EXPECT_EQ(E.Op.space(), Space::Shared);
  E = only("{ .reg .u64 a; cvta.shared.u64 a, $1; st.u32 [a], 1; }");
  EXPECT_EQ(E.Address.Space, Space::Shared);
  E = only("{ .reg .u64 a; .reg .u32 s; mov.u32 s, $1; cvt.u64.u32 a, s; ld.shared.u32 $0, [a]; }");
  EXPECT_EQ(E.Address.Value, ValueRef::asmOperand(1));
}

TEST(Resolve, UnknownAddresses) {
  EXPECT_FALSE(only("{ .reg .u64 a; mul.lo.u64 a, $1, 4; ld.u32 $0, [a]; }").Address.Value.known());
  EXPECT_FALSE(only("ld.u32 $0, [variable];").Address.Value.known());
  EXPECT_FALSE(only("ld.u32 $0, [$1+$2];").Address.Value.known());
  EXPECT_FALSE(only("add.u64 $1, $1, $3; ld.u32 $0, [$1];").Address.Value.known());
  EXPECT_FALSE(only("{ .reg .pred p; @p mov.u64 $1, $3; ld.u32 $0, [$1]; }").Address.Value.known());
}

TEST(Resolve, ResultsAtTheEnd) {
  Effect E = only("{ .reg .u8 d; ld.global.nc.u8 d, [$1]; cvt.u16.u8 $0, d;}");
  EXPECT_EQ(E.Result, std::vector{ValueRef::asmOperand(0)});
  EXPECT_EQ(E.PartBytes, 1u);
  EXPECT_TRUE(only("ld.u32 $0, [$1]; add.u32 $0, $0, 1;").Result.empty());
  EXPECT_TRUE(only("{ .reg .u32 r; ld.u32 r, [$1]; mov.u32 r, 0; mov.u32 $0, r; }").Result.empty());
  EXPECT_TRUE(only("atom.add.u32 _, [$0], 1;").Result.empty());
}

TEST(Resolve, GuardsBySetp) {
  Effect E = only("{ .reg .pred p; setp.ne.b32 p, $2, 0; @p ld.global.u32 $0, [$1]; }");
  EXPECT_EQ(E.Condition.Kind, GuardKind::Compare);
  EXPECT_EQ(E.Condition.Cmp, Comparison::Ne);
  EXPECT_EQ(E.Condition.Lhs, ValueRef::asmOperand(2));
  EXPECT_EQ(E.Condition.Rhs, ValueRef::constant(0));
  EXPECT_FALSE(E.Condition.Negated);
  E = only("{ .reg .pred p; setp.lt.s64 p, $2, $3; @!p st.u32 [$1], 1; }");
  EXPECT_TRUE(E.Condition.Signed);
  EXPECT_TRUE(E.Condition.Negated);
  EXPECT_EQ(E.Condition.Bits, 64u);
  E = only("{ .reg .pred p; setp.hi.u32 p, $2, $3; @p st.u32 [$1], 1; }");
  EXPECT_EQ(E.Condition.Cmp, Comparison::Gt);
  EXPECT_FALSE(E.Condition.Signed);
}

TEST(Resolve, GuardOperandAndUnresolvableGuards) {
  EXPECT_EQ(only("@$2 st.u32 [$0], $1;").Condition.Kind, GuardKind::Operand);
  EXPECT_EQ(only("{ .reg .pred p; setp.lt.f32 p, $2, $3; @p st.u32 [$0], $1; }").Condition.Kind,
            GuardKind::Unresolvable);
  EXPECT_EQ(
      only("{ .reg .pred p; vote.sync.any.pred p, q, -1; @p st.u32 [$0], $1; }").Condition.Kind,
      GuardKind::Unresolvable);
  EXPECT_EQ(only("bra END; st.u32 [$0], $1; END:").Condition.Kind, GuardKind::Unresolvable);
  EXPECT_EQ(only("LOOP: ld.acquire.gpu.u32 $0, [$1];").Condition.Kind, GuardKind::Unresolvable);
  EXPECT_EQ(only("st.u32 [$0], $1; bra END; END:").Condition.Kind, GuardKind::Always);
}

/// Numbers of the statements and their conditions: "3 if !p".
std::string conditions(std::string_view Text) {
  std::string Error, Result;
  auto P = parse(Text, Error);
  EXPECT_TRUE(P) << Error;
  for (const Effect &E : effects(*P)) {
    Result += Result.empty() ? "" : "; ";
    Result += E.Kind == EffectKind::Unmodelled ? "X1" : std::to_string(E.bytes());
    if (E.Condition.Kind == GuardKind::Compare)
      Result += E.Condition.Negated ? " if !p" : " if p";
    else if (E.Condition.Kind != GuardKind::Always)
      Result += " if ?";
  }
  return Result;
}
std::string under(std::string_view Text) {
  return conditions("{ .reg .pred p, q; setp.ne.b32 p, $2, 0; setp.ne.b32 q, $3, 0; " +
                    std::string(Text) + " }");
}

TEST(Resolve, BranchesForwardAreConditions) {
  EXPECT_EQ(under("@p bra L; st.u32 [$0], 1; L:"), "4 if !p");
  EXPECT_EQ(under("@!p bra L; st.u32 [$0], 1; L: st.u8 [$1], 1;"), "4 if p; 1");
  EXPECT_EQ(under("@p bra.uni L; st.u32 [$0], 1; st.u16 [$1], 1; L:"), "4 if !p; 2 if !p");
  EXPECT_EQ(under("@p bra L; st.u32 [$0], 1; bra M; L: st.u16 [$0], 1; M: st.u8 [$0], 1;"),
            "4 if !p; 2 if p; 1");
  EXPECT_EQ(under("@p bra L; @!p st.u32 [$0], 1; L:"), "4 if !p") << "under the same condition";
  EXPECT_EQ(under("@p bra L; st.u32 [$0], 1; L: @q bra M; st.u16 [$0], 1; M:"), "4 if !p; 2 if !p")
      << "one after the other";
  EXPECT_EQ(under("@p bra L; red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::"
                  "bytes.inc.u32 [$0], 1, [$1]; L:"),
            "0 if !p");
}

TEST(Resolve, BranchesThatAreNoConditions) {
  EXPECT_EQ(under("@p bra L; @q st.u32 [$0], 1; L:"), "4 if ?") << "two conditions";
  EXPECT_EQ(under("@p bra L; setp.eq.u32 p, $2, 5; st.u32 [$0], 1; L:"), "4 if ?");
  EXPECT_EQ(under("@p bra L; @q bra M; st.u32 [$0], 1; M: L:"), "4 if ?");
  EXPECT_EQ(under("@p bra L; st.u32 [$0], 1; L: st.u16 [$0], 1; @q bra L;"), "4 if ?; 2 if ?");
  EXPECT_EQ(under("@p bra OUTSIDE; st.u32 [$0], 1;"), "4 if ?");
  EXPECT_EQ(under("@p bra L; call f; st.u32 [$0], 1; L:"), "X1 if ?; 4 if ?");
  EXPECT_EQ(under("L: st.u32 [$0], 1; @p bra L;"), "4 if ?");
  EXPECT_EQ(under("@p bra L; st.u32 [$0], 1; bra M; st.u8 [$0], 1; L: st.u16 [$0], 1; M:"),
            "4 if ?; 1 if ?; 2 if ?");
}

TEST(Resolve, ValuesSetUnderAConditionAreNotKnownAfterIt) {
  std::string Error;
  auto P = parse("{ .reg .pred p; .reg .u64 a; setp.ne.b32 p, $2, 0; mov.u64 a, $0; @p bra L; "
                 "mov.u64 a, $1; st.u32 [a], 1; L: st.u16 [a], 1; }",
                 Error);
  ASSERT_TRUE(P) << Error;
  std::vector<Effect> All = effects(*P);
  ASSERT_EQ(All.size(), 2u);
  EXPECT_EQ(All[0].Address.Value, ValueRef::asmOperand(1));
  EXPECT_FALSE(All[1].Address.Value.known());
}

} // namespace
