#include "Lexer.h"

#include <bit>
#include <charconv>
#include <cstdlib>

namespace scopesan::ptx {
namespace {

bool isBlank(char C) {
  return C == ' ' || C == '\t' || C == '\n' || C == '\r' || C == '\f' || C == '\v';
}
bool isDigit(char C) { return C >= '0' && C <= '9'; }
bool isLetter(char C) { return (C >= 'a' && C <= 'z') || (C >= 'A' && C <= 'Z'); }
bool isNameChar(char C) { return isDigit(C) || isLetter(C) || C == '_'; }

} // namespace

void Lexer::skipBlanks() {
  while (Pos < Text.size()) {
    if (isBlank(Text[Pos])) {
      ++Pos;
    } else if (startsWith("//")) {
      while (Pos < Text.size() && Text[Pos] != '\n')
        ++Pos;
    } else if (startsWith("/*")) {
      size_t End = Text.find("*/", Pos + 2);
      Pos = End == std::string_view::npos ? Text.size() : End + 2;
    } else {
      return;
    }
  }
}

bool Lexer::atEnd() {
  skipBlanks();
  return Pos >= Text.size();
}

char Lexer::peek() { return atEnd() ? 0 : Text[Pos]; }

bool Lexer::accept(char C) {
  if (peek() != C || C == 0)
    return false;
  ++Pos;
  return true;
}

bool Lexer::appendNameChar(std::string &Out) {
  if (Pos >= Text.size())
    return false;
  if (isNameChar(Text[Pos])) {
    Out += Text[Pos++];
    return true;
  }
  if (startsWith("${:uid}")) {
    Out += "uid";
    Pos += 7;
    return true;
  }
  if (startsWith("$$")) {
    Out += '$';
    Pos += 2;
    return true;
  }
  return false;
}

std::string Lexer::name() {
  skipBlanks();
  std::string Out;
  while (appendNameChar(Out))
    ;
  return Out;
}

std::string Lexer::dottedName() {
  skipBlanks();
  std::string Out;
  for (;;) {
    if (appendNameChar(Out))
      continue;
    if (startsWith("::")) {
      Out += "::";
      Pos += 2;
    } else if (startsWith(".")) {
      Out += '.';
      ++Pos;
    } else {
      return Out;
    }
  }
}

std::optional<AsmReference> Lexer::asmReference() {
  if (peek() != '$')
    return std::nullopt;
  size_t P = Pos + 1;
  bool Braced = P < Text.size() && Text[P] == '{';
  P += Braced;
  unsigned Index = 0;
  auto [End, Failure] = std::from_chars(Text.data() + P, Text.data() + Text.size(), Index);
  if (Failure != std::errc())
    return std::nullopt;
  P = size_t(End - Text.data());
  char Modifier = 0;
  if (Braced) {
    size_t Close = Text.find('}', P);
    if (Close == std::string_view::npos)
      return std::nullopt;
    if (Text[P] == ':' && P + 1 < Close)
      Modifier = Text[P + 1];
    P = Close + 1;
  }
  Pos = P;
  return AsmReference{Index, Modifier};
}

std::optional<Number> Lexer::hexFloat(unsigned Digits) {
  if (Text.size() - Pos < 2 + Digits)
    return std::nullopt;
  uint64_t Bits = 0;
  const char *First = Text.data() + Pos + 2;
  auto [End, Failure] = std::from_chars(First, First + Digits, Bits, 16);
  if (Failure != std::errc() || End != First + Digits)
    return std::nullopt;
  Pos += 2 + Digits;
  return Number{Bits, uint8_t(Digits * 4)};
}

std::optional<Number> Lexer::decimalFloat() {
  std::string Copy(Text.substr(Pos, 64));
  char *End = nullptr;
  double Value = std::strtod(Copy.c_str(), &End);
  if (End == Copy.c_str())
    return std::nullopt;
  Pos += size_t(End - Copy.c_str());
  return Number{std::bit_cast<uint64_t>(Value), 64};
}

std::optional<Number> Lexer::number() {
  if (!isDigit(peek()))
    return std::nullopt;
  if (startsWith("0f") || startsWith("0F"))
    return hexFloat(8);
  if (startsWith("0d") || startsWith("0D"))
    return hexFloat(16);
  int Base = 10;
  size_t P = Pos;
  if (startsWith("0x") || startsWith("0X")) {
    Base = 16;
    P += 2;
  } else if (startsWith("0b") || startsWith("0B")) {
    Base = 2;
    P += 2;
  } else if (Text[P] == '0' && P + 1 < Text.size() && isDigit(Text[P + 1])) {
    Base = 8;
  }
  uint64_t Value = 0;
  auto [End, Failure] = std::from_chars(Text.data() + P, Text.data() + Text.size(), Value, Base);
  if (Failure != std::errc())
    return std::nullopt;
  P = size_t(End - Text.data());
  if (Base != 16 && P < Text.size() && (Text[P] == '.' || Text[P] == 'e' || Text[P] == 'E'))
    return decimalFloat();
  while (P < Text.size() && (Text[P] == 'U' || Text[P] == 'u' || Text[P] == 'L' || Text[P] == 'l'))
    ++P;
  Pos = P;
  return Number{Value, 0};
}

void Lexer::skipTo(char C) {
  while (!atEnd() && Text[Pos] != C)
    ++Pos;
}

std::string Lexer::textFrom(size_t From) const {
  Lexer L(Text.substr(0, Pos));
  L.Pos = From;
  std::string Out;
  for (size_t Last = From; !L.atEnd(); Last = ++L.Pos) {
    if (L.Pos != Last && !Out.empty())
      Out += ' ';
    Out += L.Text[L.Pos];
  }
  return Out;
}

std::string Lexer::where() const {
  if (Pos >= Text.size())
    return " at the end";
  return " at '" + std::string(Text.substr(Pos, 30)) + "'";
}

} // namespace scopesan::ptx
