// 16-bit and 8-bit floating-point formats.
#pragma once

#include <bit>
#include <math.h>
#include <stdint.h>

namespace scopesan::cpu {

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

/// e4m3 has no infinity and one NaN pattern, e5m2 is the upper half of a half (OCP 8-bit formats).
inline float fromE5M2(uint8_t Bits) { return float(Half<false>{uint16_t(Bits << 8)}); }
inline float fromE4M3(uint8_t Bits) {
  int Exponent = Bits >> 3 & 15, Fraction = Bits & 7;
  float V = (Bits & 127) == 127 ? NAN
            : Exponent          ? ldexpf(float(8 + Fraction), Exponent - 10)
                                : ldexpf(float(Fraction), -9);
  return Bits & 128 ? -V : V;
}

} // namespace scopesan::cpu
