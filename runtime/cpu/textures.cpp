// Texture fetches and surface accesses. They tell the detector what they touch: a fetch is a
// non-coherent read (O6), a surface access goes through the surface proxy (S13).
#include "cpu/textures.h"

#include "cpu/async_copies.h"
#include "cpu/engine.h"
#include "cpu/hooks.h"
#include "cpu/reach.h"

#include <string.h>
#include <utility>

using namespace scopesan;
using namespace scopesan::cpu;
using core::Proxy;
using core::SiteId;

TextureTable scopesan::cpu::TheTextures;

namespace {

[[noreturn]] void fail(FailureCode Code, const std::string &Why, const Thread &T) {
  TheEngine.failFromFiber(Code, Why, T, T.TextureSite);
}

const TextureObject &objectOf(Thread &T, uint64_t Handle, TextureForm F) {
  const TextureObject *O = TheTextures.find(Handle);
  const char *Kind = F.isSurface() ? "surface" : "texture";
  if (!O || O->IsSurface != F.isSurface())
    fail(FailureCode::IllegalAddress,
         std::to_string(Handle) + " is no " + Kind + " object, or one that was destroyed", T);
  if (isCube(F.Geometry) && !isCube(O->Memory.Geometry))
    fail(FailureCode::LaunchFailure, "fetch of a cubemap from a texture that is none", T);
  return *O;
}

/// The site that the pass announced; 0 when the operation is not instrumented.
uint32_t takeSite(Thread &T) { return std::exchange(T.TextureSite, 0); }

Texel fetch(Thread &T, const TextureObject &O, const Taps &At, unsigned I, uint32_t Site) {
  constexpr abi::Op Load(abi::AccessKind::Load, abi::MemoryOrder::Weak, abi::Scope::Thread);
  uint64_t Address = At.Of[I].Address;
  if (!Address)
    return decode(O.Memory, O.Sampling, nullptr);
  uint32_t Bytes = O.Memory.Format.bytes();
  const void *Place = reinterpret_cast<const void *>(Address);
  bool Again = false; // at an edge one texel is read for several
  for (unsigned Before = 0; Before < I; ++Before)
    Again |= At.Of[Before].Address == Address;
  if (Site && !Again) {
    checkReach(Place, Bytes, Load, Site);
    TheDetector->proxyRead(*T.Detect, Address, Bytes, SiteId{Site}, Proxy::NonCoherent);
  }
  char Values[16];
  readDeviceMemory(Values, Place, Bytes);
  return decode(O.Memory, O.Sampling, Values);
}

/// Address of a surface access; 0 where nothing is accessed.
uint64_t surfaceAddress(Thread &T, const TextureObject &O, TextureForm F,
                        const uint32_t *Coordinates) {
  uint64_t Address = 0;
  SurfacePlace Place = locateSurface(O.Memory, F, Coordinates, Address);
  if (Place == SurfacePlace::Misaligned)
    fail(FailureCode::LaunchFailure, "misaligned surface access", T);
  if (Place == SurfacePlace::Outside && F.Boundary == SurfaceBoundary::Trap)
    fail(FailureCode::LaunchFailure, "surface access outside of its array", T);
  return Address;
}

} // namespace

extern "C" {
#pragma GCC visibility push(default)

void __scopesan_texture(uint32_t, uint32_t Site) {
  TheEngine.Sched.read();
  Engine::current()->TextureSite = Site;
}

void __scopesan_cpu_texture(uint64_t Handle, uint32_t Form, const uint32_t *Coordinates,
                            void *Result) {
  Thread &T = *Engine::current();
  uint32_t Site = takeSite(T);
  TextureForm F = TextureForm::fromRaw(Form);
  const TextureObject &O = objectOf(T, Handle, F);
  Taps At = locate(O.Memory, O.Sampling, F, Coordinates);
  Texel Read[8];
  for (unsigned I = 0; I < At.Count; ++I)
    Read[I] = fetch(T, O, At, I, Site);
  Texel V = combine(O.Memory, O.Sampling, F, At, Read);
  memcpy(Result, V.Bits, sizeof V.Bits);
}

void __scopesan_cpu_surface_read(uint64_t Handle, uint32_t Form, const uint32_t *Coordinates,
                                 void *Result) {
  Thread &T = *Engine::current();
  uint32_t Site = takeSite(T);
  TextureForm F = TextureForm::fromRaw(Form);
  uint64_t Address = surfaceAddress(T, objectOf(T, Handle, F), F, Coordinates);
  if (!Address) {
    memset(Result, 0, F.bytes());
    return;
  }
  if (Site)
    TheDetector->surfaceRead(*T.Detect, Address, F.bytes(), SiteId{Site});
  readDeviceMemory(Result, reinterpret_cast<void *>(Address), F.bytes());
}

void __scopesan_cpu_surface_write(uint64_t Handle, uint32_t Form, const uint32_t *Coordinates,
                                  const void *Values) {
  Thread &T = *Engine::current();
  uint32_t Site = takeSite(T);
  TextureForm F = TextureForm::fromRaw(Form);
  uint64_t Address = surfaceAddress(T, objectOf(T, Handle, F), F, Coordinates);
  if (!Address)
    return;
  if (Site)
    TheDetector->proxyWrite(*T.Detect, Address, F.bytes(), SiteId{Site}, Proxy::Surface);
  writeDeviceMemory(reinterpret_cast<void *>(Address), Values, F.bytes());
}

#pragma GCC visibility pop
}
