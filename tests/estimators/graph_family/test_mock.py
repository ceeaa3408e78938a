"""MOCK: what it finds, its attributes, and data at the edge."""

import warnings

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.base import clone
from sklearn.datasets import load_iris, make_blobs, make_moons
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from moo_clustering import MOCK
from moo_clustering.estimators._methods import METHODS
from moo_clustering.validity import Connectivity

QUICK = {"pop_size": 32, "n_gen": 15, "random_state": 0}
KINDS = [
    {},
    {"encoding": "split"},
    {"encoding": "locus"},
    {
        "encoding": "locus",
        "search": "pesa2",
        "init": "2007",
        "pc": 0.7,
        "objectives": ("deviation", "connectivity"),
    },
]


def ragged(n=40, seed=0):
    """Three blobs that touch a little."""
    return make_blobs(3 * n, centers=[[0, 0], [5, 0], [0, 5]], cluster_std=1.0, random_state=seed)


def naive_variance(X, labels):
    gaps = [X[labels == c] - X[labels == c].mean(axis=0) for c in np.unique(labels)]
    return sum((gap**2).sum() for gap in gaps) / len(X)


def naive_connectivity(X, labels, width):
    D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    np.fill_diagonal(D, np.inf)
    total = 0.0
    for i in range(len(X)):
        for r, j in enumerate(np.argsort(D[i])[:width], start=1):
            total += (labels[i] != labels[j]) / r
    return total


@pytest.mark.parametrize("options", KINDS)
def test_the_front_is_what_it_says(options):
    X, _ = ragged()
    model = MOCK(3, min_cluster_share=0, **{**QUICK, **options}).fit(X)
    F = model.pareto_front_
    assert len(F) > 5
    assert (np.diff(F[:, 0]) > 0).all()
    assert (np.diff(F[:, 1]) < 0).all()
    assert model.pareto_labels_.shape == (len(F), len(X))
    assert len(np.unique(model.pareto_labels_, axis=0)) == len(F)
    for labels, values, k in zip(model.pareto_labels_, F, model.pareto_K_, strict=True):
        assert np.unique(labels).tolist() == list(range(k))
        assert values[1] == pytest.approx(naive_connectivity(X, labels, 10))
        if model.objective_names_[0] == "variance":
            assert values[0] == pytest.approx(naive_variance(X, labels))
    np.testing.assert_array_equal(model.labels_, model.pareto_labels_[model.chosen_])
    assert model.labels_.dtype == np.int32
    assert model.n_clusters_ == model.pareto_K_[model.chosen_] == 3
    assert model.mst_.links().shape == (len(X) - 1, 2)
    assert model.n_iter_ == QUICK["n_gen"]
    assert not model.interrupted_
    assert not hasattr(model, "control_fronts_")


def test_generations_count_the_first_population_of_nsga2_only():
    X, _ = ragged(10)
    first = MOCK(2, **{**QUICK, "n_gen": 1}).fit(X)
    assert (first.n_iter_, len(first.history_.F)) == (1, 1)
    assert len(first.history_.F[0]) == QUICK["pop_size"]
    archive = MOCK.paper2007(2, n_gen=3, k_user=4, random_state=0).fit(X)
    assert (archive.n_iter_, len(archive.history_.F)) == (3, 4)
    # 2 k_user at first, then pop_size in each generation.
    assert archive.result_.algorithm.evaluator.n_eval == 8 + 3 * 10


def test_shapes_that_centres_do_not_tell_apart():
    X, y = make_moons(240, noise=0.05, random_state=1)
    model = MOCK(2, **QUICK).fit(X)
    assert adjusted_rand_score(y, model.labels_) == 1
    rings = np.array([[r * np.cos(a), r * np.sin(a)] for r in (1, 3) for a in np.linspace(0, 6.2, 80)])
    assert adjusted_rand_score(np.repeat([0, 1], 80), MOCK(2, **QUICK).fit_predict(rings)) == 1


def test_the_number_of_clusters_is_found():
    X, y = make_blobs(300, centers=[[0, 0], [6, 0], [0, 6], [6, 6]], cluster_std=1.2, random_state=2)
    model = MOCK(pop_size=60, n_gen=40, random_state=0).fit(X)
    assert model.n_clusters_ == 4
    assert adjusted_rand_score(y, model.labels_) > 0.9
    assert len(model.control_fronts_) == 3
    assert model.chosen_ == np.nanargmax(model.attainment_scores_)
    assert model.chosen_ in model.promising_
    assert model.attainment_.best() == model.chosen_
    inner = model.attainment_scores_[model.pareto_K_ <= model.attainment_.k_max]
    np.testing.assert_allclose(inner[[0, -1]], 0, atol=1e-12)


