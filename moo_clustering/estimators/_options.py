"""Estimator parameters, defined as annotated class fields; see :func:`estimator`."""

import inspect
import sys
from dataclasses import KW_ONLY as KW_ONLY
from dataclasses import Field, dataclass, fields
from numbers import Integral, Real
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, dataclass_transform, get_args, get_origin

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from moo_clustering._arrays import SeedLike
from moo_clustering._docs import documented

Count = Annotated[int, Interval(Integral, 1, None, closed="left")]
NonNegativeCount = Annotated[int, Interval(Integral, 0, None, closed="left")]
PopulationSize = Annotated[int, Interval(Integral, 2, None, closed="left")]
NonNegative = Annotated[float, Interval(Real, 0, None, closed="left")]
Positive = Annotated[float, Interval(Real, 0, None, closed="neither")]
Probability = Annotated[float, Interval(Real, 0, 1, closed="both")]
Seed = Annotated[SeedLike, "random_state", np.random.Generator]
Verbose = Annotated[bool, "verbose"]

# These are scikit-learn's constraints for the parameter types. For bool, "boolean" is stricter than Integral.
_CONSTRAINTS: dict[Any, Any] = {
    bool: "boolean", int: Integral, float: Real, NoneType: None, str: str, Path: Path,
}  # fmt: skip

# Classes that do not document these shared parameters themselves get the following documentation.
_SHARED = """
Parameters
----------
n_clusters : int
    Number of clusters, from 1 to n_samples.
pop_size, n_gen : int
    Population size, and number of generations after the initial population.
pc : float
    Probability that a pair of parents is crossed.
pm : float
    Probability that an individual is mutated.
engine : {"pymoo", "deap"}
    Library of the search.
conflicts : {"raise", "keep"}
    Whether contradictory pairs raise an error, or are all used.
"""

C = TypeVar("C", bound=type)


@dataclass_transform(eq_default=False, field_specifiers=(Field,))
def estimator(kind: C) -> C:
    """Create the constructor, parameter constraints and documented defaults from a class's annotated fields.

    Fields can be annotated as ``bool``, ``int``, ``float``, ``str``, ``Path``, ``None``, a ``Literal`` of
    strings, a union of these types, or ``Annotated[type, constraint, ...]`` with scikit-learn constraints
    (``Interval``, ``"array-like"``, a class, ...), such as :data:`Count` and :data:`Probability`. Fields and
    their documentation are inherited. Fields after ``_: KW_ONLY`` are keyword-only.

    Parameters
    ----------
    kind : type
        Estimator or base class. Annotations must be names that exist when the module is imported.
        ``ClassVar`` marks annotations that are not parameters, and removes inherited parameters.

    Returns
    -------
    type
    """
    own = [name for name in inspect.get_annotations(kind) if not name.startswith("_")]
    written = kind.__dict__.get("__doc__")
    dataclass(eq=False, repr=False, match_args=False)(kind)
    parameters = {field.name: field for field in fields(kind)}
    for name in parameters:
        if name in vars(kind):  # only the constructor needs the default
            delattr(kind, name)
    checked: dict[str, list[Any]] = {}
    for base in reversed(kind.__mro__[1:]):
        checked |= vars(base).get("_parameter_constraints", {})
    checked |= {name: _constraints_of(kind, parameters[name]) for name in own if name in parameters}
    kind._parameter_constraints = {  # type: ignore[attr-defined]
        name: rules for name, rules in checked.items() if name in parameters
    }
    kind.__doc__ = written  # dataclass() would replace a missing docstring by the signature
    return documented(_SHARED)(kind)


def _constraints_of(cls: type, field: Field[Any]) -> list[Any]:
    try:
        kind: Any = field.type
        return _constraints(eval(kind, vars(sys.modules[cls.__module__])) if isinstance(kind, str) else kind)
    except (NameError, TypeError) as error:
        raise TypeError(f"{cls.__name__}.{field.name}: {error}") from error


def _constraints(kind: Any) -> list[Any]:
    origin = get_origin(kind)
    if origin is Annotated:
        return list(kind.__metadata__)
    if origin in (Union, UnionType):
        return [constraint for part in get_args(kind) for constraint in _constraints(part)]
    if origin is Literal:
        texts = {option for option in get_args(kind) if isinstance(option, str)}
        others = [_CONSTRAINTS[type(option)] for option in get_args(kind) if option not in texts]
        return ([StrOptions(texts)] if texts else []) + others
    if kind not in _CONSTRAINTS:
        raise TypeError(
            f"the type {kind!r} has no known constraint; use Annotated[type, constraint, ...] with "
            "scikit-learn constraints, or ClassVar[type] if it is not a parameter"
        )
    return [_CONSTRAINTS[kind]]


@estimator
class SeedOptions:
    """Parameter of estimators that make random choices.

    Parameters
    ----------
    random_state : int, Generator or RandomState
        Seed for all random choices. An integer makes results reproducible.

    Attributes
    ----------
    n_features_in_, feature_names_in_
        Same as in scikit-learn.
    """

    _: KW_ONLY
    random_state: Seed = None


@estimator
class ParallelOptions(SeedOptions):
    """Parameters of estimators that make random choices and run in parallel.

    Parameters
    ----------
    n_jobs : int
        Number of threads or processes. Does not affect the result.
    """

    _: KW_ONLY
    n_jobs: Count | Annotated[int, Interval(Integral, None, -1, closed="right")] | None = None


@estimator
class CheckpointOptions(ParallelOptions):
    """Parameters of estimators with a progress bar and checkpoints.

    Parameters
    ----------
    verbose : bool
        Whether to show a progress bar with rate, remaining time and best values.
    checkpoint : path
        File to which the search state is written. Requires an integer ``random_state``.
    checkpoint_every : int
        Generations between checkpoints.
    resume : bool
        Whether to continue from ``checkpoint`` if it exists. Interruptions do not change the result.
    """

    _: KW_ONLY
    verbose: Verbose = False
    checkpoint: Annotated[str | Path | None, str, Path, None] = None
    checkpoint_every: Count = 10
    resume: bool = False


@estimator
class SearchOptions(CheckpointOptions):
    """Parameters of estimators with a search. After Ctrl-C, a search returns its best results so far.

    Parameters
    ----------
    start : array-like, Population, estimator or path
        Initial individuals: partitions, a fitted estimator (shared by clones), the folder of a run, or
        genotypes; see :func:`~moo_clustering.operators.start_genes`. Default: random individuals.

    Attributes
    ----------
    interrupted_ : bool
        Whether Ctrl-C ended the search early. To handle SIGTERM in the same way, call
        ``signal.signal(signal.SIGTERM, signal.getsignal(signal.SIGINT))``.
    """

    _: KW_ONLY
    start: Annotated[Any, object] = None
