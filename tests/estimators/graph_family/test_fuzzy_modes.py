"""FuzzyModesMOGA: tables of any kind in, fronts and partitions out."""

import os
import signal

import numpy as np
import pandas as pd
import pytest
from pymoo.indicators.hv import Hypervolume
from scipy.optimize import linear_sum_assignment
from sklearn.base import clone
from sklearn.datasets import load_wine, make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.cluster import contingency_matrix
from sklearn.utils.estimator_checks import parametrize_with_checks

from moo_clustering import FuzzyModesMOGA
from moo_clustering.algorithms import InterruptedSearchWarning
from moo_clustering.consensus import cspa
from moo_clustering.datasets import load_bundled
from moo_clustering.estimators import fuzzy_modes
from moo_clustering.estimators._methods import find_method
from moo_clustering.estimators.fuzzy_modes import reference_row
from moo_clustering.persistence import CheckpointMismatchError

QUICK = {"pop_size": 20, "n_gen": 12, "random_state": 1}
VOTE = {"metric": "euclidean", "beta": 0.5, "reference": "first"}


def majority_vote(labels, data, **options):
    return fuzzy_modes.majority_vote(labels, data, FuzzyModesMOGA(2, **options))


METRICS = pytest.mark.parametrize("metric", ["hamming", "euclidean"])


@pytest.fixture(scope="module")
def frame():
    """Three kinds of things, told apart by text, categories, truth values, whole numbers and floats."""
    rng = np.random.default_rng(0)
    kind = rng.permutation(np.repeat([0, 1, 2], 30))

    def mixed(values, other=0.1):
        drawn = rng.integers(0, len(values), 90)
        return np.array(values, dtype=object)[np.where(rng.random(90) < other, drawn, kind)]

    table = pd.DataFrame(
        {
            "color": mixed(["red", "green", "blue"]),
            "size": pd.Categorical(mixed(["S", "M", "L"]), categories=["S", "M", "L", "XL"], ordered=True),
            "round": mixed([True, False, False]).astype(bool),
            "legs": mixed([2, 4, 8]).astype(np.int64),
            "weight": kind * 2.0 + rng.normal(scale=0.5, size=90),
        }
    )
    return table, kind


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(120, centers=3, n_features=4, cluster_std=2.5, random_state=3)


def results(model):
    return model.pareto_front_, model.pareto_labels_, model.labels_, model.memberships_, model.modes_


def same(one, two):
    for first, second in zip(results(one), results(two), strict=True):
        np.testing.assert_array_equal(first, second)


def test_a_data_frame_with_text(frame):
    table, kind = frame
    before = table.copy()
    model = FuzzyModesMOGA(3, **QUICK).fit(table)
    pd.testing.assert_frame_equal(table, before)
    assert adjusted_rand_score(kind, model.labels_) > 0.85
    assert model.labels_.dtype == np.int32
    assert model.modes_.shape == (3, 5)
    for label, mode in enumerate(model.modes_):
        inside = table[model.labels_ == label]
        for name in ("color", "size", "round", "legs"):
            counts = inside[name].value_counts()
            assert counts[mode[list(table).index(name)]] == counts.max()
        assert isinstance(mode[4], pd.Interval)
    np.testing.assert_allclose(model.memberships_.sum(axis=1), 1.0)
    assert not hasattr(model, "cluster_centers_")
    assert list(model.feature_names_in_) == list(table)
    # Unseen categories differ from all; the other columns decide.
    new = table.iloc[:20].assign(color="purple", size="XL")
    assert (model.predict(new) == model.labels_[:20]).mean() > 0.8


