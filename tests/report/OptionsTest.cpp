// The options table and its parser.
#include "host/options.h"

#include <gtest/gtest.h>

using namespace scopesan::host;

namespace {

TEST(Options, ParsesEveryType) {
  Options options;
  EXPECT_EQ(parseOptions(options, "backend=cpu:seed=42:strict=1:json=out.json"), "");
  EXPECT_EQ(options.backend, "cpu");
  EXPECT_EQ(options.seed, 42u);
  EXPECT_TRUE(options.strict);
  EXPECT_EQ(options.json, "out.json");
}

TEST(Options, BooleanWithoutValueIsTrue) {
  Options options;
  EXPECT_EQ(parseOptions(options, "strict:help"), "");
  EXPECT_TRUE(options.strict);
  EXPECT_TRUE(options.help);
}

TEST(Options, QuotesProtectColons) {
  Options options;
  EXPECT_EQ(parseOptions(options, "json='a:b':log_file=\"c:d\":seed=2"), "");
  EXPECT_EQ(options.json, "a:b");
  EXPECT_EQ(options.log_file, "c:d");
  EXPECT_EQ(options.seed, 2u);
}

TEST(Options, LaterEntriesWinAndEmptyOnesAreIgnored) {
  Options options;
  EXPECT_EQ(parseOptions(options, ":seed=1::seed=9:"), "");
  EXPECT_EQ(options.seed, 9u);
}

TEST(Options, DashAndUnderscoreAreTheSame) {
  Options options;
  EXPECT_EQ(setOption(options, "memory-model", "c++"), "");
  EXPECT_EQ(options.memory_model, "c++");
  EXPECT_EQ(setOption(options, "volatile", "weak"), ""); // a keyword as a name
  EXPECT_EQ(options.volatile_, "weak");
}

TEST(Options, ErrorsSayWhatAndLeaveTheOptionsAlone) {
  const Options defaults;
  struct {
    const char *text, *expected;
  } cases[] = {{"sed=1", "unknown option 'sed'"},
               {"seed=abc", "needs a whole number"},
               {"seed=-1", "needs a whole number"},
               {"seed=", "needs a whole number"},
               {"seed", "needs a value"},
               {"strict=maybe", "needs 0 or 1"},
               {"backend=tpu", "use one of auto|cpu|gpu"},
               {"progress=maybe", "use one of advise|strict|off"},
               {"resident_blocks=3", "at least 4"},
               {"findings_exit_code=256", "at most 255"},
               {"json='open", "quote"},
               {"seed=99999999999999999999", "needs a whole number"}};
  for (const auto &[text, expected] : cases) {
    Options options;
    std::string error = parseOptions(options, text);
    EXPECT_NE(error.find(expected), std::string::npos) << text << ": " << error;
    EXPECT_EQ(options, defaults) << text;
  }
}

TEST(Options, FormatIsReadBack) {
  Options options, again;
  EXPECT_EQ(parseOptions(options, "json='a:b':seed=5:strict:volatile=weak"), "");
  EXPECT_EQ(parseOptions(again, formatOptions(options)), "");
  EXPECT_EQ(options, again);
  EXPECT_EQ(formatOptions(Options()), "");
}

TEST(Options, HelpListsAll) {
  std::string help = optionHelp();
  for (const char *name : {"--backend=auto", "--volatile=relaxed", "--incomplete-exit-code=69"})
    EXPECT_NE(help.find(name), std::string::npos) << name;
}

} // namespace
