"""Many inputs for one reader, drawn by hypothesis or by atheris, and what came of them."""

from __future__ import annotations

import contextlib
import struct
import time
from collections.abc import Callable
from pathlib import Path

from fuzz_choices import Choices
from fuzz_mutations import Files, mutated
from fuzz_run import Lines, Tally, outcome
from hypothesis import HealthCheck, Phase, given, seed, settings, strategies, target
from readers import Reader

# Numbers that decide one input.
_NUMBERS = strategies.lists(strategies.integers(0, 2**32 - 1), min_size=12, max_size=40)
_MOST_FOUND = 300
Report = Callable[[Tally], None]


def warm(reader: Reader, folder: Path) -> None:
    """Import what the reader imports when it is first called, which is not to count."""
    for files in reader.seeds():
        with contextlib.suppress(Exception):
            outcome(reader, files, folder, seconds=120.0, memory=2**34)


def by_hypothesis(reader: Reader, folder: Path, examples: int, number: int, report: Report) -> Tally:
    """Inputs drawn by hypothesis; those that reach new lines of the package become seeds of others."""
    tally, seeds, found, lines = Tally(), reader.seeds(), [], Lines()
    warm(reader, folder)

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.target],
        suppress_health_check=list(HealthCheck),
    )
    @seed(number)
    @given(_NUMBERS)
    def run(numbers):
        known = len(lines.met)
        files = mutated(seeds, Choices(numbers), found)
        with lines:
            _tried(reader, files, folder, tally)
        target(float(len(lines.met) - known))
        if len(lines.met) > known and len(found) < _MOST_FOUND:
            found.append(files)
        report(tally)

    run()
    return tally


def by_atheris(reader: Reader, folder: Path, examples: int, number: int, report: Report) -> Tally:
    """Inputs drawn by libFuzzer from the branches they reach; ends the process after the last one."""
    import os
    import sys

    import atheris

    tally, seeds = Tally(), reader.seeds()
    warm(reader, folder)

    def run(data):
        count = len(data) // 4
        numbers = struct.unpack(f"<{count}I", data[: count * 4])
        _tried(reader, mutated(seeds, Choices(numbers)), folder, tally)
        report(tally)
        if tally.tried >= examples:
            os._exit(0)

    start = folder.with_name("start")
    start.mkdir(exist_ok=True)
    for place in range(8):
        (start / str(place)).write_bytes(struct.pack("<24I", *(place * 7919 + k * k for k in range(24))))
    options = [f"-seed={number + 1}", "-max_len=160", "-timeout=60", "-rss_limit_mb=8192", "-verbosity=0"]
    atheris.Setup([sys.argv[0], *options, str(start)], run)
    atheris.Fuzz()
    return tally


def _tried(reader: Reader, files: Files, folder: Path, tally: Tally) -> None:
    begun = time.perf_counter()
    found = outcome(reader, files, folder)
    tally.add(found, files, time.perf_counter() - begun)
