#include "cpu/reduction.h"

#include "cpu/half.h"

#include <algorithm>
#include <bit>
#include <string.h>
#include <type_traits>

using namespace scopesan::cpu;

namespace {

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
