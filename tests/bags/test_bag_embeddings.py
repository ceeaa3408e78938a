"""Distances of bags at once, their kernels and embeddings, against the worked example and double loops."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from moo_clustering.bags import (
    Bags,
    bag_distance_kinds,
    bag_embedding,
    bag_statistics,
    energy_distance,
    gaussian_bag_kernel,
    sliced_quantile_embedding,
)
from moo_clustering.bags import distances as blocks
from moo_clustering.bags.distances import DISTANCE_KINDS, gaussian_scale
from moo_clustering.bags.embeddings import EMBEDDINGS, sliced_directions

EXAMPLE = [[[0.0], [1.0]], [[1.0], [3.0]], [[10.0]]]


def draw_bags(seed, n_bags=9, n_features=3, largest=6):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, largest + 1, n_bags)
    return Bags(rng.normal(size=(sizes.sum(), n_features)), np.concatenate([[0], np.cumsum(sizes)]))


def naive(A, B, directions):
    out = {kind: np.empty((len(A), len(B))) for kind in DISTANCE_KINDS}
    levels = (np.arange(25) + 0.5) / 25
    for i, a in enumerate(A):
        for j, b in enumerate(B):
            D = cdist(a, b)
            out["symmetric"][i, j] = max(D.min(axis=1).max(), D.min(axis=0).max())
            out["average"][i, j] = (D.min(axis=1).mean() + D.min(axis=0).mean()) / 2
            energy = 2 * D.mean() - cdist(a, a).mean() - cdist(b, b).mean()
            out["energy"][i, j] = np.sqrt(max(energy, 0.0))
            gaps = [np.quantile(a @ v, levels) - np.quantile(b @ v, levels) for v in directions]
            out["sliced"][i, j] = np.sqrt(a.shape[1] * np.mean(np.square(gaps)))
    return out


def upper(D):
    return [D[0, 1], D[0, 2], D[1, 2]]


def test_worked_example():
    D = bag_distance_kinds(EXAMPLE, rng=np.random.default_rng(3))
    assert list(D) == ["symmetric", "average", "energy", "sliced"]
    assert_allclose(upper(D["symmetric"]), [2, 10, 9], rtol=1e-14)
    assert_allclose(upper(D["average"]), [0.75, 9.25, 7.5], rtol=1e-14)
    assert_allclose(upper(D["energy"]), [1.2247448714, 4.3011626335, 3.8729833462], atol=5e-11)
    assert_allclose(D["energy"][0, 1:] ** 2, [1.5, 18.5], rtol=1e-13)
    assert D["sliced"][0, 1] == pytest.approx(1.5274815874, abs=1e-8)
    assert_allclose(D["sliced"][:2, 2], [9.504378, 8.020773], atol=1e-6)
    for matrix in D.values():
        assert_array_equal(matrix, matrix.T)
        assert_array_equal(np.diagonal(matrix), 0)


def test_worked_example_kernel():
    E = energy_distance(EXAMPLE)
    assert gaussian_scale(E) == pytest.approx(15**0.5)
    kernel = gaussian_bag_kernel(E)
    assert_allclose(upper(kernel), [0.9048374180, 0.2913198922, np.exp(-1)], atol=5e-11)
    assert_array_equal(np.diagonal(kernel), 1)


@pytest.fixture(scope="module")
def looped():
    """Bags, others or None, directions, and distances by double loops."""
    A, B = draw_bags(0), draw_bags(1, n_bags=5, largest=20)
    directions = sliced_directions(3, np.random.default_rng(2))
    return [(A, other, directions, naive(A, A if other is None else B, directions)) for other in (None, B)]


@pytest.mark.parametrize("rows", [1, 3, 8, 512])
def test_blocks_of_any_size_agree_with_double_loops(looped, rows, monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_ROWS", rows)
    for A, other, directions, expected in looped:
        found = bag_distance_kinds(A, other, directions=directions)
        for kind in DISTANCE_KINDS:
            assert_allclose(found[kind], expected[kind], rtol=1e-9, atol=1e-7, err_msg=kind)
            alone = bag_distance_kinds(A, other, kinds=[kind], directions=directions)
            assert list(alone) == [kind]
            assert_array_equal(alone[kind], found[kind])


def test_distances_to_the_same_bags_as_others():
    A = draw_bags(4)
    directions = sliced_directions(3, np.random.default_rng(2))
    own = bag_distance_kinds(A, directions=directions)
    across = bag_distance_kinds(A, Bags.from_list(list(A)), directions=directions)
    for kind in DISTANCE_KINDS:
        assert_allclose(across[kind], own[kind], atol=1e-7)


def test_threads_change_nothing(monkeypatch):
    A = draw_bags(5, n_bags=30)
    monkeypatch.setattr(blocks, "BLOCK_ROWS", 8)
    monkeypatch.setattr("moo_clustering._kernels.threads._WORTH_A_THREAD", 0)
    one, two = (bag_distance_kinds(A, rng=np.random.default_rng(0), n_jobs=n) for n in (1, 2))
    for kind in DISTANCE_KINDS:
        assert_array_equal(one[kind], two[kind])


@given(st.integers(0, 10**6), st.integers(1, 4))
@settings(max_examples=20, deadline=None)
def test_order_of_bags_and_replicated_instances(seed, times):
    bags = draw_bags(seed, n_bags=6)
    rng = np.random.default_rng(seed)
    directions = sliced_directions(3, rng)
    order = rng.permutation(len(bags))
    D = bag_distance_kinds(bags, directions=directions)
    shuffled = bag_distance_kinds([rng.permutation(bags[k]) for k in order], directions=directions)
    replicated = bag_distance_kinds(
        [np.repeat(bag, times, axis=0) for bag in bags], kinds=("symmetric", "average", "energy")
    )
    for kind in DISTANCE_KINDS:
        assert_allclose(shuffled[kind], D[kind][np.ix_(order, order)], atol=1e-7)
    for kind, matrix in replicated.items():
        assert_allclose(matrix, D[kind], atol=1e-7)


@given(st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_kernels_are_positive_semidefinite(seed):
    bags = draw_bags(seed, n_bags=25, n_features=4)
    D = bag_distance_kinds(bags, kinds=("energy", "sliced"), rng=np.random.default_rng(seed))
    for matrix in D.values():
        assert np.linalg.eigvalsh(gaussian_bag_kernel(matrix)).min() >= -1e-8 * 25
        # -D^2 is positive semidefinite after centring exactly if D is a distance of a Hilbert space.
        centre = np.eye(25) - 1 / 25
        assert np.linalg.eigvalsh(-centre @ matrix**2 @ centre).min() >= -1e-9 * matrix.max() ** 2 * 25


def test_identical_bags_and_single_instances():
    bag = np.random.default_rng(0).normal(size=(7, 3))
    D = bag_distance_kinds([bag, [[5.0, 5, 5]], bag[::-1], [[5.0, 5, 8]]], rng=np.random.default_rng(1))
    for kind, matrix in D.items():
        assert matrix[0, 2] == 0, kind
        assert_allclose(matrix[0], matrix[2], rtol=1e-13)
    assert D["symmetric"][1, 3] == pytest.approx(3)
    assert D["average"][1, 3] == pytest.approx(3)
    assert D["energy"][1, 3] == pytest.approx(6**0.5)  # 2 |x - y|


def test_all_bags_the_same():
    D = bag_distance_kinds([[[1.0, 2.0]]] * 4)
    for matrix in D.values():
        assert_array_equal(matrix, 0)
        assert_array_equal(gaussian_bag_kernel(matrix), 1)


def test_large_offset_costs_no_digits():
    bags = draw_bags(8)
    moved = bags.with_instances(bags.instances + 1e6)
    assert_allclose(energy_distance(moved), energy_distance(bags), atol=1e-5)


def test_statistics_by_hand():
    bags = [[[0.0, 5.0], [2.0, 7.0], [1.0, 0.0]], [[4.0, 4.0]]]
    assert bag_statistics(bags).tolist() == [[1, 4, 0, 0, 2, 7], [4, 4, 4, 4, 4, 4]]
    assert bag_statistics(bags, statistics=("max", "mean")).tolist() == [[2, 7, 1, 4], [4, 4, 4, 4]]
    with pytest.raises(ValueError, match="mean"):
        bag_statistics(bags, statistics=("mena",))
    with pytest.raises(ValueError, match="statistics"):
        bag_statistics(bags, statistics="mean")


def test_embeddings():
    bags = draw_bags(6, n_bags=12, n_features=2)
    constant = bags.with_instances(np.column_stack([bags.instances, np.ones(bags.n_instances)]))
    table = bag_statistics(constant)
    stats = bag_embedding(constant, "stats")
    spread = table.std(axis=0)
    assert_allclose(stats, (table - table.mean(axis=0)) / np.where(spread > 0, spread, 1))
    assert_array_equal(bag_embedding(constant, "mean"), constant.means())
    components = bag_embedding(constant, "stats_pca")
    assert components.shape == (12, 9)
    assert_allclose(components @ components.T, stats @ stats.T, atol=1e-9)  # nothing lost here
    D = bag_distance_kinds(bags, kinds=["symmetric"])["symmetric"]
    assert bag_embedding(bags, "prototypes", symmetric=D) is D
    with pytest.raises(ValueError, match="symmetric"):
        bag_embedding(bags, "prototypes")
    with pytest.raises(ValueError, match="did you mean"):
        bag_embedding(bags, "statz")
    assert len(EMBEDDINGS) == 4
    assert_array_equal(bag_embedding([[[1.0]]] * 3, "stats_pca"), np.zeros((3, 1)))


def test_new_bags_in_known_directions():
    directions = sliced_directions(3, np.random.default_rng(0))
    assert_allclose(np.linalg.norm(directions, axis=1), 1)
    bags = draw_bags(2)
    vectors = sliced_quantile_embedding(bags, directions=directions)
    assert vectors.shape == (9, 1500)
    assert_allclose(sliced_quantile_embedding(bags[3:5], directions=directions), vectors[3:5], rtol=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bag_distance_kinds(EXAMPLE, kinds=("energie",)), "every entry of kinds must be one of"),
        (lambda: bag_distance_kinds(EXAMPLE, kinds="energy"), "sequence"),
        (lambda: bag_distance_kinds(EXAMPLE, [[[1.0, 2.0]]]), "features"),
        (lambda: sliced_quantile_embedding(EXAMPLE, directions=[[1.0, 0.0]]), "directions"),
        (lambda: sliced_quantile_embedding(EXAMPLE, n_quantiles=0), "n_quantiles"),
        (lambda: gaussian_bag_kernel([[0.0, -1.0]]), "negative"),
        (lambda: gaussian_bag_kernel([[0.0, 1.0]], scale=0.0), "scale"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_directions_of_an_embedding_are_drawn_from_the_generator():
    bags = draw_bags(0)
    drawn = sliced_quantile_embedding(bags, n_directions=4, n_quantiles=3, rng=np.random.default_rng(5))
    directions = sliced_directions(3, np.random.default_rng(5), n_directions=4)
    assert_array_equal(drawn, sliced_quantile_embedding(bags, n_quantiles=3, directions=directions))
    # Without a generator they differ from call to call.
    one, other = (sliced_quantile_embedding(bags, n_directions=4, n_quantiles=3) for _ in range(2))
    assert one.shape == other.shape == (9, 12)
    assert (one != other).any()


@pytest.mark.parametrize("directions", [[1.0, 0.0, 0.0], np.empty((0, 3)), [[1.0, 0.0]]])
def test_directions_that_do_not_fit(directions):
    shape = str(np.shape(directions)).replace("(", r"\(").replace(")", r"\)")
    with pytest.raises(ValueError, match=rf"directions must have shape \(n_directions, 3\).*; got {shape}"):
        sliced_quantile_embedding(draw_bags(0), directions=directions)