def test_the_same_table_in_other_forms(frame):
    table, _ = frame
    model = FuzzyModesMOGA(3, **QUICK).fit(table)
    objects = FuzzyModesMOGA(3, **QUICK).fit(table.to_numpy(dtype=object))
    # The order of sizes is that of the declared categories in the one, of the alphabet in the other.
    assert adjusted_rand_score(model.labels_, objects.labels_) > 0.85
    codes = table[["color", "legs"]].apply(lambda column: pd.factorize(column, sort=True)[0])
    for form in (codes.to_numpy(), codes.to_numpy(dtype=float), codes, codes.to_numpy().tolist()):
        same_codes = FuzzyModesMOGA(3, **QUICK).fit(form)
        text = FuzzyModesMOGA(3, **QUICK).fit(table[["color", "legs"]])
        np.testing.assert_array_equal(same_codes.labels_, text.labels_)
    assert text.modes_.dtype == object
    assert FuzzyModesMOGA(3, **QUICK).fit(codes.to_numpy()).modes_.dtype == np.int64


def test_names_of_categories_do_not_matter(frame):
    table, _ = frame
    one = FuzzyModesMOGA(3, **QUICK).fit(table[["color"]])
    # The same order of categories, so that ties fall alike.
    two = FuzzyModesMOGA(3, **QUICK).fit(table[["color"]].replace({"red": "z", "green": "y", "blue": "x"}))
    np.testing.assert_array_equal(one.labels_, two.labels_)


@METRICS
def test_front_and_members(blobs, metric):
    X, y = blobs
    model = FuzzyModesMOGA(3, metric=metric, **QUICK).fit(X)
    pi, sep = model.pareto_front_.T
    assert model.objective_names_ == ("pi", "sep")
    assert (np.diff(pi) >= 0).all()
    assert (np.diff(sep) >= 0).all()
    assert model.chosen_ is None
    assert adjusted_rand_score(y, model.labels_) > 0.5
    problem = model.result_.problem
    for row in range(len(pi)):
        model.choose(row)
        assert model.chosen_ == row
        np.testing.assert_array_equal(model.labels_, model.pareto_labels_[row])
        np.testing.assert_array_equal(np.unique(model.labels_), np.arange(model.n_clusters_))
        # A member's labels are its nearest modes, which is what predict goes by.
        np.testing.assert_array_equal(model.predict(X), model.labels_)
        assert model.memberships_.shape == (120, model.n_clusters_)
        top = model.memberships_.max(axis=1)
        np.testing.assert_allclose(model.memberships_[np.arange(120), model.labels_], top)
    assert len(np.unique(problem.canonical(model.result_.opt.get("X")), axis=0)) == len(pi)
    assert model.choose("pi").chosen_ == 0
    assert model.choose("sep").chosen_ == sep.argmax()
    assert model.choose(lambda front: len(front) - 1).chosen_ == len(pi) - 1
    assert model.choose("knee").chosen_ is not None
    assert model.pareto_modes_.shape == (len(pi), 3, 4)


def test_centers_are_in_the_units_of_the_data(blobs):
    X, _ = blobs
    X = X * [1, 10, 100, 1000] + 5
    for scale in ("minmax", "standard", "none"):
        model = FuzzyModesMOGA(3, metric="euclidean", scale=scale, **QUICK).fit(X)
        for label, center in enumerate(model.cluster_centers_):
            np.testing.assert_allclose(center, X[model.labels_ == label].mean(axis=0))
        assert model.pareto_modes_.min() >= X.min()
        assert model.pareto_modes_.max() <= X.max()
    np.testing.assert_array_equal(model.modes_, model.cluster_centers_)
    # Scaling acts: units of the columns matter only without it.
    units = [1, 10, 100, 0.001]
    for scale, equal in (("minmax", True), ("standard", True), ("none", False)):
        options = {"metric": "euclidean", "scale": scale, **QUICK}
        one, two = (FuzzyModesMOGA(3, **options).fit(data) for data in (X, X * units))
        assert np.allclose(one.pareto_front_[0], two.pareto_front_[0], rtol=1e-6) is equal


def test_consensus_is_cspa_of_the_front(blobs):
    X, _ = blobs
    model = FuzzyModesMOGA(3, metric="euclidean", final="cspa", **QUICK).fit(X)
    found = model.labels_.copy()
    expected = cspa(model.pareto_labels_, 3, partitioner="svd", random_state=0)
    assert adjusted_rand_score(expected, found) > 0.95
    vote = model.choose("vote").labels_
    np.testing.assert_array_equal(vote, FuzzyModesMOGA(3, metric="euclidean", **QUICK).fit(X).labels_)
    np.testing.assert_array_equal(model.choose("cspa").labels_, found)


