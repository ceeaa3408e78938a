"""Candidates for bags: which families on which views, and what they don't depend on."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import adjusted_rand_score

from moo_clustering.bags import Bags, bag_distance_kinds
from moo_clustering.bags.distances import DISTANCE_KINDS
from moo_clustering.bags.embeddings import EMBEDDINGS
from moo_clustering.pool import bag_candidate_pool, k_grid
from moo_clustering.pool.candidates import pool_of_bag_views

TRUTH = np.repeat([0, 1, 2], 12)


@pytest.fixture(scope="module")
def bags():
    """Three clouds of bags."""
    rng = np.random.default_rng(0)
    centres = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])[TRUTH]
    return Bags.from_list([rng.normal(centre, 1.0, (rng.integers(1, 6), 2)) for centre in centres])


@pytest.fixture(scope="module")
def found(bags):
    return bag_candidate_pool(bags, random_state=0)


def test_families_and_numbers_of_clusters(bags, found):
    pool, matrices = found
    expected = [f"{f}@{d}" for d in DISTANCE_KINDS for f in ("kmed", "avg", "spec", "genie", "hdbscan")]
    expected += [f"{f}@{e}" for e in EMBEDDINGS for f in ("km", "ward")]
    assert list(pool.family_names) == expected
    assert list(matrices) == list(DISTANCE_KINDS)
    ks = k_grid(len(bags)).tolist()
    for code, family in enumerate(expected):
        sizes = pool.n_clusters[pool.family_codes == code]
        if not family.startswith("hdbscan"):
            assert sizes.tolist() == ks, family


def test_every_family_finds_three_clouds(found):
    pool, _ = found
    scores = np.array([adjusted_rand_score(TRUTH, labels) for labels in pool.labels])
    for code, family in enumerate(pool.family_names):
        assert scores[pool.family_codes == code].max() == 1, family


def test_leaving_out_a_view_changes_no_other(bags, found):
    pool, matrices = found
    few, some = bag_candidate_pool(bags, distances=["energy"], embeddings=["prototypes"], random_state=0)
    assert list(some) == ["energy"]
    assert_array_equal(some["energy"], matrices["energy"])
    for code, family in enumerate(few.family_names):
        same = pool.family_names.index(family)
        assert_array_equal(few.labels[few.family_codes == code], pool.labels[pool.family_codes == same])


def test_same_seed_on_any_number_of_workers(bags, found):
    again, _ = bag_candidate_pool(bags, random_state=0, n_jobs=2)
    assert again.families == found[0].families
    assert_array_equal(again.labels, found[0].labels)


def test_permuted_bags(bags, found):
    """Families that draw nothing give the permuted partitions."""
    order = np.random.default_rng(1).permutation(len(bags))
    permuted, matrices = bag_candidate_pool(bags[order], random_state=0)
    for kind in DISTANCE_KINDS:
        assert_allclose(matrices[kind], found[1][kind][np.ix_(order, order)], atol=1e-7)
    for family in ("avg@symmetric", "avg@energy", "ward@mean", "ward@prototypes"):
        ours, theirs = (
            pool.labels[pool.family_codes == pool.family_names.index(family)] for pool in (found[0], permuted)
        )
        for a, b in zip(ours, theirs, strict=True):
            assert adjusted_rand_score(a[order], b) == 1, family


@pytest.mark.filterwarnings("ignore:only [23] families")
def test_wanted_number_and_given_candidates(bags):
    pool, _ = bag_candidate_pool(bags, embeddings=["mean"], distances=[], k_range=[2], n_clusters=11)
    assert pool.families == ("km@mean", "km@mean", "ward@mean", "ward@mean")
    assert pool.n_clusters.tolist() == [2, 11, 2, 11]
    joined = pool_of_bag_views(
        bags,
        {},
        distances=[],
        embeddings=["mean"],
        k_range=[3],
        extra=[("mine", TRUTH + 4)],
        seed=np.random.SeedSequence(0),
    )
    assert joined.families == ("km@mean", "ward@mean", "mine")
    assert_array_equal(joined.labels[-1], TRUTH)


def test_few_families_are_said_to_be_weak(bags):
    with pytest.warns(UserWarning, match="only 2 families"):
        bag_candidate_pool(bags, distances=[], embeddings=["mean"], k_range=[2])


def test_identical_bags():
    bags = [[[0.0, 1.0], [2.0, 2.0]]] * 6 + [[[5.0, 5.0]]] * 6
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        pool, matrices = bag_candidate_pool(bags, random_state=0)
    two = pool.labels[pool.n_clusters == 2]
    assert (np.array([adjusted_rand_score(np.repeat([0, 1], 6), labels) for labels in two]) == 1).mean() > 0.5
    for matrix in matrices.values():
        assert_array_equal(matrix[:6, :6], 0)


def test_three_bags():
    pool, _ = bag_candidate_pool([[[0.0]], [[1.0]], [[9.0]]], random_state=0)
    assert set(pool.n_clusters) == {2}
    assert_array_equal(pool.labels[pool.families.index("avg@average")], [0, 0, 1])


def test_matrices_are_those_of_the_bags(bags, found):
    expected = bag_distance_kinds(bags, kinds=("symmetric", "average", "energy"))
    for kind, matrix in expected.items():
        assert_array_equal(found[1][kind], matrix)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"distances": ["hausdorff"]}, "distances may be"),
        ({"embeddings": ["means"]}, "did you mean 'mean'"),
        ({"embeddings": "mean"}, "sequence"),
        ({"distances": [], "embeddings": []}, "at least one view"),
        ({"n_clusters": 100}, "n_clusters"),
    ],
)
def test_bad_options(bags, options, message):
    with pytest.raises(ValueError, match=message):
        bag_candidate_pool(bags, **options)


def test_too_few_bags():
    with pytest.raises(ValueError, match="at least 3 bags"):
        bag_candidate_pool([[[0.0]], [[1.0]]])
