#include "Parser.h"

#include "Lexer.h"

#include <algorithm>
#include <utility>

namespace scopesan::ptx {
namespace {

class Parser {
public:
  Parser(std::string_view Text, std::string &Error) : Lex(Text), Error(Error), Scopes(1) {}

  bool run(Program &Out) {
    Prog = &Out;
    while (!Lex.atEnd())
      if (!Lex.accept(';') && !statement())
        return false;
    return true;
  }

private:
  bool fail(const char *What) {
    Error = std::string(What) + Lex.where();
    return false;
  }

  bool statement();
  bool scope(bool Open);
  bool directive();
  bool declaration(std::string Type);
  bool instruction();
  bool guard(Statement &S);
  bool operands(Statement &S);
  bool operand(Operand &O);
  bool primary(Operand &O);
  bool named(Operand &O);
  bool literal(Operand &O);
  bool list(Operand &O, char Close);
  bool memory(Operand &O);
  bool offset(Operand &O, bool Minus);
  void declare(std::string Name, const std::string &Type);
  unsigned lookUp(const std::string &Name) const;

  Lexer Lex;
  std::string &Error;
  Program *Prog = nullptr;
  /// Names declared in each open scope, with their register index.
  std::vector<std::vector<std::pair<std::string, unsigned>>> Scopes;
};

void Parser::declare(std::string Name, const std::string &Type) {
  Scopes.back().emplace_back(Name, unsigned(Prog->Registers.size()));
  Prog->Registers.push_back({std::move(Name), Type});
}

unsigned Parser::lookUp(const std::string &Name) const {
  for (size_t I = Scopes.size(); I-- > 0;)
    for (size_t J = Scopes[I].size(); J-- > 0;)
      if (Scopes[I][J].first == Name)
        return Scopes[I][J].second;
  return NoIndex;
}

bool Parser::statement() {
  switch (Lex.peek()) {
  case '{':
    return scope(true);
  case '}':
    return scope(false);
  case '.':
    return directive();
  default:
    return instruction();
  }
}

bool Parser::scope(bool Open) {
  Lex.accept(Open ? '{' : '}');
  Statement S;
  S.Kind = Open ? StatementKind::ScopeOpen : StatementKind::ScopeClose;
  Prog->Statements.push_back(std::move(S));
  if (Open)
    Scopes.emplace_back();
  else if (Scopes.size() > 1)
    Scopes.pop_back();
  else
    return fail("unmatched '}'");
  return true;
}

bool Parser::directive() {
  size_t Start = Lex.position();
  std::string Name = Lex.dottedName();
  Statement S;
  S.Kind = StatementKind::Directive;
  S.Opcode = Name.substr(0, Name.find('.', 1));
  if (S.Opcode == ".reg") {
    S.Kind = StatementKind::Declaration;
    // ".reg .b32" and ".reg.b32" are both written.
    std::string Type = Name.size() > 4 ? Name.substr(5) : Lex.dottedName();
    if (Type.starts_with('.'))
      Type.erase(0, 1);
    if (Type.empty())
      return fail("register declaration without a type");
    if (!declaration(std::move(Type)))
      return false;
  } else {
    Lex.skipTo(';');
  }
  S.Text = Lex.textFrom(Start);
  Prog->Statements.push_back(std::move(S));
  return true;
}

bool Parser::declaration(std::string Type) {
  // ".reg .v2 .b32 x": the vector part belongs to the type.
  if (Lex.peek() == '.')
    Type += Lex.dottedName();
  do {
    std::string Name = Lex.accept('%') ? "%" : "";
    Name += Lex.name();
    if (Name.empty() || Name == "%")
      return fail("register name expected");
    if (!Lex.accept('<')) {
      declare(std::move(Name), Type);
      continue;
    }
    auto Count = Lex.number();
    if (!Count || Count->FloatBits || Count->Bits > 4096 || !Lex.accept('>'))
      return fail("bad register count");
    for (uint64_t I = 0; I < Count->Bits; ++I)
      declare(Name + std::to_string(I), Type);
  } while (Lex.accept(','));
  return true;
}

bool Parser::guard(Statement &S) {
  if (!Lex.accept('@'))
    return true;
  Operand G;
  if (!operand(G))
    return false;
  S.Guard.push_back(std::move(G));
  return true;
}

bool Parser::instruction() {
  Statement S;
  Lex.peek();
  size_t Start = Lex.position();
  if (!guard(S))
    return false;
  S.Opcode = Lex.dottedName();
  if (S.Opcode.empty())
    return fail("instruction expected");
  if (S.Guard.empty() && Lex.accept(':')) {
    S.Kind = StatementKind::Label;
    S.Text = S.Opcode + ":";
    Prog->Statements.push_back(std::move(S));
    return true;
  }
  for (size_t From = 0; From <= S.Opcode.size();) {
    size_t Dot = std::min(S.Opcode.find('.', From), S.Opcode.size());
    S.Parts.push_back(S.Opcode.substr(From, Dot - From));
    From = Dot + 1;
  }
  if (!operands(S))
    return false;
  S.Text = Lex.textFrom(Start);
  Prog->Statements.push_back(std::move(S));
  return true;
}

bool Parser::operands(Statement &S) {
  // The last statement of a scope may lack its semicolon.
  while (!Lex.atEnd() && Lex.peek() != ';' && Lex.peek() != '}') {
    Operand O;
    if (!operand(O))
      return false;
    S.Operands.push_back(std::move(O));
    if (!Lex.accept(','))
      break;
  }
  if (!Lex.atEnd() && Lex.peek() != ';' && Lex.peek() != '}')
    return fail("',' or ';' expected");
  return true;
}

bool Parser::operand(Operand &O) {
  bool Negated = Lex.accept('!');
  if (!primary(O))
    return false;
  O.Negated = Negated;
  if (!Lex.accept('|'))
    return true;
  Operand Second;
  if (!primary(Second))
    return false;
  O.Second.push_back(std::move(Second));
  return true;
}

bool Parser::primary(Operand &O) {
  if (Lex.accept('{'))
    return list(O, '}');
  if (Lex.accept('('))
    return list(O, ')');
  if (Lex.accept('['))
    return memory(O);
  if (auto Ref = Lex.asmReference()) {
    O.Kind = OperandKind::Asm;
    O.Index = Ref->Index;
    O.Modifier = Ref->Modifier;
    return true;
  }
  char C = Lex.peek();
  return (C >= '0' && C <= '9') || C == '-' ? literal(O) : named(O);
}

bool Parser::named(Operand &O) {
  bool Percent = Lex.accept('%');
  O.Name = (Percent ? "%" : "") + Lex.name();
  if (O.Name.empty() || O.Name == "%")
    return fail("operand expected");
  O.Index = lookUp(O.Name);
  if (O.Index != NoIndex)
    O.Kind = OperandKind::Register;
  else if (O.Name == "_")
    O.Kind = OperandKind::Sink;
  else
    O.Kind = Percent ? OperandKind::Special : OperandKind::Symbol;
  while (Lex.peek() == '.' && !O.is(OperandKind::Sink))
    O.Name += Lex.dottedName(); // %tid.x; a component of a vector register
  return true;
}

bool Parser::literal(Operand &O) {
  bool Minus = Lex.accept('-');
  auto N = Lex.number();
  if (!N)
    return fail("bad number");
  O.Kind = N->FloatBits ? OperandKind::Float : OperandKind::Integer;
  O.FloatBits = N->FloatBits;
  O.Bits = N->Bits;
  if (Minus)
    O.Bits = N->FloatBits ? N->Bits ^ (uint64_t(1) << (N->FloatBits - 1)) : 0 - N->Bits;
  return true;
}

bool Parser::list(Operand &O, char Close) {
  O.Kind = OperandKind::Vector;
  while (!Lex.accept(Close)) {
    Operand Element;
    if (!operand(Element))
      return false;
    O.Elements.push_back(std::move(Element));
    if (!Lex.accept(',') && Lex.peek() != Close)
      return fail("',' or the end of the list expected");
  }
  return true;
}

bool Parser::memory(Operand &O) {
  O.Kind = OperandKind::Memory;
  while (!Lex.accept(']')) {
    Operand Element;
    if (!operand(Element))
      return false;
    O.Elements.push_back(std::move(Element));
    while (O.Elements.size() == 1 && (Lex.peek() == '+' || Lex.peek() == '-'))
      if (!offset(O, !Lex.accept('+')))
        return false;
    if (!Lex.accept(',') && Lex.peek() != ']')
      return fail("',' or ']' expected");
  }
  return !O.Elements.empty() || fail("empty address");
}

bool Parser::offset(Operand &O, bool Minus) {
  if (Minus)
    Lex.accept('-');
  Operand Part;
  if (!primary(Part))
    return false;
  if (Part.is(OperandKind::Integer))
    O.Offset += Minus ? -int64_t(Part.Bits) : int64_t(Part.Bits);
  else if (Minus)
    return fail("only a number can be subtracted from an address");
  else
    O.OffsetOperands.push_back(std::move(Part));
  return true;
}

} // namespace

std::optional<Program> parse(std::string_view Text, std::string &Error) {
  Program P;
  if (!Parser(Text, Error).run(P))
    return std::nullopt;
  return P;
}

} // namespace scopesan::ptx
