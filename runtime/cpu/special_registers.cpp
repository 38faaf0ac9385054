// Special registers that are not in ThreadContext.
#include "cpu/engine.h"

using namespace scopesan;
using namespace scopesan::cpu;

namespace {
enum class Register : uint32_t {
#define SCOPESAN_SREG(enumerator, name) enumerator,
#include "cpu/sregs.def"
};
} // namespace

uint64_t Engine::specialRegister(uint32_t Id) {
  const Thread &T = *current();
  const Block &B = *T.Owner;
  const Launch &L = *B.Grid;
  const core::Dim3 &Cluster = L.Spec.ClusterDim, &Grid = L.Spec.Grid;
  auto Workspace = reinterpret_cast<uint64_t>(L.GridWorkspace);
  switch (Register(Id)) {
  case Register::ClusterCtarank:
    return B.Rank;
  case Register::ClusterNctarank:
    return B.Peers->BlockCount;
  case Register::ClusterCtaidX:
    return T.ctaid[0] % Cluster.x;
  case Register::ClusterCtaidY:
    return T.ctaid[1] % Cluster.y;
  case Register::ClusterCtaidZ:
    return T.ctaid[2] % Cluster.z;
  case Register::ClusterNctaidX:
    return Cluster.x;
  case Register::ClusterNctaidY:
    return Cluster.y;
  case Register::ClusterNctaidZ:
    return Cluster.z;
  case Register::ClusteridX:
    return T.ctaid[0] / Cluster.x;
  case Register::ClusteridY:
    return T.ctaid[1] / Cluster.y;
  case Register::ClusteridZ:
    return T.ctaid[2] / Cluster.z;
  case Register::NclusteridX:
    return Grid.x / Cluster.x;
  case Register::NclusteridY:
    return Grid.y / Cluster.y;
  case Register::NclusteridZ:
    return Grid.z / Cluster.z;
  case Register::IsExplicitCluster:
    return L.Spec.ExplicitCluster;
  case Register::Smid:
    return B.Linear % Settings.SmCount;
  case Register::Nsmid:
    return Settings.SmCount;
  case Register::Nwarpid:
    return 64;
  case Register::Gridid:
    return L.Spec.Index;
  case Register::Clock:
  case Register::Clock64:
  case Register::Globaltimer:
    ++ClockReads;
    return now();
  case Register::GlobaltimerLo:
    ++ClockReads;
    return uint32_t(now());
  case Register::ClockHi:
  case Register::GlobaltimerHi:
    return now() >> 32;
  case Register::DynamicSmemSize:
    return L.Spec.DynamicShared;
  case Register::TotalSmemSize:
    return L.SlotBytes;
  case Register::Envreg1: // high half of cooperative groups' grid workspace
    return Workspace >> 32;
  case Register::Envreg2:
    return uint32_t(Workspace);
  case Register::ReservedSmemOffset0:
  case Register::ReservedSmemOffset1:
    return reinterpret_cast<uint64_t>(B.Shared);
  }
  return 0;
}

extern "C" __attribute__((visibility("default"))) uint64_t __scopesan_cpu_sreg(uint32_t Register) {
  return TheEngine.specialRegister(Register);
}
