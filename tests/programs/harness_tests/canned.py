"""A program and the reports it should have, for the tests."""

import tempfile
import unittest
from pathlib import Path

from harness.header import parse_program
from harness.match import Matcher

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
