"""Code that the same tasks take with several libraries: ``python benchmarks/code_size.py``.

The programs in ``benchmarks/programs/`` do three tasks on the same data for the same number of generations.
Each uses the best that its library offers, and is laid out by ``ruff format``. Lines and tokens exclude
imports, docstrings, comments and empty lines. Programs run where their library is installed; those of the
task ``resume`` are killed after their first checkpoint, and the second start must print the same as a run
without a kill.
"""

from __future__ import annotations

import ast
import io
import os
import subprocess
import sys
import tempfile
import time
import tokenize
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

PROGRAMS = Path(__file__).parent / "programs"
TASKS = {
    "own_index": "a custom index and mutation, two objectives",
    "pairs": "NSGA-III over four indices under pair constraints",
    "resume": "the same result after a kill and a second start",
}
# The name of a library, and of its module.
LIBRARIES = {
    "moo_clustering": "moo_clustering",
    "pymoo": "pymoo",
    "jMetalPy": "jmetal",
    "EvoCluster": "EvoCluster",
}
# Programs that do less than the task, and tasks that a library has nothing for.
NOTES = {
    ("own_index", "EvoCluster"): "by one sum of both objectives, with its mutation replaced in the module",
    ("pairs", "EvoCluster"): "not possible: one objective, no constraints",
    ("resume", "EvoCluster"): "not possible: no access to a search before its end",
}
LAYOUT = {
    tokenize.COMMENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
    tokenize.INDENT,
    tokenize.NEWLINE,
    tokenize.NL,
}


def code_size(text: str, without: str | None = None) -> tuple[int, int]:
    """Lines and tokens of a program without imports, docstrings, comments and empty lines.

    Parameters
    ----------
    text : str
        Python source.
    without : str, optional
        Statements that begin so are excluded as well, such as ``"plot_"``.

    Returns
    -------
    n_lines, n_tokens : int
    """
    left_out: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node):
            part: ast.AST = node.body[0]
        elif isinstance(node, ast.Import | ast.ImportFrom) or (
            isinstance(node, ast.Expr) and without is not None and ast.unparse(node).startswith(without)
        ):
            part = node
        else:
            continue
        left_out.update(range(part.lineno, part.end_lineno + 1))
    tokens = [
        token
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type not in LAYOUT and token.start[0] not in left_out
    ]
    lines = {line for token in tokens for line in range(token.start[0], token.end[0] + 1)}
    return len(lines), len(tokens)


def program(task: str, library: str) -> Path:
    """The file of a task with a library, which need not exist."""
    return PROGRAMS / f"{task}_{library.lower()}.py"


def outcome(task: str, library: str) -> str:
    """The last line that a program prints: the adjusted Rand index and the objectives of a partition.

    Parameters
    ----------
    task, library : str
        Keys of ``TASKS`` and ``LIBRARIES``.

    Returns
    -------
    str

    Raises
    ------
    RuntimeError
        When the program fails, or the second start after a kill does not end as a run without a kill.
    """
    with tempfile.TemporaryDirectory() as folder:
        whole = _run(program(task, library), Path(folder))
    if task == "resume":
        with tempfile.TemporaryDirectory() as folder:
            _kill_after_first_checkpoint(program(task, library), Path(folder))
            resumed = _run(program(task, library), Path(folder))
        if resumed != whole:
            raise RuntimeError(f"{library} printed {whole!r}, and after a kill {resumed!r}.")
    return whole


def _start(path: Path, folder: Path) -> subprocess.Popen[str]:
    root = str(PROGRAMS.parents[1])
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([root, os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, str(path.resolve())]
    return subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _run(path: Path, folder: Path) -> str:
    process = _start(path, folder)
    printed, errors = process.communicate(timeout=600)
    if process.returncode:
        raise RuntimeError(f"{path.name} failed: {errors.strip().splitlines()[-1]}")
    return printed.strip().splitlines()[-1]


def _kill_after_first_checkpoint(path: Path, folder: Path) -> None:
    process = _start(path, folder)
    while process.poll() is None and not any(folder.glob("run.*")):
        time.sleep(0.001)
    process.kill()
    process.communicate()
    if process.returncode >= 0:
        raise RuntimeError(f"{path.name} ended before it could be killed.")


def table() -> str:
    """Lines, and tokens in brackets, per task and library, in Markdown."""
    rows = [["task", *map(_named, LIBRARIES)], ["---"] * (len(LIBRARIES) + 1)]
    rows += [[title, *(_cell(task, library) for library in LIBRARIES)] for task, title in TASKS.items()]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _named(library: str) -> str:
    if library == "moo_clustering":
        return library
    try:
        return f"{library} {version(library)}"
    except PackageNotFoundError:
        return f"{library} (not installed)"


def _cell(task: str, library: str) -> str:
    note = NOTES.get((task, library), "")
    if not program(task, library).exists():
        return note
    n_lines, n_tokens = code_size(program(task, library).read_text(encoding="utf-8"))
    return f"{n_lines} ({n_tokens}){', ' + note if note else ''}"


def main() -> None:
    """Print the table, and the outcome of each program whose library is installed."""
    print(table(), end="\n\n")
    for task in TASKS:
        for library, module in LIBRARIES.items():
            if program(task, library).exists():
                known = (
                    outcome(task, library) if find_spec(module) else "not run, the library is not installed"
                )
                print(f"{task} {library}: {known}", flush=True)


if __name__ == "__main__":
    main()
