// Remembered accesses to one word of memory (P1), packed.
#pragma once

#include "scopesan/core/epoch.h"
#include "scopesan/core/proxy.h"
#include "scopesan/core/scope.h"

namespace scopesan::core {

constexpr uint32_t WordBytes = 4;
constexpr uint32_t FullWord = 15;
constexpr uint64_t wordOf(uint64_t address) { return address & ~uint64_t(WordBytes - 1); }

/// One remembered access to one word, 16 bytes.
/// bits: 0-9 thread, 10-13 byte mask, 14-16 kind, 17-19 order, 20-22 scope, 23 volatile,
///       24-27 log2(bytes of the whole access) + 1, 0 = not a power of two, 28-31 proxy.
struct Record {
  uint32_t block = 0; ///< BlockId; 0 = empty
  uint32_t time = 0;
  uint32_t site = 0;
  uint32_t bits = 0;

  static constexpr uint32_t ProxyShift = 28;
  [[gnu::always_inline]] static Record make(const Epoch &e, SiteId site, Op op, uint32_t mask,
                                            uint32_t bytes, Proxy proxy = Proxy::Generic) {
    uint32_t size = bytes && (bytes & (bytes - 1)) == 0 ? __builtin_ctz(bytes) + 1 : 0;
    return {e.block.value, e.time.value, site.value,
            e.thread.value | mask << 10 | uint32_t(op.kind()) << 14 | uint32_t(op.order()) << 17 |
                uint32_t(op.scope()) << 20 | uint32_t(op.isVolatile()) << 23 | size << 24 |
                uint32_t(proxy) << ProxyShift};
  }
  bool empty() const { return block == 0; }
  ThreadIndex thread() const { return {bits & 1023}; }
  uint32_t mask() const { return bits >> 10 & 15; }
  void setMask(uint32_t m) { bits = (bits & ~(15u << 10)) | m << 10; }
  Op op() const {
    Op o(kind(), abi::MemoryOrder(bits >> 17 & 7), scope());
    return bits >> 23 & 1 ? o.with(Op::VolatileBit) : o;
  }
  abi::AccessKind kind() const { return abi::AccessKind(bits >> 14 & 7); }
  Scope scope() const { return Scope(bits >> 20 & 7); }
  bool isWrite() const { return Op(bits >> 14 & 7).isWrite(); }
  uint32_t sizeLog2Plus1() const { return bits >> 24 & 15; }
  uint32_t bytes() const {
    uint32_t s = sizeLog2Plus1();
    return s ? 1u << (s - 1) : 0;
  }
  Proxy proxy() const { return Proxy(bits >> ProxyShift); }
  /// Size and proxy, in which morally strong accesses agree (S3).
  uint8_t way() const { return uint8_t(bits >> 24); }
  Epoch epoch() const { return {{block}, thread(), {time}}; }
  bool sameThread(const Record &o) const { return block == o.block && thread() == o.thread(); }
  /// Same thread, bytes of the word, size and proxy of the access.
  [[gnu::always_inline]] bool sameBytes(const Record &o) const {
    constexpr uint32_t Fields = 0x3fff | 255u << 24;
    return block == o.block && ((bits ^ o.bits) & Fields) == 0;
  }
};
static_assert(sizeof(Record) == 16);

/// A strong access; a write is known by the version that it gave its synchronization object.
struct StrongRecord : Record {
  uint32_t version = 0; ///< 0 = wrote nothing
  void set(Record r, uint32_t v) {
    static_cast<Record &>(*this) = r;
    version = v;
  }
};

/// Lanes of one warp that read the word at one local time from one site.
struct ReaderGroup {
  uint32_t block = 0, time = 0, site = 0;
  uint16_t warp = 0;
  uint8_t mask = 0;          ///< bytes of the word
  uint8_t sizeLog2Plus1 = 0; ///< low 4 bits; high bits: proxy
  uint32_t lanes = 0;

  Record record(uint32_t lane) const {
    Epoch e{{block}, {warp * WarpSize + lane}, {time}};
    return Record::make(e, {site}, Op(abi::AccessKind::Load, abi::MemoryOrder::Weak, Scope::Thread),
                        mask, bytes(), proxy());
  }
  uint32_t bytes() const {
    uint32_t s = sizeLog2Plus1 & 15;
    return s ? 1u << (s - 1) : 0;
  }
  Proxy proxy() const { return Proxy(sizeLog2Plus1 >> 4); }
  static uint8_t packSize(const Record &r) {
    return uint8_t((r.bits >> 24 & 15) | uint32_t(r.proxy()) << 4);
  }
};

} // namespace scopesan::core
