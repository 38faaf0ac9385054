// nvcc 12.8's compiler built-ins __nv_atomic_* (CUDA C++ Programming Guide, "Built-in CUDA Atomic
// Functions") as templates; order and scope must be constants, as with nvcc. The PTX is what nvcc
// 13.0 emits: consume is acquire, seq_cst is fence.sc before an acquire (a relaxed store), the scope
// of one thread is that of its block, a compare-exchange has its success order, every fence is
// fence.sc, and the expected value is stored in any case.
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

enum Order { Relaxed, Acquire, Release, AcqRel };

constexpr Order loadOrder(int order) { return order == __NV_ATOMIC_RELAXED ? Relaxed : Acquire; }
constexpr Order storeOrder(int order) { return order == __NV_ATOMIC_RELEASE ? Release : Relaxed; }
constexpr Order exchangeOrder(int order) {
  return order == __NV_ATOMIC_RELAXED   ? Relaxed
         : order == __NV_ATOMIC_RELEASE ? Release
         : order == __NV_ATOMIC_ACQ_REL ? AcqRel
                                        : Acquire;
}
constexpr int scopeOf(int scope) {
  return scope == __NV_THREAD_SCOPE_THREAD ? __NV_THREAD_SCOPE_BLOCK : scope;
}

#define SCOPESAN_DEVICE static __inline__ __attribute__((device, always_inline, unused))

template <int Scope> SCOPESAN_DEVICE void fenceSc() {
  if constexpr (scopeOf(Scope) == __NV_THREAD_SCOPE_BLOCK)
    asm volatile("fence.sc.cta;" ::: "memory");
  else if constexpr (Scope == __NV_THREAD_SCOPE_CLUSTER)
    asm volatile("fence.sc.cluster;" ::: "memory");
  else if constexpr (Scope == __NV_THREAD_SCOPE_DEVICE)
    asm volatile("fence.sc.gpu;" ::: "memory");
  else
    asm volatile("fence.sc.sys;" ::: "memory");
}
template <int O, int Scope> SCOPESAN_DEVICE void fenceIfSc() {
  if constexpr (O == __NV_ATOMIC_SEQ_CST)
    fenceSc<Scope>();
}

// X(scope): emits the branch that is chosen at compile time.
#define SCOPESAN_SCOPES(Emit, ...)                                                                 \
  if constexpr (S == __NV_THREAD_SCOPE_BLOCK)                                                      \
    Emit("cta", __VA_ARGS__);                                                                      \
  else if constexpr (S == __NV_THREAD_SCOPE_CLUSTER)                                               \
    Emit("cluster", __VA_ARGS__);                                                                  \
  else if constexpr (S == __NV_THREAD_SCOPE_DEVICE)                                                \
    Emit("gpu", __VA_ARGS__);                                                                      \
  else                                                                                             \
    Emit("sys", __VA_ARGS__)
#define SCOPESAN_ORDERS(Emit, ...)                                                                 \
  if constexpr (O == Relaxed) {                                                                    \
    SCOPESAN_SCOPES(Emit, "relaxed", __VA_ARGS__);                                                 \
  } else if constexpr (O == Acquire) {                                                             \
    SCOPESAN_SCOPES(Emit, "acquire", __VA_ARGS__);                                                 \
  } else if constexpr (O == Release) {                                                             \
    SCOPESAN_SCOPES(Emit, "release", __VA_ARGS__);                                                 \
  } else {                                                                                         \
    SCOPESAN_SCOPES(Emit, "acq_rel", __VA_ARGS__);                                                 \
  }

// One, two, four and eight bytes travel in R through a register of constraint Code.
template <int Bytes> struct Word;
#define SCOPESAN_LOAD(Scope, Order, Type, Code)                                                    \
  asm volatile("ld." Order "." Scope "." Type " %0, [%1];" : "=" Code(r) : "l"(p) : "memory")
#define SCOPESAN_STORE(Scope, Order, Type, Code)                                                   \
  asm volatile("st." Order "." Scope "." Type " [%0], %1;" ::"l"(p), Code(v) : "memory")
#define SCOPESAN_CAS(Scope, Order, Type, Code)                                                     \
  asm volatile("atom.cas." Order "." Scope "." Type " %0, [%1], %2, %3;"                           \
               : "=" Code(r)                                                                       \
               : "l"(p), Code(c), Code(v)                                                          \
               : "memory")
#define SCOPESAN_RMW(Scope, Order, Op, Type, Code)                                                 \
  asm volatile("atom." Op "." Order "." Scope "." Type " %0, [%1], %2;"                            \
               : "=" Code(r)                                                                       \
               : "l"(p), Code(v)                                                                   \
               : "memory")
