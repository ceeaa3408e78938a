"""What is said of the returned partition: expected agreement with classes, p-value, verdict."""

import pickle
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import pdist, squareform
from sklearn.base import clone
from sklearn.datasets import load_wine, make_blobs
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from moo_clustering import ParetoBagClustering, ParetoClustering
from moo_clustering.validity import agreement
from moo_clustering.visualization.report import report_content
from papers.flagship_confidence import FEATURES, ConfidenceModel
from papers.flagship_generated import generated_table

CLEAR, SEVERAL, NONE = "clear", "several good answers", "no structure beyond noise"


def fitted(X, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ParetoClustering(random_state=0, **options).fit(X)


@pytest.fixture(scope="module")
def blobs():
    X, y = make_blobs(240, centers=3, n_features=4, cluster_std=1.0, random_state=3)
    return fitted(X), y


def test_it_is_of_the_partition_returned(blobs):
    model, _ = blobs
    right = model.relabel(n_clusters=None).confidence_
    assert model.verdict_ == CLEAR
    many = model.relabel(n_clusters=12)
    assert many.confidence_ < 0.5 < right
    assert many.verdict_ == SEVERAL
    assert model.relabel(n_clusters=1).confidence_ == 0
    model.relabel(n_clusters=None)
    assert model.confidence_ == right
    found = {row: model.choose(f"alternative-{row}").confidence_ for row in range(len(model.alternatives_))}
    assert all(value < right for value in found.values())
    assert model.choose("auto").confidence_ == right


def test_the_verdict_is_the_same_sentence_everywhere(blobs):
    model, _ = blobs
    call, said = repr(model).splitlines()
    assert call == "ParetoClustering(random_state=0)"
    low, high = model.confidence_interval_
    assert 0 <= low <= model.confidence_ <= high <= 1
    figures = f"(expected adjusted Rand index with known classes {low:.1f} to {high:.1f}, p < 0.01)"
    assert said == f"# 3 clusters: clear {figures}"
    assert model.summary().splitlines()[0].endswith(f" samples: clear {figures}")
    assert dict(report_content(model).facts)["verdict"] == f"clear {figures}"
    assert repr(model.choose("alternative-0")).splitlines()[1] != said
    model.choose("auto")
    assert repr(make_pipeline(StandardScaler(), model)).count("clear") == 0
    assert repr({"model": model, "list": [model]}).count("clear") == 2


def test_a_long_call_is_wrapped_before_the_verdict(blobs):
    options = {"k_range": [2, 3, 4, 5], "n_neighbors": 7, "min_cluster_size": 5, "method": "select"}
    model = fitted(blobs[0]._samples.features, **options)
    *call, said = repr(model).splitlines()
    assert len(call) > 1
    assert "\n".join(call) == repr(clone(model))
    assert said.startswith("# 3 clusters: ")


def test_what_takes_away_from_a_verdict():
    X, y = make_blobs(29, centers=2, n_features=3, random_state=1)
    model = fitted(X)
    assert "; unreliable for only 29 samples" in repr(model)
    assert "unreliable" not in repr(fitted(np.vstack([X, X[:1] + 0.01])))
    assert repr(fitted(X, n_clusters=1)).splitlines()[1].startswith("# 1 cluster: ")
    bags = np.random.default_rng(0).normal(4.0 * (y[:, None, None] % 2), 1, size=(29, 5, 2))
    assert "; unreliable for bags, " in repr(ParetoBagClustering(random_state=0).fit(bags))


def test_the_number_of_clusters_asked_for_does_not_hide_structure(blobs):
    model, _ = blobs
    assert fitted(model._samples.features, n_clusters=12).verdict_ == SEVERAL


def test_an_alternative_that_is_worth_more_makes_several_answers():
    X, classes = load_wine(return_X_y=True)
    model = fitted(X)
    worth = model.alternatives_.confidence
    assert worth.max() > model.confidence_ > 0.6
    assert model.verdict_ == SEVERAL
    assert model.choose(f"alternative-{worth.argmax()}").verdict_ == CLEAR
    partial = np.full(len(X), -1)
    partial[::20] = classes[::20]
    model.relabel(partial)
    assert "); based on the pool alone, " in model.summary().splitlines()[0]
    assert "); based on the pool alone, " in repr(model)
    assert "based on the pool alone" in dict(report_content(model).facts)["verdict"]


def test_thin_shapes_of_few_samples_are_not_noise():
    turned = np.sqrt(np.linspace(2, 60, 50))
    arm = np.column_stack([turned * np.cos(turned), turned * np.sin(turned)])
    model = fitted(np.concatenate([arm, -arm]), scale="isotropic")
    assert len(set(model.labels_[:50])) == len(set(model.labels_[50:])) == 1
    assert (model.n_clusters_, model.verdict_) == (2, SEVERAL)


def test_what_data_without_clusters_have_as_often_is_not_clear():
    X, _ = make_blobs(40, centers=2, n_features=8, cluster_std=2.2, center_box=(-5, 5), random_state=3)
    model = fitted(X)
    assert model.confidence_ > 0.8
    assert model.structure_p_value_ > 0.05
    assert model.verdict_ == SEVERAL


def test_strips_that_lie_apart_are_clear_though_the_reference_is_cut_as_well():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.uniform(-10, 10, 200), rng.normal(0, 0.1, 200) + 3 * (np.arange(200) % 2)])
    model = fitted(X, scale="isotropic")
    assert model.structure_p_value_ > 0.05
    assert model.verdict_ == CLEAR


