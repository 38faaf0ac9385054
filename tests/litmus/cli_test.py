#!/usr/bin/env python3
"""What `scopesan litmus` says and exits with: verdicts, tables, inputs that cannot be read.

usage: cli_test.py PROGRAM
"""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = None
HEADER = "id\tplacement\tops\tguard\tptx_race\thb_race\tfreq\tnotes"
RACE = "T0: Ww x=1 ## T1: Rw x"
SAFE = "T0: Ww x=1; Wrel@gpu f=1 ## T1: spin Racq@gpu f==1; Rw x"


def row(name, ops=RACE, ptx="race", cxx="race", freq="", placement="T0=g0.b0 T1=g0.b1", guard="-"):
    return "\t".join([name, placement, ops, guard, ptx, cxx, freq, ""])


class Litmus(unittest.TestCase):
    def run_on(self, text, *options, table=False):
        """Exit code and output lines for a file with this text."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "input"
            file.write_bytes(text.encode())
            words = [PROGRAM, *options, *(["--table"] if table else []), str(file)]
            r = subprocess.run(words, capture_output=True, text=True)
        return r.returncode, (r.stdout + r.stderr).strip().splitlines()

    def table(self, *rows, options=(), header=HEADER, end="\n"):
        return self.run_on(end.join([header, *rows]) + end, *options, table=True)

    def refused(self, result, words):
        code, lines = result
        self.assertEqual(code, 67, lines)
        self.assertIn(words, "\n".join(lines))

    # ------------------------------------------------------------------ tables

    def test_agreement(self):
        code, lines = self.table(row("A/one"), row("B/two", SAFE, "norace", "norace", "never"))
        self.assertEqual(code, 0)
        self.assertEqual(lines[-1].split(), ["total", "2", "rows", "2", "agree", "0", "differ", "0",
                                             "explained", "0", "not", "run"])
        self.assertTrue(lines[-3].startswith("A ") and lines[-2].startswith("B "))

    def test_difference(self):
        code, lines = self.table(row("A/one", ptx="norace"))
        self.assertEqual(code, 66)
        self.assertTrue(lines[0].startswith("differ"), lines)

    def test_the_other_model_has_its_own_column(self):
        observed = "T0: Wrlx@gpu x=1 ## T1: spin Rrlx@gpu x==1; Ww x=2"
        for model in ("ptx", "c++"):
            code, lines = self.table(row("A/one", observed, "norace", "race"),
                                     options=[f"--memory-model={model}"])
            self.assertEqual((code, lines[-1].split()[3]), (0, "1"), lines)
        code, _ = self.table(row("A/one", observed, "race", "norace"))
        self.assertEqual(code, 66)

    def test_always_and_never_must_hold(self):
        sometimes = "T0: Ww x=1; Wrlx@gpu f=1 ## T1: Rrlx@gpu f->r0; if(r0!=1)goto e; Rw x; L e"
        self.assertEqual(self.table(row("A/one", sometimes, freq="some(1/2)"))[0], 0)
        code, lines = self.table(row("A/one", sometimes, freq="always"))
        self.assertEqual(code, 66)
        self.assertIn("it races some", lines[0])

    def test_what_is_not_run(self):
        impossible = row("A/one", "T0: Wrlx@gpu x=1 ## T1: Rrlx@gpu x->r0", guard="1:r0 == 7")
        code, lines = self.table(impossible)
        self.assertEqual(code, 0)
        self.assertIn("1 not run", lines[-1])
        self.assertIn("no sequentially consistent execution", lines[0])
        self.assertEqual(self.table(impossible, options=["--max-not-run=10"])[0], 66)

    def test_a_row_that_cannot_be_read_is_no_success(self):
        for bad in (row("A/one", "T0: Ww x=1 ## T1: Frobnicate x"), row("A/one", guard="7:r0 == 1"),
                    row("A/one", placement="behind the moon"),
                    row("A/one", placement="in many places"),
                    row("A/one", "K1: Ww x ## host: cudaStreamSynchronize(s9); Rw x",
                        placement="K1@s1; host"),
                    row("A/one", "K1: Ww x ## K2: Ww y ## host: cudaStreamSynchronize; Rw x",
                        placement="K1@s1; K2@s2; host"),
                    row("A/one", "A: Ww x ## B: Rw x", placement="nodes A->X B"),
                    row("A/one", "K1: Ww x ## host: cudaMagicSynchronize(); Rw x",
                        placement="K1@s1; host"),
                    row("A/one", "K1: Ww x ## K2: cudaDeviceSynchronize; Rw x",
                        placement="K1@s1; K2@s2; host"),
                    row("A/one", "T0: goto nowhere ## T1: Rw x")):
            self.refused(self.table(bad, row("A/two")), "1 rows cannot be read")
            self.refused(self.table(bad, row("A/two"), options=["-v", "--counters"]),
                         "1 rows cannot be read")

    def test_rows_without_a_verdict(self):
        code, lines = self.table(row("A/one"), row("A/two", ptx="", cxx=""))
        self.assertEqual(code, 0)
        self.assertIn("1 rows have no verdict", "\n".join(lines))
        self.refused(self.table(row("A/two", ptx="")), "nothing to compare")

    def test_format_errors_name_their_line(self):
        self.refused(self.table(row("A/one"), row("A/two", ptx="rcae")),
                     ":3: the verdict 'rcae' is neither")
        self.refused(self.table(row("A/one"), row("A/one")), ":3: the id 'A/one' is that of line 2")
        self.refused(self.table(row("A/one") + "\tmore"), ":2: 9 cells, but the header")
        self.refused(self.table("A/one\tT0=g0.b0\tT0: Ww x"), "ends before the column 'ptx_race'")
        self.refused(self.table(row("")), ":2: a row without an id")
        self.refused(self.table(row("A/one"), header="id\tops\tptx_race"), "lacks the column")
        self.refused(self.table(row("A/one"), header=HEADER + "\tops"), "'ops' twice")
        self.refused(self.table(), "no rows")
        self.refused(self.run_on("", table=True), "empty; expected a header")

    def test_line_ends(self):
        code, lines = self.table(row("A/one"), "", row("A/two").rstrip("\t"), end="\r\n")
        self.assertEqual((code, lines[-1].split()[3]), (0, "2"), lines)

    # ------------------------------------------------------------------ programs

    def test_verdicts_and_expectations(self):
        race, safe = "T0: Ww x=1\nT1: Rw x\n", "T0: Wrlx@gpu x=1\nT1: Rrlx@gpu x\n"
        self.assertEqual(self.run_on(race)[0], 66)
        self.assertEqual(self.run_on(safe)[0], 0)
        self.assertEqual(self.run_on(race + "expect: race\n")[0], 0)
        self.assertEqual(self.run_on(safe + "expect: race\n")[0], 66)

    def test_a_wait_for_ever_is_told(self):
        text = "T0 @ g0.b0.w0: B.sync(0;0;2)\nT1 @ g0.b0.w1: Rw x\n"
        code, lines = self.run_on(text)
        self.assertEqual(code, 66)
        self.assertIn("no race, but misuse", lines[0])
        self.assertIn("stuck: in ", "\n".join(lines))
        self.assertEqual(self.run_on(text + "expect: norace\n")[0], 0)
        self.assertEqual(self.run_on("T0: spin Racq@gpu f==1\nT1: Ww x=1\n")[0], 66)
        self.assertNotIn("stuck", "\n".join(self.run_on("T0: Ww x=1\n")[1]))

    def test_files_name_all_threads(self):
        threads = "T{} @ g0.b0.w{}: bar.sync 1,{}\n"
        for count, code in ((64, 0), (96, 66)):
            text = "".join(threads.format(t, t, count) for t in (0, 1))
            self.assertEqual(self.run_on(text)[0], code, text)

    def test_given_initial_values_stay(self):
        text = "T0: Ww x=1; Wrel@gpu f=1\nT1: Racq@gpu f==7; Rw x\n"
        self.assertEqual(self.run_on(text)[0], 66)
        self.refused(self.run_on("init: f=0\n" + text), "no sequentially consistent execution")
        self.assertEqual(self.run_on("init: f=7\n" + text)[0], 66)

    # More releasers of one location than the detector keeps apart; the acquirer may include some.
    INCOMPLETE = [f"Ww x{t}=1; U0[add]rel@gpu f(1)" for t in range(40)] + [
        "spin Rrlx@gpu f==40; Far@clu; " + "; ".join(f"Rw x{t}" for t in range(8))]
    PLACES = [f"g0.c{int(20 <= t < 40)}.b{t}" for t in range(41)]

    def test_incomplete_is_no_verdict(self):
        placed = [(f"T{t} @ {self.PLACES[t]}", ops) for t, ops in enumerate(self.INCOMPLETE)]
        text = "".join(f"{name}: {ops}\n" for name, ops in placed)
        options = ["--executions=20", "--samples=10"]
        code, lines = self.run_on(text, *options)
        self.assertEqual(code, 69, lines)
        self.assertIn(": incomplete: ", lines[0])
        self.assertIn("incomplete (X1): ", lines[1])
        self.assertEqual(self.run_on(text + "expect: norace\n", *options)[0], 69)
        ops = " ## ".join(f"T{t}: {ops}" for t, ops in enumerate(self.INCOMPLETE))
        where = " ".join(f"T{t}={place}" for t, place in enumerate(self.PLACES))
        r = row("A/one", ops, "norace", "norace", placement=where)
        code, lines = self.table(r, options=options)
        self.assertEqual((code, lines[-1].split()[3]), (69, "0"), lines)
        self.assertIn("1 not run", lines[-1])
        self.assertIn("incomplete (X1)", lines[0])
        self.assertEqual(self.table(r, options=[*options, "--max-not-run=10"])[0], 66)

    def test_errors_name_their_line(self):
        begin = "T0 @ g0.b0: Ww x=1\n"
        for text, line, words in (
                (begin + "T1 @ g0.b1: Rw x\n\n  frobnicate x; Rw x\n", 4, "'frobnicate x'"),
                (begin + "T1 @ g0.b1: Racq@galaxy x\n", 2, "'Racq@galaxy x'"),
                (begin + "T1 @ g0.z9: Rw x\n", 2, "unknown placement 'g0.z9'"),
                (begin + "T1 @ g0.b1: Rw x\nguard: 1:r7 == 1\n", 3, "unknown guard"),
                (begin + "T1 @ g0.b1: Rw x\n  goto nowhere\n", 3, "undefined label"),
                ("nmae: foo\n" + begin, 1, "unknown key 'nmae'"),
                (begin + "expect: race\nexpect: norace\n", 3, "a second expect:"),
                ("alias: t = textur x\n" + begin, 1, "unknown view 'textur x'"),
                ("alias: a = y\n" + begin, 1, "no operation uses the alias 'a'"),
                ("loops: 4294967297\n" + begin, 1, "loops: is a number up to"),
                ("loops: 100000000\n" + begin, 1, "loops: is a number up to"),
                ("\n# long\nT0: " + "; ".join(["Ww x=1"] * 20000), 3, "at most 2000"),
                ("".join(f"T{t}: Ww x{t}\n" for t in range(65)), 1, "at most 64")):
            self.refused(self.run_on(text), f"input:{line}: ")
            self.refused(self.run_on(text), words)
        dat3m = "PTX t\n\"a\nb\"\n{}\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n"
        for text, line in (("PTX t\nP0@cta 0,gpu 0;\n", 1),
                           ("PTX t\n{\nx=zero;\n}\nP0@cta 0,gpu 0;\n", 3),
                           (dat3m.replace("cta 1", "pew 1"), 5),
                           (dat3m.replace("cta 1", "cta one"), 5),
                           (dat3m + " st.weak x, 1 | ld.weak r0, x ;\n | peek r0, x ;\n", 7),
                           (dat3m + " st.weak x, 1 | ld.weak r0, x | ld.weak r0, x ;\n", 6),
                           (dat3m + " st.weak x, 1 | goto out ;\n", 6),
                           (dat3m + " st.weak x, 1 | ld.weak r0, x ;\nfilter (P1:r9 == 1)\n", 7)):
            self.refused(self.run_on(text), f"input:{line}: ")
        _, lines = self.table(row("A/one"), row("A/two", "T0: Ww x=1 ## T1: Frobnicate x"))
        self.assertRegex(lines[0], r"A/two: unknown operation 'Frobnicate x' \(.*input:3\)")

    def test_what_editors_add(self):
        mark = "\ufeff"
        self.assertEqual(self.run_on(mark + "T0: Ww x=1\nT1: Rw x\n")[0], 66)
        cells = " st.weak x, 1 | ld.weak r0, x ;\n"
        self.assertEqual(self.run_on(mark + self.DAT3M + cells)[0], 66)
        self.assertEqual(self.run_on(f"{mark}{HEADER}\n{row('A/one')}\n", table=True)[0], 0)

    def test_a_wait_for_a_block_that_starts_later(self):
        """D12: a spin that polls in vain, for a higher block; not for a lower one (`loops`: polls)."""
        text = ("loops: {}\nT0 @ g0.b{}: spin Racq@gpu f==1\n  Rw x->r0\n"
                "T1 @ g0.b{}: Ww x=1; Wrel@gpu f=1\n")
        code, lines = self.run_on(text.format(2, 0, 1))
        self.assertEqual(code, 66, lines)
        self.assertIn("D12 forward-progress", "\n".join(lines))
        for other in (text.format(2, 1, 0), text.format(1, 0, 1),
                      text.format(2, 0, 1).replace("spin", "spin Rrlx@gpu g!=2 then")):
            code, lines = self.run_on(other)
            self.assertEqual(code, 0, lines)

    def test_program_errors(self):
        begin = "T0 @ g0.b0: Ww x=1\nT1 @ g0.b1: Rw x\n"
        for extra, words in (("T1: Rw x\n", "a second thread 'T1'"),
                             ("init: x=zero\n", "expected 'name=number'"),
                             ("init: y=1\n", ":3: no operation uses 'y'"),
                             ("init: P1:r9=1\n", "no operation uses 'P1:r9'"),
                             ("loops: many\n", "loops: is a number"),
                             ("expect: maybe\n", "is 'race' or 'norace'"),
                             ("guard: y == 1\n", "unknown guard"),
                             ("T2 @ zz: Rw x\n", "unknown placement"),
                             ("T2: Racq@foo x\n", "unknown operation 'Racq@foo x'")):
            self.refused(self.run_on(begin + extra), words)
        self.refused(self.run_on("guard: x == 1\n"), "no thread")
        self.refused(self.run_on("T0: Rrlx@gpu x->r0\nguard: 0:r0 == 7\n"),
                     "no sequentially consistent execution")

    def test_counters(self):
        text = "T0: Ww x=1; Wrel@cta f=1\nT1: spin Racq@gpu f==1\n  Rw x\n"
        counts = {tuple(line.split()[:2]) for line in self.run_on(text, "--counters")[1]}
        self.assertTrue({("S1", "2"), ("S3", "2"), ("D2", "3"), ("D3", "2")} <= counts, counts)
        self.assertNotIn(("D3", "2"), {tuple(x.split()[:2]) for x in self.run_on(text)[1]})
        code, lines = self.table(row("A/one"), options=["--counters"])
        self.assertEqual(code, 0)
        self.assertTrue(any(line.split()[:2] == ["D1", "2"] for line in lines), lines)
        self.assertTrue(lines[-1].startswith("total"))

    # ------------------------------------------------------------------ Dat3M's format

    DAT3M = "PTX test\n{ x=0; }\n P0@cta 0,gpu 0,sys 0 | P1@cta 1,gpu 0,sys 0 ;\n"

    def test_dat3m(self):
        for end in ("\n", "\r\n"):
            text = self.DAT3M + " st.weak [x], 1 | ld.weak r0, x ;\nexists (x == 0)\n"
            code, lines = self.run_on(text.replace("\n", end))
            self.assertEqual(code, 66, lines)
            self.assertIn("D1 data-race", lines[-1])

    def test_dat3m_names(self):
        cells = " st.weak filterflag, 1 | ld.weak exists_not, filterflag ;\n"
        self.assertEqual(self.run_on(self.DAT3M + cells + "exists (x == 0)\n")[0], 66)

    def test_dat3m_sizes(self):
        for size, verdict in (("u32", 0), ("u64", 66)):  # of one side only: D5
            text = self.DAT3M + f" st.relaxed.gpu.global.{size} x, 1 | ld.relaxed.gpu.u32 r0, x ;\n"
            code, lines = self.run_on(text)
            self.assertEqual(code, verdict, lines)
        text = self.DAT3M + " atom.relaxed.gpu.add.u32 r0, x, 1 | red.relaxed.gpu.add.u32 x, 1 ;\n"
        self.assertEqual(self.run_on(text)[0], 0)

    def test_dat3m_errors(self):
        cells = " st.weak x, 1 | ld.weak r0, x "
        self.refused(self.run_on(self.DAT3M + cells + "| ld.weak r0, x ;\n"), "more columns than")
        self.refused(self.run_on(self.DAT3M + cells.replace("ld.weak", "peek") + ";\n"),
                     "unknown instruction 'peek r0, x'")
        self.refused(self.run_on(self.DAT3M + cells.replace("weak", "relaxed.moon") + ";\n"),
                     "unknown instruction 'st.relaxed.moon x, 1'")
        fence = cells.replace("ld.weak r0, x", "membar.moon")
        self.refused(self.run_on(self.DAT3M + fence + ";\n"), "unknown instruction 'membar.moon'")
        self.refused(self.run_on("T0: ld.relaxed.moon x\n"),
                     "unknown operation 'ld.relaxed.moon x'")
        self.refused(self.run_on(self.DAT3M.replace("cta 1", "pew 1") + cells + ";\n"),
                     "unknown level 'pew'")
        self.refused(self.run_on(self.DAT3M.replace("x=0", "x=zero") + cells + ";\n"),
                     "unknown initial value")
        self.refused(self.run_on("PTX test\n" + cells + ";\n"), "expected '{ initial values }'")

    # ------------------------------------------------------------------ the command line

    def test_options(self):
        for words in (["--frobnicate"], ["--executions=many", "x"], []):
            r = subprocess.run([PROGRAM, *words], capture_output=True, text=True)
            self.assertEqual(r.returncode, 67)
            self.assertIn("usage:", r.stderr)
        r = subprocess.run([PROGRAM, "--table", "/nowhere"], capture_output=True, text=True)
        self.assertEqual((r.returncode, r.stderr),
                         (67, "scopesan litmus: cannot read '/nowhere'\n"))
        for words in (["--table"], ["--table="]):
            r = subprocess.run([PROGRAM, *words], capture_output=True, text=True)
            self.assertEqual(r.returncode, 67)
            self.assertIn("--table: no file given", r.stderr)
        for words in (["--table", "/"], ["/"]):
            r = subprocess.run([PROGRAM, *words], capture_output=True, text=True)
            self.assertEqual((r.returncode, r.stderr), (67, "scopesan litmus: cannot read '/'\n"))


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
