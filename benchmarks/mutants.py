"""Mutation tests: small changes to the package's source, and which of them the tests notice.

``python benchmarks/mutants.py --n 400 --out mutants.jsonl`` draws changes (seeded), applies each to a copy
of the checkout and runs tests until one fails: first default tests, for survivors those of all tiers. A run
that was stopped goes on where it was; every line of the file is one mutant. ``--table`` prints what the
file holds.

Tests are chosen by the name of the changed function or class, or of public ones of its module that use it:
files that mention it, those of the same room first, and the contract suite's cases of that name. ``--record
FILE`` runs all default tests once with coverage per test; with such a file, tests are those that run the
changed line, a few of the same room first. Changes in ``_kernels`` run without compilation. A mutant under
which the tests hang counts as killed. ``--part 1/2`` takes every second mutant, for two processes.
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "moo_clustering"
DEFAULT, SLOW = "not slow and not nightly", "(slow or nightly) and not browser"

ARITHMETIC = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
COMPARISONS = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
# A test hangs when it goes on for so many times the limit of a whole run; by the clock, for still more.
HANG, SLEEP = 4, 40
# Names that so many test files have are words, and say nothing.
COMMON = 40
# Tests of a line that are tried first, and seconds and number of those that are tried next.
FEW, MINUTE, MANY = 12, 60.0, 1500

# Names of calls whose arguments are words for the user.
NO_SWAP = {
    "isinstance",
    "getattr",
    "hasattr",
    "setattr",
    "max",
    "min",
    "maximum",
    "minimum",
    "union",
    "array_equal",
}
MESSAGES = {"warn", "echo", "secho", "cast", "TypeVar", "NamedTuple", "did_you_mean"}


# Imported once, before the processes that run tests are forked.
PRELOADED = (
    "hypothesis",
    "matplotlib.pyplot",
    "pandas",
    "pymoo.core.problem",
    "pytest",
    "scipy.stats",
    "sklearn.utils.estimator_checks",
)


@dataclass(frozen=True)
class Mutant:
    """One change: the bytes of the source between two places become another text."""

    file: str
    line: int
    kind: str
    name: str  # of the function or class at the top level of the module around it
    start: int
    stop: int
    before: str
    after: str

    @property
    def key(self) -> str:
        return f"{self.file}:{self.start}:{self.kind}:{self.after}"


class Finder(ast.NodeVisitor):
    """Every change that could be made to one module."""

    def __init__(self, file: str, source: str) -> None:
        self.file, self.source = file, source.encode()
        self.offsets = [0]
        for line in self.source.splitlines(keepends=True):
            self.offsets.append(self.offsets[-1] + len(line))
        self.top = ""
        self.found: list[Mutant] = []
        for statement in ast.parse(source).body:
            self.top = getattr(statement, "name", "")
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                self.top = statement.targets[0].id
            self.visit(statement)

    def add(self, kind: str, node: ast.AST, after: ast.AST | str) -> None:
        start = self.offsets[node.lineno - 1] + node.col_offset
        stop = self.offsets[node.end_lineno - 1] + node.end_col_offset
        before = self.source[start:stop].decode()
        text = after if isinstance(after, str) else ast.unparse(after)
        if text != ast.unparse(node):
            text = f"({text})" if isinstance(after, ast.expr) else text
            self.found.append(Mutant(self.file, node.lineno, kind, self.top, start, stop, before, text))

    def changed(self, node: ast.AST, **fields: object) -> ast.AST:
        other = copy.copy(node)
        for name, value in fields.items():
            setattr(other, name, value)
        return other

    # Nodes without behaviour.

    def visit_Raise(self, node: ast.Raise) -> None: ...

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None: ...

    def visit_Import(self, node: ast.Import) -> None: ...

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None: ...

    def visit_arg(self, node: ast.arg) -> None: ...

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for default in [*node.args.defaults, *filter(None, node.args.kw_defaults)]:
            self.visit(default)
        for statement in node.body:
            self.visit(statement)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for statement in node.body:
            self.visit(statement)

    # Changes.

    def visit_If(self, node: ast.If) -> None:
        if "TYPE_CHECKING" in ast.dump(node.test):
            return
        self.add("negated condition", node.test, ast.UnaryOp(ast.Not(), node.test))
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self.add("negated condition", node.test, ast.UnaryOp(ast.Not(), node.test))
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        other = ARITHMETIC.get(type(node.op))
        # A union of types, not of sets.
        if other and not (isinstance(node.op, ast.BitOr) and "None" in ast.unparse(node)):
            self.add("arithmetic", node, self.changed(node, op=other()))
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        other = ARITHMETIC.get(type(node.op))
        if other:
            self.add("arithmetic", node, self.changed(node, op=other()))
        self.add("deleted statement", node, "pass")
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        if len(node.ops) == 1:
            self.add("comparison", node, self.changed(node, ops=[COMPARISONS[type(node.ops[0])]()]))
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        self.add("and/or", node, self.changed(node, op=other))
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not | ast.USub):
            self.add("dropped sign or not", node, node.operand)
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self.add("constant", node, repr(not node.value))
        elif isinstance(node.value, int):
            self.add("constant", node, repr(node.value + 1))
        elif isinstance(node.value, float):
            self.add("constant", node, repr(node.value * 2 or 1.0))

    def visit_Call(self, node: ast.Call) -> None:
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name in MESSAGES:
            return
        plain = [argument for argument in node.args if not isinstance(argument, ast.Starred)]
        if len(plain) == len(node.args) >= 2 and name not in NO_SWAP:
            swapped = [node.args[1], node.args[0], *node.args[2:]]
            self.add("swapped arguments", node, self.changed(node, args=swapped))
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):
            return
        name = getattr(getattr(node.value, "func", None), "attr", "")
        if isinstance(node.value, ast.Call) and name not in MESSAGES:
            self.add("deleted statement", node, "pass")
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        if isinstance(node.targets[0], ast.Name) and node.targets[0].id in ("__all__", "__version__"):
            return
        if isinstance(node.targets[0], ast.Attribute | ast.Subscript):
            self.add("deleted statement", node, "pass")
        self.visit(node.value)

    def visit_Return(self, node: ast.Return) -> None:
        if node.value is not None:
            if not (isinstance(node.value, ast.Constant) and node.value.value is None):
                self.add("return value", node, "return None")
            self.visit(node.value)


def draw(n: int, seed: int, only: str) -> list[Mutant]:
    """Mutants drawn without replacement, of all kinds about as many."""
    kinds = defaultdict(list)
    for path in sorted((ROOT / PACKAGE).rglob("*.py")):
        file = path.relative_to(ROOT).as_posix()
        if re.search(only, file):
            for mutant in Finder(file, path.read_text(encoding="utf-8")).found:
                kinds[mutant.kind].append(mutant)
    rng = random.Random(seed)
    for mutants in kinds.values():
        rng.shuffle(mutants)
    order = []
    while kinds and len(order) < n:
        for kind in sorted(kinds):
            order.append(kinds[kind].pop())
            if not kinds[kind]:
                del kinds[kind]
    return order[:n]


class Tests:
    """Choice of the test files that a mutant is tried on."""

    def __init__(self, record: Path | None) -> None:
        self.words = {
            path.relative_to(ROOT).as_posix(): set(re.findall(r"\w+", path.read_text(encoding="utf-8")))
            for path in sorted((ROOT / "tests").rglob("test_*.py"))
        }
        self.uses = {
            (path.relative_to(ROOT).as_posix(), node.name): {
                getattr(inner, "id", getattr(inner, "attr", "")) for inner in ast.walk(node)
            }
            for path in (ROOT / PACKAGE).rglob("*.py")
            for node in ast.parse(path.read_text(encoding="utf-8")).body
            if isinstance(node, ast.FunctionDef | ast.ClassDef)
        }
        self.record = json.loads(record.read_text()) if record and record.exists() else None

    def of(self, mutant: Mutant) -> Iterator[tuple[str, str, list[str]]]:
        """Name and mark of a tier, and arguments of pytest, for one run after another."""
        names = self._names(mutant)
        files = [file for file, words in self.words.items() if words & names]
        contract = [file for file in self.words if file.startswith("tests/contract/")]
        cases = [*contract, "-k", " or ".join(sorted(names))]
        mentioned = self._sorted(mutant, [file for file in files if file not in contract])
        if self.record and "_kernels" not in mutant.file:
            covering = self.record["lines"].get(mutant.file, {})
            # A line at the top of a module runs when it is imported, in no test.
            found = covering.get(str(mutant.line)) or sorted(set().union(*covering.values()))
            found = self._sorted(mutant, found)
            near, few = {test.split("::")[0] for test in found[:FEW]}, found[: 2 * FEW]
            few = [test for test in few if test.split("::")[0] in near]
            # Without arguments pytest would run them all.
            yield from (("default", DEFAULT, some) for some in (few, self._within(set(few), found)) if some)
        else:
            if mentioned:
                yield "default", DEFAULT, mentioned
            yield "default", DEFAULT, cases
        if mentioned:
            yield "all", SLOW, mentioned
        yield "all", SLOW, cases

    def _sorted(self, mutant: Mutant, tests: list[str]) -> list[str]:
        """Those of the same module and room first, quick ones before slow ones."""
        parts = Path(mutant.file).with_suffix("").parts[1:]
        seconds = (self.record or {}).get("seconds", {})

        def place(test: str) -> tuple[bool, bool, float]:
            return parts[-1].strip("_") not in test, parts[0] not in test, seconds.get(test, 0.0)

        return sorted(tests, key=place)

    def _within(self, tried: set[str], tests: list[str]) -> list[str]:
        """Further tests, the quickest first, until they take a minute."""
        seconds, total, found = self.record["seconds"], 0.0, []
        for test in sorted(set(tests) - tried, key=lambda test: seconds.get(test, 0.0)):
            total += seconds.get(test, 0.0)
            if total > MINUTE or len(found) == MANY:
                break
            found.append(test)
        return sorted(found)

    def _names(self, mutant: Mutant) -> set[str]:
        """The public name around the change and those that use it, until four test files mention them."""
        names, mentioned = {mutant.name or Path(mutant.file).stem}, set().union(*self.words.values())
        found: set[str] = set()
        module = {name for file, name in self.uses if file == mutant.file}
        for _ in range(6):
            found |= {
                name
                for name in names & mentioned
                if not name.startswith("_") and sum(name in words for words in self.words.values()) <= COMMON
            }
            if sum(bool(words & found) for words in self.words.values()) >= 4:
                break
            users = {
                name
                for (file, name), used in self.uses.items()
                # A private name belongs to its file; public ones are looked for in the whole package.
                if used & {one for one in names if file == mutant.file or not one.startswith("_")}
            }
            names = users or module
        return found or names


class FirstFailure:
    """Plugin of pytest that keeps the name of the test that failed and ends the run when time is over."""

    def __init__(self, limit: float) -> None:
        self.limit, self.failed, self.over = limit, "", False

    def pytest_runtest_protocol(self, item) -> None:
        if time.process_time() > self.limit and not self.failed:
            self.over, item.session.shouldstop = True, "the time is over"

    def pytest_runtest_logreport(self, report) -> None:
        if report.failed and not self.failed:
            self.failed = report.nodeid

    def pytest_collectreport(self, report) -> None:
        if report.failed and not self.failed:
            self.failed = report.nodeid


class Worker:
    """A copy of the checkout in which mutants are tried, each in a forked process."""

    def __init__(self, folder: Path, deselected: set[str]) -> None:
        self.folder, self.deselected = folder, deselected
        files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
        for name in files.decode().rstrip("\0").split("\0"):
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target, follow_symlinks=False)
        compiled = Path(PACKAGE, "_kernels", "__pycache__")
        if (ROOT / compiled).exists():
            shutil.copytree(ROOT / compiled, folder / compiled)
        self.times = 0
        os.environ.setdefault("MOO_CLUSTERING_DATA", str(ROOT.parent / "shared" / "data"))
        os.environ["PYTHONPATH"] = str(folder)
        for name in PRELOADED:
            importlib.import_module(name)

    def run(self, arguments: list[str], tier: str, limit: float, interpreted: bool) -> tuple[str, str]:
        """ "killed", "survived", "time-out" or "no test"; and the test that failed."""
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.setsid()
            os.close(reading)
            # Processor time is limited, so that a busy machine hangs no mutant; sleep counts by the clock.
            resource.setrlimit(resource.RLIMIT_CPU, (int(HANG * limit), int(HANG * limit)))
            null = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(null, stream)
            os._exit(self._child(arguments, tier, interpreted, limit, writing))
        os.close(writing)
        until = time.monotonic() + SLEEP * limit
        status = None
        while time.monotonic() < until:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                break
            time.sleep(0.05)
        else:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            os.close(reading)
            return "time-out", ""
        with os.fdopen(reading) as stream:
            failed = stream.read()
        code = os.waitstatus_to_exitcode(status)
        if code in (-signal.SIGXCPU, -signal.SIGKILL):
            return "time-out", ""
        return {0: "survived", 5: "no test"}.get(code, "killed"), failed

    def _child(self, arguments: list[str], tier: str, interpreted: bool, limit: float, writing: int) -> int:
        os.chdir(self.folder)
        sys.path.insert(0, str(self.folder))
        if interpreted:
            import numba

            os.environ["NUMBA_DISABLE_JIT"] = "1"
            numba.config.DISABLE_JIT = True
        import pytest

        plugin = FirstFailure(time.process_time() + limit)
        options = ["-x", "-q", "-n0", "-p", "no:cacheprovider", "-m", tier, "--no-header"]
        options += [f"--deselect={name}" for name in sorted(self.deselected)]
        code = pytest.main([*options, *arguments], plugins=[plugin])
        os.write(writing, plugin.failed.encode()[:4000])
        return 0 if plugin.over and not plugin.failed else int(code)

    def apply(self, mutant: Mutant | None, file: str) -> None:
        """Write the changed file, or without a mutant the file as it was."""
        if mutant is None:
            shutil.copy2(ROOT / file, self.folder / file)
            return
        source = (ROOT / file).read_bytes()
        changed = source[: mutant.start] + mutant.after.encode() + source[mutant.stop :]
        (self.folder / file).write_bytes(changed)
        # Compiled modules are told apart by time and size: no two changes may have the same.
        self.times += 1
        os.utime(self.folder / file, (self.times, self.times))


class Baseline:
    """How tests fare without a mutant: only what passes, in time, can kill one."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self.known: dict[tuple[object, ...], bool] = {}

    def passes(self, mutant: Mutant, arguments: list[str], tier: str, limit: float) -> bool:
        interpreted = "_kernels" in mutant.file
        key = (*arguments, tier, interpreted)
        if key not in self.known:
            self.worker.apply(None, mutant.file)
            outcome, _ = self.worker.run(arguments, tier, limit, interpreted)
            self.worker.apply(mutant, mutant.file)
            self.known[key] = outcome in ("survived", "no test")
        return self.known[key]


