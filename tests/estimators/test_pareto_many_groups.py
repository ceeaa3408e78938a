"""The pool gets larger numbers of clusters if the selected number is near the largest."""

import numpy as np
import pytest
from scipy.spatial import cKDTree
from sklearn.metrics import adjusted_rand_score

from moo_clustering import ParetoClustering
from moo_clustering.parts import parts
from moo_clustering.pool import k_grid


def groups(k, n, seed):
    """Groups whose median distance to the nearest other centre is eight standard deviations."""
    rng = np.random.default_rng(seed)
    centers = rng.normal(size=(k, 3))
    centers *= 8.0 / np.median(cKDTree(centers).query(centers, 2)[0][:, 1])
    classes = rng.permutation(np.arange(n) % k)
    return centers[classes] + rng.normal(size=(n, 3)), classes


@pytest.mark.slow
def test_many_groups_exceed_the_square_root():
    X, classes = groups(42, 400, 0)
    model = ParetoClustering(random_state=0).fit(X)
    before = ParetoClustering(k_range=k_grid(400), random_state=0).fit(X)
    assert 20 * 2 / 3 < before.n_clusters_ <= 20 < model.n_clusters_
    numbers = [each.pool_.n_clusters[np.array(each.pool_.families) == "ward"] for each in (before, model)]
    assert set(numbers[0]) == set(range(2, 21))
    # Numbers up to 40 in steps of 2, a tenth of 20. A further extension would reach 80, a fifth of 400.
    assert {*range(2, 21), *range(22, 41, 2)} <= set(numbers[1]) <= {*range(2, 21), *range(22, 81, 2)}
    scores = [adjusted_rand_score(classes, each.labels_) for each in (before, model)]
    assert scores[1] > scores[0] + 0.1
    again = model.relabel().labels_
    np.testing.assert_array_equal(again, model.labels_)
    # Further pools require no further passes.
    table = parts(X, rows_per_part=150)
    np.testing.assert_array_equal(ParetoClustering(random_state=0).fit(table).labels_, model.labels_)
    assert table.n_passes == 1


def test_groups_of_which_the_first_pool_does_not_separate():
    # The first pool has up to 18 clusters, of which a few large ones have the greatest score.
    rng = np.random.default_rng(1)
    centers = 7.0 * np.stack(np.meshgrid(range(6), range(6)), axis=-1).reshape(-1, 2)[:30]
    classes = rng.permutation(np.arange(300) % 30)
    X = centers[classes] + rng.normal(size=(300, 2))
    assert ParetoClustering(k_range=k_grid(300), random_state=0).fit(X).n_clusters_ <= 12
    model = ParetoClustering(random_state=0).fit(X)
    assert adjusted_rand_score(classes, model.labels_) > 0.95
    assert model.verdict_ == "clear"


@pytest.mark.parametrize("options", [{"n_clusters": 20}, {"n_clusters": (15, 20)}])
def test_restricted_numbers_are_not_extended(options):
    X, _ = groups(42, 200, 1)
    model = ParetoClustering(families=["km", "ward", "spec", "genie"], random_state=0, **options).fit(X)
    assert model.pool_.n_clusters.max() <= max(15, 20)


def test_few_groups_are_unchanged():
    X, _ = groups(4, 120, 2)
    models = [ParetoClustering(k_range=ks, random_state=0).fit(X) for ks in ("auto", k_grid(120))]
    np.testing.assert_array_equal(models[0].pool_.labels, models[1].pool_.labels)
    np.testing.assert_array_equal(models[0].labels_, models[1].labels_)
    assert models[0].confidence_ == models[1].confidence_
