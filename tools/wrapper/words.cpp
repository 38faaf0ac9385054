#include "words.h"

namespace scopesan::wrapper {

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

} // namespace scopesan::wrapper
