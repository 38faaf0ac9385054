#include "json.h"

namespace scopesan::host {
namespace {

/// Length of the well-formed UTF-8 sequence at the start of `text`, 0 when it is malformed.
size_t utf8Length(std::string_view text) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned char lead = byte(0);
  size_t length = lead < 0x80   ? 1
                  : lead < 0xC2 ? 0
                  : lead < 0xE0 ? 2
                  : lead < 0xF0 ? 3
                  : lead < 0xF5 ? 4
                                : 0;
  if (length > text.size())
    return 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80)
      return 0;
  // Overlong forms, surrogates and values above U+10FFFF show in the second byte.
  if ((lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xED && byte(1) > 0x9F) ||
      (lead == 0xF0 && byte(1) < 0x90) || (lead == 0xF4 && byte(1) > 0x8F))
    return 0;
  return length;
}

} // namespace

void JsonWriter::separate() {
  if (needsComma)
    out += ',';
  needsComma = true;
}
JsonWriter &JsonWriter::open(char c) {
  separate();
  out += c;
  needsComma = false;
  return *this;
}
JsonWriter &JsonWriter::close(char c) {
  out += c;
  needsComma = true;
  return *this;
}
JsonWriter &JsonWriter::raw(std::string_view text) {
  separate();
  out += text;
  return *this;
}
JsonWriter &JsonWriter::key(std::string_view name) {
  separate();
  quote(name);
  out += ':';
  needsComma = false;
  return *this;
}
JsonWriter &JsonWriter::value(std::string_view text) {
  separate();
  quote(text);
  return *this;
}

void JsonWriter::quote(std::string_view text) {
  static const char Hex[] = "0123456789abcdef";
  out += '"';
  while (!text.empty()) {
    unsigned char c = static_cast<unsigned char>(text.front());
    size_t length = utf8Length(text);
    if (length == 0) { // not UTF-8 (a path may hold any bytes): U+FFFD
      out += "\xEF\xBF\xBD";
      length = 1;
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c < 0x20 || c == 0x7f) {
      out += "\\u00";
      out += Hex[c >> 4];
      out += Hex[c & 15];
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  out += '"';
}

} // namespace scopesan::host
