#include "rewrite.h"

#include <cctype>
#include <cstdlib>
#include <string_view>

namespace scopesan::wrapper {
namespace {

using std::string_view;

bool isOneOf(string_view word, std::initializer_list<string_view> words) {
  for (string_view candidate : words)
    if (word == candidate)
      return true;
  return false;
}

bool startsWithAny(string_view word, std::initializer_list<string_view> prefixes) {
  for (string_view prefix : prefixes)
    if (word.starts_with(prefix))
      return true;
  return false;
}

/// Options whose value is the next word, so that the value is not taken for an input file.
bool takesNextWord(string_view word) {
  return isOneOf(word, {"-o",
                        "-x",
                        "-I",
                        "-L",
                        "-D",
                        "-U",
                        "-l",
                        "-include",
                        "-imacros",
                        "-isystem",
                        "-iquote",
                        "-idirafter",
                        "-isysroot",
                        "-MF",
                        "-MT",
                        "-MQ",
                        "-MJ",
                        "-Xclang",
                        "-Xlinker",
                        "-Xassembler",
                        "-Xpreprocessor",
                        "-Xcuda-ptxas",
                        "-Xcuda-fatbinary",
                        "-Xoffload-linker",
                        "-mllvm",
                        "-target",
                        "-u",
                        "-T",
                        "-z",
                        "-framework",
                        "--config",
                        "-arch",
                        "-Xarch_host",
                        "-Xarch_device",
                        "--param",
                        "-cudart",
                        "--cudart",
                        "-aux-info",
                        "-dependency-file"});
}

bool stopsBeforeLink(string_view word) {
  return isOneOf(word, {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "--precompile",
                        "--preprocess", "--compile", "--assemble", "--analyze"});
}

bool isQuestion(string_view word) {
  return isOneOf(word, {"--version", "-dumpversion", "-dumpmachine", "--help", "-cc1", "-cc1as"}) ||
         startsWithAny(word, {"-print-", "--print-", "--help-"});
}

bool isCudaFile(string_view word) { return word.ends_with(".cu") || word.ends_with(".cuh"); }
bool isCudaLanguage(string_view language) { return language == "cuda" || language == "cu"; }

/// The value of --cuda-gpu-arch=V or --offload-arch=V; empty for other words.
string_view archOf(string_view word) {
  for (string_view prefix : {"--cuda-gpu-arch=", "--offload-arch="})
    if (word.starts_with(prefix))
      return word.substr(prefix.size());
  return {};
}

/// Number in "sm_52"; 0 when it is not of that form.
unsigned capabilityOf(string_view arch) {
  if (!arch.starts_with("sm_"))
    return 0;
  return static_cast<unsigned>(strtoul(std::string(arch.substr(3)).c_str(), nullptr, 10));
}

/// Names the static CUDA runtime. The shim can only replace the shared one.
bool isStaticCudart(string_view word) {
  return word == "-lcudart_static" || word == "-l:libcudart_static.a" || word == "cudart_static" ||
         word.ends_with("/libcudart_static.a");
}

/// One pass over the words; `out` receives the rewritten ones.
class Rewriter {
public:
  Rewriter(const Settings &settings, Rewritten &result) : settings(settings), result(result) {}

  void word(const Arguments &words, size_t &i) {
    const std::string &text = words[i];
    if (isStaticCudart(text))
      return add("-lcudart");
    if (startsWithAny(text, {"-cudart=", "--cudart="}))
      return; // nvcc's spelling; the config file chooses the shared runtime
    if (isOneOf(text, {"-cudart", "--cudart"})) {
      ++i;
      return;
    }
    if (text == "-x" && i + 1 < words.size()) {
      ++i;
      add("-x");
      return add(words[i] == "cu" ? "cuda" : words[i]);
    }
    if (text == "-xcu")
      return add("-xcuda");
    if (string_view arch = archOf(text); !arch.empty())
      return architecture(text, arch);
    add(text);
    if (takesNextWord(text) && i + 1 < words.size())
      add(words[++i]);
  }

private:
  void add(const std::string &text) { result.arguments.push_back(text); }

  /// clang and CMake 3.25 default to sm_52, which CUDA 13 cannot compile for.
  void architecture(const std::string &text, string_view arch) {
    unsigned capability = capabilityOf(arch);
    if (capability == 0 || capability >= settings.oldestArch)
      return add(text);
    add("--cuda-gpu-arch=" + settings.defaultArch);
    if (capability != 52)
      result.notes.push_back("this CUDA toolkit cannot compile for " + std::string(arch) +
                             "; building for " + settings.defaultArch + " instead");
  }

  const Settings &settings;
  Rewritten &result;
};

} // namespace

CommandShape shapeOf(const Arguments &arguments) {
  CommandShape shape;
  shape.links = true;
  string_view language;
  for (size_t i = 0; i < arguments.size(); ++i) {
    string_view word = arguments[i];
    if (isQuestion(word))
      shape.isQuestion = true;
    if (stopsBeforeLink(word))
      shape.links = false;
    if (!archOf(word).empty())
      shape.namesArch = true;
    if (word == "-x" && i + 1 < arguments.size())
      language = arguments[i + 1];
    else if (word.starts_with("-x"))
      language = word.substr(2);
    if (takesNextWord(word)) {
      ++i;
      continue;
    }
    if (word == "-" || (!word.starts_with('-') && !word.starts_with('@'))) {
      shape.hasInput = true;
      bool byLanguage = !language.empty() && language != "none";
      if (byLanguage ? isCudaLanguage(language) : isCudaFile(word))
        shape.hasCudaInput = true;
    }
  }
  return shape;
}

Rewritten rewrite(const Arguments &arguments, const Settings &settings) {
  Rewritten result;
  CommandShape shape = shapeOf(arguments);
  bool isOurs = shape.hasInput && (shape.hasCudaInput || shape.links);
  if (shape.isQuestion || !isOurs) {
    result.arguments = arguments;
    for (size_t i = 0; i + 1 < arguments.size(); ++i)
      if (arguments[i] == "-x" && arguments[i + 1] == "cu")
        result.arguments[i + 1] = "cuda";
    // Host code may include the toolkit's headers, as with nvcc.
    if (shape.hasInput && !shape.isQuestion && !settings.cudaInclude.empty()) {
      result.arguments.push_back("-isystem");
      result.arguments.push_back(settings.cudaInclude);
    }
    return result;
  }
  result.usesConfig = true;
  // -Wno-unknown-cuda-version has no effect inside a config file.
  result.arguments = {"--config", settings.configFile, "-Wno-unknown-cuda-version"};
  if (shape.namesArch) // the config file's default would be built as well
    result.arguments.push_back("--no-cuda-gpu-arch=" + settings.defaultArch);
  Rewriter rewriter(settings, result);
  for (size_t i = 0; i < arguments.size(); ++i)
    rewriter.word(arguments, i);
  return result;
}

Arguments splitResponseFile(const std::string &text) {
  Arguments words;
  std::string word;
  bool inWord = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '\\' && i + 1 < text.size() && quote != '\'') {
      word += text[++i];
      inWord = true;
    } else if (quote) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      inWord = true;
    } else if (isspace(static_cast<unsigned char>(c))) {
      if (inWord)
        words.push_back(word);
      word.clear();
      inWord = false;
    } else {
      word += c;
      inWord = true;
    }
  }
  if (inWord)
    words.push_back(word);
  return words;
}

} // namespace scopesan::wrapper
