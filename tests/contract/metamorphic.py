"""Changes of data that change no partition, and what they are tried on.

A table of exceptions maps a name and a change to the reason why the results differ or the data are refused;
the tests fail on an exception that is not needed.
"""

import contextlib
import functools
import inspect
import re
import warnings
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from contract import encodings as encoding_cases
from contract import problems as problem_cases
from contract.estimators import ESTIMATORS, bags, quicker, rows, words
from contract.indices import EVERY_INDEX, IndexCase
from moo_clustering import validity

# Exponents of the powers of two by which data are multiplied, and those at which data may be refused.
POWERS = (-900, -500, -300, -50, -1, 1, 50, 300, 500, 900)
FAR = (-900, -500, 500, 900)
# Sentences for people: what is wrong with the values, and the remedy.
REFUSED = re.compile(r"(so|too) (large|small).*rescale|must be 0 or from .* rescale", re.DOTALL)


def mapped(data, change):
    """Data with a change made to each table in it."""
    if isinstance(data, list):
        return [change(np.asarray(part, dtype=np.float64)) for part in data]
    return change(data)


def on_a_grid(data):
    """Multiples of 1/256, which a constant can be added to without rounding."""
    return mapped(data, lambda X: np.round(X * 256) / 256)


def counted(seed=0):
    """Words with counts that are not whole, so that nothing takes them for presences."""
    return words(seed) * np.random.default_rng(9).integers(64, 192, (24, 12)) / 64


def times(power):
    """A change that multiplies by a power of two."""
    return lambda X: np.ldexp(X, power)


def plus(constant):
    """A change that adds a constant to every value."""
    return lambda X: X + constant


def same_up_to_unit(one, other, power, rtol=0.0):
    """Whether each column of a result is multiplied by some power, from -2 to 4, of the unit."""
    one, other = (np.atleast_2d(np.asarray(each, dtype=np.float64)) for each in (one, other))
    if one.shape != other.shape:
        return False
    room = rtol * np.abs(other).max(axis=0, initial=0.0)
    with np.errstate(over="ignore"):
        tried = [np.ldexp(one, p * power) for p in (0, 1, 2, -1, -2, 4)]
    return all(
        any(np.allclose(a[:, j], other[:, j], rtol, room[j], equal_nan=True) for a in tried)
        for j in range(one.shape[1])
    )


# ------------------------------------------------------------------------------------- estimators

# Options in the unit of the data, to a power.
UNITS = {
    "EntropyWeightedKMeans": {"gamma": 2},
    "SCAD2": {"floor": 2},
    "SISC": {"chi_weight": 2, "floor": 2},
    "NSGA2SISC": {"chi_weight": 2, "floor": 2},
}
VALUES = {
    "metric": ("euclidean", "sqeuclidean", "cosine", "manhattan", "chebyshev", "correlation"),
    "scale": ("none", "minmax", "standard", "isotropic", "global"),
    "dtype": ("float32", "float64"),
    "encoding": ("center", "locus"),
    "strategy": ("bisecting",),
}


def samples_of(case):
    """Samples of a case on a grid, of five features; counts where it is made for presences."""
    if case.data is rows:
        return on_a_grid(np.hstack([rows(), rows(1)[:, :1], rows(2)]))
    return on_a_grid(counted() if case.data is words else case.data(0))


@functools.cache
def estimators():
    """Every estimator of tables and bags, and again with other values of some options."""
    found = {}
    for name, case in ESTIMATORS.items():
        if not isinstance(case.data(0), (np.ndarray, list)) or case.of in ("BagTransformer", "TablePreparer"):
            continue
        case = quicker(case)
        found[name] = case
        if "," not in name:
            found |= {
                f"{name}, {option}={value}": replace(case, options={**case.options, option: value})
                for option, values in VALUES.items()
                for value in values
                if accepts(case, option, value)
            }
    return found


def every_estimator(others=("metric=cosine", "scale=none", "dtype=float32")):
    """Parametrize a test by estimators: in the default tier quick ones, with some of the other options."""
    return pytest.mark.parametrize(
        "name",
        [
            name
            if "evolved" not in name and ("=" not in name or name.endswith(others))
            else pytest.param(name, marks=pytest.mark.slow)
            for name in estimators()
        ],
    )


