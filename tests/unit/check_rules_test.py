#!/usr/bin/env python3
"""Tests check_rules: the sources as they are pass, and each fault that it is there for is found."""
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PARTS = ["docs", "include", "compiler-pass", "runtime", "tests/unit", "tests/cpu", "tests/pass",
         "tests/litmus/data"]


class CheckRules(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = Path(cls.folder.name)
        for part in PARTS:
            shutil.copytree(ROOT / part, cls.root / part)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def run_checker(self):
        result = subprocess.run(
            [sys.executable, ROOT / "tests/unit/check_rules", "--root", self.root],
            capture_output=True, text=True)
        return result.returncode, result.stdout

    def finds(self, path, old, new, expected):
        """With `old` replaced by `new` in the file, the checker says `expected`."""
        file = self.root / path
        text = file.read_text()
        self.assertIn(old, text)
        file.write_text(text.replace(old, new))
        try:
            code, output = self.run_checker()
        finally:
            file.write_text(text)
        self.assertEqual(code, 1)
        self.assertIn(expected, output)

    def test_sources_agree(self):
        self.assertEqual(self.run_checker(), (0, "docs/rules.md agrees\n"))

    def test_rule_missing_from_the_table(self):
        self.finds("docs/rules.md", "| S5 |", "| S55 |", "S5: a rule of docs/model.md that")

    def test_rule_that_the_model_has_not(self):
        self.finds("docs/model.md", "- S5 ", "- S55 ", "S5: in docs/rules.md, but no rule")

    def test_rule_within_a_line_of_the_model(self):
        self.finds("docs/rules.md", "| D10 |", "| S99 |", "D10: a rule of docs/model.md that")

    def test_function_that_is_gone(self):
        self.finds("include/scopesan/core/sync_rules.h", "s5FenceSc(", "scFence(",
                   "S5: include/scopesan/core/sync_rules.h declares no 's5FenceSc'")

    def test_function_documented_under_another_rule(self):
        self.finds("include/scopesan/core/sync_rules.h", "/// S5:", "/// S1:",
                   "S5: the comment of include/scopesan/core/sync_rules.h's 's5FenceSc'")

    def test_function_that_the_table_lacks(self):
        self.finds("docs/rules.md", "s3Acquire |", "observe |",
                   "S3: docs/rules.md lacks the function 's3Acquire'")

    def test_counter_that_nothing_counts(self):
        self.finds("include/scopesan/core/sync_rules.h", "RuleCounters::S5FenceSc",
                   "RuleCounters::S1Release", "S5: nothing counts 'S5FenceSc'")

    def test_counter_that_the_table_lacks(self):
        self.finds("docs/rules.md", "S2Pending, S2Completed", "S2Pending",
                   "S2: docs/rules.md lacks the counter 'S2Completed'")

    def test_counter_of_another_rule(self):
        self.finds("include/scopesan/core/counters.def", '"S5", S5FenceSc', '"S1", S5FenceSc',
                   "S5: counters.def has 'S5FenceSc' under S1")

    def test_test_that_is_gone(self):
        self.finds("tests/unit/SyncTest.cpp", "TEST_F(S5,", "TEST_F(Fences,",
                   "S5: tests/unit/SyncTest.cpp has no test 'S5'")

    def test_none_needs_a_reason(self):
        self.finds("docs/rules.md", "none: nothing is decided", "none",
                   "S11: 'none' gives no reason")


if __name__ == "__main__":
    unittest.main()
