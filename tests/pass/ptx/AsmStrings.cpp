#include "AsmStrings.h"

#include <cctype>
#include <fstream>
#include <map>
#include <sstream>

namespace scopesan::test {
namespace {

class Reader {
public:
  explicit Reader(std::string Source) : Source(std::move(Source)) {}
  std::vector<AsmString> run();

private:
  bool startsWith(const char *S) const {
    return Source.compare(Pos, std::string(S).size(), S) == 0;
  }
  void skipBlanks() {
    while (Pos < Source.size() && (std::isspace((unsigned char)Source[Pos]) || Source[Pos] == '\\'))
      ++Pos;
  }
  bool literal(std::string &Out);
  bool rawLiteral(std::string &Out);
  /// [name] of each operand in order, from the text after the asm string.
  std::map<std::string, unsigned> operandNames(size_t From) const;

  std::string Source;
  size_t Pos = 0;
};

bool Reader::rawLiteral(std::string &Out) {
  size_t Open = Source.find('(', Pos);
  std::string Close = ")" + Source.substr(Pos + 2, Open - Pos - 2) + "\"";
  size_t End = Source.find(Close, Open);
  if (Open == std::string::npos || End == std::string::npos)
    return false;
  Out += Source.substr(Open + 1, End - Open - 1);
  Pos = End + Close.size();
  return true;
}

bool Reader::literal(std::string &Out) {
  skipBlanks();
  if (startsWith("R\""))
    return rawLiteral(Out);
  if (Pos >= Source.size() || Source[Pos] != '"')
    return false;
  for (++Pos; Pos < Source.size() && Source[Pos] != '"'; ++Pos) {
    if (Source[Pos] != '\\') {
      Out += Source[Pos];
      continue;
    }
    char C = Source[++Pos];
    if (C == 'n' || C == 't')
      Out += C == 'n' ? '\n' : '\t';
    else if (C != '\n')
      Out += C;
  }
  ++Pos;
  return true;
}

std::map<std::string, unsigned> Reader::operandNames(size_t From) const {
  std::map<std::string, unsigned> Names;
  unsigned Index = 0;
  int Depth = 1;
  std::string Name;
  for (size_t I = From; I < Source.size() && Depth > 0; ++I) {
    char C = Source[I];
    Depth += (C == '(') - (C == ')');
    if (C == '[' && Depth == 1)
      Name = Source.substr(I + 1, Source.find(']', I) - I - 1);
    if (C == '(' && Depth == 2) {
      if (!Name.empty())
        Names[Name] = Index;
      Name.clear();
      ++Index;
    }
  }
  return Names;
}

/// GCC's %-escapes to LLVM's.
std::string toLlvm(const std::string &Gcc, const std::map<std::string, unsigned> &Names) {
  std::string Out;
  for (size_t I = 0; I < Gcc.size(); ++I) {
    if (Gcc[I] == '$') {
      Out += "$$";
    } else if (Gcc[I] != '%' || I + 1 == Gcc.size()) {
      Out += Gcc[I];
    } else if (Gcc[I + 1] == '%') {
      Out += '%';
      ++I;
    } else if (Gcc[I + 1] == '=') {
      Out += "${:uid}";
      ++I;
    } else if (Gcc[I + 1] == '[') {
      size_t End = Gcc.find(']', I);
      auto It = Names.find(Gcc.substr(I + 2, End - I - 2));
      Out += "$" + std::to_string(It == Names.end() ? 0 : It->second);
      I = End;
    } else {
      Out += std::isdigit((unsigned char)Gcc[I + 1]) ? '$' : '%';
    }
  }
  return Out;
}

std::vector<AsmString> Reader::run() {
  std::vector<AsmString> Out;
  unsigned Line = 1;
  size_t Counted = 0;
  while ((Pos = Source.find("asm", Pos)) != std::string::npos) {
    size_t Start = Pos;
    Pos += 3;
    if (Start && (std::isalnum((unsigned char)Source[Start - 1]) || Source[Start - 1] == '"'))
      continue;
    for (const char *Word : {"__", " ", "volatile", "__volatile__", " ", "("})
      if (skipBlanks(), startsWith(Word))
        Pos += std::string(Word).size();
    std::string Text;
    bool Any = false;
    while (literal(Text))
      Any = true;
    skipBlanks();
    if (!Any || Source[Pos - 1] == ',' || (Source[Pos] != ':' && Source[Pos] != ')'))
      continue;
    for (; Counted < Start; ++Counted)
      Line += Source[Counted] == '\n';
    Out.push_back({toLlvm(Text, operandNames(Pos)), Line});
  }
  return Out;
}

} // namespace

std::vector<AsmString> asmStrings(const std::string &File) {
  std::ifstream In(File);
  std::stringstream Buffer;
  Buffer << In.rdbuf();
  return Reader(Buffer.str()).run();
}

} // namespace scopesan::test
