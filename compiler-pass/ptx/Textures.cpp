#include "Textures.h"

#include "EffectBuilder.h"

#include <algorithm>
#include <bit>

namespace scopesan::ptx {

using abi::SurfaceBoundary;
using abi::TextureForm;
using abi::TextureGeometry;
using abi::TextureOperation;

namespace {

struct GeometryRow {
  std::string_view Ptx, Intrinsic;
  TextureGeometry Geometry;
  unsigned Written; ///< coordinates in the text: four where there are three
};
constexpr GeometryRow Geometries[] = {{"1d", "1d", TextureGeometry::D1, 1},
                                      {"a1d", "1d.array", TextureGeometry::D1Array, 2},
                                      {"2d", "2d", TextureGeometry::D2, 2},
                                      {"a2d", "2d.array", TextureGeometry::D2Array, 4},
                                      {"3d", "3d", TextureGeometry::D3, 4},
                                      {"cube", "cube", TextureGeometry::Cube, 4},
                                      {"acube", "cube.array", TextureGeometry::CubeArray, 4}};

const GeometryRow *geometryNamed(std::string_view Ptx) {
  for (const GeometryRow &R : Geometries)
    if (R.Ptx == Ptx)
      return &R;
  return nullptr;
}

/// The parts of an opcode, one by one.
class Parts {
public:
  explicit Parts(const Statement &S) : All(S.Parts) {}
  bool take(std::string_view Word) { return At < All.size() && All[At] == Word && ++At; }
  std::string_view next() { return At < All.size() ? std::string_view(All[At++]) : ""; }
  bool done() const { return At == All.size(); }

private:
  const std::vector<std::string> &All;
  size_t At = 1;
};

bool hasVector(const Operand &O, size_t Count) {
  return Count == 1 && !O.is(OperandKind::Vector)
             ? !O.is(OperandKind::Memory)
             : O.is(OperandKind::Vector) && O.Elements.size() == Count;
}

/// [object, {coordinates}]
const Operand *object(const Statement &S) {
  for (const Operand &O : S.Operands)
    if (O.is(OperandKind::Memory))
      return &O;
  return nullptr;
}

bool hasCoordinates(const Operand &Object, const GeometryRow &G) {
  return Object.Elements.size() == 2 && hasVector(Object.Elements[1], G.Written);
}

using Form = std::optional<TextureForm>;

Form no(std::string_view &Why, std::string_view Reason) {
  Why = Reason;
  return std::nullopt;
}

/// tex{.base|.level|.grad}.geom.v4.{f32|s32|u32}.{f32|s32}, tld4.component.geom.v4.dtype.f32
Form fetch(const Statement &S, std::string_view &Why) {
  constexpr std::string_view Unknown = "unknown form of texture fetch";
  Parts P(S);
  TextureForm F;
  bool Gather = S.Parts[0] == "tld4";
  size_t Operands = 2;
  if (Gather) {
    std::string_view Component = P.next();
    size_t At = std::string_view("rgba").find(Component);
    if (Component.size() != 1 || At == std::string_view::npos)
      return no(Why, Unknown);
    F.Operation = TextureOperation::Gather;
    F.Component = uint8_t(At);
  } else if (P.take("level")) {
    Operands = 3;
  } else if (P.take("grad")) {
    Operands = 4;
  } else {
    P.take("base");
  }
  const GeometryRow *G = geometryNamed(P.next());
  if (!G || !P.take("v4"))
    return no(Why, "texture fetch of a geometry or type that is not modelled");
  F.Geometry = G->Geometry;
  if (!P.take("f32") && !P.take("s32") && !P.take("u32"))
    return no(Why, "texture fetch of a geometry or type that is not modelled");
  F.FloatCoordinates = P.take("f32");
  if ((!F.FloatCoordinates && (Gather || !P.take("s32"))) || !P.done())
    return no(Why, Unknown);
  const Operand *Object = object(S);
  if (!Object || S.Operands.size() < Operands || Object != &S.Operands[1] ||
      !hasVector(S.Operands[0], 4))
    return no(Why, Unknown);
  if (Object->Elements.size() > 2)
    return no(Why, "texture fetch with a sampler of its own");
  if (S.Operands.size() > Operands)
    return no(Why, "texture fetch with offsets or a depth comparison");
  if (!hasCoordinates(*Object, *G) || (Gather && F.Geometry != TextureGeometry::D2))
    return no(Why, Unknown);
  return F;
}

/// suld.b.geom{.cache}{.vec}.type.boundary, sust.b likewise
Form surface(const Statement &S, std::string_view &Why) {
  constexpr std::string_view Unknown = "unknown form of surface access";
  Parts P(S);
  bool Write = S.Parts[0] == "sust";
  if (!P.take("b"))
    return no(Why, "formatted surface access");
  const GeometryRow *G = geometryNamed(P.next());
  if (!G || isCube(G->Geometry))
    return no(Why, Unknown);
  for (std::string_view Cache : {"ca", "cg", "cs", "cv", "wb", "wt"})
    if (P.take(Cache))
      break;
  TextureForm F;
  F.Operation = Write ? TextureOperation::SurfaceWrite : TextureOperation::SurfaceRead;
  F.Geometry = G->Geometry;
  F.Elements = P.take("v2") ? 2 : P.take("v4") ? 4 : 1;
  F.ElementBytes = P.take("b8") ? 1 : P.take("b16") ? 2 : P.take("b32") ? 4 : P.take("b64") ? 8 : 0;
  bool Bounded = true;
  if (P.take("clamp"))
    F.Boundary = SurfaceBoundary::Clamp;
  else if (P.take("zero"))
    F.Boundary = SurfaceBoundary::Zero;
  else
    Bounded = P.take("trap");
  const Operand *Object = object(S);
  if (!F.ElementBytes || F.bytes() > 16 || !Bounded || !P.done() || S.Operands.size() != 2 ||
      Object != &S.Operands[Write ? 0 : 1] || !hasCoordinates(*Object, *G) ||
      !hasVector(S.Operands[Write ? 1 : 0], F.Elements))
    return no(Why, Unknown);
  return F;
}

} // namespace

Form textureForm(const Statement &S, std::string_view &Why) {
  if (S.Parts[0] == "tex" || S.Parts[0] == "tld4")
    return fetch(S, Why);
  if (S.Parts[0] == "suld" || S.Parts[0] == "sust")
    return surface(S, Why);
  return no(Why, "reduction on a surface");
}

std::vector<Operand> textureCoordinates(const Statement &S, const TextureForm &F) {
  const Operand &O = object(S)->Elements[1];
  if (!O.is(OperandKind::Vector))
    return {O};
  return {O.Elements.begin(), O.Elements.begin() + F.coordinates()}; // a filler may follow
}

namespace {

/// Takes `Word` and the dot after it from the front of `Name`.
bool take(std::string_view &Name, std::string_view Word) {
  if (!Name.starts_with(Word) || (Name.size() > Word.size() && Name[Word.size()] != '.'))
    return false;
  Name.remove_prefix(std::min(Name.size(), Word.size() + 1));
  return true;
}

const GeometryRow *takeGeometry(std::string_view &Name) {
  const GeometryRow *Best = nullptr;
  for (const GeometryRow &R : Geometries)
    if (std::string_view Rest = Name;
        take(Rest, R.Intrinsic) && (!Best || R.Intrinsic.size() > Best->Intrinsic.size()))
      Best = &R;
  if (Best)
    take(Name, Best->Intrinsic);
  return Best;
}

/// "{$3, $4, $4}": `Count` operands from `Next` on, with fillers.
std::string operands(unsigned &Next, unsigned Count, unsigned Written) {
  std::string Text = "{";
  for (unsigned I = 0; I < Written; ++I)
    Text += (I ? ", $" : "$") + std::to_string(Next + std::min(I, Count - 1));
  Next += Count;
  return Text + "}";
}

unsigned count(const GeometryRow &G) { return TextureForm{{}, G.Geometry}.coordinates(); }

/// {unified.}geom{.level|.grad}.v4type.type
std::string fetchIntrinsic(std::string Opcode, std::string_view Name) {
  bool Unified = take(Name, "unified");
  unsigned Next = Unified ? 1 : 2;
  if (Opcode == "tld4") {
    Opcode += "." + std::string(Name.substr(0, 1));
    Name.remove_prefix(std::min<size_t>(2, Name.size()));
  }
  const GeometryRow *G = takeGeometry(Name);
  if (!G)
    return {};
  bool Level = take(Name, "level"), Gradients = take(Name, "grad");
  size_t Dot = Name.find('.');
  if (!Name.starts_with("v4") || Dot == std::string_view::npos)
    return {};
  std::string Text = Opcode +
                     (Level       ? ".level."
                      : Gradients ? ".grad."
                                  : ".") +
                     std::string(G->Ptx) + ".v4." + std::string(Name.substr(2, Dot - 2)) +
                     std::string(Name.substr(Dot)) + " {_, _, _, _}, [$0, " +
                     (Unified ? "" : "$1, ");
  Text += operands(Next, count(*G), G->Written) + "]";
  unsigned D = abi::dimensions(G->Geometry);
  if (Level)
    Text += ", $" + std::to_string(Next);
  for (int I = 0; Gradients && I < 2; ++I)
    Text += ", " + operands(Next, D, D);
  return Text + ";";
}

/// geom.{v2|v4}iN.boundary
std::string surfaceIntrinsic(std::string Opcode, std::string_view Name, bool Write) {
  const GeometryRow *G = takeGeometry(Name);
  if (!G)
    return {};
  unsigned Elements = Name.starts_with("v2") ? 2 : Name.starts_with("v4") ? 4 : 1;
  std::string Vector = Elements == 1 ? "." : ".v" + std::to_string(Elements) + ".";
  size_t Type = Name.find('i');
  if (Type == std::string_view::npos)
    return {};
  Opcode += "." + std::string(G->Ptx) + Vector + "b" + std::string(Name.substr(Type + 1)) + " ";
  unsigned Next = 1;
  std::string Object = "[$0, " + operands(Next, count(*G), G->Written) + "]";
  if (Write)
    return Opcode + Object + ", " + operands(Next, Elements, Elements) + ";";
  constexpr std::string_view Sinks = "{_, _, _, _";
  return Opcode + std::string(Sinks.substr(0, 3 * Elements - 1)) + "}, " + Object + ";";
}

} // namespace

std::string textureIntrinsic(std::string_view Name) {
  if (take(Name, "tex"))
    return fetchIntrinsic("tex", Name);
  if (take(Name, "tld4"))
    return fetchIntrinsic("tld4", Name);
  if (take(Name, "suld"))
    return surfaceIntrinsic("suld.b", Name, false);
  if (take(Name, "sust.b"))
    return surfaceIntrinsic("sust.b", Name, true);
  if (take(Name, "sust.p"))
    return surfaceIntrinsic("sust.p", Name, true);
  return {};
}

/// Which bytes it touches is known when it executes (O6, S13): the CPU backend tells the detector
/// then. On the GPU only the hardware knows.
void EffectBuilder::texture(unsigned At) {
  std::string_view Why;
  Form F = textureForm(Prog.Statements[At], Why);
  if (!F)
    return unmodelled(At, std::string(Why));
  bool Write = F->Operation == TextureOperation::SurfaceWrite;
  Effect E = entry("__scopesan_texture");
  E.Op = abi::Op(Write ? abi::AccessKind::Store : abi::AccessKind::Load, abi::MemoryOrder::Weak,
                 abi::Scope::Thread, abi::Space::Global)
             .with(F->isSurface() ? 0 : abi::Op::NonCoherentBit)
             .withElementLog2(F->isSurface() ? uint32_t(std::countr_zero(F->ElementBytes)) : 0);
  E.Announces = E.CpuOnly = true;
  push(std::move(E), At);
  Effect G;
  G.Kind = EffectKind::Unmodelled;
  G.GpuOnly = true;
  G.Reason = F->isSurface() ? "surface access, which the CPU backend models"
                            : "texture fetch, which the CPU backend models";
  push(std::move(G), At);
}

} // namespace scopesan::ptx
