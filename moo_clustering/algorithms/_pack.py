"""Attribute values of an algorithm as JSON and arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from pymoo.core.individual import Individual
from pymoo.core.population import Population

from moo_clustering.algorithms._columns import NotStorableError
from moo_clustering.algorithms._rng_state import rng_from_state, rng_state

_FIELDS = ("_X", "_F", "_G", "_H", "_dF", "_dG", "_dH", "_ddF", "_ddG", "_ddH", "_CV")
_EVALUATED = "evaluated."  # no field has a dot
_DATA = "data."


class Packer:
    """Turns values into JSON; arrays and individuals go to tables beside it.

    Individuals that several populations share (population, optimum, archive) are one row of the
    table, and one object again after unpacking.

    Parameters
    ----------
    rng : Generator
        The generator of the run, which is saved elsewhere and only referred to.

    Attributes
    ----------
    individuals : list of Individual
        The table, in the order of first mention.
    n_references : int
        How often any of them was mentioned.
    """

    def __init__(self, rng: np.random.Generator | None) -> None:
        self.individuals: list[Individual] = []
        self.n_references = 0
        self._rows: dict[int, int] = {}
        self._rng = rng

    def pack(self, value: Any, arrays: list[Any]) -> Any:
        """JSON of a value, whose arrays are appended to ``arrays``.

        Raises
        ------
        NotStorableError
            For objects that are no plain data.
        """
        if value is None or type(value) in (bool, int, float, str):
            return value
        if isinstance(value, Population):
            return {
                "population": self._append(np.array([self._row(i) for i in value], dtype=np.int64), arrays)
            }
        if isinstance(value, Individual):
            return {"individual": self._row(value)}
        if isinstance(value, np.random.Generator):
            return {"rng": None if value is self._rng else rng_state(value)}
        if isinstance(value, np.generic) and not value.dtype.hasobject:
            return {"scalar": self._append(np.asarray(value), arrays)}
        if type(value) is np.ndarray and not value.dtype.hasobject:
            return {"array": self._append(value, arrays)}
        if type(value) in (list, tuple, set):
            return {type(value).__name__: [self.pack(item, arrays) for item in value]}
        if type(value) is dict:
            return {"dict": [[self.pack(k, arrays), self.pack(v, arrays)] for k, v in value.items()]}
        raise NotStorableError(f"a {type(value).__module__}.{type(value).__qualname__} is no plain data")

    def rows(self) -> list[dict[str, Any]]:
        """Every individual packed so far as a flat mapping, for ``to_columns``."""
        return [_flatten(individual) for individual in self.individuals]

    def _row(self, individual: Individual) -> int:
        self.n_references += 1
        row = self._rows.setdefault(id(individual), len(self.individuals))
        if row == len(self.individuals):
            self.individuals.append(individual)
        return row

    def _append(self, array: Any, arrays: list[Any]) -> int:
        arrays.append(array)
        return len(arrays) - 1


class Unpacker:
    """The way back.

    Parameters
    ----------
    rows : sequence of mappings
        From ``from_columns``.
    rng : Generator
        The generator of the run.
    """

    def __init__(self, rows: Sequence[Mapping[str, Any]], rng: np.random.Generator | None) -> None:
        self.individuals = [_unflatten(row) for row in rows]
        self._rng = rng

    def unpack(self, packed: Any, arrays: Sequence[Any], current: Any = None) -> Any:
        """The value that was packed.

        Parameters
        ----------
        packed : object
            JSON from :meth:`Packer.pack`.
        arrays : sequence of ndarray
        current : object, optional
            What stands in its place now: an archive keeps its kind and settings.
        """
        if not isinstance(packed, dict):
            return packed
        [(kind, content)] = packed.items()
        if kind == "population":
            return self._population(arrays[content], current)
        if kind == "individual":
            return self.individuals[content]
        if kind == "rng":
            return self._rng if content is None else rng_from_state(content)
        if kind == "scalar":
            return arrays[content][()]
        if kind == "array":
            return arrays[content]
        items = [
            tuple(self.unpack(i, arrays) for i in item) if kind == "dict" else self.unpack(item, arrays)
            for item in content
        ]
        return {"list": list, "tuple": tuple, "set": set, "dict": dict}[kind](items)

    def _population(self, rows: Any, current: Any) -> Population:
        members = np.empty(len(rows), dtype=object)
        members[:] = [self.individuals[row] for row in rows]
        population = members.view(type(current) if isinstance(current, Population) else Population)
        population.__dict__.update(
            getattr(current, "__dict__", {}) if isinstance(current, Population) else {}
        )
        return population


def _flatten(individual: Individual) -> dict[str, Any]:
    if type(individual) is not Individual:
        raise NotStorableError(f"individuals of the class {type(individual).__qualname__} cannot be saved")
    row = {name.lstrip("_"): getattr(individual, name) for name in _FIELDS}
    row = {name: value for name, value in row.items() if value is not None and np.size(value)}
    row |= {_EVALUATED + str(name): True for name in individual.evaluated}
    return row | {_DATA + str(name): value for name, value in individual.data.items()}


def _unflatten(row: Mapping[str, Any]) -> Individual:
    individual = Individual()
    for name, value in row.items():
        if name.startswith(_EVALUATED):
            individual.evaluated.add(name.removeprefix(_EVALUATED))
        elif name.startswith(_DATA):
            individual.data[name.removeprefix(_DATA)] = value
        else:
            setattr(individual, f"_{name}", value)
    return individual
