"""Ensemble NMF on data sets of 3 to 10 topics: the paper's comparison of methods, with controls."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from math import comb
from typing import Any, Final

import numpy as np

from moo_clustering.experiments._cells import seed_of
from moo_clustering.experiments._document_collections import (
    Collection,
    available_collections,
    load_collection,
)
from moo_clustering.experiments._document_sets import DocumentSet, draw_sets
from moo_clustering.experiments._plan import Settings
from moo_clustering.experiments._store import Key
from moo_clustering.experiments._tables import ResultFigure, ResultTable
from moo_clustering.experiments.ensemble_nmf._cells import DTYPE, MAX_ITER, SOLVER, TRIALS, Task, run_task
from moo_clustering.experiments.ensemble_nmf._published import N_CLUSTERS
from moo_clustering.experiments.ensemble_nmf._report import report
from moo_clustering.features import document_term_counts, prune_terms

N_RUNS, N_SETS = 50, 10
MIN_DF = 2
STEMMER: Final = "porter"


class Table2:
    """Data sets of k topics drawn from every collection in the data folder, all methods on each.

    Parameters
    ----------
    settings : Settings
        Its ``n_sets`` is the number of data sets for each collection and k, fewer where there are fewer
        choices of topics; ``n_clusters`` the values of k, 3 to 10 by default; ``collections`` their names,
        all that are found by default.

    Raises
    ------
    ValueError
        For an unknown collection, a k out of range, or without snowballstemmer.
    DataError
        If there is no collection, or not the one asked for.

    References
    ----------
    "Ensemble non-negative matrix factorization for clustering biomedical documents", Table 2.
    """

    def __init__(self, settings: Settings) -> None:
        if find_spec("snowballstemmer") is None:
            raise ValueError(
                "stems of words need snowballstemmer, which is not installed: "
                "pip install moo_clustering[text]"
            )
        names = settings.collections or available_collections(settings.data)
        self._collections = {name: load_collection(name, settings.data) for name in names}
        ks = settings.n_clusters or N_CLUSTERS
        largest = max(collection.n_topics for collection in self._collections.values())
        if min(ks) < 2 or min(ks) > largest:
            raise ValueError(
                f"n_clusters must be from 2 to the number of topics, here at most {largest}; "
                f"got {', '.join(map(str, ks))}"
            )
        self._n_sets = settings.n_sets or N_SETS
        self._metis = find_spec("pymetis") is not None
        # Not the collections, k, sets and seeds: more of them go on in the same folder.
        self.parameters: dict[str, Any] = {
            "runs": N_RUNS,
            "solver": SOLVER,
            "dtype": DTYPE,
            "min_df": MIN_DF,
            "stemmer": STEMMER,
            "trials": TRIALS,
            "max_iter": MAX_ITER,
            "metis": self._metis,
        }
        self.cells: list[Key] = [
            {"collection": name, "data": identity, "k": k, "seed": seed, "set": number}
            for name, collection in self._collections.items()
            for identity in [_identity(collection)]
            for k in ks
            if k <= collection.n_topics
            for seed in range(settings.seeds)
            for number in range(min(self._n_sets, comb(collection.n_topics, k)))
        ]
        # Words are counted once for each collection, whose cells come one after the other.
        self._counts = lru_cache(maxsize=1)(self._count)
        self._sets = lru_cache(maxsize=1)(self._draw)

    def data(self, key: Key) -> Task:
        """Counts of the terms that are in at least two documents of the set, and its topics."""
        name, k, seed, number = str(key["collection"]), int(key["k"]), int(key["seed"]), int(key["set"])
        drawn = self._sets(name, k, seed)[number]
        counts, terms = self._counts(name)
        kept, _ = prune_terms(counts[drawn.rows], terms, min_df=MIN_DF)
        return Task(kept, drawn.y, k, N_RUNS, self._metis, (name, k, seed, number))

    @staticmethod
    def compute(key: Key, data: Task) -> dict[str, Any]:
        """Scores of all methods."""
        return run_task(data)

    def tables(self, values: Sequence[Any]) -> list[ResultTable]:
        """Every score, means beside the paper's, Z values, the paper's statements, and controls."""
        stand_ins = {name: found.stand_in_for for name, found in self._collections.items()}
        return report(self.cells, values, stand_ins, metis=self._metis)

    def figures(self, values: Sequence[Any]) -> list[ResultFigure]:
        """There are none."""
        return []

    def _count(self, name: str) -> tuple[Any, Any]:
        return document_term_counts(self._collections[name].documents, min_df=1, stemmer=STEMMER)

    def _draw(self, name: str, k: int, seed: int) -> list[DocumentSet]:
        rng = np.random.default_rng(seed_of(seed, name, k, "topics"))
        return draw_sets(self._collections[name], k, self._n_sets, rng)


def _identity(collection: Collection) -> str:
    """Digits that stand for documents and topics."""
    content = json.dumps([collection.documents, collection.y.tolist(), collection.topics])
    return hashlib.sha256(content.encode()).hexdigest()[:16]
