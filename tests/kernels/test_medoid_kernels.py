"""Compiled loops over medoid sets against plain NumPy."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist

from moo_clustering._kernels import medoids
from moo_clustering._kernels import medoids as medoid_vectors
from moo_clustering._kernels import threads as parts
from moo_clustering._kernels.medoids import COSINE, EUCLIDEAN, SQUARED

N, P, K = 41, 9, 6


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def D(rng):
    x = rng.integers(0, 6, size=(N, 2)).astype(float)  # integers: many ties, exact sums
    return cdist(x, x, "cityblock")


def draw_sets(rng, n=N, p=P, k=K):
    sets = np.full((p, k), -1)
    for row in sets:
        size = rng.integers(2, k + 1)
        row[:size] = rng.choice(n, size, replace=False)
    return sets


def argmin_labels(D, row):
    return D[:, row[row >= 0]].argmin(axis=1)


def assigned(rows_of, sets, n, dtype=np.float64):
    nearest = np.full((len(sets), n), np.inf, dtype=dtype)
    labels = np.full((len(sets), n), 99, dtype=np.int32)
    for rows, index in rows_of:
        medoids.nearest_medoids(rows, index, nearest, labels, 0, len(sets))
    return labels, nearest


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("chunk", [7, 8192])
def test_assignment_is_the_first_least_column(D, rng, dtype, chunk, monkeypatch):
    sets = draw_sets(rng)
    # The chunk length is a constant of the compiled code; the plain function shows it changes nothing.
    kernel = medoids.nearest_medoids if chunk == 8192 else medoids.nearest_medoids.py_func
    monkeypatch.setattr(medoids, "_CHUNK", chunk)
    nearest = np.full((P, N), np.inf, dtype=dtype)
    labels = np.full((P, N), 99, dtype=np.int32)
    kernel(D.astype(dtype), sets, nearest, labels, 0, P)
    assert_array_equal(labels, [argmin_labels(D, row) for row in sets])
    assert_array_equal(nearest, [D[:, row[row >= 0]].min(axis=1) for row in sets])


def test_assignment_does_not_depend_on_how_rows_are_split(D, rng):
    sets = draw_sets(rng)
    ids = rng.permutation(N)
    blocks = []
    for some in np.array_split(ids, 5):
        index = np.full(sets.shape, -1)
        for place, i in enumerate(some):
            index[sets == i] = place
        blocks.append((D[some], index))
    labels, nearest = assigned(blocks, sets, N)
    assert_array_equal(labels, assigned([(D, sets)], sets, N)[0])
    assert_array_equal(nearest, assigned([(D, sets)], sets, N)[1])


def lists(labels, k):
    order = np.empty(labels.shape, dtype=np.int32)
    starts = np.empty((len(labels), k + 1), dtype=np.int32)
    medoids.member_lists(labels, order, starts)
    return order, starts


def test_member_lists(rng):
    labels = rng.integers(0, K, size=(P, N)).astype(np.uint8)
    labels[0] = 3  # empty clusters before and after
    order, starts = lists(labels, K)
    for q in range(P):
        for c in range(K):
            assert_array_equal(order[q, starts[q, c] : starts[q, c + 1]], np.flatnonzero(labels[q] == c))


def test_keys_tell_sets_of_members_apart(rng):
    salts = rng.integers(0, 2**64, size=(N, 2), dtype=np.uint64)
    labels = np.zeros((3, N), dtype=np.uint8)
    labels[0, 5:] = 1
    labels[1, :5] = 1  # the same clusters by other names
    labels[2, 6:] = 1
    keys = np.zeros((3, 2, 2), dtype=np.uint64)
    medoids.cluster_keys(labels, salts, keys)
    assert_array_equal(keys[0], keys[1][::-1])
    assert not (keys[0] == keys[2]).any()
    assert_array_equal(keys[2, 0], salts[:6].sum(axis=0))


def in_planes(whole):
    """Numbers below 256 bit by bit, by the bit operations of NumPy."""
    n = -(-whole.shape[1] // 64) * 64
    padded = np.zeros((len(whole), n), dtype=np.uint8)
    padded[:, : whole.shape[1]] = whole
    planes = [np.packbits(padded >> bit & 1, axis=1, bitorder="little") for bit in range(7, -1, -1)]
    return np.ascontiguousarray(np.stack(planes, axis=1)).view("<u8")


@pytest.mark.parametrize("n", [1, 64, 65, 130])
def test_planes_hold_whole_steps_rounded_down(rng, n):
    D = rng.random((7, n))
    step = 0.75 / 255
    planes = np.empty((7, medoids.PLANES, -(-n // 64)), dtype=np.uint64)
    for lo, hi in ((0, 2), (2, 7)):
        medoids.coarse_planes(D, step, planes, lo, hi)
    assert_array_equal(planes, in_planes(np.minimum(D // step, 255)))  # the greatest are cut off


def masks_of(labels, k):
    masks = np.zeros((len(labels), k, -(-labels.shape[1] // 64)), dtype=np.uint64)
    medoids.cluster_masks(labels, masks)
    return masks


def test_masks_have_a_bit_for_every_member(rng):
    labels = rng.integers(0, K, size=(P, 150)).astype(np.uint8)
    bits = np.unpackbits(masks_of(labels, K).view(np.uint8), axis=2, bitorder="little")
    assert_array_equal(bits[:, :, :150], labels[:, None] == np.arange(K)[:, None])
    assert not bits[:, :, 150:].any()


@pytest.mark.parametrize("steps", [3, 255, 4000])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_totals_and_medoids_are_those_of_the_one_hot_product(rng, steps, dtype):
    n = 150
    x = rng.integers(0, 60, size=(n, 2)).astype(float)
    D = cdist(x, x, "cityblock")
    step = D.max() / steps  # of the finest steps most distances have more than fit
    whole = np.minimum(D // step, 255).astype(np.int64)
    planes = in_planes(whole.astype(np.uint8))
    labels = rng.integers(0, K, size=(P, n)).astype(dtype)
    labels[:, :K] = np.arange(K)
    order, starts = lists(labels, K)
    wanted = rng.random((P, K)) < 0.7
    masks = masks_of(labels, K)
    totals = np.full((P, n), -1, dtype=np.int32)
    for lo, hi in ((0, 17), (17, n)):
        medoids.coarse_totals(planes, labels, masks, wanted, totals, lo, hi)
    found = np.full((P, K), -1)
    unit = step * (1.0 - 1e-9)
    for lo, hi in ((0, 1), (1, P)):
        medoids.least_total_members(
            D, planes, masks, totals, unit, order, starts, wanted, 1e-12, 0.0, found, lo, hi
        )
    for q in range(P):
        one_hot = labels[q, :, None] == np.arange(K)
        expected = (D @ one_hot)[np.arange(n), labels[q]]
        upper = (whole // 16 @ one_hot)[np.arange(n), labels[q]]
        for c in range(K):
            members = np.flatnonzero(one_hot[:, c])
            if not wanted[q, c]:
                assert (totals[q, members] == -1).all()
                assert found[q, c] == -1
                continue
            assert_array_equal(totals[q, members], upper[members])
            assert found[q, c] == members[expected[members].argmin()]


@pytest.mark.parametrize(
    ("near", "relative", "each", "expected"),
    [(1.0 + 1e-14, 1e-12, 0.0, 1), (1.0 + 1e-9, 1e-12, 0.0, 2), (1.0 + 3e-9, 1e-12, 1e-9, 1)],
)
def test_totals_equal_up_to_rounding_are_ties(near, relative, each, expected):
    D = np.diag([2.0, near, 1.0, 3.0])
    order, starts = np.arange(4, dtype=np.int32)[None], np.array([[0, 4]], dtype=np.int32)
    found, wanted = np.full((1, 1), -1), np.ones((1, 1), dtype=bool)
    masks = masks_of(np.zeros((1, 4), dtype=np.uint8), 1)
    for step in (1e9, 0.1):  # bounds of zero, and tight ones
        whole = (D // step).astype(np.uint8)
        upper = np.array([(whole // 16).sum(axis=1)], dtype=np.int32)
        bounds = (in_planes(whole), masks, upper, step * (1.0 - 1e-9))
        medoids.least_total_members(D, *bounds, order, starts, wanted, relative, each, found, 0, 1)
        assert found[0, 0] == expected


def test_own_distances(D, rng):
    sets = draw_sets(rng)
    labels = np.array([argmin_labels(D, row) for row in sets], dtype=np.int32)
    out = np.empty((P, N))
    medoids.own_distances(D, sets, labels, out)
    assert_array_equal(out, [D[row[at], np.arange(N)] for row, at in zip(sets, labels, strict=True)])


def groups_of(rng, n_groups):
    member_lists = np.array_split(rng.permutation(N)[:30], n_groups)
    bounds = np.cumsum([0, *map(len, member_lists)])
    pairs = {(g, h) for g in range(n_groups) for h in range(g) if rng.random() < 0.4}
    opponents = [
        sorted({h for h in range(n_groups) if (g, h) in pairs or (h, g) in pairs}) for g in range(n_groups)
    ]
    flat = np.array([h for hs in opponents for h in hs], dtype=np.int64)
    return member_lists, bounds, opponents, flat, np.cumsum([0, *map(len, opponents)])


def test_group_distances(D, rng):
    member_lists, bounds, *_ = groups_of(rng, 7)
    out = np.empty((N, 7))
    medoids.group_distances(D, np.concatenate(member_lists), bounds, out)
    assert_array_equal(out, np.column_stack([D[:, m].sum(axis=1) for m in member_lists]))


@pytest.mark.parametrize("penalty", [None, 0.0, 3.0, 1e6])
def test_assignment_of_groups(D, rng, penalty):
    member_lists, bounds, opponents, flat, flat_bounds = groups_of(rng, 8)
    costs = np.column_stack([D[:, m].sum(axis=1) for m in member_lists])
    sets = draw_sets(rng)
    labels = np.full((P, N), -7, dtype=np.int32)
    medoids.assign_groups(
        costs, sets, np.concatenate(member_lists), bounds, flat, flat_bounds,
        -1.0 if penalty is None else penalty, labels,
    )  # fmt: skip
    for row, got in zip(sets, labels, strict=True):
        chosen, expected = {}, np.full(N, -7)
        for g, members in enumerate(member_lists):

            def merit(j, g=g, row=row, chosen=chosen):
                conflicts = sum(chosen.get(h) == j for h in opponents[g])
                cost = costs[row[j], g]
                return (conflicts, cost, j) if penalty is None else (cost + penalty * conflicts, j)

            chosen[g] = min(range((row >= 0).sum()), key=merit)
            expected[members] = chosen[g]
        assert_array_equal(got, expected)


def features(rng, kind):
    X = rng.poisson(0.7, size=(N, 8)).astype(float)
    X[7] = X[30] = X[2]
    X[11] = X[12] = 0.0
    if kind == COSINE:
        norm = np.linalg.norm(X, axis=1, keepdims=True)
        X = X / np.where(norm == 0, 1, norm)
    return X


def exact_distances(X, kind):
    if kind != COSINE:
        return cdist(X, X, "euclidean" if kind == EUCLIDEAN else "sqeuclidean")
    D = 1.0 - X @ X.T
    np.fill_diagonal(D, 0.0)
    return D


@pytest.mark.parametrize("kind", [COSINE, SQUARED, EUCLIDEAN])
class TestVectors:
    """Dense and CSR kernels against the distance matrix."""

    def test_rows(self, rng, kind):
        X = features(rng, kind)
        D, norms = exact_distances(X, kind), (X**2).sum(axis=1)
        ids = rng.permutation(N)[:13]
        dense = X[ids] @ X.T
        medoid_vectors.dense_rows(X, norms, ids, kind, dense, 0, len(ids))
        assert_allclose(dense, D[ids], atol=1e-7 if kind == EUCLIDEAN else 1e-12)
        S = csr_array(X)
        C = S.tocsc()
        sparse = np.empty_like(dense)
        medoid_vectors.sparse_rows(
            S.indptr, S.indices, S.data, C.indptr, C.indices, C.data, norms, ids, kind, sparse, 0, len(ids)
        )
        assert_allclose(sparse, D[ids], atol=1e-7 if kind == EUCLIDEAN else 1e-12)
        assert (sparse[np.arange(13), ids] == 0).all()

    def test_own_and_separations(self, rng, kind):
        X = features(rng, kind)
        D, norms, S = exact_distances(X, kind), (X**2).sum(axis=1), csr_array(X)
        sets = draw_sets(rng)
        sets[0, :3] = [11, 12, 7]
        labels = rng.integers(0, (sets >= 0).sum(axis=1)[:, None], size=(P, N)).astype(np.int32)
        expected = D[np.take_along_axis(sets, labels, axis=1), np.arange(N)]
        atol = 1e-7 if kind == EUCLIDEAN else 1e-12
        dense, sparse = np.empty((P, N)), np.empty((P, N))
        medoid_vectors.dense_own(X, sets, labels, kind, dense, 0, P)
        order, starts = lists(labels, K)
        scratch = np.zeros(8)
        medoid_vectors.sparse_own(
            S.indptr, S.indices, S.data, norms, sets, order, starts, kind, scratch, sparse, 0, P
        )
        assert_allclose(dense, expected, atol=atol)
        assert_allclose(sparse, expected, atol=atol)

        pairs = [D[np.ix_(row[row >= 0], row[row >= 0])] for row in sets]
        least = [pair[~np.eye(len(pair), dtype=bool)].min() for pair in pairs]
        greatest = [pair.max() for pair in pairs]
        for run in (
            lambda low, high: medoid_vectors.dense_separations(X, sets, kind, low, high, 0, P),
            lambda low, high: medoid_vectors.sparse_separations(
                S.indptr, S.indices, S.data, norms, sets, kind, scratch, low, high, 0, P
            ),
        ):
            low, high = np.empty(P), np.empty(P)
            run(low, high)
            assert_allclose(low, least, atol=atol)
            assert_allclose(high, greatest, atol=atol)
        assert not scratch.any()

    def test_medoids(self, rng, kind):
        X = features(rng, kind)
        # Euclidean medoids over vectors minimise squared distances.
        D = exact_distances(X, COSINE if kind == COSINE else SQUARED)
        S, zero = csr_array(X), (X == 0).all(axis=1) & (kind == COSINE)
        labels = rng.integers(0, K, size=(P, N)).astype(np.uint8)
        labels[:, :K] = np.arange(K)
        order, starts = lists(labels, K)
        wanted = rng.random((P, K)) < 0.8
        halves = np.full(N, 0.5) if kind == COSINE else 0.5 * (X**2).sum(axis=1)
        dense, sparse, scratch = np.full((P, K), -1), np.full((P, K), -1), np.zeros(8)
        medoid_vectors.dense_medoids(X, zero, order, starts, wanted, kind, 1e-12, 1e-13, dense, 0, P)
        medoid_vectors.sparse_medoids(
            S.indptr,
            S.indices,
            S.data,
            halves,
            zero,
            order,
            starts,
            wanted,
            1e-12,
            1e-13,
            scratch,
            sparse,
            0,
            P,
        )
        for q in range(P):
            for c in range(K):
                members = np.flatnonzero(labels[q] == c)
                total = D[np.ix_(members, members)].sum(axis=1).round(9)
                expected = members[total.argmin()] if wanted[q, c] else -1
                assert (dense[q, c], sparse[q, c]) == (expected, expected)
        assert not scratch.any()


def test_near_duplicates_are_measured_by_differences():
    X = np.array([[1.0, 1.0], [1.0 + 1e-9, 1.0], [3.0, 0.0]])
    rows = X @ X.T
    medoid_vectors.dense_rows(X, (X**2).sum(axis=1), np.arange(3), EUCLIDEAN, rows, 0, 3)
    assert_allclose(rows[0, 1], 1e-9, rtol=1e-6)


@pytest.mark.parametrize("count", [1, 3, 50])
@pytest.mark.parametrize(("n_jobs", "n_operations"), [(1, 1e9), (2, 1e9), (2, 10), (7, 1e9)])
def test_parts_cover_everything_once(count, n_jobs, n_operations):
    seen = np.zeros(count, dtype=int)

    def visit(lo, hi):
        seen[lo:hi] += 1

    parts.for_parts(visit, count, n_operations, n_jobs)
    assert_array_equal(seen, 1)
