"""From the output and the JSON report of a unit's run to the lines that `scopesan-litmus
--observed` reads (tools/litmus/kernels/Observations.h)."""

import json
import re
from dataclasses import dataclass, field

KERNEL = re.compile(r"\brow(\d+)_K\d+")
FAILED_KERNEL = "a kernel ended with an error"
FUNCTION = re.compile(r"^row(\d+)(_[KT]\d+)?\b")


class RunError(Exception):
    """A run whose output cannot be used; the message says what happened."""


@dataclass
class Unit:
    """A translation unit as the manifest describes it."""
    name: str                                  # unit_00.cu
    devices: int = 1                           # that its rows need
    flags: list = field(default_factory=list)  # for the compiler
    rows: dict = field(default_factory=dict)   # number -> id
    sites: dict = field(default_factory=dict)  # line -> (row, "thread.operation")


@dataclass
class Manifest:
    units: list
    skipped: list  # of (row number, id, reason)


def read_manifest(path):
    units, skipped = {}, []
    for line in path.read_text(encoding="utf-8").splitlines():
        kind, *cells = line.split("\t")
        if kind == "unit":
            name, devices, flags = cells
            units[name] = Unit(name, int(devices), flags.split())
        elif kind == "row":
            units[cells[0]].rows[int(cells[1])] = cells[2]
        elif kind == "site":
            name, number, row, thread, operation = cells
            units[name].sites[int(number)] = (int(row), f"{thread}.{operation}")
        else:
            skipped.append((int(cells[0]), cells[1], cells[2]))
    return Manifest(list(units.values()), skipped)


def lines_of_frames(access, unit):
    """Lines of the unit in an access's inline chain, innermost first."""
    return [f["line"] for f in access.get("frames") or [] if f["file"].endswith(unit.name)]


def site_of(access, unit):
    for line in lines_of_frames(access, unit):
        if line in unit.sites:
            return unit.sites[line][1]
    return "-"


def row_of(access, unit):
    match = KERNEL.search(access.get("kernel") or "")
    if match:
        return int(match.group(1))
    for line in lines_of_frames(access, unit):
        if line in unit.sites:
            return unit.sites[line][0]
    return None


def named(finding):
    """The rule; D12 of a wait that ended although nothing promised it has a name of its own."""
    ended = finding["rule"] == "D12" and finding.get("hazard")
    return "D12-ended" if ended else finding["rule"]


def findings_by_row(report, unit):
    """Lines `f ...` by row number. A finding that belongs to no row is an error."""
    found = {}
    for finding in report["findings"]:
        accesses = finding["accesses"]
        rows = {row_of(a, unit) for a in accesses} - {None}
        if len(rows) != 1:
            raise RunError(f"{finding['rule']} belongs to the rows {sorted(rows)}")
        sites = [site_of(a, unit) for a in accesses] + ["-"]
        found.setdefault(rows.pop(), []).append(f"f {named(finding)} {sites[0]} {sites[1]}")
    return found


def incomplete_by_row(report, unit):
    """Lines `x ...` by row number; None holds those that say no place."""
    found = {}
    for entry in report["incomplete"]:
        if entry["what"].startswith(FAILED_KERNEL):
            continue  # the row says so itself
        row = None
        if (entry.get("file") or "").endswith(unit.name):
            row = unit.sites.get(entry["line"], (None,))[0]
            match = FUNCTION.match(entry.get("function") or "")
            row = int(match.group(1)) if row is None and match else row
        text = " ".join(filter(None, [entry["what"], entry.get("text")]))
        found.setdefault(row, []).append("x " + " ".join(text.split()))
    return found


def observations(unit, rows, seed, output, report):
    """The lines of one run of some rows of a unit."""
    if report["failures"]:
        raise RunError(f"the tool failed: {report['failures']}")
    blocks, current = {}, None
    for line in output.splitlines():
        if line.startswith("row "):
            _, number, status = line.split(" ", 2)
            current = blocks.setdefault(int(number), [f"run {number} {seed} {status}"])
        elif current is not None and line[:2] in ("t ", "m "):
            current.append(line)
    findings, incomplete = findings_by_row(report, unit), incomplete_by_row(report, unit)
    # What says no place is of the rows that did not end well, if there are any.
    failed = {row for row, lines in blocks.items() if not lines[0].endswith(" ok")}
    missing = set(rows) - set(blocks)
    if missing:
        raise RunError(f"the rows {sorted(missing)} did not report; the output ends with:\n"
                       + "\n".join(output.splitlines()[-5:]))
    for row in rows:
        yield from blocks[row]
        yield from findings.pop(row, [])
        yield from incomplete.get(row, [])
        if row in (failed or blocks):
            yield from incomplete.get(None, [])
    if findings:
        raise RunError(f"findings of rows that are not in the unit: {findings}")


def read_report(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)
