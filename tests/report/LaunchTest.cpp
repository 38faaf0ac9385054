// Starting programs: how they end, signals, the time limit.
#include "Launch.h"

#include <csignal>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace scopesan::tool;
using scopesan::report::ProgramEnd;

namespace {

ProgramEnd shell(const std::string &script, uint64_t timeout = 0) {
  llvm::Expected<ProgramEnd> end = launchAndWait("/bin/sh", {"sh", "-c", script}, timeout);
  EXPECT_TRUE(static_cast<bool>(end));
  return end ? *end : (llvm::consumeError(end.takeError()), ProgramEnd());
}

TEST(Launch, ExitCode) { EXPECT_EQ(shell("exit 7").code, 7); }

TEST(Launch, Signal) { EXPECT_EQ(shell("kill -SEGV $$").signal, SIGSEGV); }

TEST(Launch, TimeLimitEndsTheWholeGroup) {
  ProgramEnd end = shell("sleep 1000 & wait", 1);
  EXPECT_TRUE(end.timedOut);
  EXPECT_EQ(end.signal, SIGTERM);
}

TEST(Launch, ProgramThatCatchesTheTimeLimit) {
  ProgramEnd end = shell("trap 'exit 3' TERM; sleep 1000 & wait", 1);
  EXPECT_TRUE(end.timedOut);
  EXPECT_EQ(end.code, 3);
}

TEST(Launch, SignalsArePassedOn) {
  // The shell asks its parent (this test) to end, and must get the signal itself.
  ProgramEnd end =
      shell("trap 'exit 4' TERM; sleep 1000 > /dev/null 2>&1 & kill -TERM $PPID; wait", 20);
  EXPECT_FALSE(end.timedOut);
  EXPECT_EQ(end.code, 4);
}

TEST(Launch, AKilledToolLeavesNoProgramBehind) {
  int alive[2];
  ASSERT_EQ(pipe(alive), 0); // its last writer is the program
  pid_t tool = fork();
  if (tool == 0) {
    close(alive[0]);
    (void)shell("echo up >&" + std::to_string(alive[1]) + "; exec sleep 1000");
    _exit(0);
  }
  close(alive[1]);
  char text[8];
  ASSERT_EQ(read(alive[0], text, sizeof text), 3);
  kill(tool, SIGKILL);
  pollfd closed{alive[0], POLLIN, 0};
  EXPECT_EQ(poll(&closed, 1, 10000), 1) << "the program outlived the tool";
  EXPECT_EQ(read(alive[0], text, sizeof text), 0);
  waitpid(tool, nullptr, 0);
}

TEST(Launch, CannotRun) {
  llvm::Expected<ProgramEnd> end = launchAndWait("/etc/passwd", {"passwd"}, 0);
  ASSERT_FALSE(static_cast<bool>(end));
  EXPECT_NE(llvm::toString(end.takeError()).find("/etc/passwd"), std::string::npos);
}

TEST(Launch, FindsPrograms) {
  llvm::Expected<std::string> path = findProgram("sh");
  ASSERT_TRUE(static_cast<bool>(path));
  EXPECT_NE(path->find("/sh"), std::string::npos);
  for (const char *wrong : {"no-such-program-here", "./no-such-file", "/etc/passwd", "/etc"}) {
    llvm::Expected<std::string> missing = findProgram(wrong);
    ASSERT_FALSE(static_cast<bool>(missing)) << wrong;
    EXPECT_NE(llvm::toString(missing.takeError()).find(wrong), std::string::npos);
  }
}

} // namespace
