#include "Parser.h"

#include <gtest/gtest.h>

using namespace scopesan::ptx;

namespace {

Program parsed(std::string_view Text) {
  std::string Error;
  auto P = parse(Text, Error);
  EXPECT_TRUE(P) << Error;
  return P ? *P : Program();
}

std::string errorOf(std::string_view Text) {
  std::string Error;
  EXPECT_FALSE(parse(Text, Error));
  return Error;
}

TEST(Parser, OneInstruction) {
  Program P = parsed("ld.acquire.gpu.u32 $0, [$1];");
  ASSERT_EQ(P.Statements.size(), 1u);
  const Statement &S = P.Statements[0];
  EXPECT_EQ(S.Opcode, "ld.acquire.gpu.u32");
  EXPECT_EQ(S.Parts, (std::vector<std::string>{"ld", "acquire", "gpu", "u32"}));
  EXPECT_EQ(S.Text, "ld.acquire.gpu.u32 $0, [$1]");
  ASSERT_EQ(S.Operands.size(), 2u);
  EXPECT_TRUE(S.Operands[0].is(OperandKind::Asm));
  EXPECT_EQ(S.Operands[0].Index, 0u);
  EXPECT_TRUE(S.Operands[1].is(OperandKind::Memory));
  EXPECT_EQ(S.Operands[1].Elements[0].Index, 1u);
}

TEST(Parser, SeveralStatementsScopesAndDeclarations) {
  Program P = parsed("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, $1, 0;\n\t@!p ld.u32 $0, [$2+4]; }");
  ASSERT_EQ(P.Registers.size(), 1u);
  EXPECT_EQ(P.Registers[0].Type, "pred");
  ASSERT_EQ(P.Statements.size(), 5u);
  EXPECT_EQ(P.Statements[0].Kind, StatementKind::ScopeOpen);
  EXPECT_EQ(P.Statements[1].Kind, StatementKind::Declaration);
  const Statement &Load = P.Statements[3];
  ASSERT_EQ(Load.Guard.size(), 1u);
  EXPECT_TRUE(Load.Guard[0].Negated);
  EXPECT_TRUE(Load.Guard[0].is(OperandKind::Register));
  EXPECT_EQ(Load.Operands[1].Offset, 4);
  EXPECT_EQ(P.Statements[4].Kind, StatementKind::ScopeClose);
}

TEST(Parser, InnerScopeHidesOuterName) {
  Program P = parsed("{ .reg .b32 r; { .reg .b64 r; mov.b64 r, 1; } mov.b32 r, 2; }");
  ASSERT_EQ(P.Registers.size(), 2u);
  EXPECT_EQ(P.Statements[4].Operands[0].Index, 1u);
  EXPECT_EQ(P.Statements[6].Operands[0].Index, 0u);
}

TEST(Parser, SpecialAndDeclaredPercentNames) {
  Program P =
      parsed("{.reg .pred %p; .reg .b32 %r<3>; setp.eq.u32 %p, %tid.x, 0; mov.b32 %r2, %r1;}");
  ASSERT_EQ(P.Registers.size(), 4u);
  EXPECT_EQ(P.Registers[3].Name, "%r2");
  const Statement &S = P.Statements[3];
  EXPECT_TRUE(S.Operands[0].is(OperandKind::Register));
  EXPECT_TRUE(S.Operands[1].is(OperandKind::Special));
  EXPECT_EQ(S.Operands[1].Name, "%tid.x");
}

TEST(Parser, VectorsPairsSinks) {
  Program P = parsed("shfl.sync.up.b32 $0|p, $1, 1, 0, -1; ld.v2.u64 {$0, _}, [$2 + -16];"
                     "elect.sync _|q, 0xffffffff;");
  EXPECT_EQ(P.Statements[0].Operands[0].Second[0].Name, "p");
  EXPECT_EQ(P.Statements[0].Operands[4].Bits, ~uint64_t(0));
  EXPECT_TRUE(P.Statements[1].Operands[0].is(OperandKind::Vector));
  EXPECT_TRUE(P.Statements[1].Operands[0].Elements[1].is(OperandKind::Sink));
  EXPECT_EQ(P.Statements[1].Operands[1].Offset, -16);
  EXPECT_EQ(P.Statements[2].Operands[1].Bits, 0xffffffffu);
}

TEST(Parser, Literals) {
  Program P = parsed("mov.f32 $0, 0f3F800000; mov.f64 $1, 0dBFF0000000000000; mov.u32 $2, 0x10U;"
                     "mov.s32 $3, -5; mov.f32 $4, -1.5; mov.u32 $5, 0b101; mov.u32 $6, 017;");
  EXPECT_EQ(P.Statements[0].Operands[1].Bits, 0x3F800000u);
  EXPECT_EQ(P.Statements[0].Operands[1].FloatBits, 32);
  EXPECT_EQ(P.Statements[1].Operands[1].Bits, 0xBFF0000000000000u);
  EXPECT_EQ(P.Statements[2].Operands[1].Bits, 16u);
  EXPECT_EQ(int64_t(P.Statements[3].Operands[1].Bits), -5);
  EXPECT_EQ(P.Statements[4].Operands[1].Bits, 0xBFF8000000000000u);
  EXPECT_EQ(P.Statements[5].Operands[1].Bits, 5u);
  EXPECT_EQ(P.Statements[6].Operands[1].Bits, 15u);
}

TEST(Parser, LabelsUidsDollarsModifiers) {
  Program P = parsed("L${:uid}: .reg .b128 _v${:uid}; mov.b128 _v${:uid}, {${0:x}, $1};"
                     "$$again: bra $$again; @q bra.uni L${:uid};");
  EXPECT_EQ(P.Statements[0].Kind, StatementKind::Label);
  EXPECT_EQ(P.Statements[0].Opcode, "Luid");
  EXPECT_EQ(P.Statements[2].Operands[0].Name, "_vuid");
  EXPECT_EQ(P.Statements[2].Operands[1].Elements[0].Modifier, 'x');
  EXPECT_EQ(P.Statements[3].Opcode, "$again");
  EXPECT_EQ(P.Statements[4].Operands[0].Name, "$again");
}

TEST(Parser, CommentsAndDirectives) {
  Program P = parsed(".pragma \"nounroll\"; // a; b\n membar.gl; /* x; */ bar.sync 0;");
  ASSERT_EQ(P.Statements.size(), 3u);
  EXPECT_EQ(P.Statements[0].Kind, StatementKind::Directive);
  EXPECT_EQ(P.Statements[1].Opcode, "membar.gl");
  EXPECT_EQ(P.Statements[2].Text, "bar.sync 0");
}

TEST(Parser, TensorAddress) {
  Program P =
      parsed("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
             "[$0], [$1, {$2, $3}], [$4];");
  const Operand &M = P.Statements[0].Operands[1];
  ASSERT_EQ(M.Elements.size(), 2u);
  EXPECT_EQ(M.Elements[1].Elements[1].Index, 3u);
}

TEST(Parser, Errors) {
  EXPECT_EQ(errorOf("ld.u32 $0, [$1"), "',' or ']' expected at the end");
  EXPECT_EQ(errorOf("}"), "unmatched '}' at the end");
  EXPECT_EQ(errorOf("mov.u32 $0 $1;"), "',' or ';' expected at '$1;'");
  EXPECT_EQ(errorOf(".reg;"), "register declaration without a type at ';'");
  EXPECT_EQ(errorOf("mov.b32 r, ?;"), "operand expected at '?;'");
}

} // namespace