@METRICS
def test_seeds_and_threads(blobs, metric, monkeypatch):
    from moo_clustering.problems import categories

    X, _ = blobs
    options = {"metric": metric, **QUICK}
    one = FuzzyModesMOGA(3, **options).fit(X)
    same(one, FuzzyModesMOGA(3, **options).fit(X, np.zeros(120)))
    monkeypatch.setattr(categories, "LEAST_PER_THREAD", 0)
    same(one, FuzzyModesMOGA(3, n_jobs=3, **options).fit(X))
    other = FuzzyModesMOGA(3, **{**options, "random_state": 2}).fit(X)
    assert not all(np.array_equal(a, b) for a, b in zip(one.history_.F, other.history_.F, strict=True))
    generator = np.random.default_rng(0)
    same(
        FuzzyModesMOGA(3, **{**options, "random_state": generator}).fit(X),
        FuzzyModesMOGA(3, **{**options, "random_state": np.random.default_rng(0)}).fit(X),
    )


@pytest.mark.parametrize(
    ("change", "acts"),
    [
        ({"fuzziness": 1.3}, True),
        ({"pc": 0.0}, True),
        ({"pm": 1.0}, True),
        ({"pop_size": 24}, True),
        ({"beta": 1.0}, False),
        ({"reference": "medoid"}, False),
    ],
)
def test_options_act_on_the_search_or_leave_it(blobs, change, acts):
    X, _ = blobs
    options = {"metric": "euclidean", **QUICK}
    one, two = FuzzyModesMOGA(3, **options).fit(X), FuzzyModesMOGA(3, **{**options, **change}).fit(X)
    assert np.array_equal(one.history_.F[-1], two.history_.F[-1]) is not acts


