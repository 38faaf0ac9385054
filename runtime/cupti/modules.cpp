// Modules and functions: which are instrumented, what their sites and variables are called.
#include "cupti/collector.h"
#include "cupti/host_code.h"

#include <string.h>

namespace scopesan::cupti {

void Collector::imageLoaded(const void *image, size_t bytes) {
  if (!image || !bytes)
    return;
  auto tables = gpu::findSiteTables(image, bytes);
  auto variables = gpu::findVariables(image, bytes);
  std::lock_guard guard(NoteLock);
  for (auto &t : tables)
    NewTables.push_back(std::move(t));
  NewVariables.insert(NewVariables.end(), variables.begin(), variables.end());
}

/// Equal tables of several images are one.
void Collector::takeImages() {
  std::lock_guard guard(NoteLock);
  for (auto &t : NewTables) {
    bool known = false;
    for (auto &old : Tables)
      known |= old->hash == t->hash;
    if (known)
      continue;
    if (t->hostCode && !hostCodeIsHeard())
      host::incomplete(
          "host code is instrumented (-fscopesan-host), but its calls do not reach the "
          "GPU backend: races with the host may be missed; use `scopesan run`");
    for (uint32_t i = 0; i < t->kernelCount; ++i)
      HasFastKernels |= (t->kernels[i].mode & gpu::ModeMask) != uint32_t(gpu::KernelMode::Logged);
    Tables.push_back(std::move(t));
  }
  NewTables.clear();
  Variables.insert(Variables.end(), NewVariables.begin(), NewVariables.end());
  NewVariables.clear();
}

void Collector::variableNamed(uint64_t address, uint64_t bytes, const std::string &symbol,
                              CUcontext context) {
  takeImages();
  bool constant = false;
  for (const gpu::ImageVariable &v : Variables)
    constant |= v.constant && v.symbol == symbol;
  variable(address, bytes, symbol, context, constant);
}

void Collector::bindModule(CUmodule module, const std::string &name, CUcontext context) {
  takeImages();
  CUdeviceptr state = 0;
  size_t bytes = 0;
  bool instrumented = cuModuleGetGlobal(&state, &bytes, module, gpu::StateSymbol) == CUDA_SUCCESS;
  Modules[{context, module}] = instrumented;
  for (const gpu::ImageVariable &v : Variables) {
    CUdeviceptr address = 0;
    if (cuModuleGetGlobal(&address, &bytes, module, v.symbol.c_str()) == CUDA_SUCCESS)
      variable(address, bytes, v.symbol, context, v.constant);
  }
  ContextLog *log = instrumented ? Log.of(context) : nullptr;
  if (!log)
    return;
  auto set = [&](CUdeviceptr to, const auto &value) {
    cuMemcpyHtoDAsync(to, &value, sizeof value, log->stream);
    cuStreamSynchronize(log->stream);
  };
  bool hasSites = false;
  for (auto &t : Tables) {
    CUdeviceptr base = 0;
    if (cuModuleGetGlobal(&base, &bytes, module, t->symbol.c_str()) != CUDA_SUCCESS)
      continue;
    hasSites = true;
    if (!t->base)
      host::registerModule(t->module, name); // writes t->base
    set(base, t->base);
  }
  if (!hasSites)
    host::incomplete("the site table of an instrumented module was not found: its findings have no "
                     "positions");
  set(state, uint64_t(log->log));
}

const Function &Collector::functionOf(const LaunchRequest &r) {
  auto known = Functions.find({r.context, r.function});
  if (known != Functions.end())
    return known->second;
  Function f;
  // The runtime launches kernels of libraries (CUkernel) as if they were functions.
  CUfunction function = r.function;
  CUmodule module = nullptr;
  if (cuFuncGetModule(&module, function) != CUDA_SUCCESS) {
    auto kernel = reinterpret_cast<CUkernel>(r.function);
    if (cuKernelGetFunction(&function, kernel) != CUDA_SUCCESS ||
        cuFuncGetModule(&module, function) != CUDA_SUCCESS)
      module = nullptr;
  }
  const char *symbol = nullptr;
  if (cuFuncGetName(&symbol, function) != CUDA_SUCCESS || !symbol)
    symbol = r.symbol;
  if (symbol)
    f.id = gpu::kernelId(symbol, strlen(symbol));
  f.name = symbol ? gpu::demangled(symbol) : "unknown kernel";
  if (module && !Modules.count({r.context, module}))
    bindModule(module, f.name, r.context);
  f.instrumented = module && Modules[{r.context, module}];
  f.handle = function;
  for (auto &t : Tables) {
    CUdeviceptr base = 0;
    size_t bytes = 0;
    // Of each unit that has a kernel of that name: two units may have one each.
    if (const gpu::Kernel *k = f.instrumented && symbol ? t->kernel(symbol) : nullptr)
      f.constants |= k->flags & gpu::AnyConstant;
    const gpu::Kernel *k = f.instrumented && symbol ? t->kernel(symbol) : nullptr;
    if (!k || cuModuleGetGlobal(&base, &bytes, module, t->symbol.c_str()) != CUDA_SUCCESS)
      continue;
    f.mode = gpu::KernelMode(k->mode & gpu::ModeMask);
    f.firstSite = t->base + k->firstSite;
    f.usesShared = k->flags & gpu::UsesShared;
    f.gridBarriers = k->flags & gpu::UsesGridBarrier;
    ElidedSites += k->mode >> gpu::ElidedShift;
  }
  auto attribute = [&](CUfunction_attribute which) {
    int value = 0;
    return cuFuncGetAttribute(&value, which, function) == CUDA_SUCCESS ? uint32_t(value) : 0;
  };
  f.staticShared = attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  if (uint32_t x = attribute(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH))
    f.cluster = {x, std::max(1u, attribute(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT)),
                 std::max(1u, attribute(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH))};
  return Functions[{r.context, r.function}] = f;
}

} // namespace scopesan::cupti
