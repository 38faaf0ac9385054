// scopesan-cpu-codegen: device bitcode to a shared library for the CPU backend.
//
// A process of its own so that LLVM never enters the user's program. Prints one library path per
// device module, in the order of the input; with --link one for all of them. Exit code: 0, or 1
// with a message on stderr.
#include "Cache.h"
#include "Compiler.h"
#include "Snapshots.h"

#include "cpu_abi.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

using namespace llvm;
using namespace scopesan;
using namespace scopesan::codegen;

// Parsed by hand: LLVM's own options (--stats among them) are no part of this command.
static constexpr StringRef Usage =
    "usage: scopesan-cpu-codegen --cache-dir=DIR [options] FILE\n"
    "  FILE           bitcode, IR text, or an object, executable or fat binary that holds\n"
    "                 snapshots; - reads standard input\n"
    "  --cache-dir=D  where generated libraries are kept; their paths are printed\n"
    "  --cache-mb=N   size to which that directory is trimmed (default 512)\n"
    "  --link         all modules of FILE are the units of one image: one library\n"
    "  -O0 -O1 -O2    no passes, light passes (default), all passes\n"
    "  --emit-ll      print the retargeted IR instead; optimised when -O is given\n"
    "  --stats        print counts and times to stderr, one JSON line a module\n";

namespace {

struct CommandLine {
  std::string Input;
  std::string CacheDirectory;
  uint64_t CacheMegabytes = 512;
  std::optional<unsigned> Level;
  bool Link = false;
  bool EmitLl = false;
  bool Stats = false;
  bool Help = false;
};

} // namespace

static Expected<CommandLine> parseCommandLine(ArrayRef<char *> Arguments) {
  CommandLine Line;
  for (StringRef Argument : Arguments) {
    StringRef Rest = Argument;
    if (Rest.consume_front("--cache-dir="))
      Line.CacheDirectory = Rest;
    else if (Rest.consume_front("--cache-mb=")) {
      if (Rest.getAsInteger(10, Line.CacheMegabytes))
        return createStringError("'" + Argument + "' is no number of megabytes");
    } else if (Argument == "-O0" || Argument == "-O1" || Argument == "-O2")
      Line.Level = Argument.back() - '0';
    else if (Argument == "--link")
      Line.Link = true;
    else if (Argument == "--emit-ll")
      Line.EmitLl = true;
    else if (Argument == "--stats")
      Line.Stats = true;
    else if (Argument == "--help")
      Line.Help = true;
    else if (Argument != "-" && Argument.starts_with("-"))
      return createStringError("unknown option '" + Argument + "'\n" + Usage);
    else if (Line.Input.empty())
      Line.Input = Argument;
    else
      return createStringError("more than one input: '" + Line.Input + "', '" + Argument + "'");
  }
  if (Line.Help)
    return Line;
  if (Line.Input.empty())
    return createStringError("no input\n" + Usage);
  if (Line.CacheDirectory.empty() && !Line.EmitLl)
    return createStringError("--cache-dir is missing: name a directory for generated libraries");
  return Line;
}

namespace {

using Units = ArrayRef<MemoryBufferRef>;

/// Handles the modules of one invocation.
class Session {
public:
  Session(Compiler &C, const CommandLine &Line) : C(C), Line(Line) {}
  Error process(Units Inputs);

private:
  Error printIr(Units Inputs);
  Error build(Units Inputs, StringRef Output);
  void printStats(StringRef Library, bool Hit);

  Compiler &C;
  const CommandLine &Line;
};

} // namespace

/// Content of this executable: another build generates other code.
static Expected<std::string> helperIdentity() {
  static int Anchor;
  std::string Self = sys::fs::getMainExecutable("scopesan-cpu-codegen", &Anchor);
  ErrorOr<std::unique_ptr<MemoryBuffer>> Bytes = MemoryBuffer::getFile(Self);
  if (!Bytes)
    return createStringError("cannot read '" + Self + "': " + Bytes.getError().message());
  return cacheKey({(*Bytes)->getBuffer()});
}

