"""Diversity by counts against diversity pair by pair."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from moo_clustering.diversity import diversity, equal_loci, locus_counts, remove_counts, shared_choices

PAPER = np.array([[1, 0, 3, 2, 3], [1, 0, 4, 2, 3], [1, 2, 4, 2, 2]])


def naive_diversity(population, reference):
    """Eq. 2 word for word, in exact arithmetic."""
    n_loci = len(population[0])
    return [
        Fraction(
            sum(x != y for other in reference for x, y in zip(row, other, strict=True)),
            n_loci * len(reference),
        )
        for row in population
    ]


populations = st.tuples(st.integers(1, 7), st.integers(1, 9)).flatmap(
    lambda shape: arrays(np.uint8, shape, elements=st.integers(0, 4))
)


def test_worked_example_of_the_paper():
    assert naive_diversity(PAPER.tolist(), PAPER.tolist()) == [
        Fraction(4, 15),
        Fraction(1, 5),
        Fraction(1, 3),
    ]
    np.testing.assert_allclose(diversity(PAPER), [4 / 15, 1 / 5, 1 / 3], rtol=1e-15)


@settings(deadline=None, max_examples=60)
@given(populations)
def test_counts_equal_pairs(population):
    exact = naive_diversity(population.tolist(), population.tolist())
    m, n = population.shape
    shared = shared_choices(population, locus_counts(population, 5))
    assert [1 - Fraction(int(s), m * n) for s in shared] == exact
    assert all(d <= 1 - Fraction(1, m) for d in exact)


@settings(deadline=None, max_examples=30)
@given(populations, st.data())
def test_reference_set_other_than_the_population(population, data):
    reference = data.draw(arrays(np.uint8, (3, population.shape[1]), elements=st.integers(0, 4)))
    exact = naive_diversity(population.tolist(), reference.tolist())
    np.testing.assert_allclose(diversity(population, reference), [float(d) for d in exact], atol=1e-15)


def test_extremes():
    alike = np.tile(np.arange(6), (4, 1))
    np.testing.assert_array_equal(diversity(alike), 0.0)
    apart = np.arange(4)[:, None] + 4 * np.arange(6)[None, :]
    np.testing.assert_array_equal(diversity(apart), 1 - 1 / 4)
    np.testing.assert_array_equal(diversity(np.array([[3, 1]])), 0.0)


def test_sums_do_not_overflow_32_bits():
    # Everybody chose the same at every locus: the sum is M * N = 300 * 8,000,000 > 2**31.
    row = np.zeros((1, 8_000_000), dtype=np.uint8)
    counts = np.full((8_000_000, 1), 300, dtype=np.uint16)
    assert shared_choices(row, counts)[0] == 2_400_000_000


def test_counts_add_up_and_are_taken_out(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    ranks = rng.integers(0, 5, size=(9, 700)).astype(np.uint8)
    counts = locus_counts(ranks, 5)
    np.testing.assert_array_equal(counts, locus_counts(ranks[:4], 5) + locus_counts(ranks[4:], 5))
    remove_counts(counts, ranks[4:])
    np.testing.assert_array_equal(counts, locus_counts(ranks[:4], 5))


def test_many_individuals_need_a_wider_table():
    ranks = np.zeros((70_000, 1), dtype=np.uint8)
    assert locus_counts(ranks, 1)[0, 0] == 70_000


def test_threads_change_nothing():
    ranks = np.random.default_rng(1).integers(0, 9, size=(60, 90_000)).astype(np.uint8)
    one, two = locus_counts(ranks, 9, n_jobs=1), locus_counts(ranks, 9, n_jobs=2)
    np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(shared_choices(ranks, one, n_jobs=1), shared_choices(ranks, one, n_jobs=8))
    np.testing.assert_array_equal(equal_loci(ranks, ranks[0], n_jobs=2), (ranks == ranks[0]).sum(axis=1))


@pytest.mark.parametrize(
    ("population", "message"),
    [
        (np.array([1, 2]), "2-d"),
        (np.empty((0, 3), dtype=int), "at least one"),
        (np.array([[-1, 0]]), "non-negative"),
    ],
)
def test_bad_input(population, message):
    with pytest.raises(ValueError, match=message):
        diversity(population)


@pytest.mark.parametrize("value", [3, 200, -1])
def test_values_outside_of_a_table_are_refused(value):
    ranks = np.zeros((4, 5), dtype=np.int64)
    counts = locus_counts(ranks, 3)
    ranks[1, 2] = value
    for call in (
        lambda: locus_counts(ranks, 3), lambda: remove_counts(counts, ranks),
        lambda: shared_choices(ranks, counts),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="ranks must be from 0 to 2, got "):
            call()
    assert counts.sum() == 20


@pytest.mark.parametrize("wrong", [np.zeros((4, 5)), np.zeros(5, int), np.zeros((4, 6), int)])
def test_tables_of_other_loci_are_refused(wrong):
    counts = locus_counts(np.zeros((4, 5), dtype=np.int64), 3)
    for call in (
        lambda: remove_counts(counts, wrong), lambda: shared_choices(wrong, counts),
        lambda: equal_loci(wrong, np.zeros(5, int)),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"ranks must be integers of shape \(n_individuals, 5\)"):
            call()
