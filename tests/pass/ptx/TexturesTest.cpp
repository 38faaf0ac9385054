// Forms of texture and surface instructions, and the intrinsics that stand for them.
#include "Show.h"

#include "Parser.h"
#include "Textures.h"

#include <gtest/gtest.h>

#include <string>

namespace {

namespace ptx = scopesan::ptx;
using scopesan::abi::SurfaceBoundary;
using scopesan::abi::TextureForm;
using scopesan::abi::TextureGeometry;
using scopesan::abi::TextureOperation;
using scopesan::test::show;

struct Row {
  const char *Text;
  TextureForm Form;
  const char *Coordinates; ///< numbers of the operands
};

constexpr auto Fetch = TextureOperation::Fetch, Gather = TextureOperation::Gather,
               Read = TextureOperation::SurfaceRead, Write = TextureOperation::SurfaceWrite;
constexpr auto Trap = SurfaceBoundary::Trap, Clamp = SurfaceBoundary::Clamp,
               Zero = SurfaceBoundary::Zero;
using G = TextureGeometry;

constexpr Row Rows[] = {
    {"tex.1d.v4.f32.s32 {$0, $1, $2, $3}, [$4, {$5}];", {Fetch, G::D1, false}, "5"},
    {"tex.1d.v4.s32.s32 {$0, $1, $2, $3}, [$4, $5];", {Fetch, G::D1, false}, "5"},
    {"tex.1d.v4.u32.f32 {$0, $1, $2, $3}, [$4, {$5}];", {Fetch, G::D1, true}, "5"},
    {"tex.a1d.v4.f32.f32 {$0, $1, $2, $3}, [$4, {$5, $6}];", {Fetch, G::D1Array, true}, "56"},
    {"tex.2d.v4.f32.f32 {$0, $1, $2, $3}, [$4, {$5, $6}];", {Fetch, G::D2, true}, "56"},
    {"tex.base.2d.v4.f32.f32 {$0, $1, $2, $3}, [$4, {$5, $6}];", {Fetch, G::D2, true}, "56"},
    {"tex.a2d.v4.f32.f32 {$0, $1, $2, $3}, [$4, {$5, $6, $7, $7}];",
     {Fetch, G::D2Array, true},
     "567"},
    {"tex.3d.v4.s32.f32 {$0, $1, $2, $3}, [$4, {$5, $6, $7, $7}];", {Fetch, G::D3, true}, "567"},
    {"tex.cube.v4.f32.f32 {$0, $1, $2, $3}, [$4, {$5, $6, $7, $7}];",
     {Fetch, G::Cube, true},
     "567"},
    {"tex.acube.v4.f32.f32 {$0, $1, $2, $3}, [$4, {$5, $6, $7, $8}];",
     {Fetch, G::CubeArray, true},
     "5678"},
    {"tex.level.2d.v4.f32.f32 {$0, $1, $2, $3}, [$4, {$5, $6}], $7;", {Fetch, G::D2, true}, "56"},
    {"tex.grad.2d.v4.f32.f32 {$0, $1, $2, $3}, [$4, {$5, $6}], {$7, $8}, {$9, $9};",
     {Fetch, G::D2, true},
     "56"},
    {"{.reg .pred %p0; tex.2d.v4.f32.f32 {$0, $1, $2, $3}|%p0, [$5, {$6, $7}]; "
     "selp.u16 $4, 1, 0, %p0; }",
     {Fetch, G::D2, true},
     "67"},
    {"tld4.g.2d.v4.u32.f32 {$0, $1, $2, $3}, [$4, {$5, $6}];", {Gather, G::D2, true, 1}, "56"},
    {"tld4.a.2d.v4.f32.f32 {$0, $1, $2, $3}, [$4, {$5, $6}];", {Gather, G::D2, true, 3}, "56"},
    {"suld.b.1d.b8.trap {$0}, [$1, {$2}];", {Read, G::D1, false, 0, Trap, 1, 1}, "2"},
    {"suld.b.2d.v2.b64.clamp {$0, $1}, [$2, {$3, $4}];",
     {Read, G::D2, false, 0, Clamp, 8, 2},
     "34"},
    {"suld.b.3d.v4.b32.zero {$0, $1, $2, $3}, [$4, {$5, $6, $7, $7}];",
     {Read, G::D3, false, 0, Zero, 4, 4},
     "567"},
    {"suld.b.a1d.cg.b16.trap {$0}, [$1, {$3, $2}];",
     {Read, G::D1Array, false, 0, Trap, 2, 1},
     "32"},
    {"sust.b.a2d.v2.b16.zero [$0, {$3, $1, $2, $2}], {$4, $5};",
     {Write, G::D2Array, false, 0, Zero, 2, 2},
     "312"},
    {"sust.b.1d.b32.trap [$0, {$1}], $2;", {Write, G::D1, false, 0, Trap, 4, 1}, "1"},
};

/// The texture or surface instruction of the text.
const ptx::Statement &instruction(const ptx::Program &P) {
  for (const ptx::Statement &S : P.Statements)
    if (S.Kind == ptx::StatementKind::Instruction)
      return S;
  return P.Statements[0];
}

TEST(Textures, Forms) {
  for (const Row &R : Rows) {
    std::string Error, Coordinates;
    std::string_view Why;
    auto P = ptx::parse(R.Text, Error);
    ASSERT_TRUE(P) << R.Text << ": " << Error;
    auto F = ptx::textureForm(instruction(*P), Why);
    ASSERT_TRUE(F) << R.Text << ": " << Why;
    EXPECT_EQ(*F, R.Form) << R.Text;
    EXPECT_EQ(TextureForm::fromRaw(F->raw()), *F) << R.Text;
    for (const ptx::Operand &O : ptx::textureCoordinates(instruction(*P), *F))
      Coordinates += std::to_string(O.Index);
    EXPECT_EQ(Coordinates, R.Coordinates) << R.Text;
    EXPECT_TRUE(show(R.Text).starts_with("texture() ")) << R.Text;
  }
}

TEST(Textures, FormsThatAreNotModelled) {
  constexpr std::pair<const char *, const char *> Forms[] = {
      {"tex.2d.v4.f32.f32 {$0, $1, $2, $3}, [$4, $5, {$6, $7}];",
       "X1 texture fetch with a sampler of its own"},
      {"tex.2d.v4.f32.f32 {$0, $1, $2, $3}, [$4, {$5, $6}], {$7, $8};",
       "X1 texture fetch with offsets or a depth comparison"},
      {"tex.2d.v2.f16x2.f32 {$0, $1}, [$2, {$3, $4}];",
       "X1 texture fetch of a geometry or type that is not modelled"},
      {"tex.2dms.v4.f32.s32 {$0, $1, $2, $3}, [$4, {$5, $6, $7, $8}];",
       "X1 texture fetch of a geometry or type that is not modelled"},
      {"tex.2d.v4.f32.f32 {$0, $1, $2, $3}, [$4, {$5}];", "X1 unknown form of texture fetch"},
      {"tex.2d.v4.f32.f32 {$0, $1}, [$4, {$5, $6}];", "X1 unknown form of texture fetch"},
      {"tex.level.2d.v4.f32.f32 {$0, $1, $2, $3}, [$4, {$5, $6}];",
       "X1 unknown form of texture fetch"},
      {"tld4.x.2d.v4.f32.f32 {$0, $1, $2, $3}, [$4, {$5, $6}];",
       "X1 unknown form of texture fetch"},
      {"tld4.r.a2d.v4.f32.f32 {$0, $1, $2, $3}, [$4, {$5, $6, $7, $7}];",
       "X1 unknown form of texture fetch"},
      {"suld.b.1d.b32 $0, [$1, {$2}];", "X1 unknown form of surface access"},
      {"suld.b.1d.v4.b64.trap {$0, $1, $2, $3}, [$4, {$5}];", "X1 unknown form of surface access"},
      {"sust.b.2d.b32.trap [$0, {$1}], $2;", "X1 unknown form of surface access"},
      {"sust.b.1d.v2.b32.trap [$0, {$1}], {$2};", "X1 unknown form of surface access"},
      {"sust.p.1d.b32.trap [$0, {$1}], {$2};", "X1 formatted surface access"},
      {"sured.b.add.2d.u32.clamp [$0, {$1, $2}], $3;", "X1 reduction on a surface"},
  };
  for (auto [Text, Effects] : Forms)
    EXPECT_EQ(show(Text), Effects) << Text;
}

TEST(Textures, Intrinsics) {
  constexpr std::pair<const char *, const char *> Names[] = {
      {"tex.unified.1d.v4f32.s32", "tex.1d.v4.f32.s32 {_, _, _, _}, [$0, {$1}];"},
      {"tex.unified.1d.array.v4s32.f32", "tex.a1d.v4.s32.f32 {_, _, _, _}, [$0, {$1, $2}];"},
      {"tex.unified.2d.array.level.v4u32.f32",
       "tex.level.a2d.v4.u32.f32 {_, _, _, _}, [$0, {$1, $2, $3, $3}], $4;"},
      {"tex.unified.2d.grad.v4f32.f32",
       "tex.grad.2d.v4.f32.f32 {_, _, _, _}, [$0, {$1, $2}], {$3, $4}, {$5, $6};"},
      {"tex.unified.3d.v4f32.f32", "tex.3d.v4.f32.f32 {_, _, _, _}, [$0, {$1, $2, $3, $3}];"},
      {"tex.unified.cube.array.v4f32.f32",
       "tex.acube.v4.f32.f32 {_, _, _, _}, [$0, {$1, $2, $3, $4}];"},
      {"tex.2d.v4f32.f32", "tex.2d.v4.f32.f32 {_, _, _, _}, [$0, $1, {$2, $3}];"},
      {"tld4.unified.b.2d.v4f32.f32", "tld4.b.2d.v4.f32.f32 {_, _, _, _}, [$0, {$1, $2}];"},
      {"suld.1d.i8.trap", "suld.b.1d.b8.trap {_}, [$0, {$1}];"},
      {"suld.2d.array.v2i16.clamp", "suld.b.a2d.v2.b16.clamp {_, _}, [$0, {$1, $2, $3, $3}];"},
      {"suld.3d.v4i32.zero", "suld.b.3d.v4.b32.zero {_, _, _, _}, [$0, {$1, $2, $3, $3}];"},
      {"sust.b.2d.i64.zero", "sust.b.2d.b64.zero [$0, {$1, $2}], {$3};"},
      {"sust.b.1d.array.v4i8.clamp", "sust.b.a1d.v4.b8.clamp [$0, {$1, $2}], {$3, $4, $5, $6};"},
      {"sust.p.1d.i32.trap", "sust.p.1d.b32.trap [$0, {$1}], {$2};"},
      {"texture.something", ""},
      {"suld.4d.i8.trap", ""},
      {"ldg.global.i", ""}};
  for (auto [Name, Text] : Names)
    EXPECT_EQ(ptx::textureIntrinsic(Name), Text) << Name;
  for (auto [Name, Text] : Names)
    if (*Text && !std::string(Name).starts_with("sust.p") &&
        std::string(Name) != "tex.2d.v4f32.f32")
      EXPECT_TRUE(show(Text).starts_with("texture() ")) << Text << ": " << show(Text);
}

} // namespace
