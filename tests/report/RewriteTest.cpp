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

} // namespace

TEST(Rewrite, HostCodeFindsTheToolkitsHeaders) {
  Settings settings = Defaults;
  settings.cudaInclude = "/cuda/include";
  EXPECT_EQ(rewrite({"-c", "main.cpp"}, settings).arguments,
            (Arguments{"-c", "main.cpp", "-isystem", "/cuda/include"}));
  EXPECT_EQ(rewrite({"--version"}, settings).arguments, Arguments{"--version"});
}
