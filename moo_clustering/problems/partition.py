"""Problems that score partitions using validity indices and constraints, and chunked evaluation."""

import copy
import importlib
import inspect
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext, suppress
from functools import partial
from typing import Any, Literal, Self, get_args

import numpy as np
from joblib import delayed
from numpy.typing import ArrayLike, NDArray
from pymoo.core.population import Population
from pymoo.core.problem import Problem
from pymoo.core.result import Result
from sklearn.utils.validation import _num_samples

from moo_clustering import _arrays
from moo_clustering._arrays import array_of, choice, integer, is_own, name_of, non_dominated, value_per_row
from moo_clustering._data import checked_container, require_same_samples
from moo_clustering._docs import Documented
from moo_clustering._messages import distinct_names, quoted
from moo_clustering._parallel import one_thread, run_calls
from moo_clustering._types import BoolArray, FloatArray, IntArray, IntpArray, Labels
from moo_clustering.constraints import Limit, PairwiseConstraints
from moo_clustering.encodings import Encoding, TupleEncoding, relabel_by_first_appearance
from moo_clustering.encodings.base import checked_memberships, distinct_rows
from moo_clustering.validity import ValidityIndex, get_index
from moo_clustering.validity.base import PRODUCTS, UNDEFINED, FunctionIndex, accepted, requested, requests_of
from moo_clustering.validity.registry import Index

ConstraintHandling = Literal["objective", "constraint", "crowding", "none"]
Inequality = Callable[[Labels], FloatArray]
# Functions ``make(problem, algorithm)`` that return operators, by the class of the problem or its encoding.
# Importing the modules of moo_clustering.operators registers them.
OPERATOR_MAKERS: dict[type[Any], Callable[[Any, type[Any] | None], dict[str, Any]]] = {}
VIOLATION = "constraint_violation"
UNDEFINED_INDEX = "undefined_index"


class FixedProblem(Documented, Problem):
    """Base class for immutable problems, whose copies share all data.

    Parameters
    ----------
    constraints : PairwiseConstraints, optional
        Must-links and cannot-links. The violation V (0 to 2) is the share of violated must-links plus the
        share of violated cannot-links.
    n_jobs : int, optional
        Number of threads. It does not affect the result.
    max_memory : int
        Maximum size of the distance matrix in bytes. The matrix takes 8 n_samples^2 bytes.

    Attributes
    ----------
    objective_names : tuple of str
        Names of the objectives, which are the columns of ``F``.
    """

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        # pymoo copies the problem in each generation if ``save_history`` is set.
        return copy.copy(self)

    def operators(self, algorithm: type[Any] | None = None, *, start: Any = None) -> dict[str, Any]:
        """Return operators for this problem; see :func:`~moo_clustering.operators.suited_operators`."""
        # The import is delayed, because operators import problems.
        made: dict[str, Any] = _operators().suited_operators(self, algorithm, start=start)
        return made


class SignedProblem(FixedProblem):
    """Base class for problems with maximised objectives."""

    objective_names: tuple[str, ...]
    _signs: FloatArray

    def natural(self, F: ArrayLike) -> FloatArray:
        """Restore the original signs of objectives (..., n_obj), because pymoo minimises all objectives."""
        if F is None:
            raise ValueError("F is None, because the run found no feasible solution")
        values = np.asarray(F, dtype=np.float64)
        if values.ndim == 0 or values.shape[-1] != self.n_obj:
            raise ValueError(f"F must have {self.n_obj} columns, one per objective; got shape {values.shape}")
        return values * self._signs


class EncodedProblem(SignedProblem):
    """Base class for problems with an encoding that decodes genotypes to partitions."""

    encoding: Any

    def __init__(self, n_ieq_constr: int = 0, bounds: tuple[Any, Any] | None = None) -> None:
        encoding = self.encoding
        xl, xu = encoding.bounds() if bounds is None else bounds
        size = {"n_var": encoding.n_var, "n_obj": len(self.objective_names), "n_ieq_constr": n_ieq_constr}
        super().__init__(**size, xl=xl, xu=xu, vtype=encoding.dtype)

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return int(self.encoding.n_samples)

    def decode(self, X: ArrayLike) -> Labels:
        """Decode one or more genotypes such as ``res.X`` to partitions, shape (n_individuals, n_samples)."""
        labels: Labels = self.encoding.decode(np.atleast_2d(np.asarray(X)))
        return labels