def test_nothing_is_known_without_a_pool():
    many_bags = 12
    rng = np.random.default_rng(0)
    bags = [rng.normal(4 * (place % 2), 1, size=(5, 2)) for place in range(many_bags)]
    labels = np.where(np.arange(many_bags) < 6, np.arange(many_bags) % 2, -1)
    model = ParetoBagClustering(kernel="bags", random_state=0).fit(bags, labels)
    assert np.isnan(model.confidence_)
    assert model.verdict_ == "not known"
    assert 'kernel="bags" creates no pool' in model.summary()
    assert 'kernel="bags" creates no pool' in repr(model)
    assert "no structure beyond noise: all samples are identical" in fitted(np.ones((5, 2))).summary()


@pytest.mark.parametrize(
    ("kind", "seed"),
    [("null_uniform", 100), pytest.param("null_tails", 100, marks=pytest.mark.slow), ("null_binary", 101)],
)
def test_data_without_clusters(kind, seed):
    model = fitted(generated_table(kind, seed).X)
    assert model.verdict_ == NONE
    assert model.structure_p_value_ > 0.01
    assert model.confidence_ <= 0.2


def test_names_of_clusters_and_rows_do_not_matter(blobs):
    model, _ = blobs
    assessor, labels = model._assessor, model._samples.per_point(model.labels_)
    renamed = (labels + 1) % (labels.max() + 1)
    assert_allclose(assessor.features(labels), assessor.features(renamed), rtol=1e-12)
    X = model._samples.features
    order = np.random.default_rng(0).permutation(len(X))
    reference = type(assessor.reference)
    test, permuted = reference(X), reference(X[order])
    assert_allclose([test.p_value(k) for k in (2, 3, 9)], [permuted.p_value(k) for k in (2, 3, 9)], rtol=1e-6)


def test_features_have_their_definitions(blobs):
    model, _ = blobs
    samples, rows = model._samples, model.pool_.labels[:5]
    found = dict(zip(FEATURES, model._assessor.features(rows).T, strict=True))
    assert_allclose(found["agreement"], agreement(rows, model.pool_), atol=1e-12)
    assert_allclose(found["best_agreement"], model.scores_.agreement.max())
    for place, labels in enumerate(rows):
        graph = samples.graph.toarray()
        same = labels[:, None] == labels
        assert found["cut"][place] == pytest.approx(graph[~same].sum() / graph.sum())
        shares = [graph[labels == c][:, labels != c].sum() / graph[labels == c].sum() for c in set(labels)]
        assert found["worst_cut"][place] == pytest.approx(max(shares))
        sizes = sorted(np.bincount(labels))
        assert found["log_smallest"][place] == pytest.approx(np.log(sizes[0]))
        assert found["second_share"][place] == pytest.approx(sizes[-2] / len(labels))


