// nvcc 12.8's compiler built-ins __nv_atomic_* (CUDA C++ Programming Guide, "Built-in CUDA Atomic
// Functions") as templates; order and scope must be constants, as with nvcc. The PTX is what nvcc
// 13.0 emits: consume is acquire, seq_cst is fence.sc before an acquire (a relaxed store), the
// scope of one thread is that of its block, a compare-exchange has its success order, every fence
// is fence.sc, and the expected value is stored in any case.
#pragma once
#pragma GCC system_header

enum {
  __NV_ATOMIC_RELAXED,
  __NV_ATOMIC_CONSUME,
  __NV_ATOMIC_ACQUIRE,
  __NV_ATOMIC_RELEASE,
  __NV_ATOMIC_ACQ_REL,
  __NV_ATOMIC_SEQ_CST
};
enum {
  __NV_THREAD_SCOPE_THREAD,
  __NV_THREAD_SCOPE_BLOCK,
  __NV_THREAD_SCOPE_CLUSTER,
  __NV_THREAD_SCOPE_DEVICE,
  __NV_THREAD_SCOPE_SYSTEM
};

namespace scopesan_compat {

enum __ss_Order { __ss_Relaxed, __ss_Acquire, __ss_Release, __ss_AcqRel };

constexpr __ss_Order __ss_loadOrder(int __ss_order) {
  return __ss_order == __NV_ATOMIC_RELAXED ? __ss_Relaxed : __ss_Acquire;
}
constexpr __ss_Order __ss_storeOrder(int __ss_order) {
  return __ss_order == __NV_ATOMIC_RELEASE ? __ss_Release : __ss_Relaxed;
}
constexpr __ss_Order __ss_exchangeOrder(int __ss_order) {
  return __ss_order == __NV_ATOMIC_RELAXED   ? __ss_Relaxed
         : __ss_order == __NV_ATOMIC_RELEASE ? __ss_Release
         : __ss_order == __NV_ATOMIC_ACQ_REL ? __ss_AcqRel
                                             : __ss_Acquire;
}
constexpr int __ss_scopeOf(int __ss_scope) {
  return __ss_scope == __NV_THREAD_SCOPE_THREAD ? __NV_THREAD_SCOPE_BLOCK : __ss_scope;
}

#define SCOPESAN_DEVICE static __inline__ __attribute__((device, always_inline, unused))

template <int Scope> SCOPESAN_DEVICE void __ss_fenceSc() {
  if constexpr (__ss_scopeOf(Scope) == __NV_THREAD_SCOPE_BLOCK)
    asm volatile("fence.sc.cta;" ::: "memory");
  else if constexpr (Scope == __NV_THREAD_SCOPE_CLUSTER)
    asm volatile("fence.sc.cluster;" ::: "memory");
  else if constexpr (Scope == __NV_THREAD_SCOPE_DEVICE)
    asm volatile("fence.sc.gpu;" ::: "memory");
  else
    asm volatile("fence.sc.sys;" ::: "memory");
}
template <int __ss_O, int Scope> SCOPESAN_DEVICE void __ss_fenceIfSc() {
  if constexpr (__ss_O == __NV_ATOMIC_SEQ_CST)
    __ss_fenceSc<Scope>();
}

// X(scope): emits the branch that is chosen at compile time.
#define SCOPESAN_SCOPES(Emit, ...)                                                                 \
  if constexpr (__ss_S == __NV_THREAD_SCOPE_BLOCK)                                                 \
    Emit("cta", __VA_ARGS__);                                                                      \
  else if constexpr (__ss_S == __NV_THREAD_SCOPE_CLUSTER)                                          \
    Emit("cluster", __VA_ARGS__);                                                                  \
  else if constexpr (__ss_S == __NV_THREAD_SCOPE_DEVICE)                                           \
    Emit("gpu", __VA_ARGS__);                                                                      \
  else                                                                                             \
    Emit("sys", __VA_ARGS__)
#define SCOPESAN_ORDERS(Emit, ...)                                                                 \
  if constexpr (__ss_O == __ss_Relaxed) {                                                          \
    SCOPESAN_SCOPES(Emit, "relaxed", __VA_ARGS__);                                                 \
  } else if constexpr (__ss_O == __ss_Acquire) {                                                   \
    SCOPESAN_SCOPES(Emit, "acquire", __VA_ARGS__);                                                 \
  } else if constexpr (__ss_O == __ss_Release) {                                                   \
    SCOPESAN_SCOPES(Emit, "release", __VA_ARGS__);                                                 \
  } else {                                                                                         \
    SCOPESAN_SCOPES(Emit, "acq_rel", __VA_ARGS__);                                                 \
  }

// One, two, four and eight bytes travel in a register type through a register of constraint Code.
template <int __ss_Bytes> struct __ss_Word;
#define SCOPESAN_LOAD(Scope, Order, Type, Code)                                                    \
  asm volatile("ld." Order "." Scope "." Type " %0, [%1];"                                         \
               : "=" Code(__ss_r)                                                                  \
               : "l"(__ss_p)                                                                       \
               : "memory")
#define SCOPESAN_STORE(Scope, Order, Type, Code)                                                   \
  asm volatile("st." Order "." Scope "." Type " [%0], %1;" ::"l"(__ss_p), Code(__ss_v) : "memory")
#define SCOPESAN_CAS(Scope, Order, Type, Code)                                                     \
  asm volatile("atom.cas." Order "." Scope "." Type " %0, [%1], %2, %3;"                           \
               : "=" Code(__ss_r)                                                                  \
               : "l"(__ss_p), Code(__ss_c), Code(__ss_v)                                           \
               : "memory")
#define SCOPESAN_RMW(Scope, Order, Op, Type, Code)                                                 \
  asm volatile("atom." Op "." Order "." Scope "." Type " %0, [%1], %2;"                            \
               : "=" Code(__ss_r)                                                                  \
               : "l"(__ss_p), Code(__ss_v)                                                         \
               : "memory")
#define SCOPESAN_WORD(Bytes, Register, Type, Code)                                                 \
  template <> struct __ss_Word<Bytes> {                                                            \
    typedef Register __ss_R;                                                                       \
    template <__ss_Order __ss_O, int __ss_S>                                                       \
    SCOPESAN_DEVICE __ss_R __ss_load(const volatile void *__ss_p) {                                \
      __ss_R __ss_r = 0;                                                                           \
      SCOPESAN_ORDERS(SCOPESAN_LOAD, Type, Code)                                                   \
      return __ss_r;                                                                               \
    }                                                                                              \
    template <__ss_Order __ss_O, int __ss_S>                                                       \
    SCOPESAN_DEVICE void __ss_store(volatile void *__ss_p, __ss_R __ss_v){                         \
        SCOPESAN_ORDERS(SCOPESAN_STORE, Type, Code)} SCOPESAN_WORD_##Bytes                         \
  };
#define SCOPESAN_EXCHANGES(Type, Code)                                                             \
  template <__ss_Order __ss_O, int __ss_S>                                                         \
  SCOPESAN_DEVICE __ss_R __ss_exchange(volatile void *__ss_p, __ss_R __ss_v) {                     \
    __ss_R __ss_r = 0;                                                                             \
    SCOPESAN_ORDERS(SCOPESAN_RMW, "exch", Type, Code)                                              \
    return __ss_r;                                                                                 \
  }                                                                                                \
  template <__ss_Order __ss_O, int __ss_S>                                                         \
  SCOPESAN_DEVICE __ss_R __ss_compareExchange(volatile void *__ss_p, __ss_R __ss_c,                \
                                              __ss_R __ss_v) {                                     \
    __ss_R __ss_r = 0;                                                                             \
    SCOPESAN_ORDERS(SCOPESAN_CAS, Type, Code)                                                      \
    return __ss_r;                                                                                 \
  }
#define SCOPESAN_WORD_1
#define SCOPESAN_WORD_2                                                                            \
  template <__ss_Order __ss_O, int __ss_S>                                                         \
  SCOPESAN_DEVICE __ss_R __ss_compareExchange(volatile void *__ss_p, __ss_R __ss_c,                \
                                              __ss_R __ss_v) {                                     \
    __ss_R __ss_r = 0;                                                                             \
    SCOPESAN_ORDERS(SCOPESAN_CAS, "b16", "h")                                                      \
    return __ss_r;                                                                                 \
  }
#define SCOPESAN_WORD_4 SCOPESAN_EXCHANGES("b32", "r")
#define SCOPESAN_WORD_8 SCOPESAN_EXCHANGES("b64", "l")
SCOPESAN_WORD(1, unsigned, "b8", "r")
SCOPESAN_WORD(2, unsigned short, "b16", "h")
SCOPESAN_WORD(4, unsigned, "b32", "r")
SCOPESAN_WORD(8, unsigned long long, "b64", "l")
#undef SCOPESAN_WORD_1
#undef SCOPESAN_WORD_2
#undef SCOPESAN_WORD_4
#undef SCOPESAN_WORD_8
#undef SCOPESAN_EXCHANGES
#undef SCOPESAN_WORD

// Sixteen bytes: a pair of registers packed into a .b128.
template <> struct __ss_Word<16> {
  struct __ss_R {
    unsigned long long __ss_low, __ss_high;
  };
#define SCOPESAN_LOAD16(Scope, Order, _)                                                           \
  asm volatile("{\n\t.reg .b128 r;\n\tld." Order "." Scope ".b128 r, [%2];\n\t"                    \
               "mov.b128 {%0, %1}, r;\n\t}"                                                        \
               : "=l"(__ss_r.__ss_low), "=l"(__ss_r.__ss_high)                                     \
               : "l"(__ss_p)                                                                       \
               : "memory")
#define SCOPESAN_STORE16(Scope, Order, _)                                                          \
  asm volatile("{\n\t.reg .b128 v;\n\tmov.b128 v, {%1, %2};\n\t"                                   \
               "st." Order "." Scope ".b128 [%0], v;\n\t}" ::"l"(__ss_p),                          \
               "l"(__ss_v.__ss_low), "l"(__ss_v.__ss_high)                                         \
               : "memory")
#define SCOPESAN_EXCHANGE16(Scope, Order, _)                                                       \
  asm volatile("{\n\t.reg .b128 v, r;\n\tmov.b128 v, {%3, %4};\n\t"                                \
               "atom.exch." Order "." Scope ".b128 r, [%2], v;\n\tmov.b128 {%0, %1}, r;\n\t}"      \
               : "=l"(__ss_r.__ss_low), "=l"(__ss_r.__ss_high)                                     \
               : "l"(__ss_p), "l"(__ss_v.__ss_low), "l"(__ss_v.__ss_high)                          \
               : "memory")
#define SCOPESAN_CAS16(Scope, Order, _)                                                            \
  asm volatile("{\n\t.reg .b128 c, v, r;\n\tmov.b128 c, {%3, %4};\n\tmov.b128 v, {%5, %6};\n\t"    \
               "atom.cas." Order "." Scope ".b128 r, [%2], c, v;\n\tmov.b128 {%0, %1}, r;\n\t}"    \
               : "=l"(__ss_r.__ss_low), "=l"(__ss_r.__ss_high)                                     \
               : "l"(__ss_p), "l"(__ss_c.__ss_low), "l"(__ss_c.__ss_high), "l"(__ss_v.__ss_low),   \
                 "l"(__ss_v.__ss_high)                                                             \
               : "memory")
  template <__ss_Order __ss_O, int __ss_S>
  SCOPESAN_DEVICE __ss_R __ss_load(const volatile void *__ss_p) {
    __ss_R __ss_r;
    SCOPESAN_ORDERS(SCOPESAN_LOAD16, )
    return __ss_r;
  }
  template <__ss_Order __ss_O, int __ss_S>
  SCOPESAN_DEVICE void __ss_store(volatile void *__ss_p, __ss_R __ss_v) {
    SCOPESAN_ORDERS(SCOPESAN_STORE16, )
  }
  template <__ss_Order __ss_O, int __ss_S>
  SCOPESAN_DEVICE __ss_R __ss_exchange(volatile void *__ss_p, __ss_R __ss_v) {
    __ss_R __ss_r;
    SCOPESAN_ORDERS(SCOPESAN_EXCHANGE16, )
    return __ss_r;
  }
  template <__ss_Order __ss_O, int __ss_S>
  SCOPESAN_DEVICE __ss_R __ss_compareExchange(volatile void *__ss_p, __ss_R __ss_c, __ss_R __ss_v) {
    __ss_R __ss_r;
    SCOPESAN_ORDERS(SCOPESAN_CAS16, )
    return __ss_r;
  }
#undef SCOPESAN_LOAD16
#undef SCOPESAN_STORE16
#undef SCOPESAN_EXCHANGE16
#undef SCOPESAN_CAS16
};

// The bytes of a value in a register of its size, and back.
template <typename __ss_T>
SCOPESAN_DEVICE typename __ss_Word<sizeof(__ss_T)>::__ss_R __ss_toWord(const __ss_T &__ss_v) {
  typename __ss_Word<sizeof(__ss_T)>::__ss_R __ss_word = {};
  __builtin_memcpy(&__ss_word, (const void *)&__ss_v, sizeof(__ss_T));
  return __ss_word;
}
template <typename __ss_T>
SCOPESAN_DEVICE void __ss_fromWord(__ss_T *__ss_v,
                                   typename __ss_Word<sizeof(__ss_T)>::__ss_R __ss_word) {
  __builtin_memcpy((void *)__ss_v, &__ss_word, sizeof(__ss_T));
}
template <typename __ss_R> SCOPESAN_DEVICE bool __ss_isSame(__ss_R __ss_a, __ss_R __ss_b) {
  return __ss_a == __ss_b;
}
SCOPESAN_DEVICE bool __ss_isSame(__ss_Word<16>::__ss_R __ss_a, __ss_Word<16>::__ss_R __ss_b) {
  return __ss_a.__ss_low == __ss_b.__ss_low && __ss_a.__ss_high == __ss_b.__ss_high;
}
template <typename __ss_T> struct __ss_Plain {
  typedef __ss_T type;
};
template <typename __ss_T> struct __ss_Plain<volatile __ss_T> {
  typedef __ss_T type;
};
template <typename __ss_T> struct __ss_Plain<const __ss_T> {
  typedef __ss_T type;
};
/// The type of the pointer decides; the value is converted to it.
template <typename __ss_T> using __ss_Of = typename __ss_Plain<__ss_T>::type;

template <int __ss_O, int __ss_S = __NV_THREAD_SCOPE_SYSTEM, typename __ss_T>
SCOPESAN_DEVICE void __ss_load(__ss_T *__ss_p, __ss_Of<__ss_T> *__ss_result) {
  __ss_fenceIfSc<__ss_O, __ss_S>();
  __ss_fromWord(
      __ss_result,
      __ss_Word<sizeof(__ss_T)>::template __ss_load<__ss_loadOrder(__ss_O), __ss_scopeOf(__ss_S)>(
          __ss_p));
}
template <int __ss_O, int __ss_S = __NV_THREAD_SCOPE_SYSTEM, typename __ss_T>
SCOPESAN_DEVICE __ss_Of<__ss_T> __ss_load_n(__ss_T *__ss_p) {
  __ss_Of<__ss_T> __ss_result;
  __ss_load<__ss_O, __ss_S>(__ss_p, &__ss_result);
  return __ss_result;
}
template <int __ss_O, int __ss_S = __NV_THREAD_SCOPE_SYSTEM, typename __ss_T>
SCOPESAN_DEVICE void __ss_store_n(__ss_T *__ss_p, __ss_Of<__ss_T> __ss_value) {
  __ss_fenceIfSc<__ss_O, __ss_S>();
  __ss_Word<sizeof(__ss_T)>::template __ss_store<__ss_storeOrder(__ss_O), __ss_scopeOf(__ss_S)>(
      __ss_p, __ss_toWord(__ss_value));
}
template <int __ss_O, int __ss_S = __NV_THREAD_SCOPE_SYSTEM, typename __ss_T>
SCOPESAN_DEVICE void __ss_store(__ss_T *__ss_p, const __ss_Of<__ss_T> *__ss_value) {
  __ss_store_n<__ss_O, __ss_S>(__ss_p, *__ss_value);
}
template <int __ss_O, int __ss_S = __NV_THREAD_SCOPE_SYSTEM, typename __ss_T>
SCOPESAN_DEVICE __ss_Of<__ss_T> __ss_exchange_n(__ss_T *__ss_p, __ss_Of<__ss_T> __ss_value) {
  __ss_fenceIfSc<__ss_O, __ss_S>();
  __ss_Of<__ss_T> __ss_old;
  __ss_fromWord(&__ss_old,
                __ss_Word<sizeof(__ss_T)>::template __ss_exchange<__ss_exchangeOrder(__ss_O),
                                                                  __ss_scopeOf(__ss_S)>(
                    __ss_p, __ss_toWord(__ss_value)));
  return __ss_old;
}
template <int __ss_O, int __ss_S = __NV_THREAD_SCOPE_SYSTEM, typename __ss_T>
SCOPESAN_DEVICE void __ss_exchange(__ss_T *__ss_p, const __ss_Of<__ss_T> *__ss_value,
                                   __ss_Of<__ss_T> *__ss_old) {
  *__ss_old = __ss_exchange_n<__ss_O, __ss_S>(__ss_p, *__ss_value);
}
template <int __ss_O, int __ss_Failure, int __ss_S = __NV_THREAD_SCOPE_SYSTEM, typename __ss_T>
SCOPESAN_DEVICE bool __ss_compare_exchange_n(__ss_T *__ss_p, __ss_Of<__ss_T> *__ss_expected,
                                             __ss_Of<__ss_T> __ss_desired, bool) {
  __ss_fenceIfSc<__ss_O, __ss_S>();
  typename __ss_Word<sizeof(__ss_T)>::__ss_R __ss_wanted = __ss_toWord(*__ss_expected);
  typename __ss_Word<sizeof(__ss_T)>::__ss_R __ss_old =
      __ss_Word<sizeof(__ss_T)>::template __ss_compareExchange<__ss_exchangeOrder(__ss_O),
                                                               __ss_scopeOf(__ss_S)>(
          __ss_p, __ss_wanted, __ss_toWord(__ss_desired));
  __ss_fromWord(__ss_expected, __ss_old);
  return __ss_isSame(__ss_old, __ss_wanted);
}
template <int __ss_O, int __ss_Failure, int __ss_S = __NV_THREAD_SCOPE_SYSTEM, typename __ss_T>
SCOPESAN_DEVICE bool __ss_compare_exchange(__ss_T *__ss_p, __ss_Of<__ss_T> *__ss_expected,
                                           const __ss_Of<__ss_T> *__ss_desired, bool __ss_weak) {
  return __ss_compare_exchange_n<__ss_O, __ss_Failure, __ss_S>(__ss_p, __ss_expected, *__ss_desired,
                                                               __ss_weak);
}

// Arithmetic: one overload for each type that PTX has. X is the type that T stands for.
#define SCOPESAN_ARITHMETIC(Name, Op, X, Type, Code, Negate)                                       \
  template <__ss_Order __ss_O, int __ss_S> SCOPESAN_DEVICE X Name(volatile X *__ss_p, X __ss_v) {  \
    X __ss_r = 0;                                                                                  \
    __ss_v = Negate __ss_v;                                                                        \
    SCOPESAN_ORDERS(SCOPESAN_RMW, Op, Type, Code)                                                  \
    return __ss_r;                                                                                 \
  }
#define SCOPESAN_INTEGERS(Name, Op, S32, U32, S64, U64)                                            \
  SCOPESAN_ARITHMETIC(Name, Op, int, S32, "r", )                                                   \
  SCOPESAN_ARITHMETIC(Name, Op, unsigned, U32, "r", )                                              \
  SCOPESAN_ARITHMETIC(Name, Op, long, S64, "l", )                                                  \
  SCOPESAN_ARITHMETIC(Name, Op, unsigned long, U64, "l", )                                         \
  SCOPESAN_ARITHMETIC(Name, Op, long long, S64, "l", )                                             \
  SCOPESAN_ARITHMETIC(Name, Op, unsigned long long, U64, "l", )
#define SCOPESAN_SUMS(Name, Negate)                                                                \
  SCOPESAN_ARITHMETIC(Name, "add", int, "s32", "r", Negate)                                        \
  SCOPESAN_ARITHMETIC(Name, "add", unsigned, "u32", "r", Negate)                                   \
  SCOPESAN_ARITHMETIC(Name, "add", unsigned long, "u64", "l", Negate)                              \
  SCOPESAN_ARITHMETIC(Name, "add", unsigned long long, "u64", "l", Negate)                         \
  SCOPESAN_ARITHMETIC(Name, "add", float, "f32", "f", Negate)                                      \
  SCOPESAN_ARITHMETIC(Name, "add", double, "f64", "d", Negate)
SCOPESAN_SUMS(__ss_addWord, )
SCOPESAN_SUMS(__ss_subWord, -)
SCOPESAN_INTEGERS(__ss_andWord, "and", "b32", "b32", "b64", "b64")
SCOPESAN_INTEGERS(__ss_orWord, "or", "b32", "b32", "b64", "b64")
SCOPESAN_INTEGERS(__ss_xorWord, "xor", "b32", "b32", "b64", "b64")
SCOPESAN_INTEGERS(__ss_minWord, "min", "s32", "u32", "s64", "u64")
SCOPESAN_INTEGERS(__ss_maxWord, "max", "s32", "u32", "s64", "u64")
#undef SCOPESAN_SUMS
#undef SCOPESAN_INTEGERS
#undef SCOPESAN_ARITHMETIC
#define SCOPESAN_FETCH(Name)                                                                       \
  template <int __ss_O, int __ss_S = __NV_THREAD_SCOPE_SYSTEM, typename __ss_T>                    \
  SCOPESAN_DEVICE __ss_Of<__ss_T> __ss_fetch_##Name(__ss_T *__ss_p, __ss_Of<__ss_T> __ss_value) {  \
    __ss_fenceIfSc<__ss_O, __ss_S>();                                                              \
    return __ss_##Name##Word<__ss_exchangeOrder(__ss_O), __ss_scopeOf(__ss_S)>(__ss_p,             \
                                                                               __ss_value);        \
  }
