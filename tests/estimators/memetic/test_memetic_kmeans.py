"""MemeticKMeans: results, budgets, controls, checkpoints, Ctrl-C, refusals."""

import os
import signal
import threading
import warnings

import numpy as np
import pytest
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from moo_clustering import MemeticKMeans
from moo_clustering.algorithms import InterruptedSearchWarning
from moo_clustering.estimators import memetic_kmeans
from moo_clustering.estimators.memetic_kmeans import CenterSearch

STRATEGIES = ("memetic", "swap", "multistart", "ward")
EACH = pytest.mark.parametrize("strategy", STRATEGIES)
ENGINES = pytest.mark.parametrize("engine", ["pymoo", "deap"])


def blobs(k=25, n=500, d=2, seed=0, spread=0.03):
    rng = np.random.default_rng(seed)
    return rng.random((k, d))[rng.integers(k, size=n)] + spread * rng.standard_normal((n, d))


def squares(X, centers, labels):
    return ((X - centers[labels]) ** 2).sum()


def small(strategy="memetic", k=25, distances=1_000_000, **options):
    """Room for some 15 local searches of 500 samples, also in a population."""
    options = {"ward_start": False, "pop_min": 3, "pop_max": 5, "random_state": 0} | options
    return MemeticKMeans(k, strategy=strategy, max_distance_evaluations=distances, **options)


@EACH
def test_results_belong_together(strategy):
    X = 1000.0 + blobs()
    model = small(strategy).fit(X)
    assert model.labels_.dtype == np.int32
    assert model.n_clusters_ == 25
    np.testing.assert_array_equal(np.unique(model.labels_, return_index=True)[0], np.arange(25))
    assert (np.diff(np.unique(model.labels_, return_index=True)[1]) > 0).all()
    means = np.array([X[model.labels_ == c].mean(axis=0) for c in range(25)])
    np.testing.assert_allclose(model.cluster_centers_, means)
    assert model.inertia_ == pytest.approx(squares(X, means, model.labels_), rel=1e-8)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    D = model.transform(X)
    np.testing.assert_allclose(D, np.linalg.norm(X[:, None] - means, axis=2), atol=1e-8)
    np.testing.assert_array_equal(D.argmin(axis=1), model.labels_)
    np.testing.assert_array_equal(small(strategy).fit_predict(X), model.labels_)
    assert list(model.get_feature_names_out()[:2]) == ["memetickmeans0", "memetickmeans1"]
    history = model.history_
    assert list(history.columns) == ["generation", "distance_evaluations", "inertia"]
    assert history["generation"].iloc[-1] == model.n_local_searches_
    assert history["distance_evaluations"].is_monotonic_increasing
    assert history["inertia"].is_monotonic_decreasing
    assert history["inertia"].iloc[-1] == pytest.approx(model.inertia_)
    # Overdrawn by a local search at most.
    assert 1_000_000 <= history["distance_evaluations"].iloc[-1] < 1_000_000 + 500 * 25 * 30
    assert model.n_iter_ == model.n_local_searches_ > 5


@pytest.mark.parametrize("scale", [1.0, 0.1])
def test_ties_between_centres(scale):
    """Small whole numbers: samples as near to two centres are numbered as the search left them."""
    rng = np.random.default_rng(0)
    for seed in range(60):
        X = rng.integers(-3, 4, size=(int(rng.integers(4, 16)), int(rng.integers(1, 3)))) * scale
        k = int(rng.integers(1, len(np.unique(X, axis=0)) + 1))
        model = small(STRATEGIES[seed % 4], k=k, distances=300, random_state=seed).fit(X)
        numbers, first = np.unique(model.labels_, return_index=True)
        np.testing.assert_array_equal(numbers, np.arange(k))
        assert (np.diff(first) > 0).all()
        np.testing.assert_array_equal(model.predict(X), model.labels_)
        np.testing.assert_allclose(
            model.cluster_centers_, [X[model.labels_ == c].mean(axis=0) for c in range(k)], atol=1e-12
        )
        # Numbering must not change what was found.
        assert model.inertia_ == model.history_["inertia"].iloc[-1]


