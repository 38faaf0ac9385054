"""Matching of canned reports."""

import copy

from harness.header import Advice, HeaderError, Operand
from harness.match import Matcher
from harness_tests.canned import (
    CALL, F_LOAD, F_STORE, PROGRAM, WithProgram, X_LOAD, X_STORE, access, blamed_store,
    clean_report, racy_report)


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
        report["verdict"] = "incomplete"
        self.assertEqual(self.problems(report, self.fixed), [])
        self.fixed.incomplete = ["never said"]
        self.assertEqual([p[0] for p in self.problems(report, self.fixed)], ["-"])

    def test_an_allowed_gap_in_a_clean_run(self):
        self.fixed.may_be_incomplete = ["textures"]
        report = clean_report()
        self.assertEqual(self.problems(report, self.fixed), [])
        report.update(verdict="incomplete", incomplete=[{"what": "textures are not modelled"}])
        self.assertEqual(self.problems(report, self.fixed), [])
        report["incomplete"].append({"what": "surfaces are not modelled"})
        self.assertEqual(len(self.problems(report, self.fixed)), 1)
        report["incomplete"].clear()
        self.assertEqual(len(self.problems(report, self.fixed)), 1)

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
