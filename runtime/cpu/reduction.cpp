#include "cpu/reduction.h"

#include <algorithm>
#include <bit>
#include <string.h>
#include <type_traits>

using namespace scopesan::cpu;

namespace {

/// Bits of a 16-bit float and its value.
template <bool Brain> struct Half {
  uint16_t Bits;
  explicit operator float() const {
    if (Brain)
      return std::bit_cast<float>(uint32_t(Bits) << 16);
    uint32_t Sign = uint32_t(Bits >> 15) << 31, Exponent = Bits >> 10 & 31, Fraction = Bits & 1023;
    if (Exponent == 31)
      return std::bit_cast<float>(Sign | 0x7f800000 | Fraction << 13);
    if (Exponent)
      return std::bit_cast<float>(Sign | (Exponent + 112) << 23 | Fraction << 13);
    float Small = float(Fraction) * 0x1p-24f;
    return Sign ? -Small : Small;
  }
  /// Rounds to nearest even.
  static Half of(float V) {
    uint32_t B = std::bit_cast<uint32_t>(V), Sign = B >> 16 & 0x8000, Magnitude = B & 0x7fffffff;
    if (Magnitude > 0x7f800000)
      return {0x7fff};
    if (Brain)
      return {uint16_t((B + 0x7fff + (B >> 16 & 1)) >> 16)};
    if (Magnitude >= 0x477ff000) // rounds to infinity
      return {uint16_t(Sign | 0x7c00)};
    if (Magnitude <
        0x38800000) { // denormal: adding 0.5 leaves the rounded fraction in the low bits
      uint32_t Rounded = std::bit_cast<uint32_t>(std::bit_cast<float>(Magnitude) + 0.5f);
      return {uint16_t(Sign | (Rounded - 0x3f000000))};
    }
    uint32_t Rounded = Magnitude + 0xfff + (Magnitude >> 13 & 1) - (112u << 23);
    return {uint16_t(Sign | Rounded >> 13)};
  }
};

template <typename T> T combineInteger(ReduceOp Op, T Old, T V) {
  switch (Op) {
  case ReduceOp::Add:
    return T(std::make_unsigned_t<T>(Old) + std::make_unsigned_t<T>(V));
  case ReduceOp::Min:
    return std::min(Old, V);
  case ReduceOp::Max:
    return std::max(Old, V);
  case ReduceOp::Inc:
    return Old >= V ? T(0) : T(Old + 1);
  case ReduceOp::Dec:
    return Old == 0 || Old > V ? V : T(Old - 1);
  case ReduceOp::And:
    return Old & V;
  case ReduceOp::Or:
    return Old | V;
  case ReduceOp::Xor:
    return Old ^ V;
  case ReduceOp::None:
    break;
  }
  return V;
}

template <typename T> T combineFloat(ReduceOp Op, T Old, T V) {
  switch (Op) {
  case ReduceOp::Min:
    return Old < V || V != V ? Old : V;
  case ReduceOp::Max:
    return Old > V || V != V ? Old : V;
  default:
    return Old + V;
  }
}

template <typename T, typename F>
void each(void *To, const void *Values, uint64_t Bytes, F Combine) {
  for (uint64_t At = 0; At + sizeof(T) <= Bytes; At += sizeof(T)) {
    T Old, V;
    memcpy(&Old, static_cast<char *>(To) + At, sizeof(T));
    memcpy(&V, static_cast<const char *>(Values) + At, sizeof(T));
    Old = Combine(Old, V);
    memcpy(static_cast<char *>(To) + At, &Old, sizeof(T));
  }
}

template <typename T> void integers(ReduceOp Op, void *To, const void *Values, uint64_t Bytes) {
  each<T>(To, Values, Bytes, [Op](T Old, T V) { return combineInteger(Op, Old, V); });
}
template <typename T> void floats(ReduceOp Op, void *To, const void *Values, uint64_t Bytes) {
  each<T>(To, Values, Bytes, [Op](T Old, T V) { return combineFloat(Op, Old, V); });
}
template <bool Brain> void halves(ReduceOp Op, void *To, const void *Values, uint64_t Bytes) {
  using T = Half<Brain>;
  each<T>(To, Values, Bytes,
          [Op](T Old, T V) { return T::of(combineFloat(Op, float(Old), float(V))); });
}

} // namespace

uint32_t scopesan::cpu::elementBytes(ReduceType T) {
  switch (T) {
  case ReduceType::F16:
  case ReduceType::BF16:
    return 2;
  case ReduceType::U64:
  case ReduceType::S64:
  case ReduceType::F64:
    return 8;
  default:
    return 4;
  }
}

void scopesan::cpu::reduce(Reduction R, void *To, const void *Values, uint64_t Bytes) {
  switch (R.type()) {
  case ReduceType::U32:
    return integers<uint32_t>(R.op(), To, Values, Bytes);
  case ReduceType::S32:
    return integers<int32_t>(R.op(), To, Values, Bytes);
  case ReduceType::U64:
    return integers<uint64_t>(R.op(), To, Values, Bytes);
  case ReduceType::S64:
    return integers<int64_t>(R.op(), To, Values, Bytes);
  case ReduceType::F16:
    return halves<false>(R.op(), To, Values, Bytes);
  case ReduceType::BF16:
    return halves<true>(R.op(), To, Values, Bytes);
  case ReduceType::F32:
    return floats<float>(R.op(), To, Values, Bytes);
  case ReduceType::F64:
    return floats<double>(R.op(), To, Values, Bytes);
  }
}
