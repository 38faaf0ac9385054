#!/usr/bin/env python3
"""Builds a program as a user would and checks what `scopesan run` says about it.

usage: consumer.py CASE --prefix DIR --clang CLANG++ --cuda DIR --work DIR [--build DIR]
DIR of --prefix has bin/ and lib/ of ScopeSan: the build tree or an installation.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


class Consumer:
    def __init__(self, args):
        self.prefix, self.clang, self.cuda = args.prefix, args.clang, args.cuda
        self.work = args.work
        self.build_tree = args.build
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)

    # ------------------------------------------------------------------ steps
    @property
    def wrapper(self):
        return self.prefix / "bin" / "scopesan-clang++"

    @property
    def config(self):
        return self.prefix / "bin" / "scopesan.cfg"

    def call(self, *command, code=0, env=None):
        """Runs a command in the work folder; returns its output; fails on another exit code."""
        command = [str(word) for word in command]
        done = subprocess.run(command, cwd=self.work, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, env=env)
        print("$", " ".join(command), f"\n{done.stdout}[exit code {done.returncode}]", flush=True)
        if done.returncode != code:
            sys.exit(f"error: expected exit code {code}, got {done.returncode}")
        return done.stdout

    def run(self, program, code, *options):
        """`scopesan run` on the CPU backend; returns the JSON report."""
        report = self.work / "report.json"
        self.call(self.prefix / "bin" / "scopesan", "run", "--backend=cpu", f"--json={report}",
                  *options, "--", program, code=code)
        return json.loads(report.read_text())

    def expect_race(self, program, file="race.cu"):
        report = self.run(program, 66)
        rules = {(finding["rule"], access["file"].rsplit("/", 1)[-1])
                 for finding in report["findings"] for access in finding["accesses"]}
        check(report["verdict"] == "findings", report["verdict"])
        check(("D1", file) in rules, f"no D1 in {file}: {rules}")
        check(report["incomplete"] == [], report["incomplete"])
        check(all(access["line"] for finding in report["findings"]
                  for access in finding["accesses"]), "an access has no line")

    def expect_clean(self, program):
        report = self.run(program, 0, "--strict")
        check(report["verdict"] == "clean", report["verdict"])
        check(report["checked_accesses"] > 0, "no access was checked")

    def cmake(self, project, *options):
        build = self.work / "build"
        self.call("cmake", "-G", "Ninja", "-S", HERE / project, "-B", build, *options)
        self.call("cmake", "--build", build)
        return build

    # ------------------------------------------------------------------ cases
    def case_wrapper(self):
        """One command compiles and links."""
        self.call(self.wrapper, "-std=c++17", "-O1", "-g", "-Werror", HERE / "race.cu", "-o", "race")
        self.call(self.wrapper, "-std=c++17", "-DFIXED", HERE / "race.cu", "-o", "fixed")
        self.expect_race("./race")
        self.expect_clean("./fixed")

    def case_clang_config(self):
        """Plain clang with the config file, in one step and in two."""
        clang = [self.clang, "--config", self.config, "-Wno-unknown-cuda-version", "-std=c++17"]
        self.call(*clang, "-O1", HERE / "race.cu", "-o", "race")
        self.call(*clang, "-Werror", "-DFIXED", "-c", HERE / "race.cu", "-o", "fixed.o")
        self.call(*clang, "fixed.o", "-o", "fixed")
        self.expect_race("./race")
        self.expect_clean("./fixed")

    def case_make(self):
        makefile = HERE / "make" / "Makefile"
        self.call("make", "-f", makefile, f"SRC={HERE}", f"CUDA={self.cuda}", f"CXX={self.wrapper}")
        self.expect_race("./race")
        self.expect_clean("./fixed")

    def case_default_cmake(self):
        """A project that knows nothing of ScopeSan, with CMake's default runtime (static)."""
        build = self.cmake("default_cmake", f"-DCMAKE_CUDA_COMPILER={self.wrapper}")
        self.expect_race(build / "race")
        self.expect_clean(build / "fixed")
        self.expect_race(build / "mixed", file="library.cu")

    def case_toolchain_file(self):
        toolchain = self.prefix / "lib/cmake/ScopeSan/ScopeSanCompiler.cmake"
        build = self.cmake("default_cmake", f"-DCMAKE_TOOLCHAIN_FILE={toolchain}")
        self.expect_race(build / "race")

    def case_separable(self):
        """Separate device compilation, the documented way."""
        toolchain = self.prefix / "lib/cmake/ScopeSan/ScopeSanCompiler.cmake"
        build = self.cmake("separable", f"-DCMAKE_TOOLCHAIN_FILE={toolchain}")
        self.expect_clean(build / "program")

    def case_package(self):
        build = self.cmake("package", f"-DCMAKE_CUDA_COMPILER={self.wrapper}",
                           f"-DScopeSan_DIR={self.prefix}/lib/cmake/ScopeSan")
        self.expect_race(build / "race")
        self.call("ctest", "--test-dir", build, "--output-on-failure")

    def case_package_with_clang(self):
        """The package instruments a plain clang 22."""
        flags = ("--cuda-gpu-arch=sm_90 --no-cuda-gpu-arch=sm_52 -Wno-unknown-cuda-version "
                 f"--cuda-path={self.cuda}")
        build = self.cmake("package", f"-DCMAKE_CUDA_COMPILER={self.clang}",
                           "-DCMAKE_CUDA_ARCHITECTURES=90", f"-DCMAKE_CUDA_FLAGS={flags}",
                           f"-DCUDAToolkit_ROOT={self.cuda}",
                           f"-DScopeSan_DIR={self.prefix}/lib/cmake/ScopeSan")
        self.expect_race(build / "race")
        self.expect_clean(build / "fixed")

    def case_installed(self):
        """Everything again from an installation in another place."""
        self.prefix = self.work / "prefix"
        self.call("cmake", "--install", self.build_tree, "--prefix", self.prefix)
        self.call(self.prefix / "bin" / "scopesan", "doctor")
        self.call(self.wrapper, HERE / "race.cu", "-o", "race")
        self.expect_race("./race")
        self.check_nothing_of_the_build_tree()
        self.check_bare_start()
        self.case_package()

    def check_bare_start(self):
        """A bare program names the installation's collector to the GPU's driver."""
        library = self.prefix / "lib" / "libscopesan_gpu.so"
        if not library.exists():
            return  # built without the GPU backend
        source = self.work / "bare.cu"
        source.write_text("#include <stdio.h>\n#include <stdlib.h>\n"
                          'int main() { puts(getenv("CUDA_INJECTION64_PATH")); }\n')
        self.call(self.wrapper, source, "-o", "bare")
        named = self.call("./bare").strip()
        check(os.path.samefile(named, library), f"{named} is not {library}")

    def check_nothing_of_the_build_tree(self):
        """No path of the build tree is in the installed text files, nor in libraries' run paths."""
        build = str(self.build_tree.resolve())
        for path in self.prefix.rglob("*"):
            if path.is_file() and not path.is_symlink():
                check(build.encode() not in path.read_bytes(), f"{path} names {build}")

    def case_static_runtime(self):
        """A program with the CUDA runtime inside is refused, not run without the tool."""
        self.call(self.clang, "-Wno-unknown-cuda-version", f"--cuda-path={self.cuda}",
                  "--cuda-gpu-arch=sm_90", HERE / "race.cu", "-o", "static",
                  f"-L{self.cuda}/lib64", "-lcudart_static", "-ldl", "-lrt", "-lpthread")
        output = self.call(self.prefix / "bin" / "scopesan", "run", "--backend=cpu", "./static",
                           code=67)
        check("static" in output, "the message does not name the cause")

    def case_uninstrumented(self):
        """A program built without ScopeSan is told so."""
        self.call(self.clang, "-Wno-unknown-cuda-version", f"--cuda-path={self.cuda}",
                  "--cuda-gpu-arch=sm_90", HERE / "race.cu", "-o", "plain", f"-L{self.cuda}/lib64",
                  "-lcudart", f"-Wl,-rpath,{self.cuda}/lib64")
        done = subprocess.run([self.prefix / "bin" / "scopesan", "run", "--backend=cpu",
                               "--json=report.json", "./plain"], cwd=self.work)
        report = json.loads((self.work / "report.json").read_text())
        check(done.returncode not in (0, 66), f"exit code {done.returncode}")
        check(report["verdict"] == "incomplete", report["verdict"])
        check(any("without instrumentation" in entry["what"] for entry in report["incomplete"]),
              report["incomplete"])

    def case_bare_run(self):
        """Without `scopesan run`: the library itself prints the report at exit."""
        self.call(self.wrapper, HERE / "race.cu", "-o", "race")
        library = self.prefix / "lib" / "libscopesan_cpu.so"
        env = dict(os.environ, LD_PRELOAD=str(library), SCOPESAN_OPTIONS="json=report.json",
                   SCOPESAN_CODEGEN=str(self.prefix / "bin" / "scopesan-cpu-codegen"))
        output = self.call("./race", code=66, env=env)
        check("D1 data-race" in output, "no report")
        report = json.loads((self.work / "report.json").read_text())
        check(report["verdict"] == "findings", report["verdict"])

    def case_same_report(self):
        """Same binary, options and seed: the same bytes."""
        self.call(self.wrapper, "-O1", HERE / "race.cu", "-o", "race")
        reports = []
        for _ in range(3):
            self.run("./race", 66, "--seed=11")
            reports.append((self.work / "report.json").read_bytes())
        check(reports[0] == reports[1] == reports[2], "reports differ")

    def case_exit_codes(self):
        """What `scopesan run` does with programs that end in other ways."""
        tool = self.prefix / "bin" / "scopesan"
        run = [tool, "run", "--backend=cpu"]
        self.call(*run, "true", code=68)
        self.call(*run, "--strict", "true", code=69)
        self.call(*run, "--nothing-ran-exit-code=5", "true", code=5)
        self.call(*run, "sh", "-c", "exit 3", code=3)
        self.call(*run, "sh", "-c", "kill -SEGV $$", code=139)
        self.call(*run, "--timeout=1", "sleep", "1000", code=143)
        for wrong in (["no-such-program"], ["--sed=1", "true"], ["--seed=x", "true"], []):
            output = self.call(*run, *wrong, code=67)
            check(output.startswith("ScopeSan: "), output)
        if not os.path.exists("/dev/nvidiactl"):
            output = self.call(tool, "run", "--backend=gpu", "true", code=67)
            check("--backend=cpu" in output, "no way out is named")
        check("--seed=1" in self.call(tool, "run", "--help"), "help lacks the options")
        check("doctor" in self.call(tool, "--help"), "help lacks the commands")
        self.call(tool, "no-such-command", code=67)


def check(condition, message):
    if not condition:
        sys.exit(f"error: {message}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("case", choices=[name[5:] for name in dir(Consumer) if name.startswith("case_")])
    for name in ("prefix", "cuda", "work", "build"):
        parser.add_argument(f"--{name}", type=Path)
    parser.add_argument("--clang")
    args = parser.parse_args()
    getattr(Consumer(args), f"case_{args.case}")()


if __name__ == "__main__":
    main()
