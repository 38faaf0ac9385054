// What copies promise to the host, row by row of the runtime's reference.
#include "host/copy_promise.h"

#include <gtest/gtest.h>

using namespace scopesan::host;

TEST(CopyPromise, Sides) {
  MemoryKind device = MemoryKind::Device, pinned = MemoryKind::PinnedHost,
             mapped = MemoryKind::MappedHost, managed = MemoryKind::Managed,
             variable = MemoryKind::ConstantVariable;
  EXPECT_EQ(copySide(nullptr), CopySide::Pageable);
  EXPECT_EQ(copySide(&device), CopySide::Device);
  EXPECT_EQ(copySide(&variable), CopySide::Device);
  EXPECT_EQ(copySide(&pinned), CopySide::Pinned);
  EXPECT_EQ(copySide(&mapped), CopySide::Pinned);
  EXPECT_EQ(copySide(&managed), CopySide::Managed);
}

TEST(CopyPromise, Synchronous) {
  EXPECT_EQ(copyPromise(CopySide::Device, CopySide::Device, false), CopyPromise::Nothing);
  for (CopySide host : {CopySide::Pageable, CopySide::Pinned, CopySide::Managed})
    EXPECT_EQ(copyPromise(host, CopySide::Device, false), CopyPromise::Complete);
  EXPECT_EQ(copyPromise(CopySide::Device, CopySide::Pinned, false), CopyPromise::Complete);
  EXPECT_NE(copyPromise(CopySide::Device, CopySide::Pageable, false), CopyPromise::Nothing);
}

TEST(CopyPromise, Asynchronous) {
  EXPECT_EQ(copyPromise(CopySide::Pinned, CopySide::Pageable, true), CopyPromise::Complete);
  EXPECT_EQ(copyPromise(CopySide::Device, CopySide::Pageable, true), CopyPromise::Nothing);
  EXPECT_EQ(copyPromise(CopySide::Pageable, CopySide::Device, true), CopyPromise::Nothing);
  EXPECT_EQ(copyPromise(CopySide::Managed, CopySide::Pinned, true), CopyPromise::Nothing);
}

TEST(CopyPromise, Fills) {
  EXPECT_EQ(fillPromise(CopySide::Pinned, false), CopyPromise::Complete);
  EXPECT_EQ(fillPromise(CopySide::Pinned, true), CopyPromise::Nothing);
  EXPECT_EQ(fillPromise(CopySide::Device, false), CopyPromise::Nothing);
  EXPECT_EQ(fillPromise(CopySide::Managed, false), CopyPromise::Nothing);
}