def test_control_searches_are_as_the_search_and_do_not_depend_on_workers():
    X, _ = ragged(20)
    one = MOCK(**QUICK, n_controls=2).fit(X)
    with parallel_config(backend="threading"):
        two = MOCK(**QUICK, n_controls=2, n_jobs=2).fit(X)
    np.testing.assert_array_equal(one.labels_, two.labels_)
    np.testing.assert_array_equal(one.attainment_scores_, two.attainment_scores_)
    for (F, k), (G, m) in zip(one.control_fronts_, two.control_fronts_, strict=True):
        np.testing.assert_array_equal(F, G)
        np.testing.assert_array_equal(k, m)
    # More controls leave the search and the first controls as they were.
    more = MOCK(**QUICK, n_controls=3).fit(X)
    np.testing.assert_array_equal(more.pareto_front_, one.pareto_front_)
    np.testing.assert_array_equal(more.control_fronts_[1][0], one.control_fronts_[1][0])
    assert not np.array_equal(more.control_fronts_[0][0], more.control_fronts_[2][0])


def test_seeds():
    X, _ = ragged(20)
    first, same, other = (MOCK(3, **{**QUICK, "random_state": s}).fit(X) for s in (1, 1, 2))
    np.testing.assert_array_equal(first.pareto_front_, same.pareto_front_)
    np.testing.assert_array_equal(first.pareto_labels_, same.pareto_labels_)
    assert not np.array_equal(first.pareto_front_, other.pareto_front_)
    rng = np.random.default_rng(0)
    assert not np.array_equal(*(MOCK(3, **{**QUICK, "random_state": rng}).fit(X).pareto_front_ for _ in "ab"))


def test_data_are_left_alone_and_offsets_do_not_matter():
    X, _ = ragged(20)
    given = X.copy()
    model = MOCK(3, **QUICK).fit(X)
    np.testing.assert_array_equal(X, given)
    far = MOCK(3, **QUICK).fit(X * 2 + 1024)
    np.testing.assert_array_equal(far.labels_, model.labels_)


def test_scale():
    X, y = ragged(30)
    stretched = np.column_stack([X, 1e4 * np.random.default_rng(0).random(len(X))])
    flat = np.column_stack([X * [1, 1000], np.ones(len(X))])
    same = MOCK(3, **QUICK, scale="standard").fit(X).labels_
    np.testing.assert_array_equal(MOCK(3, **QUICK, scale="standard").fit(flat).labels_, same)
    assert adjusted_rand_score(y, MOCK(3, **QUICK, scale="minmax").fit_predict(flat)) > 0.8
    assert adjusted_rand_score(y, MOCK(3, **QUICK).fit_predict(stretched)) < 0.3


@pytest.mark.parametrize("options", KINDS)
@pytest.mark.parametrize("n_clusters", [None, 1])
def test_few_samples(options, n_clusters):
    options = {**QUICK, **options, "n_gen": 4}
    one = MOCK(n_clusters, **options).fit([[3.0, 4.0]])
    assert one.labels_.tolist() == [0]
    assert one.pareto_front_.tolist() == [[0, 0]]
    assert (one.n_clusters_, one.n_iter_, one.pareto_labels_.tolist()) == (1, 0, [[0]])
    two = MOCK(n_clusters, **options).fit([[0.0], [1.0]])
    assert two.labels_.tolist() == [0, 0]
    constant = MOCK(n_clusters, **options).fit(np.ones((30, 2)))
    assert constant.n_clusters_ == 1
    assert constant.pareto_front_.tolist() == [[0, 0]]


@pytest.mark.parametrize("encoding", ["short", "split"])
def test_as_many_clusters_as_samples(encoding):
    assert MOCK(2, encoding=encoding, **QUICK).fit_predict([[0.0], [1.0]]).tolist() == [0, 1]
    X = np.array([[0.0], [1.0], [3.0], [7.0]])
    assert sorted(MOCK(4, encoding=encoding, **QUICK).fit_predict(X)) == [0, 1, 2, 3]


@pytest.mark.parametrize("options", KINDS)
def test_fewer_distinct_rows_than_clusters(options):
    X = np.repeat([[0.0, 0.0], [3.0, 4.0]], 12, axis=0)
    with pytest.warns(UserWarning, match="no solution in the front has n_clusters=3.* nearest number, 2"):
        labels = MOCK(3, **{**QUICK, **options}).fit_predict(X)
    assert labels.tolist() == [0] * 12 + [1] * 12


@pytest.mark.filterwarnings("ignore:no solution in the front has n_clusters=25")
def test_genes_enough_for_the_clusters_asked_for():
    X = np.random.default_rng(0).random((40, 2))
    model = MOCK(25, encoding="split", pop_size=60, n_gen=20, random_state=0).fit(X)
    assert model.result_.problem.n_var == 39
    assert model.n_clusters_ > 20
    assert MOCK(4, encoding="split", **QUICK).fit(X).result_.problem.n_var == 7
    with pytest.warns(UserWarning, match="n_clusters=25"):
        assert MOCK(25, delta=80, encoding="split", **QUICK).fit(X).n_clusters_ <= 8


