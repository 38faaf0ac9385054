#include "host/copy_promise.h"

#include "host/options.h"

namespace scopesan::host {

CopySide copySide(const MemoryKind *kind) {
  if (!kind)
    return CopySide::Pageable;
  switch (*kind) {
  case MemoryKind::Managed:
    return CopySide::Managed;
  case MemoryKind::MappedHost:
  case MemoryKind::PinnedHost:
    return CopySide::Pinned;
  default:
    return CopySide::Device;
  }
}

static bool isHost(CopySide s) { return s == CopySide::Pageable || s == CopySide::Pinned; }

CopyPromise copyPromise(CopySide to, CopySide from, bool async) {
  if (isHost(to) && isHost(from))
    return CopyPromise::Complete;
  if (async || (to == CopySide::Device && from == CopySide::Device))
    return CopyPromise::Nothing;
  if (to == CopySide::Device && from == CopySide::Pageable && options().pageable_copy == "staged")
    return CopyPromise::Staged;
  return CopyPromise::Complete;
}

CopyPromise fillPromise(CopySide to, bool async) {
  return !async && to == CopySide::Pinned ? CopyPromise::Complete : CopyPromise::Nothing;
}

} // namespace scopesan::host
