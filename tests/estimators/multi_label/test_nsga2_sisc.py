"""SISC with a searched start."""

import signal
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from moo_clustering import subspace
from moo_clustering._arrays import non_dominated
from moo_clustering.algorithms import InterruptedSearchWarning, Recorder
from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.estimators.sisc_variants import NSGA2SISC
from moo_clustering.problems.subspace import SubspaceClusteringProblem
from moo_clustering.results import result_of

QUICK = {"n_clusters": 4, "pop_size": 6, "n_gen": 3, "n_sweeps": 2, "random_state": 0}


def topics(n=60, n_topics=4, words=6, seed=0, noise=0.05):
    rng = np.random.default_rng(seed)
    topic = np.arange(n) % n_topics
    chance = np.where(np.arange(n_topics * words) // words == topic[:, None], 0.8, noise)
    return (rng.random(chance.shape) < chance).astype(float), topic


def partial(topic, every=4):
    return np.where(np.arange(len(topic)) // 4 % every == 0, topic, -1)


def label_sets(topic, every=4):
    Y = np.eye(4)[topic]
    Y[topic == 0, 1] = 1.0
    return np.where((np.arange(len(topic)) // 4 % every == 0)[:, None], Y, -1)


@pytest.fixture(scope="module")
def fitted():
    X, topic = topics()
    return NSGA2SISC(**QUICK).fit(X, partial(topic)), X, topic


def test_the_front_and_what_is_chosen_of_it(fitted):
    model, X, topic = fitted
    assert model.objective_names_ == ("dispersion", "impurity")
    problem = SubspaceClusteringProblem(X, partial(topic), n_seeds=4, n_sweeps=2)
    assert_array_equal(problem.evaluate(model.pareto_seeds_), model.pareto_front_)
    assert_array_equal(relabel_by_first_appearance(problem.decode(model.pareto_seeds_)), model.pareto_labels_)
    assert len(non_dominated(model.pareto_front_)) == len(model.pareto_front_)
    assert (np.diff(model.pareto_front_[:, 0]) >= 0).all()
    assert model.chosen_ == model.pareto_front_[:, 1].argmin()
    assert sorted(model.seeds_) == sorted(model.pareto_seeds_[model.chosen_])
    done = problem.fit_individual(model.seeds_)
    assert_array_equal(model.memberships_, done.memberships)
    assert_array_equal(model.cluster_centers_, done.centers.T)
    assert_allclose(model.feature_weights_, np.exp(done.log_weights.T))
    assert_array_equal(model.impurities_, done.impurities)
    assert_array_equal(model.labels_, done.memberships.argmax(axis=1))
    assert model.labels_.dtype == np.int32
    assert isinstance(model.history_, Recorder)
    assert len(model.history_.F) == 4
    assert model.n_iter_ == 3
    assert not model.interrupted_
    assert model.result_.problem.n_seeds == 4


def test_predictions_are_those_of_the_clusters(fitted):
    model, *_ = fitted
    new, truth = topics(40, seed=1)
    d = subspace.distances(
        subspace.SubspaceData.of(new), model.cluster_centers_.T, np.log(model.feature_weights_).T, 5.0
    )
    assert_allclose(model.transform(new), d)
    votes = (1 / d) @ model.class_shares_ / (1 / d).sum(axis=1)[:, None]
    assert_allclose(model.predict_proba(new), votes, rtol=1e-6)
    assert_array_equal(model.predict(new), model.classes_[votes.argmax(axis=1)])
    assert (model.predict(new) == truth).mean() > 0.9
    assert model.score(new, truth) > 0.9


def test_the_control_has_as_many_evaluations(fitted):
    model, X, topic = fitted
    control = model.control_
    assert model.n_evaluations_ == 6 * 4 == control.n_draws
    assert len(control.X) == len(control.F) < control.n_draws
    assert sorted(non_dominated(control.F)) == list(range(len(control.F)))
    problem = SubspaceClusteringProblem(X, partial(topic), n_seeds=4, n_sweeps=2)
    assert_array_equal(problem.evaluate(control.X), control.F)
    assert control.best == control.F[:, 1].argmin()
    record = result_of(model).record
    assert (list(record["control"]), record["n_random_starts"]) == (list(model.objective_names_), 24)
    assert_array_equal(list(record["control"].values()), problem.natural(control.F[[control.best]])[0])
    before = model.memberships_
    model = clone(model).fit(X, partial(topic)).choose("random")
    assert model.chosen_ is None
    assert sorted(model.seeds_) == sorted(control.X[control.best])
    assert_array_equal(model.memberships_, problem.fit_individual(model.seeds_).memberships)
    assert_array_equal(model.choose("impurity").memberships_, before)
    at_once = NSGA2SISC(**QUICK, select="random").fit(X, partial(topic))
    assert sorted(at_once.seeds_) == sorted(control.X[control.best])


def test_ctrl_c_ends_the_control_and_keeps_what_was_drawn(monkeypatch):
    calls = []

    def evaluate(problem, *args, **kwargs):
        calls.append(1)
        if len(calls) == 6:
            signal.raise_signal(signal.SIGINT)
        return _evaluate(problem, *args, **kwargs)

    _evaluate = SubspaceClusteringProblem._evaluate
    monkeypatch.setattr(SubspaceClusteringProblem, "_evaluate", evaluate)
    X, topic = topics()
    model = NSGA2SISC(**QUICK).fit(X, partial(topic))
    assert model.n_evaluations_ == 24
    assert 0 < model.control_.n_draws < 24


def test_without_control():
    X, topic = topics()
    model = NSGA2SISC(**QUICK, control=False).fit(X, partial(topic))
    assert model.control_ is None
    assert list(result_of(model).record) == ["chosen"]
    with pytest.raises(ValueError, match="fit with control=True"):
        model.choose("random")
    with pytest.raises(ValueError, match="set control=True"):
        NSGA2SISC(**QUICK, control=False, select="random").fit(X, partial(topic))


def test_choose_again():
    X, topic = topics(noise=0.3)
    model = NSGA2SISC(**{**QUICK, "pop_size": 10}, k_min=2, objectives=("impurity", "n_clusters")).fit(
        X, partial(topic)
    )
    front = model.pareto_front_
    assert len(front) > 1
    assert model.choose("n_clusters").chosen_ == front[:, 1].argmin()
    assert len(model.seeds_) == front[:, 1].min() == model.memberships_.shape[1]
    assert model.predict_proba(X).shape == (60, 4)
    for row in range(len(front)):
        assert model.choose(row).chosen_ == row
        assert len(model.seeds_) == front[row, 1] == len(model.cluster_centers_)
        used = np.unique(model.labels_, return_inverse=True)[1]
        assert_array_equal(used, model.pareto_labels_[row])
    assert model.choose(lambda F: len(F) - 1).chosen_ == len(front) - 1
    for bad in ("purity", len(front)):
        with pytest.raises(ValueError, match=r"unknown rule|outside the front"):
            model.choose(bad)
    with pytest.raises(NotFittedError):
        NSGA2SISC().choose("knee")


def test_label_sets():
    X, topic = topics()
    model = NSGA2SISC(**QUICK).fit(csr_array(X), label_sets(topic))
    assert model.multilabel_
    new, truth = topics(40, seed=1)
    expected = label_sets(truth, every=1)
    assert (model.predict(new, n_labels=expected.sum(axis=1).astype(int)) == expected).mean() > 0.9
    assert model.predict(new).shape == (40, 4)


def test_threads_have_no_influence():
    X, topic = topics()
    one = NSGA2SISC(**QUICK).fit(X, partial(topic))
    for n_jobs in (2, 8):
        other = NSGA2SISC(**QUICK, n_jobs=n_jobs).fit(X, partial(topic))
        assert_array_equal(one.pareto_front_, other.pareto_front_)
        assert_array_equal(one.memberships_, other.memberships_)
        assert_array_equal(one.control_.F, other.control_.F)
    another = NSGA2SISC(**{**QUICK, "random_state": 1}).fit(X, partial(topic))
    assert (one.seeds_ != another.seeds_).any()


@pytest.mark.parametrize("y", [None, np.full(60, -1)])
def test_without_labels(y):
    X, _ = topics()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = NSGA2SISC(**QUICK, init="labels").fit(X, y)
    assert model.objective_names_ == ("dispersion",)
    assert len(model.classes_) == 0
    assert_array_equal(model.predict(X), model.labels_)
    assert model.control_.best == model.control_.F[:, 0].argmin()
    with pytest.raises(ValueError, match="'impurity' requires labels"):
        NSGA2SISC(**QUICK, objectives=("impurity",)).fit(X)


def test_starts_of_labelled_documents():
    X, topic = topics()
    y = partial(topic)
    model = NSGA2SISC(**{**QUICK, "n_gen": 0}, init="labels").fit(X, y)
    drawn = model.control_.X
    assert_array_equal(np.sort(y[drawn], axis=1), np.tile(np.arange(4), (len(drawn), 1)))
    assert_array_equal(
        np.sort(y[model.pareto_seeds_], axis=1), np.tile(np.arange(4), (len(model.pareto_seeds_), 1))
    )


def test_search_is_no_worse_than_its_start():
    X, topic = topics(120, noise=0.25)
    model = NSGA2SISC(**{**QUICK, "n_gen": 6}).fit(X, partial(topic))
    best = np.array([F.min(axis=0) for F in model.history_.F])
    assert (np.diff(best, axis=0) <= 0).all()
    assert best[-1, 1] < best[0, 1]


def test_resumed_runs_end_where_others_do(tmp_path):
    X, topic = topics()
    whole = NSGA2SISC(**QUICK).fit(X, partial(topic))
    options = {"checkpoint": tmp_path / "run", "checkpoint_every": 1}
    NSGA2SISC(**{**QUICK, "n_gen": 1}, **options).fit(X, partial(topic))
    resumed = NSGA2SISC(**QUICK, **options, resume=True, n_jobs=2, select="knee").fit(X, partial(topic))
    assert_array_equal(whole.pareto_front_, resumed.pareto_front_)
    assert_array_equal(whole.pareto_seeds_, resumed.pareto_seeds_)
    assert_array_equal(whole.control_.F, resumed.control_.F)
    assert whole.n_evaluations_ == resumed.n_evaluations_


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"n_clusters": 61}, "n_clusters=61"),
        ({"k_min": 5}, "k_min=5 must not exceed n_clusters=4"),
        ({"k_min": 2, "n_neighbors": 3}, "n_neighbors=3 must not exceed"),
        ({"n_sweeps": 4}, "n_sweeps"),
        ({"objectives": ("purity",)}, "'purity'"),
        ({"select": "n_cluster", "objectives": ("n_clusters",)}, "did you mean 'n_clusters'"),
        ({"select": "chi_square"}, "select must be one of"),
        ({"select": 99}, "outside the front"),
        ({"fuzziness": 1.0}, "fuzziness"),
        ({"pc": 1.5}, "pc"),
        ({"resume": True}, "checkpoint"),
    ],
)
def test_options_out_of_range(options, text):
    X, topic = topics()
    with pytest.raises(ValueError, match=text):
        NSGA2SISC(**{**QUICK, **options}).fit(X, partial(topic))


