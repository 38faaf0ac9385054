#include "Show.h"

#include "Effects.h"
#include "Parser.h"

namespace scopesan::test {
namespace {

using namespace ptx;

std::string show(const ValueRef &V) {
  if (V.Kind == ValueKind::Unknown)
    return "?";
  if (V.Kind == ValueKind::Constant)
    return std::to_string(V.Addend);
  return "$" + std::to_string(V.AsmIndex) + (V.Addend ? "+" + std::to_string(V.Addend) : "");
}

std::string show(abi::Space S) {
  static const char *const Names[] = {"", "global", "shared", "cluster", "const", "local"};
  return Names[unsigned(S)];
}

std::string show(const Guard &G) {
  static const char *const Names[] = {"==", "!=", "<", "<=", ">", ">="};
  std::string Not = G.Negated ? "!" : "";
  switch (G.Kind) {
  case GuardKind::Always:
    return "";
  case GuardKind::Operand:
    return Not + show(G.Lhs);
  case GuardKind::Compare:
    return Not + "(" + show(G.Lhs) + Names[unsigned(G.Cmp)] + show(G.Rhs) + ")";
  case GuardKind::Unresolvable:
    return "?";
  }
  return "";
}

std::string show(const AddressRef &A) {
  if (A.Value == ValueRef::constant(0) && A.Space == abi::Space::Generic)
    return "null";
  return "&" + show(A.Value) + "@" + show(A.Space) + (A.Rank ? "^" + show(*A.Rank) : "");
}

std::string show(const EntryArgument &A) {
  switch (A.Kind) {
  case ArgumentKind::Number:
    return show(A.Value) + (A.ZeroIf ? " " + show(*A.ZeroIf) + "?0" : "");
  case ArgumentKind::Address:
    return show(A.Place);
  case ArgumentKind::Outcome:
    return show(A.Value) + "==" + std::to_string(A.Expected);
  case ArgumentKind::LeftOut:
    return "~" + show(A.Value);
  }
  return "";
}

std::string show(abi::Op Op) {
  static const char *const Kinds[] = {"load", "store", "rmw", "cas", "red", "fence", "copy"};
  static const char *const Orders[] = {"weak", "relaxed", "acquire", "release", "acq_rel", "sc"};
  static const char *const Scopes[] = {"thread", "cta", "cluster", "gpu", "sys"};
  if (!Op.raw())
    return "";
  std::string Out = std::string(" ") + Kinds[unsigned(Op.kind())] + " " +
                    Orders[unsigned(Op.order())] + " " + Scopes[unsigned(Op.scope())];
  if (Op.space() != abi::Space::Generic)
    Out += " @" + show(Op.space());
  return Out;
}

std::string show(const Effect &E) {
  std::string Out;
  switch (E.Kind) {
  case EffectKind::Access:
    Out = "access(" + show(E.Address) + ", " + std::to_string(E.bytes()) +
          (E.Lanes < 32 ? ", lanes " + std::to_string(E.Lanes) : "") +
          (E.LaneStrideBits
               ? ", stride " + show(E.LaneStride) + "x" + std::to_string(E.LaneStrideBits)
               : "") +
          ")" + show(E.Op);
    break;
  case EffectKind::Fence:
    Out = "fence()" + show(E.Op);
    break;
  case EffectKind::BlockBarrier:
    Out = std::string("block_barrier") + (E.Aligned ? " aligned" : "");
    break;
  case EffectKind::WarpBarrier:
    Out = "warp_barrier";
    break;
  case EffectKind::Unmodelled:
    Out = "X1 " + E.Reason;
    break;
  case EffectKind::Entry:
    Out = std::string(E.Name.substr(E.Name.find("scopesan_") + 9)) + "(";
    for (const EntryArgument &A : E.Arguments)
      Out += (Out.back() == '(' ? "" : ", ") + show(A);
    Out += ")" + show(E.Op);
    break;
  }
  if (std::string G = show(E.Condition); !G.empty())
    Out += " if " + G;
  return Out + (E.After ? " after" : "") + (E.Publishes ? " publishes" : "") +
         (E.CpuOnly ? " cpu" : "") + (E.GpuOnly ? " gpu" : "");
}

} // namespace

std::string show(std::string_view Text) {
  std::string Error, Out;
  auto P = parse(Text, Error);
  if (!P)
    return "? " + Error;
  for (const Effect &E : effects(*P))
    Out += (Out.empty() ? "" : "; ") + show(E);
  return Out;
}

} // namespace scopesan::test
