"""Compiles a variant of a test program, and only when something that it is made of has changed."""

import fcntl
import functools
import hashlib
import os
import re
import shlex
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

CUDA_PATH = os.environ.get("CUDA_PATH", "/usr/local/cuda")
DEFAULT_FLAGS = ["-std=c++17", "-O1", "-g"]
# What `scopesan-clang++` does for a unit, without the instrumentation.
PLAIN_FLAGS = ["-x", "cuda", "--cuda-gpu-arch=sm_90", "--no-cuda-gpu-arch=sm_52",
               f"--cuda-path={CUDA_PATH}", f"-I{CUDA_PATH}/include/cccl",
               "-Wno-unknown-cuda-version"]


class BuildError(Exception):
    """A compile or link command failed; the message holds the command and its output."""


INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]+"([^"\n]+)"', re.MULTILINE)


def sources(units):
    """The units and what they include by #include "...", directly or not, as far as it exists
    beside the including file; each once, in order of first use."""
    found = {}
    todo = [Path(unit).resolve() for unit in units]
    while todo:
        path = todo.pop(0)
        if path in found or not path.is_file():
            continue
        found[path] = None
        names = INCLUDE.findall(path.read_bytes())
        todo += [(path.parent / name.decode(errors="replace")).resolve() for name in names]
    return list(found)


@dataclass
class Builder:
    compiler: Path                # scopesan-clang++
    plain_compiler: str           # clang++, for units without the instrumentation
    folder: Path                  # where binaries go: folder/program/variant/
    flags: list = field(default_factory=lambda: list(DEFAULT_FLAGS))
    pass_flags: list = field(default_factory=list)  # of the instrumented units alone
    timeout: int = 600

    def binary(self, program, variant):
        return self.folder / program.name / variant.name / program.name

    def build(self, program, variant):
        """Returns the binary, compiled if it is out of date. Raises BuildError."""
        binary = self.binary(program, variant)
        binary.parent.mkdir(parents=True, exist_ok=True)
        with open(binary.parent / "lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # two test runs may share the folder
            stamp = binary.parent / "stamp"
            wanted = self._fingerprint(program, variant)
            if binary.exists() and stamp.exists() and stamp.read_text() == wanted:
                return binary
            stamp.unlink(missing_ok=True)
            for command in self.commands(program, variant):
                self._run(command)
            stamp.write_text(wanted)
        return binary

    def commands(self, program, variant):
        """The commands that make the binary. A single unit is built as a user would: in one."""
        binary = self.binary(program, variant)
        flags = self.flags + variant.flags
        if len(program.units) == 1:
            return [[str(self.compiler)] + flags + self.pass_flags +
                    [str(program.path), "-o", str(binary)]]
        commands, objects = [], []
        for unit in program.units:
            objects.append(str(binary.parent / (unit.path.stem + ".o")))
            compiler = [str(self.compiler)] + self.pass_flags if unit.instrumented \
                else [self.plain_compiler] + PLAIN_FLAGS
            commands.append(compiler + flags + ["-c", str(unit.path), "-o", objects[-1]])
        return commands + [[str(self.compiler)] + objects + ["-o", str(binary)]]

    def _run(self, command):
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, errors="replace", timeout=self.timeout, check=False)
        except subprocess.TimeoutExpired:
            raise BuildError(f"{shlex.join(command)}\ntook more than {self.timeout} s") from None
        except OSError as error:
            raise BuildError(f"{shlex.join(command)}\n{error}") from None
        if done.returncode != 0:
            raise BuildError(f"{shlex.join(command)}\n{done.stdout.strip()}\n"
                             f"exit code {done.returncode}")

    def _fingerprint(self, program, variant):
        digest = hashlib.sha256()
        for command in self.commands(program, variant):
            digest.update(shlex.join(command).encode())
        for path in sources(unit.path for unit in program.units):
            digest.update(path.name.encode() + path.read_bytes())
        digest.update(self.toolchain.encode())
        return digest.hexdigest()

    @functools.cached_property
    def toolchain(self):
        """Names, sizes and times of the files that the wrapper brings in: plugin, config, runtime.
        The driver itself tells which ones they are (`-###` prints the commands it would run)."""
        probe = [str(self.compiler), "-###", "-x", "cuda", os.devnull, "-o", "probe"]
        try:
            done = subprocess.run(probe, capture_output=True, text=True, check=False, timeout=60)
            lines = (done.stdout + done.stderr).splitlines()
        except (OSError, subprocess.TimeoutExpired):
            lines = []
        files = {str(self.compiler), str(self.compiler.parent / "scopesan.cfg")}
        for line in lines:
            try:
                words = shlex.split(line)
            except ValueError:
                continue  # a note of the driver, not a command
            files |= {w.partition("=")[2] if w.startswith("-") else w for w in words}
        return "\n".join(f"{f} {os.stat(f).st_size} {os.stat(f).st_mtime_ns}"
                         for f in sorted(files) if os.path.isfile(f))