def test_more_well_separated_clusters_than_are_compared():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal([100 * c, 0], 0.1, (8, 2)) for c in range(12)])
    with pytest.warns(UserWarning, match="k_user=5 .* Increase k_user"):
        model = MOCK(n_neighbors=5, k_user=5, **QUICK).fit(X)
    assert model.n_clusters_ == 12


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_clusters": 21}, "n_clusters=21 must not exceed the number of samples, 20"),
        ({"objectives": ("variance", "deviation")}, "objectives must be one of"),
        ({"metric": "precomputed"}, "precomputed"),
        ({"root": 20}, "root must be .*, got 20"),
        ({"n_gen": 0}, "n_gen"),
        ({"delta": 100}, "delta"),
        ({"search": "deap"}, "search"),
        ({"select": "labls"}, "select"),
        ({"select": "ari"}, "unknown rule 'ari'"),
        ({"select": "deviation"}, "unknown rule 'deviation'; use .*'variance'"),
        ({"resume": True}, "resume=True requires checkpoint"),
    ],
)
def test_refused(options, message):
    with pytest.raises(ValueError, match=message):
        MOCK(**options).fit(np.random.default_rng(0).random((20, 2)))


def test_not_fitted():
    with pytest.raises(NotFittedError):
        MOCK().choose("knee")
    with pytest.raises(NotFittedError):
        MOCK().pareto_labels_  # noqa: B018


@pytest.mark.parametrize("metric", ["cosine", "manhattan"])
def test_metrics(metric):
    X = load_iris().data
    labels = MOCK(2, metric=metric, **QUICK).fit_predict(X)
    assert adjusted_rand_score(np.repeat([0, 1, 1], 50), labels) > 0.95


def test_published_connectivity_is_another():
    X, _ = ragged(20)
    model = MOCK(3, connectivity="published", **QUICK).fit(X)
    for labels, value in zip(model.pareto_labels_, model.pareto_front_[:, 1], strict=True):
        weights = 1 / np.arange(2, 11)
        neighbors = model.result_.problem.graph.neighbors[:, :9]
        assert value == pytest.approx(((labels[neighbors] != labels[:, None]) * weights).sum())
    plain = Connectivity(n_neighbors=10).fit(X).evaluate(model.pareto_labels_)
    assert not np.allclose(plain, model.pareto_front_[:, 1])


def test_presets():
    paper = MOCK.paper2007(3, pc=0.9)
    assert (paper.search, paper.encoding, paper.init, paper.objectives[0]) == (
        "pesa2",
        "locus",
        "2007",
        "deviation",
    )
    assert (paper.pop_size, paper.archive_size, paper.n_gen, paper.pc) == (10, 1000, 1000, 0.9)
    sizes = MOCK.pesc(3)
    assert (sizes.n_clusters, sizes.pop_size, sizes.n_gen, sizes.pc) == (3, 100, 100, 0.7)
    program = MOCK.delta()
    assert (program.search, program.connectivity, program.delta) == ("nsga2", "published", "auto")
    assert clone(MOCK.delta(delta=50)).delta == 50


def test_names_of_the_methods():
    method = METHODS["mock"]
    presets = {"MOCK-2007": MOCK.paper2007(), "delta-MOCK": MOCK.delta(), "MOCK-PESC": MOCK.pesc()}
    assert set(method.aliases) == {*presets, "Semi-MOCK"}
    for alias, model in presets.items():
        assert MOCK(**method.aliases[alias]).get_params() == model.get_params()
    assert method.aliases["Semi-MOCK"] == {"supervision": "objective"}


def test_no_warning_without_reason():
    X, _ = ragged(20)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        MOCK(3, **QUICK).fit(X)
        MOCK(**QUICK).fit(X)


@parametrize_with_checks(
    [
        MOCK(pop_size=8, n_gen=2, n_controls=1, random_state=0),
        MOCK(pop_size=12, n_gen=4, n_controls=1, random_state=0),
        MOCK(n_clusters=3, encoding="locus", search="pesa2", init="2007", n_gen=4, random_state=0),
    ],
    expected_failed_checks=lambda estimator: {
        "check_sample_weight_equivalence_on_dense_data": "a sample is not a neighbour of its copies"
    },
)
@pytest.mark.filterwarnings("ignore:no solution in the front has n_clusters")
@pytest.mark.filterwarnings("ignore:y has fewer than two classes")
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("copies", [6, 40])
def test_copies_share_a_cluster(copies):
    X = np.repeat([[0.0, 0.0], [1.0, 1.0]], copies, axis=0)
    model = MOCK(random_state=0).fit(X)
    for labels in (model.labels_, *model.pareto_labels_):
        assert (labels == np.repeat(labels[::copies], copies)).all()
    assert model.pareto_K_.tolist() == [len(np.unique(labels)) for labels in model.pareto_labels_]
    assert model.predict(X).tolist() == model.labels_.tolist()
    model._take_member(0, np.append(1, np.repeat([0, 1], copies)[1:]))
    assert model.labels_.tolist() == np.repeat([0, 1], copies).tolist()


def test_copies_with_links_keep_their_clusters():
    X = np.repeat([[0.0, 0.0], [1.0, 1.0]], 30, axis=0)
    model = MOCK(2, supervision="links", random_state=0).fit(X, must_link=[[0, 31]])
    model._take_member(0, np.append(0, np.repeat([1, 0], 30)[1:]))
    assert model.labels_.tolist() == [0] + [1] * 29 + [0] * 30
