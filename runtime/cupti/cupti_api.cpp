#include "cupti/cupti_api.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <vector>

namespace scopesan::cupti {
namespace {

void *openLibrary() {
  std::vector<std::string> names;
  if (const char *chosen = getenv("SCOPESAN_CUPTI"); chosen && *chosen)
    return dlopen(chosen, RTLD_NOW | RTLD_LOCAL);
  names.push_back("libcupti.so.13");
  for (const char *root : {SCOPESAN_CUDA_ROOT, "/usr/local/cuda", "/usr/local/cuda-13.0"})
    for (const char *folder : {"/extras/CUPTI/lib64/", "/lib64/", "/targets/x86_64-linux/lib/"})
      names.push_back(std::string(root) + folder + "libcupti.so.13");
  for (const std::string &name : names)
    if (void *library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL))
      return library;
  return nullptr;
}

} // namespace

std::string subscribe(CUpti_CallbackFunc callback) {
  void *library = openLibrary();
  if (!library)
    return "the GPU backend needs NVIDIA's CUPTI library (libcupti.so.13 of the CUDA 13 toolkit), "
           "which was not found; install the toolkit's package cuda-cupti-13-0, or name the file "
           "in SCOPESAN_CUPTI";
  auto doSubscribe = reinterpret_cast<decltype(&cuptiSubscribe)>(dlsym(library, "cuptiSubscribe"));
  auto enable = reinterpret_cast<decltype(&cuptiEnableDomain)>(dlsym(library, "cuptiEnableDomain"));
  auto text =
      reinterpret_cast<decltype(&cuptiGetResultString)>(dlsym(library, "cuptiGetResultString"));
  if (!doSubscribe || !enable || !text)
    return "the CUPTI library that was found is not usable (cuptiSubscribe is missing)";
  auto explain = [&](const char *call, CUptiResult r) {
    const char *why = nullptr;
    text(r, &why);
    return std::string(call) + " failed: " + (why ? why : "unknown error");
  };
  static CUpti_SubscriberHandle subscriber;
  CUptiResult r = doSubscribe(&subscriber, callback, nullptr);
  if (r == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED || r == CUPTI_ERROR_MAX_LIMIT_REACHED)
    return "another tool (a profiler, a debugger or compute-sanitizer) uses CUPTI in this process, "
           "and only one can; run without it";
  if (r != CUPTI_SUCCESS)
    return explain("cuptiSubscribe", r) +
           "; the driver may be too old for CUDA 13 (nvidia-smi shows its version)";
  for (CUpti_CallbackDomain domain :
       {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_CB_DOMAIN_RESOURCE})
    if ((r = enable(1, subscriber, domain)) != CUPTI_SUCCESS)
      return explain("cuptiEnableDomain", r);
  return {};
}

} // namespace scopesan::cupti