SCOPESAN_FETCH(add)
SCOPESAN_FETCH(sub)
SCOPESAN_FETCH(and)
SCOPESAN_FETCH(or)
SCOPESAN_FETCH(xor)
SCOPESAN_FETCH(min)
SCOPESAN_FETCH(max)
#undef SCOPESAN_FETCH

template <int __ss_O, int __ss_S = __NV_THREAD_SCOPE_SYSTEM>
SCOPESAN_DEVICE void __ss_thread_fence() {
  __ss_fenceSc<__ss_S>();
}

#undef SCOPESAN_CAS
#undef SCOPESAN_DEVICE
#undef SCOPESAN_LOAD
#undef SCOPESAN_ORDERS
#undef SCOPESAN_RMW
#undef SCOPESAN_SCOPES
#undef SCOPESAN_STORE
} // namespace scopesan_compat

#define __nv_atomic_load(p, result, ...) ::scopesan_compat::__ss_load<__VA_ARGS__>(p, result)
#define __nv_atomic_load_n(p, ...) ::scopesan_compat::__ss_load_n<__VA_ARGS__>(p)
#define __nv_atomic_store(p, value, ...) ::scopesan_compat::__ss_store<__VA_ARGS__>(p, value)
#define __nv_atomic_store_n(p, value, ...) ::scopesan_compat::__ss_store_n<__VA_ARGS__>(p, value)
#define __nv_atomic_exchange(p, value, old, ...)                                                   \
  ::scopesan_compat::__ss_exchange<__VA_ARGS__>(p, value, old)
