"""Compiled loops over loci against plain NumPy."""

import numpy as np
import pytest

from moo_clustering._kernels import loci
from moo_clustering._kernels.threads import BLOCK, for_blocks, sum_blocks


@pytest.fixture
def ranks():
    return np.random.default_rng(0).integers(0, 6, size=(11, 157)).astype(np.uint8)


def one_hot(ranks, width):
    return (ranks[:, :, None] == np.arange(width)).sum(axis=0)


def test_counts(ranks):
    counts = np.zeros((157, 6), dtype=np.uint16)
    loci.add_counts(ranks, counts, 1, 0, 157)
    np.testing.assert_array_equal(counts, one_hot(ranks, 6))
    loci.add_counts(ranks[:3], counts, -1, 10, 20)
    expected = one_hot(ranks, 6)
    expected[10:20] -= one_hot(ranks[:3], 6)[10:20]
    np.testing.assert_array_equal(counts, expected)


def test_sums(ranks):
    counts = one_hot(ranks, 6).astype(np.uint16)
    out = np.zeros(11, dtype=np.int64)
    loci.sum_entries(ranks, counts, 5, 150, out)
    np.testing.assert_array_equal(out, counts[np.arange(157), ranks][:, 5:150].sum(axis=1))
    distances = np.random.default_rng(1).random((157, 6)).astype(np.float32)
    total = np.zeros(11)
    loci.sum_entries(ranks, distances, 0, 157, total)
    expected = distances.astype(float)[np.arange(157), ranks].sum(axis=1)
    np.testing.assert_allclose(total, expected, rtol=1e-14)
    loci.count_equal(ranks, ranks[4], 0, 157, out)
    np.testing.assert_array_equal(out, (ranks == ranks[4]).sum(axis=1))


def test_weights(ranks):
    weights = np.random.default_rng(2).random(11)
    out = np.zeros((157, 6))
    loci.add_weights(ranks, weights, out, 0, 157)
    np.testing.assert_allclose(
        out, ((ranks[:, :, None] == np.arange(6)) * weights[:, None, None]).sum(axis=0)
    )


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int64])
def test_swap_where(ranks, dtype):
    first, second = ranks[:5].astype(dtype), ranks[5:10].astype(dtype)
    swap = np.random.default_rng(3).integers(0, 2, size=(5, 157)).astype(np.uint8)
    child1, child2 = np.empty_like(first), np.empty_like(second)
    loci.swap_where(first, second, swap, child1, child2, 0, 157)
    np.testing.assert_array_equal(child1, np.where(swap, second, first))
    np.testing.assert_array_equal(child2, np.where(swap, first, second))


def test_resample(ranks):
    rng = np.random.default_rng(4)
    widths = rng.integers(1, 6, size=157).astype(np.uint32)
    positions = np.unique(rng.integers(0, ranks.size, size=300))
    draws = rng.integers(0, 2**32, size=len(positions), dtype=np.uint32)
    flat = ranks.reshape(-1).copy()
    loci.resample(flat, positions, draws, widths, 157)
    expected = ranks.reshape(-1).copy()
    expected[positions] = [
        int(d) * int(w) // 2**32 for d, w in zip(draws, widths[positions % 157], strict=True)
    ]
    np.testing.assert_array_equal(flat, expected)
    assert (flat.reshape(11, 157)[:, :] < np.maximum(widths, 6)).all()


@pytest.mark.parametrize("n_loci", [1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 5])
@pytest.mark.parametrize("n_jobs", [1, 2, 5])
def test_blocks_cover_every_locus_once(n_loci, n_jobs):
    seen = np.zeros(n_loci, dtype=int)

    def visit(lo, hi):
        seen[lo:hi] += 1

    for_blocks(visit, n_loci, 10**7, n_jobs)
    np.testing.assert_array_equal(seen, 1)
    values = np.arange(n_loci, dtype=float)

    def add(lo, hi, out):
        out[0] = values[lo:hi].sum()

    assert sum_blocks(add, n_loci, 1, np.float64, n_jobs)[0] == values.sum()
