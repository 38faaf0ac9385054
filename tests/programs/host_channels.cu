// scopesan-test: host threads ordered by what they write into a pipe, an eventfd or a socket
//
// variant pipe -fscopesan-host
//   why the launch follows the byte that the worker sends after it has filled the memory
//   verdict clean
//   proof S15
// variant eventfd -fscopesan-host -DEVENT
//   verdict clean
//   label full
//   proof S15
// variant socket -fscopesan-host -DSOCKET
//   verdict clean
//   label full
//   proof S15
// variant sent_too_early -fscopesan-host -DRACY=1
//   why the worker fills the memory after it has sent the byte
//   verdict findings
//   require D1 fill(store) kernel_read distance=host-device memory=managed
//   proof S15 D1
// variant not_read -fscopesan-host -DRACY=2
//   why nobody reads what the worker sends
//   verdict findings
//   require D1 fill(store) kernel_read distance=host-device memory=managed
//   proof S15 D1
#include "check.h"

#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#ifdef RACY
constexpr int kRace = RACY;
#else
constexpr int kRace = 0;
#endif

constexpr int kCount = 32;

__global__ void copy(const int *in, int *out) {
  out[threadIdx.x] = in[threadIdx.x]; // @kernel_read
}

static void fill(int *in) {
  for (int i = 0; i < kCount; ++i)
    in[i] = i; // @fill
}

static void send(int end) {
  uint64_t one = 1;
  if (write(end, &one, sizeof(one)) != sizeof(one))
    exit(3);
}
static void receive(int end) {
  uint64_t one = 0;
  if (read(end, &one, sizeof(one)) != sizeof(one))
    exit(3);
}

int main() {
  int *in = nullptr, *out = nullptr, ends[2];
  CHECK(cudaMallocManaged(&in, kCount * sizeof(int)));
  CHECK(cudaMallocManaged(&out, kCount * sizeof(int)));
#if defined(EVENT)
  ends[0] = ends[1] = eventfd(0, 0);
#elif defined(SOCKET)
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
    return 3;
#else
  if (pipe(ends))
    return 3;
#endif
  std::thread worker([&] {
    if (kRace != 1)
      fill(in);
    send(ends[1]);
    if (kRace == 1)
      fill(in);
  });
  if (kRace != 2)
    receive(ends[0]);
  copy<<<1, kCount>>>(in, out);
  CHECK(cudaGetLastError());
  worker.join();
  CHECK(cudaDeviceSynchronize());
  bool right = true;
  for (int i = 0; i < kCount; ++i)
    right = right && out[i] == i;
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  return verdict(right);
}
