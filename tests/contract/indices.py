"""Every validity index of the package and every external measure, and what they are given."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from contract.estimators import CLASSES, PARTLY, bags, rows
from moo_clustering import validity
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.graphs import knn_graph, neighbor_lists

# Public names of the room that are neither an index nor a measure of labels.
OTHERS = {
    "ValidityIndex": "the base class",
    "FunctionIndex": "any function of a caller's own",
    "get_index": "finds indices",
    "bag_indices": "makes indices",
    **dict.fromkeys(
        ("GaussianModel", "LatentClassModel", "MultinomialModel", "MixedModel", "StochasticBlockModel"),
        "a model of IntegratedClassificationLikelihood",
    ),
    "mean_roc_curve": "a curve; of the scores that macro_auc measures",
}


@dataclass(frozen=True, eq=False)
class IndexCase:
    """An index; ``data`` are those of 24 samples, ``moved(data, order)`` those of the samples in an order."""

    of: str
    make: Callable[[], Any]
    data: Callable[[], Any] = rows
    moved: Callable[[Any, Any], Any] = lambda data, order: data[order]


def _index(name, *arguments, **options):
    return IndexCase(name, lambda: getattr(validity, name)(*arguments, **options))


def _bag_index(name):
    return IndexCase(name, getattr(validity, name), bags, lambda data, order: [data[i] for i in order])


# Indices of samples, and of bags, which take a matrix as bags of one sample each.
INDICES = {
    "xie_beni": _index("XieBeni"),
    "xie_beni_medoid": _index("XieBeni", "medoid"),
    "i_index": _index("IIndex"),
    "i_index_medoid": _index("IIndex", "medoid"),
    "davies_bouldin": _index("DaviesBouldin"),
    "silhouette": _index("Silhouette"),
    "minimax_silhouette": _index("MinimaxSilhouette"),
    "likelihood_gain": _index("LikelihoodGain"),
    "deviation": _index("Deviation"),
    "connectivity": _index("Connectivity", n_neighbors=4),
    "calinski_harabasz": _index("CalinskiHarabasz"),
    "dunn": _index("Dunn"),
    "dbcv": _index("DBCV"),
    "cdbw": _index("CDbw"),
    "icl": _index("IntegratedClassificationLikelihood"),
    "icl_diagonal": _index("IntegratedClassificationLikelihood", "diagonal"),
}
BAG_INDICES = {
    "bag_davies_bouldin": _bag_index("BagDaviesBouldin"),
    "bag_sdbw": _bag_index("BagSDbw"),
    "bag_silhouette": _bag_index("BagSilhouette"),
    "ftwcv": _bag_index("FTWCV"),
    "twcv": _bag_index("TWCV"),
}


def graph():
    """A similarity graph."""
    return knn_graph(neighbor_lists(rows(), 6, rng=np.random.default_rng(0)), 6)


def pool():
    """Partitions of two families."""
    labels = np.array([CLASSES, np.arange(24) // 8, np.arange(24) % 2, np.arange(24) // 6], dtype=np.int32)
    return labels, ("km", "ward", "km", "genie")


def _of_graph(S, order):
    return S[order][:, order].tocsr()


def _pairs_moved(pairs, order):
    place = np.argsort(order)
    return PairwiseConstraints(place[pairs.must_link], place[pairs.cannot_link], n_samples=24)


def shapes():
    """Areas, perimeters and borders of squares in a row."""
    return np.ones(24), np.full(24, 4.0), np.diag(np.ones(23), 1) + np.diag(np.ones(23), -1)


def _shapes_moved(data, order):
    areas, perimeters, borders = data
    return areas[order], perimeters[order], borders[np.ix_(order, order)]


# Of a graph, shapes, weights, a pool, labels or pairs.
OTHER_INDICES = {
    "boundary_cut": IndexCase("BoundaryCut", validity.BoundaryCut, graph, _of_graph),
    "changed": IndexCase("ChangedShare", validity.ChangedShare, lambda: PARTLY),
    "compactness": IndexCase("Compactness", validity.Compactness, shapes, _shapes_moved),
    "cut_edges": IndexCase("CutEdges", validity.CutEdges, graph, _of_graph),
    "graph_modularity": IndexCase("GraphModularity", validity.GraphModularity, graph, _of_graph),
    "load_variation": IndexCase("LoadVariation", validity.LoadVariation, lambda: np.arange(1.0, 25.0)),
    "agreement": IndexCase(
        "FamilyAgreement", validity.FamilyAgreement, pool, lambda data, order: (data[0][:, order], data[1])
    ),
    "label_evidence": IndexCase(
        "LabelEvidence", validity.LabelEvidence, lambda: np.eye(3)[CLASSES] * (PARTLY[:, None] >= 0)
    ),
    "pair_evidence": IndexCase(
        "PairEvidence",
        validity.PairEvidence,
        lambda: PairwiseConstraints([(0, 3), (3, 6)], [(0, 1), (1, 2)], n_samples=24),
        _pairs_moved,
    ),
}
# Indices of memberships; labels count as memberships of 0 and 1.
FUZZY_INDICES = {
    "fuzzy_hypervolume": _index("FuzzyHypervolume"),
    "fuzzy_silhouette": _index("FuzzySilhouette"),
    "fuzzy_sum_of_squares": _index("FuzzySumOfSquares"),
    "fuzzy_xie_beni": _index("FuzzyXieBeni"),
    "partition_coefficient": _index("PartitionCoefficient"),
    "partition_entropy": _index("PartitionEntropy"),
}
EVERY_INDEX = INDICES | BAG_INDICES | OTHER_INDICES | FUZZY_INDICES


@dataclass(frozen=True, eq=False)
class MeasureCase:
    """A function; ``call(labels, order)`` measures a partition of the samples in an order.

    ``names_matter`` says that the numbers of the clusters are those of medoids or of classes.
    """

    of: str
    call: Callable[..., Any]
    names_matter: bool = False


def _classes(name, **options):
    return MeasureCase(name, lambda labels, order: getattr(validity, name)(CLASSES[order], labels, **options))


def _medoids(order):
    return np.argsort(order)[[0, 1, 2]][None]


def _square(order):
    X = rows()[order]
    return np.linalg.norm(X[:, None] - X, axis=2)


def _of_scores(name):
    def call(labels, order):
        Y = np.eye(3, dtype=int)[CLASSES[order]]
        return getattr(validity, name)(Y, np.eye(3)[labels] + 0.1 * rows()[order][:, :1])

    return MeasureCase(name, call, names_matter=True)


def _db_medoid(labels, order):
    return validity.db_medoid(_square(order), labels[None], _medoids(order)[:, : labels.max() + 1])


def _report(labels, order):
    found = validity.bag_report([row[None] for row in rows()[order]], labels, CLASSES[order])
    return np.array([value for value in found.values() if isinstance(value, float)])


def _pool_in(order):
    return pool()[0][:, order]


MEASURES = {
    case.of: case
    for case in (
        _classes("nmi"),
        _classes("cluster_entropy"),
        _classes("clustering_accuracy"),
        MeasureCase(  # numbers decide between matchings with equally many agreements
            "matched_f1", lambda labels, order: validity.matched_f1(CLASSES[order], labels), names_matter=True
        ),
        _classes("matched_rand_index"),
        MeasureCase("k_error", lambda labels, order: validity.k_error([3, 2], [labels.max() + 1, 2])),
        MeasureCase(
            "pairwise_ari", lambda labels, order: validity.pairwise_ari(labels[None], _pool_in(order))
        ),
        MeasureCase(
            "pairwise_nmi", lambda labels, order: validity.pairwise_nmi(labels[None], _pool_in(order))
        ),
        MeasureCase("average_nmi", lambda labels, order: validity.average_nmi(_pool_in(order), labels)),
        MeasureCase(
            "agreement", lambda labels, order: validity.agreement(labels[None], (_pool_in(order), pool()[1]))
        ),
        MeasureCase(
            "boundary_cut", lambda labels, order: validity.boundary_cut(labels, _of_graph(graph(), order))
        ),
        MeasureCase(
            "graph_modularity",
            lambda labels, order: validity.graph_modularity(labels, _of_graph(graph(), order)),
        ),
        MeasureCase(
            "label_evidence",
            lambda labels, order: validity.label_evidence(
                labels, np.eye(3)[CLASSES[order]] * (PARTLY[order, None] >= 0)
            ),
        ),
        MeasureCase("i2_criterion", lambda labels, order: validity.i2_criterion(rows()[order], labels)),
        MeasureCase("bag_report", _report, names_matter=True),
        MeasureCase("db_medoid", _db_medoid, names_matter=True),
        _of_scores("class_aucs"),
        _of_scores("macro_auc"),
    )
}
