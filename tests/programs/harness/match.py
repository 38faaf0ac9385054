"""Compares one report (the JSON of `scopesan run`) with what a variant's header says.

The rule: required is a subset of reported, and reported is a subset of required and allowed.
"""

import re
from dataclasses import dataclass, field
from pathlib import PurePath

from .header import NOBODY

FINDINGS_EXIT_CODE = 66


@dataclass
class Comparison:
    """`problems` are lines of a diff: '-' is missing, '+' is too much, '!' is wrong otherwise."""
    problems: list = field(default_factory=list)
    seen: set = field(default_factory=set)  # lines with seeds=N that this run reported


def own_frames(access, files):
    """The frames of an access that lie in the program's own files, innermost first, as
    (file name, line). Frames of library headers (libcu++ is inlined) are left out."""
    frames = access.get("frames") or [access]
    places = [(PurePath(f.get("file") or "").name, f.get("line")) for f in frames]
    return [place for place in places if place[0] in files]


def in_library(access, file, function):
    """Whether a frame of the access lies in the library's file. With a function: the innermost of
    those frames lies in it (its name without class, template arguments and parameters)."""
    for frame in access.get("frames") or [access]:
        if PurePath(frame.get("file") or "").name == file:
            name = re.split(r"[<(]", frame.get("function") or "")[0].rpartition("::")[2]
            return function in (None, name)
    return False


