#include "rewrite.h"

#include "nvcc.h"
#include "words.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string_view>

namespace scopesan::wrapper {
namespace {

using std::string_view;

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

/// Asks for instrumentation of host code. Not clang's: it becomes an option of the plugin.
bool isHostOption(string_view word) { return word == "-fscopesan-host"; }

bool isLinkInput(string_view word) {
  for (string_view suffix : {".o", ".a", ".so", ".obj", ".lo"})
    if (word.ends_with(suffix))
      return true;
  return word.find(".so.") != string_view::npos;
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
    if (isHostOption(text))
      return;
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
    if (text == "-fopenmp")
      return openMp();
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
    std::string instead = "--cuda-gpu-arch=" + settings.defaultArch;
    if (std::find(result.arguments.begin(), result.arguments.end(), instead) ==
        result.arguments.end())
      add(instead);
    if (capability != 52)
      result.notes.push_back("this CUDA toolkit cannot compile for " + std::string(arch) +
                             "; building for " + settings.defaultArch + " instead");
  }

  /// Without its runtime library clang can give the host's OpenMP functions only.
  void openMp() {
    if (settings.hasOpenMp)
      return add("-fopenmp");
    add("-fopenmp=libgomp");
    result.notes.push_back("'-fopenmp': clang's OpenMP library is missing (package libomp-22-dev), "
                           "so OpenMP pragmas of host code are ignored");
  }

  const Settings &settings;
  Rewritten &result;
};

/// -fscopesan-host: what makes the plugin instrument host code.
void instrumentHost(const CommandShape &shape, Rewritten &result) {
  if (shape.instrumentsHost && shape.hasSource)
    result.arguments.insert(result.arguments.end(), {"-mllvm", "-scopesan-host"});
}

/// Host code alone: clang without the config file.
void passThrough(const Arguments &words, const CommandShape &shape, const Settings &settings,
                 Rewritten &result) {
  Rewriter rewriter(settings, result);
  if (shape.instrumentsHost && shape.hasSource && !shape.isQuestion) {
    // As in the config file; a later -g or -g0 wins.
    result.arguments.insert(result.arguments.end(),
                            {"-fpass-plugin=" + settings.passPlugin, "-gline-tables-only"});
    instrumentHost(shape, result);
  }
  for (size_t i = 0; i < words.size(); ++i) {
    if (isHostOption(words[i]))
      continue;
    if (words[i] == "-fopenmp" && shape.hasInput)
      rewriter.word(words, i);
    else
      result.arguments.push_back(words[i] == "cu" && i && words[i - 1] == "-x" ? "cuda" : words[i]);
  }
  // Host code may include the toolkit's headers, as with nvcc.
  if (shape.hasInput && !shape.isQuestion && !settings.cudaInclude.empty()) {
    result.arguments.push_back("-isystem");
    result.arguments.push_back(settings.cudaInclude);
  }
}

/// nvcc -dlink: the object says that scopesan-clang++ must link the program, which links its device
/// code. Its symbol is defined there only.
void deviceLink(const Arguments &words, const Settings &settings, Rewritten &result) {
  std::string output = "a_dlink.o";
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "-o" && i + 1 < words.size())
      output = words[i + 1];
    else if (words[i].starts_with("-o") && words[i].size() > 2)
      output = words[i].substr(2);
  }
  result.arguments = {"-x", "c", "-fPIC", "-c", settings.deviceLinkSource, "-o", output};
  result.notes.push_back("'-dlink': device code is linked with the program, which "
                         "scopesan-clang++ must link");
}

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
    shape.instrumentsHost |= isHostOption(word);
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
      shape.hasSource |= !isLinkInput(word);
      bool byLanguage = !language.empty() && language != "none";
      if (byLanguage ? isCudaLanguage(language) : isCudaFile(word))
        shape.hasCudaInput = true;
    }
  }
  return shape;
}

/// Kernels that name no launch bounds must work in blocks of 1024 threads, so clang gives them 64
/// of a multiprocessor's 65536 registers. nvlink refuses a call through a pointer from such a
/// kernel to a function of another unit that needs more, as instrumented ones may.
static constexpr int RegistersOfFunctions = 64;

static std::string registersFor(const NvccTranslation &nvcc, const CommandShape &shape) {
  bool relocatable = false;
  for (const Arguments *list : {&nvcc.deviceOptions, &nvcc.arguments})
    for (const std::string &word : *list)
      if (word.ends_with("gpu-rdc"))
        relocatable = word == "-fgpu-rdc";
  int wanted = atoi(nvcc.registers.c_str());
  if (shape.hasCudaInput && relocatable && (wanted <= 0 || wanted > RegistersOfFunctions))
    return std::to_string(RegistersOfFunctions);
  return nvcc.registers;
}

Rewritten rewrite(const Arguments &arguments, const Settings &settings) {
  Rewritten result;
  NvccTranslation nvcc = translateNvcc(arguments, settings.defaultArch);
  result.notes = nvcc.notes;
  result.error = nvcc.error;
  if (nvcc.linksDeviceOnly) {
    deviceLink(arguments, settings, result);
    return result;
  }
  const Arguments &words = nvcc.arguments;
  CommandShape shape = shapeOf(words);
  bool isOurs = shape.hasInput && (shape.hasCudaInput || shape.links);
  if (shape.isQuestion || !isOurs) {
    passThrough(words, shape, settings, result);
    return result;
  }
  result.usesConfig = true;
  result.compilesCuda = shape.hasCudaInput;
  // -Wno-unknown-cuda-version has no effect inside a config file.
  result.arguments = {"--config", settings.configFile, "-Wno-unknown-cuda-version"};
  if (shape.namesArch || !nvcc.architectures.empty()) // the default would be built as well
    result.arguments.push_back("--no-cuda-gpu-arch=" + settings.defaultArch);
  instrumentHost(shape, result);
  Rewriter rewriter(settings, result);
  Arguments device;
  for (const std::string &name : nvcc.architectures)
    device.push_back("--cuda-gpu-arch=" + name);
  device.insert(device.end(), nvcc.deviceOptions.begin(), nvcc.deviceOptions.end());
  // A command that only links has no use for it.
  if (std::string registers = registersFor(nvcc, shape); shape.hasCudaInput && !registers.empty())
    device.insert(device.end(), {"-Xcuda-ptxas", "--maxrregcount=" + registers});
  for (size_t i = 0; i < device.size(); ++i)
    rewriter.word(device, i);
  for (size_t i = 0; i < words.size(); ++i)
    rewriter.word(words, i);
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
