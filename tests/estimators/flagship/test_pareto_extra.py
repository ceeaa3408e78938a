"""Candidates of one's own in the pool of the estimator."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from pareto_cases import CLASSES, QUICK, X, ari
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from moo_clustering import (
    MOCK,
    PESC,
    AMOSAClus,
    EnsembleNMF,
    MemeticKMeans,
    NSGA2Clus,
    ParetoBagClustering,
    ParetoClustering,
    PCKMeans,
    SphericalKMeans,
)


class Halves(ClusterMixin, BaseEstimator):
    """Sees what it is given: the sign of the first column."""

    def __init__(self, seen=None):
        self.seen = seen

    def fit(self, X, y=None):
        if self.seen is not None:
            self.seen.append(np.array(X))
        self.labels_ = (np.asarray(X)[:, 0] > 3).astype(int)
        return self


class Unlucky(Halves):
    def fit(self, X, y=None):
        raise RuntimeError("no luck today")


class Short(Halves):
    def fit(self, X, y=None):
        self.labels_ = np.arange(3)
        return self


class Stopped(Halves):
    def fit(self, X, y=None):
        raise KeyboardInterrupt


def fitted(*extra, data=X, **options):
    return ParetoClustering(extra_candidates=list(extra), **QUICK, **options).fit(data)


def test_they_see_the_data_as_given():
    model = fitted(Halves())
    assert_array_equal(model.pool_.labels[-1] == model.pool_.labels[-1][0], (X[:, 0] > 3) == (X[0, 0] > 3))
    assert model.pool_.families[-1] == "Halves"


def test_members_of_the_pool_do_not_change():
    alone = ParetoClustering(**QUICK).fit(X)
    n = alone.pool_.n_partitions
    assert_array_equal(fitted(Halves(), ("mine", CLASSES)).pool_.labels[:n], alone.pool_.labels)


def test_a_family_of_its_own_counts_in_the_agreement():
    alone = ParetoClustering(**QUICK).fit(X)
    n = alone.pool_.n_partitions
    # Five that say the same disagree with all others; under one name they are one voice.
    mine = [(f"mine {i}", np.arange(len(X)) % 2) for i in range(5)]
    assert fitted(*mine).scores_.agreement[:n].max() < 0.1
    same = [("mine", labels) for _, labels in mine]
    assert_array_equal(fitted(*same).scores_.agreement[:n], fitted(same[0]).scores_.agreement[:n])
    # A name of the pool joins that family.
    joined = fitted(("km", CLASSES))
    assert set(joined.pool_.family_names) == set(alone.pool_.family_names)


@pytest.mark.parametrize(
    "extra",
    [
        KMeans(4, n_init=1),
        DBSCAN(eps=0.9),
        *(
            pytest.param(extra, marks=pytest.mark.slow)
            for extra in (AgglomerativeClustering(4), GaussianMixture(4), PCKMeans(4), SphericalKMeans(3))
        ),
        make_pipeline(StandardScaler(), KMeans(3, n_init=1)),
        ParetoClustering(4, families=("km", "ward", "genie", "spec"), k_range=(2, 3)),
        MemeticKMeans(4, max_distance_evaluations=20_000),
        MOCK(pop_size=10, n_gen=2),
        PESC(3, pop_size=8, n_gen=2),
        NSGA2Clus(metric="euclidean", pop_size=8, n_gen=2),
        AMOSAClus(
            metric="euclidean", annealing={"soft_limit": 8, "hard_limit": 4, "n_moves": 5, "t_min": 1.0}
        ),
    ],
    ids=lambda extra: type(extra).__name__,
)
@pytest.mark.filterwarnings("ignore:.*agree on no partition", "ignore:only . families")
def test_clusterers_of_any_kind(extra):
    model = fitted(extra)
    name = type(extra).__name__
    mine = [
        row for row, family in zip(model.pool_.labels, model.pool_.families, strict=True) if family == name
    ]
    assert mine
    assert all(len(np.unique(row)) > 1 for row in mine)
    assert not hasattr(extra, "labels_")
    assert_array_equal(fitted(extra).pool_.labels, model.pool_.labels)


def test_factorisation_of_counts():
    rng = np.random.default_rng(0)
    topics = rng.dirichlet(np.full(30, 0.05), size=3)
    counts = np.stack([rng.multinomial(60, topics[i % 3]) for i in range(60)]).astype(float)
    model = fitted(EnsembleNMF(3), data=counts)
    rows = model.pool_.labels[np.array(model.pool_.families) == "EnsembleNMF"]
    assert max(ari(row, np.arange(60) % 3) for row in rows) > 0.9


def test_a_whole_front_counts():
    front = MOCK(pop_size=10, n_gen=2, random_state=1)
    n = (np.array(fitted(front).pool_.families) == "MOCK").sum()
    assert n == sum(len(set(row)) > 1 for row in front.fit(X).pareto_labels_.tolist()) > 1


def test_failures_are_left_out_and_named():
    with pytest.warns(
        UserWarning, match="omitted from the pool: Unlucky: RuntimeError: no luck today"
    ) as caught:
        model = fitted(Unlucky(), Short(), Halves())
    assert any("Short: ValueError" in str(w.message) and "length 90" in str(w.message) for w in caught)
    assert "Halves" in model.pool_.families
    assert not {"Unlucky", "Short"} & set(model.pool_.families)
    assert ari(model.labels_, CLASSES) > 0.9


def test_ctrl_c_is_no_failure():
    with pytest.raises(KeyboardInterrupt):
        fitted(Stopped())


def test_every_family_failing():
    options = {**QUICK, "families": ["hdbscan"], "k_range": (2, 3)}
    with pytest.raises(
        ValueError, match=r"no family found a partition of X with two or more clusters.*hdbscan: no part"
    ):
        ParetoClustering(**options).fit(X[:4])
    with pytest.raises(ValueError, match=r"no families were requested"):
        ParetoClustering(**{**QUICK, "families": []}).fit(X)


@pytest.mark.filterwarnings("ignore:only . families", "ignore:.*agree on no partition")
def test_nothing_but_ones_own():
    options = {**QUICK, "families": ()}
    model = ParetoClustering(extra_candidates=[("a", CLASSES), Halves()], **options).fit(X)
    assert set(model.pool_.families) == {"a", "Halves"}
    assert ari(model.labels_, CLASSES) == 1


def test_given_distances_reach_them():
    D = np.linalg.norm(X[:, None] - X, axis=2)
    model = fitted(DBSCAN(eps=1.0, metric="precomputed"), data=D, metric="precomputed")
    expected = DBSCAN(eps=1.0, metric="precomputed").fit_predict(D)
    row = model.pool_.labels[-1]
    assert model.pool_.families[-1] == "DBSCAN"
    assert ari(row[expected >= 0], expected[expected >= 0]) == 1


def test_bags_reach_them_as_means():
    rng = np.random.default_rng(0)
    bags = [rng.normal(6 * (i % 2), 1, (3, 2)) for i in range(20)]
    model = ParetoBagClustering(k_range=(2, 3), extra_candidates=[Halves()], random_state=0).fit(bags)
    expected = np.array([bag.mean(axis=0)[0] > 3 for bag in bags])
    assert ari(model.pool_.labels[-1], expected) == 1


@pytest.mark.parametrize(
    ("extra", "error", "message"),
    [
        ([KMeans], TypeError, "must be a clusterer"),
        (KMeans(2), ValueError, "'extra_candidates' parameter"),
        ([("a", [0, 1])], ValueError, "labels of 'a' must have length 90"),
        ([("a", np.full(90, np.nan))], ValueError, "finite"),
        (["KMeans"], TypeError, "got 'KMeans'"),
    ],
)
def test_what_is_no_candidate(extra, error, message):
    with pytest.raises(error, match=message):
        ParetoClustering(extra_candidates=extra, **QUICK).fit(X)