def accepts(case, option, value):
    """Whether an option takes this value, which is not its default."""
    parameters = inspect.signature(case.cls).parameters
    if option not in parameters or parameters[option].default == value:
        return False
    with contextlib.suppress(ValueError):
        case.cls(**{**case.options, option: value})._validate_params()
        return True
    return False


def in_unit(case, power):
    """The case with its options in another unit."""
    options = case.make().get_params(deep=False)
    with np.errstate(over="ignore"):
        changed = {
            name: float(np.clip(np.ldexp(options[name], degree * power), 1e-300, 1e300))
            for name, degree in UNITS.get(case.of, {}).items()
        }
    return replace(case, options={**case.options, **changed})


def fitted(case, X):
    """A model and what it says of its samples: partitions, predictions, transformed samples."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RuntimeWarning)
        model = case.make().fit(*((X,) if case.y is None else (X, case.y)), **case.more)
        names = ("labels_", "n_clusters_", "pareto_labels_")
        found = {name: np.array(getattr(model, name)) for name in names if hasattr(model, name)}
        if hasattr(model, "predict"):
            found["predict"] = np.asarray(model.predict(X))
        if not found:
            table = model.transform(X)
            found["transform"] = table.toarray() if sp.issparse(table) else np.asarray(table)
    return model, found


@functools.cache
def usual(name):
    """The fit of a case to the samples as they are."""
    case = estimators()[name]
    return fitted(case, samples_of(case))


def changes_of(one, other):
    """Names of results that are not equal."""
    return [name for name in one if name not in other or not np.array_equal(one[name], other[name])]


# ----------------------------------------------------------------------------------------- indices


def _metrics():
    makers = {
        "silhouette": validity.Silhouette,
        "minimax_silhouette": validity.MinimaxSilhouette,
        "xie_beni_medoid": functools.partial(validity.XieBeni, "medoid"),
        "i_index_medoid": functools.partial(validity.IIndex, "medoid"),
        "connectivity": functools.partial(validity.Connectivity, n_neighbors=4),
    }
    for name, make in makers.items():
        metrics = ("cosine", "manhattan", "chebyshev", "correlation", "sqeuclidean", "precomputed")
        for metric in metrics if name != "minimax_silhouette" else metrics[-1:]:
            data = _distances if metric == "precomputed" else _wide
            yield f"{name}, {metric}", IndexCase(name, functools.partial(make, metric=metric), data)
    for kind in ("symmetric", "mean_min", "min_min", "mean"):
        make = functools.partial(validity.BagSilhouette, kind=kind)
        yield f"bag_silhouette, {kind}", IndexCase("BagSilhouette", make, bags)
    for reading in ("count", "printed"):
        make = functools.partial(validity.BagSDbw, reading=reading, sigma="instance")
        yield f"bag_sdbw, {reading}", IndexCase("BagSDbw", make, bags)


def _wide():
    return np.hstack([rows(), rows(1), rows(2)])


def _distances():
    return np.abs(rows()[:, None] - rows()).sum(axis=2)


# Of a graph, shapes, weights, a pool, labels or pairs, which have no unit.
WITHOUT_UNIT = (
    *("boundary_cut", "changed", "compactness", "cut_edges", "graph_modularity", "load_variation"),
    *("agreement", "label_evidence", "pair_evidence"),
)
INDICES = {name: case for name, case in EVERY_INDEX.items() if name not in WITHOUT_UNIT} | dict(_metrics())


# ------------------------------------------------------------------------------- problems, operators


@contextlib.contextmanager
def changed_samples(change):
    """Let the problems, operators and encodings of the registries be of changed samples."""
    caches = (problem_cases.problem_of, problem_cases.graph, problem_cases.lists)
    few_values = encoding_cases._few_values
    changed = {
        (problem_cases, "rows"): lambda seed=0: change(on_a_grid(rows(seed))),
        (problem_cases, "bags"): lambda seed=0: mapped(on_a_grid(bags(seed)), change),
        (problem_cases, "words"): lambda seed=0: change(counted(seed)),
        (encoding_cases, "_few_values"): lambda n, rng: change(few_values(n, rng)),
    }
    former = {where: getattr(*where) for where in changed}
    try:
        for where, function in changed.items():
            setattr(*where, function)
        for cached in caches:
            cached.cache_clear()
        yield
    finally:
        for where, function in former.items():
            setattr(*where, function)
        for cached in caches:
            cached.cache_clear()
