"""Encoding of connected regions: every individual is feasible, and what has no feasible plan is refused."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moo_clustering.constraints import ClusterWeights, Contiguity
from moo_clustering.encodings import RegionEncoding, align_labels

GRID = nx.to_scipy_sparse_array(nx.grid_2d_graph(8, 8), format="csr")
PATH = nx.to_scipy_sparse_array(nx.path_graph(10), format="csr")
SEEDS = st.integers(0, 2**32 - 1)


def weighted(seed, tolerance=0.3, k=5):
    weight = np.random.default_rng(seed).integers(1, 6, size=64).astype(float)
    mean = weight.sum() / k
    bounds = {"low": (1 - tolerance) * mean, "high": (1 + tolerance) * mean}
    return RegionEncoding(GRID, k, weight=weight, **bounds)


def broken(encoding, X, graph=GRID):
    """Violations by the limits, which are written independently."""
    labels = encoding.decode(X)
    limits = Contiguity(graph), ClusterWeights(encoding.weight, encoding.low or None, encoding.high)
    return sum(limit.violations(labels) for limit in limits)


@given(seed=SEEDS)
@settings(max_examples=15, deadline=None)
def test_random_and_repaired_plans_are_feasible(seed):
    encoding, rng = weighted(seed), np.random.default_rng(seed)
    X = encoding.random(4, rng)
    noise = np.where(rng.random(X.shape) < 0.1, rng.integers(0, 5, X.shape), X)
    for plans in (X, encoding.repair(noise), encoding.repair(rng.integers(0, 5, X.shape))):
        assert encoding.is_feasible(plans).all()
        assert not broken(encoding, plans).any()
        assert (encoding.decode(plans).max(axis=1) == 4).all()
    assert (
        encoding.is_feasible(noise).tolist()
        == ((broken(encoding, noise) == 0) & ([len(set(row)) == 5 for row in noise.tolist()])).tolist()
    )


def test_repair_moves_few_areas_of_a_plan_that_is_nearly_feasible():
    encoding = weighted(0)
    for plan in encoding.random(10, np.random.default_rng(1)):
        other = plan.copy()
        other[[0, 63]] = plan[[63, 0]]
        assert (align_labels(plan, encoding.repair(other[None])[0]) != plan).sum() <= 3


@pytest.mark.parametrize("cut", [1, 3, 6, 8])
def test_repair_of_a_path_moves_as_few_areas_as_possible(cut):
    encoding = RegionEncoding(PATH, 2, low=4, high=6)
    nearest = min(max(cut, 4), 6)
    last = np.repeat([0, 1], [cut, 10 - cut])
    assert align_labels(last, encoding.mend(last)).tolist() == [0] * nearest + [1] * (10 - nearest)


def test_repair_after_a_change_of_the_weights_moves_few_areas():
    side, changed = 20, []
    graph = nx.to_scipy_sparse_array(nx.grid_2d_graph(side, side), format="csr")
    for seed in range(5):
        rng = np.random.default_rng(seed)
        weight = rng.lognormal(sigma=0.5, size=side**2)
        low, high = 0.85 * weight.sum() / 8, 1.15 * weight.sum() / 8
        last = RegionEncoding(graph, 8, weight=weight, low=low, high=high).random(1, rng)[0]
        weight *= np.exp(rng.normal(scale=0.15, size=side**2))
        encoding = RegionEncoding(graph, 8, weight=weight, low=low, high=high)
        plan = encoding.mend(last)
        assert encoding.is_feasible(plan[None])[0]
        changed.append(float((align_labels(plan, last) != plan).mean()))
    assert np.mean(changed) < 0.02


def test_labels_that_no_plan_has_are_mended():
    encoding = RegionEncoding(PATH, 2, low=4, high=6)
    # Three regions, areas without one, one region in two pieces.
    for labels in (
        [0, 0, 0, 1, 1, 1, 2, 2, 2, 2],
        [-1, 0, 0, 0, -1, 1, 1, 1, -1, -1],
        [0, 0, 0, 1, 1, 1, 1, 0, 0, 0],
    ):
        plan = encoding.mend(np.array(labels))
        assert encoding.is_feasible(plan[None])[0]
    assert encoding.mend(np.array([0] * 5 + [1] * 5)).tolist() == [0] * 5 + [1] * 5


def test_components_are_divided_separately():
    graph = nx.to_scipy_sparse_array(
        nx.disjoint_union_all([nx.grid_2d_graph(4, 5), nx.path_graph(10), nx.path_graph(1)]), format="csr"
    )
    encoding = RegionEncoding(graph, 4, low=1, high=14)
    assert encoding.n_regions_of.tolist() == [2, 1, 1]
    X = encoding.random(5, np.random.default_rng(0))
    assert not broken(encoding, X, graph).any()
    assert not broken(encoding, encoding.repair(np.zeros((1, 31))), graph).any()
    plan = encoding.repair(np.array([[*[0] * 20, *[1] * 5, *[2] * 5, 3]]))
    assert RegionEncoding(graph, 4, plan=plan[0]).n_regions_of.tolist() == [2, 1, 1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_regions": 11}, "n_regions must be an integer from 1 to 10, the number of areas, got 11"),
        ({"weight": np.ones(9)}, r"weight must have one value per area \(10\), got 9"),
        ({"weight": -np.ones(10)}, "weight must be non-negative, got -1 for area 0"),
        ({"weight": np.arange(10.0), "high": 5}, "area 9 alone weighs 9, more than high=5"),
        ({"low": 4, "high": 2}, "low must be between 0 and high, got low=4 and high=2"),
        ({"low": 6}, "2 regions with loads from 6 to inf are impossible, .*components allow 1 to 1 regions;"),
        ({"low": 5, "high": 5, "weight": [2.0] * 5 + [0.0] * 5}, "found no plan of 2 connected regions"),
        ({"plan": [0, 1] * 5}, "plan must have n_regions connected regions"),
    ],
)  # fmt: skip
def test_what_has_no_plan_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        RegionEncoding(PATH, **{"n_regions": 2, **options})


def test_islands_and_asymmetric_graphs_are_refused():
    island = nx.to_scipy_sparse_array(nx.disjoint_union(nx.path_graph(9), nx.path_graph(1)))
    with pytest.raises(ValueError, match="the island with area 9 weighs 1, which cannot be divided"):
        RegionEncoding(island, 2, low=3, high=9)
    with pytest.raises(ValueError, match="the graph has 2 connected components, more than n_regions=1"):
        RegionEncoding(island, 1)
    with pytest.raises(ValueError, match="graph must be symmetric"):
        RegionEncoding(np.triu(np.ones((4, 4))), 2)