def try_one(
    worker: Worker, tests: Tests, baseline: Baseline, mutant: Mutant, limit: float
) -> dict[str, object]:
    """How a mutant fared: the tier and the test that killed it, or neither."""
    began = time.monotonic()
    worker.apply(mutant, mutant.file)
    fate, test = "survived", ""
    for name, tier, arguments in tests.of(mutant):
        while True:
            outcome, test = worker.run(arguments, tier, limit, "_kernels" in mutant.file)
            if (
                outcome != "killed"
                or "::" not in test
                or baseline.passes(mutant, [test], "browser or not browser", 600)
            ):
                break
            worker.deselected.add(test)
        if outcome == "time-out" and not baseline.passes(mutant, arguments, tier, limit):
            outcome = "survived"
        if outcome in ("killed", "time-out"):
            fate = f"{outcome} by {name}"
            break
    worker.apply(None, mutant.file)
    return {**asdict(mutant), "fate": fate, "test": test, "seconds": round(time.monotonic() - began, 1)}


def record(path: Path) -> None:
    """Run the default tests with coverage per test, and write which lines each of them runs."""
    import coverage

    with tempfile.TemporaryDirectory() as folder:
        data, report = Path(folder, "coverage"), Path(folder, "seconds.xml")
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--cov-fail-under=0"]
        command += [f"--cov={PACKAGE}", "--cov-context=test", "--cov-report=", f"--junitxml={report}"]
        environment = os.environ | {"COVERAGE_FILE": str(data)}
        subprocess.run([*command, "-o", "junit_family=xunit1"], cwd=ROOT, env=environment, check=False)
        measured = coverage.CoverageData(str(data))
        measured.read()
        cases = ElementTree.parse(report).iter("testcase")
        seconds = {
            f"{case.get('file')}::{case.get('name')}": float(case.get("time"))
            for case in cases  # of the functions of modules; those of classes count as quick
        }
        lines = {
            Path(file).relative_to(ROOT).as_posix(): {
                line: sorted({name.split("|")[0] for name in names if name})
                for line, names in measured.contexts_by_lineno(file).items()
            }
            for file in measured.measured_files()
        }
    path.write_text(json.dumps({"lines": lines, "seconds": seconds}))


