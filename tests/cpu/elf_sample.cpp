// Looks to the ELF scan like a program with device code; STATIC: with its own CUDA runtime.
extern "C" {
__attribute__((section(".nv_fatbin"), used)) const char Fatbin[8] = {1};
#ifdef STATIC
__attribute__((used)) void *__cudaRegisterFatBinary(void *) { return nullptr; }
#else
void *__cudaRegisterFatBinary(void *);
#endif
}
int main() {
#ifndef STATIC
  return __cudaRegisterFatBinary(nullptr) == nullptr;
#endif
}
