import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.metrics import adjusted_rand_score

from moo_clustering.pool.families import k_medoids


def test_separate_groups_are_found():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(c, 0.1, size=(12, 2)) for c in (0, 5, 10, 15)])
    labels = k_medoids(cdist(X, X), 4, n_init=3, rng=rng)
    assert adjusted_rand_score(labels, np.repeat(range(4), 12)) == 1.0


@pytest.mark.parametrize("k", [2, 5, 9])
def test_no_medoid_and_no_sample_can_be_moved_alone(k):
    rng = np.random.default_rng(k)
    X = rng.normal(size=(40, 3))
    D = cdist(X, X)
    labels = k_medoids(D, k, n_init=2, rng=rng)
    assert len(np.unique(labels)) == k
    medoids = []
    for c in range(k):
        members = np.flatnonzero(labels == c)
        sums = [sum(D[i, j] for j in members) for i in members]
        medoids.append(members[int(np.argmin(sums))])
    own = D[np.arange(40), np.array(medoids)[labels]]
    np.testing.assert_allclose(own, D[:, medoids].min(axis=1))


def test_more_starts_are_never_worse():
    X = np.random.default_rng(3).normal(size=(60, 2))
    D = cdist(X, X)

    def cost(labels):
        return sum(
            D[np.ix_(m, m)].sum(axis=0).min()
            for m in (np.flatnonzero(labels == c) for c in np.unique(labels))
        )

    one, many = (k_medoids(D, 8, n_init=n, rng=np.random.default_rng(5)) for n in (1, 20))
    assert cost(many) <= cost(one)


def test_copies_make_fewer_clusters():
    D = cdist([[0.0], [0.0], [3.0], [3.0]], [[0.0], [0.0], [3.0], [3.0]])
    labels = k_medoids(D, 3, n_init=2, rng=np.random.default_rng(0))
    assert labels[0] == labels[1] != labels[2] == labels[3]
    assert (k_medoids(np.zeros((4, 4)), 3, n_init=1, rng=np.random.default_rng(0)) == 0).all()