#define SCOPESAN_WORD(Bytes, Register, Type, Code)                                                 \
  template <> struct Word<Bytes> {                                                                 \
    typedef Register R;                                                                            \
    template <Order O, int S> SCOPESAN_DEVICE R load(const volatile void *p) {                     \
      R r = 0;                                                                                     \
      SCOPESAN_ORDERS(SCOPESAN_LOAD, Type, Code)                                                   \
      return r;                                                                                    \
    }                                                                                              \
    template <Order O, int S> SCOPESAN_DEVICE void store(volatile void *p, R v) {                  \
      SCOPESAN_ORDERS(SCOPESAN_STORE, Type, Code)                                                  \
    }                                                                                              \
    SCOPESAN_WORD_##Bytes                                                                          \
  };
#define SCOPESAN_EXCHANGES(Type, Code)                                                             \
  template <Order O, int S> SCOPESAN_DEVICE R exchange(volatile void *p, R v) {                    \
    R r = 0;                                                                                       \
    SCOPESAN_ORDERS(SCOPESAN_RMW, "exch", Type, Code)                                              \
    return r;                                                                                      \
  }                                                                                                \
  template <Order O, int S> SCOPESAN_DEVICE R compareExchange(volatile void *p, R c, R v) {        \
    R r = 0;                                                                                       \
    SCOPESAN_ORDERS(SCOPESAN_CAS, Type, Code)                                                      \
    return r;                                                                                      \
  }
