"""What an installation brings along, and its size on disk: ``python -m tests.dependencies``.

Sizes are those of the environment that runs it. Those of ``docs/dependencies.md`` are of a fresh one with
nothing but the package and its extras; ``tests/test_dependencies.py`` holds the limits.
"""

from __future__ import annotations

import configparser
import sys
from functools import cache
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
# Extras for those who develop the package.
_OURS = {"test", "docs", "release"}


@cache
def declared() -> dict[str, tuple[str, ...]]:
    """Dependencies of ``setup.cfg`` by extra; those of every installation by ``""``."""
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    lines = {"": setup["options"]["install_requires"], **setup["options.extras_require"]}
    return {
        extra: tuple(canonicalize_name(Requirement(line).name) for line in text.split("\n") if line)
        for extra, text in lines.items()
        if extra not in _OURS
    }


@cache
def required_by(name: str) -> frozenset[str]:
    """All distributions that one needs, itself included, as far as they are installed."""
    # Dask is asked for with its scheduler.
    found: set[str] = set()
    todo = [Requirement("dask[distributed]" if name == "dask" else name)]
    while todo:
        wanted = todo.pop()
        key = canonicalize_name(wanted.name)
        try:
            lines = metadata.requires(key) or ()
        except metadata.PackageNotFoundError:
            continue
        if key in found and not wanted.extras:
            continue
        found.add(key)
        for needed in map(Requirement, lines):
            extras = wanted.extras or {""}
            if needed.marker is None or any(needed.marker.evaluate({"extra": extra}) for extra in extras):
                todo.append(needed)
    return frozenset(found)


def closure(names: tuple[str, ...]) -> frozenset[str]:
    """All distributions that some need, themselves included."""
    return frozenset().union(*map(required_by, names))


def chosen() -> list[str]:
    """Dependencies of every installation that no other one of them brings along."""
    names = declared()[""]
    brought = {other for name in names for other in required_by(name) - {name}}
    return [name for name in names if name not in brought]


@cache
def megabytes(name: str, bytecode: bool = False) -> float:
    """Size of the files of a distribution, without what Python compiles from them unless asked for."""
    sizes = []
    for file in metadata.files(name) or ():
        if bytecode or "__pycache__" not in file.parts:
            path = Path(str(file.locate()))
            sizes.append(path.stat().st_size if path.is_file() else 0)
    return sum(sizes) / 1e6


def table() -> str:
    """A line for each dependency: its extra, its size, and what it brings that others do not name."""
    base = closure(declared()[""])
    lines = [f"{'dependency':20}{'extra':10}{'MB':>6}{'MB with all':>13}  brings"]
    for extra, names in declared().items():
        for name in names:
            if not required_by(name):
                lines.append(f"{name:20}{extra:10}   not installed")
                continue
            more = required_by(name) - (base if extra else set(declared()[""]))
            total = sum(map(megabytes, more | {name}))
            brings = ", ".join(sorted(more - {name}))
            lines.append(f"{name:20}{extra:10}{megabytes(name):6.1f}{total:13.1f}  {brings}")
    files = sum(map(megabytes, base))
    compiled = sum(megabytes(name, bytecode=True) for name in base)
    return "\n".join(
        [
            *lines,
            f"{len(declared()[''])} are named, {len(chosen())} of which are chosen here: "
            f"{', '.join(chosen())}",
            f"every installation: {len(base)} distributions, {files:.0f} MB, {compiled:.0f} MB with bytecode",
        ]
    )


if __name__ == "__main__":
    sys.stdout.write(f"{table()}\n")
