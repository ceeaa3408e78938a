"""Samples shifted, as other numbers, sparse or in parts are the same samples, and have the same partition."""

from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from contract.metamorphic import (
    INDICES,
    changes_of,
    estimators,
    every_estimator,
    fitted,
    mapped,
    on_a_grid,
    plus,
    samples_of,
    usual,
)
from contract.test_units import LABELS, values

# Angles, shares and presences are about the origin.
ORIGIN = "the origin of the data has a meaning"
DRAWN = "mutations are drawn feature by feature"
SINGLE = "sums in single precision round otherwise"
PAIRS = "pairs are of single samples, and not of all that are equal to one of them"
PENALTY = "linear models weigh the size of their coefficients, of which an offset has one"

ABOUT_ORIGIN = (
    *("AMOSAClus", "AMOSAClus, encoding=center", "EnsembleNMF", "EnsembleNMF, dtype=float64"),
    *("HMRFKMeans, metric=cosine", "MOCK, metric=cosine", "NMFClustering", "NMFClustering, dtype=float32"),
    *("NSGA2Clus", "NSGA2SISC", "NSGA2SISC, dtype=float32", "PCKMeans, metric=cosine", "SISC"),
    "ParetoClustering, metric=cosine",
    *("SISC, dtype=float32", "SRMOSC, scale=none", "SphericalKMeans, strategy=bisecting"),
)
EXCEPTIONS = {
    "plus 64": {
        **dict.fromkeys(ABOUT_ORIGIN, ORIGIN),
        **dict.fromkeys(("PrunedSetsEnsemble", "SISCEnsemble", "SISCStacked"), PENALTY),
        "SCAD2, dtype=float32": SINGLE,
    },
    "plus 2^30": {
        **dict.fromkeys((*ABOUT_ORIGIN, "SphericalKMeans"), ORIGIN),
        **dict.fromkeys(("MetaLabeler", "PrunedSetsEnsemble", "SISCEnsemble", "SISCStacked"), PENALTY),
        **dict.fromkeys(("SCAD2, dtype=float32", "EntropyWeightedKMeans, dtype=float32"), SINGLE),
    },
    "features backwards": {
        **dict.fromkeys(
            (
                "FuzzyModesMOGA",
                *(f"FuzzyModesMOGA, {o}" for o in ("scale=none", "scale=standard")),
            ),
            DRAWN,
        ),
        "SCAD2, dtype=float32": SINGLE,
    },
    "sparse": {"SCAD2, dtype=float32": SINGLE},
    "duplicates": {"PCKMeans": PAIRS},
}
CHANGES = {
    "plus 64": plus(64.0),
    "plus 2^30": plus(2.0**30),
    "features backwards": lambda X: np.ascontiguousarray(X[:, ::-1]),
    "float32": lambda X: X.astype(np.float32),
    "longdouble": lambda X: X.astype(np.longdouble),
}
WHOLE = (np.int16, np.int64, np.float16, np.float32)


def judged(change, name, found):
    """Faults of a comparison in which some names of results differ."""
    expected = name in EXCEPTIONS.get(change, ())
    return [] if bool(found) == expected else [f"{name}, {change}: {found or 'an exception is not needed'}"]


@every_estimator(())
def test_estimators(name):
    case, X = estimators()[name], samples_of(estimators()[name])
    expected, faults = usual(name)[1], []
    for change, function in CHANGES.items():
        found = changes_of(expected, fitted(case, mapped(X, function))[1])
        faults += judged(change, name, [] if "transform" in found else found)
    numbers = mapped(X, np.round)
    expected = fitted(case, numbers)[1]
    for dtype in WHOLE:
        found = changes_of(expected, fitted(case, mapped(numbers, lambda X, dtype=dtype: X.astype(dtype)))[1])
        faults += judged(dtype.__name__, name, found if "transform" not in found else [])
    assert not faults, "\n".join(faults)


@every_estimator(())
def test_sparse_samples(name):
    case, X = estimators()[name], samples_of(estimators()[name])
    if isinstance(X, list):
        return
    faults = []
    for kind in (sp.csr_array, sp.csc_matrix, sp.coo_array):
        try:
            found = changes_of(usual(name)[1], fitted(case, kind(X))[1])
        except (TypeError, ValueError) as error:
            # No results are better than others.
            found = [] if "parse" in str(error) or "dense" in str(error) else [str(error)]
        else:
            faults += judged("sparse", name, [] if "transform" in found else found)
    assert not faults, "\n".join(faults)


@every_estimator(())
def test_equal_rows_share_a_cluster(name):
    case, X = estimators()[name], samples_of(estimators()[name])
    if case.of == "Regions":  # equal areas in different places are not neighbours
        return
    if isinstance(X, list):
        X, y = [*X, *X[:6]], case.y
    else:
        X, y = np.vstack([X, X[:6]]), None if case.y is None else np.concatenate([case.y, case.y[:6]])
    found = fitted(replace(case, y=y), X)[1]
    names = [key for key in ("labels_", "predict") if key in found]
    apart = [key for key in names if not np.array_equal(found[key][:6], found[key][-6:])]
    faults = judged("duplicates", name, apart)
    assert not faults, "\n".join(faults)


METHODS = ("predict", "transform", "predict_proba", "decision_function")


@every_estimator(())
def test_samples_one_by_one(name):
    model, X = usual(name)[0], samples_of(estimators()[name])
    rtol, atol = (1e-4, 1e-4) if getattr(model, "dtype", "") == "float32" else (1e-9, 1e-10)
    for method in METHODS:
        if not hasattr(model, method) or (method == "predict_proba" and hasattr(model, "relabel")):
            continue
        whole = getattr(model, method)(X)
        parts = [getattr(model, method)(X[i : i + 1]) for i in range(24)]
        if sp.issparse(whole):
            whole, parts = whole.toarray(), [part.toarray() for part in parts]
        np.testing.assert_allclose(np.concatenate(parts), whole, rtol, atol, err_msg=method)


# Values of twice as many samples, each there twice, are those of the samples times this.
TWICE = {
    **dict.fromkeys(("deviation", "ftwcv", "twcv"), 2.0),
    **dict.fromkeys(("xie_beni", "i_index", "davies_bouldin", "xie_beni_medoid", "i_index_medoid"), 1.0),
    **dict.fromkeys(("dunn", "cdbw", "bag_davies_bouldin", "bag_sdbw"), 1.0),
}


def test_indices():
    faults = []
    for name, case in INDICES.items():
        X = on_a_grid(case.data())
        expected, metric = values(case, X), name.partition(", ")[2]
        changes = {change: (function, 1e-10) for change, function in CHANGES.items()}
        if metric in ("cosine", "correlation", "precomputed"):  # angles, or distances
            changes = {change: both for change, both in changes.items() if "plus" not in change}
        if metric == "precomputed":
            del changes["features backwards"]
        changes["float32"] = CHANGES["float32"], 0.0
        for change, (function, rtol) in changes.items():
            if not np.allclose(values(case, mapped(X, function)), expected, rtol, 0.0):
                faults.append(f"{name}, {change}")
        if name in TWICE:
            twice = [*X, *X] if isinstance(X, list) else np.vstack([X, X])
            both = case.make().fit(twice).evaluate(np.hstack([LABELS, LABELS]))
            if not np.allclose(both, expected * TWICE[name], 1e-10, 0.0):
                faults.append(f"{name}, each sample twice")
    assert not faults, "\n".join(faults)
