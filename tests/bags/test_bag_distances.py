"""Distances between bags against double loops, definitions and one another."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist, directed_hausdorff

from moo_clustering._kernels import bag_distances as kernels
from moo_clustering._kernels import threads as parts
from moo_clustering.bags import Bags, bag_distances
from moo_clustering.bags import distances as module
from moo_clustering.bags.distances import bag_blocks

KINDS = ["directed", "symmetric", "mean_min", "min_min", "mean"]
TOY = [[[0, 0], [2, 0]], [[0, 1]], [[8, 0], [8, 2], [8, 4]], [[10, 2], [6, 2]], [[4, 10]]]
TOY_DIRECTED = [
    [0, 2.2360679775, 8, 6.3245553203, 10.7703296143],
    [1, 0, 8.0622577483, 6.0827625303, 9.8488578018],
    [7.2111025509, 8.5440037453, 0, 2.8284271247, 10.7703296143],
    [8.2462112512, 10.0498756211, 2, 0, 10],
    [10.1980390272, 9.8488578018, 7.2111025509, 8.2462112512, 0],
]


def naive(A, B, kind):
    out = np.empty((len(A), len(B)))
    for i, a in enumerate(A):
        for j, b in enumerate(B):
            D = cdist(a, b)
            out[i, j] = {
                "directed": D.min(axis=1).max(),
                "symmetric": max(D.min(axis=1).max(), D.min(axis=0).max()),
                "mean_min": D.min(axis=1).mean(),
                "min_min": D.min(),
                "mean": D.mean(),
            }[kind]
    return out


def draw_bags(rng, n_bags, n_features=3, largest=6, integers=False):
    sizes = rng.integers(1, largest + 1, n_bags)
    X = rng.normal(size=(sizes.sum(), n_features))
    X = np.rint(2 * X) if integers else X
    return Bags(X, np.concatenate([[0], np.cumsum(sizes)]))


some_bags = st.builds(
    lambda seed, n_bags, d, largest, integers: draw_bags(
        np.random.default_rng(seed), n_bags, d, largest, integers
    ),
    st.integers(0, 10**6),
    st.integers(1, 7),
    st.integers(1, 4),
    st.integers(1, 9),
    st.booleans(),
)


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def test_toy_matrix_by_hand():
    assert_allclose(bag_distances(TOY), TOY_DIRECTED, atol=1e-10)
    assert_allclose(
        bag_distances(TOY, kind="symmetric"), np.maximum(TOY_DIRECTED, np.transpose(TOY_DIRECTED))
    )
    # d((0,0), (0,1)) = 1 and d((2,0), (0,1)) = sqrt 5.
    assert bag_distances(TOY[:1], TOY[1:2], kind="mean_min")[0, 0] == pytest.approx((1 + 5**0.5) / 2)
    assert bag_distances(TOY[:1], TOY[1:2], kind="min_min")[0, 0] == pytest.approx(1)
    assert bag_distances(TOY[:1], kind="mean")[0, 0] == pytest.approx(1)  # 0, 2, 2 and 0


@pytest.mark.parametrize("rows", [1, 3, 8, 512])
@pytest.mark.parametrize("kind", KINDS)
def test_blocks_of_any_size_agree_with_double_loops(rng, kind, rows, monkeypatch):
    monkeypatch.setattr(module, "BLOCK_ROWS", rows)
    A, B = draw_bags(rng, 9, largest=8), draw_bags(rng, 6, largest=20)
    assert_allclose(bag_distances(A, B, kind=kind), naive(A, B, kind), rtol=1e-12)
    own = bag_distances(B, kind=kind)
    assert_allclose(own, naive(B, B, kind), rtol=1e-12, atol=1e-14)
    if kind != "mean":
        assert_array_equal(np.diagonal(own), 0)
    if kind in ("symmetric", "min_min", "mean"):
        assert_array_equal(own, own.T)


@given(some_bags, st.integers(1, 5), st.sampled_from(KINDS))
@settings(max_examples=60, deadline=None)
def test_double_loops(bags, rows, kind):
    # One million rows would hide the blocks; hypothesis shares fixtures, so the constant is patched by hand.
    before, module.BLOCK_ROWS = module.BLOCK_ROWS, rows
    try:
        assert_allclose(bag_distances(bags, kind=kind), naive(bags, bags, kind), rtol=1e-9, atol=1e-12)
    finally:
        module.BLOCK_ROWS = before


@given(some_bags, st.integers(0, 10**6), st.sampled_from(KINDS))
@settings(max_examples=40, deadline=None)
def test_order_of_bags_and_instances_does_not_matter(bags, seed, kind):
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(bags))
    shuffled = Bags.from_list([rng.permutation(bags[k]) for k in order])
    D = bag_distances(bags, kind=kind)
    assert_allclose(bag_distances(shuffled, kind=kind), D[np.ix_(order, order)], rtol=1e-9, atol=1e-12)
    moved = bags.with_instances(bags.instances + 1e5)
    assert_allclose(bag_distances(moved, kind=kind), D, rtol=1e-9, atol=1e-9)


@given(some_bags, st.sampled_from(["directed", "symmetric", "min_min"]))
@settings(max_examples=30, deadline=None)
def test_duplicates_change_nothing(bags, kind):
    doubled = Bags.from_list([np.concatenate([bag, bag[:1], bag[::-1]]) for bag in bags])
    assert_allclose(
        bag_distances(doubled, bags, kind=kind), bag_distances(bags, kind=kind), rtol=1e-9, atol=1e-12
    )


@given(some_bags)
@settings(max_examples=30, deadline=None)
def test_how_kinds_relate(bags):
    D = {kind: bag_distances(bags, kind=kind) for kind in KINDS}
    slack = 1e-9
    assert np.all(D["min_min"] <= D["mean_min"] + slack)
    assert np.all(D["mean_min"] <= D["directed"] + slack)
    assert np.all(D["mean_min"] <= D["mean"] + slack)
    assert_array_equal(D["symmetric"], np.maximum(D["directed"], D["directed"].T))
    # The directed distance obeys the triangle inequality, a part of a bag is at distance 0 from it.
    H = D["directed"]
    assert np.all(H[:, None, :] <= H[:, :, None] + H[None, :, :] + slack)
    first = Bags.from_list([bag[:1] for bag in bags])
    assert_array_equal(np.diagonal(bag_distances(first, bags)), 0)


@pytest.mark.parametrize("kind", KINDS)
def test_threads_and_memory_change_no_bit(rng, kind, monkeypatch):
    monkeypatch.setattr(parts, "_WORTH_A_THREAD", 0)
    monkeypatch.setattr(module, "BLOCK_ROWS", 32)
    A, B = draw_bags(rng, 40, 11, 12), draw_bags(rng, 20, 11, 70)
    for other in (None, B):
        one = bag_distances(A, other, kind=kind)
        for n_jobs in (1, 2, 3):
            assert_array_equal(bag_distances(A, other, kind=kind, n_jobs=n_jobs), one)
        for memory in (40 * 32**2, np.inf):
            assert_array_equal(bag_distances(A, other, kind=kind, max_memory=memory, n_jobs=2), one)


@pytest.mark.parametrize("sizes", [([4000], [4000]), ([4000], [1] * 4000), ([1] * 4000, [4000])])
@pytest.mark.parametrize("kind", ["symmetric", "mean"])
def test_memory_is_bounded(rng, sizes, kind):
    A, B = (Bags(rng.normal(size=(4000, 2)), np.cumsum([0, *part])) for part in sizes)
    bag_distances(A[:1], B[:1], kind=kind)
    tracemalloc.start()
    bag_distances(A, B, kind=kind, max_memory=500_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 500_000 + 1_500_000  # copies of the data and results; all products would take 128 MB


def test_workers_share_the_memory(monkeypatch):
    seen = []
    monkeypatch.setattr(module, "n_threads", lambda n_jobs: n_jobs)
    monkeypatch.setattr(
        module, "for_parts", lambda kernel, count, n, n_jobs: (seen.append(n_jobs), kernel(0, count))
    )
    bags = Bags(np.zeros((8, 1)), np.arange(9))
    for n_blocks in (1, 3, 100):
        bag_distances(bags, max_memory=n_blocks * 40 * 8**2, n_jobs=6)
    assert seen == [1, 3, 6]


@pytest.mark.parametrize("offset", [0, 1e7])
def test_nothing_is_lost_to_cancellation(rng, offset):
    X = np.rint(rng.uniform(-300, 300, size=(120, 166)))
    X[60:80] = X[:20]  # equal
    X[80:100] = X[:20] + 1e-4 * rng.normal(size=(20, 166))  # hardly different
    bags = Bags(X + offset, np.arange(0, 121, 5))
    exact = bags.instances - offset
    scale = np.abs(exact).max()
    for kind in KINDS:
        expected = naive(bags.with_instances(exact), bags.with_instances(exact), kind)
        assert_allclose(bag_distances(bags, kind=kind), expected, rtol=0, atol=1e-9 * scale)
    H = bag_distances(bags)
    assert_array_equal(H[:4, 12:16][np.eye(4, dtype=bool)], 0)
    assert_allclose(H[:4, 16:20], naive(bags[:4], bags[16:20], "directed"), rtol=1e-9)


def test_musk_as_it_is(data_folder):
    path = data_folder / "mil" / "musk1.npz"
    if not path.is_file():
        pytest.skip("no Musk1 in the data folder")
    bags = Bags.load(path)
    H = bag_distances(bags)
    assert_allclose(H, naive(bags, bags, "directed"), rtol=0, atol=1e-9 * np.abs(bags.instances).max())
    assert H[3, 5] == pytest.approx(directed_hausdorff(bags[3], bags[5])[0])


def test_single_precision_input_is_taken_at_its_value(rng):
    bags = draw_bags(rng, 5)
    single = bags.with_instances(bags.instances.astype(np.float32))
    assert_array_equal(
        bag_distances(single), bag_distances(bags.with_instances(single.instances.astype(float)))
    )


def test_anything_that_makes_bags_is_taken(rng):
    X = rng.normal(size=(6, 2))
    assert_allclose(bag_distances(X), cdist(X, X), atol=1e-12)
    assert bag_distances(X, TOY).shape == (6, 5)
    assert_array_equal(bag_distances(TOY, TOY), bag_distances(TOY))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"kind": "symetric"}, ValueError, "kind must be one of 'directed', .* did you mean 'symmetric'"),
        ({"kind": None}, ValueError, "kind must be one of"),
        ({"B": [[[1, 2, 3]]]}, ValueError, "A has 2 features, but B has 3"),
        ({"max_memory": 39}, ValueError, "max_memory must be at least 40 bytes, got 39"),
        ({"max_memory": float("nan")}, ValueError, "max_memory must be at least"),
        ({"max_memory": "1 GB"}, TypeError, "max_memory must be a number of bytes"),
        ({"B": [[[1e300, 0]]]}, ValueError, "squared distances overflow"),
    ],
)
def test_bad_use(options, error, message):
    with pytest.raises(error, match=message):
        bag_distances(TOY, **options)


def test_blocks_cover_all_rows():
    offsets = np.cumsum([0, 2, 3, 9, 1, 1, 4, 5])
    blocks = bag_blocks(offsets, 5)
    assert [block.bags for block in blocks] == [
        slice(0, 2),
        slice(2, 3),
        slice(3, 5),
        slice(5, 6),
        slice(6, 7),
    ]
    assert [[rows for rows, _ in block.pieces] for block in blocks] == [
        [slice(0, 5)],
        [slice(5, 10), slice(10, 14)],
        [slice(14, 16)],
        [slice(16, 20)],
        [slice(20, 25)],
    ]
    assert [block.pieces[0][1].tolist() for block in blocks] == [
        [0, 2, 5],
        [0, 5],
        [0, 1, 2],
        [0, 4],
        [0, 5],
    ]
    assert [block.n_rows for block in blocks] == [5, 5, 2, 4, 5]


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("near", [False, True])
def test_kernels(rng, compiled, near):
    def run(name, *arguments):
        function = getattr(kernels, name)
        (function if compiled else function.py_func)(*arguments)

    X, Y = rng.normal(size=(7, 3)), rng.normal(size=(9, 3))
    if near:
        Y[:5] = X[:5] + 1e-7
        Y[5] = X[2]
    xs, ys = (X**2).sum(axis=1), (Y**2).sum(axis=1)
    x_bounds, y_bounds = np.array([0, 3, 4, 7]), np.array([0, 2, 9])
    D = cdist(X, Y)
    rows = np.minimum.reduceat(D, y_bounds[:-1], axis=1).T  # (bags of Y, rows of X)
    columns = np.minimum.reduceat(D, x_bounds[:-1], axis=0)  # (bags of X, rows of Y)
    least = np.full((2, 7), np.inf)
    least[1, 0] = 1e-20
    run("nearest_squares", Y @ X.T, X, Y, xs, ys, y_bounds, least)
    assert least[1, 0] <= 1e-20
    least[1, 0] = rows[1, 0] ** 2
    assert_allclose(np.sqrt(least), rows, rtol=1e-8)
    back = np.full((3, 9), np.inf)
    run("nearest_squares_back", Y @ X.T, X, Y, xs, ys, x_bounds, back)
    assert_allclose(np.sqrt(back), columns, rtol=1e-8)
    sums = np.ones((2, 7))
    run("add_distances", Y @ X.T, X, Y, xs, ys, y_bounds, sums)
    assert_allclose(sums, 1 + np.add.reduceat(D, y_bounds[:-1], axis=1).T, rtol=1e-9)
    for how, reduce, values in [
        (kernels.GREATEST, np.maximum, rows),
        (kernels.SMALLEST, np.minimum, rows),
        (kernels.SUM, np.add, rows),
        (kernels.SUM_OF_ROOTS, np.add, rows**2),
    ]:
        out = np.full((3, 2), 1.0)
        run("over_rows", values, x_bounds, how, out)
        assert_allclose(out, reduce(reduce.reduceat(rows, x_bounds[:-1], axis=1).T, 1.0))
