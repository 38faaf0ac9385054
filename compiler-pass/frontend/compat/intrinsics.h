// Device functions that nvcc's headers have and clang's lack. The PTX is what nvcc emits.
//
// Host compilations see them too: they parse kernels.
#pragma once
#pragma GCC system_header

#define SCOPESAN_DEVICE static __inline__ __attribute__((device, always_inline, unused))

// Loads and stores with a cache hint (sm_32_intrinsics.h). T: type in memory, R: type of the
// register.
#define SCOPESAN_LOAD(Name, Hint, T, Type, R, Code)                                                \
  SCOPESAN_DEVICE T Name(const T *__ss_p) {                                                        \
    R __ss_x;                                                                                      \
    asm volatile("ld.global." Hint "." Type " %0, [%1];"                                           \
                 : "=" Code(__ss_x)                                                                \
                 : "l"(__ss_p)                                                                     \
                 : "memory");                                                                      \
    return (T)__ss_x;                                                                              \
  }
#define SCOPESAN_LOAD2(Name, Hint, T, Type, R, Code)                                               \
  SCOPESAN_DEVICE T Name(const T *__ss_p) {                                                        \
    R __ss_x, __ss_y;                                                                              \
    asm volatile("ld.global." Hint ".v2." Type " {%0, %1}, [%2];"                                  \
                 : "=" Code(__ss_x), "=" Code(__ss_y)                                              \
                 : "l"(__ss_p)                                                                     \
                 : "memory");                                                                      \
    T __ss_v;                                                                                      \
    __ss_v.x = (__decltype(__ss_v.x))__ss_x;                                                       \
    __ss_v.y = (__decltype(__ss_v.y))__ss_y;                                                       \
    return __ss_v;                                                                                 \
  }
#define SCOPESAN_LOAD4(Name, Hint, T, Type, R, Code)                                               \
  SCOPESAN_DEVICE T Name(const T *__ss_p) {                                                        \
    R __ss_x, __ss_y, __ss_z, __ss_w;                                                              \
    asm volatile("ld.global." Hint ".v4." Type " {%0, %1, %2, %3}, [%4];"                          \
                 : "=" Code(__ss_x), "=" Code(__ss_y), "=" Code(__ss_z), "=" Code(__ss_w)          \
                 : "l"(__ss_p)                                                                     \
                 : "memory");                                                                      \
    T __ss_v;                                                                                      \
    __ss_v.x = (__decltype(__ss_v.x))__ss_x;                                                       \
    __ss_v.y = (__decltype(__ss_v.y))__ss_y;                                                       \
    __ss_v.z = (__decltype(__ss_v.z))__ss_z;                                                       \
    __ss_v.w = (__decltype(__ss_v.w))__ss_w;                                                       \
    return __ss_v;                                                                                 \
  }
#define SCOPESAN_STORE(Name, Hint, T, Type, R, Code)                                               \
  SCOPESAN_DEVICE void Name(T *__ss_p, T __ss_v) {                                                 \
    asm volatile("st.global." Hint "." Type " [%0], %1;" ::"l"(__ss_p), Code((R)__ss_v)            \
                 : "memory");                                                                      \
  }
#define SCOPESAN_STORE2(Name, Hint, T, Type, R, Code)                                              \
  SCOPESAN_DEVICE void Name(T *__ss_p, T __ss_v) {                                                 \
    asm volatile("st.global." Hint ".v2." Type " [%0], {%1, %2};" ::"l"(__ss_p),                   \
                 Code((R)__ss_v.x), Code((R)__ss_v.y)                                              \
                 : "memory");                                                                      \
  }
#define SCOPESAN_STORE4(Name, Hint, T, Type, R, Code)                                              \
  SCOPESAN_DEVICE void Name(T *__ss_p, T __ss_v) {                                                 \
    asm volatile("st.global." Hint ".v4." Type " [%0], {%1, %2, %3, %4};" ::"l"(__ss_p),           \
                 Code((R)__ss_v.x), Code((R)__ss_v.y), Code((R)__ss_v.z), Code((R)__ss_v.w)        \
                 : "memory");                                                                      \
  }
