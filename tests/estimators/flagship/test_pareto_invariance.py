"""What must not matter: order, units, types, threads."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pareto_cases import CLASSES, QUICK, X, ari, partly, true_pairs
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import load_wine
from threadpoolctl import threadpool_limits

from moo_clustering import ParetoClustering

RNG = np.random.default_rng(0)
ORDER = RNG.permutation(len(X))
# Without chance, and without distances that are equal: whoever comes first decides there.
FIXED = {
    "families": ("ward", "genie"),
    "k_range": (2, 3, 4, 5),
    "extra_candidates": [
        ("average", AgglomerativeClustering(4, linkage="average")),
        ("complete", AgglomerativeClustering(3, linkage="complete")),
    ],
    "random_state": 0,
}


@pytest.mark.parametrize("criterion", ["minimax", "mixture", "modularity"])
def test_order_of_rows(criterion):
    model = ParetoClustering(criterion=criterion, **FIXED).fit(X)
    turned = ParetoClustering(criterion=criterion, **FIXED).fit(X[ORDER])
    assert model.pool_.families == turned.pool_.families
    for one, other in zip(model.pool_.labels, turned.pool_.labels, strict=True):
        assert ari(one[ORDER], other) == 1
    columns = ["agreement", *model.objective_names_, "score"]
    assert_allclose(turned.scores_[columns], model.scores_[columns], atol=1e-12)
    assert ari(model.labels_[ORDER], turned.labels_) == 1
    y = partly(CLASSES, 3)
    one, other = model.relabel(y), turned.relabel(y[ORDER])
    assert_allclose(other.predict_proba_, one.predict_proba_[ORDER], atol=1e-9)
    place = np.argsort(ORDER)
    must, cannot = true_pairs(CLASSES, 40)
    one, other = model.relabel(must_link=must, cannot_link=cannot), None
    expected = one.labels_[ORDER]
    other = turned.relabel(must_link=place[must], cannot_link=place[cannot])
    assert ari(other.labels_, expected) == 1


def test_order_of_rows_on_the_whole_pool(plain):
    assert ari(ParetoClustering(random_state=0).fit(X[ORDER]).labels_, plain.labels_[ORDER]) == 1


@pytest.mark.parametrize("scale", ["standard", "isotropic"])
def test_origin_and_unit(scale):
    base = ParetoClustering(scale=scale, **QUICK).fit(X)
    for other in (X + 1e3, X * 7.0, -X, X * 1e-200, X * 1e200):
        assert ari(ParetoClustering(scale=scale, **QUICK).fit(other).labels_, base.labels_) == 1


def test_units_of_features():
    base = ParetoClustering(**QUICK).fit(X)
    assert ari(ParetoClustering(**QUICK).fit(X * [1, 1e4]).labels_, base.labels_) == 1
    # Isotropic scaling keeps them, as coordinates need it.
    wide = ParetoClustering(scale="isotropic", **QUICK).fit(X * [1, 1e4])
    assert ari(wide.labels_, base.labels_) < 1


def test_order_of_columns_and_constant_ones():
    wine = load_wine().data
    base = ParetoClustering(random_state=1).fit(wine)
    assert ari(ParetoClustering(random_state=1).fit(wine[:, ::-1]).labels_, base.labels_) > 0.95
    more = np.column_stack([np.ones(178), wine, np.full(178, -3.0)])
    assert_array_equal(ParetoClustering(random_state=1).fit(more).labels_, base.labels_)


@pytest.mark.parametrize(
    "convert",
    [
        lambda X: X.tolist(),
        np.asfortranarray,
        lambda X: np.repeat(X, 2, axis=0)[::2],
        lambda X: X.astype(np.longdouble),
        lambda X: X.astype(object),
    ],
)
def test_how_numbers_are_stored(convert):
    model, base = ParetoClustering(**QUICK).fit(convert(X)), ParetoClustering(**QUICK).fit(X)
    assert_array_equal(model.labels_, base.labels_)
    assert model.scores_.equals(base.scores_)


def test_single_precision():
    assert ari(ParetoClustering(**QUICK).fit(X.astype(np.float32)).labels_, CLASSES) > 0.9
    whole = np.rint(X * 100).astype(np.int16)
    base = ParetoClustering(**QUICK).fit(whole.astype(float))
    assert_array_equal(ParetoClustering(**QUICK).fit(whole).labels_, base.labels_)


def test_jobs_and_threads(plain):
    y = partly(CLASSES, 3)
    expected = ParetoClustering(random_state=0).fit(X, y)
    two = ParetoClustering(random_state=0, n_jobs=2).fit(X, y)
    with threadpool_limits(limits=1):
        one = ParetoClustering(random_state=0).fit(X, y)
    for model in (two, one):
        assert_array_equal(model.pool_.labels, plain.pool_.labels)
        assert_array_equal(model.predict_proba_, expected.predict_proba_)
        assert model.scores_.equals(expected.scores_)


def test_seeds():
    y = partly(CLASSES, 2)
    for seed in (3, np.random.SeedSequence(3).generate_state(1)[0].item()):
        one, two = (ParetoClustering(**{**QUICK, "random_state": seed}).fit(X, y) for _ in range(2))
        assert_array_equal(one.predict_proba_, two.predict_proba_)
    for kind in (np.random.RandomState, np.random.default_rng):
        one, two = (ParetoClustering(**{**QUICK, "random_state": kind(3)}).fit(X) for _ in range(2))
        assert one.scores_.equals(two.scores_)
    assert ParetoClustering(**{**QUICK, "random_state": None}).fit(X).n_clusters_ == 3
    # Only landmarks, bags, evolution and the consensus of a number of clusters are drawn.
    one, two = (ParetoClustering(random_state=seed).fit(X) for seed in (1, 2))
    assert_array_equal(one.labels_, two.labels_)
    assert one.scores_.equals(two.scores_)


def test_the_global_random_state_is_left_alone():
    import random

    np.random.seed(0)  # noqa: NPY002
    random.seed(0)
    before = np.random.get_state()[1].copy(), random.getstate()  # noqa: NPY002
    ParetoClustering(n_gen=1, pop_size=6, engine="deap", **QUICK).fit(X)
    assert_array_equal(np.random.get_state()[1], before[0])  # noqa: NPY002
    assert random.getstate() == before[1]


def test_a_member_given_twice_changes_nothing():
    labels = np.arange(len(X)) // 30
    once = ParetoClustering(extra_candidates=[("mine", labels)], **QUICK).fit(X)
    twice = ParetoClustering(extra_candidates=[("mine", labels), ("mine", 2 - labels)], **QUICK).fit(X)
    n = once.pool_.n_partitions
    assert twice.scores_[:n].equals(once.scores_)
    assert_array_equal(twice.labels_, once.labels_)
    assert_array_equal(twice.pareto_front_, once.pareto_front_)
    y = partly(CLASSES, 3)
    assert twice.relabel(y).scores_[:n].equals(once.relabel(y).scores_)
