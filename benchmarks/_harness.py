"""Medians over repeats, as ratios to an alternative timed in the same process."""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from moo_clustering.persistence import environment


@dataclass(frozen=True)
class Row:
    """One line of the table: what was measured and what it is to be compared with."""

    what: str
    measured: str
    alternative: str
    ratio: str


def median_seconds(action: Callable[[], object], repeats: int) -> float:
    """Median wall time of ``repeats`` calls after one that does not count."""
    action()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def timed(action: Callable[[], Any]) -> tuple[float, Any]:
    """Processor seconds of all threads, and what the action returns."""
    start = time.process_time()
    found = action()
    return time.process_time() - start, found


def compare(
    what: str, action: Callable[[], object], name: str, alternative: Callable[[], object], repeats: int
) -> Row:
    """Time both and state the ratio."""
    ours, theirs = median_seconds(action, repeats), median_seconds(alternative, max(repeats // 2, 1))
    return Row(what, f"{1e3 * ours:.1f} ms", f"{name}: {1e3 * theirs:.1f} ms", f"{theirs / ours:.1f} x")


def machine() -> str:
    """Machine and versions that the figures were measured on."""
    versions = environment()
    packages = ", ".join(f"{name} {versions[name]}" for name in ("python", "numpy", "numba", "pymoo"))
    return f"{platform.machine()}, {len(os.sched_getaffinity(0))} cores, {packages}"


def as_markdown(rows: list[Row]) -> str:
    """A table of the rows."""
    lines = ["| what | measured | compared with | ratio |", "|---|---|---|---|"]
    lines += [f"| {row.what} | {row.measured} | {row.alternative} | {row.ratio} |" for row in rows]
    return "\n".join(lines)
