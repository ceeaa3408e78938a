"""Data that mean one thing are not read as another: odd forms of every argument of every public callable.

A form of the same data gives the same result, and any other a sentence of the package or of scikit-learn: an
error that one of them raises on purpose, and not one from the middle of a computation.
"""

import dataclasses
import linecache
import re
import traceback
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from contract.doors import DOORS, EXCEPTIONS, classes_of_data, public_functions
from contract.odd_forms import FORMS

# Raised from calls into other packages, on whose arguments nobody looked.
INTERNAL = (
    "unsupported operand", "has no attribute", "not subscriptable", "out of bounds", "not iterable",
    "has no len",
    "could not be broadcast", "inhomogeneous", "truth value", "ufunc", "invalid literal", "is ambiguous",
    "cannot reshape", "could not convert", "setting an array element", "unexpected keyword", "unhashable",
)  # fmt: skip


# What a message may call data of a kind, besides the name of their argument.
NOUNS = {
    "table": ("data", "X", "counts", "bag"),
    "numbers": ("the front",),
    "distances": ("data", "distances", "X"),
    "bag distances": ("data", "distances"),
    "graph": ("similarities", "S"),
    "bags": ("bag", "instances", "X"),
    "classes": ("labels_true", "y"),
    "targets": ("y",),
}
# Of the length of one argument a message may speak at another.
LENGTHS = ("one too few", "nothing", "no rows", "no dimension", "too many dimensions")
# Of what scikit-learn's sentences are about, which name no argument.
THEIRS = (
    "Expected 2D", "Expected a 2-dim", "Expected sequence", "Found array", "Complex data", "Input should",
    "np.matrix",
)  # fmt: skip


def told(error, nouns):
    """Whether an error was raised on purpose, in a sentence about one of some things."""
    if not isinstance(error, (ValueError, TypeError)) or isinstance(error, np.exceptions.AxisError):
        return False
    last = traceback.extract_tb(error.__traceback__)[-1]
    on_purpose = linecache.getline(last.filename, last.lineno).lstrip().startswith("raise")
    ours = any(part in last.filename for part in ("/moo_clustering/", "/sklearn/utils/"))
    named = any(phrase in str(error) for phrase in (*nouns, *THEIRS))
    return on_purpose and ours and named and not any(phrase in str(error) for phrase in INTERNAL)


def alike(one, other):
    """Whether two results are the same, up to rounding and up to the containers they are in."""
    if sp.issparse(one) or sp.issparse(other):
        one, other = (each.toarray() if sp.issparse(each) else each for each in (one, other))
    if dataclasses.is_dataclass(one):
        names = [field.name for field in dataclasses.fields(one)]
        return all(alike(getattr(one, name), getattr(other, name)) for name in names)
    if isinstance(one, (pd.DataFrame, pd.Series)):
        return alike(one.to_numpy(), other.to_numpy())
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, (np.ndarray, np.generic, float, int)):
        first, second = np.asarray(one), np.asarray(other)
        if first.shape != second.shape:
            return False
        if first.dtype.kind == "f" or second.dtype.kind == "f":
            return np.allclose(
                first.astype(float), second.astype(float), rtol=1e-6, atol=1e-9, equal_nan=True
            )
        return np.array_equal(first, second)
    return True  # objects without values of their own to compare


def outcome(call, arguments):
    """The result of a call, or its error."""
    try:
        return call(**arguments), None
    except Exception as error:
        return None, error


def faults(door, which):
    """What is wrong with the answers to odd forms of the arguments of a callable."""
    plain = {name: value for name, (_, value) in door.data.items()}
    reference = door.call(**plain)
    for argument, (kind, value) in door.data.items():
        for asked, forms in zip(("same", "either", "refused"), FORMS[kind], strict=True):
            for name, form in forms.items():
                if asked not in which or (argument, name) in door.free or (odd := form(value)) is None:
                    continue
                found, error = outcome(door.call, {**plain, argument: odd})
                where = f"{argument}, {name}: "
                others = (*door.data, "shape", "n_samples", "front") if name in LENGTHS else ()
                nouns = (argument, *NOUNS.get(kind, ()), *others)
                if error is not None and (asked == "same" or not told(error, nouns)):
                    yield f"{where}{type(error).__name__} {str(error)[:140]!r}"
                elif error is None and asked == "refused":
                    yield f"{where}accepted"
                elif error is None and not alike(reference, found):
                    yield f"{where}another result"


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def test_all_that_is_public_and_takes_data_is_listed():
    listed = {re.split(r"[,(]| \(|\.(?!compare)", of)[0].strip() for of in DOORS}
    functions = public_functions().keys() | classes_of_data().keys()
    assert functions - listed - EXCEPTIONS.keys() == set()
    assert {name for name in EXCEPTIONS.keys() - functions if name in listed} == set()


@pytest.mark.parametrize("name", DOORS)
def test_what_is_no_data_is_refused_in_a_sentence(name):
    assert list(faults(DOORS[name], ("refused",))) == []


@pytest.mark.parametrize("name", [name for name, door in DOORS.items() if not door.slow])
def test_forms_of_the_same_data(name):
    assert list(faults(DOORS[name], ("same", "either"))) == []


@pytest.mark.parametrize(
    "which", [pytest.param("same", marks=pytest.mark.slow), pytest.param("either", marks=pytest.mark.nightly)]
)
@pytest.mark.parametrize("name", [name for name, door in DOORS.items() if door.slow])
def test_forms_of_the_same_data_in_whole_fits(name, which):
    assert list(faults(DOORS[name], (which,))) == []