#define SCOPESAN_WORD_1
#define SCOPESAN_WORD_2                                                                            \
  template <Order O, int S> SCOPESAN_DEVICE R compareExchange(volatile void *p, R c, R v) {        \
    R r = 0;                                                                                       \
    SCOPESAN_ORDERS(SCOPESAN_CAS, "b16", "h")                                                      \
    return r;                                                                                      \
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
template <> struct Word<16> {
  struct R {
    unsigned long long x, y;
  };
#define SCOPESAN_LOAD16(Scope, Order, _)                                                           \
  asm volatile("{\n\t.reg .b128 r;\n\tld." Order "." Scope ".b128 r, [%2];\n\t"                    \
               "mov.b128 {%0, %1}, r;\n\t}"                                                        \
               : "=l"(r.x), "=l"(r.y)                                                              \
               : "l"(p)                                                                            \
               : "memory")
#define SCOPESAN_STORE16(Scope, Order, _)                                                          \
  asm volatile("{\n\t.reg .b128 v;\n\tmov.b128 v, {%1, %2};\n\t"                                   \
               "st." Order "." Scope ".b128 [%0], v;\n\t}" ::"l"(p),                               \
               "l"(v.x), "l"(v.y)                                                                  \
               : "memory")
#define SCOPESAN_EXCHANGE16(Scope, Order, _)                                                       \
  asm volatile("{\n\t.reg .b128 v, r;\n\tmov.b128 v, {%3, %4};\n\t"                                \
               "atom.exch." Order "." Scope ".b128 r, [%2], v;\n\tmov.b128 {%0, %1}, r;\n\t}"      \
               : "=l"(r.x), "=l"(r.y)                                                              \
               : "l"(p), "l"(v.x), "l"(v.y)                                                        \
               : "memory")
#define SCOPESAN_CAS16(Scope, Order, _)                                                            \
  asm volatile("{\n\t.reg .b128 c, v, r;\n\tmov.b128 c, {%3, %4};\n\tmov.b128 v, {%5, %6};\n\t"    \
               "atom.cas." Order "." Scope ".b128 r, [%2], c, v;\n\tmov.b128 {%0, %1}, r;\n\t}"    \
               : "=l"(r.x), "=l"(r.y)                                                              \
               : "l"(p), "l"(c.x), "l"(c.y), "l"(v.x), "l"(v.y)                                    \
               : "memory")
  template <Order O, int S> SCOPESAN_DEVICE R load(const volatile void *p) {
    R r;
    SCOPESAN_ORDERS(SCOPESAN_LOAD16, )
    return r;
  }
  template <Order O, int S> SCOPESAN_DEVICE void store(volatile void *p, R v) {
    SCOPESAN_ORDERS(SCOPESAN_STORE16, )
  }
  template <Order O, int S> SCOPESAN_DEVICE R exchange(volatile void *p, R v) {
    R r;
    SCOPESAN_ORDERS(SCOPESAN_EXCHANGE16, )
    return r;
  }
  template <Order O, int S> SCOPESAN_DEVICE R compareExchange(volatile void *p, R c, R v) {
    R r;
    SCOPESAN_ORDERS(SCOPESAN_CAS16, )
    return r;
  }
#undef SCOPESAN_LOAD16
#undef SCOPESAN_STORE16
#undef SCOPESAN_EXCHANGE16
#undef SCOPESAN_CAS16
};

// The bytes of a value in a register of its size, and back.
template <typename T> SCOPESAN_DEVICE typename Word<sizeof(T)>::R toWord(const T &v) {
  typename Word<sizeof(T)>::R word = {};
  __builtin_memcpy(&word, (const void *)&v, sizeof(T));
  return word;
}
template <typename T> SCOPESAN_DEVICE void fromWord(T *v, typename Word<sizeof(T)>::R word) {
  __builtin_memcpy((void *)v, &word, sizeof(T));
}
template <typename R> SCOPESAN_DEVICE bool isSame(R a, R b) { return a == b; }
SCOPESAN_DEVICE bool isSame(Word<16>::R a, Word<16>::R b) { return a.x == b.x && a.y == b.y; }
template <typename T> struct Plain {
  typedef T type;
};
template <typename T> struct Plain<volatile T> {
  typedef T type;
};
template <typename T> struct Plain<const T> {
  typedef T type;
};
/// The type of the pointer decides; the value is converted to it.
template <typename T> using Of = typename Plain<T>::type;

template <int O, int S = __NV_THREAD_SCOPE_SYSTEM, typename T>
SCOPESAN_DEVICE void load(T *p, Of<T> *result) {
  fenceIfSc<O, S>();
  fromWord(result, Word<sizeof(T)>::template load<loadOrder(O), scopeOf(S)>(p));
}
template <int O, int S = __NV_THREAD_SCOPE_SYSTEM, typename T>
SCOPESAN_DEVICE Of<T> load_n(T *p) {
  Of<T> result;
  load<O, S>(p, &result);
  return result;
}
template <int O, int S = __NV_THREAD_SCOPE_SYSTEM, typename T>
SCOPESAN_DEVICE void store_n(T *p, Of<T> value) {
  fenceIfSc<O, S>();
  Word<sizeof(T)>::template store<storeOrder(O), scopeOf(S)>(p, toWord(value));
}
template <int O, int S = __NV_THREAD_SCOPE_SYSTEM, typename T>
SCOPESAN_DEVICE void store(T *p, const Of<T> *value) {
  store_n<O, S>(p, *value);
}
template <int O, int S = __NV_THREAD_SCOPE_SYSTEM, typename T>
SCOPESAN_DEVICE Of<T> exchange_n(T *p, Of<T> value) {
  fenceIfSc<O, S>();
  Of<T> old;
  fromWord(&old, Word<sizeof(T)>::template exchange<exchangeOrder(O), scopeOf(S)>(p, toWord(value)));
  return old;
}
template <int O, int S = __NV_THREAD_SCOPE_SYSTEM, typename T>
SCOPESAN_DEVICE void exchange(T *p, const Of<T> *value, Of<T> *old) {
  *old = exchange_n<O, S>(p, *value);
}
template <int O, int Failure, int S = __NV_THREAD_SCOPE_SYSTEM, typename T>
SCOPESAN_DEVICE bool compare_exchange_n(T *p, Of<T> *expected, Of<T> desired, bool) {
  fenceIfSc<O, S>();
  typename Word<sizeof(T)>::R wanted = toWord(*expected);
  typename Word<sizeof(T)>::R old =
      Word<sizeof(T)>::template compareExchange<exchangeOrder(O), scopeOf(S)>(p, wanted,
                                                                              toWord(desired));
  fromWord(expected, old);
  return isSame(old, wanted);
}
template <int O, int Failure, int S = __NV_THREAD_SCOPE_SYSTEM, typename T>
SCOPESAN_DEVICE bool compare_exchange(T *p, Of<T> *expected, const Of<T> *desired, bool weak) {
  return compare_exchange_n<O, Failure, S>(p, expected, *desired, weak);
}

// Arithmetic: one overload for each type that PTX has. X is the type that T stands for.
#define SCOPESAN_ARITHMETIC(Name, Op, X, Type, Code, Negate)                                       \
  template <Order O, int S> SCOPESAN_DEVICE X Name(volatile X *p, X v) {                           \
    X r = 0;                                                                                       \
    v = Negate v;                                                                                  \
    SCOPESAN_ORDERS(SCOPESAN_RMW, Op, Type, Code)                                                  \
    return r;                                                                                      \
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
SCOPESAN_SUMS(addWord, )
SCOPESAN_SUMS(subWord, -)
SCOPESAN_INTEGERS(andWord, "and", "b32", "b32", "b64", "b64")
SCOPESAN_INTEGERS(orWord, "or", "b32", "b32", "b64", "b64")
SCOPESAN_INTEGERS(xorWord, "xor", "b32", "b32", "b64", "b64")
SCOPESAN_INTEGERS(minWord, "min", "s32", "u32", "s64", "u64")
SCOPESAN_INTEGERS(maxWord, "max", "s32", "u32", "s64", "u64")
#undef SCOPESAN_SUMS
#undef SCOPESAN_INTEGERS
#undef SCOPESAN_ARITHMETIC
#define SCOPESAN_FETCH(Name)                                                                       \
  template <int O, int S = __NV_THREAD_SCOPE_SYSTEM, typename T>                                   \
  SCOPESAN_DEVICE Of<T> fetch_##Name(T *p, Of<T> value) {                                          \
    fenceIfSc<O, S>();                                                                             \
    return Name##Word<exchangeOrder(O), scopeOf(S)>(p, value);                                     \
  }
SCOPESAN_FETCH(add)
SCOPESAN_FETCH(sub)
SCOPESAN_FETCH(and)
SCOPESAN_FETCH(or)
SCOPESAN_FETCH(xor)
SCOPESAN_FETCH(min)
SCOPESAN_FETCH(max)
#undef SCOPESAN_FETCH

template <int O, int S = __NV_THREAD_SCOPE_SYSTEM> SCOPESAN_DEVICE void thread_fence() {
  fenceSc<S>();
}

#undef SCOPESAN_CAS
#undef SCOPESAN_DEVICE
#undef SCOPESAN_LOAD
#undef SCOPESAN_ORDERS
#undef SCOPESAN_RMW
#undef SCOPESAN_SCOPES
#undef SCOPESAN_STORE
} // namespace scopesan_compat

