"""Whole runs with fake tools."""

import contextlib
import io
import json
import stat
import tempfile
import unittest
from pathlib import Path

from harness.build import sources
from harness.run import main, parse_seeds
from harness_tests.canned import PROGRAM, WithProgram, clean_report, racy_report

FOLDER = Path(__file__).resolve().parent.parent


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

    def test_label_ci_leaves_out_what_is_for_the_full_label(self):
        source = self.folder / "flag.cu"
        text = source.read_text(encoding="utf-8")
        fixed = text[text.index("// variant fixed"):text.index("// variant racy")]
        again = fixed.replace("// variant fixed", "// variant again") + "//   label full\n"
        source.write_text(text.replace(fixed, fixed + again), encoding="utf-8")
        (self.folder / "again.json").write_text(json.dumps(clean_report()), encoding="utf-8")
        for label, passed in (("ci", 1), ("full", 2)):
            code, output = self.run_main("--label", label, "--seeds", "1", "--verdict", "clean")
            self.assertEqual((code, output.splitlines()[-1]), (0, f"{passed} passed, 0 failed"))

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
