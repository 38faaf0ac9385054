// Character level of the PTX parser.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace scopesan::ptx {

struct AsmReference {
  unsigned Index;
  char Modifier;
};

struct Number {
  uint64_t Bits;
  uint8_t FloatBits; ///< 0 for an integer
};

/// A cursor over the text. Every function first skips blanks and comments.
class Lexer {
public:
  explicit Lexer(std::string_view Text) : Text(Text) {}

  bool atEnd();
  /// Next significant character, 0 at the end.
  char peek();
  /// Consumes `C` if it is next.
  bool accept(char C);
  /// Name: letters, digits, _ and $; ${:uid} becomes the letters "uid". Empty if there is none.
  std::string name();
  /// Instruction or directive name with its dots and "::".
  std::string dottedName();
  /// $N, ${N} or ${N:m}.
  std::optional<AsmReference> asmReference();
  /// Unsigned literal of any PTX form.
  std::optional<Number> number();
  /// Skips to the next `C`, which stays.
  void skipTo(char C);

  size_t position() const { return Pos; }
  /// Text between `From` and here, with blanks collapsed and comments removed.
  std::string textFrom(size_t From) const;
  /// " at '...'" for error messages.
  std::string where() const;

private:
  bool startsWith(std::string_view S) const { return Text.substr(Pos).starts_with(S); }
  void skipBlanks();
  bool appendNameChar(std::string &Out);
  std::optional<Number> hexFloat(unsigned Digits);
  std::optional<Number> decimalFloat();

  std::string_view Text;
  size_t Pos = 0;
};

} // namespace scopesan::ptx