#define __nv_atomic_load(p, result, ...) ::scopesan_compat::load<__VA_ARGS__>(p, result)
#define __nv_atomic_load_n(p, ...) ::scopesan_compat::load_n<__VA_ARGS__>(p)
#define __nv_atomic_store(p, value, ...) ::scopesan_compat::store<__VA_ARGS__>(p, value)
#define __nv_atomic_store_n(p, value, ...) ::scopesan_compat::store_n<__VA_ARGS__>(p, value)
#define __nv_atomic_exchange(p, value, old, ...)                                                   \
  ::scopesan_compat::exchange<__VA_ARGS__>(p, value, old)
#define __nv_atomic_exchange_n(p, value, ...) ::scopesan_compat::exchange_n<__VA_ARGS__>(p, value)
#define __nv_atomic_compare_exchange(p, expected, desired, weak, ...)                              \
  ::scopesan_compat::compare_exchange<__VA_ARGS__>(p, expected, desired, weak)
#define __nv_atomic_compare_exchange_n(p, expected, desired, weak, ...)                            \
  ::scopesan_compat::compare_exchange_n<__VA_ARGS__>(p, expected, desired, weak)
#define __nv_atomic_fetch_add(p, value, ...) ::scopesan_compat::fetch_add<__VA_ARGS__>(p, value)
#define __nv_atomic_fetch_sub(p, value, ...) ::scopesan_compat::fetch_sub<__VA_ARGS__>(p, value)
#define __nv_atomic_fetch_and(p, value, ...) ::scopesan_compat::fetch_and<__VA_ARGS__>(p, value)
#define __nv_atomic_fetch_or(p, value, ...) ::scopesan_compat::fetch_or<__VA_ARGS__>(p, value)
#define __nv_atomic_fetch_xor(p, value, ...) ::scopesan_compat::fetch_xor<__VA_ARGS__>(p, value)
#define __nv_atomic_fetch_min(p, value, ...) ::scopesan_compat::fetch_min<__VA_ARGS__>(p, value)
#define __nv_atomic_fetch_max(p, value, ...) ::scopesan_compat::fetch_max<__VA_ARGS__>(p, value)
#define __nv_atomic_add(...) ((void)__nv_atomic_fetch_add(__VA_ARGS__))
#define __nv_atomic_sub(...) ((void)__nv_atomic_fetch_sub(__VA_ARGS__))
#define __nv_atomic_and(...) ((void)__nv_atomic_fetch_and(__VA_ARGS__))
#define __nv_atomic_or(...) ((void)__nv_atomic_fetch_or(__VA_ARGS__))
#define __nv_atomic_xor(...) ((void)__nv_atomic_fetch_xor(__VA_ARGS__))
#define __nv_atomic_min(...) ((void)__nv_atomic_fetch_min(__VA_ARGS__))
#define __nv_atomic_max(...) ((void)__nv_atomic_fetch_max(__VA_ARGS__))
#define __nv_atomic_thread_fence(...) ::scopesan_compat::thread_fence<__VA_ARGS__>()
#define __CUDACC_DEVICE_ATOMIC_BUILTINS__ 1