@EACH
def test_more_evaluations_are_never_worse(strategy):
    X = blobs(k=40, n=600)
    budgets = [1, 200_000, 500_000, 1_000_000, 2_000_000]
    models = [small(strategy, k=40, distances=b, max_stall=30).fit(X) for b in budgets]
    values = [m.inertia_ for m in models]
    assert (np.diff(values) <= 0).all()
    assert values[-1] < values[0]
    assert models[0].n_local_searches_ == 1
    # A longer run begins as a shorter one.
    shorter, longer = (m.history_.iloc[:-1].to_numpy() for m in models[-2:])
    np.testing.assert_array_equal(longer[: len(shorter)], shorter)


@pytest.mark.parametrize(
    "options",
    [
        {"strategy": "memetic", "engine": "pymoo"},
        {"strategy": "memetic", "engine": "deap"},
        {"strategy": "memetic", "removal": "cheap", "pm": 0.5},
        {"strategy": "swap", "removal": "cheap"},
        {"strategy": "multistart"},
        {"strategy": "ward"},
    ],
)
def test_same_seed_same_bits(options):
    X = blobs()
    kept = X.copy()
    one, two = small(**options).fit(X), small(**options).fit(X)
    np.testing.assert_array_equal(X, kept)
    np.testing.assert_array_equal(one.labels_, two.labels_)
    np.testing.assert_array_equal(one.cluster_centers_, two.cluster_centers_)
    assert one.inertia_ == two.inertia_
    np.testing.assert_array_equal(one.history_, two.history_)
    other = small(**options, n_jobs=2, report_controls=True).fit(X)
    np.testing.assert_array_equal(one.cluster_centers_, other.cluster_centers_)
    another = small(**options | {"random_state": 1}).fit(X)
    assert not np.array_equal(one.history_.to_numpy()[:1], another.history_.to_numpy()[:1]) or (
        options["strategy"] == "ward"
    )


@pytest.mark.slow
@ENGINES
def test_engines_find_what_restarts_of_sklearn_do_not(engine):
    X = blobs(k=40, n=800)
    theirs = KMeans(40, n_init=20, random_state=0).fit(X).inertia_
    assert small(k=40, distances=10_000_000, engine=engine).fit(X).inertia_ < theirs * (1 - 1e-6)


@pytest.mark.slow
def test_defaults_do_not_lose_to_restarts_on_many_samples(global_random_seed):
    X = blobs(k=100, n=60_000)
    theirs = KMeans(100, n_init=10, random_state=global_random_seed).fit(X).inertia_
    model = MemeticKMeans(100, random_state=global_random_seed).fit(X)
    assert model.n_local_searches_ >= model.pop_min  # half a billion distances are spent before
    assert model.inertia_ <= theirs


@ENGINES
@pytest.mark.parametrize(
    "options",
    [{"pm": 0.0}, {"pm": 0.5}, {"removal": "cheap"}, {"pop_min": 1, "pop_max": 1}],
)
def test_options_matter_and_work(engine, options):
    X = blobs(k=40, n=600)
    plain = small(k=40, engine=engine).fit(X)
    changed = small(k=40, engine=engine, **options).fit(X)
    assert changed.inertia_ < 1.1 * plain.inertia_
    assert not np.array_equal(changed.history_, plain.history_)


def test_ward_start():
    X = blobs(k=40, n=600)
    cut = AgglomerativeClustering(40).fit_predict(X)
    means = np.array([X[cut == c].mean(axis=0) for c in range(40)])
    wanted = KMeans(40, init=means, n_init=1, tol=0).fit(X).inertia_
    for strategy in ("memetic", "ward"):
        first = small(strategy, k=40, distances=1, ward_start=True).fit(X)
        assert first.inertia_ == pytest.approx(wanted, rel=1e-9)
        # The cut costs.
        assert first.history_["distance_evaluations"].iloc[-1] > 1.5 * 600**2
    assert small(k=40, distances=1).fit(X).inertia_ != pytest.approx(wanted, rel=1e-9)


def test_ward_is_not_taken_for_many_samples(monkeypatch):
    X = blobs(k=5, n=200)
    monkeypatch.setattr(memetic_kmeans, "WARD_SAMPLES", 100)
    model = small(k=5, distances=1, ward_start=True, report_controls=True).fit(X)
    without = small(k=5, distances=1).fit(X)
    assert model.history_.equals(without.history_)
    assert sorted(model.control_inertia_) == ["multistart", "swap"]


