// scopesan-test: library functions of the host use managed memory beside a kernel
//
// variant fixed -fscopesan-host
//   why every function is called after the host has waited
//   verdict clean
//   proof S14 S15
// variant fread -fscopesan-host -DRACY=1
//   verdict findings
//   require D1 call kernel distance=host-device memory=managed
//   proof S15 D1
// variant fwrite -fscopesan-host -DRACY=2
//   verdict findings
//   label full
//   require D1 call kernel(store) distance=host-device memory=managed
//   proof S15 D1
// variant read -fscopesan-host -DRACY=3
//   verdict findings
//   require D1 call kernel distance=host-device memory=managed
//   proof S15 D1
// variant snprintf -fscopesan-host -DRACY=4
//   verdict findings
//   label full
//   require D1 call kernel distance=host-device memory=managed
//   proof S15 D1
// variant strncpy -fscopesan-host -DRACY=5
//   verdict findings
//   label full
//   require D1 call kernel distance=host-device memory=managed
//   proof S15 D1
// variant strlen -fscopesan-host -DRACY=6
//   verdict findings
//   label full
//   require D1 call kernel(store) distance=host-device memory=managed
//   proof S15 D1
// variant memcmp -fscopesan-host -DRACY=7
//   verdict findings
//   label full
//   require D1 call kernel(store) distance=host-device memory=managed
//   proof S15 D1
// variant qsort -fscopesan-host -DRACY=8
//   verdict findings
//   require D1 call kernel distance=host-device memory=managed
//   allow D1 compare kernel(store) distance=host-device memory=managed
//   proof S15 D1
// variant bzero -fscopesan-host -DRACY=9
//   verdict findings
//   label full
//   require D1 call kernel distance=host-device memory=managed
//   proof S15 D1
// variant stream_read -fscopesan-host -DRACY=10
//   verdict findings
//   require D1 call kernel distance=host-device memory=managed
//   proof S15 D1
// variant strcmp_stops -fscopesan-host -DSTOPS
//   why the strings differ before the bytes that the kernel uses
//   verdict clean
//   proof S15
#include "check.h"

#include <sstream>
#include <string.h>
#include <strings.h>
#include <unistd.h>

constexpr int kCount = 64;

__global__ void rewrite(char *text) {
  text[threadIdx.x] = char(text[threadIdx.x] | 64); // @kernel
}

static void fromFile(char *text, bool back) {
  FILE *file = tmpfile();
  char content[kCount] = "content";
  if (back)
    fwrite(text, 1, kCount, file); // @call
  else
    fwrite(content, 1, kCount, file);
  rewind(file);
  if (!back && fread(text, 1, kCount, file) != size_t(kCount)) // @call
    exit(3);
  fclose(file);
}
static void fromPipe(char *text) {
  int ends[2];
  if (pipe(ends) || write(ends[1], "content", 8) != 8)
    exit(3);
  if (read(ends[0], text, kCount) != 8) // @call
    exit(3);
  close(ends[0]);
  close(ends[1]);
}
static int compare(const void *a, const void *b) {
  return *static_cast<const char *>(a) - *static_cast<const char *>(b); // @compare
}
static void fromStream(char *text) {
  std::istringstream stream("content of a stream");
  stream.read(text, 7); // @call
}

static size_t use(char *text, int which, const char *other, int number) {
  if (which == 1 || which == 2)
    fromFile(text, which == 2);
  if (which == 3)
    fromPipe(text);
  if (which == 4)
    snprintf(text, kCount, "%d", number); // @call
  if (which == 5)
    strncpy(text, other, size_t(number)); // @call
  if (which == 6)
    return strlen(text); // @call
  if (which == 7)
    return size_t(memcmp(text, other, size_t(number))); // @call
  if (which == 8)
    qsort(text, size_t(number), 1, compare); // @call
  if (which == 9)
    bzero(text, size_t(number)); // @call
  if (which == 10)
    fromStream(text);
  return 0;
}

int main(int argc, char **) {
  char *text = nullptr, other[kCount] = "text of the host";
  CHECK(cudaMallocManaged(&text, kCount));
  memset(text, 0, kCount);
  strcpy(text, "abc");
  size_t sum = 0;
#if defined(STOPS)
  rewrite<<<1, 8>>>(text + 8);
  sum += size_t(strcmp(text, other) != 0);
  CHECK(cudaDeviceSynchronize());
#elif defined(RACY)
  rewrite<<<1, kCount>>>(text);
  sum += use(text, RACY, other, argc + 7);
  CHECK(cudaDeviceSynchronize());
#else
  for (int which = 1; which <= 10; ++which) {
    rewrite<<<1, kCount>>>(text);
    CHECK(cudaDeviceSynchronize());
    sum += use(text, which, other, argc + 7);
  }
#endif
  CHECK(cudaGetLastError());
  CHECK(cudaFree(text));
  return verdict(sum != size_t(-2));
}
