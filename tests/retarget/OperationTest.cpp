// Runs every line of ptx_cases.def and nvvm_cases.def, at each optimisation level: one kernel per
// line, which stores its result where its only parameter points.
#include "FakeEngine.h"
#include "Library.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <map>

using namespace scopesan;
using test::Library;

namespace {

/// What the memory cases read; reset before each.
struct alignas(16) Memory {
  uint32_t Words[2] = {40, 42};
  uint8_t Pad[8] = {};
  uint8_t Bytes[16] = {0x81, 0x7f};
  float Floats[2] = {1, 2};
  uint32_t Halves[2] = {0x40003c00, 0};
  double Double = 1;
};
Memory TestMemory;

uint64_t F(float V) { return std::bit_cast<uint32_t>(V); }
uint64_t D(double V) { return std::bit_cast<uint64_t>(V); }
uint64_t at(const void *P) { return reinterpret_cast<uintptr_t>(P); }
// Offsets from TestMemory, which becomes the parameter; see operandText.
constexpr uint64_t Base = 0x7e57000000000000;
#define WORD (Base + offsetof(Memory, Words))
#define BYTES (Base + offsetof(Memory, Bytes))
#define FLOATS (Base + offsetof(Memory, Floats))
#define HALVES (Base + offsetof(Memory, Halves))
#define DOUBLE (Base + offsetof(Memory, Double))

struct Case {
  std::string Name;
  bool IsPtx;
  std::string Text;  ///< asm or intrinsic name
  std::string Types; ///< letters, result first
  std::vector<uint64_t> Operands;
  uint64_t Expected;
};

std::string withoutCommas(std::string S) {
  std::erase(S, ',');
  return S;
}

#define UNWRAP(...) __VA_ARGS__
const std::vector<Case> &cases() {
  static const std::vector<Case> All = {
#define PTX(Name, Text, Constraints, Operands, Expected)                                           \
  {"ptx_" #Name, true, Text, withoutCommas(Constraints), UNWRAP Operands, Expected},
#include "ptx_cases.def"
#define NVVM(Name, Text, Types, Operands, Expected)                                                \
  {"nvvm_" #Name, false, Text, Types, UNWRAP Operands, Expected},
#include "nvvm_cases.def"
  };
  return All;
}

std::string typeName(char Letter) {
  static const std::map<char, std::string> Names = {{'h', "i16"},   {'r', "i32"},    {'l', "i64"},
                                                    {'f', "float"}, {'d', "double"}, {'b', "i1"}};
  return Names.at(char(tolower(Letter)));
}

unsigned bytes(char Letter) { return Letter == 'h' ? 2 : Letter == 'l' || Letter == 'd' ? 8 : 4; }

/// Loads operand `I` from the parameter block, so that nothing is folded at compile time.
std::string loadOperand(unsigned I, char Letter, const std::string &Name) {
  std::string Slot = "%slot" + std::to_string(I);
  return "  " + Slot + " = getelementptr i64, ptr %args, i64 " + std::to_string(I + 1) + "\n  " +
         Name + " = load " + typeName(Letter) + ", ptr " + Slot + "\n";
}

std::string constraintText(const std::string &Types) {
  std::string Text = "=" + std::string(1, Types[0]);
  for (char Letter : Types.substr(1))
    Text += std::string(",") + Letter;
  return Text + ",~{memory}";
}

std::string kernelText(const Case &C, std::string &Declarations) {
  std::string Body, Call, Signature;
  for (unsigned I = 0; I < C.Operands.size(); ++I) {
    char Letter = C.Types[I + 1];
    std::string Name = "%v" + std::to_string(I);
    if (isupper(Letter))
      Name = std::to_string(C.Operands[I]);
    else
      Body += loadOperand(I, Letter, Name);
    Call += (I ? ", " : "") + typeName(Letter) + " " + Name;
    Signature += (I ? ", " : "") + typeName(Letter);
  }
  std::string Result = typeName(C.Types[0]), Callee;
  if (C.IsPtx) {
    Callee = "asm sideeffect \"" + C.Text + "\", \"" + constraintText(C.Types) + "\"";
  } else {
    Callee = "@llvm.nvvm." + C.Text;
    std::string Declaration = "declare " + Result + " " + Callee + "(" + Signature + ")\n";
    if (Declarations.find(Declaration) == std::string::npos)
      Declarations += Declaration;
  }
  return "define ptx_kernel void @" + C.Name + "(ptr %args) {\n" + Body + "  %r = call " + Result +
         " " + Callee + "(" + Call + ")\n  store " + Result + " %r, ptr %args\n  ret void\n}\n";
}

std::string moduleText() {
  std::string Declarations, Kernels;
  for (const Case &C : cases())
    Kernels += kernelText(C, Declarations);
  return "target triple = \"nvptx64-nvidia-cuda\"\n" + Declarations + Kernels;
}

const Library &library(const std::string &Level) {
  static std::map<std::string, Library> Loaded;
  auto It = Loaded.find(Level);
  if (It == Loaded.end())
    It = Loaded.emplace(Level, Library(moduleText(), Level)).first;
  return It->second;
}

class Operation : public testing::TestWithParam<std::tuple<size_t, const char *>> {};

std::string testName(const testing::TestParamInfo<Operation::ParamType> &Info) {
  auto [Index, Level] = Info.param;
  return cases()[Index].Name + "_" + (Level + 1);
}

} // namespace

TEST_P(Operation, ComputesTheValueOfThePtxIsa) {
  auto [Index, Level] = GetParam();
  const Case &C = cases()[Index];
  const cpu::Kernel *K = library(Level).kernel(C.Name);
  ASSERT_TRUE(K);
  TestMemory = Memory();
  std::vector<uint64_t> Block = {0xeeeeeeeeeeeeeeee};
  for (uint64_t V : C.Operands)
    Block.push_back(V >= Base && V < Base + sizeof(Memory) ? at(&TestMemory) + (V - Base) : V);
  void *Pointer = Block.data();
  void *Args[] = {&Pointer};
  ASSERT_TRUE(test::run(*K, Args)) << "stopped by: " << test::StoppedBy;
  uint64_t Result = 0;
  std::memcpy(&Result, Block.data(), bytes(C.Types[0]));
  EXPECT_EQ(Result, C.Expected) << std::hex << "got 0x" << Result << ", expected 0x" << C.Expected;
}

INSTANTIATE_TEST_SUITE_P(All, Operation,
                         testing::Combine(testing::Range(size_t(0), cases().size()),
                                          testing::Values("-O0", "-O1", "-O2")),
                         testName);
