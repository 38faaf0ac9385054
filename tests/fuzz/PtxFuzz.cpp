// Mutated inline PTX must never crash, hang or corrupt the parser and the effects that follow.
//
//   ptx_fuzz --statements=N [--seed=S] FILE-OR-FOLDER...
//
// The strings of the given CUDA headers are mutated: bytes changed, inserted, dropped, pieces of
// two strings joined, numbers made extreme, brackets unbalanced. What parses must have effects
// whose indices stay inside the program. Prints the string that breaks a rule; exit code 1 then.
#include "AsmStrings.h"

#include "Effects.h"
#include "Parser.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <unistd.h>

using namespace scopesan::ptx;

namespace {

/// A statement that takes longer hangs, for all that a compiler's user can tell.
constexpr unsigned SecondsPerStatement = 2;

std::string Current; ///< what is being parsed, for the signal handler

void onSignal(int Number) {
  const char *What = Number == SIGALRM ? "hang: " : "crash: ";
  (void)!write(2, What, strlen(What));
  (void)!write(2, Current.data(), Current.size());
  (void)!write(2, "\n", 1);
  _exit(1);
}

using Random = std::mt19937_64;
size_t below(Random &R, size_t N) { return N ? size_t(R() % N) : 0; }

constexpr const char *Pieces[] = {
    ";",      "{",       "}",      "[",      "]",    ",",   "@!",   "@p ",  ".reg .pred p;",
    "$0",     "$99",     "$$",     "%",      "0x",   "::",  ".",    "+",    "-",
    "${0:m}", "${:uid}", "_",      "\"",     "//",   "/*",  "*/",   "\n",   "\\",
    "|",      ":",       "bra L;", "L:",     ".b32", ".v4", ".gpu", ".sys", ".weak",
    ".cta",   "0f3f8",   "0d0",    "!",      "ld",   "st",  "cp",   "atom", "bar",
    "fence ", "setp.",   "selp.",  ".param", "call"};
constexpr const char *Numbers[] = {"0",
                                   "-1",
                                   "4294967296",
                                   "18446744073709551615",
                                   "99999999999999999999999999",
                                   "-9223372036854775808",
                                   "0xffffffffffffffffffff",
                                   "1e999"};

void mutateOnce(std::string &Text, const std::string &Other, Random &R) {
  size_t At = below(R, Text.size() + 1);
  switch (below(R, 9)) {
  case 0:
    if (At < Text.size())
      Text[At] = char(R());
    break;
  case 1:
    Text.insert(At, Pieces[below(R, std::size(Pieces))]);
    break;
  case 2:
    Text.erase(At, below(R, 8) + 1);
    break;
  case 3: { // the head of one, the tail of another
    Text = Text.substr(0, At) + Other.substr(below(R, Other.size() + 1));
    break;
  }
  case 4: { // a piece of the text again
    std::string Piece = Text.substr(At, below(R, 40));
    Text.insert(below(R, Text.size() + 1), Piece);
    break;
  }
  case 5: { // a number becomes extreme
    size_t Digit = Text.find_first_of("0123456789", At);
    if (Digit != std::string::npos)
      Text.replace(Digit, 1, Numbers[below(R, std::size(Numbers))]);
    break;
  }
  case 6: { // a modifier goes elsewhere
    size_t Dot = Text.find('.', At);
    if (Dot == std::string::npos)
      break;
    size_t End = Text.find_first_of(". ;", Dot + 1);
    std::string Modifier = Text.substr(Dot, End == std::string::npos ? End : End - Dot);
    size_t To = Text.find('.', below(R, Text.size()));
    Text.insert(To == std::string::npos ? Text.size() : To, Modifier);
    break;
  }
  case 7: // deep nesting
    Text.insert(At, std::string(below(R, 2000), "{[("[below(R, 3)]));
    break;
  default:
    Text = Other + Text;
  }
  if (Text.size() > 20000)
    Text.resize(20000);
}

bool inside(const ValueRef &V) { return V.Kind != ValueKind::Asm || V.AsmIndex != NoIndex; }

/// What every parsed program must satisfy; null when it does.
const char *broken(const Program &P) {
  for (const Effect &E : effects(P)) {
    if (E.Statement >= P.Statements.size())
      return "an effect of no statement";
    if (!inside(E.Address.Value) || !inside(E.BarrierId) || !inside(E.BarrierCount) ||
        !inside(E.Mask) || !inside(E.Condition.Lhs) || !inside(E.Condition.Rhs))
      return "an operand without index";
    for (const EntryArgument &A : E.Arguments)
      if (!inside(A.Value) || !inside(A.Place.Value))
        return "an argument without index";
    if (E.Kind == EffectKind::Entry && E.Name.empty())
      return "an entry point without name";
    if (E.Kind == EffectKind::Access && E.bytes() == 0)
      return "an access of no bytes";
    if (E.Kind == EffectKind::Unmodelled && E.Reason.empty())
      return "an unmodelled effect without a reason";
  }
  return nullptr;
}

std::vector<std::string> corpus(const std::vector<std::string> &Paths) {
  std::vector<std::string> All;
  auto AddFile = [&](const std::string &File) {
    for (scopesan::test::AsmString &A : scopesan::test::asmStrings(File))
      All.push_back(std::move(A.Text));
  };
  for (const std::string &Path : Paths) {
    if (!std::filesystem::is_directory(Path)) {
      AddFile(Path);
      continue;
    }
    for (auto &E : std::filesystem::recursive_directory_iterator(Path))
      if (E.is_regular_file())
        AddFile(E.path());
  }
  return All;
}

} // namespace

int main(int Count, char **Words) {
  uint64_t Statements = 10000, Seed = 1;
  std::vector<std::string> Paths;
  for (int I = 1; I < Count; ++I) {
    std::string Word = Words[I];
    if (Word.starts_with("--statements="))
      Statements = strtoull(Word.c_str() + 13, nullptr, 10);
    else if (Word.starts_with("--seed="))
      Seed = strtoull(Word.c_str() + 7, nullptr, 10);
    else
      Paths.push_back(Word);
  }
  std::vector<std::string> Seeds = corpus(Paths);
  if (Seeds.size() < 100) {
    fprintf(stderr, "only %zu asm statements in the given headers\n", Seeds.size());
    return 2;
  }
  for (int Number : {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS, SIGALRM})
    signal(Number, onSignal);
  Random R(Seed);
  uint64_t Parsed = 0;
  for (uint64_t I = 0; I < Statements; ++I) {
    Current = Seeds[below(R, Seeds.size())];
    for (size_t N = below(R, 6) + 1; N; --N)
      mutateOnce(Current, Seeds[below(R, Seeds.size())], R);
    alarm(SecondsPerStatement);
    std::string Error;
    std::optional<Program> P = parse(Current, Error);
    const char *Wrong = P ? broken(*P) : Error.empty() ? "refused without a reason" : nullptr;
    alarm(0);
    Parsed += P.has_value();
    if (Wrong) {
      fprintf(stderr, "%s (statement %llu, seed %llu): %s\n", Wrong, (unsigned long long)I,
              (unsigned long long)Seed, Current.c_str());
      return 1;
    }
  }
  printf("%llu mutated statements of %zu, %llu still parse\n", (unsigned long long)Statements,
         Seeds.size(), (unsigned long long)Parsed);
  return Parsed == 0; // a corpus of which nothing parses tests nothing
}
