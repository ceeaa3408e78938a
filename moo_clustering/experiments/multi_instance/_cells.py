"""One run of one method on one multi-instance set, and its scores."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import lru_cache
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from moo_clustering.bags import Bags, BagTransformer, bag_distances
from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.experiments._cells import seed_of
from moo_clustering.experiments.multi_instance._methods import ENTRIES, Reading, warm_up
from moo_clustering.experiments.multi_instance._sets import BagSet
from moo_clustering.validity import BagSDbw, BagSilhouette, ValidityIndex, bag_indices, bag_report, matched_f1


class Task(NamedTuple):
    """What a cell is computed from."""

    bag_set: BagSet
    method: str
    reading: Reading
    seed: int
    effort: Mapping[str, Any]


def run_task(task: Task) -> dict[str, Any]:
    """Value of a cell: the partition, its scores and what it cost.

    The order of the bags is drawn anew for every set and seed, the same for all methods: files come
    sorted by class, and MIGCUK takes bags of nearby numbers to be alike. Clusters are given in the order
    of the file.
    """
    given, entry = task.bag_set, ENTRIES[task.method, task.reading]
    order = np.random.default_rng(seed_of(task.seed, given.name, "order")).permutation(given.bags.n_bags)
    shuffled = given.bags[order]
    seed = int(seed_of(task.seed, given.name, *entry.key).generate_state(1)[0])
    with warnings.catch_warnings():
        # Iterations that do not settle are part of what is compared; the scores tell missing clusters.
        warnings.simplefilter("ignore", UserWarning)
        warm_up(entry.key)
        start = perf_counter()
        outcome = entry.run(shuffled, given.n_clusters, seed, task.effort)
        seconds = perf_counter() - start
    labels = np.empty(given.bags.n_bags, dtype=np.int32)
    labels[order] = outcome.labels
    return {
        **scores(given, relabel_by_first_appearance(labels[None])[0]),
        "seconds": seconds,
        "evaluations": outcome.evaluations,
        "trials": outcome.trials,
    }


def scores(given: BagSet, labels: Any) -> dict[str, Any]:
    """Everything about a partition of a set, and the partition itself."""
    report = bag_report(None, labels, given.classes, indices=_indices(given))
    return {
        **report,
        "f1_swapped": matched_f1(given.classes, labels, int(given.classes.min())),
        "labels": np.asarray(labels).tolist(),
    }


@lru_cache(maxsize=2)
def _indices(given: BagSet) -> dict[str, ValidityIndex]:
    """The indices of a set, which all its cells share."""
    bags = BagTransformer().fit_transform(given.bags)
    # These two give the printed S and S_Dbw of MIFGKA on East-West exactly.
    mirrored = BagSilhouette("precomputed", "bag").fit(mirrored_distances(bags))
    scatter = BagSDbw(sigma="instance", ddof=1, weighting="instance", undefined=np.inf).fit(bags)
    return {**bag_indices(bags), "silhouette_printed": mirrored, "sdbw_printed": scatter}


def mirrored_distances(bags: Bags) -> NDArray[np.float64]:
    """Directed distances from the bag of lower number, for both directions.

    Numbers are the identifiers of the bags if all are whole numbers, else their places in the file.
    """
    H = bag_distances(bags)
    ids = bags.bag_ids or ()
    numbers = list(map(int, ids)) if ids and all(map(str.isdecimal, ids)) else range(bags.n_bags)
    place = np.argsort(np.argsort(numbers, kind="stable"))
    return np.where(place[:, None] < place, H, H.T)
