"""The clusterer of bags."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pareto_cases import ari, naive_agreement, naive_modularity, naive_probabilities
from scipy.spatial.distance import cdist

from moo_clustering import Bags, InconsistentConstraintsError, ParetoBagClustering, ParetoClustering

RNG = np.random.default_rng(0)
CLASSES = np.arange(24) % 2
BAGS = [RNG.normal(3.0 * c, 1.0, (RNG.integers(1, 6), 2)) for c in CLASSES]
LABELS = np.where(np.arange(24) < 6, CLASSES, -1)
QUICK = {"k_range": (2, 3, 4), "distances": ("average", "energy"), "embeddings": ("mean",), "random_state": 0}


@pytest.fixture(scope="module")
def model():
    return ParetoBagClustering(random_state=0).fit(BAGS)


def test_a_family_is_an_algorithm_in_a_view(model):
    names = set(model.pool_.family_names)
    on_distances = {
        f"{a}@{v}"
        for a in ("kmed", "avg", "spec", "genie", "hdbscan")
        for v in ("symmetric", "average", "energy", "sliced")
    }
    on_tables = {f"{a}@{v}" for a in ("km", "ward") for v in ("mean", "stats", "stats_pca", "prototypes")}
    assert names == on_distances | on_tables


def test_families_are_told_in_words_with_their_view(model):
    lines = model.summary().splitlines()[1:-1]
    assert lines.pop(0).startswith("granularity: ")
    assert len(lines) == len(model.alternatives_) > 0
    for line, families in zip(lines, model.alternatives_["families"], strict=True):
        assert "@" not in line
        assert f" ({families.partition('@')[2].partition(',')[0]})" in line


def test_scores_and_choice():
    quick = ParetoBagClustering(**QUICK).fit(BAGS)
    pool, scores = quick.pool_, quick.scores_
    agreement = np.array([naive_agreement(row, pool.labels, pool.families) for row in pool.labels])
    modularity = np.array([naive_modularity(row, quick.graph_) for row in pool.labels])
    assert_allclose(scores.agreement, agreement, atol=1e-12)
    assert_allclose(scores.modularity, modularity, atol=1e-12)
    assert ari(quick.labels_, pool.labels[(agreement + 0.25 * modularity).argmax()]) == 1
    assert ari(quick.labels_, CLASSES) > 0.8
    assert len(quick.labels_) == 24


def kernel_of_means(kind):
    """Gaussian kernel of the energy distance, from all pairs of instances."""
    low, high = np.concatenate(BAGS).min(axis=0), np.concatenate(BAGS).max(axis=0)
    scaled = [(bag - low) / (high - low) for bag in BAGS]
    mean = np.array([[cdist(a, b).mean() for b in scaled] for a in scaled])
    D = 2 * mean - np.diag(mean)[:, None] - np.diag(mean)
    D = np.sqrt(np.maximum(D, 0))
    return np.exp(-((D / np.median(D[D > 0])) ** 2))


def test_probabilities_are_those_of_the_definition():
    pool = ParetoBagClustering(kernel="pool", clamp=False, **QUICK).fit(BAGS, LABELS)
    assert_allclose(pool.predict_proba_, naive_probabilities(pool, LABELS), atol=1e-9)
    both = ParetoBagClustering(clamp=False, **QUICK).fit(BAGS, LABELS)
    energy, sliced = both._samples.kernels
    assert_allclose(energy, kernel_of_means("energy"), atol=1e-7)
    assert_allclose(both.predict_proba_, naive_probabilities(both, LABELS, energy + sliced), atol=1e-9)
    assert (both.transduction_ == CLASSES).mean() > 0.9


def test_kernels_alone():
    alone = ParetoBagClustering(kernel="bags", random_state=0).fit(BAGS, LABELS)
    assert alone.pool_ is None
    assert alone.result_ is None
    assert np.isnan(alone.confidence_)
    assert len(alone.scores_) == len(alone.alternatives_) == len(alone.pareto_labels_) == 0
    assert (alone.transduction_ == CLASSES).mean() > 0.9
    assert_array_equal(alone.choose("auto").labels_, alone.labels_)
    for call in (
        lambda: alone.choose("select"),
        alone.relabel,
        lambda: ParetoBagClustering(kernel="bags").fit(BAGS),
    ):
        with pytest.raises(ValueError, match=r"unknown rule 'select'|requires labels of every class"):
            call()
    with pytest.raises(ValueError, match="requires labels of every class"):
        ParetoBagClustering(kernel="bags", novel="allow").fit(BAGS, LABELS)
    assert set(alone.relabel(np.where(LABELS < 0, -1, 5 + LABELS)).transduction_) == {5, 6}


def test_every_way_to_give_bags(model):
    offsets = np.cumsum([0, *map(len, BAGS)])
    groups = np.repeat(np.arange(24), np.diff(offsets))
    instances = np.concatenate(BAGS)
    for fit in (
        lambda m: m.fit(Bags.from_list(BAGS)),
        lambda m: m.fit(instances, groups=groups),
        lambda m: m.fit(instances, offsets=offsets),
    ):
        assert_array_equal(fit(ParetoBagClustering(random_state=0)).labels_, model.labels_)
    # The clusterer of tables takes them as well.
    assert_array_equal(ParetoClustering(random_state=0).fit(BAGS).labels_, model.labels_)


def test_prediction(model):
    assert_array_equal(model.predict(BAGS), model.labels_)
    new = [RNG.normal(3.0 * c, 0.5, (4, 2)) for c in CLASSES]
    assert ari(model.predict(new), CLASSES) > 0.8
    named = ParetoBagClustering(clamp=False, **QUICK).fit(BAGS, LABELS)
    assert_allclose(named.predict_proba(BAGS), named.predict_proba_, atol=1e-9)
    assert_allclose(named.predict_proba(new).sum(axis=1), 1)
    assert_array_equal(pickle.loads(pickle.dumps(named)).predict(new), named.predict(new))


def test_pairs_new_classes_and_numbers():
    must, cannot = [(0, 2), (1, 3)], [(0, 1), (2, 5)]
    for k in (None, 2, 5):
        found = ParetoBagClustering(k, **QUICK).fit(BAGS, must_link=must, cannot_link=cannot)
        assert all(found.labels_[i] == found.labels_[j] for i, j in must)
        assert k is None or found.n_clusters_ == k
    with pytest.raises(InconsistentConstraintsError):
        ParetoBagClustering(**QUICK).fit(BAGS, must_link=[(0, 1)], cannot_link=[(0, 1)])
    new = ParetoBagClustering(novel="allow", **QUICK).fit(BAGS, np.where(LABELS == 1, -1, LABELS))
    assert -1 in new.transduction_


def test_evolution_and_its_controls():
    found = ParetoBagClustering(n_gen=2, pop_size=8, **QUICK).fit(BAGS)
    assert_array_equal(found.control_labels_, ParetoBagClustering(**QUICK).fit(BAGS).labels_)
    assert set(found.control_score_) == {"result", "control", "random_control"}


def test_bags_of_repeated_instances():
    # Means, minima and all distances between them are the same.
    options = {**QUICK, "distances": ("symmetric", "average", "energy")}
    once = ParetoBagClustering(**options).fit(BAGS)
    tripled = ParetoBagClustering(**options).fit([np.tile(bag, (3, 1)) for bag in BAGS])
    assert ari(once.labels_, tripled.labels_) == 1


def test_few_and_equal_bags():
    assert_array_equal(ParetoBagClustering(random_state=0).fit(BAGS[:2]).labels_, [0, 0])
    assert_array_equal(ParetoBagClustering(2, random_state=0).fit(BAGS[:2]).labels_, [0, 1])
    assert ParetoBagClustering(random_state=0).fit([BAGS[0]] * 12).n_clusters_ == 1
    with pytest.warns(UserWarning, match="only 3 of n_clusters=.* fewer distinct rows"):
        found = ParetoBagClustering(5, **QUICK).fit(BAGS[:3] * 5)
    assert_array_equal(found.labels_, [0, 1, 2] * 5)
    assert ParetoBagClustering(24, **QUICK).fit(BAGS).n_clusters_ == 24


@pytest.mark.parametrize(
    ("bags", "options", "message"),
    [
        ([*BAGS, np.zeros((0, 2))], {}, "bag 24 must not be empty"),
        ([*BAGS, np.full((1, 2), np.nan)], {}, "bag 24, row 0, column 0 is nan"),
        ([*BAGS, np.zeros((1, 3))], {}, "bag 24 has 3 features"),
        (BAGS, {"n_clusters": 25}, "must not exceed the number of samples, 24"),
        (BAGS, {"distances": ["hausdorff"]}, "got 'hausdorff'"),
        (BAGS, {"distances": [], "embeddings": []}, "contain at least one view"),
        (BAGS, {"kernel": "full"}, "kernel"),
    ],
)
def test_what_is_refused(bags, options, message):
    with pytest.raises(ValueError, match=message):
        ParetoBagClustering(**options).fit(bags)


def test_other_features(model):
    with pytest.raises(ValueError, match="3 features, but ParetoBagClustering is expecting 2"):
        model.predict([np.zeros((1, 3))])