@pytest.mark.filterwarnings("ignore:only .* are non-empty")
def test_bins():
    rng = np.random.default_rng(0)
    X = np.column_stack(
        [
            rng.normal(size=100),  # many fractions
            rng.choice([0.5, 1.5, 2.5], 100),  # few fractions
            rng.integers(0, 15, 100),  # whole, few
            rng.permutation(100),  # whole, many
            np.r_[np.zeros(90), np.linspace(1.5, 9, 10)],  # equal quantiles
        ]
    )
    problem = FuzzyModesMOGA(2, pop_size=4, n_gen=0).fit(X).result_.problem
    np.testing.assert_array_equal(problem.space.categories, [5, 3, 15, 5, 1])
    codes = problem.space.data
    np.testing.assert_array_equal(np.bincount(codes[:, 0]), 20)
    assert (np.diff(codes[np.argsort(X[:, 0]), 0]) >= 0).all()
    np.testing.assert_array_equal(codes[:, 3], X[:, 3] // 20)
    three = FuzzyModesMOGA(2, bins=3, pop_size=4, n_gen=0).fit(X).result_.problem
    np.testing.assert_array_equal(three.space.categories, [3, 3, 15, 3, 1])
    whole = FuzzyModesMOGA(2, bins=None, pop_size=4, n_gen=0)
    with pytest.warns(UserWarning, match="column 1 has a different value in every sample"):
        problem = whole.fit(X[:, [2, 3]]).result_.problem
    np.testing.assert_array_equal(problem.space.categories, [15, 100])
    with pytest.raises(ValueError, match=r"column 0 contains fractions.*set bins"):
        whole.fit(X)


def test_binned_columns_predict_by_the_same_intervals():
    X = np.r_[np.linspace(0, 1, 30), np.linspace(9, 10, 30)][:, None]
    model = FuzzyModesMOGA(2, bins=2, **QUICK).fit(X)
    np.testing.assert_array_equal(
        model.predict([[-50.0], [0.4], [9.0], [1e9]]), model.labels_[[0, 0, -1, -1]]
    )
    assert {mode[0].closed for mode in model.modes_} == {"left"}
    with pytest.raises(ValueError, match="column 0 was numeric in fit"):
        model.predict(np.array([["a"]], dtype=object))


@pytest.mark.parametrize(
    ("column", "options", "error", "message"),
    [
        (
            "color",
            {"metric": "euclidean"},
            ValueError,
            r"requires numeric columns, got column 'color' \(such as '\w+'\)",
        ),
        ("size", {"metric": "euclidean"}, ValueError, r"column 'size' \(categories\).*metric='hamming'"),
        ("weight", {"bins": None}, ValueError, "column 'weight' contains fractions"),
    ],
)
def test_columns_that_do_not_fit_the_metric_are_named(frame, column, options, error, message):
    table, _ = frame
    with pytest.raises(error, match=message):
        FuzzyModesMOGA(3, **options).fit(table[[column]])


def test_bad_cells_are_named(frame):
    table, _ = frame
    holes = table.copy()
    holes.loc[[7, 9], "color"] = None
    with pytest.raises(ValueError, match="column 'color' has 2, the first in row 7"):
        FuzzyModesMOGA(3).fit(holes)
    holes = table.copy()
    holes.loc[3, "weight"] = np.inf
    with pytest.raises(ValueError, match="infinity: column 'weight'"):
        FuzzyModesMOGA(3).fit(holes)
    with pytest.raises(TypeError, match="column 1 contains a value of type list: every argument must"):
        FuzzyModesMOGA(1).fit(np.array([["a", [1]], ["b", [2]]], dtype=object))
    model = FuzzyModesMOGA(3, **QUICK).fit(table)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(table.rename(columns={"color": "colour"}))
    with pytest.raises(ValueError, match="Found array with 0 sample"):
        FuzzyModesMOGA(3).fit(table.iloc[:0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_clusters": 200}, "n_clusters=200 must not exceed the number of samples, 120"),
        ({"fuzziness": 1}, "'fuzziness' parameter"),
        ({"final": "mean"}, "'final' parameter"),
        ({"bins": 1}, "'bins' parameter"),
        ({"resume": True}, "resume=True requires checkpoint"),
    ],
)
def test_bad_options_are_named(blobs, options, message):
    with pytest.raises(ValueError, match=message):
        FuzzyModesMOGA(**{"n_clusters": 3, **options}).fit(blobs[0])


def test_bad_rules_are_named(blobs):
    model = FuzzyModesMOGA(2, metric="euclidean", **QUICK).fit(blobs[0])
    with pytest.raises(ValueError, match=r"unknown rule 'votes'.*did you mean 'vote'"):
        model.choose("votes")
    with pytest.raises(ValueError, match="outside the front"):
        model.choose(1000)


@METRICS
@pytest.mark.parametrize("final", ["vote", "cspa"])
def test_fewer_different_rows_than_clusters(metric, final):
    X = np.repeat([[0, 1], [2, 2]], 10, axis=0)
    with pytest.warns(UserWarning, match="only 2 of n_clusters=4 clusters are non-empty"):
        model = FuzzyModesMOGA(4, metric=metric, final=final, **QUICK).fit(X)
    np.testing.assert_array_equal(model.labels_, np.repeat([0, 1], 10))
    assert len(model.modes_) == 2


@METRICS
def test_one_cluster_and_one_sample(metric):
    model = FuzzyModesMOGA(1, metric=metric, **QUICK).fit([[0, 1], [0, 2], [3, 2]])
    np.testing.assert_array_equal(model.labels_, 0)
    assert (model.pareto_front_[:, 1] == 0).all()
    assert FuzzyModesMOGA(1, metric=metric, **QUICK).fit([[4, 5]]).labels_.tolist() == [0]


@METRICS
def test_resumed_equals_uninterrupted(blobs, tmp_path, metric):
    X, _ = blobs
    options = {"n_clusters": 3, "metric": metric, **QUICK}
    whole = FuzzyModesMOGA(**options).fit(X)
    path = tmp_path / "run.npz"
    FuzzyModesMOGA(**{**options, "n_gen": 5}, checkpoint=path, checkpoint_every=2).fit(X)
    # How one partition is made of the front is not part of the search.
    rest = FuzzyModesMOGA(**options, checkpoint=path, resume=True, final="cspa", beta=0.9, n_jobs=2).fit(X)
    assert rest.n_iter_ == 12
    rest.beta = 0.5
    same(whole, rest.choose("vote"))
    for change in ({"fuzziness": 3}, {"random_state": 9}, {"pm": 0.3}):
        with pytest.raises(CheckpointMismatchError, match=next(iter(change))):
            FuzzyModesMOGA(**{**options, **change}, checkpoint=path, resume=True).fit(X)
    with pytest.raises(CheckpointMismatchError, match="data differ"):
        FuzzyModesMOGA(**options, checkpoint=path, resume=True).fit(X[::-1])


def test_ctrl_c_keeps_the_best_so_far(blobs, monkeypatch):
    from moo_clustering.operators.modes import ModesMutation

    draw, calls = ModesMutation._do, []

    def press(self, *args, **kwargs):
        calls.append(1)
        if len(calls) == 3:
            os.kill(os.getpid(), signal.SIGINT)
        return draw(self, *args, **kwargs)

    monkeypatch.setattr(ModesMutation, "_do", press)
    with pytest.warns(InterruptedSearchWarning, match="generations"):
        model = FuzzyModesMOGA(3, metric="euclidean", **QUICK).fit(blobs[0])
    assert model.interrupted_
    assert 0 < model.n_iter_ < 12
    assert len(model.labels_) == 120


def test_evolution_improves_the_front():
    X, _ = load_wine(return_X_y=True)
    model = FuzzyModesMOGA(3, pop_size=40, n_gen=30, random_state=0).fit(X)
    first, last = model.history_.F[0], model.history_.F[-1]
    volume = Hypervolume(ref_point=first.max(axis=0))
    assert volume(last) > 1.1 * volume(first)
    assert last[:, 0].min() < first[:, 0].min()
    # All attributes of all modes differ: no sep is greater, each of two others has half of a mode.
    assert last[:, 1].min() == -3 * 2 * 13 / 4
    frame = model.history_.to_frame(model.objective_names_)
    assert frame["best_sep"].iloc[-1] == pytest.approx(model.pareto_front_[:, 1].max())


def test_clone_and_registry():
    model = FuzzyModesMOGA(3, metric="euclidean", bins=None)
    assert clone(model).get_params() == model.get_params()
    for name, options in (("MOGA(pi,sep)", {}), ("moga-numeric", {"metric": "euclidean"})):
        method, found = find_method(name)
        assert method.class_name == "FuzzyModesMOGA"
        assert found == options


def test_a_vote_by_hand():
    labels = np.array([[0, 0, 0, 1, 1], [1, 1, 0, 0, 0], [0, 0, 0, 1, 1]], dtype=np.int32)
    data = np.arange(5.0)[:, None]
    for reference in ("first", "medoid"):
        vote = majority_vote(labels, data, **{**VOTE, "reference": reference})
        np.testing.assert_array_equal(vote, [0, 0, 0, 1, 1])


def test_names_of_clusters_do_not_matter():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, (7, 40)).astype(np.int32)
    names = np.array([rng.permutation(3) for _ in range(7)])
    renamed = np.take_along_axis(names, labels, axis=1).astype(np.int32)
    renamed[0] = labels[0]
    data = rng.normal(size=(40, 2))
    np.testing.assert_array_equal(majority_vote(labels, data, **VOTE), majority_vote(renamed, data, **VOTE))


