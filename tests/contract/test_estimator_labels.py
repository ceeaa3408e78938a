"""Numbers of clusters, equal rows and predictions of the fitted rows, of every clusterer of the registry."""

import inspect
import warnings
from collections import defaultdict

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from contract.copies import pickled
from moo_clustering.bags import Bags
from tests.registry import DATA, ESTIMATORS

# Options besides those of the registry.
OPTIONS = {
    "AMOSAClus": [
        {"annealing": {"t_max": 1.0, "t_min": 0.3, "n_moves": 6}},
        {
            "annealing": {"t_max": 1.0, "t_min": 0.3, "n_moves": 6},
            "encoding": "center",
            "metric": "euclidean",
        },
    ],
    "NSGA2Clus": [
        {},
        {"metric": "euclidean", "supervision": "external"},
        {"supervision": "assignment"},
        {"decode": "literal"},
        {"post_repair": False, "search": "evolve"},
    ],
    "ICLClustering": [{}, {"n_clusters": 3}],
    "MemeticKMeans": [{"max_stall": 4}],
    "MOCK": [{"n_clusters": 3}, {}, {"supervision": "links"}],
    "ConstrainedKMeans": [{}, {"min_cluster_size": 4}],
    "SphericalKMeans": [{}, {"strategy": "bisecting"}],
    "EnsembleNMF": [{}, {"consensus": "cspa"}, {"consensus": "hgpa"}, {"consensus": "hbgf"}],
    "NMFClustering": [{}, {"solver": "mu"}, {"solver": "sklearn"}, {"unit_topics": False}],
    "ParetoClustering": [
        {},
        {"n_clusters": 3},
        {"novel": "allow"},
        {"novel": "none", "clamp": False},
        {"noise": "label"},
        {"n_landmarks": 20},
        {"n_gen": 1, "pop_size": 6},
    ],
    "PESC": [{"pop_size": 6, "n_gen": 1}, {"metric": "cosine", "pop_size": 6, "n_gen": 1}],
    "SRMOSC": [{"n_candidates": 5, "pop_size": 4, "final": "consensus"}],
    "SubspaceMixture": [{}, {"n_clusters": None}],
    "FuzzyModesMOGA": [{}, {"final": "cspa"}],
    "SISC": [{}, {"init": "kmeans"}, {"init": "dirichlet"}],
    "ParetoBagClustering": [{}, {"n_clusters": 3}, {"novel": "none"}],
}
for _name in ("BAMIC", "MIKMeans", "MIGKA", "MIFGKA", "MIGCUK", "CHCMIC", "MemeticCHCMIC"):
    OPTIONS[_name] = [{}, {"n_clusters": 3}, {"min_cluster_size": 4}]
# Solutions of the pool's estimators that have the numbers of the classes after a fit with labels.
BY_CLASS = ("auto", "control", "random-control")
# Regions have no predict, because new areas change the graph.
CLUSTERERS = [name for name, setting in ESTIMATORS.items() if setting.clusters and name != "Regions"]
# What the documentation of ``predict`` says of fitted rows that get another label than in ``labels_``, and
# where alone that happens.
OTHER_LABELS = {
    "AMOSAClus": ("unless constraints or ``decode=", "pairs or literal"),
    "NSGA2Clus": ("unless constraints or ``decode=", "pairs or literal"),
    "PCKMeans": ("which also depend on pairs", "pairs"),
    "HMRFKMeans": ("which also depend on pairs", "pairs"),
    "SubspaceMixture": ("if labels or pairs moved these samples", "pairs"),
    "ICLClustering": ("scored as if they were additional samples", "anywhere"),
    "PESC": ("if constraints separate equal samples", "split"),
    "SpectralGraphClustering": ("if constraints separate equal samples", "split"),
    "SRMOSC": ("if constraints separate equal samples", "split"),
    "MOCK": ("if constraints separate equal samples", "split"),
    "ParetoClustering": ("labelled samples that ``clamp`` retains", "pairs"),
    "ParetoBagClustering": ("labelled samples that ``clamp`` retains", "pairs"),
    "FuzzyModesMOGA": ("After a vote or consensus", "vote"),
    "EnsembleNMF": ("the consensus of the runs", "anywhere"),
    "NMFClustering": ("which use ``document_weights_``", "anywhere"),
    "ConstrainedKMeans": ("the limits are ignored, so labels of training rows can differ", "anywhere"),
    "SphericalKMeans": ("After bisection", "bisecting"),
    **dict.fromkeys(
        ("BAMIC", "MIKMeans", "MIGKA", "MIFGKA", "MIGCUK", "CHCMIC", "MemeticCHCMIC"),
        ("before all bags were in their nearest cluster", "anywhere"),
    ),
}


def taken(X, rows):
    """Some samples, also several times."""
    if isinstance(X, pd.DataFrame):
        return X.iloc[rows].reset_index(drop=True)
    return [X[int(row)] for row in rows] if isinstance(X, Bags) else X[rows]


