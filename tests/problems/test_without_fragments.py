"""Small clusters of MOCK that join others: naive joining, and what the estimator picks."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import coo_array
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from moo_clustering import MOCK
from moo_clustering.graphs.matrices import joined_smallest
from moo_clustering.problems import MOCKProblem
from moo_clustering.validity import MinimaxSilhouette


def naively_joined(X, neighbors, labels, n_clusters):
    """Sample by sample: the smallest cluster joins the one that it is linked with most, else the nearest.

    Of equal ones the lowest label comes first.
    """
    labels = labels.copy()
    while len(np.unique(labels)) > n_clusters:
        names, sizes = np.unique(labels, return_counts=True)
        small = names[sizes.argmin()]
        shared = dict.fromkeys(names[names != small].tolist(), 0.0)
        for i, row in enumerate(neighbors):
            for rank, j in enumerate(row, start=1):
                ends = {int(labels[i]), int(labels[j])}
                if small in ends and len(ends) == 2:
                    shared[(ends - {small}).pop()] += 1.0 / rank
        mean = X[labels == small].mean(axis=0)
        gaps = {name: float(((X[labels == name].mean(axis=0) - mean) ** 2).sum()) for name in shared}
        linked = max(shared.values()) > 0.0
        labels[labels == small] = max(shared, key=shared.get) if linked else min(gaps, key=gaps.get)
    return np.unique(labels, return_inverse=True)[1]


def variance(X, labels):
    return sum(((X[labels == c] - X[labels == c].mean(axis=0)) ** 2).sum() for c in np.unique(labels)) / len(
        X
    )


def scattered(seed, n=60):
    """Two blobs, pairs of samples far from both, and noise between."""
    rng = np.random.default_rng(seed)
    X, y = make_blobs([n, n // 2], centers=[[0, 0], [9, 0]], random_state=seed)
    far = np.repeat(rng.uniform(-30, 30, size=(6, 2)), 3, axis=0) + rng.normal(scale=0.1, size=(18, 2))
    return np.concatenate([X, far]), np.concatenate([y, np.full(18, -1)])


@pytest.mark.parametrize("kind", ["short", "split", "locus"])
@pytest.mark.parametrize("least_size", [1, 4, 12, 200])
def test_the_individual_and_its_clusters_are_those_of_naive_joining(kind, least_size, global_random_seed):
    X, _ = scattered(global_random_seed)
    # Sums of the weights 1 and 1/2 are exact, so that ties are ties whatever the order of the sums.
    problem = MOCKProblem(X, encoding=kind, delta=60, n_neighbors=2, random_state=0)
    genes = problem.greedy_front()
    labels = problem.decode(genes)
    sizes = [np.bincount(row) for row in labels]
    for k in (1, 2, 5):
        counted = [i for i, row in enumerate(sizes) if (row >= least_size).sum() == k]
        found = problem.without_fragments(genes, k, least_size)
        if not counted:
            assert found is None
            continue
        joined = []
        for i in counted:
            # Ties go by the parts of the tree, in whose order the clusters are numbered here.
            firsts = [problem.encoding.base[labels[i] == c].min() for c in range(len(sizes[i]))]
            renumbered = np.argsort(np.argsort(firsts))[labels[i]]
            joined.append(naively_joined(X, problem.graph.neighbors, renumbered, k))
        values = [variance(X, row) for row in joined]
        row, best = found
        assert row in counted
        assert best.dtype == np.int32
        assert np.unique(best).tolist() == list(range(k))
        assert (np.diff(np.unique(best, return_index=True)[1]) > 0).all()
        apart = MinimaxSilhouette().fit(X).evaluate(np.stack(joined)) if k > 1 else np.zeros(1)
        if apart.max() >= 0.4:
            assert MinimaxSilhouette().fit(X).evaluate(best)[0] == pytest.approx(apart.max())
        else:
            assert variance(X, best) == pytest.approx(min(values))
        assert adjusted_rand_score(joined[counted.index(row)], best) == 1.0


def test_the_estimator_picks_it_for_a_given_number_of_clusters(global_random_seed):
    X, y = make_blobs([100, 50], centers=[[0, 0], [9, 0]], random_state=global_random_seed)
    angles = np.repeat(np.arange(6) * np.pi / 3, 3)
    far = 60 * np.column_stack([np.cos(angles), np.sin(angles)])
    far += np.random.default_rng(global_random_seed).normal(scale=0.1, size=far.shape)
    order = np.random.default_rng(global_random_seed).permutation(168)
    X, y = np.concatenate([X, far])[order], np.concatenate([y, np.full(18, -1)])[order]
    model = MOCK(2, pop_size=30, n_gen=10, random_state=global_random_seed).fit(X)
    assert model.n_clusters_ == 2
    assert adjusted_rand_score(y[y >= 0], model.labels_[y >= 0]) == 1.0
    row, labels = model.result_.problem.without_fragments(model._genes, 2, 0.1 * 168 / 2)
    assert model.chosen_ == row
    assert_array_equal(model.labels_, labels)
    # A row is taken as it is, and so are solutions by other rules, or where all clusters count.
    assert_array_equal(model.choose(row).labels_, model.pareto_labels_[row])
    for chosen in (
        model.choose("knee"),
        model.choose("variance", n_clusters=None),
        MOCK(2, min_cluster_share=0, pop_size=30, n_gen=10, random_state=global_random_seed).fit(X),
    ):
        assert_array_equal(chosen.labels_, chosen.pareto_labels_[chosen.chosen_])
        assert chosen.n_clusters_ == chosen.pareto_K_[chosen.chosen_]


def test_pairs_that_the_search_keeps_are_not_broken():
    X, _ = scattered(0)
    apart = np.array([[0, i] for i in range(90, 108)])  # samples of a blob, and the outliers
    model = MOCK(2, supervision="links", select="variance", pop_size=30, n_gen=10, random_state=0)
    model.fit(X, cannot_link=apart)
    assert_array_equal(model.labels_, model.pareto_labels_[model.chosen_])


@pytest.mark.parametrize("share", [-0.1, 1.0, "tenth"])
def test_shares_are_checked(share):
    with pytest.raises(ValueError, match="min_cluster_share"):
        MOCK(2, min_cluster_share=share).fit(scattered(0)[0])


def test_numbers_of_clusters_are_checked():
    problem = MOCKProblem(scattered(0)[0], random_state=0)
    with pytest.raises(ValueError, match="n_clusters must be an integer of at least 1, got 0"):
        problem.without_fragments(problem.greedy_front(), 0, 1e9)


def test_two_spirals_and_a_blob_are_found_and_more_features_go_by_variance():
    rng = np.random.default_rng(5501)
    turn = rng.uniform(1.5, 9, 260)
    arm = np.column_stack([turn * np.cos(turn), turn * np.sin(turn)])
    X = np.concatenate([arm, -arm]) + rng.normal(0, 0.25, (520, 2))
    X, y = np.concatenate([X, rng.normal([14, 0], 1, (120, 2))]), np.repeat([0, 1, 2], [260, 260, 120])
    model = MOCK(3, n_gen=10, random_state=0).fit(X)
    assert adjusted_rand_score(y, model.labels_) == 1
    # Constant columns change no distance, but four features are not searched for shapes.
    flat = MOCK(3, n_gen=10, random_state=0).fit(np.pad(X, ((0, 0), (0, 2))))
    assert adjusted_rand_score(y, flat.labels_) < 0.6
    assert variance(X, flat.labels_) < variance(X, model.labels_)


def test_joined_parts_have_the_mean_of_all_their_samples():
    # The first two parts, of mean 32 / 3 together, are nearer to the part at 18 than to the part at 2.
    sizes, sums = np.array([1.0, 2.0, 10.0, 10.0]), np.array([[10.0], [22.0], [180.0], [20.0]])
    assert_array_equal(joined_smallest(sizes, sums, coo_array((4, 4)), 2), [0, 0, 0, 1])