def split(n_unsure=1):
    """Two far groups; one partition in three gives the last samples of the first to the second."""
    data = np.concatenate([np.arange(10.0), 100.0 + np.arange(10.0)])[:, None]
    truth = np.repeat([0, 1], 10)
    labels = np.tile(truth, (3, 1))
    labels[1:, 10 - n_unsure : 10] = 1
    return labels.astype(np.int32), data, truth


def test_neighbours_decide_where_too_few_agree():
    labels, data, truth = split()
    np.testing.assert_array_equal(majority_vote(labels, data, **VOTE), np.where(np.arange(20) == 9, 1, truth))
    np.testing.assert_array_equal(majority_vote(labels, data, **{**VOTE, "beta": 0.7}), truth)
    # Two of three are exactly the share that is asked for.
    vote = majority_vote(labels, data, **{**VOTE, "beta": 2 / 3})
    assert vote[9] == 1


def test_neighbours_by_hamming_distance():
    labels, _, truth = split()
    # Euclidean distance would take the unsure sample to the second group.
    data = np.where(truth[:, None] == 0, [0, 0, 0], [5, 5, 9])
    data[9] = [0, 0, 9]
    vote = majority_vote(labels, data, metric="hamming", beta=0.7, reference="first")
    np.testing.assert_array_equal(vote, truth)
    assert majority_vote(labels, data, **{**VOTE, "beta": 0.7})[9] == 1


