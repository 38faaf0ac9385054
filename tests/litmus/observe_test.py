#!/usr/bin/env python3
"""Tests of tests/litmus/kernels: which row a finding, an X1 entry and an operation belong to."""

import sys
import tempfile
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(FOLDER))

from kernels.observe import RunError, observations, read_manifest  # noqa: E402
from kernels.run import parse_seeds  # noqa: E402

MANIFEST = """\
skip\t9\tSPEC/alias\ttwo addresses
unit\tunit_00.cu\t2\t-fscopesan-host
row\tunit_00.cu\t3\tSPEC/a
row\tunit_00.cu\t4\tSPEC/b
site\tunit_00.cu\t10\t3\t0\t1
site\tunit_00.cu\t20\t3\t1\t0
site\tunit_00.cu\t30\t4\t0\t0
"""
OUTPUT = """\
row 3 ok
t 0 ended 0:1:1
m 1
a line of the program's own
row 4 stuck
t 0 running
"""


def access(line, kernel="row3_K0(char*)", file="/tmp/x/unit_00.cu"):
    return {"kernel": kernel, "frames": [{"file": "/tmp/prelude.h", "line": 5},
                                         {"file": file, "line": line}]}


def report(findings=(), incomplete=()):
    return {"failures": [], "findings": list(findings), "incomplete": list(incomplete)}


class Observe(unittest.TestCase):
    def setUp(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "manifest.tsv"
            path.write_text(MANIFEST, encoding="utf-8")
            self.manifest = read_manifest(path)
        self.unit = self.manifest.units[0]

    def lines(self, output=OUTPUT, **parts):
        return list(observations(self.unit, [3, 4], 7, output, report(**parts)))

    def test_manifest(self):
        self.assertEqual(self.manifest.skipped, [(9, "SPEC/alias", "two addresses")])
        self.assertEqual(self.unit.rows, {3: "SPEC/a", 4: "SPEC/b"})
        self.assertEqual((self.unit.devices, self.unit.flags), (2, ["-fscopesan-host"]))

    def test_runs(self):
        self.assertEqual(self.lines(), ["run 3 7 ok", "t 0 ended 0:1:1", "m 1",
                                        "run 4 7 stuck", "t 0 running"])

    def test_findings_name_operations(self):
        found = self.lines(findings=[{"rule": "D1", "accesses": [access(10), access(20)]},
                                     {"rule": "D7", "accesses": [access(99, "row4_K1(char*)")]}])
        self.assertIn("f D1 0.1 1.0", found)
        self.assertEqual(found[-1], "f D7 - -")
        waits = [{"rule": "D12", "accesses": [access(10), access(20)], "hazard": h}
                 for h in ("RAW", None)]
        found = self.lines(findings=waits)
        self.assertIn("f D12-ended 0.1 1.0", found)
        self.assertIn("f D12 0.1 1.0", found)

    def test_host_operation_of_a_row(self):
        host = {"kernel": None, "frames": [{"file": "unit_00.cu", "line": 20}]}
        self.assertIn("f D1 0.1 1.0",
                      self.lines(findings=[{"rule": "D1", "accesses": [access(10), host]}]))

    def test_a_finding_between_rows_is_an_error(self):
        accesses = [access(10), access(30, "row4_K0(char*)")]
        with self.assertRaises(RunError):
            self.lines(findings=[{"rule": "D1", "accesses": accesses}])

    def test_incomplete(self):
        entry = {"what": "not modelled", "text": "foo.bar", "file": "unit_00.cu", "line": 30,
                 "function": None}
        self.assertEqual(self.lines(incomplete=[entry])[-1], "x not modelled foo.bar")
        entry = {"what": "not modelled", "file": "/tmp/unit_00.cu", "line": 11,
                 "function": "row3_T1"}
        self.assertEqual(self.lines(incomplete=[entry])[3], "x not modelled")

    def test_incomplete_without_a_place_is_of_rows_that_failed(self):
        entry = {"what": "no such call", "file": None, "line": None, "function": None}
        self.assertEqual([x for x in self.lines(incomplete=[entry]) if x[0] == "x"],
                         ["x no such call"])
        both = self.lines(OUTPUT.replace("stuck", "ok"), incomplete=[entry])
        self.assertEqual(len([x for x in both if x[0] == "x"]), 2)
        entry = {"what": "a kernel ended with an error; what it had not", "file": None}
        self.assertEqual([x for x in self.lines(incomplete=[entry]) if x[0] == "x"], [])

    def test_missing_rows_and_tool_failures_are_errors(self):
        with self.assertRaises(RunError):
            self.lines("row 3 ok\n")
        with self.assertRaises(RunError):
            list(observations(self.unit, [3, 4], 7, OUTPUT,
                              dict(report(), failures=["no report"])))

    def test_seeds(self):
        self.assertEqual(parse_seeds("2..4"), [2, 3, 4])
        self.assertEqual(parse_seeds("1,5"), [1, 5])


if __name__ == "__main__":
    unittest.main()
