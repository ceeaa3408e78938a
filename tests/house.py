"""The shape of the package in numbers: size of modules, imports between rooms, files that one fit enters.

``python -m tests.house`` prints the table; JUnit files (``TIER=FILE``) add the time of the tests of a tier.
``python -m tests.house --map`` prints every module with the first line of its docstring.
``tests/test_house.py`` holds the limits.
"""

from __future__ import annotations

import argparse
import ast
import gc
import re
import statistics
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "moo_clustering"

# Rooms import from the lines above their own, and within their line; `papers` imports anything.
ORDER = [
    {"_arrays", "_data", "_docs", "_messages", "_targets", "_types", "_parallel"},
    {"_kernels"},
    {"_distances", "persistence", "stats", "features", "parts"},
    {"constraints", "factorization", "subspace", "diversity"},
    {"graphs", "bags"},
    {"encodings", "datasets"},
    {"validity", "pool"},
    {"problems", "evidence"},
    {"operators", "consensus", "fronts", "interactive"},
    {"algorithms"},
    {"controls", "results", "descriptions", "drift"},
    {"rules"},
    {"estimators"},
    {"visualization"},
    {"studies"},
    {"cli"},
]
# An import that may be of a private module.
PRIVATE = re.compile(rf"{PACKAGE}[\w.]*(\._|\s+import\s+(\([^)]*?|[^(\n]*?)\b_)")
LEVEL = {room: level for level, rooms in enumerate(ORDER) for room in rooms}

# Runs whose files are counted: those that hold a function which the run calls.
RUNS = {
    "fit table.csv": """
import tempfile
from moo_clustering.cli import main
def run():
    with tempfile.TemporaryDirectory() as folder:
        main(["fit", "examples/table.csv", "--out", folder + "/out"])
""",
    "ParetoClustering.fit": """
from sklearn.datasets import load_iris
from moo_clustering import ParetoClustering
def run():
    ParetoClustering(random_state=0).fit(load_iris().data)
""",
    "NSGA2Clus.fit": """
from sklearn.datasets import load_iris
from moo_clustering import NSGA2Clus
def run():
    NSGA2Clus(pop_size=12, n_gen=3, random_state=0).fit(load_iris().data)
""",
}
COUNT_FILES = """
import inspect, sys, threading, warnings
warnings.simplefilter("ignore")
package = __import__("moo_clustering").__path__[0]
# Kernels count as called where Python code calls them, whether or not they are compiled.
__import__("moo_clustering._kernels.caching")._kernels.caching._INTERPRETED = 0
entered = set()
def imports(frame):
    while frame and (frame.f_code.co_name != "<module>" or frame.f_code.co_filename == "<string>"):
        frame = frame.f_back
    return frame is not None
def profile(frame, event, argument):
    name = frame.f_code.co_filename
    # Functions alone: the bodies of modules and classes run when they are imported.
    if event == "call" and frame.f_code.co_flags & inspect.CO_OPTIMIZED:
        if name.startswith(package) and name not in entered and not imports(frame):
            entered.add(name)
threading.setprofile(profile)
sys.setprofile(profile)
try:
    run()
except SystemExit:
    pass
sys.setprofile(None)
print("entered", len(entered))
"""


@dataclass(frozen=True)
class Module:
    """A source file of the package."""

    name: str  # with dots; a package for its `__init__`
    path: Path

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        return parsed(self.text)

    @property
    def is_init(self) -> bool:
        return self.path.name == "__init__.py"

    @property
    def room(self) -> str:
        return self.name.split(".")[1] if "." in self.name else ""

    @property
    def n_lines(self) -> int:
        return self.text.count("\n")

    def line_counts(self) -> tuple[int, int, int]:
        """Numbers of lines of code, of comments alone on their line, and of imports, nested ones too.

        Docstrings, empty lines and lines with nothing but a comment are no code; imports are.
        """
        docstrings, imports = set(), set()
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                imports.update(range(node.lineno, node.end_lineno + 1))
            elif isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node):
                docstrings.update(range(node.body[0].lineno, node.body[0].end_lineno + 1))
        lines = {
            number: line.strip()
            for number, line in enumerate(self.text.splitlines(), 1)
            if line.strip() and number not in docstrings
        }
        comments = {number for number, line in lines.items() if line.startswith("#")}
        code = lines.keys() - comments
        return len(code), len(comments), len(code & imports)


def parsed(text: str) -> ast.Module:
    """A syntax tree; looking for garbage among its many new objects would take twice as long as parsing."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        return ast.parse(text)
    finally:
        if was_on:
            gc.enable()


@cache
def modules(package: str = PACKAGE) -> dict[str, Module]:
    """All modules of a package, by their names with dots."""
    found = {}
    for path in sorted((ROOT / package).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = Module(name, path)
    return found


def imported(tree: ast.Module, known: dict[str, Module], *, types: bool = False) -> Iterator[tuple[str, int]]:
    """Modules that a file imports when it runs, and where; with ``types``, also for type checkers alone."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.ImportFrom) and node.module in known:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield (inner if inner in known else node.module), node.lineno
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name in known:
                    yield alias.name, node.lineno
        elif isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            waiting.extend([*node.body, *node.orelse] if types else node.orelse)
        elif not isinstance(node, ast.expr):  # in which nothing is imported
            waiting.extend(ast.iter_child_nodes(node))


