// Device functions that nvcc's headers have and clang's lack. The PTX is what nvcc emits.
//
// Host compilations see them too: they parse kernels.
#pragma once
#pragma GCC system_header

#define SCOPESAN_DEVICE static __inline__ __attribute__((device, always_inline, unused))

// Loads and stores with a cache hint (sm_32_intrinsics.h). T: type in memory, R: type of the register.
#define SCOPESAN_LOAD(Name, Hint, T, Type, R, Code)                                                \
  SCOPESAN_DEVICE T Name(const T *p) {                                                             \
    R x;                                                                                           \
    asm volatile("ld.global." Hint "." Type " %0, [%1];" : "=" Code(x) : "l"(p) : "memory");       \
    return (T)x;                                                                                   \
  }
#define SCOPESAN_LOAD2(Name, Hint, T, Type, R, Code)                                               \
  SCOPESAN_DEVICE T Name(const T *p) {                                                             \
    R x, y;                                                                                        \
    asm volatile("ld.global." Hint ".v2." Type " {%0, %1}, [%2];"                                  \
                 : "=" Code(x), "=" Code(y)                                                        \
                 : "l"(p)                                                                          \
                 : "memory");                                                                      \
    T v;                                                                                           \
    v.x = (decltype(v.x))x;                                                                        \
    v.y = (decltype(v.y))y;                                                                        \
    return v;                                                                                      \
  }
#define SCOPESAN_LOAD4(Name, Hint, T, Type, R, Code)                                               \
  SCOPESAN_DEVICE T Name(const T *p) {                                                             \
    R x, y, z, w;                                                                                  \
    asm volatile("ld.global." Hint ".v4." Type " {%0, %1, %2, %3}, [%4];"                          \
                 : "=" Code(x), "=" Code(y), "=" Code(z), "=" Code(w)                              \
                 : "l"(p)                                                                          \
                 : "memory");                                                                      \
    T v;                                                                                           \
    v.x = (decltype(v.x))x;                                                                        \
    v.y = (decltype(v.y))y;                                                                        \
    v.z = (decltype(v.z))z;                                                                        \
    v.w = (decltype(v.w))w;                                                                        \
    return v;                                                                                      \
  }
#define SCOPESAN_STORE(Name, Hint, T, Type, R, Code)                                               \
  SCOPESAN_DEVICE void Name(T *p, T v) {                                                           \
    asm volatile("st.global." Hint "." Type " [%0], %1;" ::"l"(p), Code((R)v) : "memory");         \
  }
#define SCOPESAN_STORE2(Name, Hint, T, Type, R, Code)                                              \
  SCOPESAN_DEVICE void Name(T *p, T v) {                                                           \
    asm volatile("st.global." Hint ".v2." Type " [%0], {%1, %2};" ::"l"(p), Code((R)v.x),          \
                 Code((R)v.y)                                                                      \
                 : "memory");                                                                      \
  }
#define SCOPESAN_STORE4(Name, Hint, T, Type, R, Code)                                              \
  SCOPESAN_DEVICE void Name(T *p, T v) {                                                           \
    asm volatile("st.global." Hint ".v4." Type " [%0], {%1, %2, %3, %4};" ::"l"(p),                \
                 Code((R)v.x), Code((R)v.y), Code((R)v.z), Code((R)v.w)                            \
                 : "memory");                                                                      \
  }
// X(macro for scalars, for pairs, for quadruples, name, hint): every type that nvcc has.
#define SCOPESAN_CACHE_TYPES(One, Two, Four, Name, Hint)                                           \
  One(Name, Hint, char, "s8", unsigned, "r")                                                       \
  One(Name, Hint, signed char, "s8", unsigned, "r")                                                \
  One(Name, Hint, unsigned char, "u8", unsigned, "r")                                              \
  One(Name, Hint, short, "s16", unsigned short, "h")                                               \
  One(Name, Hint, unsigned short, "u16", unsigned short, "h")                                      \
  One(Name, Hint, int, "s32", int, "r")                                                            \
  One(Name, Hint, unsigned, "u32", unsigned, "r")                                                  \
  One(Name, Hint, long, "s64", long, "l")                                                          \
  One(Name, Hint, unsigned long, "u64", unsigned long, "l")                                        \
  One(Name, Hint, long long, "s64", long long, "l")                                                \
  One(Name, Hint, unsigned long long, "u64", unsigned long long, "l")                              \
  One(Name, Hint, float, "f32", float, "f")                                                        \
  One(Name, Hint, double, "f64", double, "d")                                                      \
  Two(Name, Hint, char2, "s8", unsigned, "r")                                                      \
  Two(Name, Hint, uchar2, "u8", unsigned, "r")                                                     \
  Two(Name, Hint, short2, "s16", unsigned short, "h")                                              \
  Two(Name, Hint, ushort2, "u16", unsigned short, "h")                                             \
  Two(Name, Hint, int2, "s32", int, "r")                                                           \
  Two(Name, Hint, uint2, "u32", unsigned, "r")                                                     \
  Two(Name, Hint, longlong2, "s64", long long, "l")                                                \
  Two(Name, Hint, ulonglong2, "u64", unsigned long long, "l")                                      \
  Two(Name, Hint, float2, "f32", float, "f")                                                       \
  Two(Name, Hint, double2, "f64", double, "d")                                                     \
  Four(Name, Hint, char4, "s8", unsigned, "r")                                                     \
  Four(Name, Hint, uchar4, "u8", unsigned, "r")                                                    \
  Four(Name, Hint, short4, "s16", unsigned short, "h")                                             \
  Four(Name, Hint, ushort4, "u16", unsigned short, "h")                                            \
  Four(Name, Hint, int4, "s32", int, "r")                                                          \
  Four(Name, Hint, uint4, "u32", unsigned, "r")                                                    \
  Four(Name, Hint, float4, "f32", float, "f")