def test_distances_are_assessed_by_their_coordinates():
    X, _ = make_blobs(90, centers=[[0, 0], [8, 0], [0, 8]], random_state=0)
    model = fitted(np.linalg.norm(X[:, None] - X, axis=2), metric="precomputed")
    assert 0.6 < model.confidence_ <= 1
    assert (model.verdict_, model.structure_p_value_ < 0.05) == (CLEAR, True)


@pytest.mark.parametrize("kind", ["equal", "elongated", "shapes", "counts", "heavy_tails", "null_uniform"])
@pytest.mark.parametrize("seed", [pytest.param(100, marks=pytest.mark.slow), 101])
def test_the_same_clusters_have_the_same_p_value_as_features_and_as_distances(kind, seed, blobs):
    X, classes, _ = generated_table(kind, seed)
    rotation = np.linalg.qr(np.random.default_rng(0).normal(size=(X.shape[1], X.shape[1])))[0]
    distances = fitted(squareform(pdist(X)), metric="precomputed", k_range=[2])
    of = type(blobs[0]._assessor.reference)
    tests = [of(X), of(X @ rotation), distances._assessor.reference]
    for k in {2, 5, int(classes.max()) + 1}:
        values = [test.p_value(k) for test in tests]
        # Reference data are drawn again, and rotations that differ by rounding change the draws.
        assert np.ptp(values) < 0.1
        assert len({value < 0.05 for value in values}) == 1 or max(values) < 0.1


def test_repeated_rows_are_no_evidence_of_clusters_in_distances():
    corners = generated_table("null_binary", 101).X[:, :4]
    for given, options in ((corners, {}), (squareform(pdist(corners)), {"metric": "precomputed"})):
        model = fitted(given, **options)
        assert model.verdict_ == NONE
        assert not model.structure_p_value_ < 0.05


def test_a_model_by_hand():
    model = ConfidenceModel(
        0.5, 0.25, 2.0, {"cut": (0.1, 0.2, -1.0, 0.5), "log_points": (4.0, 1.0, 0.0, 1.0)}
    )
    rows = np.full((1, len(FEATURES)), np.nan)
    rows[0, [FEATURES.index("cut"), FEATURES.index("log_points")]] = 0.3, 4.25
    structure = model.structure_of(rows)
    assert structure[0] == pytest.approx(1 / (1 + np.exp(0.5)))
    # .25 + .5 + .25
    assert model.expected(rows, np.ones(1))[0] == pytest.approx(1 / (1 + np.exp(-1)))
    assert model.expected(rows, structure)[0] == pytest.approx(1 / (1 + np.exp(-1) / structure[0] ** 2))


def test_reference_data_keep_margins_but_only_one_mode(blobs):
    rng = np.random.default_rng(0)
    two = np.concatenate([rng.normal(-4, 1, 120), rng.normal(4, 1, 120)])
    X = np.column_stack([two, rng.exponential(size=240), rng.integers(0, 2, 240)])
    reference = type(blobs[0]._assessor.reference)
    assert reference(X).p_value(2) < 0.01
    assert reference(X[:, 1:]).p_value(2) > 0.05


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
def test_neither_outliers_nor_small_distant_clusters_are_missed(blobs, seed):
    of, rng = type(blobs[0]._assessor.reference), np.random.default_rng(seed)
    heavy = rng.standard_t(2, size=(400, 10))
    assert of(rng.uniform(-4, 4, (10, 10))[rng.integers(10, size=400)] + heavy).p_value(10) < 0.05
    X = rng.normal(size=(300, 3))
    X[:9, 0] += 20
    assert of(X).p_value(2) < 0.05
    assert min(of(heavy).p_value(k) for k in (2, 5, 10)) > 0.05


def test_cached_parts_are_not_pickled(blobs):
    model, _ = blobs
    again = pickle.loads(pickle.dumps(model))
    assert not {"reference", "_indices"} & set(vars(again._assessor))
    assert again.choose("auto").confidence_ == model.choose("auto").confidence_