#define __nv_atomic_exchange_n(p, value, ...)                                                      \
  ::scopesan_compat::__ss_exchange_n<__VA_ARGS__>(p, value)
#define __nv_atomic_compare_exchange(p, expected, desired, weak, ...)                              \
  ::scopesan_compat::__ss_compare_exchange<__VA_ARGS__>(p, expected, desired, weak)
#define __nv_atomic_compare_exchange_n(p, expected, desired, weak, ...)                            \
  ::scopesan_compat::__ss_compare_exchange_n<__VA_ARGS__>(p, expected, desired, weak)
#define __nv_atomic_fetch_add(p, value, ...)                                                       \
  ::scopesan_compat::__ss_fetch_add<__VA_ARGS__>(p, value)
#define __nv_atomic_fetch_sub(p, value, ...)                                                       \
  ::scopesan_compat::__ss_fetch_sub<__VA_ARGS__>(p, value)
#define __nv_atomic_fetch_and(p, value, ...)                                                       \
  ::scopesan_compat::__ss_fetch_and<__VA_ARGS__>(p, value)
#define __nv_atomic_fetch_or(p, value, ...) ::scopesan_compat::__ss_fetch_or<__VA_ARGS__>(p, value)
#define __nv_atomic_fetch_xor(p, value, ...)                                                       \
  ::scopesan_compat::__ss_fetch_xor<__VA_ARGS__>(p, value)
