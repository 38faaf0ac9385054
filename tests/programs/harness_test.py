#!/usr/bin/env python3
"""Runs the harness's own tests: header parser, matching, whole runs with fake tools, all headers."""

import sys
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(FOLDER))

if __name__ == "__main__":
    suite = unittest.defaultTestLoader.discover(FOLDER / "harness_tests", "*_test.py", FOLDER)
    sys.exit(not unittest.TextTestRunner().run(suite).wasSuccessful())
