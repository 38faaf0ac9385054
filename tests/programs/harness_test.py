#!/usr/bin/env python3
"""Tests of the harness: header parser, matching of canned reports, whole runs with fake tools."""

import contextlib
import csv
import copy
import io
import json
import re
import stat
import sys
import tempfile
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(FOLDER))

from harness.build import sources  # noqa: E402
from harness.header import Advice, HeaderError, Operand, parse_program  # noqa: E402
from harness.match import Matcher  # noqa: E402
from harness.run import find_programs, main, parse_seeds  # noqa: E402

PROGRAM = """\
// scopesan-test: a flag
// Free text before the first variant.
//
// variant fixed
//   verdict clean
//   may-advise progress-not-promised f_load f_store
//   output x = 42
//   proof S3
// variant racy -DRACY -DMORE=2
//   why the scope is
//   why too narrow
//   verdict findings
//   require D2 f_store(store,release,block) f_load
//   ... blame=f_store:device memory=f
//   require D3 x_store x_load blame=f_store:device
//   allow D1 x_store x_store seeds=20
//   advise volatile-sync seeds=3
//   proof D2 D3
//   chain f_store call
#include "check.h"
int a = 1; // @x_store
int b = 1; // writes the flag @f_store
int c = 1; // @f_load
int d = 1; // @x_load
int e = 1; // @call
// @no_code_here
"""


def access(line, kind="load", order="weak", scope=None, **more):
    frames = [{"file": "/usr/include/cuda/atomic", "line": 7},
              {"file": "/src/flag.cu", "line": line}] + more.pop("outer", [])
    return {"file": "/src/flag.cu", "line": line, "kind": kind, "order": order, "scope": scope,
            "bytes": 4, "function": "pass(int*)", "frames": frames, **more}


X_STORE, F_STORE, F_LOAD, X_LOAD, CALL = range(21, 26)
CALL_FRAME = [{"file": "flag.cu", "line": CALL}]


def store_flag():
    return access(F_STORE, "store", "release", "block", outer=CALL_FRAME)


def blamed_store(needs="device"):
    return dict(store_flag(), needs=needs)


def racy_report():
    """What ScopeSan should say about the variant `racy`."""
    return {
        "verdict": "findings", "backend": "cpu", "seed": 4, "kernels": [{"name": "pass"}],
        "checked_accesses": 9, "exit": {"code": 0, "signal": 0},
        "findings": [
            {"rule": "D2", "name": "scope-race", "hazard": "RAW", "distance": "same-grid",
             "memory": {"kind": "variable", "name": "ns::f"},
             "accesses": [access(F_LOAD, "load", "acquire", "device"), store_flag()],
             "blamed": [blamed_store()]},
            {"rule": "D3", "name": "insufficient-scope", "hazard": "RAW", "distance": "same-grid",
             "memory": {"kind": "variable", "name": "x"},
             "accesses": [access(X_STORE, "store"), access(X_LOAD)],
             "blamed": [blamed_store()]}],
        "advisories": [
            {"rule": "A1", "name": "volatile-sync", "memory": {},
             "accesses": [access(F_LOAD, "load", "acquire", "device"), store_flag()]}],
        "incomplete": []}


def clean_report():
    return {"verdict": "clean", "backend": "cpu", "seed": 1, "kernels": [{"name": "pass"}],
            "checked_accesses": 5, "findings": [], "advisories": [], "incomplete": []}


# Why no program can show them.
ROWS_WITHOUT_A_PROGRAM = {
    "multimem-red-red": "not modelled (X1)", "multimem-st-ld": "not modelled (X1)",
    "tcgen05-noafterfence": "not modelled (X1)", "tcgen05-afterfence": "not modelled (X1)",
    "tensormap-host-written": "what PTX says of it is contradictory",
    "stasync-release-global": "not modelled (X1)"}


