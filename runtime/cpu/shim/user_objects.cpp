// User objects: what graphs keep alive.
#include "cpu/shim/context.h"
#include "cpu/shim/graph.h"

#include <algorithm>
#include <unordered_set>

using namespace scopesan;
using namespace scopesan::cpu;

namespace {

struct UserObject {
  void *Data = nullptr;
  cudaHostFn_t Destroy = nullptr;
  uint64_t References = 0;
};

std::unordered_set<UserObject *> &liveObjects() {
  static auto *Set = new std::unordered_set<UserObject *>;
  return *Set;
}

UserObject *lookupObject(cudaUserObject_t Handle) {
  auto *O = reinterpret_cast<UserObject *>(Handle);
  return liveObjects().count(O) ? O : nullptr;
}

void release(UserObject *O, uint64_t Count) {
  if (O->References > Count) {
    O->References -= Count;
    return;
  }
  liveObjects().erase(O);
  O->Destroy(O->Data);
  delete O;
}

template <typename Function> cudaError_t objectCall(cudaUserObject_t Handle, Function Body) {
  return apiCall([&](Context &) {
    UserObject *O = lookupObject(Handle);
    return O ? Body(*O) : cudaErrorInvalidValue;
  });
}

} // namespace

cudaError_t cudaUserObjectCreate(cudaUserObject_t *Result, void *Data, cudaHostFn_t Destroy,
                                 unsigned Count, unsigned Flags) {
  return apiCall([&](Context &) {
    if (!Result || !Destroy || !Count || Flags != cudaUserObjectNoDestructorSync)
      return cudaErrorInvalidValue;
    auto *O = new UserObject{Data, Destroy, Count};
    liveObjects().insert(O);
    return *Result = reinterpret_cast<cudaUserObject_t>(O), cudaSuccess;
  });
}
cudaError_t cudaUserObjectRetain(cudaUserObject_t Handle, unsigned Count) {
  return objectCall(Handle, [&](UserObject &O) {
    if (!Count)
      return cudaErrorInvalidValue;
    return O.References += Count, cudaSuccess;
  });
}
cudaError_t cudaUserObjectRelease(cudaUserObject_t Handle, unsigned Count) {
  return objectCall(Handle, [&](UserObject &O) {
    if (!Count || Count > O.References)
      return cudaErrorInvalidValue;
    return release(&O, Count), cudaSuccess;
  });
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t Graph, cudaUserObject_t Handle, unsigned Count,
                                      unsigned Flags) {
  return objectCall(Handle, [&](UserObject &O) {
    auto *G = lookupGraph(Graph);
    bool Moves = Flags & cudaGraphUserObjectMove;
    if (!G || !Count || Flags & ~unsigned(cudaGraphUserObjectMove) ||
        (Moves && Count > O.References))
      return cudaErrorInvalidValue;
    if (!Moves)
      O.References += Count;
    for (unsigned I = 0; I < Count; ++I)
      G->UserObjects.push_back(
          std::shared_ptr<void>(&O, [](void *P) { release(static_cast<UserObject *>(P), 1); }));
    return cudaSuccess;
  });
}
cudaError_t cudaGraphReleaseUserObject(cudaGraph_t Graph, cudaUserObject_t Handle, unsigned Count) {
  return objectCall(Handle, [&](UserObject &O) {
    auto *G = lookupGraph(Graph);
    if (!G || !Count)
      return cudaErrorInvalidValue;
    auto IsIts = [&](const std::shared_ptr<void> &R) { return R.get() == &O; };
    auto &List = G->UserObjects;
    if (std::count_if(List.begin(), List.end(), IsIts) < Count)
      return cudaErrorInvalidValue;
    for (unsigned I = 0; I < Count; ++I)
      List.erase(std::find_if(List.begin(), List.end(), IsIts));
    return cudaSuccess;
  });
}

/// Nothing is kept for the next launch.
