"""The header parser."""

import re

from harness.header import Advice, HeaderError, Operand
from harness_tests.canned import CALL, F_STORE, PROGRAM, WithProgram


class HeaderTest(WithProgram):
    def test_reads_everything(self):
        self.assertEqual(self.program.title, "a flag")
        self.assertEqual(self.racy.flags, ["-DRACY", "-DMORE=2"])
        self.assertEqual(self.racy.why, "the scope is too narrow")
        first = self.racy.require[0]
        self.assertEqual(first.first,
                         Operand("f_store", False, frozenset(["store", "release", "block"])))
        self.assertEqual(first.blame, frozenset([("f_store", "device")]))
        self.assertEqual((first.memory, first.seeds), ("f", 1))
        self.assertEqual(self.racy.allow[0].seeds, 20)
        self.assertEqual(self.racy.advise, [Advice("volatile-sync", seeds=3)])
        self.assertEqual(self.fixed.output, ["x = 42"])
        self.assertEqual(self.fixed.exit, 0)

    def test_markers_need_code_on_their_line(self):
        self.assertEqual(self.program.markers["f_store"], {("flag.cu", F_STORE)})
        self.assertEqual(self.program.markers["call"], {("flag.cu", CALL)})
        self.assertNotIn("no_code_here", self.program.markers)

    def test_one_marker_may_stand_on_several_lines(self):
        program = self.parse(PROGRAM + "int g; // @x_store\n")
        self.assertEqual(program.markers["x_store"], {("flag.cu", 21), ("flag.cu", 27)})

    def test_units(self):
        (self.folder / "other.cu").write_text("int h; // @elsewhere\n", encoding="utf-8")
        program = self.parse(PROGRAM.replace("// Free text", "// unit other.cu plain\n// Free"))
        self.assertFalse(program.units[1].instrumented)
        self.assertEqual(program.markers["elsewhere"], {("other.cu", 1)})

    def test_errors_name_the_line(self):
        for old, new, message in [
                ("// scopesan-test: a flag", "// a flag", ":1: a test program starts with"),
                ("verdict clean", "verdict good", ":5: verdict 'good' is none of"),
                ("D2 f_store(", "D20 f_store(", ":13: rule 'D20'"),
                ("store,release", "stor,release", "unknown fact 'stor'"),
                ("blame=f_store:device memory", "memory", "must say blame="),
                ("memory=f", "memroy=f", ":13: 'memroy=f' is none of"),
                ("// Free text", "// ... free text", ":2: nothing to continue"),
                ("blame=f_store:device\n", "blame=f_store:gpu\n", "must be marker:scope"),
                ("seeds=20", "seeds=0", "needs N > 1"),
                ("allow D1 x_store x_store", "allow D1 x_store nowhere", "'// @nowhere'"),
                ("f_store call", "f_store called", "'// @called'"),
                ("volatile-sync", "volatile", "advisory 'volatile'"),
                ("volatile-sync", "volatile-sync f_store", "has no operands or two"),
                ("volatile-sync", "over-synchronized f_store f_load", "has no operands or one"),
                ("volatile-sync", "volatile-sync needs=device", "'needs=device' is none of"),
                ("volatile-sync", "over-synchronized needs=gpu", "needed scope 'gpu'"),
                ("//   why the scope is", "//   because", "unknown keyword 'because'"),
                ("// variant racy", "// variant fixed", "described twice"),
                ("//   proof S3\n", "//   proof S3\n//   label ci\n", "write 'label full'"),
                ("//   proof S3\n", "//   proof S3\n//   label full\n", "leaves no"),
                ("//   proof S3\n", "", "no proof"),
                ("proof S3", "proof S99", "model rule 'S99'"),
                ("//   verdict clean\n", "", "no verdict"),
                ("verdict findings", "verdict clean", "excludes 'require'"),
                ("allow D1 x_store x_store", "allow D1 x_store x_store blame=call:device",
                 "D1 blames nothing"),
                ("output x = 42", "incomplete asm", "go together")]:
            with self.subTest(new=new), self.assertRaises(HeaderError) as caught:
                text = PROGRAM.replace(old, new)
                self.assertNotEqual(text, PROGRAM)
                self.parse(text)
            self.assertIn(message, str(caught.exception))

    def test_findings_need_a_pair_that_every_run_reports(self):
        with self.assertRaisesRegex(HeaderError, "holds in every run"):
            self.parse(re.sub(r"(require .*)", r"\1 seeds=20", PROGRAM))
