// What a copy or fill promises to the host that calls it ("API synchronization behavior" of the
// CUDA runtime's reference):
//   synchronous    pageable -> device  waits for the stream, returns when the source is staged
//                  device -> device    nothing
//                  all others          returns when the copy is complete
//   asynchronous   host -> host        returns when the copy is complete
//                  device <-> pageable "might be synchronous": nothing
//                  all others          nothing
//   fill           asynchronous for the host, except a synchronous one of pinned host memory
// Copies that involve managed memory count as host copies where they are synchronous.
#pragma once

#include "host/collector.h"

namespace scopesan::host {

/// What the synchronization behaviour depends on.
enum class CopySide : uint8_t { Pageable, Pinned, Managed, Device };
/// `kind`: of memory that CUDA knows; null = the program's own.
CopySide copySide(const MemoryKind *kind);

enum class CopyPromise : uint8_t {
  Nothing,
  Staged,  ///< what was in the stream is done, and the source was read
  Complete ///< the copy is done
};
CopyPromise copyPromise(CopySide to, CopySide from, bool async);
CopyPromise fillPromise(CopySide to, bool async);

} // namespace scopesan::host