Error Session::printIr(Units Inputs) {
  LLVMContext Context;
  Expected<std::unique_ptr<Module>> M = C.retarget(Inputs, Context);
  if (!M)
    return M.takeError();
  if (Line.Level)
    C.optimise(**M);
  (*M)->print(outs(), nullptr);
  return Error::success();
}

Error Session::build(Units Inputs, StringRef Output) {
  LLVMContext Context;
  Expected<std::unique_ptr<Module>> M = C.retarget(Inputs, Context);
  if (!M)
    return M.takeError();
  C.optimise(**M);
  Expected<SmallVector<char, 0>> Object = C.emitObject(**M);
  if (!Object)
    return Object.takeError();
  return C.link(*Object, Output);
}

void Session::printStats(StringRef Library, bool Hit) {
  const Timing &T = C.timing();
  const retarget::Statistics &S = C.statistics();
  errs() << "{\"library\":\"" << Library << "\",\"hit\":" << (Hit ? "true" : "false")
         << ",\"kernels\":" << S.Kernels << ",\"variables\":" << S.Variables
         << ",\"intrinsics\":" << S.Intrinsics << ",\"asm\":" << S.InlineAsm
         << ",\"unsupported\":" << S.Unsupported << ",\"static_shared\":" << S.StaticShared
         << format(",\"read_ms\":%.1f,\"retarget_ms\":%.1f,\"optimise_ms\":%.1f,\"emit_ms\":%.1f,"
                   "\"link_ms\":%.1f}\n",
                   T.Read, T.Retarget, T.Optimise, T.Emit, T.Link);
}

Error Session::process(Units Inputs) {
  if (Line.EmitLl)
    return printIr(Inputs);
  Expected<std::string> Helper = helperIdentity();
  if (!Helper)
    return Helper.takeError();
  std::string Versions = ("abi " + Twine(abi::Version) + " cpu " + Twine(cpu::CpuAbiVersion)).str();
  std::string Target = C.identity();
  SmallVector<StringRef> Parts = {*Helper, Versions, Target};
  for (MemoryBufferRef Input : Inputs)
    Parts.push_back(Input.getBuffer());
  std::string Key = cacheKey(Parts);
  bool Hit = true;
  Expected<std::string> Library = findOrBuild(Line.CacheDirectory, Key, [&](StringRef Temporary) {
    Hit = false;
    return build(Inputs, Temporary);
  });
  if (!Library)
    return Library.takeError();
  if (!Hit)
    trim(Line.CacheDirectory, Line.CacheMegabytes << 20, *Library);
  outs() << *Library << "\n";
  if (Line.Stats)
    printStats(*Library, Hit);
  return Error::success();
}

static Error run(ArrayRef<char *> Arguments) {
  Expected<CommandLine> Line = parseCommandLine(Arguments);
  if (!Line)
    return Line.takeError();
  if (Line->Help) {
    outs() << Usage;
    return Error::success();
  }
  Expected<Snapshots> Found = readSnapshots(Line->Input);
  if (!Found)
    return Found.takeError();
  Expected<Compiler> C = Compiler::create(Line->Level.value_or(1));
  if (!C)
    return C.takeError();
  Session S(*C, *Line);
  if (Line->Link)
    return S.process(Found->Modules);
  for (MemoryBufferRef Input : Found->Modules)
    if (Error Err = S.process(Input))
      return Err;
  return Error::success();
}

int main(int Argc, char **Argv) {
  InitLLVM Init(Argc, Argv);
  if (Error Err = run(ArrayRef(Argv, Argc).drop_front())) {
    logAllUnhandledErrors(std::move(Err), errs(), "scopesan-cpu-codegen: error: ");
    return 1;
  }
  return 0;
}
