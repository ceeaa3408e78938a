"""The unit of the data decides nothing: multiplied by a power of two, they have the same partitions.

From 2^-300 to 2^300 results must be the same but for their unit, or an exception says why not. Beyond these,
data may also be refused, in a sentence. No partition changes in silence, and no RuntimeWarning is raised.
"""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

from contract.encodings import EVERY_ENCODING
from contract.metamorphic import (
    FAR,
    INDICES,
    POWERS,
    REFUSED,
    changed_samples,
    changes_of,
    estimators,
    every_estimator,
    fitted,
    in_unit,
    mapped,
    on_a_grid,
    same_up_to_unit,
    samples_of,
    times,
    usual,
)
from contract.operators import OPERATORS
from contract.problems import PROBLEMS, first_population, problem_of

LINEAR = (
    "linear models weigh the size of their coefficients, which has a unit, against errors, which have none"
)
ROUNDED_LOGS = "logarithms of weights are rounded to single precision, wherever the unit puts them"
SINGLE = "single precision holds numbers from 1e-38 to 1e38"
LISTS = "neighbour lists hold distances in single precision"
DENSITY = "densities have the inverse of the unit, so their logarithms differ by a constant"
FOURTH = "squares of squared distances leave double precision"

# What the results of an estimator depend on the unit for, or which powers it refuses among those near 0.
ESTIMATORS_DIFFER = {
    "MetaLabeler": (LINEAR, (-50,)),
    "PrunedSetsEnsemble": (LINEAR, (-50,)),
    "SISCEnsemble": ("chi_weight, which belongs to the SISC in it, has the square of the unit", (-50, 50)),
    "SCAD2, dtype=float32": (ROUNDED_LOGS, (-1, 1)),
    **dict.fromkeys(("ICLClustering", "ICLClustering, three"), (DENSITY, (-50, -1, 1, 50))),
}
ESTIMATORS_REFUSE = {
    "MetaLabeler": (LINEAR, (-300, 300)),
    "PrunedSetsEnsemble": (LINEAR, (-300, 300)),
    "SISCEnsemble": (LINEAR, (-300, 300)),
    "SISCStacked": (LINEAR, (-300, 300)),
    **{
        f"{name}, dtype=float32": (SINGLE, (-300, -50, 50, 300))
        for name in ("EntropyWeightedKMeans", "NSGA2SISC", "SCAD2", "SISC")
    },
    **{f"{name}, scale=none": (LISTS, (-300, 300)) for name in ("PESC", "SRMOSC", "SpectralGraphClustering")},
    **{f"{name}, metric=sqeuclidean": (FOURTH, (-300, 300)) for name in ("AMOSAClus", "NSGA2Clus")},
    "NMFClustering, dtype=float32": (SINGLE, (-300, 300)),
}
INDICES_DIFFER = {
    "cdbw": ("the published formula adds 1 to densities, which have the inverse of the unit", POWERS[2:8]),
    **dict.fromkeys(("icl", "icl_diagonal"), (DENSITY, POWERS[2:8])),
    "fuzzy_hypervolume": ("volumes have the unit to the power of the number of features", POWERS[2:8]),
}
INDICES_REFUSE = {
    f"{name}, sqeuclidean": (FOURTH, (-300, 300)) for name in ("xie_beni_medoid", "i_index_medoid")
}


def compared(name, power, attempt, differ, refuse):
    """Faults of a comparison: ``attempt()`` names what differs, or raises a ValueError for refused data."""
    should_differ, should_refuse = (power in table.get(name, ("", ()))[1] for table in (differ, refuse))
    try:
        found = attempt()
    except ValueError as error:
        if not REFUSED.search(str(error)):
            return [f"{name} times 2^{power} is refused without a reason: {error}"]
        return [] if should_refuse or power in FAR else [f"{name} times 2^{power} is refused: {error}"]
    except RuntimeWarning as warning:
        return [f"{name} times 2^{power} warns: {warning}"]
    if bool(found) == should_differ and not should_refuse:
        return []
    return [f"{name} times 2^{power}: {found or 'no'} differences; exceptions say otherwise"]


@pytest.mark.parametrize(
    "powers",
    [
        pytest.param((-900, -50, 1, 900), id="some"),
        pytest.param((-500, -300, -1, 50, 300, 500), id="others", marks=pytest.mark.slow),
    ],
)
@every_estimator()
def test_estimators(name, powers):
    case, X = estimators()[name], samples_of(estimators()[name])
    model, expected = usual(name)
    faults = []
    for power in powers:

        def attempt(power=power):
            other, found = fitted(in_unit(case, power), mapped(X, times(power)))
            if "transform" in found:
                return (
                    [] if same_up_to_unit(expected["transform"], found["transform"], power) else ["transform"]
                )
            changed = changes_of(expected, found)
            return changed or (attributes_without_unit(model, other, power) if abs(power) <= 50 else [])

        faults += compared(name, power, attempt, ESTIMATORS_DIFFER, ESTIMATORS_REFUSE)
    assert not faults, "\n".join(faults)


def attributes_without_unit(model, other, power):
    """Names of fitted numbers that are not those of the other model times a power of the unit."""
    found = []
    for name, value in vars(model).items():
        numbers = np.asarray(value) if isinstance(value, (np.ndarray, float)) else np.empty(0, int)
        rtol = 1e-3 if numbers.dtype == np.float32 or getattr(model, "dtype", "") == "float32" else 1e-8
        if name.endswith("_") and name[0] != "_" and numbers.dtype.kind == "f" and numbers.size:
            if not same_up_to_unit(numbers, getattr(other, name), power, rtol):
                found.append(name)
            directions = type(model).__name__ == "SphericalKMeans" or getattr(model, "metric", "") == "cosine"
            moved = np.ldexp(getattr(other, name), -power)
            if name == "cluster_centers_" and not (directions or np.allclose(numbers, moved, rtol, rtol)):
                found.append("unit of cluster_centers_")
    return found


