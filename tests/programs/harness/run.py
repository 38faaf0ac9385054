"""Builds and runs the variants, compares them with their headers, prints what differs."""

import argparse
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from .build import DEFAULT_FLAGS, BuildError, Builder
from .header import VERDICTS, HeaderError, has_header, parse_program
from .match import Matcher

# Clean variants get more: one schedule that invents a finding is enough to be wrong.
LABEL_SEEDS = {"ci": "1..3", "full": "1..20"}
LABEL_CLEAN_SEEDS = {"ci": "1..20", "full": "1..200"}
DETERMINISM_SEEDS = 20  # --determinism: of a variant's seeds, that many are run twice


def parse_seeds(text):
    """'1..20', '7' or '1,5,9' as a list of numbers."""
    seeds = []
    for part in text.split(","):
        match = re.fullmatch(r"(\d+)(?:\.\.(\d+))?", part.strip())
        if not match:
            raise argparse.ArgumentTypeError(f"'{part}' is no seed or range; write 1..20 or 1,5,9")
        first, last = int(match.group(1)), int(match.group(2) or match.group(1))
        if last < first:
            raise argparse.ArgumentTypeError(f"'{part}' is an empty range")
        seeds += range(first, last + 1)
    return seeds


def find_programs(folder, pattern=None):
    """All programs of a folder, parsed; (programs, errors)."""
    programs, errors = [], []
    for path in sorted(Path(folder).glob("*.cu")):
        if not has_header(path):
            continue
        try:
            program = parse_program(path)
        except HeaderError as error:
            if not pattern or re.search(pattern, f"{path.stem}/"):
                errors.append(str(error))
            continue
        if pattern:
            program.variants = [v for v in program.variants
                                if re.search(pattern, f"{program.name}/{v.name}")]
        if program.variants:
            programs.append(program)
    return programs, errors


@dataclass
class Outcome:
    name: str
    problems: list = field(default_factory=list)  # text blocks
    runs: int = 0
    seconds: float = 0


@dataclass
class Runner:
    builder: Builder
    scopesan: Path
    backend: str
    seeds: list
    clean_seeds: list | None = None  # of variants whose verdict is clean; None: as the others
    determinism: bool = False
    timeout: int = 300
    run_options: list = field(default_factory=list)

    def check(self, program, variant):
        """Builds a variant, runs it once per seed and compares. Never raises for a bad program."""
        started = time.monotonic()
        outcome = Outcome(f"{program.name}/{variant.name}")
        try:
            binary = self.builder.build(program, variant)
            self._check_runs(program, variant, binary, outcome)
        except BuildError as error:
            outcome.problems.append(f"build failed: {error}")
        outcome.seconds = time.monotonic() - started
        return outcome

    def seeds_of(self, variant):
        clean = variant.verdict == "clean" and self.clean_seeds is not None
        return self.clean_seeds if clean else self.seeds

    def command(self, variant, binary, seed, report):
        words = [str(self.scopesan), "run", f"--backend={self.backend}"]
        if self.backend == "cpu":
            words += [f"--seed={seed}", f"--cache-dir={self.builder.folder / 'cache'}"]
        return words + [f"--json={report}"] + self.run_options + variant.options \
            + [str(binary)] + variant.args

    def _check_runs(self, program, variant, binary, outcome):
        matcher, seen = Matcher(program, variant), set()
        report_path = binary.parent / "report.json"
        failures = {}  # problems -> seeds: the same difference is printed once
        seeds = self.seeds_of(variant)
        for seed in seeds:
            command = self.command(variant, binary, seed, report_path)
            problems, text = self._check_run(matcher, seed, command, report_path, seen)
            twice = self.determinism and outcome.runs < DETERMINISM_SEEDS
            if twice and text is not None and not problems:
                problems, again = self._check_run(matcher, seed, command, report_path, seen)
                if again is not None and again != text:
                    problems.append("! a second run with the same seed wrote another report")
                    (binary.parent / "report.first.json").write_bytes(text)
            outcome.runs += 1
            if problems:
                failures.setdefault(tuple(problems), []).append(seed)
        for problems, failed in failures.items():
            again = shlex.join(self.command(variant, binary, failed[0], report_path))
            outcome.problems.append("\n".join(
                [f"seed {','.join(map(str, failed))}: {again}"] + ["  " + p for p in problems]))
        outcome.problems += matcher.missing_over_runs(seen, len(seeds))

    def _check_run(self, matcher, seed, command, report_path, seen):
        """One run: (problems, bytes of the report or None)."""
        report_path.unlink(missing_ok=True)
        code, output, errors = self._execute(command)
        problems = [] if code is not None else [f"! still running after {self.timeout} s"]
        text = report_path.read_bytes() if report_path.exists() else None
        report = None
        try:
            report = json.loads(text) if text is not None else None
            if not isinstance(report, dict):
                raise ValueError("it is no JSON object" if text else "it was not written")
            comparison = matcher.compare(report, self.backend,
                                         seed if self.backend == "cpu" else None)
            problems += comparison.problems
            seen |= comparison.seen
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            problems.append(f"! unusable report {report_path}: {error}")
            report = None
        if code is not None:
            problems += matcher.compare_process(code, output, report)
        if problems and report is None:
            problems += ["  stderr: " + line for line in errors.splitlines()[-15:]]
        return problems, text

    def _execute(self, command):
        """(exit code or None after a timeout, stdout, stderr); a signal's number is negative."""
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              errors="replace", start_new_session=True) as process:
            try:
                output, errors = process.communicate(timeout=self.timeout)
                return process.returncode, output, errors
            except subprocess.TimeoutExpired:
                return None, *self._stop(process)

    @staticmethod
    def _stop(process):
        """(stdout, stderr) of a run that took too long. `scopesan run` passes the request to end on to
        the program and kills it after a while; what still holds the pipes after that is left alone."""
        for stop, patience in ((signal.SIGTERM, 10), (signal.SIGKILL, 5)):
            os.killpg(process.pid, stop)
            try:
                return process.communicate(timeout=patience)
            except subprocess.TimeoutExpired:
                pass
        for pipe in (process.stdout, process.stderr):
            pipe.close()
        return "", "the program could not be stopped"


