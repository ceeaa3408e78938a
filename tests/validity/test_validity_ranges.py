"""Measures stay within the ranges that their documentation states, to the last digit."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from moo_clustering import validity
from moo_clustering.consensus import mcla
from moo_clustering.consensus.hypergraph import check_ensemble, coassociation_blocks
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.diversity import diversity
from moo_clustering.evidence import coassociation, consensus_affinity
from moo_clustering.fronts import front_box, hypervolume

INF = np.inf
AVERAGES = ("min", "geometric", "arithmetic", "max")
BAG = {
    "BagDaviesBouldin": (0, INF), "BagSDbw": (0, INF), "BagSilhouette": (-1, 1), "FTWCV": (0, INF),
    "TWCV": (0, INF),
}  # fmt: skip
INDICES = {
    "CDbw": (0, INF), "CalinskiHarabasz": (0, INF), "Connectivity": (0, INF), "DBCV": (-1, 1),
    "DaviesBouldin": (0, INF), "Deviation": (0, INF), "Dunn": (0, INF), "IIndex": (0, INF),
    "LikelihoodGain": (-INF, INF), "MinimaxSilhouette": (-1, 1), "Silhouette": (-1, 1), "XieBeni": (0, INF),
}  # fmt: skip
# Indices of memberships; labels count as memberships of 0 and 1.
FUZZY = {
    "FuzzyHypervolume": (0, INF), "FuzzySilhouette": (-1, 1), "FuzzySumOfSquares": (0, INF),
    "FuzzyXieBeni": (0, INF), "PartitionCoefficient": (0, 1), "PartitionEntropy": (0, INF),
}  # fmt: skip
# Base classes, registries, models, and indices with arguments, which have tests below.
OTHERS = {
    "BoundaryCut", "ChangedShare", "Compactness", "CutEdges", "FamilyAgreement", "FunctionIndex",
    "GaussianModel", "GraphModularity", "IntegratedClassificationLikelihood", "LabelEvidence",
    "LatentClassModel", "LoadVariation", "MixedModel", "MultinomialModel", "PairEvidence",
    "StochasticBlockModel", "ValidityIndex", "agreement",
    "average_nmi", "bag_indices", "bag_report", "boundary_cut", "class_aucs", "cluster_entropy",
    "clustering_accuracy", "db_medoid", "get_index", "graph_modularity", "i2_criterion", "k_error",
    "label_evidence", "macro_auc", "matched_f1", "matched_rand_index", "mean_roc_curve", "nmi",
    "pairwise_ari", "pairwise_nmi",
}  # fmt: skip


def partitions(rng, n):
    """Random partitions of few and many clusters, of one, of singletons, and of unequal sizes."""
    numbers = [1, 2, 3, 5, 9, n // 3, n - 1]
    rows = [np.arange(n), *(rng.permutation(np.resize(np.arange(max(k, 1)), n)) for k in numbers)]
    return [*rows, rng.integers(0, 4, n), np.minimum(rng.geometric(0.3, n), 6)]


def within(found, low, high, what):
    """What lies outside of a range, or is not a number."""
    values = np.ravel(np.asarray(found, dtype=float))
    bad = values[~((values >= low) & (values <= high))]
    return [f"{what}: {float(bad[0])!r}"] if len(bad) else []


def labels_in_order(row):
    return np.unique(row, return_inverse=True)[1]


def test_every_measure_has_a_range_here():
    assert set(validity.__all__) == set(BAG) | set(INDICES) | set(FUZZY) | OTHERS


def test_measures_against_classes():
    wrong = []
    for seed in range(2):
        rng = np.random.default_rng(seed)
        for n in (7, 60):
            rows = partitions(rng, n)
            for a in rows:
                # The same partition under other numbers is where digits run over.
                for b in [rng.permutation(a.max() + 1)[a], *(rows[i] for i in rng.integers(0, len(rows), 2))]:
                    for average in AVERAGES:
                        wrong += within(validity.nmi(a, b, average), 0, 1, f"nmi {average}")
                    for name in ("clustering_accuracy", "matched_rand_index", "matched_f1"):
                        wrong += within(getattr(validity, name)(a, b), 0, 1, name)
                    wrong += within(validity.cluster_entropy(a, b), 0, INF, "cluster_entropy")
                    wrong += (
                        within(validity.average_nmi(rows, b), 0, 1, "average_nmi") if a is rows[0] else []
                    )
            table = np.array(rows)
            wrong += within(validity.pairwise_nmi(table), 0, 1, "pairwise_nmi")
            wrong += within(validity.pairwise_ari(table), -1, 1, "pairwise_ari")
            families = ["km", "ward"] * (len(rows) // 2)
            pool = (np.array([labels_in_order(row) for row in rows]), families)
            wrong += within(validity.agreement(pool[0], pool), -1, 1, "agreement")
    assert not wrong


def test_equal_partitions_have_an_nmi_of_exactly_1():
    for k in range(2, 40, 3):
        for n in (50, 99, 1000):
            a = np.random.default_rng(k).integers(0, k, n)
            b = np.random.default_rng(n).permutation(k)[a]
            assert {validity.nmi(a, b, average) for average in AVERAGES} == {1.0}
            assert (validity.pairwise_nmi([a, b]) == 1.0).all()


def data_of(rng, n):
    """Samples that are spread, equal, far from the origin, tiny, and on a line."""
    X = rng.normal(size=(n, 3))
    yield "spread", X
    yield "offset", X + 1e7
    yield "tiny", X * 1e-9
    yield "copies", np.repeat(X[: n // 3], 3, axis=0)[:n]
    yield "equal", np.ones((n, 2))
    yield "line", np.arange(float(n))[:, np.newaxis]


def test_indices():
    wrong = []
    rng = np.random.default_rng(0)
    n = 30
    rows = [labels_in_order(row) for row in partitions(rng, n)]
    for name, (low, high) in (INDICES | BAG).items():
        for kind, X in data_of(rng, n):
            data = list(X[:, np.newaxis]) if name in BAG else X
            options = [{"variant": one} for one in ("distance", "published")] if name == "DBCV" else [{}]
            for option in options:
                values = getattr(validity, name)(**option).fit(data).evaluate(np.array(rows))
                wrong += within(values, low, high, f"{name} {option} of {kind} samples")
    assert not wrong


def test_indices_of_memberships():
    rng, n, wrong = np.random.default_rng(0), 30, []
    rows = np.array([labels_in_order(row) for row in partitions(rng, n)])
    for name, (low, high) in FUZZY.items():
        for kind, X in data_of(rng, n):
            index = getattr(validity, name)().fit(X)
            wrong += within(index.evaluate(rows), low, high, f"{name} of labels, {kind} samples")
            for k in (1, 2, 7):
                some = rng.dirichlet(np.full(k, 0.3), (5, n))
                wrong += within(index.evaluate(some), low, high, f"{name} of {k} clusters, {kind} samples")
    assert not wrong


def test_graph_indices():
    rng, n, wrong = np.random.default_rng(0), 30, []
    rows = np.array([labels_in_order(row) for row in partitions(rng, n)])
    for density in (0.05, 0.3, 1.0):
        S = rng.random((n, n)) * (rng.random((n, n)) < density)
        S = csr_array(S + S.T)
        wrong += within(validity.graph_modularity(rows, S), -1, 1, "modularity")
        wrong += within(validity.boundary_cut(rows, S), 0, S.sum() / 2, "boundary cut")
    # Two halves without a link between them.
    S = np.kron(np.eye(2), np.full((15, 15), 0.1))
    assert validity.graph_modularity(np.repeat([0, 1], 15), S) == pytest.approx([0.5])
    assert not wrong


def test_scores_and_curves():
    wrong = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        y, scores = rng.integers(-1, 3, 60), rng.random((60, 3)).round(seed % 3 + 1)
        wrong += within(validity.class_aucs(y, scores), 0, 1, "class_aucs")
        wrong += within(validity.macro_auc(y, scores), 0, 1, "macro_auc")
        for points in (None, 11, 101):
            curve = validity.mean_roc_curve(y, scores, n_points=points)
            wrong += within(np.concatenate([np.ravel(part) for part in curve[:2]]), 0, 1, "mean_roc_curve")
    assert not wrong


def test_shares_and_associations():
    wrong = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        runs = rng.integers(-1, 4, (int(rng.integers(2, 12)), 25))
        runs[0] = rng.integers(0, 4, 25)
        runs[1:3] = runs[0]
        weights = rng.random(len(runs)) + 0.1
        for partitioner in ("matching", "metis"):
            if partitioner == "metis":
                pytest.importorskip("pymetis")
            _, association = mcla(
                runs, 4, weights=weights, partitioner=partitioner, return_association=True, random_state=0
            )
            wrong += within(association, 0, 1, "association of mcla")
        _, association = mcla(
            runs[:3], len(np.unique(runs[0])), weights=weights[:3], return_association=True, random_state=0
        )
        wrong += within(association, 0, 1, "association of mcla, runs that agree")
        for some in (weights, np.full(len(runs), 0.1)):
            edges, checked = check_ensemble(runs, 2, some)
            for _, block in coassociation_blocks(edges, checked):
                wrong += within(block, 0, 1, "co-association of cspa")
            seen = np.maximum(runs, 0)
            wrong += within(coassociation(seen, some), 0, 1, "coassociation")
            wrong += within(consensus_affinity(seen, some), 0, 1, "consensus_affinity")
        wrong += within(diversity(np.maximum(runs, 0)), 0, 1, "diversity")
    assert not wrong


def test_violations_of_weighted_constraints():
    wrong = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        order = rng.permutation(24).reshape(-1, 2)
        constraints = PairwiseConstraints(
            order[:6], order[6:], n_samples=24, must_link_weights=rng.random(6) + 0.1,
            cannot_link_weights=rng.random(6) + 0.1,
        )  # fmt: skip
        # All pairs are violated, or none.
        worst, best = np.zeros(24, dtype=int), np.zeros(24, dtype=int)
        worst[order[:6, 0]] = 1
        best[order[6:, 0]] = 1
        rows = np.array([worst, best, np.arange(24), rng.integers(0, 5, 24)])
        wrong += within(constraints.violation(rows), 0, 2, "violation")
        wrong += within(constraints.bonus(rows), 0, 2, "bonus")
        assert constraints.violation(rows)[1] == 0.0
    assert not wrong


def test_hypervolume_is_a_share():
    wrong = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        fronts = [rng.random((5, 2)) for _ in range(3)] + [np.array([[0.0, 0.0]])]
        box = front_box(fronts)
        for front in fronts:
            wrong += within(hypervolume(front, box), 0, 1, "hypervolume")
    assert not wrong