LABELS = np.random.default_rng(7).integers(0, 3, (4, 24)).astype(np.int32)
LABELS[:, :3] = [0, 1, 2]


def values(case, data):
    """An index of some partitions."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RuntimeWarning)
        return case.make().fit(data).evaluate(LABELS)


def test_indices():
    faults = []
    for name, case in INDICES.items():
        X = on_a_grid(case.data())
        expected = values(case, X)

        for power in POWERS:

            def attempt(case=case, power=power, X=X, expected=expected):
                found = values(case, mapped(X, times(power)))
                return [] if same_up_to_unit(expected[:, None], found[:, None], power) else ["values"]

            faults += compared(name, power, attempt, INDICES_DIFFER, INDICES_REFUSE)
    assert not faults, "\n".join(faults)


COSINES = (
    *("AMOSAClus", "NSGA2Clus", "SphericalKMeans", "SphericalKMeans, strategy=bisecting"),
    *("HMRFKMeans, metric=cosine", "PCKMeans, metric=cosine"),
)
EACH_ROW = np.array([0, -60, 55, -300, 300, 20])[np.arange(24) % 6][:, None]


def test_rows_in_units_of_their_own_have_the_same_directions():
    faults = []
    for name in COSINES:
        X = samples_of(estimators()[name])
        for form in (np.asarray, sp.csr_array):
            changed = changes_of(usual(name)[1], fitted(estimators()[name], form(np.ldexp(X, EACH_ROW)))[1])
            faults += [f"{name}: {changed}"] if changed else []
    for name, case in INDICES.items():
        if "cosine" in name:
            X = on_a_grid(case.data())
            if not np.array_equal(values(case, X), values(case, np.ldexp(X, EACH_ROW))):
                faults.append(name)
    assert not faults, "\n".join(faults)


def results_of_parts():
    """Genes, objectives and labels of all problems, children of all operators; ValueErrors where refused."""
    found = {}
    tries = dict.fromkeys(PROBLEMS, of_problem) | {f"operator {name}": of_operator for name in OPERATORS}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RuntimeWarning)
        for name, function in tries.items():
            try:
                found[name] = function(name.removeprefix("operator "))
            except (ValueError, RuntimeWarning) as error:
                found[name] = error
    return found


def of_problem(name):
    problem, X = problem_of(name), first_population(name, n=12, seed=1).get("X")
    found = {"genes": X, "objectives": problem.evaluate(X, return_as_dictionary=True)["F"]}
    return found | ({"labels": problem.decode(X)} if hasattr(problem, "decode") else {})


def of_operator(name):
    return {"children": OPERATORS[name].run()}


TWO_UNITS = "its features are values and their squares, which have two units"
WEIGHTS = "chi_weight and floor, which have the square of the unit, stay the same"
WHOLE = "its categories are values rounded to whole numbers"
PARTS_DIFFER = {
    "FeatureSubsetProblem": TWO_UNITS,
    "SubspaceClusteringProblem": WEIGHTS,
    "FuzzyModesProblem": WHOLE,
}


@pytest.mark.parametrize("power", POWERS)
def test_problems_and_operators(power):
    with changed_samples(times(0)):
        expected = results_of_parts()
    with changed_samples(times(power)):
        found = results_of_parts()
    faults = []
    for name, results in expected.items():
        if of_data(name) in PARTS_DIFFER:
            continue

        def attempt(name=name, results=results):
            if isinstance(found[name], Exception):
                raise found[name]
            return [
                key
                for key, value in results.items()
                if not same_up_to_unit(
                    value, found[name][key], power if np.asarray(value).dtype.kind == "f" else 0
                )
            ]

        listed = ("NeighborGraphProblem", "SRMOSCProblem", "PartitionProblem, limits")
        refuse = {name: (LISTS, (-300, 300))} if of_data(name) in listed else {}
        faults += compared(name, power, attempt, {}, refuse)
    assert not faults, "\n".join(faults)


def of_data(name):
    """The problem of an operator, or the problem itself."""
    return OPERATORS[name.removeprefix("operator ")].problem if name.startswith("operator ") else name


@pytest.mark.parametrize("name", PARTS_DIFFER)
def test_exceptions_of_problems_are_needed(name):
    with changed_samples(times(0)):
        expected = of_problem(name)
    with changed_samples(times(-50)):
        found = of_problem(name)
    assert not np.array_equal(expected["objectives"], found["objectives"])


@pytest.mark.parametrize("power", POWERS)
def test_encodings(power):
    faults = []
    for name, case in EVERY_ENCODING.items():

        def attempt(case=case):
            with changed_samples(times(0)):
                one = case.make(24, np.random.default_rng(2))
            with changed_samples(times(power)):
                other = case.make(24, np.random.default_rng(2))
            genes = one.random(9, np.random.default_rng(3))
            return [
                method
                for method in ("decode", "repair", "canonical")
                if not np.array_equal(getattr(one, method)(genes), getattr(other, method)(genes))
            ]

        faults += compared(name, power, attempt, {}, {})
    assert not faults, "\n".join(faults)
