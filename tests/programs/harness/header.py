"""The header comment of a test program: what each variant must, may and must not report.

The format is described in tests/programs/README.md. A header that says something unknown, names a
marker that no line carries, or contradicts itself is an error (HeaderError), never ignored.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

FINDING_RULES = {f"D{n}" for n in range(1, 13)}
MODEL_RULES = (FINDING_RULES | {f"P{n}" for n in range(1, 7)} | {f"O{n}" for n in range(1, 8)}
               | {f"S{n}" for n in range(1, 17)} | {"A1", "X1"})
BLAMING_RULES = {"D2", "D3", "D4"}
ADVISORIES = {"over-synchronized", "volatile-sync", "observation-only", "unordered-strong",
              "progress-not-promised", "non-atomic-memory"}
KINDS = {"load", "store", "rmw", "cas", "red", "copy", "fence", "alloc", "free", "enter",
         "exit"}
ORDERS = {"weak", "relaxed", "acquire", "release", "acq_rel", "sc"}
SCOPES = {"thread", "block", "cluster", "device", "system"}
HAZARDS = {"WAW", "RAW", "WAR"}
DISTANCES = {"same-thread", "same-warp", "same-block", "same-cluster", "same-grid",
             "between-kernels", "between-domains", "host-device", "host-threads"}
VERDICTS = {"clean", "findings", "incomplete"}
BACKENDS = {"cpu", "gpu"}
LABELS = ("ci", "full")


NOBODY = "nobody"  # the side of a finding that has no place: what a lifetime ended by


class HeaderError(Exception):
    """A header that cannot be used; the message says where and what to do."""


@dataclass(frozen=True)
class Operand:
    """One side of a pair: a marked line or an API call, and facts the access must state."""
    name: str  # marker without '@', the API's name, a library header's file name, or NOBODY
    is_api: bool = False
    facts: frozenset = frozenset()  # words of KINDS, ORDERS, SCOPES, or "<n>B"
    is_library: bool = False
    function: str | None = None  # of a library: the function that the file's innermost frame is in

    def __str__(self):
        facts = f"({','.join(sorted(self.facts))})" if self.facts else ""
        kind = "api:" if self.is_api else "lib:" if self.is_library else ""
        return kind + self.name + (f":{self.function}" if self.function else "") + facts


@dataclass(frozen=True)
class Expectation:
    """A `require` or `allow` line. None means: not checked."""
    rule: str
    first: Operand
    second: Operand
    blame: frozenset | None = None  # of (marker, needed scope)
    memory: str | None = None       # a variable's name or a kind of memory
    distance: str | None = None
    hazard: str | None = None
    function: str | None = None
    seeds: int = 1                  # found at least once in that many runs; 1 = in every run

    def __str__(self):
        text = f"{self.rule} {self.first} {self.second}"
        if self.blame:
            text += " blame=" + ",".join(f"{m}:{s}" for m, s in sorted(self.blame))
        for key in ("memory", "distance", "hazard", "function"):
            if getattr(self, key):
                text += f" {key}={getattr(self, key)}"
        return text + (f" seeds={self.seeds}" if self.seeds > 1 else "")


@dataclass(frozen=True)
class Advice:
    """An `advise` or `may-advise` line; without operands it stands for all of its name."""
    name: str
    first: Operand | None = None
    second: Operand | None = None  # None beside `first`: the advice is about one operation
    needs: str | None = None       # over-synchronized: the scope that suffices, or "nothing"
    seeds: int = 1

    def __str__(self):
        operands = "".join(f" {o}" for o in (self.first, self.second) if o)
        needs = f" needs={self.needs}" if self.needs else ""
        seeds = f" seeds={self.seeds}" if self.seeds > 1 else ""
        return f"A1 {self.name}{operands}{needs}{seeds}"


@dataclass
class Variant:
    name: str
    flags: list
    verdict: str | None = None
    require: list = field(default_factory=list)
    allow: list = field(default_factory=list)
    advise: list = field(default_factory=list)
    may_advise: list = field(default_factory=list)
    chains: list = field(default_factory=list)  # of tuples of markers, innermost first
    incomplete: list = field(default_factory=list)
    may_be_incomplete: list = field(default_factory=list)
    exit: int | None = 0  # None: any
    output: list = field(default_factory=list)
    options: list = field(default_factory=list)
    args: list = field(default_factory=list)
    backends: set = field(default_factory=lambda: set(BACKENDS))
    labels: set = field(default_factory=lambda: set(LABELS))
    proof: list = field(default_factory=list)
    litmus: list = field(default_factory=list)  # ids of litmus rows that the variant is
    why: str = ""


@dataclass
class Unit:
    path: Path
    instrumented: bool = True


@dataclass
class Program:
    name: str
    path: Path
    title: str
    units: list
    variants: list
    markers: dict  # marker -> set of (file name, line)


MAGIC = re.compile(r"^// scopesan-test:\s*(.*\S)\s*$")
OPERAND = re.compile(r"^(?:(api|lib):)?([\w.]+)(?::(\w+))?(?:\(([\w,]*)\))?$")


def has_header(path):
    """True if the file is a test program, not a further unit of one."""
    with open(path, encoding="utf-8") as file:
        return MAGIC.match(file.readline()) is not None


def find_markers(path):
    """All `// @name` comments of a file as (name, line)."""
    found = []
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, start=1):
        code, slashes, comment = line.partition("//")
        if code.strip() and slashes:
            found += [(name, number) for name in re.findall(r"(?<![\w@])@(\w+)", comment)]
    return found


def parse_program(path):
    """Reads a program's header and markers. Raises HeaderError."""
    path = Path(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    magic = MAGIC.match(lines[0]) if lines else None
    if not magic:
        raise HeaderError(f"{path}:1: a test program starts with '// scopesan-test: <what it is>'")
    program = Program(path.stem, path, magic.group(1), [Unit(path)], [], {})
    for number, text in _statements(path, lines):
        try:
            _parse_line(program, text.split(), text)
        except HeaderError as error:
            raise HeaderError(f"{path}:{number}: {error}") from None
    for unit in program.units:
        for name, line in find_markers(unit.path):
            program.markers.setdefault(name, set()).add((unit.path.name, line))
    try:
        _check(program)
    except HeaderError as error:
        raise HeaderError(f"{path}: {error}") from None
    return program


def _statements(path, lines):
    """The header's statements after the first as (line number, text); '...' continues one."""
    statements = []
    for number, line in enumerate(lines[1:], start=2):
        if not line.startswith("//"):
            break
        text = line[2:].strip()
        if text.startswith("..."):
            if not statements:
                raise HeaderError(f"{path}:{number}: nothing to continue")
            first, begun = statements.pop()
            statements.append((first, begun + " " + text[3:].strip()))
        elif text:
            statements.append((number, text))
    return statements


def _parse_line(program, words, text):
    keyword, rest = words[0], words[1:]
    if keyword == "unit":
        _parse_unit(program, rest)
    elif keyword == "variant":
        if not rest:
            raise HeaderError("'variant' needs a name")
        if any(v.name == rest[0] for v in program.variants):
            raise HeaderError(f"variant '{rest[0]}' is described twice")
        program.variants.append(Variant(rest[0], rest[1:]))
    elif program.variants:
        parse = _VARIANT_LINES.get(keyword)
        if not parse:
            raise HeaderError(f"unknown keyword '{keyword}'; known: "
                              + ", ".join(sorted(_VARIANT_LINES)))
        parse(program.variants[-1], rest, text[len(keyword):].strip())
    # Lines before the first variant that are no 'unit' line are free text.


def _parse_unit(program, rest):
    if not rest or len(rest) > 2 or (len(rest) == 2 and rest[1] != "plain"):
        raise HeaderError("write 'unit FILE' or 'unit FILE plain'")
    path = program.path.parent / rest[0]
    if not path.exists():
        raise HeaderError(f"unit {rest[0]} does not exist")
    program.units.append(Unit(path, instrumented=len(rest) == 1))


def _parse_operand(text):
    match = OPERAND.match(text)
    kind, name, function, words = match.groups() if match else (None,) * 4
    if not match or (kind != "lib" and ("." in name or function)):
        raise HeaderError(f"'{text}' is no operand; write marker, marker(fact,...), api:name, "
                          "lib:header.h or lib:header.h:function")
    facts = frozenset(filter(None, (words or "").split(",")))
    unknown = [f for f in facts
               if f not in KINDS | ORDERS | SCOPES and not re.fullmatch(r"\d+B", f)]
    if unknown:
        raise HeaderError(f"unknown fact '{unknown[0]}' in '{text}'")
    return Operand(name, kind == "api", facts, kind == "lib", function)


def _parse_blame(text):
    blame = set()
    for item in text.split(","):
        marker, _, scope = item.partition(":")
        if scope not in SCOPES:
            raise HeaderError(f"'{item}' must be marker:scope")
        blame.add((marker, scope))
    return frozenset(blame)


def _one_of(values, what):
    def parse(text):
        if text not in values:
            raise HeaderError(f"{what} '{text}' is none of {', '.join(sorted(values))}")
        return text
    return parse


def _parse_count(text):
    if not text.isdigit() or int(text) < 2:
        raise HeaderError("seeds=N needs N > 1 (found in every run is the default)")
    return int(text)


_ATTRIBUTES = {"blame": _parse_blame, "memory": str, "function": str, "seeds": _parse_count,
               "needs": _one_of(SCOPES | {"nothing"}, "needed scope"),
               "distance": _one_of(DISTANCES, "distance"), "hazard": _one_of(HAZARDS, "hazard")}


def _parse_attributes(words, known):
    attributes = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not value or key not in known:
            raise HeaderError(f"'{word}' is none of {', '.join(k + '=...' for k in sorted(known))}")
        if key in attributes:
            raise HeaderError(f"'{key}' is given twice")
        attributes[key] = _ATTRIBUTES[key](value)
    return attributes


def _parse_expectation(words):
    if len(words) < 3:
        raise HeaderError("write RULE FIRST SECOND [blame=...] [memory=...] [distance=...] "
                          "[hazard=...] [function=...] [seeds=...]")
    rule = _one_of(FINDING_RULES, "rule")(words[0])
    expectation = Expectation(rule, _parse_operand(words[1]), _parse_operand(words[2]),
                              **_parse_attributes(words[3:], set(_ATTRIBUTES) - {"needs"}))
    if expectation.blame and rule not in BLAMING_RULES:
        raise HeaderError(f"{rule} blames nothing")
    return expectation


def _parse_required(words):
    expectation = _parse_expectation(words)
    if expectation.rule in BLAMING_RULES and not expectation.blame:
        raise HeaderError(f"a required {expectation.rule} must say blame=marker:needed-scope,...")
    return expectation


def _parse_advice(words):
    name = _one_of(ADVISORIES, "advisory")(words[0] if words else "")
    operands = [_parse_operand(word) for word in words[1:] if "=" not in word]
    about_one = name == "over-synchronized"
    attributes = _parse_attributes([word for word in words[1:] if "=" in word],
                                   {"seeds", "needs"} if about_one else {"seeds"})
    if len(operands) not in (0, 1 if about_one else 2):
        raise HeaderError(f"{name} has no operands or {'one' if about_one else 'two'}")
    return Advice(name, *operands, **attributes)


def _set_verdict(variant, words, _):
    if variant.verdict:
        raise HeaderError("the verdict is given twice")
    variant.verdict = _one_of(VERDICTS, "verdict")(" ".join(words))


def _set_exit(variant, words, _):
    if len(words) != 1 or not (words[0] == "any" or words[0].isdigit()):
        raise HeaderError("write 'exit N' or 'exit any'")
    variant.exit = None if words[0] == "any" else int(words[0])


def _set_backends(variant, words, _):
    variant.backends = {_one_of(BACKENDS, "backend")(word) for word in words}


def _set_label(variant, words, _):
    if words != ["full"]:
        raise HeaderError("write 'label full': the variant is left out of label ci")
    variant.labels = {"full"}


def _add_proof(variant, words, _):
    variant.proof += [_one_of(MODEL_RULES, "model rule")(word) for word in words]


def _add_why(variant, _, text):
    variant.why = (variant.why + " " + text).strip()


def _add_text(attribute):
    def add(variant, words, text):
        if not words:
            raise HeaderError("a text is missing")
        getattr(variant, attribute).append(text)
    return add


_VARIANT_LINES = {
    "verdict": _set_verdict,
    "require": lambda v, words, _: v.require.append(_parse_required(words)),
    "allow": lambda v, words, _: v.allow.append(_parse_expectation(words)),
    "advise": lambda v, words, _: v.advise.append(_parse_advice(words)),
    "may-advise": lambda v, words, _: v.may_advise.append(_parse_advice(words)),
    "chain": lambda v, words, _: v.chains.append(tuple(words)),
    "incomplete": _add_text("incomplete"),
    "may-be-incomplete": _add_text("may_be_incomplete"),
    "exit": _set_exit,
    "output": _add_text("output"),
    "options": lambda v, words, _: v.options.extend(words),
    "args": lambda v, words, _: v.args.extend(words),
    "backends": _set_backends,
    "label": _set_label,
    "proof": _add_proof,
    "litmus": lambda v, words, _: v.litmus.extend(words),
    "why": _add_why,
}


def _check(program):
    if not program.variants:
        raise HeaderError("no variant is described")
    _check_labels(program)
    for variant in program.variants:
        try:
            _check_variant(variant, program.markers)
        except HeaderError as error:
            raise HeaderError(f"variant '{variant.name}': {error}") from None


def _check_labels(program):
    """Label ci keeps what is clean and what is not of each program."""
    for clean in (True, False):
        labels = [v.labels for v in program.variants if (v.verdict == "clean") == clean]
        if labels and not any("ci" in of for of in labels):
            kind = "clean" if clean else "faulty"
            raise HeaderError(f"'label full' leaves no {kind} variant to label ci")


def _check_variant(variant, markers):
    if not variant.verdict:
        raise HeaderError("no verdict")
    if not variant.proof:
        raise HeaderError("no proof: name the rules of model.md that decide the verdict")
    always = [e for e in variant.require if e.seeds == 1]
    if variant.verdict == "findings" and not always:
        raise HeaderError("verdict 'findings' needs a 'require' line that holds in every run")
    if variant.verdict != "findings" and variant.require + variant.allow:
        raise HeaderError(f"verdict '{variant.verdict}' excludes 'require' and 'allow' lines")
    if (variant.verdict == "incomplete") != bool(variant.incomplete) \
            and variant.verdict != "findings":
        raise HeaderError("verdict 'incomplete' and 'incomplete' lines go together")
    used = set()
    for line in variant.require + variant.allow + variant.advise + variant.may_advise:
        used |= {o.name for o in (line.first, line.second)
                 if o and not o.is_api and not o.is_library} - {NOBODY}
        used |= {marker for marker, _ in getattr(line, "blame", None) or ()}
    for chain in variant.chains:
        used |= set(chain)
    for marker in sorted(used - set(markers)):
        raise HeaderError(f"no line carries the marker '// @{marker}'")