def test_impurity_is_no_rule_where_it_is_no_objective():
    X, topic = topics()
    model = NSGA2SISC(**QUICK, objectives=["dispersion", "chi_square"]).fit(X, partial(topic))
    assert model.chosen_ == model.choose("knee").chosen_
    assert model.control_.best == model.control_.F[:, 0].argmin()


def test_ctrl_c_keeps_the_best_so_far(monkeypatch):
    calls = []

    def evaluate(problem, *args, **kwargs):
        calls.append(1)
        if len(calls) == 2:
            signal.raise_signal(signal.SIGINT)
        return _evaluate(problem, *args, **kwargs)

    _evaluate = SubspaceClusteringProblem._evaluate
    monkeypatch.setattr(SubspaceClusteringProblem, "_evaluate", evaluate)
    X, topic = topics()
    with pytest.warns(InterruptedSearchWarning):
        model = NSGA2SISC(**QUICK).fit(X, partial(topic))
    assert model.interrupted_
    assert model.n_iter_ == 1
    assert model.n_evaluations_ == model.control_.n_draws == 12
    assert model.predict(X).shape == (60,)


def test_few_documents():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for n, k in ((1, 1), (2, 2), (3, 2)):
            model = NSGA2SISC(**{**QUICK, "n_clusters": k}).fit(np.eye(3)[:n], np.arange(n) % 2)
            assert len(model.pareto_front_) >= 1
            assert len(model.labels_) == n


@parametrize_with_checks(
    [NSGA2SISC(3, pop_size=4, n_gen=1, n_sweeps=1, random_state=0)],
    expected_failed_checks=lambda estimator: {
        "check_classifiers_classes": "takes -1 for a class, which marks unlabelled documents here"
    },
)
def test_scikit_learn_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        check(estimator)


def test_a_fit_that_fails_keeps_no_data():
    X, topic = topics()
    model = NSGA2SISC(len(X) + 1)
    with pytest.raises(ValueError, match="n_clusters"):
        model.fit(X, topic)
    assert not any(isinstance(value, np.ndarray | csr_array) for value in vars(model).values())
