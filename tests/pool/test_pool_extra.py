import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans

from moo_clustering.pool import extra_partitions


class Fronted(ClusterMixin, BaseEstimator):
    def fit(self, X, y=None):
        half = (np.arange(len(X)) >= len(X) // 2).astype(int)
        self.labels_ = half
        self.pareto_labels_ = np.stack([half, np.zeros_like(half), np.arange(len(X))])
        return self


class Failing(ClusterMixin, BaseEstimator):
    def fit(self, X, y=None):
        raise RuntimeError("no luck today")


class Bare(BaseEstimator):
    """Neither fit_predict nor a random state."""

    def fit(self, X, y=None):
        self.labels_ = (np.asarray(X)[:, 0] > 1).astype(int)
        return self


class Dice(ClusterMixin, BaseEstimator):
    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y=None):
        assert self.random_state is not None
        self.labels_ = np.random.default_rng(self.random_state).integers(3, size=len(X))
        return self


X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.9]])


def run(extra, X=X, n_samples=6, seed=0, **options):
    return extra_partitions(extra, X, n_samples=n_samples, rng=np.random.default_rng(seed), **options)


def test_none_is_none():
    assert run(None) == run([]) == []


def test_every_kind_in_order():
    given = [("mine", [4, 4, 4, 9, 9, 9]), ("theirs", KMeans(2, n_init=1)), Bare(), ("mine", list("aabbcc"))]
    found = run(given)
    assert [family for family, _ in found] == ["mine", "theirs", "Bare", "mine"]
    for _, labels in found[:3]:
        assert len(set(labels[:3])) == len(set(labels[3:])) == 1 != len(set(labels))
    assert len(set(found[3][1])) == 3


def test_clusterers_are_left_as_they_were():
    model = KMeans(2, n_init=1)
    run([model])
    assert not hasattr(model, "labels_")
    assert model.random_state is None


def test_seeds_follow_the_generator():
    first, again, other = (run([Dice()], seed=seed)[0][1] for seed in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).any()
    assert (run([Dice(random_state=5)], seed=1)[0][1] == run([Dice(random_state=5)], seed=2)[0][1]).all()
    # Labels in the place of the first change nothing for the second.
    assert (run([Dice(), Dice()])[1][1] == run([("Dice", [0, 0, 0, 1, 1, 1]), Dice()])[1][1]).all()


def test_a_whole_front_counts_without_its_single_cluster():
    found = run([Fronted()])
    assert [(family, labels.tolist()) for family, labels in found] == [
        ("Fronted", [0, 0, 0, 1, 1, 1]),
        ("Fronted", [0, 1, 2, 3, 4, 5]),
    ]


def test_several_rows_of_labels():
    assert len(run([("mine", [[0, 0, 0, 1, 1, 1], [0, 1, 0, 1, 0, 1]])])) == 2


def test_landmarks_get_the_commonest_label():
    landmark_of = [0, 0, 0, 1, 1, 2, 2, 2]
    labels = [3, 8, 8, 8, 3, -1, -1, 3]  # the tie of landmark 1 goes to the lower label
    landmarks = np.array([[0.0], [1.0], [2.0]])
    found = run([("mine", labels), ("few", [1, 0, 0])], landmarks, 8, landmark_of=landmark_of)
    assert [labels.tolist() for _, labels in found] == [[1, 0, 0], [1, 0, 0]]
    ((_, fitted),) = run([("km", Bare())], landmarks, 8, landmark_of=landmark_of)
    assert fitted.tolist() == [0, 0, 1]


def test_as_many_landmarks_as_samples():
    # A clusterer has seen landmarks, labels are those of samples.
    turned = np.array([[3.0], [2.0], [1.0], [0.0]])
    found = run([Bare(), ("mine", [0, 0, 1, 1])], turned, 4, landmark_of=[3, 2, 1, 0])
    assert [labels.tolist() for _, labels in found] == [[1, 1, 0, 0], [1, 1, 0, 0]]


def test_landmark_of_noise_only_goes_to_the_nearest():
    landmarks = np.array([[0.0], [10.0], [9.0]])
    ((_, labels),) = run([("mine", [0, 1, -1, -1])], landmarks, 4, landmark_of=[0, 1, 2, 2])
    assert labels.tolist() == [0, 1, 1]


def test_noise():
    noisy = [("mine", [0, 0, -1, 1, 1, -1])]
    assert run(noisy)[0][1].tolist() == [0, 0, 0, 1, 1, 1]
    assert run(noisy, csr_array(X))[0][1].tolist() == [0, 0, 2, 1, 1, 2]
    far = np.abs(X - X.T)
    far[5, :3] = far[:3, 5] = 0.5
    assert run(noisy, far, metric="precomputed")[0][1].tolist() == [0, 0, 0, 1, 1, 0]
    assert run([DBSCAN(eps=0.5, min_samples=2)])[0][1].tolist() == [0, 0, 0, 1, 1, 1]


def test_failing_clusterers_are_named():
    with pytest.warns(UserWarning, match="Failing: RuntimeError: no luck today") as caught:
        found = run([Failing(), ("far", AgglomerativeClustering(n_clusters=60)), Bare()])
    assert len(caught) == 1
    assert "far: ValueError" in str(caught[0].message)
    assert [family for family, _ in found] == ["Bare"]


@pytest.mark.parametrize("labels", [[1] * 6, [-1] * 6])
def test_single_clusters_are_named(labels):
    with pytest.warns(UserWarning, match="mine: no partition with two or more clusters"):
        assert run([("mine", labels)]) == []


@pytest.mark.parametrize(
    ("extra", "error", "message"),
    [
        ("KMeans", TypeError, "must be a list"),
        (KMeans(2), TypeError, "must be a list"),
        (("mine", [0, 0, 0, 1, 1, 1]), TypeError, "got 'mine'"),
        ([KMeans], TypeError, "must be a clusterer"),
        ([("mine", KMeans)], TypeError, "must be a clusterer"),
        ([(3, [0, 0, 0, 1, 1, 1])], TypeError, "must be a clusterer"),
        ([("mine", [0, 1])], ValueError, "'mine' must have length 6"),
        ([("mine", [0, 0, 0, 1, 1, np.nan])], ValueError, "finite"),
    ],
)
def test_what_is_no_candidate(extra, error, message):
    with pytest.raises(error, match=message):
        run(extra)


def test_bad_landmarks():
    with pytest.raises(ValueError, match="landmark_of"):
        run([], landmark_of=[0, 1])
