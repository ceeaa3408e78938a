"""The course of a run that moves centres."""

from __future__ import annotations

from collections.abc import Iterable

from deap import tools


def run_logbook(history: Iterable[tuple[float, int]], *, first: int) -> tools.Logbook:
    """Logbook of inertia and size of the smallest cluster, counted from ``first``."""
    logbook = tools.Logbook()
    logbook.header = ["iter", "inertia", "smallest"]
    for number, (inertia, smallest) in enumerate(history, first):
        logbook.record(iter=number, inertia=inertia, smallest=smallest)
    return logbook
