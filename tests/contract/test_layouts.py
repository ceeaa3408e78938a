"""How data lie in memory changes no bit of indices, encodings and consensus functions."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from contract.consensus import TOOLS, cases, ensemble
from contract.estimators import CLASSES, PARTLY, words
from contract.indices import EVERY_INDEX, IndexCase
from contract.inputs import LAYOUTS, relaid
from contract.same import assert_same
from moo_clustering import encodings, graphs, problems, validity

RNG = np.random.default_rng(11)
LABELS = np.array([np.r_[np.arange(k), RNG.integers(0, k, 24 - k)] for k in (2, 3, 3, 5)], dtype=np.int32)
# Sums of such numbers depend on the order of their terms.
X = RNG.normal(size=(24, 9)) * RNG.uniform(0.5, 2.0, (24, 9))
D = np.linalg.norm(X[:, None] - X, axis=2)
NEIGHBORS = np.argsort(D + 99.0 * np.eye(24), axis=1)[:, :5]
every_layout = pytest.mark.parametrize(
    "layout",
    [
        name if name == "Fortran" else pytest.param(name, marks=pytest.mark.slow)
        for name in LAYOUTS
        if not name.startswith("sparse")
    ],
)

DISTANCES = {
    f"{name}, precomputed": IndexCase(name, make, lambda: D)
    for name, make in {
        "Silhouette": lambda: validity.Silhouette("precomputed"),
        "MinimaxSilhouette": lambda: validity.MinimaxSilhouette("precomputed"),
        "XieBeni": lambda: validity.XieBeni("medoid", metric="precomputed"),
        "IIndex": lambda: validity.IIndex("medoid", metric="precomputed"),
        "Connectivity": lambda: validity.Connectivity(4, metric="precomputed", ties="index"),
    }.items()
}
INDICES = EVERY_INDEX | DISTANCES


def data_of(case, numbers):
    """Data of the case, with nine features where the index accepts any number of them."""
    data = case.data()
    if (
        isinstance(data, np.ndarray)
        and data.dtype.kind == "f"
        and data.ndim == 2
        and data.shape != (24, 24)
        and case.of != "LabelEvidence"
    ):
        return numbers
    if isinstance(data, list):
        return [numbers[[row, (row + 1) % 24]] for row in range(24)]
    return data


@every_layout
@pytest.mark.parametrize("name", INDICES)
def test_indices(name, layout):
    case = INDICES[name]
    data = data_of(case, X)
    if layout == "frame" and not (isinstance(data, np.ndarray) and data.ndim == 2):
        pytest.skip("a list, a graph, pairs, a pool or one number per sample")
    expected = case.make().fit(data).evaluate(LABELS)
    labels = relaid(LABELS, layout) if layout != "frame" else LABELS
    np.testing.assert_array_equal(case.make().fit(relaid(data, layout)).evaluate(labels), expected)


@pytest.mark.parametrize("name", INDICES)
def test_whole_numbers_of_any_type(name):
    case = INDICES[name]
    data = data_of(case, np.rint(X * 4))
    if not isinstance(data, np.ndarray):
        data = [np.asarray(each) for each in data] if isinstance(data, list) else None
    if data is None or (isinstance(data, np.ndarray) and (data != np.rint(data)).any()):
        pytest.skip("takes no whole numbers")
    expected = case.make().fit(data).evaluate(LABELS)
    for dtype in (np.float32, np.int32, np.int64):
        other = [each.astype(dtype) for each in data] if isinstance(data, list) else data.astype(dtype)
        np.testing.assert_array_equal(case.make().fit(other).evaluate(LABELS), expected, str(dtype))


MEASURES = {
    "db_medoid": (D, LABELS[1:2], np.array([[0, 1, 2]])),
    "i2_criterion": (np.abs(X), LABELS[2]),
    "class_aucs": (np.eye(3, dtype=int)[CLASSES], np.eye(3)[LABELS[1]] + 0.1 * X[:, :3]),
    "macro_auc": (np.eye(3, dtype=int)[CLASSES], np.eye(3)[LABELS[1]] + 0.1 * X[:, :3]),
    "pairwise_ari": (LABELS, LABELS[::-1].copy()),
    "pairwise_nmi": (LABELS, LABELS[::-1].copy()),
    "average_nmi": (LABELS, LABELS[2]),
    "label_evidence": (LABELS[2], np.eye(3)[CLASSES] * (PARTLY[:, None] >= 0)),
    "nmi": (CLASSES, LABELS[2]),
    "cluster_entropy": (CLASSES, LABELS[2]),
    "clustering_accuracy": (CLASSES, LABELS[2]),
    "matched_f1": (CLASSES, LABELS[2]),
    "matched_rand_index": (CLASSES, LABELS[2]),
}


@every_layout
@pytest.mark.parametrize("name", MEASURES)
def test_measures(name, layout):
    arguments = MEASURES[name]
    expected = getattr(validity, name)(*arguments)
    if layout == "frame":
        layout_of = LAYOUTS[layout]
        arguments = [pd.Series(each) if each.ndim == 1 else layout_of(each) for each in arguments]
    else:
        arguments = relaid(arguments, layout)
    assert_same(getattr(validity, name)(*arguments), expected)


# Of the data that an encoding is made of.
ENCODINGS = {
    "MedoidEncoding": (X, lambda data: encodings.MedoidEncoding(data, k_max=4)),
    "MedoidEncoding, precomputed": (
        D, lambda data: encodings.MedoidEncoding(data, metric="precomputed", k_max=4),
    ),
    "MedoidSlotEncoding": (D, lambda data: encodings.MedoidSlotEncoding(data, k_max=4)),
    "LocusAdjacencyEncoding": (NEIGHBORS, encodings.LocusAdjacencyEncoding),
    "LocusAdjacencyEncoding of a graph": (
        X, lambda data: encodings.LocusAdjacencyEncoding(
            graph=graphs.locus_graph(data, n_neighbors=3, rng=np.random.default_rng(0)), kind="short"
        ),
    ),
    "CenterEncoding": (X, lambda data: problems.CenterEncoding(data, 3)),
    "SubspaceSeedEncoding": (
        words(),
        lambda data: problems.SubspaceClusteringProblem(
            data, PARTLY, n_seeds=4, k_min=2, n_sweeps=1
        ).encoding,
    ),
}  # fmt: skip


@every_layout
@pytest.mark.parametrize("name", ENCODINGS)
def test_encodings(name, layout):
    data, make = ENCODINGS[name]
    one, other = make(data), make(relaid(data, layout))
    genes = one.random(6, np.random.default_rng(2))
    np.testing.assert_array_equal(other.random(6, np.random.default_rng(2)), genes)
    laid = relaid(genes, layout) if layout != "frame" else genes
    for method in ("decode", "repair", "canonical"):
        assert_same(getattr(other, method)(laid), getattr(one, method)(genes))


@every_layout
@pytest.mark.parametrize(("function", "options"), cases())
def test_consensus(function, options, layout):
    runs = ensemble(n=40, n_runs=8)[0]
    expected = function(runs, 3, random_state=0, **options)
    assert_same(function(relaid(runs, layout), 3, random_state=0, **options), expected)


@every_layout
@pytest.mark.parametrize("name", TOOLS)
def test_functions_of_runs_and_neighbours(name, layout):
    case = TOOLS[name]
    given = case.arguments()
    laid = [
        each if (layout == "frame" and np.ndim(each) != 2) or sp.issparse(each) else relaid(each, layout)
        for each in given
    ]
    assert_same(case.call(*laid), case.call(*given))
