#include "Library.h"

#include <gtest/gtest.h>

#include <dlfcn.h>
#include <fstream>
#include <stdio.h>

using namespace scopesan;
using test::Library;

static std::string output(const std::string &Command) {
  std::string Text;
  FILE *Pipe = popen(Command.c_str(), "r");
  char Buffer[4096];
  while (size_t N = fread(Buffer, 1, sizeof(Buffer), Pipe))
    Text.append(Buffer, N);
  return pclose(Pipe) == 0 ? Text : "";
}

Library::Library(const std::string &Ir, const std::string &Options) {
  static unsigned Count = 0;
  std::string Base = testing::TempDir() + "scopesan-retarget-" + std::to_string(getpid());
  std::string Input = Base + "-" + std::to_string(Count++) + ".ll";
  std::ofstream(Input) << Ir;
  std::string Path =
      output(SCOPESAN_CODEGEN " --cache-dir=" + Base + ".cache " + Options + " " + Input);
  remove(Input.c_str());
  EXPECT_FALSE(Path.empty()) << "scopesan-cpu-codegen failed";
  if (Path.empty())
    return;
  Path.pop_back();
  void *Handle = dlopen(Path.c_str(), RTLD_NOW);
  EXPECT_TRUE(Handle) << dlerror();
  if (Handle)
    Module = static_cast<const cpu::Module *>(dlsym(Handle, cpu::ModuleExport));
}

const cpu::Kernel *Library::kernel(const std::string &Name) const {
  for (uint32_t I = 0; Module && I < Module->kernelCount; ++I)
    if (Module->kernels[I].name == Name)
      return &Module->kernels[I];
  return nullptr;
}

const cpu::Variable *Library::variable(const std::string &Name) const {
  for (uint32_t I = 0; Module && I < Module->variableCount; ++I)
    if (Module->variables[I].name == Name)
      return &Module->variables[I];
  return nullptr;
}
