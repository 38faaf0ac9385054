"""The command: emit, compile, run over seeds, have the table printed."""

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .observe import RunError, observations, read_manifest, read_report

RUN_OPTIONS = ["--backend=cpu", "--findings-exit-code=0", f"--log-file={os.devnull}"]
# Rows are a few accesses long: some schedules switch often, others hardly but at synchronization.
INTERVALS = [3, 40, 12, 1]
LINES_OF_ERROR = 20
FLAGS = ["-std=c++17", "-O1", "-Wno-unused-variable"]


def parse_seeds(text):
    """`1..50` or `1,5,9`."""
    first, dots, last = text.partition("..")
    if dots:
        return list(range(int(first), int(last) + 1))
    return [int(seed) for seed in text.split(",")]


def parse_arguments(arguments, folder):
    root = folder.parent.parent
    parser = argparse.ArgumentParser(
        prog="run_kernels", formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Runs the rows of a litmus table as CUDA kernels under ScopeSan and compares\n"
                    "the verdicts with the table.",
        epilog="Exit code: 0 no unexplained difference, 66 differences, 67 something did not work.")
    add = parser.add_argument
    add("collections", nargs="*", help="of the table, for instance SPEC SCOR (default: all)")
    add("--build-dir", type=Path, default=root / "build", help="of ScopeSan (%(default)s)")
    add("--table", type=Path, default=folder / "data/litmus.tsv")
    add("--seeds", type=parse_seeds, default=parse_seeds("1..50"), help="1..50 or 1,5,9 (1..50)")
    add("--max-seed", type=int, default=200,
        help="rows that have not shown what some run must show get further seeds up to this one")
    add("--memory-model", choices=["ptx", "c++"], default="ptx")
    add("--every", type=int, default=1, metavar="N", help="each N-th row of a collection only")
    add("--rows-per-unit", type=int, default=40)
    add("--max-not-run", type=int, default=10, metavar="PERCENT", help="(%(default)s)")
    add("--max-incomplete", type=int, default=20, metavar="PERCENT",
        help="of rows that run and are incomplete as documented (%(default)s)")
    add("--output", type=Path, help="default: <build-dir>/tests/litmus/kernels")
    add("-j", "--jobs", type=int, default=min(2, os.cpu_count() or 1))
    add("-v", "--verbose", action="store_true", help="name the rows that agree as well")
    options = parser.parse_args(arguments)
    bin_dir = options.build_dir.absolute() / "bin"
    options.compiler, options.scopesan = bin_dir / "scopesan-clang++", bin_dir / "scopesan"
    options.litmus = bin_dir / "scopesan-litmus"
    options.output = (options.output or
                      options.build_dir.absolute() / "tests/litmus/kernels").absolute()
    options.prelude = folder / "kernels"
    return options


def call(command, timeout):
    """Standard output of a command that must succeed."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace",
                              timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        raise RunError(f"{shlex.join(map(str, command))}\ntook more than {timeout} s") from None
    except OSError as error:
        raise RunError(str(error)) from None
    if done.returncode != 0:
        output = (done.stderr + done.stdout).splitlines()
        raise RunError("\n".join([shlex.join(map(str, command)), *output[:LINES_OF_ERROR],
                                  f"exit code {done.returncode}"]))
    return done.stdout


def emit(options):
    folder = options.output
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    command = [options.litmus, f"--emit={folder}", "--table", options.table,
               f"--rows-per-unit={options.rows_per_unit}", f"--every={options.every}"]
    call(command + [f"--collection={name}" for name in options.collections], timeout=60)
    return read_manifest(folder / "manifest.tsv")


def compile_unit(options, unit):
    source = options.output / unit.name
    call([options.compiler, *FLAGS, *unit.flags, f"-I{options.prelude}", source, "-o", source.with_suffix("")],
         timeout=600)


def run_unit(options, unit, seed, rows):
    """The observations of the given rows under one seed."""
    binary = (options.output / unit.name).with_suffix("")
    report = binary.with_suffix(f".{seed}.json")
    command = [options.scopesan, "run", *RUN_OPTIONS, f"--seed={seed}", f"--json={report}",
               f"--devices={unit.devices}",
               f"--preemption-interval={INTERVALS[seed % len(INTERVALS)]}",
               f"--memory-model={options.memory_model}", binary, *map(str, [seed, *rows])]
    output = call(command, timeout=300)
    lines = list(observations(unit, rows, seed, output, read_report(report)))
    report.unlink()
    return lines


class Observer:
    """Runs units and writes down what happened."""

    def __init__(self, options, manifest):
        self.options, self.manifest = options, manifest
        self.path = options.output / "observations.txt"
        self.broken = set()  # names of units that do not compile
        self.failures = 0
        lines = [f"skip {row} {reason}" for row, _, reason in manifest.skipped]
        self.path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")

    def each_unit(self, work):
        """Results of `work` for the units, in order; errors are counted and printed."""
        def guarded(unit):
            try:
                return work(unit)
            except RunError as error:
                return error

        with ThreadPoolExecutor(max(1, self.options.jobs)) as pool:
            for unit, result in zip(self.manifest.units,
                                    pool.map(guarded, self.manifest.units)):
                if isinstance(result, RunError):
                    self.failures += 1
                    print(f"{unit.name}: {result}", file=sys.stderr)
                yield unit, result

    def compile(self):
        for unit, result in self.each_unit(lambda unit: compile_unit(self.options, unit)):
            if isinstance(result, RunError):
                self.broken.add(unit.name)

    def run(self, seeds, chosen=None):
        """Runs all rows, or the chosen ones, under each seed."""
        def work(unit):
            rows = [r for r in unit.rows if chosen is None or r in chosen]
            if not rows or unit.name in self.broken:
                return []
            return [line for seed in seeds for line in run_unit(self.options, unit, seed, rows)]

        with open(self.path, "a", encoding="utf-8") as file:
            for _, result in self.each_unit(work):
                if not isinstance(result, RunError):
                    file.writelines(line + "\n" for line in result)


def table_command(options, path):
    return [str(options.litmus), "--table", str(options.table), f"--observed={path}",
            f"--memory-model={options.memory_model}"]


def main(arguments, folder):
    options = parse_arguments(arguments, folder)
    started = time.monotonic()
    try:
        observer = Observer(options, emit(options))
        observer.compile()
        observer.run(options.seeds)
        last = max(options.seeds)
        while last < options.max_seed:
            wanting = call(table_command(options, observer.path) + ["--wanting"], timeout=600)
            if not wanting:
                break
            more = range(last + 1, min(last + 50, options.max_seed) + 1)
            observer.run(more, {int(row) for row in wanting.split()})
            last = more[-1]
    except RunError as error:
        print(error, file=sys.stderr)
        return 67
    sys.stdout.flush()
    command = table_command(options, observer.path) + [
        f"--max-not-run={options.max_not_run}", f"--max-incomplete={options.max_incomplete}"]
    code = subprocess.run(command + ["-v"] * options.verbose, check=False).returncode
    print(f"{len(options.seeds)} seeds (up to {last} for rows that need them), "
          f"{options.memory_model} model, {time.monotonic() - started:.0f} s"
          + (f"; {observer.failures} units failed" if observer.failures else ""))
    return 67 if observer.failures else code