def table(results: list[dict[str, object]]) -> Iterator[str]:
    """Numbers per fate and room, then every survivor with its place and its change."""
    fates = Counter(result["fate"] for result in results)
    yield f"{len(results)} mutants: " + ", ".join(f"{n} {fate}" for fate, n in fates.most_common())
    by_room = defaultdict(Counter)
    for result in results:
        by_room[str(result["file"]).split("/")[1]][str(result["fate"]).split(" by ")[-1]] += 1
    for room, counts in sorted(by_room.items()):
        yield f"  {room:<20}" + "".join(
            f" {fate} {counts[fate]:>4} " for fate in ("default", "all", "survived")
        )
    for result in results:
        if result["fate"] == "survived":
            before, after = (" ".join(str(result[name]).split()) for name in ("before", "after"))
            yield f"{result['file']}:{result['line']} {result['kind']}: {before[:70]} -> {after[:70]}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--n", type=int, default=100, help="number of mutants")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="regular expression for files")
    parser.add_argument(
        "--out", type=Path, default=Path("mutants.jsonl"), help="file of results; it is gone on with"
    )
    parser.add_argument(
        "--limit", type=float, default=20.0, help="seconds of processor time for a run of tests"
    )
    parser.add_argument("--record", type=Path, help="coverage per test; made where it does not exist")
    parser.add_argument("--part", default="1/1", help="which of how many parts, such as 2/3")
    parser.add_argument("--table", action="store_true", help="only print what the file holds")
    options = parser.parse_args()
    done = {}
    if options.out.exists():
        for line in options.out.read_text().splitlines():
            result = json.loads(line)
            done[Mutant(**{name: result[name] for name in Mutant.__annotations__}).key] = result
    if not options.table:
        if options.record and not options.record.exists():
            record(options.record)
        tests = Tests(options.record)
        with tempfile.TemporaryDirectory() as folder, options.out.open("a") as out:
            worker = Worker(Path(folder), set())
            baseline = Baseline(worker)
            part, parts = map(int, options.part.split("/"))
            for mutant in draw(options.n, options.seed, options.only)[part - 1 :: parts]:
                if mutant.key not in done:
                    done[mutant.key] = try_one(worker, tests, baseline, mutant, options.limit)
                    print(json.dumps(done[mutant.key]), file=out, flush=True)
    print("\n".join(table(list(done.values()))))


if __name__ == "__main__":
    main()
