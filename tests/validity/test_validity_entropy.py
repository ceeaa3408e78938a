"""Entropy of classes within clusters."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import entropy

from moo_clustering.validity import cluster_entropy


def test_worked_values():
    assert cluster_entropy(list("aabbbb"), [0, 0, 0, 1, 1, 1]) == pytest.approx(0.459147917, abs=1e-9)
    nats = cluster_entropy(list("aabbbb"), [0, 0, 0, 1, 1, 1], base=math.e)
    assert nats == pytest.approx(0.318257084, abs=1e-9)


@pytest.mark.parametrize(
    ("true", "predicted", "expected"),
    [
        ((1, 1, 0, 0, 1), (0, 0, 1, 1, 1), 0.5509775004),
        ((0, 0, 0, 1), (0, 1, 1, 1), 0.6887218755),
        ([1] * 10 + [0] * 10, [0] + [1] * 19, 0.9481008397),
    ],
)
def test_worked_values_of_entropy(true, predicted, expected):
    assert cluster_entropy(true, predicted) == pytest.approx(expected, abs=1e-10)


# Table 1 of the NSGA-II-clus paper: policy -> documents
POLICIES = {
    "education": [1080, 1178],
    "behavior": [8545, 4123, 5523],
    "speech": [1080, 8545],
    "social": [5523, 3321, 6434],
    "medication": [8545, 3321, 6434, 6755],
}
DOCUMENTS = sorted({d for docs in POLICIES.values() for d in docs})
GOLD = [[p for p, docs in POLICIES.items() if d in docs] for d in DOCUMENTS]


def test_overlapping_classes_of_table_1():
    assert len(DOCUMENTS) == 8
    assert cluster_entropy(GOLD, [0] * 8) == pytest.approx(2.251108184, abs=1e-9)
    assert cluster_entropy(GOLD, range(8)) == pytest.approx(0.698120313, abs=1e-9)
    split = [int(d in (1080, 1178)) for d in DOCUMENTS]
    assert cluster_entropy(GOLD, split) == pytest.approx(1.540970746, abs=1e-9)


def naive(gold, labels, multilabel):
    n, total = len(labels), 0.0
    for c in set(labels):
        members = [g for g, label in zip(gold, labels, strict=True) if label == c]
        weights: dict[object, float] = {}
        for g in members:
            counted = g[:1] if multilabel == "first" else g
            for label in counted:
                weights[label] = weights.get(label, 0) + (1 / len(g) if multilabel == "fractional" else 1)
        whole = sum(weights.values())
        total += len(members) / n * -sum(w / whole * math.log2(w / whole) for w in weights.values())
    return total


@pytest.mark.parametrize("multilabel", ["fractional", "count", "first"])
def test_three_readings_of_overlap(multilabel):
    rng = np.random.default_rng(0)
    gold = [list(rng.permutation(5)[: rng.integers(1, 4)]) for _ in range(30)]
    labels = [int(c) for c in rng.integers(0, 4, 30)]
    found = cluster_entropy(gold, labels, multilabel=multilabel)
    assert found == pytest.approx(naive(gold, labels, multilabel), rel=1e-12)
    readings = {m: cluster_entropy(gold, labels, multilabel=m) for m in ("fractional", "count", "first")}
    assert len({round(v, 9) for v in readings.values()}) == 3


def test_one_cluster_is_the_entropy_of_the_classes_and_pure_clusters_have_none():
    rng = np.random.default_rng(1)
    true = rng.integers(0, 6, 200)
    assert cluster_entropy(true, np.zeros(200), base=math.e) == pytest.approx(
        entropy(np.bincount(true)), rel=1e-12
    )
    assert cluster_entropy(true, 10 - true) == 0.0
    assert cluster_entropy(true, np.arange(200)) == 0.0


def test_forms_of_label_sets():
    expected = cluster_entropy([["a", "b"], ["b"], ["a"]], [0, 0, 1])
    assert cluster_entropy([{"a", "b"}, {"b"}, {"a"}], [0, 0, 1]) == expected
    assert cluster_entropy([("a", "b"), "b", "a"], [0, 0, 1]) == expected
    assert cluster_entropy([np.array(["a", "b", "a"]), ["b"], frozenset("a")], [0, 0, 1]) == expected


def test_wrong_input_is_refused():
    for args, kwargs, message in [
        (([0, 1], [0]), {}, "equal lengths"),
        (([["a"], []], [0, 1]), {}, "sample 1 has none"),
        (([{"a", "b"}, {"a"}], [0, 1]), {"multilabel": "first"}, "ordered"),
        (([0, 1], [0, 1]), {"multilabel": "mean"}, "multilabel must be one of"),
        (([0, 1], [0, 1]), {"base": 1}, "base"),
        (([0, 1], [0, 1]), {"base": -2}, "base"),
        ((np.zeros((2, 2)), [0, 1]), {}, "list of lists"),
        (([0.0, np.nan], [0, 1]), {}, "NaN"),
    ]:
        with pytest.raises(ValueError, match=message):
            cluster_entropy(*args, **kwargs)


def test_a_million_samples():
    true = np.arange(1_000_000) % 4
    assert cluster_entropy(true, true // 2) == pytest.approx(1.0, rel=1e-12)