class Matcher:
    def __init__(self, program, variant):
        self.markers = program.markers
        self.files = {unit.path.name for unit in program.units}
        self.variant = variant

    # ---------------------------------------------------------------- one access, one finding
    def marker_of(self, access):
        """The marker of the access's own line, or a readable place if it has none."""
        if access.get("api"):
            return "api:" + access["api"]
        frames = own_frames(access, self.files)
        if frames:
            for name, places in self.markers.items():
                if frames[0] in places:
                    return name
            return f"{frames[0][0]}:{frames[0][1]}"
        return f"{access.get('file')}:{access.get('line')}"

    def operand_matches(self, operand, access):
        if operand.is_api:
            if access.get("api") != operand.name:
                return False
        elif operand.is_library:
            if own_frames(access, self.files):  # the program's, wherever else it passes through
                return False
            if not in_library(access, operand.name, operand.function):
                return False
        elif operand.name == NOBODY:
            is_end = access.get("kind") in ("enter", "exit")  # of a block, wherever it is
            if not is_end and (access.get("file") or access.get("frames") or access.get("api")):
                return False
        else:
            frames = own_frames(access, self.files)
            if not frames or frames[0] not in self.markers[operand.name]:
                return False
        stated = {access.get("kind"), access.get("order"), access.get("scope"),
                  f"{access.get('bytes')}B"}
        return operand.facts <= stated

    def pair_matches(self, first, second, accesses):
        if len(accesses) == 1:  # a finding about one access
            sides = [first, second] if first.name == NOBODY else [second, first]
            return sides[0].name == NOBODY and self.operand_matches(sides[1], accesses[0])
        if len(accesses) != 2:
            return False
        a, b = accesses
        return (self.operand_matches(first, a) and self.operand_matches(second, b)
                or self.operand_matches(first, b) and self.operand_matches(second, a))

    def blame_of(self, finding):
        return frozenset((self.marker_of(b), b.get("needs")) for b in finding.get("blamed") or ())

    def memory_matches(self, wanted, finding):
        """A variable's name, without the function or class around it, or a kind of memory."""
        memory = finding.get("memory") or {}
        name = (memory.get("name") or "").rpartition("::")[2]
        return wanted in (name, memory.get("kind"))

    def matches(self, expectation, finding):
        if finding.get("rule") != expectation.rule:
            return False
        if not self.pair_matches(expectation.first, expectation.second, finding["accesses"]):
            return False
        if expectation.blame is not None and self.blame_of(finding) != expectation.blame:
            return False
        if expectation.memory is not None and not self.memory_matches(expectation.memory, finding):
            return False
        for key in ("distance", "hazard"):
            if getattr(expectation, key) not in (None, finding.get(key)):
                return False
        functions = {(a.get("function") or "").partition("(")[0] for a in finding["accesses"]}
        return expectation.function is None or functions == {expectation.function}

    def advice_matches(self, advice, finding):
        if finding.get("name") != advice.name:
            return False
        accesses = finding["accesses"]
        if advice.second:
            return self.pair_matches(advice.first, advice.second, accesses)
        needs = {b.get("needs") for b in finding.get("blamed") or ()} or {"nothing"}
        return ((advice.first is None or self.operand_matches(advice.first, accesses[0]))
                and (advice.needs is None or needs == {advice.needs}))

    # ---------------------------------------------------------------- text of a report's entry
    def describe(self, finding):
        sides = []
        for access in finding.get("accesses") or ():
            words = [access.get(k) for k in ("kind", "order", "scope") if access.get(k)]
            sides.append(f"{self.marker_of(access)}({','.join(words)})")
        text = " ".join([finding.get("rule") or "?"] + sides)
        if finding.get("rule") == "A1":
            text = f"A1 {finding.get('name')} " + " ".join(sides)
        blame = self.blame_of(finding)
        if blame:
            text += " blame=" + ",".join(f"{m}:{s}" for m, s in sorted(blame, key=str))
        memory = finding.get("memory") or {}
        text += f" memory={memory.get('name') or memory.get('kind')}"
        return text + f" distance={finding.get('distance')} hazard={finding.get('hazard')}"

    # ---------------------------------------------------------------- the whole report
    def compare(self, report, backend=None, seed=None):
        """Compares the report, not the exit code and the output. Returns a Comparison."""
        result = Comparison()
        self._compare_head(report, backend, seed, result)
        findings = report.get("findings") or []
        self._compare_lists(self.variant.require, self.variant.allow, findings, self.matches,
                            result)
        self._compare_lists(self.variant.advise, self.variant.may_advise,
                            report.get("advisories") or [], self.advice_matches, result)
        self._compare_places(findings + (report.get("advisories") or []), result)
        self._compare_chains(findings + (report.get("advisories") or []), result)
        self._compare_incomplete(report.get("incomplete") or [], result)
        return result

    def _compare_head(self, report, backend, seed, result):
        expected = {"verdict": self._verdict(report)}
        if backend:
            expected["backend"] = backend
        if seed is not None:
            expected["seed"] = seed
        for key, value in expected.items():
            if report.get(key) != value:
                result.problems.append(f"! {key}: expected {value}, got {report.get(key)}")
        if not report.get("kernels") or not report.get("checked_accesses"):
            result.problems.append("! nothing was checked: kernels "
                                   f"{report.get('kernels')}, checked_accesses "
                                   f"{report.get('checked_accesses')}")

    def _verdict(self, report):
        """A clean variant is incomplete in a run with an X1 entry that its header allows."""
        allowed = self.variant.verdict == "clean" and self.variant.may_be_incomplete
        return "incomplete" if allowed and report.get("incomplete") else self.variant.verdict

    def _compare_lists(self, required, allowed, reported, matches, result):
        for line in required:
            if any(matches(line, entry) for entry in reported):
                result.seen.add(line)
            elif line.seeds == 1:
                result.problems.append(f"- {line}   (required, not reported)")
        for entry in reported:
            if not any(matches(line, entry) for line in required + allowed):
                result.problems.append(f"+ {self.describe(entry)}   (reported, not allowed)")

    def _compare_places(self, entries, result):
        """The file and line that lead an access are the program's, not a library header's."""
        for entry in entries:
            for access in entry["accesses"]:
                frames = own_frames(access, self.files)
                place = (PurePath(access.get("file") or "").name, access.get("line"))
                if frames and place != frames[0]:
                    result.problems.append(f"! place: expected {frames[0][0]}:{frames[0][1]}, got "
                                           f"{access.get('file')}:{access.get('line')}")

    def _compare_chains(self, entries, result):
        """Each access at a chain's innermost marker carries the whole inline chain."""
        for chain in self.variant.chains:
            places = []
            for entry in entries:
                places += [own_frames(a, self.files) for a in entry["accesses"]]
            at_marker = [f for f in places if f and f[0] in self.markers[chain[0]]]
            for frames in at_marker:
                if len(frames) < len(chain) or any(
                        frame not in self.markers[marker] for frame, marker in zip(frames, chain)):
                    result.problems.append(f"! inline chain: expected {' < '.join(chain)}, got "
                                           + " < ".join(f"{f}:{n}" for f, n in frames))
                    break
            if not at_marker:
                result.problems.append(f"! inline chain: no access at @{chain[0]} was reported")

    def _compare_incomplete(self, entries, result):
        texts = [e if isinstance(e, str) else str(e.get("what")) for e in entries]
        for wanted in self.variant.incomplete:
            if not any(wanted in text for text in texts):
                result.problems.append(f"- X1 ...{wanted}...   (required, not reported)")
        for text in texts:
            if not any(w in text for w in self.variant.incomplete + self.variant.may_be_incomplete):
                result.problems.append(f"+ X1 {text}   (reported, not allowed)")

    def compare_process(self, exit_code, output, report=None):
        """Problems with the exit code of `scopesan run`, the program's own one (which the report
        states) and the program's output."""
        problems = []
        wanted = self.variant.exit
        own = ((report or {}).get("exit") or {}).get("code", wanted)
        if wanted is not None and own != wanted:
            problems.append(f"! the program's own exit code: expected {wanted}, got {own}")
        expected = FINDINGS_EXIT_CODE if self.variant.verdict == "findings" else wanted
        if expected is not None and exit_code != expected:
            problems.append(f"! exit code of scopesan: expected {expected}, got {exit_code}")
        problems += [f"- output '{text}'" for text in self.variant.output if text not in output]
        return problems

    def missing_over_runs(self, seen, runs):
        """Lines with seeds=N that none of at least N runs reported."""
        lines = self.variant.require + self.variant.advise
        return [f"- {line}   (required once in {line.seeds} runs, not reported in {runs})"
                for line in lines if 1 < line.seeds <= runs and line not in seen]