SCOPESAN_CACHE_TYPES(SCOPESAN_LOAD, SCOPESAN_LOAD2, SCOPESAN_LOAD4, __ldca, "ca")
SCOPESAN_CACHE_TYPES(SCOPESAN_LOAD, SCOPESAN_LOAD2, SCOPESAN_LOAD4, __ldlu, "lu")
SCOPESAN_CACHE_TYPES(SCOPESAN_STORE, SCOPESAN_STORE2, SCOPESAN_STORE4, __stwb, "wb")
SCOPESAN_CACHE_TYPES(SCOPESAN_STORE, SCOPESAN_STORE2, SCOPESAN_STORE4, __stcg, "cg")
SCOPESAN_CACHE_TYPES(SCOPESAN_STORE, SCOPESAN_STORE2, SCOPESAN_STORE4, __stcs, "cs")
// clang has these for every type but one.
SCOPESAN_LOAD(__ldcg, "cg", unsigned long, "u64", unsigned long, "l")
SCOPESAN_LOAD(__ldcs, "cs", unsigned long, "u64", unsigned long, "l")
SCOPESAN_LOAD(__ldcv, "cv", unsigned long, "u64", unsigned long, "l")
SCOPESAN_STORE(__stwt, "wt", long, "s64", long, "l")
SCOPESAN_STORE(__stwt, "wt", unsigned long, "u64", unsigned long, "l")
#undef SCOPESAN_CACHE_TYPES
#undef SCOPESAN_LOAD
#undef SCOPESAN_LOAD2
#undef SCOPESAN_LOAD4
#undef SCOPESAN_STORE
#undef SCOPESAN_STORE2
#undef SCOPESAN_STORE4

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 750
SCOPESAN_DEVICE float __tanhf(float x) {
  float y;
  asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
#endif
#define __prof_trigger(counter) asm volatile("pmevent %0;" ::"n"(counter))

// Declared by clang's headers, defined nowhere.
SCOPESAN_DEVICE double nan(const char *) { return __builtin_nan(""); }
SCOPESAN_DEVICE float nanf(const char *) { return __builtin_nanf(""); }

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
// sm_90_rt.h: atomics of 16 bytes.
namespace scopesan_compat {
template <bool Condition, typename T> struct EnableIf {};
template <typename T> struct EnableIf<true, T> {
  typedef T type;
};
template <typename T>
using Sixteen =
    typename EnableIf<sizeof(T) == 16 && alignof(T) >= 16 && __is_trivially_copyable(T), T>::type;
} // namespace scopesan_compat
#define SCOPESAN_ATOMICS(Suffix, Scope)                                                            \
  template <typename T>                                                                            \
  SCOPESAN_DEVICE scopesan_compat::Sixteen<T> atomicCAS##Suffix(T *p, T compare, T value) {        \
    unsigned long long c[2], v[2], r[2];                                                           \
    __builtin_memcpy(c, &compare, 16);                                                             \
    __builtin_memcpy(v, &value, 16);                                                               \
    asm volatile("{\n\t.reg .b128 c, v, r;\n\tmov.b128 c, {%3, %4};\n\tmov.b128 v, {%5, %6};\n\t"  \
                 "atom.relaxed." Scope ".cas.b128 r, [%2], c, v;\n\tmov.b128 {%0, %1}, r;\n\t}"    \
                 : "=l"(r[0]), "=l"(r[1])                                                          \
                 : "l"(p), "l"(c[0]), "l"(c[1]), "l"(v[0]), "l"(v[1])                              \
                 : "memory");                                                                      \
    __builtin_memcpy(&value, r, 16);                                                               \
    return value;                                                                                  \
  }                                                                                                \
  template <typename T>                                                                            \
  SCOPESAN_DEVICE scopesan_compat::Sixteen<T> atomicExch##Suffix(T *p, T value) {                  \
    unsigned long long v[2], r[2];                                                                 \
    __builtin_memcpy(v, &value, 16);                                                               \
    asm volatile("{\n\t.reg .b128 v, r;\n\tmov.b128 v, {%3, %4};\n\t"                              \
                 "atom.relaxed." Scope ".exch.b128 r, [%2], v;\n\tmov.b128 {%0, %1}, r;\n\t}"      \
                 : "=l"(r[0]), "=l"(r[1])                                                          \
                 : "l"(p), "l"(v[0]), "l"(v[1])                                                    \
                 : "memory");                                                                      \
    __builtin_memcpy(&value, r, 16);                                                               \
    return value;                                                                                  \
  }
SCOPESAN_ATOMICS(, "gpu")
SCOPESAN_ATOMICS(_block, "cta")
SCOPESAN_ATOMICS(_system, "sys")
#undef SCOPESAN_ATOMICS
#endif // sm_90

#undef SCOPESAN_DEVICE
