#include "Program.h"

int main(int argc, char **argv) {
  char folder[] = "scopesan-collector-XXXXXX";
  Journal = std::filesystem::temp_directory_path() / folder;
  if (!mkdtemp(Journal.data()))
    return 2;
  setenv("SCOPESAN_JOURNAL", Journal.c_str(), 1);
  setenv("SCOPESAN_CUPTI", SCOPESAN_FAKE_DRIVER, 1);
  setenv("SCOPESAN_OPTIONS", SCOPESAN_TEST_OPTIONS, 1);
  testing::InitGoogleTest(&argc, argv);
  int result = RUN_ALL_TESTS();
  fflush(nullptr);
  std::filesystem::remove_all(Journal);
  _exit(result); // the journal is gone
}
