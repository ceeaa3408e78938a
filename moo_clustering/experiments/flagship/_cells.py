"""One question asked of one set."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import cache
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from moo_clustering.experiments.flagship._evolved import evolution, families
from moo_clustering.experiments.flagship._few_labels import few_labels, some_classes
from moo_clustering.experiments.flagship._given_pairs import MOST_ROWS, given_pairs
from moo_clustering.experiments.flagship._pool_of_set import fit_flagship
from moo_clustering.experiments.flagship._sets import ClassedSet, made_set
from moo_clustering.experiments.flagship._sheet import Sheet
from moo_clustering.experiments.flagship._unsupervised import known_k, unsupervised


class Block(NamedTuple):
    """A question.

    Attributes
    ----------
    title : str
    run : callable
        ``run(found, sheet, draws) -> facts``.
    has_draws : bool
        Whether it is repeated, with other seeds, labels or pairs.
    least_classes : int
    most_rows : int or None
    """

    title: str
    run: Callable[[ClassedSet, Sheet, int], dict[str, Any]]
    has_draws: bool = False
    least_classes: int = 2
    most_rows: int | None = None


BLOCKS: Mapping[str, Block] = {
    "unsupervised": Block("nothing is known", unsupervised, has_draws=True),
    "known": Block("the number of clusters is known", known_k, has_draws=True),
    "labels": Block("few labels of every class", few_labels, has_draws=True),
    "novel": Block("half of the classes have no label", some_classes, has_draws=True, least_classes=3),
    "pairs": Block("must-links and cannot-links", given_pairs, has_draws=True, most_rows=MOST_ROWS),
    "evolution": Block("evolution and its controls", evolution),
    "families": Block("further families in the pool", families),
}


class Task(NamedTuple):
    """What a cell is computed from."""

    found: ClassedSet
    block: str
    draws: int


def run_task(task: Task) -> dict[str, Any]:
    """Value of a cell: a row for every method, setting and draw, facts of the fit, and seconds of it all.

    What fails before a method can be tried is the error of the cell.
    """
    block = BLOCKS[task.block]
    found = task.found if block.most_rows is None else task.found.head(block.most_rows)
    sheet = Sheet(found.classes)
    value: dict[str, Any] = {"facts": {}}
    # One thread, so that sums are added up in the same order in all processes.
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        warnings.simplefilter("ignore")
        start = perf_counter()
        try:
            warm_up()
            start = perf_counter()
            value["facts"] = block.run(found, sheet, task.draws)
        except MemoryError:
            raise
        except Exception as error:
            value["error"] = f"{type(error).__name__}: {' '.join(str(error).split())}"
    return {**value, "rows": sheet.rows, "seconds": perf_counter() - start}


@cache
def warm_up() -> None:
    """Fit next to nothing, so that compiling is not in the seconds of the first cell."""
    X = np.random.default_rng(0).random((24, 2)) + np.arange(24)[:, np.newaxis] // 12
    y = np.where(np.arange(24) % 6 == 0, np.arange(24) // 12, -1)
    fitted = fit_flagship(made_set("nothing", "o", X, np.arange(24) // 12), X)
    fitted.told(y)
    fitted.told(n_clusters=2, must_link=[(0, 1)], cannot_link=[(0, 23)])
