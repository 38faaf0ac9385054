// Writes one JSON value into a string. Append-only: callers keep the order of begin/end right.
#pragma once

#include <stdint.h>
#include <string>
#include <string_view>

namespace scopesan::host {

class JsonWriter {
public:
  JsonWriter &beginObject() { return open('{'); }
  JsonWriter &endObject() { return close('}'); }
  JsonWriter &beginArray() { return open('['); }
  JsonWriter &endArray() { return close(']'); }
  JsonWriter &key(std::string_view name);
  JsonWriter &value(std::string_view text);
  JsonWriter &value(const char *text) { return value(std::string_view(text)); }
  JsonWriter &value(const std::string &text) { return value(std::string_view(text)); }
  JsonWriter &value(uint64_t number) { return raw(std::to_string(number)); }
  JsonWriter &value(uint32_t number) { return value(uint64_t(number)); }
  JsonWriter &value(bool b) { return raw(b ? "true" : "false"); }
  JsonWriter &null() { return raw("null"); }
  template <class T> JsonWriter &field(std::string_view name, const T &v) {
    return key(name).value(v);
  }
  const std::string &text() const { return out; }

private:
  JsonWriter &open(char c);
  JsonWriter &close(char c);
  JsonWriter &raw(std::string_view text);
  void separate();
  void quote(std::string_view text);

  std::string out;
  bool needsComma = false;
};

} // namespace scopesan::host
