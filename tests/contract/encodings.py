"""Every encoding of the package, with duplicates and ties in what it is made of."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np

from contract.estimators import PARTLY, words
from moo_clustering.constraints import ClusterSizes
from moo_clustering.encodings import (
    LabelEncoding,
    LocusAdjacencyEncoding,
    MedoidEncoding,
    MedoidSlotEncoding,
    RegionEncoding,
    TupleEncoding,
)
from moo_clustering.graphs import locus_graph
from moo_clustering.problems import (
    CenterEncoding,
    FeatureSubsetEncoding,
    FuzzyCenterEncoding,
    SubspaceClusteringProblem,
)

# Their partitions are those around medoids only, and the order of the medoids decides ties.
AROUND_MEDOIDS = (MedoidEncoding, MedoidSlotEncoding)


@dataclass(frozen=True, eq=False)
class EncodingCase:
    """``make(n, rng)`` is an encoding of n samples."""

    of: str
    make: Callable[[int, np.random.Generator], Any]


def _few_values(n, rng):
    # Few distinct values: duplicates and ties are the hard part.
    return rng.integers(0, 4, size=(n, 2)).astype(float)


def _medoids(**kwargs):
    return EncodingCase(
        "MedoidEncoding", lambda n, rng: MedoidEncoding(_few_values(n, rng), **_within(n, kwargs))
    )


def _sized(n, rng):
    return MedoidEncoding(_few_values(n, rng), 4, k_min=min(2, n), sizes=ClusterSizes(high=n // 2 + 1))


def _slots(**kwargs):
    # Not symmetric, and with ties.
    return EncodingCase(
        "MedoidSlotEncoding",
        lambda n, rng: MedoidSlotEncoding(
            rng.integers(0, 4, size=(n, n)).astype(float), **_within(n, kwargs)
        ),
    )


def _labels(**kwargs):
    return EncodingCase("LabelEncoding", lambda n, rng: LabelEncoding(n, **_within(n, kwargs)))


def _within(n, bounds):
    return {name: min(bound, n) for name, bound in bounds.items()}


def _side_by_side(n, rng):
    part = n - n // 3
    medoids = MedoidEncoding(_few_values(part, rng), **_within(part, {"k_max": 4}))
    return TupleEncoding((medoids, LabelEncoding(n // 3, min(3, n // 3))))


def _neighbors(n, rng):
    others = np.array([np.delete(np.arange(n), i) for i in range(n)])
    return rng.permuted(others, axis=1)[:, : min(3, n - 1)]


def _tree_links(kind, delta=0.0):
    def make(n, rng):
        graph = locus_graph(_few_values(n, rng), n_neighbors=3, rng=rng)
        return LocusAdjacencyEncoding(graph=graph, kind=kind, delta=delta)

    return EncodingCase("LocusAdjacencyEncoding", make)


def _links(make):
    return EncodingCase("LocusAdjacencyEncoding", make)


# Of integer genes, which say alone what the partition is.
ENCODINGS = {
    "medoids": _medoids(),
    "medoids, one k": _medoids(k_min=3, k_max=3),
    "medoids, any k": _medoids(k_min=1, k_max=99),
    "slots": _slots(k_max=4),
    "slots, one k": _slots(k_min=3, k_max=3),
    "slots, any k": _slots(k_min=1, k_max=99),
    "labels": _labels(k_max=4),
    "labels, one k": _labels(k_min=3, k_max=3),
    "links": _links(lambda n, rng: LocusAdjacencyEncoding(n_samples=n)),
    "links to neighbours": _links(lambda n, rng: LocusAdjacencyEncoding(_neighbors(n, rng))),
    "links with a graph": _tree_links("locus"),
    "all links of a tree": _tree_links("short"),
    "all cuts of a tree": _tree_links("split"),
    "some links of a tree": _tree_links("short", delta=50),
    "some cuts of a tree": _tree_links("split", delta=50),
}

# Of centres, subsets of features, and of seeds that sweeps are made of: neither repairs to all partitions.
OTHER_ENCODINGS = {
    "medoids with bounds on sizes": EncodingCase("MedoidEncoding", _sized),
    "centres": EncodingCase(
        "CenterEncoding", lambda n, rng: CenterEncoding(rng.normal(size=(n, 2)), min(3, n))
    ),
    "fuzzy centres": EncodingCase(
        "FuzzyCenterEncoding", lambda n, rng: FuzzyCenterEncoding(rng.normal(size=(n, 2)), min(3, n))
    ),
    "side by side": EncodingCase("TupleEncoding", _side_by_side),
    "feature subsets": EncodingCase(
        "FeatureSubsetEncoding",
        lambda n, rng: FeatureSubsetEncoding(rng.integers(0, 4, size=(n, 5)), min(3, n), max_features=3),
    ),
    "regions": EncodingCase(
        "RegionEncoding",
        lambda n, rng: RegionEncoding(nx.to_scipy_sparse_array(nx.cycle_graph(n)), min(3, n), high=2 + n / 3),
    ),
    "seeds": EncodingCase(
        "SubspaceSeedEncoding",
        lambda n, rng: SubspaceClusteringProblem(words(), PARTLY, n_seeds=4, k_min=2, n_sweeps=1).encoding,
    ),
}
EVERY_ENCODING = ENCODINGS | OTHER_ENCODINGS
