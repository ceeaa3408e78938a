"""Odd inputs of every public estimator: a valid result, or one sentence; never anything else."""

import numpy as np
import pytest
from estimator_inputs import Case, cases
from estimator_trial import fingerprint, try_case
from estimators import SETTINGS, Setting
from hypothesis import HealthCheck, Phase, given, settings

from moo_clustering import estimators as public

# Generous, for a machine on which loops have still to be compiled; nothing here takes a second.
HANG = 600.0


def test_every_public_estimator_is_listed():
    assert {setting.class_name for setting in SETTINGS} == set(public.__all__)


# More options of an estimator that was there already are slow.
FURTHER = [
    setting.class_name in {earlier.class_name for earlier in SETTINGS[:place]}
    for place, setting in enumerate(SETTINGS)
]
FEW = [
    pytest.param(setting, 3, marks=[pytest.mark.slow] * further, id=f"{setting}-3")
    for setting, further in zip(SETTINGS, FURTHER, strict=True)
]
MANY = [pytest.param(setting, 12, marks=pytest.mark.slow, id=f"{setting}-12") for setting in SETTINGS]


@pytest.mark.parametrize(("setting", "n_cases"), FEW + MANY)
def test_a_result_or_a_sentence(setting, n_cases):
    rules = type(setting.make())._parameter_constraints

    @settings(
        max_examples=n_cases,
        derandomize=True,
        deadline=None,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(cases(setting, rules))
    def trial(case):
        outcome = try_case(setting, case)
        assert outcome.kind != "failed", f"{outcome.reason}\n{case!r}"
        assert outcome.seconds < HANG

    trial()


class Stub:
    """An estimator that does as it is told."""

    def __init__(self, labels=(0, 1, 0), error=None, scale=1.0, harm=False):
        self.labels, self.error, self.scale, self.harm = labels, error, scale, harm

    def fit(self, X, y=None):
        if self.error is not None:
            raise self.error
        if self.harm:
            X[0] = 5.0
        np.array([1e300]) * self.scale
        self.labels_ = np.array(self.labels)
        return self

    def predict(self, X):
        return np.zeros(len(X), dtype=int)


class StubSetting(Setting):
    """Makes stubs."""

    def make(self, **options):
        return Stub(**options)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"labels": (0, 1)}, "labels_ have shape (2,), not (3,)"),
        ({"labels": (0, 2, 0)}, "clusters are [0 2]"),
        ({"labels": (0.0, 1.0, 0.0)}, "labels_ are no integers"),
        ({"error": IndexError("index 3 is out of bounds for axis 0 with size 3")}, "IndexError"),
        ({"error": np.linalg.LinAlgError("Singular matrix, and a long message")}, "LinAlgError"),
        ({"error": ValueError("")}, "ValueError"),
        ({"error": ValueError("operands could not be broadcast together")}, "not a sentence of ours"),
        ({"harm": True}, "the input was changed"),
        ({"scale": 1e300}, "overflow"),
    ],
)
def test_trials_see_what_is_wrong(options, told):
    outcome = try_case(StubSetting("Stub"), Case(np.zeros((3, 2)), {"y": None}, options))
    assert outcome.kind == "failed"
    assert told in outcome.reason


def test_trials_pass_what_is_right():
    assert try_case(StubSetting("Stub"), Case(np.zeros((3, 2)))).kind == "fitted"
    refused = Case(np.zeros((3, 2)), {}, {"n_clusters": 0})
    assert try_case(Setting("PCKMeans", options={"n_clusters": 2}), refused).kind == "refused"


def test_fingerprints_tell_the_order_of_cells():
    table = np.arange(6.0).reshape(2, 3)
    assert fingerprint(table) != fingerprint(np.asfortranarray(table))
    assert fingerprint({"a": [table]}) == fingerprint({"a": [table.copy()]})


# -- what was found so ------------------------------------------------------------------------------------

TABLE = np.random.default_rng(0).normal(size=(14, 3))
PARTIAL = np.r_[0, 0, 1, 1, [-1] * 10]


