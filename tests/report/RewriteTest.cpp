// What the compiler wrapper makes of command lines, word by word.
#include "rewrite.h"

#include <gtest/gtest.h>

using namespace scopesan::wrapper;

namespace {

const Settings Defaults{"S.cfg", "sm_90", 75};
const Arguments Prefix{"--config", "S.cfg", "-Wno-unknown-cuda-version"};

Arguments withPrefix(Arguments more) {
  Arguments result = Prefix;
  result.insert(result.end(), more.begin(), more.end());
  return result;
}
Arguments rewritten(const Arguments &words) { return rewrite(words, Defaults).arguments; }

TEST(Rewrite, CompileAndLink) {
  Arguments words{"-std=c++17", "-O1", "app.cu", "-o", "app"};
  EXPECT_EQ(rewritten(words), withPrefix(words));
  EXPECT_TRUE(rewrite(words, Defaults).usesConfig);
}

TEST(Rewrite, CompileOnly) {
  for (const char *stop : {"-c", "-E", "-S", "-M", "-fsyntax-only"}) {
    Arguments words{stop, "app.cu"};
    EXPECT_EQ(rewritten(words), withPrefix(words)) << stop;
  }
}

TEST(Rewrite, HostOnlyCompilationPassesThrough) {
  Arguments words{"-c", "main.cpp", "-o", "main.o"};
  EXPECT_EQ(rewritten(words), words);
  EXPECT_FALSE(rewrite(words, Defaults).usesConfig);
}

TEST(Rewrite, LinkOfObjectsGetsTheConfig) {
  Arguments words{"a.o", "b.o", "-o", "app"};
  EXPECT_EQ(rewritten(words), withPrefix(words));
}

TEST(Rewrite, QuestionsPassThrough) {
  for (const Arguments &words : {Arguments{"--version"}, Arguments{"-dumpmachine"}, Arguments{"-v"},
                                 Arguments{"-print-search-dirs"}, Arguments{}})
    EXPECT_EQ(rewritten(words), words);
}

TEST(Rewrite, LanguageByOption) {
  EXPECT_EQ(rewritten({"-x", "cu", "-c", "a.cc"}), withPrefix({"-x", "cuda", "-c", "a.cc"}));
  EXPECT_EQ(rewritten({"-xcu", "-c", "a.cc"}), withPrefix({"-xcuda", "-c", "a.cc"}));
  EXPECT_EQ(rewritten({"-x=cu", "-c", "a.cc"}), withPrefix({"-x", "cuda", "-c", "a.cc"}));
  EXPECT_EQ(rewritten({"-x", "cuda", "-c", "-"}), withPrefix({"-x", "cuda", "-c", "-"}));
  // -x c++ makes a .cu file host code
  EXPECT_EQ(rewritten({"-x", "c++", "-c", "a.cu"}), (Arguments{"-x", "c++", "-c", "a.cu"}));
}

TEST(Rewrite, StaticRuntimeBecomesShared) {
  EXPECT_EQ(rewritten({"a.o", "-lcudart_static", "-lrt"}), withPrefix({"a.o", "-lcudart", "-lrt"}));
  EXPECT_EQ(rewritten({"a.o", "/usr/local/cuda/lib64/libcudart_static.a"}),
            withPrefix({"a.o", "-lcudart"}));
  EXPECT_EQ(rewritten({"a.cu", "-cudart", "static"}), withPrefix({"a.cu"}));
  EXPECT_EQ(rewritten({"a.cu", "--cudart=static"}), withPrefix({"a.cu"}));
}

TEST(Rewrite, InstrumentedHostCode) {
  EXPECT_EQ(rewritten({"-fscopesan-host", "-c", "a.cu"}),
            withPrefix({"-mllvm", "-scopesan-host", "-c", "a.cu"}));
  EXPECT_EQ(rewritten({"a.o", "-fscopesan-host", "-o", "app"}), withPrefix({"a.o", "-o", "app"}));
  Settings settings = Defaults;
  settings.passPlugin = "P.so";
  EXPECT_EQ(rewrite({"-fscopesan-host", "-c", "main.cpp"}, settings).arguments,
            (Arguments{"-fpass-plugin=P.so", "-gline-tables-only", "-mllvm", "-scopesan-host", "-c",
                       "main.cpp"}));
}

TEST(Rewrite, OwnArchitectureReplacesTheDefault) {
  EXPECT_EQ(rewritten({"--cuda-gpu-arch=sm_80", "-c", "a.cu"}),
            withPrefix({"--no-cuda-gpu-arch=sm_90", "--cuda-gpu-arch=sm_80", "-c", "a.cu"}));
  EXPECT_EQ(rewritten({"--offload-arch=sm_100", "-c", "a.cu"}),
            withPrefix({"--no-cuda-gpu-arch=sm_90", "--offload-arch=sm_100", "-c", "a.cu"}));
}

TEST(Rewrite, ArchitectureThatTheToolkitDropped) {
  // CMake 3.25 asks for sm_52: silently the default
  Rewritten cmake = rewrite({"--cuda-gpu-arch=sm_52", "-c", "a.cu"}, Defaults);
  EXPECT_EQ(cmake.arguments,
            withPrefix({"--no-cuda-gpu-arch=sm_90", "--cuda-gpu-arch=sm_90", "-c", "a.cu"}));
  EXPECT_TRUE(cmake.notes.empty());
  EXPECT_EQ(rewrite({"--cuda-gpu-arch=sm_70", "-c", "a.cu"}, Defaults).notes.size(), 1u);
}

TEST(Rewrite, ValuesAreNoInputs) {
  Arguments words{"-c", "main.cpp", "-o", "x.cu", "-MF", "y.cu", "-I", "z.cu"};
  EXPECT_EQ(rewritten(words), words);
}

TEST(Rewrite, CmakeCompileLine) {
  Arguments words{"-DX=1",
                  "--cuda-gpu-arch=sm_90",
                  "--cuda-path=/usr/local/cuda",
                  "-MD",
                  "-MT",
                  "a.cu.o",
                  "-MF",
                  "a.cu.o.d",
                  "-x",
                  "cuda",
                  "-c",
                  "/s/a.cu",
                  "-o",
                  "a.cu.o"};
  Arguments expected = withPrefix({"--no-cuda-gpu-arch=sm_90"});
  expected.insert(expected.end(), words.begin(), words.end());
  EXPECT_EQ(rewritten(words), expected);
}

TEST(ResponseFile, SplitsAsGnuToolsDo) {
  EXPECT_EQ(splitResponseFile("a 'b c'\n\"d \\\"e\" f\\ g  ''"),
            (Arguments{"a", "b c", "d \"e", "f g", ""}));
  EXPECT_EQ(splitResponseFile(""), Arguments{});
}

/// What comes after the prefix that every compilation for one device has.
Arguments forSm90(const Arguments &rest) {
  Arguments words = withPrefix({"--no-cuda-gpu-arch=sm_90", "--cuda-gpu-arch=sm_90"});
  words.insert(words.end(), rest.begin(), rest.end());
  return words;
}

TEST(Nvcc, Architectures) {
  for (const Arguments &named : {Arguments{"-arch=sm_90"}, Arguments{"-arch", "sm_90"},
                                 Arguments{"--gpu-architecture=compute_90"},
                                 Arguments{"-arch=native"}, Arguments{"--gpu-architecture", "all"},
                                 Arguments{"-arch=compute_90", "-code=sm_90,compute_90"},
                                 Arguments{"-gencode", "arch=compute_90,code=sm_90"},
                                 Arguments{"-gencode=arch=compute_90,code=[sm_90,compute_90]"},
                                 Arguments{"--generate-code=arch=compute_90,code=\"sm_90\""}}) {
    Arguments words = named;
    words.insert(words.end(), {"-c", "a.cu"});
    EXPECT_EQ(rewritten(words), forSm90({"-c", "a.cu"})) << named[0];
  }
  EXPECT_EQ(rewritten({"-gencode", "arch=compute_80,code=sm_80", "-gencode",
                       "arch=compute_90a,code=sm_90a", "-c", "a.cu"}),
            withPrefix({"--no-cuda-gpu-arch=sm_90", "--cuda-gpu-arch=sm_80",
                        "--cuda-gpu-arch=sm_90a", "-c", "a.cu"}));
  // What the toolkit dropped is built for the default, once.
  EXPECT_EQ(rewritten({"-gencode", "arch=compute_60,code=sm_60", "-gencode",
                       "arch=compute_70,code=sm_70", "-c", "a.cu"}),
            forSm90({"-c", "a.cu"}));
  EXPECT_EQ(rewrite({"-arch=compute_80", "-c", "a.cu"}, Defaults).notes.size(), 1u);
  // clang has no targets of families.
  Rewritten family = rewrite({"-gencode=arch=compute_100f,code=sm_100f", "-c", "a.cu"}, Defaults);
  EXPECT_EQ(family.arguments,
            withPrefix({"--no-cuda-gpu-arch=sm_90", "--cuda-gpu-arch=sm_100a", "-c", "a.cu"}));
  EXPECT_EQ(family.notes.size(), 1u);
  EXPECT_TRUE(rewrite({"-arch=sm_90", "-c", "a.cu"}, Defaults).notes.empty());
  EXPECT_NE(rewrite({"-arch=volta", "-c", "a.cu"}, Defaults).error, "");
  EXPECT_NE(rewrite({"-c", "a.cu", "-arch"}, Defaults).error, "");
}

TEST(Nvcc, RelocatableDeviceCode) {
  auto relocatable = [](Arguments more, const char *registers = "--maxrregcount=64") {
    more.insert(more.begin(), {"-fgpu-rdc", "-Xcuda-ptxas", registers});
    return withPrefix(more);
  };
  EXPECT_EQ(rewritten({"-dc", "a.cu"}), relocatable({"-c", "a.cu"}));
  EXPECT_EQ(rewritten({"--device-c", "a.cu"}), relocatable({"-c", "a.cu"}));
  EXPECT_EQ(rewritten({"-rdc=true", "-c", "a.cu"}), relocatable({"-c", "a.cu"}));
  EXPECT_EQ(rewritten({"-rdc", "true", "a.cu"}), relocatable({"a.cu"}));
  // A kernel of 1024 threads has 64 registers, so what it calls must not have more.
  EXPECT_EQ(rewritten({"-dc", "-maxrregcount=128", "a.cu"}), relocatable({"-c", "a.cu"}));
  EXPECT_EQ(rewritten({"-dc", "-maxrregcount=40", "a.cu"}),
            relocatable({"-c", "a.cu"}, "--maxrregcount=40"));
  EXPECT_EQ(rewritten({"-fgpu-rdc", "-c", "a.cu"}),
            withPrefix({"-Xcuda-ptxas", "--maxrregcount=64", "-fgpu-rdc", "-c", "a.cu"}));
  EXPECT_EQ(rewritten({"-rdc=true", "a.o"}), withPrefix({"-fgpu-rdc", "a.o"}));
  EXPECT_EQ(rewritten({"-rdc=true", "-maxrregcount=40", "a.o"}), withPrefix({"-fgpu-rdc", "a.o"}));
  EXPECT_EQ(rewritten({"--relocatable-device-code=false", "a.cu"}),
            withPrefix({"-fno-gpu-rdc", "a.cu"}));
  Settings settings = Defaults;
  settings.deviceLinkSource = "/p/device_link.c";
  Rewritten link = rewrite({"-arch=sm_90", "-dlink", "a.o", "b.o", "-o", "x.o"}, settings);
  EXPECT_EQ(link.arguments, (Arguments{"-x", "c", "-fPIC", "-c", "/p/device_link.c", "-o", "x.o"}));
  EXPECT_EQ(link.notes.size(), 1u);
  EXPECT_FALSE(link.usesConfig);
}

TEST(Nvcc, OptionsForOtherPrograms) {
  EXPECT_EQ(rewritten({"-Xcompiler", "-fPIC,-Wall", "--compiler-options=-O3", "-c", "a.cu"}),
            withPrefix({"-fPIC", "-Wall", "-Xarch_host", "-O3", "-c", "a.cu"}));
  EXPECT_EQ(rewritten({"-Xcompiler=-Wall -Wextra", "-Xcompiler", "-DX=a\\,b", "a.cu"}),
            withPrefix({"-Wall", "-Wextra", "-DX=a,b", "a.cu"}));
  EXPECT_EQ(rewritten({"-Xlinker", "-rpath,/x", "-Xlinker=-z,now", "a.o"}),
            withPrefix({"-Wl,-rpath,/x", "-Wl,-z,now", "a.o"}));
  EXPECT_EQ(rewritten({"-Xptxas", "-v,-O3,-dlcm=ca", "-c", "a.cu"}),
            withPrefix({"-Xcuda-ptxas", "-v", "-Xcuda-ptxas", "-dlcm=ca", "-c", "a.cu"}));
  EXPECT_EQ(rewritten({"-Xcudafe", "--diag_suppress=1", "-Xfatbin", "-compress-all", "-Xptxas=-O1",
                       "-c", "a.cu"}),
            withPrefix({"-c", "a.cu"}));
  // An option's value is no option.
  EXPECT_EQ(rewritten({"-Xclang", "-G", "-mllvm", "-keep", "-c", "a.cu"}),
            withPrefix({"-Xclang", "-G", "-mllvm", "-keep", "-c", "a.cu"}));
}

TEST(Nvcc, Dropped) {
  EXPECT_EQ(rewritten({"--expt-relaxed-constexpr",
                       "--extended-lambda",
                       "-expt-extended-lambda",
                       "-lineinfo",
                       "-keep",
                       "--keep-dir",
                       "k",
                       "-m64",
                       "-t",
                       "4",
                       "-t8",
                       "--threads=2",
                       "-forward-unknown-to-host-compiler",
                       "-diag-suppress",
                       "177,20012",
                       "--diag-error=1",
                       "-Wno-deprecated-gpu-targets",
                       "-restrict",
                       "-cudart",
                       "static",
                       "-cudadevrt=none",
                       "-ldir=/x",
                       "--time",
                       "times.csv",
                       "--frandom-seed",
                       "1",
                       "-frandom-seed=2",
                       "-res-usage",
                       "-c",
                       "a.cu"}),
            withPrefix({"-c", "a.cu"}));
  Rewritten noted = rewrite({"-ccbin", "g++-12", "-dlto", "-c", "a.cu"}, Defaults);
  EXPECT_EQ(noted.arguments, withPrefix({"-c", "a.cu"}));
  EXPECT_EQ(noted.notes.size(), 2u);
}

TEST(Nvcc, Translated) {
  EXPECT_EQ(rewritten({"--std=c++20", "-c", "a.cu"}), withPrefix({"-std=c++20", "-c", "a.cu"}));
  EXPECT_EQ(rewritten({"-std", "c++14", "-c", "a.cu"}), withPrefix({"-std=c++14", "-c", "a.cu"}));
  EXPECT_EQ(rewritten({"-std=c++17", "-c", "a.cu"}), withPrefix({"-std=c++17", "-c", "a.cu"}));
  EXPECT_EQ(rewritten({"-G", "-O", "3", "-c", "a.cu"}),
            withPrefix({"-Xarch_device", "-O0", "-g", "-O3", "-c", "a.cu"}));
  EXPECT_EQ(rewritten({"--output-file", "x", "--define-macro", "A=1", "--include-path=/i",
                       "--library=m", "--optimize=2", "a.cu"}),
            withPrefix({"-o", "x", "-DA=1", "-I/i", "-lm", "-O2", "a.cu"}));
  EXPECT_EQ(rewritten({"-maxrregcount=32", "--fmad=false", "-ftz", "true", "-c", "a.cu"}),
            withPrefix({"-ffp-contract=off", "-fgpu-flush-denormals-to-zero", "-Xcuda-ptxas",
                        "--maxrregcount=32", "-c", "a.cu"}));
  EXPECT_EQ(rewritten({"--default-stream", "per-thread", "-c", "a.cu"}),
            withPrefix({"-Xclang", "-fgpu-default-stream=per-thread", "-c", "a.cu"}));
  EXPECT_EQ(rewritten({"-default-stream=legacy", "-c", "a.cu"}), withPrefix({"-c", "a.cu"}));
  EXPECT_EQ(rewritten({"-ptx", "-arch=sm_90", "d/a.cu"}),
            forSm90({"--cuda-device-only", "-S", "d/a.cu", "-o", "a.ptx"}));
  EXPECT_EQ(rewritten({"--generate-dependencies-with-compile", "--dependency-output", "a.d", "-c",
                       "a.cu"}),
            withPrefix({"-MD", "-MF", "a.d", "-c", "a.cu"}));
}

TEST(Nvcc, WarningsAsErrors) {
  EXPECT_EQ(rewritten({"-Werror", "all-warnings", "-c", "a.cu"}),
            withPrefix({"-Werror", "-c", "a.cu"}));
  EXPECT_EQ(rewritten({"-Werror=cross-execution-space-call,reorder", "-c", "a.cu"}),
            withPrefix({"-c", "a.cu"}));
  EXPECT_EQ(rewritten({"-Werror", "-c", "a.cu"}), withPrefix({"-Werror", "-c", "a.cu"}));
  EXPECT_EQ(rewritten({"-Werror=unused", "-c", "a.cu"}),
            withPrefix({"-Werror=unused", "-c", "a.cu"}));
}

TEST(Nvcc, CannotBeHonoured) {
  for (const Arguments &words :
       {Arguments{"-lib", "a.o"}, Arguments{"-cubin", "a.cu"}, Arguments{"-m32", "a.cu"},
        Arguments{"--machine", "32", "a.cu"}, Arguments{"-ewp", "a.cu"},
        Arguments{"--default-stream=other", "a.cu"}, Arguments{"-run", "a.cu"}})
    EXPECT_NE(rewrite(words, Defaults).error, "") << words[0];
}

TEST(Nvcc, HostCodeGetsHostOptionsOnly) {
  EXPECT_EQ(rewritten({"-arch=sm_90", "-rdc=true", "-Xcompiler", "-fPIC", "-G", "-c", "a.cpp"}),
            (Arguments{"-fPIC", "-g", "-c", "a.cpp"}));
}

TEST(Rewrite, OpenMpWithoutItsLibrary) {
  Settings settings = Defaults;
  settings.hasOpenMp = false;
  Rewritten command = rewrite({"-Xcompiler", "-fopenmp", "a.cu"}, settings);
  EXPECT_EQ(command.arguments, withPrefix({"-fopenmp=libgomp", "a.cu"}));
  EXPECT_EQ(command.notes.size(), 1u);
  EXPECT_EQ(rewrite({"-fopenmp", "-c", "a.cpp"}, settings).arguments,
            (Arguments{"-fopenmp=libgomp", "-c", "a.cpp"}));
  EXPECT_EQ(rewritten({"-fopenmp", "a.cu"}), withPrefix({"-fopenmp", "a.cu"}));
}

} // namespace

TEST(Rewrite, HostCodeFindsTheToolkitsHeaders) {
  Settings settings = Defaults;
  settings.cudaInclude = "/cuda/include";
  EXPECT_EQ(rewrite({"-c", "main.cpp"}, settings).arguments,
            (Arguments{"-c", "main.cpp", "-isystem", "/cuda/include"}));
  EXPECT_EQ(rewrite({"--version"}, settings).arguments, Arguments{"--version"});
}
