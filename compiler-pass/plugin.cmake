# lib/libScopeSanPass.so: clang -fpass-plugin=..., opt -load-pass-plugin=...
# LLVM's symbols come from the program that loads it.
add_library(ScopeSanPass MODULE
  AbiCalls.cpp
  ConstantUse.cpp
  Elide.cpp
  Externalised.cpp
  GpuMode.cpp
  HostCode.cpp
  HostLibrary.cpp
  Instrument.cpp
  InstrumentAccess.cpp
  InstrumentAsm.cpp
  KernelAttributes.cpp
  LinkRuntime.cpp
  Managed.cpp
  NonCoherent.cpp
  Normalise.cpp
  Options.cpp
  PhaseElision.cpp
  Plugin.cpp
  Semantics.cpp
  SharedFrame.cpp
  SiteTable.cpp
  Snapshot.cpp
  ToolkitInline.cpp
  Uniform.cpp
  WaitLoops.cpp)
scopesan_llvm_target(ScopeSanPass)
target_link_libraries(ScopeSanPass PRIVATE scopesan_ptx)
target_compile_definitions(ScopeSanPass PRIVATE
  SCOPESAN_CUDA_INCLUDE="${SCOPESAN_CUDA_ROOT}/include/")