def parse_arguments(arguments, folder):
    root = folder.parent.parent
    parser = argparse.ArgumentParser(
        prog="run_programs", description="Builds the test programs, runs them under ScopeSan and "
        "compares the reports with the programs' headers (README.md).")
    add = parser.add_argument
    add("--build-dir", type=Path, default=root / "build", help="of ScopeSan (%(default)s)")
    add("--compiler", type=Path, help="default: <build-dir>/bin/scopesan-clang++")
    add("--scopesan", type=Path, help="default: <build-dir>/bin/scopesan")
    add("--plain-compiler", default="/usr/lib/llvm-22/bin/clang++",
        help="for units without the instrumentation (%(default)s)")
    add("--output", type=Path, help="default: <build-dir>/tests/programs/run")
    add("--programs", type=Path, default=folder, help="folder of the programs (%(default)s)")
    add("--flags", type=shlex.split, default=DEFAULT_FLAGS, metavar="'-O1 ...'",
        help="compiler flags for every unit (" + " ".join(DEFAULT_FLAGS) + ")")
    add("--run-options", type=shlex.split, default=[], help="more options for `scopesan run`")
    add("--backend", choices=["cpu", "gpu"], default="cpu")
    add("--label", choices=sorted(LABEL_SEEDS),
        help="ci: seeds 1..3, clean variants 1..20; full: seeds 1..20, clean variants 1..200")
    add("--seeds", type=parse_seeds, help="1..20 or 1,5,9; on the GPU only their number counts")
    add("--filter", metavar="REGEX", help="only program/variant names that match")
    add("--verdict", choices=sorted(VERDICTS), help="only variants that must have this verdict")
    add("--determinism", action="store_true", help="run each seed twice and compare the reports")
    add("--timeout", type=int, default=300, help="seconds for one run (%(default)s)")
    add("--list", action="store_true", help="print programs and variants, run nothing")
    add("--build-only", action="store_true", help="compile everything, run nothing")
    add("-j", "--jobs", type=int, default=min(2, os.cpu_count() or 1))
    add("-v", "--verbose", action="store_true", help="name the variants that passed as well")
    options = parser.parse_args(arguments, argparse.Namespace(clean_seeds=None))
    if not options.seeds:
        options.seeds = parse_seeds(LABEL_SEEDS[options.label or "ci"])
        if options.label and options.backend == "cpu":
            options.clean_seeds = parse_seeds(LABEL_CLEAN_SEEDS[options.label])
    if options.build_only:
        options.seeds, options.clean_seeds = [], None
    options.compiler = (options.compiler or options.build_dir / "bin/scopesan-clang++").absolute()
    options.scopesan = (options.scopesan or options.build_dir / "bin/scopesan").absolute()
    options.output = (options.output or options.build_dir / "tests/programs/run").absolute()
    return options


def print_list(programs):
    for program in programs:
        print(f"{program.name}: {program.title}")
        for variant in program.variants:
            print(f"  {variant.name}: {variant.verdict} ({' '.join(variant.flags) or 'no flags'})")
            for line in variant.require + variant.advise:
                print(f"    {line}")


def print_outcome(outcome, verbose):
    if outcome.problems:
        print(f"FAIL {outcome.name} ({outcome.runs} runs, {outcome.seconds:.1f} s)")
        for problem in outcome.problems:
            print("  " + problem.replace("\n", "\n  "))
    elif verbose:
        print(f"pass {outcome.name} ({outcome.runs} runs, {outcome.seconds:.1f} s)")
    sys.stdout.flush()


def main(arguments, folder):
    """The command; returns its exit code: 0 passed, 1 failed, 2 nothing could be checked."""
    options = parse_arguments(arguments, folder)
    programs, errors = find_programs(options.programs.absolute(), options.filter)
    for error in errors:
        print(f"FAIL {error}")
    if options.list:
        print_list(programs)
        return 1 if errors else 0
    tools = [options.compiler] + ([] if options.build_only else [options.scopesan])
    missing = [tool for tool in tools if not tool.exists()]
    if missing:
        print(f"{missing[0]} does not exist; build ScopeSan first or name another --build-dir")
        return 2
    builder = Builder(options.compiler, options.plain_compiler, options.output, options.flags)
    runner = Runner(builder, options.scopesan, options.backend, options.seeds, options.clean_seeds,
                    options.determinism, options.timeout, options.run_options)
    tasks = [(p, v) for p in programs for v in p.variants
             if options.backend in v.backends and options.verdict in (None, v.verdict)
             and (options.label is None or options.label in v.labels)]
    if not tasks and not errors:
        print("no program matches")
        return 2
    passed, failed = 0, len(errors)
    with ThreadPoolExecutor(max(1, options.jobs)) as pool:
        for outcome in pool.map(lambda task: runner.check(*task), tasks):
            print_outcome(outcome, options.verbose)
            passed += not outcome.problems
            failed += bool(outcome.problems)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0
