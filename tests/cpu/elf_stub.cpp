extern "C" void *__cudaRegisterFatBinary(void *P) { return P; }