// X(macro for scalars, for pairs, for quadruples, name, hint): every type that nvcc has.
#define SCOPESAN_CACHE_TYPES(One, Two, Four, Name, Hint)                                           \
  One(Name, Hint, char, "s8", unsigned, "r") One(Name, Hint, signed char, "s8", unsigned, "r")     \
      One(Name, Hint, unsigned char, "u8", unsigned,                                               \
          "r") One(Name, Hint, short, "s16", unsigned short, "h") One(Name, Hint, unsigned short,  \
                                                                      "u16", unsigned short, "h")  \
          One(Name, Hint, int, "s32", int, "r") One(Name, Hint, unsigned, "u32", unsigned,         \
                                                    "r") One(Name, Hint, long, "s64", long, "l")   \
              One(Name, Hint, unsigned long, "u64", unsigned long,                                 \
                  "l") One(Name, Hint, long long, "s64", long long,                                \
                           "l") One(Name, Hint, unsigned long long, "u64", unsigned long long,     \
                                    "l") One(Name, Hint, float, "f32", float, "f")                 \
                  One(Name, Hint, double, "f64", double,                                           \
                      "d") Two(Name, Hint, char2, "s8", unsigned,                                  \
                               "r") Two(Name, Hint, uchar2, "u8", unsigned, "r")                   \
                      Two(Name, Hint, short2, "s16", unsigned short,                               \
                          "h") Two(Name, Hint, ushort2, "u16", unsigned short,                     \
                                   "h") Two(Name, Hint, int2, "s32",                               \
                                            int, "r") Two(Name, Hint, uint2, "u32", unsigned, "r") \
                          Two(Name, Hint, longlong2, "s64", long long,                             \
                              "l") Two(Name, Hint, ulonglong2, "u64", unsigned long long,          \
                                       "l") Two(Name, Hint, float2, "f32", float, "f")             \
                              Two(Name, Hint, double2, "f64", double,                              \
                                  "d") Four(Name, Hint, char4, "s8", unsigned, "r")                \
                                  Four(Name, Hint, uchar4, "u8", unsigned, "r")                    \
                                      Four(Name, Hint, short4, "s16", unsigned short, "h")         \
                                          Four(Name, Hint, ushort4, "u16", unsigned short, "h")    \
                                              Four(Name, Hint, int4, "s32", int, "r")              \
                                                  Four(Name, Hint, uint4, "u32", unsigned, "r")    \
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
SCOPESAN_DEVICE float __tanhf(float __ss_x) {
  float __ss_y;
  asm("tanh.approx.f32 %0, %1;" : "=f"(__ss_y) : "f"(__ss_x));
  return __ss_y;
}
#endif
#define __prof_trigger(counter) asm volatile("pmevent %0;" ::"n"(counter))

// Declared by clang's headers, defined nowhere.
SCOPESAN_DEVICE double nan(const char *) { return __builtin_nan(""); }
SCOPESAN_DEVICE float nanf(const char *) { return __builtin_nanf(""); }

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
// sm_90_rt.h: atomics of 16 bytes.
namespace scopesan_compat {
template <bool __ss_Condition, typename __ss_T> struct __ss_EnableIf {};
template <typename __ss_T> struct __ss_EnableIf<true, __ss_T> {
  typedef __ss_T type;
};
template <typename __ss_T>
using __ss_Sixteen = typename __ss_EnableIf<sizeof(__ss_T) == 16 && __alignof__(__ss_T) >= 16 &&
                                                __is_trivially_copyable(__ss_T),
                                            __ss_T>::type;
} // namespace scopesan_compat
#define SCOPESAN_ATOMICS(Suffix, Scope)                                                            \
  template <typename __ss_T>                                                                       \
  SCOPESAN_DEVICE scopesan_compat::__ss_Sixteen<__ss_T> atomicCAS##Suffix(                         \
      __ss_T *__ss_p, __ss_T __ss_compare, __ss_T __ss_value) {                                    \
    unsigned long long __ss_c[2], __ss_v[2], __ss_r[2];                                            \
    __builtin_memcpy(__ss_c, &__ss_compare, 16);                                                   \
    __builtin_memcpy(__ss_v, &__ss_value, 16);                                                     \
    asm volatile("{\n\t.reg .b128 c, v, r;\n\tmov.b128 c, {%3, %4};\n\tmov.b128 v, {%5, %6};\n\t"  \
                 "atom.relaxed." Scope ".cas.b128 r, [%2], c, v;\n\tmov.b128 {%0, %1}, r;\n\t}"    \
                 : "=l"(__ss_r[0]), "=l"(__ss_r[1])                                                \
                 : "l"(__ss_p), "l"(__ss_c[0]), "l"(__ss_c[1]), "l"(__ss_v[0]), "l"(__ss_v[1])     \
                 : "memory");                                                                      \
    __builtin_memcpy(&__ss_value, __ss_r, 16);                                                     \
    return __ss_value;                                                                             \
  }                                                                                                \
  template <typename __ss_T>                                                                       \
  SCOPESAN_DEVICE scopesan_compat::__ss_Sixteen<__ss_T> atomicExch##Suffix(__ss_T *__ss_p,         \
                                                                           __ss_T __ss_value) {    \
    unsigned long long __ss_v[2], __ss_r[2];                                                       \
    __builtin_memcpy(__ss_v, &__ss_value, 16);                                                     \
    asm volatile("{\n\t.reg .b128 v, r;\n\tmov.b128 v, {%3, %4};\n\t"                              \
                 "atom.relaxed." Scope ".exch.b128 r, [%2], v;\n\tmov.b128 {%0, %1}, r;\n\t}"      \
                 : "=l"(__ss_r[0]), "=l"(__ss_r[1])                                                \
                 : "l"(__ss_p), "l"(__ss_v[0]), "l"(__ss_v[1])                                     \
                 : "memory");                                                                      \
    __builtin_memcpy(&__ss_value, __ss_r, 16);                                                     \
    return __ss_value;                                                                             \
  }
SCOPESAN_ATOMICS(, "gpu")
SCOPESAN_ATOMICS(_block, "cta")
SCOPESAN_ATOMICS(_system, "sys")
#undef SCOPESAN_ATOMICS
#endif // sm_90

#undef SCOPESAN_DEVICE
