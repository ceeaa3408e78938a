"""Instances left out are never the farthest."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from moo_clustering._kernels import bag_distances as kernels
from moo_clustering.bags import BagGeometry, Bags, BagTransformer, farthest_candidates
from moo_clustering.bags import geometry as module


@pytest.fixture
def rng():
    return np.random.default_rng(3)


def draw_bags(rng, n_bags=15, n_features=2, largest=12, integers=False):
    # Two instances are equally far from their mean, up to rounding: not a case for exact comparisons.
    sizes = rng.choice([1, *range(3, largest + 1)], n_bags)
    X = np.repeat(rng.normal(size=(n_bags, n_features)), sizes, axis=0)
    X += rng.normal(size=X.shape)
    return Bags(np.rint(2 * X) if integers else X, np.concatenate([[0], np.cumsum(sizes)]))


def pruned(bags, s=1):
    return farthest_candidates(bags.instances, bags.offsets, bags.means(), min_cluster_size=s)


def naive(bags, s=1):
    """The definition, for data without ties."""
    V = cdist(bags.instances, bags.means(), "sqeuclidean")
    kept = np.ones(len(V), dtype=bool)
    for lo, hi in zip(bags.offsets[:-1], bags.offsets[1:], strict=True):
        for x in range(lo, hi):
            for other in range(lo, hi):
                gains = np.sort(V[x] - V[other])[::-1]
                if other != x and gains[:s].mean() <= 0:
                    kept[x] = False
    return kept


def capped_weights(rng, n_means, s, count):
    """Random convex weights of at most 1/s: means of random clusters of s or more, and mixtures of them."""
    weights = np.zeros((count, n_means))
    for row in weights:
        chosen = rng.choice(n_means, rng.integers(s, n_means + 1), replace=False)
        row[chosen] = 1 / len(chosen)
    mixtures = rng.dirichlet(np.ones(count), size=count)
    return np.concatenate([weights, mixtures @ weights])


def radii(bags, kept, centroids):
    D = np.where(kept[:, None], cdist(bags.instances, centroids), -np.inf)
    return np.maximum.reduceat(D, bags.offsets[:-1], axis=0)


@pytest.mark.parametrize("s", [1, 2, 5, 15, 40])
@pytest.mark.parametrize("n_features", [1, 2, 6])
def test_definition(rng, s, n_features):
    bags = draw_bags(rng, n_features=n_features)
    expected = naive(bags, min(s, 15))
    assert_array_equal(pruned(bags, s), expected)
    assert not expected.all()
    assert np.all(np.add.reduceat(expected, bags.offsets[:-1]) >= 1)


@given(
    st.integers(0, 10**6),
    st.integers(1, 6),
    st.integers(1, 4),
    st.booleans(),
    st.sampled_from([1, 7, 1 << 22]),
)
@settings(max_examples=60, deadline=None)
def test_farthest_distances_stay(seed, s, n_features, integers, table):
    rng = np.random.default_rng(seed)
    bags = draw_bags(rng, rng.integers(s, 12), n_features, integers=integers)
    before, module.TABLE_ITEMS = module.TABLE_ITEMS, table
    try:
        kept = pruned(bags, s)
    finally:
        module.TABLE_ITEMS = before
    weights = capped_weights(rng, bags.n_bags, s, 40)
    if s == 1:
        weights = np.concatenate([weights, np.eye(bags.n_bags), rng.dirichlet(np.full(bags.n_bags, 0.2), 40)])
    centroids = weights @ bags.means()
    everything = radii(bags, np.ones(bags.n_instances, dtype=bool), centroids)
    assert_array_equal(radii(bags, kept, centroids), everything)


def test_parts_of_a_large_bag_leave_out_less_but_nothing_wrong(rng, monkeypatch):
    bags = Bags(rng.normal(size=(300, 2)), [0, 1, 3, 300])
    full = pruned(bags)
    monkeypatch.setattr(module, "TABLE_ITEMS", 60)  # parts of 20
    parts = pruned(bags)
    assert np.all(parts[full])
    assert parts.sum() < 60


def test_a_bag_of_two_keeps_what_only_its_own_mean_cannot_tell(rng):
    # The distances from their own mean tie, but that of rounding; to be safe both may be kept.
    bags = Bags(rng.normal(size=(40, 2)), np.arange(0, 41, 2))
    assert np.all(pruned(bags) >= naive(bags))


@pytest.mark.parametrize("s", [1, 3])
def test_of_equal_instances_the_first_is_kept(rng, s):
    bags = draw_bags(rng)
    kept = pruned(bags, s)
    doubled = Bags.from_list([np.concatenate([bag, bag[::-1]]) for bag in bags])
    # Means as before: what is doubled has the same mean up to rounding.
    again = farthest_candidates(doubled.instances, doubled.offsets, bags.means(), min_cluster_size=s)
    expected = [np.r_[part, np.zeros_like(part)] for part in np.split(kept, bags.offsets[1:-1])]
    assert_array_equal(again, np.concatenate(expected))
    same = np.ones((5, 2))
    assert_array_equal(farthest_candidates(same, [0, 3, 5], same[:2]), [True, False, False, True, False])


def test_ties_never_leave_a_bag_empty():
    # All four are equally far from the only mean, and none may be left out by all others together.
    square = np.array([[1.0, 1], [1, -1], [-1, 1], [-1, -1], [0, 0]])
    kept = farthest_candidates(square, [0, 5], square.mean(axis=0)[None])
    assert kept[:4].any()
    assert not kept[4]
    centre = np.zeros((1, 2))
    assert_allclose(radii(Bags(square, [0, 5]), kept, centre), np.sqrt(2))


def test_what_counts_is_the_greatest_difference_or_the_mean_of_some():
    # x = 0 is farther than x = -1.5 from the mean -2 alone; on average over two means it never is.
    means = np.array([[-2.0], [2], [3]])
    rows = np.array([[0.0], [-1.5]])
    assert_array_equal(farthest_candidates(rows, [0, 2], means), [True, True])
    assert_array_equal(farthest_candidates(rows, [0, 2], means, min_cluster_size=2), [False, True])


def test_origin_does_not_matter(rng):
    bags = draw_bags(rng)
    moved = bags.with_instances(bags.instances + 1000)
    assert_array_equal(pruned(moved), pruned(bags))
    assert pruned(moved, 4).sum() < pruned(moved).sum()


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"X": np.zeros(3)}, ValueError, "equal width|2D array"),
        ({"means": np.zeros((2, 3))}, ValueError, r"got shapes \(4, 2\) and \(2, 3\)"),
        ({"means": np.zeros((0, 2))}, ValueError, "must be matrices"),
        ({"min_cluster_size": 0}, ValueError, "min_cluster_size must be an integer of at least 1, got 0"),
        (
            {"min_cluster_size": 1.5},
            TypeError,
            r"min_cluster_size must be an integer of at least 1, got 1\.5",
        ),
        ({"min_cluster_size": True}, TypeError, "min_cluster_size must be an integer"),
        ({"offsets": [0, 3]}, ValueError, "offsets must end at the number of instances, 4"),
    ],
)
def test_bad_use(changed, error, message):
    valid = {"X": np.zeros((4, 2)), "offsets": [0, 4], "means": np.zeros((1, 2))}
    with pytest.raises(error, match=message):
        farthest_candidates(**(valid | changed))


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("count", [1, 2, 7, 19, 20])
def test_largest_first(rng, compiled, count):
    select = kernels._largest_first if compiled else kernels._largest_first.py_func
    for gains in (rng.normal(size=20), rng.integers(0, 3, 20).astype(float), np.zeros(20)):
        values, bags = gains.copy(), np.arange(20)
        select(values, bags, count)
        assert_array_equal(np.sort(values[:count]), np.sort(gains)[20 - count :])
        assert_array_equal(gains[bags], values)


@pytest.mark.parametrize(
    ("name", "s", "share"),
    [
        ("musk1", 1, 0.92),
        ("mutatoms", 1, 0.61),
        ("mutchains", 1, 0.30),
        ("img_elephant", 1, 0.68),
        ("img_tiger", 1, 0.73),
        ("mutchains", 10, 0.09),
    ],
)
def test_kept_shares_of_known_sets(data_folder, name, s, share):
    path = data_folder / "mil" / f"{name}.npz"
    if not path.is_file():
        pytest.skip(f"no {name} in the data folder")
    bags = BagTransformer().fit_transform(Bags.load(path))
    assert pruned(bags, s).mean() == pytest.approx(share, abs=0.006)


def test_few_means_first_change_nothing(rng, monkeypatch):
    bags = draw_bags(rng, n_bags=60)
    expected = [pruned(bags, s) for s in (1, 4)]
    monkeypatch.setattr(module, "_FEW_MEANS", 9)
    for s, kept in zip((1, 4), expected, strict=True):
        assert_array_equal(pruned(bags, s), kept)


def test_products_in_parts_are_those_of_means_and_instances_for_any_number_of_threads(rng):
    X = rng.normal(size=(3000, 20))
    bags = Bags(X, np.arange(0, 3001, 10))
    geometries = [BagGeometry(bags, prune=False, n_jobs=n_jobs) for n_jobs in (1, 3)]
    one, three = (geometry.arrays.products for geometry in geometries)
    assert_array_equal(one, three)
    assert_allclose(
        one.transpose(0, 2, 1).reshape(300, -1), geometries[0].means @ (X - X.mean(axis=0)).T, atol=1e-12
    )


@pytest.mark.parametrize("weighting", ["bag", "instance"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_sums_over_clusters_are_those_of_the_products_with_many_bags_too(rng, weighting, dtype, monkeypatch):
    geometry = BagGeometry(draw_bags(rng, n_bags=70), weighting=weighting, dtype=dtype)
    labels = rng.integers(0, 4, size=(5, 70)).astype(np.int32)
    labels[labels == 2] = 3  # an empty cluster
    short = geometry.sums(labels, 4)
    monkeypatch.setattr(module, "_MANY_BAGS", np.inf)
    one_hot = (labels[:, None] == np.arange(4)[:, None]).astype(float)
    products = np.einsum("pkb,bsc->pksc", one_hot, geometry.arrays.products)
    for sums in (short, geometry.sums(labels, 4)):
        assert_allclose(sums[2], products, rtol=0, atol=1e-12 if dtype == "float64" else 1e-4)
        assert_allclose(sums[3], one_hot @ geometry.arrays.pulls, rtol=0, atol=1e-10)
    alone = geometry.sums(labels[2:3], 4)
    assert_array_equal(alone[2][0], sums[2][2])
