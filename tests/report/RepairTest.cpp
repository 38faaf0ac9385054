// Patches of code that nvcc takes and clang rejects (tools/wrapper/repair.h).
#include "repair.h"

#include <gtest/gtest.h>

using namespace scopesan::wrapper;

namespace {

/// `text` after the patches that `messages` ask for; messages name the file "a.cu".
std::string repaired(const std::string &text, const std::string &messages, size_t patches = 1) {
  Repairs repairs([&](const std::string &name) { return name == "a.cu" ? text : ""; });
  EXPECT_EQ(repairs.apply(parseDiagnostics(messages)), patches);
  return repairs.files().empty() ? text : repairs.files().at("a.cu");
}

TEST(Repair, ReadsDiagnostics) {
  auto found = parseDiagnostics("In file included from b.h:1:\n"
                                "dir/a b.cu:12:7: error: no: such: thing\n"
                                "a.cu:3:1: note: expanded from macro 'M'\n"
                                "x.cu:4:2: fatal error: 'y' file not found\n"
                                "2 errors generated.\nclang++: error: no input files\n");
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].file, "dir/a b.cu");
  EXPECT_EQ(found[0].line, 12u);
  EXPECT_EQ(found[0].column, 7u);
  EXPECT_EQ(found[0].message, "no: such: thing");
  EXPECT_EQ(found[1].severity, "note");
  EXPECT_EQ(found[2].severity, "error");
}

TEST(Repair, TemplateKeyword) {
  // Host and device compilation say the same.
  std::string message = "a.cu:2:23: error: use 'template' keyword to treat 'In' as a dependent "
                        "template name\n";
  EXPECT_EQ(repaired("\nusing A = typename T::In<int>;", message + message),
            "\nusing A = typename T::template In<int>;");
  EXPECT_EQ(repaired("\nsomething else entirely here", message, 0),
            "\nsomething else entirely here");
}

TEST(Repair, RegistersInAsm) {
  EXPECT_EQ(repaired("asm(\"mov.u32 %0, %laneid;\" : \"=r\"(x));",
                     "a.cu:1:20: error: invalid % escape in inline assembly string\n"),
            "asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(x));");
}

TEST(Repair, MacrosStandWhereTheyAreDefined) {
  EXPECT_EQ(repaired("#define L asm(\"mov %0, %tid.x;\")\nvoid f() { L; }",
                     "a.cu:2:12: error: invalid % escape in inline assembly string\n"
                     "a.cu:1:26: note: expanded from macro 'L'\n"),
            "#define L asm(\"mov %0, %%tid.x;\")\nvoid f() { L; }");
}

TEST(Repair, DefaultArgumentsMoveToTheDeclaration) {
  std::string text = "struct A { int f(int a, T<1, 2> b, int c); };\n"
                     "int A<X>::f(int a, T<1, 2> b = T<1, 2>(3, 4), int c = g(\",)\")) {}\n"
                     "int y = a.f(1);\n";
  Repairs repairs([&](const std::string &) { return text; });
  std::string definition = "a.cu:2:29: error: default arguments cannot be added to an out-of-line "
                           "definition of a member "
                           "of a class template\n"
                           "a.cu:2:52: error: default arguments cannot be added to an out-of-line "
                           "definition of a member "
                           "of a class template\n";
  EXPECT_EQ(repairs.apply(parseDiagnostics(definition)), 2u);
  EXPECT_EQ(repairs.files().at("a.cu"),
            "struct A { int f(int a, T<1, 2> b, int c); };\n"
            "int A<X>::f(int a, T<1, 2> b                , int c          ) {}\n"
            "int y = a.f(1);\n");
  EXPECT_EQ(repairs.apply(parseDiagnostics(
                "a.cu:3:9: error: too few arguments to function call, expected 3, have 1\n"
                "a.cu:1:16: note: 'f' declared here\n")),
            2u);
  EXPECT_EQ(repairs.files().at("a.cu").substr(0, 79),
            "struct A { int f(int a, T<1, 2> b = T<1, 2>(3, 4), int c = g(\",)\")); };\nint A<X");
  // Nothing is given twice.
  EXPECT_EQ(repairs.apply(parseDiagnostics("a.cu:3:9: error: no matching member function for call "
                                           "to 'f'\na.cu:1:16: note: candidate function\n")),
            0u);
}

TEST(Repair, LaunchBrackets) {
  EXPECT_EQ(repaired("  k<< <grid, f<1>(2)>> >(p);", "a.cu:1:7: error: expected expression\n", 2),
            "  k <<<grid, f<1>(2) >>>(p);");
  EXPECT_EQ(repaired("  k << < 1,\n (2 > 1) > >>(p);", "a.cu:1:8: error: expected expression\n", 2),
            "  k  <<< 1,\n (2 > 1)  >>>(p);");
  for (const char *other : {"  x = a << ;", "  k<<<1, >>>(p);", "  f(a << b, );"})
    EXPECT_EQ(repaired(other, "a.cu:1:10: error: expected expression\n", 0), other);
}

TEST(Repair, OtherErrorsAreLeft) {
  EXPECT_EQ(repaired("int x = y;", "a.cu:1:9: error: use of undeclared identifier 'y'\n", 0),
            "int x = y;");
  EXPECT_EQ(repaired("", "b.cu:9:9: error: invalid % escape in inline assembly string\n", 0), "");
}

} // namespace
