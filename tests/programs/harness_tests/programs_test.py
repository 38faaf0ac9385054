"""What the headers of all programs must keep to."""

import csv
import re
import unittest
from pathlib import Path

from harness.run import find_programs

FOLDER = Path(__file__).resolve().parent.parent

# Why no program can show them.
ROWS_WITHOUT_A_PROGRAM = {
    "multimem-red-red": "not modelled (X1)", "multimem-st-ld": "not modelled (X1)",
    "tcgen05-noafterfence": "not modelled (X1)", "tcgen05-afterfence": "not modelled (X1)",
    "tensormap-host-written": "what PTX says of it is contradictory",
    "stasync-release-global": "not modelled (X1)"}


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