@EACH
def test_controls_have_the_same_budget_and_kernel(strategy):
    X = blobs()
    model = small(strategy, report_controls=True).fit(X)
    assert sorted(model.control_inertia_) == sorted({"multistart", "swap", "ward"} - {strategy})
    for name, value in model.control_inertia_.items():
        # Each is the run of that strategy, whoever reports it.
        assert value == pytest.approx(small(name).fit(X).inertia_, rel=1e-12)
    assert small(strategy).fit(X).control_inertia_ == {}


def test_time_as_budget():
    model = MemeticKMeans(5, max_time=0.05, random_state=0).fit(blobs(k=5, n=100))
    assert model.n_local_searches_ > 1


def test_default_budget_grows_with_the_data():
    X = blobs(k=6, n=60)
    used = MemeticKMeans(6, random_state=0).fit(X).history_["distance_evaluations"].iloc[-1]
    assert 2000 * 60 * 6 <= used < 2100 * 60 * 6


def test_every_sample_a_cluster():
    X = blobs(n=12)
    model = MemeticKMeans(12, random_state=0).fit(X)
    np.testing.assert_array_equal(model.labels_, np.arange(12))
    assert model.inertia_ == 0.0
    assert model.n_local_searches_ == 1


def test_one_cluster_and_one_sample():
    X = blobs()
    model = MemeticKMeans(1, random_state=0).fit(X)
    np.testing.assert_allclose(model.cluster_centers_, [X.mean(axis=0)])
    assert model.n_local_searches_ == 1
    one = MemeticKMeans(1, random_state=0).fit([[3.0, 4.0]])
    np.testing.assert_allclose(one.cluster_centers_, [[3.0, 4.0]])


@EACH
@pytest.mark.parametrize("value", [0.0, 0.1, 1e8])
def test_copies_only(strategy, value):
    with pytest.warns(UserWarning, match="only 1 of n_clusters=3 clusters is non-empty"):
        model = MemeticKMeans(3, strategy=strategy, random_state=0).fit(np.full((8, 2), value))
    assert model.n_clusters_ == 1
    np.testing.assert_array_equal(model.labels_, 0)
    assert model.cluster_centers_.shape == (1, 2)
    assert model.transform([[0.0, 0.0]]).shape == (1, 1)


@EACH
def test_fewer_distinct_samples_than_clusters(strategy):
    X = np.repeat([[0.1, 0.7], [1.3, 0.2], [5.9, 0.3]], [7, 11, 3], axis=0)
    with pytest.warns(UserWarning, match="only 3 of n_clusters=5 clusters are non-empty"):
        model = MemeticKMeans(5, strategy=strategy, random_state=0).fit(X)
    np.testing.assert_array_equal(model.labels_, np.repeat([0, 1, 2], [7, 11, 3]))
    np.testing.assert_allclose(model.cluster_centers_, X[[0, 7, 18]])
    assert model.inertia_ == pytest.approx(0.0, abs=1e-25)


def test_restarts_keep_the_best():
    X = blobs(k=8, n=160)
    model = small(k=8, distances=1_500_000, max_stall=5).fit(X)
    assert model.history_["inertia"].is_monotonic_decreasing
    # Without restarts the rest of the budget goes to children of one population.
    stubborn = small(k=8, distances=1_500_000, max_stall=10**9).fit(X)
    assert model.n_local_searches_ != stubborn.n_local_searches_
    assert model.inertia_ == pytest.approx(stubborn.inertia_, rel=0.05)


@pytest.mark.parametrize(
    "options", [{}, {"engine": "deap"}, {"strategy": "swap"}, {"strategy": "multistart"}, {"max_stall": 7}]
)
def test_resumed_run_is_the_same(tmp_path, options):
    X = blobs()
    whole = small(**options, distances=1_500_000).fit(X)
    files = {"checkpoint": tmp_path / "run.npz", "checkpoint_every": 4}
    small(**options, distances=700_000, **files).fit(X)
    gone_on = small(**options, distances=1_500_000, **files, resume=True).fit(X)
    np.testing.assert_array_equal(gone_on.cluster_centers_, whole.cluster_centers_)
    np.testing.assert_array_equal(gone_on.history_.iloc[-1], whole.history_.iloc[-1])
    assert gone_on.n_local_searches_ == whole.n_local_searches_
    # Of a run that is over: as it was.
    over = small(**options, distances=1_000, **files, resume=True).fit(X)
    assert over.inertia_ == whole.inertia_


