// The `scopesan` command: a table of subcommands.
#include "Commands.h"

#include "build_config.h"

#include <cstdio>
#include <cstring>

using namespace scopesan::tool;

namespace {

/// The default of failure_exit_code: there are no options yet that could change it.
constexpr int UsageExitCode = 67;

struct Subcommand {
  const char *name;
  int (*run)(const Words &);
  const char *help; ///< null: internal, not listed
};
constexpr Subcommand Subcommands[] = {
    {"run", runCommand, "run a program and report its races and scope violations"},
    {"doctor", doctorCommand, "check what is installed and say what to fix"},
    {"litmus", litmusCommand, "judge small multi-thread programs by the memory model"},
    {"render-journal", renderJournalCommand, nullptr},
};

void printHelp(FILE *out) {
  fprintf(out,
          "ScopeSan %s: data races and scope violations in CUDA C++ programs\n\n"
          "usage: scopesan COMMAND ...\n\n",
          Version);
  for (const Subcommand &command : Subcommands)
    if (command.help)
      fprintf(out, "  %-10s %s\n", command.name, command.help);
  fprintf(out, "  %-10s %s\n  %-10s %s\n\n", "--help", "print this", "--version",
          "print the version");
  fprintf(out, "Build:  scopesan-clang++ -O1 -g app.cu -o app\n"
               "Run:    scopesan run ./app          (scopesan run --help prints the options)\n");
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2) {
    printHelp(stderr);
    return UsageExitCode;
  }
  const char *name = argv[1];
  if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")) {
    printHelp(stdout);
    return 0;
  }
  if (!strcmp(name, "--version")) {
    printf("ScopeSan %s\n", Version);
    return 0;
  }
  for (const Subcommand &command : Subcommands)
    if (!strcmp(name, command.name))
      return command.run(Words(argv + 2, argv + argc));
  fprintf(stderr,
          "scopesan: unknown command '%s'; 'scopesan --help' lists them (to run a program: "
          "scopesan run %s)\n",
          name, name);
  return UsageExitCode;
}