class PartitionProblem(EncodedProblem):
    """Optimise partitions by one or more validity indices.

    Raises a TypeError or ValueError if an index or ``constraint_handling`` is unknown, if there is no
    objective, if data, encoding and constraints differ in length, or if required constraints are missing.
    Evaluation raises an error if a genotype is invalid (use ``repair=EncodingRepair()``), or if a custom
    component returns an invalid result.

    Parameters
    ----------
    data : array-like of shape (n_samples, n_features), or any data to which the indices can be fitted
        Can be None if all objectives are fitted objects.
    encoding : Encoding or tuple of Encoding
        Representation of partitions, with the ``n_samples`` of the data. With a tuple of encodings (see
        :class:`~moo_clustering.encodings.TupleEncoding`), data may contain only the first encoding's samples.
    objectives : sequence of str, ValidityIndex objects or classes, or tuples of callable and str
        At least one objective. Index objects are copied before fitting. A function ``(X, labels) -> float``
        requires a direction, ``"max"`` or ``"min"``: ``(calinski_harabasz_score, "max")`` or, with a name,
        ``("spread", f, "min")``. Maximised indices are negated for pymoo; :meth:`natural` restores their
        sign. A function with an argument ``memberships``, ``centers``, ``medoids`` or ``genes`` also receives
        it. With a tuple of encodings, functions receive one partition per encoding: ``f(X, rows, columns)``.
    constraint_handling : {"objective", "constraint", "crowding", "none"}, default="objective"
        How the constraints are used:

        - ``"objective"``: V is the last objective, ``"constraint_violation"``.
        - ``"constraint"``: V is an inequality constraint; all infeasible individuals are ranked by V.
        - ``"crowding"``: each individual stores a bonus for satisfied links, ``"constraint_bonus"``, for
          :class:`~moo_clustering.operators.ConstraintCrowdingSurvival`.
        - ``"none"``: constraints are ignored.
    limits : sequence of Limit, default=()
        Constraints on partitions, such as :class:`~moo_clustering.constraints.ClusterSizes`. Raises a
        ValueError if no number of clusters of the encoding can satisfy them.
    inequalities : sequence of callables, default=()
        Functions of n partitions, shape (n, n_samples), that return n finite numbers. A number is at most 0
        if the partition is feasible. For a function f of one partition, use ``lambda labels: [f(row) for row
        in labels]``. A function that has an argument ``data``, ``memberships``, ``centers``, ``medoids`` or
        ``genes`` also receives it.

    Attributes
    ----------
    constraint_names : tuple of str
        Names of the inequality constraints, which are the columns of ``G``: ``"undefined_index"`` if an index
        can be undefined, ``"constraint_violation"`` if V is a constraint, then limits, then inequalities.
    indices : tuple of ValidityIndex
        The fitted indices.
    reads_genes : bool
        Whether an index or inequality requests genes, or another array that can differ for equal partitions.

    Notes
    -----
    With ``"constraint"``, a run can end without a feasible solution; ``res.X`` is then None. Use ``res.pop``,
    or set ``return_least_infeasible=True`` to obtain the solution with the smallest violation. Use
    ``"objective"`` if it is possible that no encoded partition satisfies all constraints.

    Each distinct partition is scored only once, so equal partitions have identical objectives. If an index or
    inequality requests memberships, centres, medoids or genes, each distinct genotype is scored instead.
    These arrays are computed once per population; their row or column c belongs to label c of :meth:`decode`.
    A partition with an undefined index is infeasible, so a front never contains it. An index is undefined for
    fewer than ``min_clusters`` clusters. A function is also undefined if all clusters have one sample.

    Examples
    --------
    >>> from moo_clustering.encodings import LabelEncoding
    >>> X = [[0.0], [1.0], [10.0], [11.0]]
    >>> problem = PartitionProblem(X, LabelEncoding(4, k_max=2), ["deviation", "silhouette"])
    >>> F = problem.evaluate(np.array([[0, 0, 1, 1], [0, 1, 0, 1]]))
    >>> problem.natural(F).round(3)
    array([[ 2.  ,  0.9 ],
           [20.  , -0.45]])
    """

    def __init__(
        self,
        data: ArrayLike | None,
        encoding: Encoding | tuple[Encoding, ...],
        objectives: Sequence[Index] | Index,
        *,
        constraints: PairwiseConstraints | None = None,
        constraint_handling: ConstraintHandling = "objective",
        limits: Sequence[Limit] = (),
        inequalities: Sequence[Inequality] = (),
    ) -> None:
        encoding = TupleEncoding(encoding) if isinstance(encoding, tuple) else encoding
        _arrays.instance("encoding", encoding, Encoding, "an Encoding or a tuple")
        # A custom encoding is checked once, when the first population is evaluated.
        self._unseen = is_own(encoding)
        xl, xu = _checked_bounds(encoding) if self._unseen else encoding.bounds()
        _check_constraints(constraints, constraint_handling, encoding.n_samples)
        n_data = encoding.n_samples if data is None else _num_samples(checked_container(data, "data"))
        if not isinstance(encoding, TupleEncoding) or n_data != encoding.parts[0].n_samples:
            require_same_samples("data and encoding", n_data, encoding.n_samples)
        self.encoding = encoding
        self.indices = _fitted(objectives, data)
        if isinstance(encoding, TupleEncoding):
            whole = n_data == encoding.n_samples
            self.indices = tuple(_of_parts(index, encoding, whole) for index in self.indices)
        self.constraints = constraints
        self.constraint_handling = "none" if constraints is None else constraint_handling
        # Other types than iterables become (None,), which fails the checks below.
        given: list[tuple[Any, ...]] = [
            tuple(each) if isinstance(each, Iterable) else (None,) for each in (limits, inequalities)
        ]
        self.limits, functions = given
        if not all(map(callable, functions)):
            raise TypeError(f"inequalities must be a sequence of functions, got {quoted(inequalities)}")
        if not all(isinstance(limit, Limit) for limit in self.limits):
            raise TypeError(f"limits must be a sequence of Limits such as ClusterSizes, got {quoted(limits)}")
        self.inequalities = tuple(_with_data(function, data) for function in functions)
        self._products = _requested_products(encoding, self.indices, self.inequalities)
        crisp = type(encoding).memberships is Encoding.memberships
        self.reads_genes = any(not crisp or name != "memberships" for name in self._products)
        ends = getattr(encoding, "k_min", 1), getattr(encoding, "k_max", encoding.n_samples)
        _check_possible(self.limits, *ends, encoding.n_samples)
        self._may_be_undefined = any(
            _undefined(index, np.array(ends), encoding.n_samples).any() for index in self.indices
        )
        names = [UNDEFINED_INDEX] * self._may_be_undefined
        names += [VIOLATION] * (self.constraint_handling == "constraint")
        names += [limit.name for limit in self.limits] + [name_of(each) for each in self.inequalities]
        self.constraint_names = tuple(distinct_names(names))
        violation = [VIOLATION] * (self.constraint_handling == "objective")
        self.objective_names = tuple(distinct_names([index.name for index in self.indices] + violation))
        signs = [-1.0 if index.greater_is_better else 1.0 for index in self.indices]
        self._signs = np.array(signs + [1.0] * len(violation))
        super().__init__(len(self.constraint_names), (xl, xu))

    def decode(self, X: ArrayLike | None) -> Labels:
        """Decode one or more genotypes such as ``res.X`` to partitions, shape (n_individuals, n_samples)."""
        if X is None:
            raise ValueError("X is None, because the run found no feasible solution; see PartitionProblem")
        genes = np.atleast_2d(np.asarray(X))
        labels = self.encoding.decode(genes)
        return _checked_partitions(self.encoding, labels, len(genes)) if is_own(self.encoding) else labels

    def _evaluate(self, X: ArrayLike, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        genes = np.atleast_2d(np.asarray(X))
        decoded = self.decode(genes)
        labels = relabel_by_first_appearance(decoded)
        if self._unseen and len(genes):
            _check_encoding(self.encoding, genes, decoded, labels)
            self._unseen = False
        if self._products:
            labels = decoded  # label c must stay with centre c
        first, inverse = self._distinct(genes, labels)
        distinct = labels[first]
        products = {name: self._product(name, genes[first]) for name in self._products}
        columns = []
        n_undefined = np.zeros(len(first))
        for index in self.indices:
            values = np.full(len(first), -UNDEFINED if index.greater_is_better else UNDEFINED)
            missing = _undefined(index, distinct.max(axis=1, initial=0) + 1, self.n_samples)
            n_undefined += missing
            known = np.flatnonzero(~(missing & is_own(index)))
            if len(known):
                given = {name: products[name][known] for name in requests_of(index)}
                scores = self._values(index, distinct[known], genes[first[known]], **given)
                values[known] = value_per_row(scores, f"index {index.name!r}", len(known))
            columns.append(values)
        limits = [_limit_values(limit, distinct, products) for limit in self.limits + self.inequalities]
        if self.constraints is not None:
            if self.constraint_handling == "objective":
                columns.append(self.constraints.violation(distinct))
            elif self.constraint_handling == "constraint":
                limits.insert(0, self.constraints.violation(distinct))
            elif self.constraint_handling == "crowding":
                out["constraint_bonus"] = self.constraints.bonus(distinct)[inverse]
        if self._may_be_undefined:
            limits.insert(0, n_undefined)
        if limits:
            out["G"] = np.column_stack(limits)[inverse]
        out["F"] = (np.column_stack(columns) * self._signs)[inverse]

    def _distinct(self, X: NDArray[Any], labels: Labels) -> tuple[IntpArray, IntpArray]:
        """Return the rows of distinct individuals, and the position of each individual among these rows."""
        return distinct_rows(X if self._products else labels)

    def _product(self, name: str, X: NDArray[Any]) -> NDArray[Any]:
        if name == "genes":
            return X
        values = np.asarray(getattr(self.encoding, name)(X))
        if is_own(self.encoding):
            who = f"{type(self.encoding).__name__}.{name}"
            if name == "memberships":
                values = checked_memberships(values, who, self.n_samples)
            if values.ndim == 0 or len(values) != len(X):
                raise ValueError(
                    f"{who} must return {len(X)} rows, one per genotype, got shape {values.shape}"
                )
        return values

    def _values(self, index: ValidityIndex, labels: Labels, X: NDArray[Any], **products: Any) -> FloatArray:
        name, shape = f"index {index.name!r}", (len(labels),)
        population = products.pop("memberships") if index.takes == "memberships" else labels
        found = index.evaluate(population, **products)
        return array_of(found, name, shape, "one finite value per partition", nan=True).astype(np.float64)


def unique_names(objectives: str | Sequence[str], allowed: Iterable[str]) -> tuple[str, ...]:
    """Return objective names, or raise a ValueError if they are not allowed or not unique."""
    names, known = (objectives,) if isinstance(objectives, str) else tuple(objectives), tuple(allowed)
    if not names or len({*map(quoted, names)}) < len(names) or not all(name in known for name in names):
        raise ValueError(f"objectives must be one or more unique names from {known}, got {quoted(names)}")
    return names


def index_list(objectives: Sequence[Index] | Index) -> Sequence[Any]:
    """Wrap a single objective, which can be a tuple of a function and a direction, in a list."""
    given: Any = objectives
    directed = (
        isinstance(given, tuple) and len(given) > 1 and given[-1] in ("max", "min") and callable(given[-2])
    )
    single = directed or callable(objectives) or isinstance(objectives, (str, ValidityIndex))
    if not (single or hasattr(objectives, "__len__")):
        raise TypeError(f"objectives must be a validity index or a list of indices, got {quoted(objectives)}")
    return [objectives] if single else objectives  # type: ignore[return-value]


def _fitted(objectives: Sequence[Index] | Index, data: ArrayLike | None) -> tuple[ValidityIndex, ...]:
    listed = index_list(objectives)
    if len(listed) == 0:
        raise ValueError("objectives must name at least one validity index")
    repeated = {name for name in listed if isinstance(name, str) and list(listed).count(name) > 1}
    if repeated:
        raise ValueError(f"objectives must be unique, got {', '.join(sorted(repeated))} more than once")
    if data is None:
        if not all(isinstance(index, ValidityIndex) for index in listed):
            raise ValueError("with data=None, objectives must be fitted ValidityIndex objects")
        return tuple(get_index(index) for index in listed)
    indices = [copy.copy(get_index(index)) for index in listed]
    fitted = tuple(index.fit(data) for index in indices)
    for index, result in zip(indices, fitted, strict=True):
        if not isinstance(result, ValidityIndex):
            raise TypeError(f"{type(index).__name__}.fit must return self, but it returned {quoted(result)}")
    return fitted


def _of_parts(index: ValidityIndex, encoding: TupleEncoding, whole: bool) -> ValidityIndex:
    """Return an index whose function receives one partition for each encoding of the tuple."""
    if isinstance(index, FunctionIndex):
        index, ends = copy.copy(index), np.cumsum([part.n_samples for part in encoding.parts])
        if index._with_labels:
            what = f"the data and {len(ends)} partitions, one per encoding of the tuple"
            _check_call(f"function {index.name!r}", index.function, 1 + len(ends), index._requested, what)
            index.function = partial(_call_with_parts, index.function, ends[:-1])
        index.n_samples_ = encoding.n_samples
    elif not whole:
        raise ValueError(
            "with a tuple of encodings, objectives must be functions of the data and one partition per "
            f'encoding, such as (lambda X, rows, columns: ..., "min"); got index {index.name!r}, which '
            f"requires data for all {encoding.n_samples} samples"
        )
    return index


def _check_call(who: str, function: Any, n_arrays: int, names: Sequence[str], what: str) -> None:
    try:
        # The signature of a compiled function can be unknown, which raises a ValueError.
        with suppress(ValueError):
            inspect.signature(function).bind(*range(n_arrays), **dict.fromkeys(names))
    except TypeError as error:
        wanted = " and ".join(filter(None, [what, *names]))
        raise TypeError(f"{who} must accept {wanted}{' by name' * bool(names)}: {error}") from None


def _call_with_parts(
    function: Callable[..., Any], ends: IntpArray, data: Any, labels: Labels, **products: Any
) -> Any:
    # Clusters are numbered by first appearance, so the labels of each part are consecutive numbers.
    return function(data, *(piece - piece.min() for piece in np.split(labels, ends)), **products)


def _undefined(index: ValidityIndex, n_clusters: NDArray[Any], n_samples: int) -> BoolArray:
    singletons = isinstance(index, FunctionIndex) & (n_clusters >= n_samples)
    return np.asarray((n_clusters < index.min_clusters) | singletons)


def _with_data(function: Any, data: Any) -> Inequality:
    named, free = accepted(function)
    if "data" not in named:
        return function
    if data is None:
        raise ValueError(f"inequality {name_of(function)!r} requires data, but the problem has data=None")
    return partial(function, data) if free[:1] == ["data"] else partial(function, data=data)


def _requested_products(
    encoding: Encoding, indices: Sequence[ValidityIndex], inequalities: Sequence[Any]
) -> tuple[str, ...]:
    """Return the encoding methods that indices and inequalities request, after checking that they exist."""
    requests = [(f"index {index.name!r}", requests_of(index)) for index in indices]
    requests += [(f"inequality {name_of(f)!r}", requested(f)[0]) for f in inequalities]
    for index in (index for index in indices if isinstance(index, FunctionIndex)):
        what, n = "the data" + " and labels" * index._with_labels, 1 + index._with_labels
        _check_call(f"function {index.name!r}", index.function, n, index._requested, what)
    for (who, names), function in zip(requests[len(indices) :], inequalities, strict=True):
        with_labels = requested(function)[1]
        _check_call(who, function, int(with_labels), names, "labels" * with_labels)
    for who, names in requests:
        for name in names:
            if name != "genes" and not hasattr(encoding, name):
                kind = type(encoding).__name__
                raise TypeError(
                    f"{who} requires {name}, but {kind} has no method {name}(X); define it, or use another "
                    "encoding"
                )
    return tuple(name for name in PRODUCTS if any(name in names for _, names in requests))


def _limit_values(limit: Any, labels: Labels, products: Mapping[str, NDArray[Any]]) -> FloatArray:
    call = limit.violations if isinstance(limit, Limit) else limit
    names, with_labels = requested(call)

    who = f"limit {limit.name!r}" if isinstance(limit, Limit) else f"inequality {name_of(limit)!r}"

    def function(n: int | None = None) -> Any:
        try:
            return call(*[labels[:n]][:with_labels], **{name: products[name][:n] for name in names})
        except Exception as error:
            shape = labels[:n].shape
            error.add_note(f"{who} is called with labels of shape {shape}, and returns one value per row")
            raise

    values = value_per_row(function(), who, len(labels))
    if 1 < len(labels) == labels.shape[1] and is_own(limit):
        # If n = n_samples, one value per sample looks like one per partition, so a single partition is
        # checked.
        value_per_row(function(1), who, 1)
    return np.maximum(values, 0.0) if isinstance(limit, Limit) else values


def _check_possible(limits: Sequence[Limit], least: int, most: int, n: int) -> None:
    faults = {}
    for k in range(least, most + 1) if limits else ():
        try:
            for limit in limits:
                limit.possible(k, n)
            return
        except ValueError as error:
            faults[k] = str(error).removesuffix(".")
    if faults:
        ends = dict.fromkeys((faults[least], faults[most]))
        raise ValueError(
            f"no partition of the encoding satisfies the limits: {'; '.join(ends)}. "
            "Change the limits or the number of clusters."
        )


def _checked_bounds(encoding: Encoding) -> tuple[IntArray, IntArray]:
    name = type(encoding).__name__
    for attribute in ("n_samples", "n_var"):
        integer(f"{name}.{attribute}", getattr(encoding, attribute, None))
    bounds = encoding.bounds()
    if not isinstance(bounds, tuple | list) or len(bounds) != 2:
        raise ValueError(f"{name}.bounds must return two arrays, got {quoted(bounds)}")
    what = "the minimum and maximum gene values"
    low, high = (array_of(bound, f"{name}.bounds", (encoding.n_var,), what) for bound in bounds)
    if (low > high).any():
        gene = int((low > high).argmax())
        raise ValueError(f"{name}.bounds must be ordered, got {low[gene]} and {high[gene]} for gene {gene}")
    return low, high


def _checked_partitions(encoding: Encoding, labels: Any, n: int) -> Labels:
    who = f"{type(encoding).__name__}.decode"
    array = array_of(labels, who, (n, encoding.n_samples), "clusters 0..k-1")
    if array.dtype.kind not in "iu" or array.min(initial=0) < 0:
        got = f"dtype {array.dtype}" if array.dtype.kind not in "iu" else f"{array.min()}"
        raise ValueError(f"{who} must return clusters 0..k-1 as integers, got {got}")
    return array


def _check_encoding(encoding: Encoding, X: NDArray[Any], decoded: Labels, labels: Labels) -> None:
    """Check the results of a custom encoding's methods for the first population."""
    name, low, high = type(encoding).__name__, *encoding.bounds()
    gaps = decoded.max(axis=1) != labels.max(axis=1)
    if gaps.any():
        found = np.unique(decoded[int(gaps.argmax())])
        raise ValueError(
            f"{name}.decode must return contiguous clusters 0..k-1, got {quoted(found.tolist())}; "
            "use relabel_by_first_appearance to close gaps"
        )
    rng = np.random.default_rng(0)
    made = [("repair", encoding.repair(X.copy())), ("random", encoding.random(len(X), rng))]
    if type(encoding).encode is not Encoding.encode:
        # A ValueError is allowed, because some encodings cannot represent every partition.
        with suppress(ValueError):
            made.append(("encode", encoding.encode(labels)))
    for method, genes in made:
        found = array_of(genes, f"{name}.{method}", X.shape, "genes")
        if (found < low).any() or (found > high).any():
            raise ValueError(
                f"{name}.{method} must return genes within the bounds of the encoding, got "
                f"{found.min()} to {found.max()}"
            )
        _checked_partitions(encoding, encoding.decode(found), len(found))
        if not np.allclose(encoding.repair(found.copy()), found):
            raise ValueError(
                f"{name}.repair must not change valid genotypes, and {name}.{method} must return valid "
                f"genotypes, got {quoted(found.tolist())}"
            )
    if not type(encoding).canonical.__module__.startswith("moo_clustering."):
        # The population may contain no duplicates, so genotypes that can encode equal partitions are added.
        X = np.concatenate([X, *(genes for _, genes in made)])
        forms, partitions = encoding.canonical(X), relabel_by_first_appearance(encoding.decode(X))
        different = distinct_rows(forms)[1] != distinct_rows(partitions)[1]
        if different.any():
            raise ValueError(
                f"{name}.canonical must return equal rows if and only if partitions are equal, but does not "
                f"for {quoted(X[int(different.argmax())].tolist())}; remove it to compare decoded partitions"
            )


def _check_constraints(constraints: Any, handling: Any, n_samples: int) -> None:
    choice("constraint_handling", handling, get_args(ConstraintHandling))
    if constraints is None:
        if handling in ("constraint", "crowding"):
            raise ValueError(f"constraint_handling={handling!r} requires constraints, got None")
    elif not isinstance(constraints, PairwiseConstraints):
        raise TypeError(f"constraints must be PairwiseConstraints, got {quoted(constraints)}")
    elif constraints.n_samples != n_samples:
        raise ValueError(
            f"constraints and encoding must have the same number of samples, got {constraints.n_samples} and "
            f"{n_samples}; create PairwiseConstraints(must_link, cannot_link, n_samples={n_samples})"
        )


def _operators() -> Any:
    return importlib.import_module("moo_clustering.operators")


def registered_operators(problem: Any, algorithm: type[Any] | None = None) -> dict[str, Any]:
    """Return the operators registered for the class of the problem or, if there are none, its encoding."""
    # The operators are registered when their modules are imported.
    operators = _operators()
    for name in operators.__all__:
        getattr(operators, name)
    for part in (problem, getattr(problem, "encoding", None)):
        for kind in type(part).__mro__:
            if kind in OPERATOR_MAKERS:
                return OPERATOR_MAKERS[kind](problem, algorithm)
    raise TypeError(
        f"{type(problem).__name__} has no known operators; set its encoding attribute to an "
        "Encoding, or pass sampling, crossover and mutation to the algorithm"
    )


class LeastClusterSize:
    """Inequality: the minimum size minus the size of the smallest cluster. A missing cluster has size 0."""

    def __init__(self, min_cluster_size: int, n_clusters: int) -> None:
        self.min_cluster_size = min_cluster_size
        self.n_clusters = n_clusters

    def __call__(self, labels: Labels) -> NDArray[np.float64]:
        width = max(self.n_clusters, int(labels.max(initial=0)) + 1)
        flat = (labels + np.arange(len(labels))[:, None] * width).ravel()
        sizes = np.bincount(flat, minlength=len(labels) * width).reshape(-1, width)
        least = np.where((sizes > 0) | (np.arange(width) < self.n_clusters), sizes, labels.shape[1])
        return np.asarray(self.min_cluster_size - least.min(axis=1), dtype=np.float64)


class ChunkedProblem(Problem):
    """Wrap a problem to evaluate a population in parallel chunks.

    Chunks are only worthwhile if evaluating a chunk takes at least a second. On a single machine, this
    package's problems already run in parallel. Within ``joblib.parallel_config(backend="dask")``, each worker
    receives the problem's large arrays only once. In each generation, the arrays are checked for changes.

    Parameters
    ----------
    problem : Problem
        Vectorised problem; the wrapper has the same attributes. An elementwise problem raises a TypeError. An
        individual's objectives must not depend on other individuals.
    chunk_size : int, default=50
        Number of individuals per chunk. Results do not depend on the number of workers.
    n_jobs : int, optional
        Number of joblib workers. Default: the value set by :func:`joblib.parallel_config`.

    Examples
    --------
    >>> from moo_clustering.encodings import LabelEncoding
    >>> X = [[0.0], [1.0], [10.0], [11.0]]
    >>> whole = PartitionProblem(X, LabelEncoding(4, k_max=2), ["deviation", "silhouette"])
    >>> problem = ChunkedProblem(whole, chunk_size=1)
    >>> problem.natural(problem.evaluate(np.array([[0, 0, 1, 1], [0, 1, 0, 1]]))).round(3)
    array([[ 2.  ,  0.9 ],
           [20.  , -0.45]])
    """

    def __init__(self, problem: Problem, *, chunk_size: int = 50, n_jobs: int | None = None) -> None:
        self.problem = _arrays.instance("problem", problem, Problem, "a pymoo Problem")
        if problem.elementwise:
            raise TypeError(
                f"problem must evaluate whole populations, but {type(problem).__name__} evaluates one "
                "individual at a time; use an elementwise_runner from pymoo.parallelization instead"
            )
        self.chunk_size = integer("chunk_size", chunk_size)
        self.n_jobs = n_jobs
        copied = ("n_var", "n_obj", "n_ieq_constr", "n_eq_constr", "xl", "xu", "vtype")
        super().__init__(**{name: getattr(problem, name) for name in copied})

    def _evaluate(self, X: ArrayLike, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        genes = np.atleast_2d(np.asarray(X))
        chunks = [genes[lo : lo + self.chunk_size] for lo in range(0, max(len(genes), 1), self.chunk_size)]
        # One thread makes results reproducible, because the order of summation depends on the number of
        # threads.
        with one_thread("blas"):
            results = run_calls(
                (delayed(_evaluated)(os.getpid(), self.problem, chunk, args, kwargs) for chunk in chunks),
                n_jobs=self.n_jobs,
                prefer="threads",
            )
        for name in results[0]:
            out[name] = np.concatenate([result[name] for result in results])

    def __getattr__(self, name: str) -> Any:
        # copy and pickle look up methods before ``problem`` is set, which must not cause a recursion.
        if name.startswith("__") or "problem" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.problem, name)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        new = copy.copy(self)
        new.problem = copy.deepcopy(self.problem, memo)
        return new


def _evaluated(
    caller: int, problem: Problem, X: NDArray[Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, NDArray[Any]]:
    out: dict[str, Any] = {}
    # In the caller's process, BLAS is already limited for all threads.
    with one_thread("blas") if os.getpid() != caller else nullcontext():
        problem._evaluate(X, out, *args, **kwargs)
    return {name: np.asarray(values) for name, values in out.items() if values is not None}


def pymoo_result(problem: Problem, pop: Population, opt: Population | None = None) -> Result:
    """Return a pymoo result for an evaluated population; ``opt`` defaults to the non-dominated members."""
    result = Result()
    result.problem, result.pop, result.success = problem, pop, True
    result.opt = pop[non_dominated(pop.get("F"))] if opt is None else opt
    result.X, result.F = result.opt.get("X", "F")
    return result


def evaluated_population(**values: NDArray[Any]) -> Population:
    """Build a pymoo Population from genes ``X``, objectives ``F`` and other values."""
    pop = Population.new(**values)
    pop.apply(lambda individual: individual.evaluated.update(values))
    return pop
