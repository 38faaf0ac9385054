#include "nvcc.h"

#include "words.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <string_view>

namespace scopesan::wrapper {
namespace {

using std::string_view;

/// Parts between commas; a backslash protects a comma, as nvcc documents.
Arguments splitList(string_view text) {
  Arguments parts(1);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == ',')
      parts.back() += text[++i];
    else if (text[i] == ',')
      parts.emplace_back();
    else
      parts.back() += text[i];
  }
  std::erase(parts, "");
  return parts;
}

/// Parts of `-Xcompiler "-Wall -Wextra"`: blanks separate as well.
Arguments splitWords(const Arguments &parts) {
  Arguments words;
  for (const std::string &part : parts) {
    size_t begin = 0;
    while (begin < part.size()) {
      size_t end = std::min(part.find(' ', begin), part.size());
      if (end > begin)
        words.push_back(part.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return words;
}

bool isOn(string_view value) { return value == "true" || value == "1"; }

class Translator {
public:
  Translator(const Arguments &words, const std::string &defaultArchitecture, NvccTranslation &out)
      : words(words), defaultArchitecture(defaultArchitecture), out(out) {}

  void run() {
    for (at = 0; at < words.size(); ++at) {
      if (translate(words[at]))
        continue;
      add(words[at]);
      if (takesNextWord(words[at]) && at + 1 < words.size())
        add(words[++at]);
    }
    finish();
  }

private:
  using Handler = bool (Translator::*)();
  struct Option {
    string_view longName, shortName;
    Handler handler;
    const char *text;
  };

  // Actions. They return false to leave the word as it is.
  bool Same() { return hasNoValue() && add(option->text); }
  bool Value() { return take() && add(option->text) && add(value); }
  bool Join() { return take() && add(option->text + value); }
  bool Drop() { return hasNoValue(); }
  bool DropValue() { return take(); }
  bool Note() { return hasNoValue() && note(option->text); }
  bool NoteValue() { return take() && note(option->text); }
  bool Fail() { return fail(option->text); }

  bool deviceCompile() { return add("-c") && addDevice("-fgpu-rdc"); }
  bool deviceLink() { return out.linksDeviceOnly = true; }
  bool ptx() { return wantsPtx = add("--cuda-device-only") && add("-S"); }
  bool compilerOptions();
  bool linkerOptions();
  bool ptxasOptions();
  bool standard();
  bool defaultStream();
  bool machine();
  bool architecture();
  bool code();
  bool generateCode();
  bool relocatable() { return take() && addDevice(isOn(value) ? "-fgpu-rdc" : "-fno-gpu-rdc"); }
  bool registers() { return take() && assign(out.registers); }
  bool fastMath() {
    return addDevice("-fgpu-approx-transcendentals") &&
           addDevice("-fgpu-flush-denormals-to-zero") && addDevice("-ffp-contract=fast");
  }
  bool flushToZero() {
    return take() && (!isOn(value) || addDevice("-fgpu-flush-denormals-to-zero"));
  }
  bool contraction() {
    return take() && addDevice(isOn(value) ? "-ffp-contract=fast" : "-ffp-contract=off");
  }
  bool deviceDebug() {
    return hasNoValue() && add("-g") && addDevice("-Xarch_device") && addDevice("-O0");
  }
  bool werror();

  // Words
  bool translate(const std::string &word);
  bool hasNoValue() const { return !hasJoined; }
  bool take();
  bool assign(std::string &to) { return to = value, true; }
  bool add(const std::string &word) { return out.arguments.push_back(word), true; }
  bool addDevice(const std::string &word) { return out.deviceOptions.push_back(word), true; }
  bool addPtxas(const std::string &word) { return addDevice("-Xcuda-ptxas") && addDevice(word); }
  bool note(const std::string &why) {
    out.notes.push_back("'" + words[first] + "' is ignored: " + why);
    return true;
  }
  bool fail(const std::string &why) {
    if (out.error.empty())
      out.error = "'" + words[first] + "' is not supported: " + why;
    return true;
  }
  void addTarget(const std::string &name);
  void finish();

  static const Option Options[];
  const Arguments &words;
  const std::string &defaultArchitecture;
  NvccTranslation &out;
  size_t at = 0, first = 0;
  const Option *option = nullptr;
  bool hasJoined = false; ///< `name=value`
  bool wantsPtx = false;
  std::string value;
  Arguments virtualArchitectures, codes; ///< of -arch and -code
  Arguments ptxOnly;                     ///< targets that were named as PTX
};

const Translator::Option Translator::Options[] = {
#define SCOPESAN_NVCC(longName, shortName, action, text)                                           \
  {longName, shortName, &Translator::action, text},
#include "nvcc.def"
#undef SCOPESAN_NVCC
};

bool Translator::translate(const std::string &word) {
  string_view name = word;
  bool isLong = name.starts_with("--");
  if (name.size() < 2 || name[0] != '-')
    return false;
  name.remove_prefix(isLong ? 2 : 1);
  // Joined forms of short options that would otherwise be clang's.
  if (!isLong &&
      (word.starts_with("-t=") || (word.size() > 2 && word.starts_with("-t") &&
                                   word.find_first_not_of("0123456789", 2) == word.npos)))
    return true;
  if (word == "-t" && at + 1 < words.size() &&
      words[at + 1].find_first_not_of("0123456789") == std::string::npos)
    return ++at, true;
  if (word == "-O" && at + 1 < words.size() && words[at + 1].size() == 1 &&
      isdigit(static_cast<unsigned char>(words[at + 1][0])))
    return add("-O" + words[++at]);
  size_t equals = name.find('=');
  hasJoined = equals != string_view::npos;
  value = hasJoined ? std::string(name.substr(equals + 1)) : "";
  name = name.substr(0, equals);
  first = at;
  for (const Option &candidate : Options) {
    string_view own = isLong ? candidate.longName : candidate.shortName;
    if (own.empty() || own != name)
      continue;
    option = &candidate;
    return (this->*candidate.handler)();
  }
  return false;
}

/// The option's value, from `name=value` or the next word.
bool Translator::take() {
  if (hasJoined)
    return true;
  if (at + 1 >= words.size())
    return fail("it needs a value");
  value = words[++at];
  return true;
}

bool Translator::compilerOptions() {
  take();
  for (const std::string &word : splitWords(splitList(value))) {
    // nvcc's host options do not reach device code; of these clang would let some.
    bool hostOnly = startsWithAny(word, {"-O", "-ffast-math", "-ffp-", "-funsafe-math"});
    if (hostOnly)
      add("-Xarch_host");
    add(word);
  }
  return true;
}

bool Translator::linkerOptions() {
  take();
  std::string joined = "-Wl";
  for (const std::string &word : splitWords(splitList(value)))
    joined += "," + word;
  return add(joined);
}

/// Instrumented code needs more registers than the program's, so limits may not be errors; the
/// level of optimization must be the one that clang chooses with -g.
bool Translator::ptxasOptions() {
  take();
  for (const std::string &word : splitWords(splitList(value)))
    if (!startsWithAny(word,
                       {"-O", "--opt-level", "-Werror", "--warning-as-error", "-warn-", "--warn-"}))
      addPtxas(word);
  return true;
}

/// -std=c++17 is clang's own spelling.
bool Translator::standard() {
  if (hasJoined)
    return false;
  return take() && add("-std=" + value);
}

bool Translator::defaultStream() {
  take();
  if (value == "per-thread")
    return addDevice("-Xclang") && addDevice("-fgpu-default-stream=per-thread");
  if (value != "legacy" && value != "null")
    return fail("known streams: legacy, null, per-thread");
  return true;
}

bool Translator::machine() {
  take();
  return value == "64" || fail("programs are 64-bit");
}

bool Translator::architecture() {
  take();
  for (const std::string &part : splitList(value))
    virtualArchitectures.push_back(part);
  return true;
}

bool Translator::code() {
  take();
  for (const std::string &part : splitList(value))
    codes.push_back(part);
  return true;
}

/// arch=compute_90,code=[sm_90,compute_90], with or without brackets and quotes.
bool Translator::generateCode() {
  take();
  std::string text;
  std::copy_if(value.begin(), value.end(), std::back_inserter(text),
               [](char c) { return !strchr("[]\"' ", c); });
  size_t begin = text.find("code=");
  if (begin != std::string::npos) {
    for (const std::string &part : splitList(text.substr(begin + 5)))
      addTarget(part);
    return true;
  }
  if (!text.starts_with("arch="))
    return fail("write arch=compute_NN,code=sm_NN");
  addTarget(text.substr(5));
  return true;
}

/// sm_90, compute_90 (PTX for newer devices), native, all, all-major, lto_90. clang knows no
/// targets of a family (sm_100f); each member has the family's instructions, among others
/// (sm_100a).
void Translator::addTarget(const std::string &name) {
  std::string target = name;
  bool isPtx = false;
  if (size_t at = name.find('_'); at != std::string::npos) {
    isPtx = name.starts_with("compute_");
    target = "sm_" + name.substr(at + 1);
    if (target.ends_with('f')) {
      target.back() = 'a';
      out.notes.push_back("built for " + target + ", not for the family '" + name + "'");
    }
  } else if (name == "native" || name == "all" || name == "all-major") {
    target = defaultArchitecture;
  } else {
    fail("unknown architecture '" + name + "'");
  }
  Arguments &list = out.architectures;
  if (std::find(list.begin(), list.end(), target) == list.end())
    list.push_back(target);
  if (isPtx && target != defaultArchitecture)
    ptxOnly.push_back(target);
}

/// The diagnostics that `-Werror kind,...` turns into errors. clang has no such warnings, but for
/// the first.
bool Translator::werror() {
  static constexpr string_view Kinds[] = {"all-warnings",
                                          "cross-execution-space-call",
                                          "deprecated-declarations",
                                          "default-stream-launch",
                                          "ext-lambda-captures-this",
                                          "missing-launch-bounds",
                                          "reorder"};
  bool hasNext = !hasJoined && at + 1 < words.size();
  Arguments kinds = splitList(hasJoined ? value : hasNext ? words[at + 1] : "");
  bool isNvcc = !kinds.empty() && std::all_of(kinds.begin(), kinds.end(), [](const auto &kind) {
    return std::find(std::begin(Kinds), std::end(Kinds), kind) != std::end(Kinds);
  });
  if (!isNvcc)
    return false;
  if (!hasJoined)
    ++at;
  if (std::find(kinds.begin(), kinds.end(), "all-warnings") != kinds.end())
    add("-Werror");
  return true;
}

void Translator::finish() {
  // nvcc names PTX after the source.
  auto isSource = [](const std::string &word) { return word.ends_with(".cu"); };
  auto source = std::find_if(out.arguments.begin(), out.arguments.end(), isSource);
  bool namesOutput = std::find(words.begin(), words.end(), "-o") != words.end();
  if (wantsPtx && !namesOutput && source != out.arguments.end()) {
    size_t slash = source->rfind('/');
    std::string name = source->substr(slash == std::string::npos ? 0 : slash + 1);
    std::string output = name.substr(0, name.size() - 2) + "ptx";
    add("-o");
    add(output);
  }
  // -code decides; without it -arch=sm_90 and -arch=compute_90 name the device.
  for (const std::string &name : codes.empty() ? virtualArchitectures : codes)
    addTarget(name);
  Arguments &list = out.architectures;
  if (!ptxOnly.empty() && std::find(list.begin(), list.end(), defaultArchitecture) == list.end())
    out.notes.push_back("no PTX is embedded: on a GPU the program runs only if it is an " +
                        ptxOnly[0]);
}

} // namespace

NvccTranslation translateNvcc(const Arguments &arguments, const std::string &defaultArchitecture) {
  NvccTranslation result;
  Translator(arguments, defaultArchitecture, result).run();
  return result;
}

} // namespace scopesan::wrapper