@pytest.mark.parametrize(
    ("labels", "beta"),
    [
        # Fewer than five sure samples.
        ([[0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 0, 0], [0, 0, 0, 1, 1, 1]], 1.0),
        # Cluster 2 has no sure sample.
        ([[0, 0, 0, 1, 1, 1, 2], [0, 0, 0, 1, 1, 1, 2], [0, 0, 0, 1, 1, 1, 1]], 1.0),
    ],
)
def test_the_vote_alone_where_the_classifier_would_know_too_little(labels, beta):
    data = np.zeros((len(labels[0]), 1))
    vote = majority_vote(np.array(labels, dtype=np.int32), data, **{**VOTE, "beta": beta})
    np.testing.assert_array_equal(vote, labels[0])


def test_the_medoid_is_most_similar_to_the_others():
    rng = np.random.default_rng(3)
    truth = np.arange(60) % 3
    noise = [0.9, 0.4, 0.05, 0.3]
    labels = np.array([np.where(rng.random(60) < p, rng.integers(0, 3, 60), truth) for p in noise])
    assert reference_row(labels.astype(np.int32), "medoid") == 2
    assert reference_row(labels.astype(np.int32), "first") == 0
    assert reference_row(np.zeros((3, 4), dtype=np.int32), "medoid") == 0


def accuracy(y, labels):
    table = contingency_matrix(y, labels)
    rows, columns = linear_sum_assignment(-table)
    return table[rows, columns].sum() / len(y)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "expected"), [("iris", 0.92), ("wine", 0.91), ("breast_cancer", 0.93)])
def test_numbers(name, expected):
    table = load_bundled(name)
    found = []
    for seed in range(2):
        model = FuzzyModesMOGA(len(np.unique(table.y)), metric="euclidean", random_state=seed).fit(table.X)
        found.append([accuracy(table.y, model.choose(rule).labels_) for rule in ("vote", "cspa")])
    np.testing.assert_allclose(np.mean(found, axis=0), expected, atol=0.03)


def test_binning_costs_accuracy():
    table = load_bundled("iris")
    model = FuzzyModesMOGA(3, random_state=0).fit(table.X)
    assert 0.72 < accuracy(table.y, model.labels_) < 0.87


@parametrize_with_checks(
    [
        FuzzyModesMOGA(n_clusters=3, pop_size=12, n_gen=4, random_state=0),
        FuzzyModesMOGA(n_clusters=3, metric="euclidean", pop_size=12, n_gen=4, random_state=0),
        FuzzyModesMOGA(n_clusters=3, metric="euclidean", final="cspa", pop_size=12, n_gen=4, random_state=0),
    ],
)
@pytest.mark.filterwarnings("ignore:only .* are non-empty")
@pytest.mark.filterwarnings("ignore:column .* a different value in every sample")
def test_scikit_learn_checks(estimator, check):
    check(estimator)