#define __nv_atomic_fetch_min(p, value, ...)                                                       \
  ::scopesan_compat::__ss_fetch_min<__VA_ARGS__>(p, value)
#define __nv_atomic_fetch_max(p, value, ...)                                                       \
  ::scopesan_compat::__ss_fetch_max<__VA_ARGS__>(p, value)
#define __nv_atomic_add(...) ((void)__nv_atomic_fetch_add(__VA_ARGS__))
#define __nv_atomic_sub(...) ((void)__nv_atomic_fetch_sub(__VA_ARGS__))
#define __nv_atomic_and(...) ((void)__nv_atomic_fetch_and(__VA_ARGS__))
#define __nv_atomic_or(...) ((void)__nv_atomic_fetch_or(__VA_ARGS__))
#define __nv_atomic_xor(...) ((void)__nv_atomic_fetch_xor(__VA_ARGS__))
#define __nv_atomic_min(...) ((void)__nv_atomic_fetch_min(__VA_ARGS__))
#define __nv_atomic_max(...) ((void)__nv_atomic_fetch_max(__VA_ARGS__))
#define __nv_atomic_thread_fence(...) ::scopesan_compat::__ss_thread_fence<__VA_ARGS__>()
#define __CUDACC_DEVICE_ATOMIC_BUILTINS__ 1
