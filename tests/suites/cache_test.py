#!/usr/bin/env python3
"""The cache of generated CPU code, seen from whole runs of one program.

    cache_test.py BUILD_DIR SOURCE.cu    compiles SOURCE and runs it with caches of its own
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILD = Path(sys.argv[1]).absolute()
SOURCE = Path(sys.argv[2]).absolute()
FOREIGN = "0123456789abcdef0123456789abcdef.so"  # an entry of another version


class CacheTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = Path(tempfile.mkdtemp(prefix="scopesan-cache-test-"))
        cls.program = cls.work / "program"
        subprocess.run([BUILD / "bin/scopesan-clang++", "-std=c++17", "-O1", "-g", SOURCE, "-o",
                        cls.program], check=True, capture_output=True)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.work)

    def setUp(self):
        self.cache = Path(tempfile.mkdtemp(dir=self.work))

    def start(self, name="report.json", *options):
        command = [BUILD / "bin/scopesan", "run", "--backend=cpu", f"--cache-dir={self.cache}",
                   f"--json={self.cache}-{name}", *options, self.program, "--sizes=33"]
        return subprocess.Popen([str(c) for c in command], stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True)

    def finish(self, process, name="report.json"):
        output, _ = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 0, output)
        return json.loads(Path(f"{self.cache}-{name}").read_text(encoding="utf-8"))

    def run_program(self, *options):
        return self.finish(self.start("report.json", *options))

    def entries(self):
        return {path.name: path.stat().st_ino for path in self.cache.iterdir()}

    def test_a_second_run_uses_the_entry(self):
        first = self.run_program()
        entries = self.entries()
        self.assertEqual([Path(name).suffix for name in entries], [".so"])
        self.assertEqual(self.run_program(), first)
        self.assertEqual(self.entries(), entries)

    def test_runs_at_once_build_one_entry(self):
        names = [f"{i}.json" for i in range(4)]
        processes = [self.start(name) for name in names]
        reports = [self.finish(p, name) for p, name in zip(processes, names)]
        self.assertTrue(all(report == reports[0] for report in reports))
        self.assertEqual(len(self.entries()), 1)

    def test_a_damaged_entry_is_made_again(self):
        first = self.run_program()
        (entry,) = self.cache.iterdir()
        whole = entry.read_bytes()
        flipped = bytearray(whole)
        for at in range(len(whole) // 3, len(whole) // 3 + 200):
            flipped[at] ^= 0x5A
        other = whole[: len(whole) // 2] + whole[-28:]  # whole at both ends
        for damage in (b"", whole[:100], bytes(flipped), other, os.urandom(len(whole))):
            entry.write_bytes(damage)
            self.assertEqual(self.run_program(), first)
            self.assertEqual(entry.stat().st_size, len(whole))

    def test_a_folder_or_link_in_place_of_an_entry_is_replaced(self):
        first = self.run_program()
        (entry,) = self.cache.iterdir()
        for make in (entry.mkdir, lambda: entry.symlink_to("/nonexistent"), lambda: entry.symlink_to("/etc/passwd")):
            entry.unlink()
            make()
            self.assertEqual(self.run_program(), first)
            self.assertTrue(entry.is_file() and not entry.is_symlink())

    def test_entries_of_other_versions_are_ignored_and_trimmed(self):
        stale = self.cache / FOREIGN
        stale.write_bytes(b"x" * 1000)
        os.utime(stale, (1, 1))
        self.run_program()
        self.assertIn(FOREIGN, self.entries())
        other = self.cache / "notes.txt"
        other.write_text("not the cache's")
        (entry,) = [path for path in self.cache.iterdir() if path not in (stale, other)]
        entry.unlink()
        self.run_program("--cache-mb=0")
        self.assertEqual(set(self.entries()), {entry.name, other.name})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
