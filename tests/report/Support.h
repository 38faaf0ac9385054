// Helpers of the report tests: data files, golden files.
#pragma once

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>

namespace scopesan::test {

inline std::string dataPath(const std::string &name) { return SCOPESAN_TEST_DATA "/" + name; }

inline std::string readFile(const std::string &path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << "cannot read " << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Compares with a file of data/. SCOPESAN_UPDATE_GOLDEN=1 writes the file instead: read the diff.
inline void expectGolden(const std::string &actual, const std::string &name) {
  if (std::getenv("SCOPESAN_UPDATE_GOLDEN"))
    std::ofstream(dataPath(name)) << actual;
  EXPECT_EQ(readFile(dataPath(name)), actual) << "differs from tests/report/data/" << name;
}

} // namespace scopesan::test
