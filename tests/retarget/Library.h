// Generates and loads a library for a test.
#pragma once

#include "cpu_abi.h"

#include <string>

namespace scopesan::test {

class Library {
public:
  /// Runs scopesan-cpu-codegen on IR text and loads what it built; fails the running test
  /// otherwise.
  explicit Library(const std::string &Ir, const std::string &Options = "");

  const cpu::Module *module() const { return Module; }
  /// Null when there is none of that name.
  const cpu::Kernel *kernel(const std::string &Name) const;
  const cpu::Variable *variable(const std::string &Name) const;

private:
  const cpu::Module *Module = nullptr;
};

} // namespace scopesan::test
