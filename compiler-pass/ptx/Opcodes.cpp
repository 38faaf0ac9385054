#include "Opcodes.h"

#include <algorithm>
#include <string>

namespace scopesan::ptx {
namespace {

struct OpcodeRow {
  std::string_view Name;
  OpcodeClass Class;
};
constexpr OpcodeRow OpcodeTable[] = {
#define SCOPESAN_PTX_OPCODE(name, class) {name, OpcodeClass::class},
#include "ptx.def"
};

enum class Field : uint8_t { Order, Scope, Space, Type, Vector, Rmw, Hint };

struct ModifierRow {
  std::string_view Text;
  Field What;
  unsigned Value, Elements;
};
constexpr ModifierRow ModifierTable[] = {
#define SCOPESAN_PTX_ORDER(text, order) {text, Field::Order, unsigned(abi::MemoryOrder::order), 0},
#define SCOPESAN_PTX_SCOPE(text, scope) {text, Field::Scope, unsigned(abi::Scope::scope), 0},
#define SCOPESAN_PTX_SPACE(text, space) {text, Field::Space, unsigned(abi::Space::space), 0},
#define SCOPESAN_PTX_TYPE(text, bytes, elements) {text, Field::Type, bytes, elements},
#define SCOPESAN_PTX_VECTOR(text, count) {text, Field::Vector, count, 0},
#define SCOPESAN_PTX_RMW(text, kind) {text, Field::Rmw, unsigned(abi::AccessKind::kind), 0},
#define SCOPESAN_PTX_HINT(text) {text, Field::Hint, 0, 0},
#include "ptx.def"
};

const ModifierRow *findModifier(std::string_view Text) {
  for (const ModifierRow &Row : ModifierTable)
    if (Row.Text == Text)
      return &Row;
  return nullptr;
}

/// True if `Name` is `Prefix` or continues it after a dot.
bool hasDottedPrefix(std::string_view Name, std::string_view Prefix) {
  return Name.starts_with(Prefix) && (Name.size() == Prefix.size() || Name[Prefix.size()] == '.');
}

void apply(const ModifierRow &Row, Modifiers &M) {
  switch (Row.What) {
  case Field::Order:
    M.Order = abi::MemoryOrder(Row.Value);
    return;
  case Field::Scope:
    M.Scope = abi::Scope(Row.Value);
    return;
  case Field::Space:
    (M.Space ? M.SecondSpace : M.Space) = abi::Space(Row.Value);
    return;
  case Field::Type:
    M.TypeBytes = Row.Value;
    M.TypeElements = Row.Elements;
    return;
  case Field::Vector:
    M.Vector = Row.Value;
    return;
  case Field::Rmw:
    M.Rmw = abi::AccessKind(Row.Value);
    return;
  case Field::Hint:
    return;
  }
}

} // namespace

std::optional<OpcodeClass> classify(const Statement &S) {
  const OpcodeRow *Best = nullptr;
  for (const OpcodeRow &Row : OpcodeTable)
    if (hasDottedPrefix(S.Opcode, Row.Name) && (!Best || Row.Name.size() > Best->Name.size()))
      Best = &Row;
  if (!Best)
    return std::nullopt;
  return Best->Class;
}

Modifiers decodeModifiers(const Statement &S, std::initializer_list<std::string_view> Further) {
  Modifiers M;
  for (size_t I = 1; I < S.Parts.size(); ++I) {
    std::string_view Part = S.Parts[I];
    if (Part == "volatile")
      M.Volatile = true;
    else if (Part == "mmio")
      M.Mmio = true;
    else if (Part == "nc")
      M.NonCoherent = true;
    else if (std::find(Further.begin(), Further.end(), Part) != Further.end())
      continue;
    else if (const ModifierRow *Row = findModifier(Part))
      apply(*Row, M);
    else if (!Part.starts_with("L1::") && !Part.starts_with("L2::")) // eviction and prefetch (O6)
      M.Unknown = M.Unknown.empty() ? Part : M.Unknown;
  }
  return M;
}

bool hasPart(const Statement &S, std::string_view Word) {
  return std::find(S.Parts.begin() + 1, S.Parts.end(), Word) != S.Parts.end();
}

} // namespace scopesan::ptx