@pytest.mark.parametrize(
    ("class_name", "options"),
    [
        ("PCKMeans", {"n_clusters": True}),
        ("MIGKA", {"min_cluster_size": True}),
        ("ParetoClustering", {"n_neighbors": True}),
        ("EnsembleNMF", {"n_runs": True}),
        ("SISCEnsemble", {"n_clusters": True}),
    ],
)
def test_truth_values_are_no_numbers(class_name, options):
    (name,) = options
    sentence = f"The '{name}' parameter of {class_name} must be a number, not a boolean. Got True"
    model = Setting(class_name, options={"n_clusters": 2} if class_name == "PCKMeans" else {}).make(**options)
    with pytest.raises(ValueError, match=sentence):
        model.fit(np.abs(TABLE), PARTIAL)


def test_options_of_truth_values_stay_so():
    assert (
        public.PESC(2, pop_size=6, n_gen=1, must_link_edges=True, random_state=0).fit(TABLE).n_clusters_ == 2
    )


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize(
    ("class_name", "options"),
    [
        ("SpectralGraphClustering", {"n_clusters": 2, "sigma": 5e-324}),
        ("MIGKA", {"penalty": 1e300, "pop_size": 6, "n_gen": 2}),
        ("AMOSAClus", {"annealing": {"t_min": 5e-324, "cooling": 0.01, "n_moves": 2, "n_climb": 1}}),
    ],
)
def test_options_at_their_ends_leave_no_warning(class_name, options):
    assert len(Setting(class_name).make(**options).fit(TABLE, PARTIAL).labels_) == 14


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_of_a_tiny_gamma_the_least_spread_feature_has_all_weight():
    X = np.column_stack([np.repeat([0.0, 1.0], 6), np.tile([0.0, 1.0, 0.0], 4)])
    model = public.EntropyWeightedKMeans(2, gamma=5e-324, random_state=0).fit(X)
    np.testing.assert_allclose(model.feature_weights_.sum(axis=1), 1)


def test_amosa_names_a_gamma_that_is_too_large():
    with pytest.raises(
        ValueError, match=r"init_factor \* soft_limit must be between 1 and 100,000,000 samples, got 1e\+300"
    ):
        public.AMOSAClus(annealing={"init_factor": 1e300}, random_state=0).fit(TABLE)


def test_pesc_names_neighbors_that_are_no_two_arrays():
    with pytest.raises(ValueError, match="neighbors must be two arrays, indices and distances, got 1 items"):
        public.PESC(2, pop_size=6, n_gen=1, neighbors=[1], random_state=0).fit(TABLE)


def test_a_rule_that_returns_no_row_is_named():
    model = public.NSGA2Clus(pop_size=6, n_gen=1, select=lambda front: None, random_state=0)
    with pytest.raises(TypeError, match=r"a rule must return a row index of the front; .* returned None"):
        model.fit(np.abs(TABLE))


def test_long_floats_are_categories_like_others():
    X = np.arange(24).reshape(12, 2) % 3
    model = public.FuzzyModesMOGA(2, pop_size=6, n_gen=1, random_state=0)
    expected = model.fit(X.astype(float)).labels_.copy()
    np.testing.assert_array_equal(model.fit(X.astype(np.longdouble)).labels_, expected)


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("size", [1e160, 1e300])
def test_centres_of_values_whose_squares_overflow(metric, size):
    model = public.AMOSAClus(
        encoding="center",
        metric=metric,
        annealing={"n_climb": 1, "n_moves": 2, "cooling": 0.1},
        random_state=0,
    )
    with pytest.raises(ValueError, match=r"values so large that squared distances overflow.*rescale it"):
        model.fit(TABLE * size)


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("metric", ["diagonal", "full"])
def test_metric_kmeans_refuses_what_has_no_finite_inertia(metric):
    model = public.MetricKMeans(2, metric_type=metric, random_state=0)
    with pytest.raises(
        ValueError, match=r"X has values so large that squared distances overflow, up to .*; rescale it"
    ):
        model.fit(TABLE * 1e300)
