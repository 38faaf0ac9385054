#include "Options.h"

using namespace llvm;

namespace scopesan::pass {

static cl::OptionCategory Category("ScopeSan");

cl::opt<std::string> EmitInstrumented("scopesan-emit-instrumented", cl::value_desc("file"),
                                      cl::desc("Write the instrumented copy as LLVM assembly"),
                                      cl::cat(Category));
cl::opt<bool> Enable("scopesan-enable", cl::init(true), cl::desc("Instrument device modules"),
                     cl::cat(Category));
cl::opt<bool> Check("scopesan-check", cl::init(true),
                    cl::desc("Insert calls of the runtime; without them nothing is checked"),
                    cl::cat(Category));
cl::opt<bool> Gpu("scopesan-gpu", cl::init(true),
                  cl::desc("Instrument the code that runs on the GPU"), cl::cat(Category));
cl::opt<std::string> DeviceRuntime("scopesan-device-runtime", cl::value_desc("file"),
                                   cl::desc("Bitcode of the device runtime"), cl::cat(Category));
cl::opt<bool> Host("scopesan-host", cl::init(false), cl::desc("Instrument host code as well"),
                   cl::cat(Category));
cl::opt<std::string>
    GpuMode("scopesan-gpu-mode", cl::init("auto"), cl::value_desc("mode"),
            cl::desc("logged: kernels log every event on the GPU; auto: those that only "
                     "synchronize by block barriers check accesses there; mixed: "
                     "others too, and log their synchronization"),
            cl::cat(Category));
cl::opt<unsigned> GpuRegisters(
    "scopesan-gpu-registers", cl::init(64), cl::value_desc("n"),
    cl::desc("Registers per thread of a kernel that does not say how many threads it is launched "
             "with; with 64, 1024 threads fit into a multiprocessor"),
    cl::cat(Category));
cl::opt<bool> Notes("scopesan-notes", cl::init(true),
                    cl::desc("Print a note for each operation that is not modelled"),
                    cl::cat(Category));
cl::list<std::string> ToolkitFolders("scopesan-toolkit", cl::value_desc("dir"),
                                     cl::desc("Folder of the CUDA toolkit's headers"),
                                     cl::cat(Category));

} // namespace scopesan::pass