def probes(*rooms: str) -> list[str]:
    """Lines of some rooms with ``getattr`` or ``hasattr``, where a typed result would do."""
    return [
        f"{path.relative_to(ROOT)}:{number}"
        for room in rooms
        for path in sorted((ROOT / PACKAGE / room).rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        for _ in re.findall(r"\b(?:get|has)attr\(", line)
    ]


def function_lengths() -> list[int]:
    """Lines of the body of every function, without its docstring, in ascending order."""
    return sorted(
        node.end_lineno
        - node.body[bool(ast.get_docstring(node, clean=False)) and len(node.body) > 1].lineno
        + 1
        for module in modules().values()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.FunctionDef)
    )


def classes() -> tuple[list[str], list[str]]:
    """All classes, and the records among them: dataclasses and named tuples without methods.

    Properties do not count as methods.
    """
    every, records = [], []
    for module in modules().values():
        for node in ast.walk(module.tree):
            if not isinstance(node, ast.ClassDef):
                continue
            every.append(f"{module.name}.{node.name}")
            marks = " ".join(map(ast.unparse, [*node.decorator_list, *node.bases]))
            methods = [
                inner
                for inner in node.body
                if isinstance(inner, ast.FunctionDef)
                and not any("property" in ast.unparse(decorator) for decorator in inner.decorator_list)
            ]
            if re.search(r"\b(dataclass|NamedTuple|TypedDict)\b", marks) and not methods:
                records.append(every[-1])
    return every, records


def numbers() -> list[str]:
    """Numeric constants at module level."""
    return [
        f"{module.name}.{ast.unparse(node.targets[0])}"
        for module in modules().values()
        for node in module.tree.body
        if isinstance(node, ast.Assign) and _is_number(node.value)
    ]


