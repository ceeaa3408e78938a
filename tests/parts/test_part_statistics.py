"""Statistics of parts: the same bits for every cut and order, and the values of a naive computation."""

from functools import reduce

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from parts.part_data import sources, table

from moo_clustering.parts import parts
from moo_clustering.parts.statistics import Survey, draw, grain, on_grain, row_keys


def bits(found, centers):
    looked = Survey(found, 100, seed=3)
    values = looked.low, looked.high, looked.numbers, looked.rows, *looked.statistics(centers)
    return [value.tobytes() for value in values] + [looked.total]


def test_statistics_have_the_same_bits_for_all_sources_and_cuts(tmp_path):
    X = table()
    centers = np.random.default_rng(1).normal(size=(3, 5, 4)) * 6
    known = bits(parts(X), centers)
    for name, (source, options) in sources(tmp_path, X).items():
        assert bits(parts(source, **options), centers) == known, name


def test_statistics_equal_a_naive_computation():
    X = table()
    looked = Survey(parts(X, rows_per_part=1000), 200)
    centers = np.random.default_rng(1).normal(size=(3, 5, 4)) * 6
    centers[2, 4] = 1e3  # an empty cluster
    found = looked.statistics(centers)
    points = X.astype(np.float64) - looked.offsets[0] - looked.offsets[1]
    for p, one in enumerate(centers):
        squares = ((points[:, None] - one) ** 2).sum(axis=2)
        labels = squares.argmin(axis=1)
        for k in range(5):
            mine = points[labels == k]
            assert found.sizes[p, k] == len(mine)
            assert found.first[p, k] == np.flatnonzero(labels == k)[0] if len(mine) else len(mine) == 0
            far = mine[squares[labels == k, k].argmax()] if len(mine) else one[k]
            np.testing.assert_array_equal(found.far[p, k], far)
            mean = mine.mean(axis=0) if len(mine) else one[k]
            np.testing.assert_allclose(found.means[p, k], mean, rtol=1e-11, atol=1e-11)
            np.testing.assert_allclose(found.squares[p, k], squares[labels == k, k].sum(), rtol=1e-11)
            np.testing.assert_allclose(found.scatter[p, k], ((mine - mean) ** 2).sum(), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(looked.total, ((points - points.mean(axis=0)) ** 2).sum(), rtol=1e-11)
    # A candidate has the same scores in any company.
    for field, alone in zip(found, looked.statistics(centers[1:2]), strict=True):
        np.testing.assert_array_equal(field[1:2], alone)


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60),
    st.randoms(use_true_random=False),
)
def test_sums_on_a_grain_do_not_depend_on_the_order(values, random):
    largest = max(map(abs, values))
    unit = grain(largest, len(values))
    rounded = on_grain(np.array(values), unit)
    assert np.abs(rounded - values).max() <= unit / 2
    shuffled = rounded.tolist()
    random.shuffle(shuffled)
    assert reduce(float.__add__, shuffled) == sum(rounded.tolist())


def split_mix(number, seed):
    """SplitMix64 with Python's integers."""
    mask = 2**64 - 1
    z = (seed + (number + 1) * 0x9E3779B97F4A7C15) & mask
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return (((z ^ (z >> 31)) >> 11) + 0.5) * 2.0**-53


def test_keys_are_those_of_split_mix():
    assert row_keys(5, 4, 9).tolist() == [split_mix(number, 9) for number in range(5, 9)]


def test_samples_merge_in_any_order():
    X = table(1000)

    def drawn(low, high):
        return draw(X[low:high], low, 60, 4)

    whole = drawn(0, 1000)
    merged = drawn(700, 1000).merged(drawn(0, 40)).merged(drawn(40, 700))
    np.testing.assert_array_equal(whole.numbers, merged.numbers)
    np.testing.assert_array_equal(merged.rows, X[merged.numbers])
    assert len(set(whole.numbers.tolist())) == 60


def test_samples_of_different_seeds_differ_and_small_tables_are_taken_whole():
    X = table(500)
    first, second = (Survey(parts(X), 50, seed=seed).numbers.tolist() for seed in (0, 1))
    assert first != second
    assert sorted(Survey(parts(X, rows_per_part=90), 600).numbers.tolist()) == list(range(500))
