#!/usr/bin/env python3
"""The lists of this folder agree: files, CMakeLists.txt, batches, documented library races."""

import re
import sys
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(FOLDER.parent / "programs"))

from harness.run import find_programs  # noqa: E402


def cmake_list(name):
    text = (FOLDER / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(rf"set\({name}\s([^)]*)\)", text).group(1).split()


class SuitesTest(unittest.TestCase):
    def setUp(self):
        self.programs, errors = find_programs(FOLDER)
        self.assertEqual(errors, [])

    def test_every_program_is_registered(self):
        names = [p.name for p in self.programs]
        self.assertEqual(sorted(cmake_list("suites") + cmake_list("batches")), sorted(names))

    def test_every_suite_is_in_one_batch(self):
        included = []
        for batch in cmake_list("batches"):
            text = (FOLDER / f"{batch}.cu").read_text(encoding="utf-8")
            included += re.findall(r'#include "(\w+)\.cu"', text)
        self.assertEqual(sorted(included), sorted(cmake_list("suites")))

    def test_every_known_finding_is_proved(self):
        proofs = (FOLDER.parent.parent / "docs/known-library-findings.md").read_text("utf-8")
        for program in self.programs:
            for variant in program.variants:
                if variant.verdict == "findings":
                    self.assertIn(f"`{program.name}/{variant.name}`", proofs)


if __name__ == "__main__":
    unittest.main()