def test_checkpoint_of_another_run_is_refused(tmp_path):
    X = blobs()
    files = {"checkpoint": tmp_path / "run.npz"}
    small(**files).fit(X)
    with pytest.raises(ValueError, match=r"(?i)checkpoint"):
        small(**files, resume=True, random_state=1).fit(X)
    with pytest.raises(ValueError, match="requires checkpoint"):
        small(resume=True).fit(X)
    with pytest.raises(ValueError, match="integer random_state"):
        small(**files, random_state=None).fit(X)


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c_keeps_the_best_so_far(monkeypatch):
    X = blobs()
    before = CenterSearch.search
    count = []

    def search(self, centers):
        count.append(None)
        if len(count) == 4:
            os.kill(os.getpid(), signal.SIGINT)
        return before(self, centers)

    monkeypatch.setattr(CenterSearch, "search", search)
    assert threading.current_thread() is threading.main_thread()
    with pytest.warns(InterruptedSearchWarning, match="after 4 local searches"):
        model = small("swap").fit(X)
    assert model.n_local_searches_ == 4
    assert model.interrupted_
    assert model.labels_.shape == (500,)
    assert not small("swap", distances=200_000).fit(X).interrupted_


def test_progress_on_stderr(capfd):
    small("swap", distances=200_000, verbose=True, report_controls=True).fit(blobs())
    shown = capfd.readouterr()
    assert shown.out == ""
    assert "swap" in shown.err
    assert "control multistart" in shown.err
    assert "sum of squares" in shown.err


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"k": 501}, "n_clusters=501 must not exceed the number of samples, 500"),
        ({"k": 0}, "n_clusters"),
        ({"strategy": "best"}, "strategy"),
        ({"engine": "platypus"}, "engine"),
        ({"pm": 1.5}, "pm"),
        ({"removal": "dear"}, "removal"),
        ({"distances": 0}, "max_distance_evaluations"),
        ({"max_time": 0.0}, "max_time"),
        ({"pop_min": 5, "pop_max": 4}, "pop_max must be at least pop_min=5, got 4"),
        ({"strategy": "ward", "max_memory": 1000}, "exceeds max_memory=1000"),
        ({"ward_start": True, "max_memory": 1000}, "998000 bytes .*, which exceeds max_memory=1000"),
        ({"strategy": "swap", "report_controls": True, "max_memory": 1000}, "exceeds max_memory=1000"),
    ],
)
def test_refuses_wrong_parameters(options, match):
    with pytest.raises(ValueError, match=match):
        small(**options).fit(blobs())


@EACH
def test_memory_is_for_ward_cuts_alone(strategy, monkeypatch):
    X = blobs(k=5, n=200)
    options = {"k": 5, "distances": 1, "max_memory": 1, "report_controls": True, "ward_start": True}
    monkeypatch.setattr(memetic_kmeans, "WARD_SAMPLES", 100)
    if strategy == "ward":
        with pytest.raises(ValueError, match="ward_start=False and report_controls=False"):
            small(strategy, **options).fit(X)
    else:
        assert "ward" not in small(strategy, **options).fit(X).control_inertia_


def test_refuses_wrong_data():
    with pytest.raises(ValueError, match="NaN"):
        small().fit(np.full((30, 2), np.nan))
    with pytest.raises(ValueError, match="overflow"):
        MemeticKMeans(2).fit([[1e200], [-1e200], [0.0]])
    with pytest.raises(NotFittedError):
        small().predict(blobs())


def test_quiet_where_all_is_well():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        small().fit(blobs())


@parametrize_with_checks(
    [
        MemeticKMeans(3, max_distance_evaluations=20_000, random_state=0),
        MemeticKMeans(3, max_distance_evaluations=20_000, engine="deap", random_state=0),
        MemeticKMeans(3, max_distance_evaluations=20_000, strategy="ward", random_state=0),
    ],
)
@pytest.mark.filterwarnings("ignore:only .* of n_clusters")
def test_scikit_learn_checks(estimator, check):
    check(estimator)