class WithProgram(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.program = self.parse(PROGRAM)
        self.fixed, self.racy = self.program.variants

    def parse(self, text, name="flag.cu"):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return parse_program(path)

    def problems(self, report, variant=None, backend=None, seed=None):
        return Matcher(self.program, variant or self.racy).compare(report, backend, seed).problems


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


class MatchTest(WithProgram):
    def test_the_right_report_matches(self):
        self.assertEqual(self.problems(racy_report(), backend="cpu", seed=4), [])
        self.assertEqual(self.problems(clean_report(), self.fixed), [])

    def test_the_order_of_the_accesses_does_not_matter(self):
        report = racy_report()
        for finding in report["findings"]:
            finding["accesses"].reverse()
        self.assertEqual(self.problems(report), [])

    def test_a_missing_required_pair_fails(self):
        for index, rule in enumerate(["D2", "D3"]):
            report = racy_report()
            del report["findings"][index]
            problems = self.problems(report)
            self.assertEqual(len(problems), 1)
            self.assertRegex(problems[0], rf"^- {rule} .*required, not reported")

    def test_an_extra_pair_fails(self):
        report = racy_report()
        extra = copy.deepcopy(report["findings"][1])
        extra.update(rule="D1", blamed=[])
        report["findings"].append(extra)
        problems = self.problems(report)
        self.assertEqual(len(problems), 1)
        self.assertRegex(problems[0], r"^\+ D1 x_store\(store,weak\) x_load\(load,weak\)")

    def test_an_allowed_pair_may_be_reported(self):
        report = racy_report()
        report["findings"].append(
            {"rule": "D1", "accesses": [access(X_STORE, "store"), access(X_STORE, "store")]})
        self.assertEqual(self.problems(report), [])

    def test_a_finding_in_a_clean_program_fails(self):
        report = dict(racy_report(), verdict="clean", advisories=[])
        problems = self.problems(report, self.fixed)
        self.assertEqual([p[0] for p in problems], ["+", "+"])

    def test_wrong_details_fail(self):
        def wrong(change):
            report = racy_report()
            change(report, report["findings"][0])
            return self.problems(report)
        for name, change in {
                "scope of the access": lambda r, f: f["accesses"][1].update(scope="device"),
                "order": lambda r, f: f["accesses"][1].update(order="relaxed"),
                "kind": lambda r, f: f["accesses"][1].update(kind="rmw"),
                "needed scope": lambda r, f: f.update(blamed=[blamed_store("system")]),
                "nobody blamed": lambda r, f: f.update(blamed=[]),
                "too many blamed": lambda r, f: f["blamed"].append(dict(access(F_LOAD),
                                                                       needs="device")),
                "memory": lambda r, f: f.update(memory={"kind": "variable", "name": "ff"})}.items():
            with self.subTest(name):
                self.assertEqual([p[0] for p in wrong(change)], ["-", "+"])
        for name, change in {
                "verdict": lambda r, f: r.update(verdict="clean"),
                "nothing checked": lambda r, f: r.update(checked_accesses=0),
                "no kernel": lambda r, f: r.update(kernels=[]),
                "header's place": lambda r, f: f["accesses"][0].update(file="cuda/atomic", line=7),
                "chain": lambda r, f: f["accesses"][1]["frames"].pop()}.items():
            with self.subTest(name):
                self.assertEqual([p[0] for p in wrong(change)], ["!"])

    def test_backend_and_seed_are_compared(self):
        self.assertEqual(len(self.problems(racy_report(), backend="gpu", seed=5)), 2)

    def test_an_access_in_another_file_is_no_match(self):
        report = racy_report()
        for frame in report["findings"][1]["accesses"][0]["frames"]:
            frame["file"] = "other.cu"
        self.assertEqual([p[0] for p in self.problems(report)], ["-", "+"])

    def test_advisories(self):
        report = racy_report()
        advisory = report["advisories"].pop()
        comparison = Matcher(self.program, self.racy).compare(report)
        self.assertEqual(comparison.problems, [])  # seeds=3: not in every run
        matcher = Matcher(self.program, self.racy)
        self.assertEqual(len(matcher.missing_over_runs(comparison.seen, 3)), 1)
        self.assertEqual(matcher.missing_over_runs(comparison.seen, 2), [])
        report["advisories"] = [dict(advisory, name="observation-only")]
        self.assertRegex(self.problems(report)[0], r"^\+ A1 observation-only")
        quiet = dict(clean_report(), advisories=[dict(advisory, name="progress-not-promised")])
        self.assertEqual(self.problems(quiet, self.fixed), [])
        quiet["advisories"][0]["accesses"][0] = access(X_LOAD)
        self.assertEqual(len(self.problems(quiet, self.fixed)), 1)

    def test_advice_about_one_operation(self):
        store = access(F_STORE, "store", "release", "system")
        advisory = {"name": "over-synchronized", "accesses": [store], "memory": {},
                    "blamed": [dict(store, needs="device")]}
        report = dict(clean_report(), advisories=[advisory])
        self.assertEqual(len(self.problems(report, self.fixed)), 1)
        self.fixed.advise = [Advice("over-synchronized", Operand("f_store"), needs="device")]
        self.assertEqual(self.problems(report, self.fixed), [])
        for other in (dict(advisory, blamed=[]), dict(advisory, accesses=[access(F_LOAD)])):
            report["advisories"] = [other]
            self.assertEqual([p[0] for p in self.problems(report, self.fixed)], ["-", "+"])
        self.fixed.advise = [Advice("over-synchronized", Operand("f_store"), needs="nothing")]
        report["advisories"] = [dict(advisory, blamed=[])]
        self.assertEqual(self.problems(report, self.fixed), [])

    def test_incomplete(self):
        report = dict(clean_report(), incomplete=[{"what": "unknown PTX foo.bar", "count": 1}])
        self.assertEqual([p[0] for p in self.problems(report, self.fixed)], ["+"])
        self.fixed.may_be_incomplete = ["foo.bar"]
        self.assertEqual(self.problems(report, self.fixed), [])
        self.fixed.incomplete = ["never said"]
        self.assertEqual([p[0] for p in self.problems(report, self.fixed)], ["-"])

    def test_exit_codes_and_output(self):
        racy, fixed = (Matcher(self.program, v) for v in (self.racy, self.fixed))
        self.assertEqual(racy.compare_process(66, ""), [])
        self.assertEqual(len(racy.compare_process(0, "")), 1)
        self.assertEqual(len(racy.compare_process(66, "", {"exit": {"code": 2}})), 1)
        self.assertEqual(fixed.compare_process(0, "x = 42\n"), [])
        self.assertEqual(len(fixed.compare_process(1, "x = 43\n")), 2)
        self.fixed.exit = None
        self.assertEqual(fixed.compare_process(1, "x = 42"), [])

    def test_api_operands(self):
        program = self.parse(PROGRAM.replace("allow D1 x_store x_store",
                                             "require D1 api:cudaMemcpyAsync x_store"))
        report = racy_report()
        copy_access = {"api": "cudaMemcpyAsync", "kind": "copy", "order": "weak", "frames": []}
        report["findings"].append(
            {"rule": "D1", "accesses": [access(X_STORE, "store"), copy_access]})
        matcher = Matcher(program, program.variants[1])
        self.assertEqual(matcher.compare(report).problems, [])
        copy_access["api"] = "cudaMemsetAsync"
        self.assertRegex(" ".join(matcher.compare(report).problems), r"\+ D1 .*cudaMemsetAsync")

    def test_library_operands(self):
        program = self.parse(PROGRAM.replace("allow D1 x_store x_store seeds=20",
                                             "require D1 lib:scan.cuh(store,weak) lib:scan.cuh"))
        report = racy_report()
        frames = [{"file": "/usr/include/warp.cuh", "line": 5},
                  {"file": "/usr/include/scan.cuh", "line": 9}]
        store, load = ({"file": frames[0]["file"], "line": 5, "kind": kind, "order": "weak",
                        "bytes": 4, "frames": list(frames)} for kind in ("store", "load"))
        report["findings"].append({"rule": "D1", "accesses": [store, load]})
        matcher = Matcher(program, program.variants[1])
        self.assertEqual(matcher.compare(report).problems, [])
        store["kind"] = "load"  # no access of the pair is a store
        self.assertEqual(len(matcher.compare(report).problems), 2)
        store["kind"] = "store"
        load["frames"].append({"file": "/src/flag.cu", "line": CALL})  # inlined into the program
        self.assertEqual([p[0] for p in matcher.compare(report).problems], ["-", "+", "!"])
        load["frames"][1:] = []  # of another header
        self.assertEqual(len(matcher.compare(report).problems), 2)

    def test_library_functions(self):
        program = self.parse(PROGRAM.replace(
            "allow D1 x_store x_store seeds=20",
            "require D1 lib:scan.cuh:store(store) lib:scan.cuh:consume(load)"))
        report = racy_report()
        store, load = ({"kind": kind, "order": "weak", "bytes": 4, "frames": [
            {"file": "/usr/include/warp.cuh", "line": 5, "function": "move"},
            {"file": "/usr/include/scan.cuh", "line": 9, "function": name},
            {"file": "/usr/include/scan.cuh", "line": 20, "function": "process"}]}
            for kind, name in (("store", "ns::store<a::B>(int)"), ("load", "consume<a::B<1>>")))
        report["findings"].append({"rule": "D1", "accesses": [store, load]})
        matcher = Matcher(program, program.variants[1])
        self.assertEqual(matcher.compare(report).problems, [])
        load["frames"][1]["function"] = "load_keys"  # further in than the function named
        load["frames"][2]["function"] = "consume<true>"
        self.assertEqual([p[0] for p in matcher.compare(report).problems], ["-", "+"])

    def test_a_name_with_a_dot_is_a_library_header(self):
        for line in ("require D1 scan.cuh x_store", "require D1 api:scan.cuh x_store",
                     "require D1 x_store:f x_store", "require D1 api:f:g x_store"):
            with self.assertRaisesRegex(HeaderError, "no operand"):
                self.parse(PROGRAM.replace("allow D1 x_store x_store", line))

    def test_a_side_without_a_place(self):
        program = self.parse(PROGRAM.replace("allow D1 x_store x_store seeds=20",
                                             "require D8 nobody x_store"))
        report = racy_report()
        gone = {"kind": "load", "order": "weak", "frames": []}
        report["findings"].append({"rule": "D8", "accesses": [gone, access(X_STORE, "store")]})
        matcher = Matcher(program, program.variants[1])
        self.assertEqual(matcher.compare(report).problems, [])
        gone["file"] = "somewhere.cu"
        self.assertEqual([p[0] for p in matcher.compare(report).problems], ["-", "+"])
        report["findings"][-1]["accesses"] = [access(X_STORE, "store")]  # about one access
        self.assertEqual(matcher.compare(report).problems, [])
        report["findings"][-1]["accesses"] = [access(X_LOAD, "load")]
        self.assertEqual([p[0] for p in matcher.compare(report).problems], ["-", "+"])


class SourcesTest(unittest.TestCase):
    def test_included_files_count_once(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder).resolve()
            (root / "sub").mkdir()
            (root / "a.cu").write_text('#include <vector>\n#include "sub/b.h"\n # include "c.cu"\n')
            (root / "sub/b.h").write_text('#include "../c.cu"\n#include "missing.h"\n')
            (root / "c.cu").write_text('// #include "d.h"\nint c;\n#include "a.cu"\n')
            (root / "d.h").write_text("int d;\n")
            names = [path.name for path in sources([root / "a.cu"])]
            self.assertEqual(names, ["a.cu", "b.h", "c.cu"])


class RunTest(WithProgram):
    """The whole command with a fake compiler and a fake `scopesan` that writes a canned report."""

    SCOPESAN = """#!/usr/bin/env python3
import json, sys
options = dict(w[2:].split('=', 1) for w in sys.argv[2:] if w.startswith('--'))
binary = next(w for w in sys.argv[2:] if not w.startswith('--'))
variant = binary.split('/')[-2]
report = json.load(open(f'{FOLDER}/{variant}.json'))
report['seed'] = int(options['seed'])
if variant in NOISY:
    open(f'{FOLDER}/noise', 'a').write('x')
    report['noise'] = len(open(f'{FOLDER}/noise').read())
json.dump(report, open(options['json'], 'w'))
print('x = 42')
sys.exit(66 if report['findings'] else 0)
"""

    def setUp(self):
        super().setUp()
        bin_folder = self.folder / "build/bin"
        bin_folder.mkdir(parents=True)
        self.tool(bin_folder / "scopesan-clang++", 
                  "#!/bin/sh\ncase \"$*\" in *-###*) exit;; esac\necho . >> "
                  f"{self.folder}/compiled\nfor last; do :; done\ntouch \"$last\"\n")
        self.scopesan(noisy="")
        for name, report in (("fixed", clean_report()), ("racy", racy_report())):
            (self.folder / f"{name}.json").write_text(json.dumps(report), encoding="utf-8")

    @staticmethod
    def tool(path, text):
        path.write_text(text, encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def scopesan(self, noisy):
        self.tool(self.folder / "build/bin/scopesan",
                  self.SCOPESAN.replace("{FOLDER}", str(self.folder)).replace("NOISY", repr(noisy)))

    def run_main(self, *arguments):
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            code = main(["--build-dir", str(self.folder / "build"), *arguments], self.folder)
        return code, output.getvalue()

    def compiled(self):
        lines = (self.folder / "compiled").read_text(encoding="utf-8")
        return lines.count(".")

    def test_passes(self):
        code, output = self.run_main("--determinism", "-v")
        self.assertEqual((code, output.splitlines()[-1]), (0, "2 passed, 0 failed"), output)
        self.assertIn("pass flag/racy (3 runs", output)

    def test_labels_give_clean_variants_more_seeds(self):
        code, output = self.run_main("--label", "ci", "-v")
        self.assertEqual(code, 0, output)
        self.assertIn("pass flag/fixed (20 runs", output)
        self.assertIn("pass flag/racy (3 runs", output)
        code, output = self.run_main("--label", "ci", "--seeds", "4", "--verdict", "clean", "-v")
        self.assertEqual((code, output.splitlines()[-1]), (0, "1 passed, 0 failed"), output)
        self.assertIn("pass flag/fixed (1 runs", output)

    def test_rebuilds_only_what_changed(self):
        self.run_main()
        self.assertEqual(self.compiled(), 2)
        self.run_main()
        self.assertEqual(self.compiled(), 2)
        (self.folder / "flag.cu").write_text(PROGRAM + "\n", encoding="utf-8")
        self.run_main("--filter", "fixed")
        self.assertEqual(self.compiled(), 3)

    def test_failure_shows_the_difference_and_the_command(self):
        report = racy_report()
        del report["findings"][1]
        (self.folder / "racy.json").write_text(json.dumps(report), encoding="utf-8")
        code, output = self.run_main("--seeds", "2")
        self.assertEqual((code, output.splitlines()[-1]), (1, "1 passed, 1 failed"), output)
        self.assertRegex(output, r"seed 2: \S*/scopesan run --backend=cpu --seed=2 ")
        self.assertRegex(output, r"\n +- D3 x_store x_load blame=f_store:device")

    def test_an_advisory_wanted_once_is_missed_over_all_seeds(self):
        report = dict(racy_report(), advisories=[])
        (self.folder / "racy.json").write_text(json.dumps(report), encoding="utf-8")
        self.assertEqual(self.run_main("--seeds", "1..2")[0], 0)
        code, output = self.run_main("--label", "ci")
        self.assertEqual(code, 1)
        self.assertIn("required once in 3 runs, not reported in 3", output)

    def test_determinism(self):
        self.scopesan(noisy="fixed")
        self.assertEqual(self.run_main()[0], 0)
        code, output = self.run_main("--determinism")
        self.assertEqual(code, 1)
        self.assertIn("a second run with the same seed wrote another report", output)

    def test_build_failure_and_missing_report(self):
        self.tool(self.folder / "build/bin/scopesan", "#!/bin/sh\necho no GPU >&2\nexit 67\n")
        code, output = self.run_main("--filter", "fixed", "--seeds", "1")
        self.assertEqual(code, 1)
        self.assertIn("it was not written", output)
        self.assertIn("stderr: no GPU", output)
        self.tool(self.folder / "build/bin/scopesan-clang++", "#!/bin/sh\necho oops\nexit 1\n")
        code, output = self.run_main()
        self.assertEqual((code, output.splitlines()[-1]), (1, "0 passed, 2 failed"))
        self.assertIn("oops", output)

    def test_a_bad_header_fails_the_run(self):
        (self.folder / "bad.cu").write_text("// scopesan-test: bad\n", encoding="utf-8")
        code, output = self.run_main()
        self.assertEqual((code, output.splitlines()[-1]), (1, "2 passed, 1 failed"), output)
        self.assertIn("no variant is described", output)

    def test_missing_tools_are_no_success(self):
        (self.folder / "build/bin/scopesan").unlink()
        self.assertEqual(self.run_main()[0], 2)

    def test_seeds(self):
        self.assertEqual(parse_seeds("1..3,7"), [1, 2, 3, 7])
        for bad in ("", "3..1", "x"):
            with self.subTest(bad), self.assertRaises(Exception):
                parse_seeds(bad)


class ProgramsTest(unittest.TestCase):
    """The headers of the real programs."""

    def test_all_headers_parse_and_are_registered(self):
        programs, errors = find_programs(FOLDER)
        self.assertEqual(errors, [])
        listed = (FOLDER / "CMakeLists.txt").read_text(encoding="utf-8")
        names = re.search(r"set\(programs\s([^)]*)\)", listed).group(1).split()
        self.assertEqual(sorted(names), sorted(p.name for p in programs))

    @staticmethod
    def litmus_rows():
        table = FOLDER.parent / "litmus/data/litmus.tsv"
        with open(table, encoding="utf-8") as file:
            return {r["id"]: r for r in csv.DictReader(file, delimiter="\t",
                                                       quoting=csv.QUOTE_NONE)}

    @staticmethod
    def told_rows():
        """Variants by the rows that their headers name."""
        told = {}
        for program in find_programs(FOLDER)[0]:
            for variant in program.variants:
                for row in variant.litmus:
                    told.setdefault(row, []).append(variant)
        return told

    def test_what_headers_say_of_litmus_rows_is_what_the_table_says(self):
        rows, told = self.litmus_rows(), self.told_rows()
        self.assertEqual(set(told) - set(rows), set(), "unknown rows")
        for row, variants in told.items():
            for variant in variants:
                with self.subTest(row, variant=variant.name):
                    self.assert_agrees(rows[row], variant)

    def test_every_documented_row_of_the_litmus_table_is_a_program(self):
        wanted = {i for i in self.litmus_rows() if i.startswith(("API/", "DOC/"))}
        self.assertEqual(wanted - set(self.told_rows()), set(), "rows that no program names")

    def test_every_specified_row_about_asynchronous_operations_is_a_program(self):
        """SPEC2 rows whose operations are asynchronous or about mbarriers, proxies or clusters."""
        counted = re.compile(r"\b(cp\.async|bulk|wgmma|tcgen05|st\.async|red\.async|mbar|try_wait|"
                             r"cluster|dsmem|PF\.|tensormap|multimem|ld\.global\.nc)")
        wanted = {i for i, r in self.litmus_rows().items()
                  if i.startswith("SPEC2/") and counted.search(r["ops"])}
        self.assertGreater(len(wanted), 40)
        self.assertEqual({i.removeprefix("SPEC2/") for i in wanted - set(self.told_rows())},
                         set(ROWS_WITHOUT_A_PROGRAM))

    def reported_bugs(self):
        """Rows of docs/reported-bugs.md that name a variant: (program/variant, rule or None)."""
        rows = []
        for line in (FOLDER.parents[1] / "docs" / "reported-bugs.md").read_text().splitlines():
            cells = [c.strip() for c in line.strip("|").split("|")]
            named = [i for i, c in enumerate(cells) if re.fullmatch(r"\w+/\w+", c)]
            if line.startswith("|") and named:
                rule = cells[named[0] + 1] if named[0] + 1 < len(cells) else None
                rows.append((cells[named[0]], rule))
        return rows

    def test_every_reported_bug_is_a_program(self):
        known = {f"{p.name}/{v.name}": v for p in find_programs(FOLDER)[0] for v in p.variants}
        rows = self.reported_bugs()
        self.assertGreater(len(rows), 70)
        for name, rule in rows:
            with self.subTest(name):
                self.assertTrue(name in known)
                rules = {e.rule for e in known[name].require}
                if rule is None:
                    self.assertEqual((known[name].verdict, rules), ("clean", set()))
                else:
                    self.assertIn(rule, rules)

    def assert_agrees(self, row, variant):
        """The variant's header says what the row says."""
        if variant.verdict == "incomplete":  # says itself that something is not modelled
            return
        rules = {e.rule for e in variant.require}
        races = {"D1", "D2", "D3", "D4", "D5", "D8", "D9", "D10", "D11"}
        self.assertEqual(bool(rules & races), row["ptx_race"] == "race")
        advice = {a.name for a in variant.advise + variant.may_advise}
        if row["pub_kind"] == "progress(prose)":
            unpromised = "D12" in rules or "progress-not-promised" in advice
            self.assertEqual(unpromised, row["pub_verdict"] == "may hang")

    def test_every_racy_program_has_a_clean_twin(self):
        for program in find_programs(FOLDER)[0]:
            with self.subTest(program.name):
                verdicts = {v.verdict for v in program.variants}
                self.assertTrue(verdicts & {"clean", "incomplete"})


if __name__ == "__main__":
    unittest.main()