def _is_number(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        return _is_number(node.operand)
    if isinstance(node, ast.BinOp):
        return _is_number(node.left) and _is_number(node.right)
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def imports_against_order() -> dict[str, str]:
    """Imports of a room that stands below the importing one in ORDER: "module -> room", and where."""
    known = modules()
    wrong = {}
    for module in known.values():
        if module.room in ("", "__main__"):
            continue
        for name, line in imported(module.tree, known):
            room = name.split(".")[1] if "." in name else ""
            if room and LEVEL[room] > LEVEL[module.room]:
                wrong[f"{module.name} -> {room}"] = f"{module.path.relative_to(ROOT)}:{line} imports {name}"
    return wrong


def exports() -> dict[str, str]:
    """Modules of the names that the lazy loader reads from the stubs of the folders."""
    found = {}
    for stub in (ROOT / PACKAGE).rglob("__init__.pyi"):
        room = ".".join(stub.parent.relative_to(ROOT).parts)
        for node in ast.walk(ast.parse(stub.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                found |= {f"{room}.{alias.name}": f"{room}.{node.module}" for alias in node.names}
    return found


def circles() -> list[list[str]]:
    """Groups of modules that import each other, also in functions, for type checkers and by public names."""
    known, of_names = modules(), exports()
    names = [*known, *of_names]
    targets = {name: [of_names[name]] for name in of_names}
    for module in known.values():
        found = imported(module.tree, {**known, **dict.fromkeys(of_names)}, types=True)
        targets[module.name] = [name for name, _ in found if name != module.name]
    place = {name: number for number, name in enumerate(names)}
    edges = [(name, other) for name, others in targets.items() for other in others if other in place]
    rows, columns = np.array([(place[name], place[other]) for name, other in edges]).T
    graph = coo_array((np.ones(len(edges)), (rows, columns)), shape=(len(names), len(names)))
    _, component = connected_components(graph, connection="strong")
    groups = defaultdict(list)
    for name, number in zip(names, component.tolist(), strict=True):
        groups[number].append(name)
    return [sorted(group) for group in groups.values() if len(group) > 1]


def rooms_without_place() -> set[str]:
    """Rooms that ORDER does not name."""
    return {module.room for module in modules().values()} - LEVEL.keys() - {"", "__main__"}


def imported_once() -> list[str]:
    """Modules that exactly one other imports and that export nothing: no `__all__`, in no `__init__`."""
    known = modules()
    importers = defaultdict(set)
    for module in known.values():
        for name, _ in imported(module.tree, known):
            if name != module.name:
                importers[name].add(module.name)
    exported = {*exports().values()} | {name for name in known if "\n__all__ = " in known[name].text}
    for name, others in importers.items():
        if any(known[other].is_init for other in others):
            exported.add(name)
    return sorted(name for name, others in importers.items() if len(others) == 1 and name not in exported)


def private_modules_named_by_tests() -> dict[str, set[str]]:
    """Private modules that tests import, with the files that do."""
    known = modules()
    named = defaultdict(set)
    for path in sorted((ROOT / "tests").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if not PRIVATE.search(text):  # parsing takes long
            continue
        for name, _ in imported(parsed(text), known):
            if any(part.startswith("_") for part in name.split(".")[1:]):
                named[name].add(path.relative_to(ROOT).as_posix())
    return dict(named)


def parameters() -> dict[str, list[str]]:
    """Names of the parameters of all estimators, with the estimators that have them."""
    from moo_clustering import estimators

    named = defaultdict(list)
    for name in estimators.__all__:
        for parameter in getattr(getattr(estimators, name), "_get_param_names", list)():
            named[parameter].append(name)
    return dict(named)


def files_entered(run: str) -> str:
    """How many files of the package one of RUNS enters, counted in a process of its own.

    A file is entered when the run calls one of its functions. The bodies of modules and classes, and what
    they call while they are imported (decorators, comprehensions of constants), do not count.
    """
    done = subprocess.run(
        [sys.executable, "-c", RUNS[run] + COUNT_FILES], cwd=ROOT, capture_output=True, text=True, check=False
    )
    counts = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("entered ")]
    return counts[0] if counts else "failed: " + (done.stderr.strip().splitlines() or ["?"])[-1]


def rows() -> Iterator[tuple[str, object]]:
    """The table, row by row."""
    for package in (PACKAGE, "papers"):
        inside = [module for module in modules(package).values() if not module.is_init]
        every = modules(package).values()
        lengths = [module.n_lines for module in inside]
        yield f"{package}: modules", len(inside)
        yield "  lines", sum(module.n_lines for module in every)
        yield "  length of a module, median", int(statistics.median(lengths))
        yield "  longest module", max((module.n_lines, module.name) for module in inside)
        code, comments, imports = (
            sum(counts) for counts in zip(*(module.line_counts() for module in every), strict=True)
        )
        yield "  lines of code", code
        yield "  share of import lines", f"{imports / code:.3f}"
        yield "  share of comments", f"{comments / code:.3f}"
        if package == PACKAGE:
            yield "  lines of code for each public name", f"{code / len(exports()):.1f}"
    lengths = function_lengths()
    yield (
        "lines of a function, median and 90th percentile",
        f"{lengths[len(lengths) // 2]} {lengths[int(0.9 * len(lengths))]}",
    )
    every, records = classes()
    yield "classes, and the share of records", f"{len(every)} {len(records) / len(every):.3f}"
    yield "numeric constants at module level", len(numbers())
    once = imported_once()
    yield "modules that one other imports and none exports", f"{len(once)} {' '.join(once)}"
    wrong = imports_against_order()
    yield "circles of imports", len(circles())
    yield "probes of cli and visualization", len(probes("cli", "visualization"))
    yield "imports against the order", len(wrong)
    for line in wrong.values():
        yield "", line
    named = private_modules_named_by_tests()
    yield "private modules named by tests", f"{len(named)} {' '.join(sorted(named))}"
    names = parameters()
    yield "names of parameters of estimators", len(names)
    yield "  of one estimator only", sum(len(estimators) == 1 for estimators in names.values())
    for run in RUNS:
        yield f"files entered by {run}", files_entered(run)


@cache
def summaries() -> dict[str, str]:
    """First line of the docstring of every folder (its path ends in /) and module, folders after modules."""
    found = {}

    def walk(folder: Path) -> None:
        found[f"{folder.relative_to(ROOT).as_posix()}/"] = _first_line(folder / "__init__.py")
        for path in sorted(folder.glob("*.py")):
            if path.name not in ("__init__.py", "__main__.py"):
                found[path.relative_to(ROOT).as_posix()] = _first_line(path)
        for inner in sorted(path for path in folder.iterdir() if (path / "__init__.py").exists()):
            walk(inner)

    for top in (PACKAGE, "papers"):
        walk(ROOT / top)
    return found


def _first_line(path: Path) -> str:
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0]


def house_map() -> str:
    """All modules, indented by folder, with their summaries."""
    lines = []
    for path, summary in summaries().items():
        bare = path.rstrip("/")
        name = bare.rpartition("/")[2] + ("/" if path.endswith("/") else "")
        lines.append(f"{'  ' * bare.count('/') + name:<28} {summary}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--map", action="store_true", help="print every module with its summary instead")
    parser.add_argument("tiers", nargs="*", metavar="TIER=FILE", help="a tier of tests and its JUnit file")
    given = parser.parse_args()
    if given.map:
        print(house_map())
        return
    for name, value in rows():
        print(f"{name:<50} {value}")
    for tier in given.tiers:
        name, _, path = tier.partition("=")
        suite = ElementTree.parse(path).getroot().find("testsuite")
        print(f"tests of the tier {name:<32} {suite.get('tests')} in {float(suite.get('time')):.0f} s")


if __name__ == "__main__":
    main()