def samples(setting, seed):
    """Samples as they are, some of them several times, and only one or two of them, with their classes."""
    X, classes, _ = DATA[setting.data](seed)
    rng, n = np.random.default_rng(seed), len(classes)
    first = [np.flatnonzero(classes == c)[0] for c in (0, 1)]
    for form, rows in (
        ("all differ", np.arange(n)),
        ("copies", rng.integers(0, n // 3, n)),
        ("one row", np.repeat(first[:1], n)),
        ("two rows", np.array(first)[rng.integers(0, 2, n)]),
    ):
        yield form, taken(X, rows), classes[rows]


def knowledge(setting, classes, seed):
    """Arguments of ``fit`` besides the samples: none, partial labels and pairs."""
    yield "nothing", {}
    rng, n = np.random.default_rng(seed), len(classes)
    if len(np.unique(classes)) < 3 or "y" not in inspect.signature(setting.cls.fit).parameters:
        return
    if setting.constraints or setting.targets == "label sets":
        known = rng.permutation(n)[: n // 4]
        y = np.full(n, -1)
        y[known] = classes[known]
        yield "labels", {"y": y}
    if setting.constraints:
        pairs = rng.integers(0, n, (14, 2))
        pairs = pairs[pairs[:, 0] != pairs[:, 1]]
        same = classes[pairs[:, 0]] == classes[pairs[:, 1]]
        yield "pairs", {"must_link": pairs[same], "cannot_link": pairs[~same]}


def fits(name, seeds=(0,), most=None):
    """Every combination of options, samples and knowledge: a name, the model, its samples and warnings."""
    setting = ESTIMATORS[name]
    for options in OPTIONS.get(name, [{}])[:most]:
        for seed in seeds:
            for form, X, classes in samples(setting, seed):
                for what, given in knowledge(setting, classes, seed):
                    case = f"{name}({options}) seed {seed}, {form}, {what}"
                    with warnings.catch_warnings(record=True) as caught:
                        warnings.simplefilter("always")
                        model = setting.make(**{**options, "random_state": seed}).fit(X, **given)
                    told = [str(warning.message) for warning in caught]
                    yield case, model, X, form, what, options, told


def predictor(model):
    """Its method that gives clusters."""
    return getattr(model, "predict_cluster", None) or model.predict


def split_rows(X, labels):
    """How many distinct rows are in several clusters."""
    rows = X.itertuples(index=False) if isinstance(X, pd.DataFrame) else X
    clusters = defaultdict(set)
    for row, label in zip(rows, labels, strict=True):
        clusters[tuple(row) if isinstance(X, pd.DataFrame) else np.asarray(row).tobytes()].add(label)
    return sum(len(found) > 1 for found in clusters.values())


def numbering_fault(labels, in_order=True):
    """What is wrong with the numbers of a partition; noise aside."""
    found, first = np.unique(labels[labels >= 0], return_index=True)
    if not np.array_equal(found, np.arange(len(found))):
        return f"clusters are {found}"
    if in_order and (np.diff(first) < 0).any():
        return "clusters are not in the order of their first samples"
    return ""


def excused(name, form, what, options, tells_apart, model):
    """Whether the documentation of ``predict`` excludes the case."""
    where = OTHER_LABELS.get(name, ("", "nowhere"))[1]
    if form in ("one row", "two rows") and what == "nothing":
        # Equal rows share a cluster, so the nearest cluster is known; only weights may be inexact.
        return options.get("solver") == "mu"
    return {
        "nowhere": False,
        "anywhere": True,
        "pairs": what != "nothing",
        "pairs or literal": what != "nothing" or options.get("decode") == "literal",
        "split": tells_apart > 0,
        "vote": model.chosen_ is None if where == "vote" else False,
        "bisecting": options.get("strategy") == "bisecting",
    }[where]


def faults_of(case, name, model, X, form, what, options, told, n_rules=2):
    """What a fitted model does wrong, as fitted and in a few other solutions of its front."""
    # ``labels_`` are positions in ``classes_`` after a fit with labels of every class.
    by_class = hasattr(model, "relabel") and what == "labels"
    found = faults_of_solution(name, model, X, form, what, options, told, by_class)
    wanted, said = getattr(model, "n_clusters", None), ("fewer distinct", "no solution in the front has")
    if (
        form == "one row"
        and isinstance(wanted, int)
        and not any(one in text for one in said for text in told)
    ):
        found.append(f"no warning of fewer clusters than were asked for, but {told}")
    faults = [f"{case}: {fault}" for fault in found]
    if not hasattr(model, "rules_") or not len(model.pareto_front_):
        return faults
    found = filter(None, map(numbering_fault, model.pareto_labels_))
    faults += [f"{case}, pareto_labels_: {fault}" for fault in found]
    model = pickled(model)
    for rule in [*model.rules_[:n_rules], 0, -1]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.choose(rule)
        told = [str(warning.message) for warning in caught]
        found = faults_of_solution(name, model, X, form, what, options, told, by_class and rule in BY_CLASS)
        faults += [f"{case}, choose({rule!r}): {fault}" for fault in found]
        if what != "nothing" or not isinstance(rule, int):
            # Constraints may repair what the search has found.
            continue
        if not np.array_equal(model.labels_, model.pareto_labels_[rule]):
            faults.append(f"{case}: choose({rule}) is not that row of pareto_labels_")
    return faults


def faults_of_solution(name, model, X, form, what, options, told, by_class):
    """What is wrong with the partition that a model has taken."""
    labels, faults = model.labels_, []
    if fault := numbering_fault(labels, in_order=not by_class):
        faults.append(fault)
    if model.n_clusters_ != labels.max() + 1:
        faults.append(f"n_clusters_ is {model.n_clusters_} for {labels.max() + 1}")
    tells_apart = split_rows(X, labels)
    if tells_apart and what == "nothing":
        faults.append(f"{tells_apart} distinct rows are in several clusters")
    found = predictor(model)(X)
    if (found != labels).any() and not excused(name, form, what, options, tells_apart, model):
        faults.append(f"predict differs in {(found != labels).sum()}")
    if (np.asarray(found) >= model.n_clusters_).any():
        faults.append("predict gives clusters that labels_ has not")
    return faults


@pytest.mark.parametrize("name", CLUSTERERS)
def test_labels_equal_rows_and_predictions(name):
    # Further options of estimators that take longer are slow.
    longer = ("AMOSAClus", "MOCK", "NSGA2Clus", "NSGA2SISC", "PESC", "SRMOSC")
    most = 1 if name in (*longer, "ParetoBagClustering", "ParetoClustering") else None
    faults = [fault for fit in fits(name, most=most) for fault in faults_of(fit[0], name, *fit[1:])]
    assert not faults, "\n".join(faults)


@pytest.mark.slow
@pytest.mark.parametrize("name", CLUSTERERS)
def test_labels_equal_rows_and_predictions_of_every_rule(name):
    faults = [
        fault for fit in fits(name, seeds=(1,)) for fault in faults_of(fit[0], name, *fit[1:], n_rules=9)
    ]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("name", OTHER_LABELS)
def test_the_documentation_of_predict_says_which_samples_get_another_label(name):
    phrase, _ = OTHER_LABELS[name]
    assert phrase in " ".join(inspect.getdoc(ESTIMATORS[name].cls.predict).split())


@pytest.mark.parametrize("name", CLUSTERERS)
def test_predictions_do_not_depend_on_the_form_of_the_samples(name):
    setting = ESTIMATORS[name]
    X, *_ = DATA[setting.data](0)
    if not isinstance(X, np.ndarray):
        pytest.skip("frames and bags have forms of their own")
    forms = [pd.DataFrame(X, columns=[f"f{i}" for i in range(X.shape[1])]), X.tolist(), np.asfortranarray(X)]
    if setting.data != "table":
        # Counts are the same in single precision.
        forms.append(X.astype(np.float32))
    if setting.make().__sklearn_tags__().input_tags.sparse:
        forms += [sparse.csr_array(X), sparse.csc_matrix(X)]
    options = OPTIONS.get(name, [{}])[0]
    for form in forms:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = setting.make(**options).fit(form)
            found = predictor(model)(form)
        differ = (found != model.labels_).sum()
        assert not differ or OTHER_LABELS.get(name, ("", ""))[1] in ("anywhere", "vote"), type(form)


@pytest.mark.parametrize("name", ["EntropyWeightedKMeans", "SCAD2", "SISC", "NSGA2SISC"])
def test_columns_follow_the_numbers_of_clusters(name):
    setting = ESTIMATORS[name]
    for seed in range(3):
        X, classes, _ = DATA["presence"](seed)
        y = np.where(np.arange(len(classes)) % 4 == 0, classes, -1)
        model = setting.make(n_clusters=9, random_state=seed).fit(X, y)
        assert model.memberships_.shape == (len(X), 9)
        np.testing.assert_array_equal(model.memberships_.argmax(axis=1), model.labels_)
        shares = np.array([model.memberships_[y == c].sum(axis=0) for c in range(3)])
        expected = np.where(shares.sum(axis=0) > 0, shares / np.maximum(shares.sum(axis=0), 1e-300), np.nan)
        has_members = ~np.isnan(expected).any(axis=0)
        np.testing.assert_allclose(model.class_shares_[has_members], expected.T[has_members], atol=1e-6)
        # Impurities count in memberships, not in distances; by chance one of nine agrees.
        assert (model.transform(X).argmin(axis=1) == model.labels_).mean() > 0.6


def test_a_fit_with_labels_that_loses_a_class_has_no_gaps():
    from moo_clustering import ParetoClustering

    X, classes, _ = DATA["table"](0)
    X, classes = X[classes != 1], classes[classes != 1]
    # A single label of a class, amid those of another one.
    y = np.where(np.arange(len(classes)) % 5 == 0, -1, classes)
    y[np.flatnonzero(y == 0)[3]] = 1
    model = ParetoClustering(novel="none", clamp=False, kernel="pool", random_state=0).fit(X, y)
    assert not (model.transduction_ == 1).any()
    assert model.classes_.tolist() == [0, 1, 2]
    np.testing.assert_array_equal(np.unique(model.labels_), np.arange(model.n_clusters_))
    np.testing.assert_array_equal(model.cluster_classes_index_, [0, 2])
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert model.predict_proba(X).shape == (len(X), 3)
