"""The table of methods by short name, as the command lists them."""

from __future__ import annotations

import importlib
import json
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from importlib.resources import files
from types import MappingProxyType
from typing import Any

__all__ = ["METHODS", "Method", "find_method", "get_method"]

RECOMMENDED = "pareto-clustering"
RECOMMENDED_FOR_BAGS = "pareto-bags"


@dataclass(frozen=True)
class Method:
    """A clustering method as the command ``moo-clustering`` knows it.

    A package adds its own to the command by an entry point of the group ``moo_clustering.methods`` whose
    object is a ``Method``.

    Parameters
    ----------
    name : str
        Short name, lower case with hyphens.
    class_name : str
        Estimator in ``module``.
    paper : str
        Paper that describes the method.
    summary : str
        One line on the method.
    needs : str
        Data and knowledge that it works on.
    aliases : mapping of str to mapping
        The papers' names of its variants, and the options that make each.
    supervision : tuple of str
        Knowledge that ``fit`` takes besides the data: ``"labels"`` (partial, one per sample),
        ``"label_sets"`` (partial, any number per sample), ``"pairs"``.
    sparse : bool
        Whether ``fit`` takes a sparse matrix, as the term weights of documents are.
    bags : bool
        Whether ``fit`` takes bags of instances, of which a table of samples is a special case.
    stems : bool
        Whether it is made for documents, of which it takes the tf-idf weights of stems.
    presence : bool
        Whether it is made for documents, of which it takes which words are in them, as 0 and 1.
    categorical : bool
        Whether ``fit`` takes a data frame with columns of categories.
    equal_columns : bool
        Whether the columns of a table, also of numbers alone, get equal weights before the fit.
    evolves_with : mapping
        Options with whose values alone there are generations; empty if there always are, or never.
    module : str
        Where the estimator is imported from.
    """

    name: str
    class_name: str
    paper: str
    summary: str
    needs: str
    aliases: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, hash=False)
    supervision: tuple[str, ...] = ()
    sparse: bool = False
    bags: bool = False
    stems: bool = False
    presence: bool = False
    categorical: bool = False
    equal_columns: bool = False
    evolves_with: Mapping[str, Any] = field(default_factory=dict, hash=False)
    module: str = "moo_clustering.estimators"

    def __post_init__(self) -> None:
        frozen = {alias: MappingProxyType(dict(options)) for alias, options in self.aliases.items()}
        object.__setattr__(self, "aliases", MappingProxyType(frozen))
        object.__setattr__(self, "evolves_with", MappingProxyType(dict(self.evolves_with)))

    def load(self) -> type[Any]:
        """The estimator's class."""
        return getattr(importlib.import_module(self.module), self.class_name)


def _read_methods() -> dict[str, Method]:
    """The methods of this package in ``methods.json``, in the order in which the command lists them."""

    def tuples(entry: dict[str, Any]) -> dict[str, Any]:
        return {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}

    text = files("moo_clustering.estimators").joinpath("methods.json").read_text(encoding="utf-8")
    return {entry["name"]: Method(**entry) for entry in json.loads(text, object_hook=tuples)}


METHODS = _read_methods()


def _add_installed(methods: dict[str, Method]) -> None:
    """Add the methods that other packages declare; one that fails is told of and left out."""
    for entry in entry_points(group="moo_clustering.methods"):
        try:
            method = entry.load()
            if not isinstance(method, Method):
                raise TypeError(f"{entry.value} is a {type(method).__name__}, not a Method")
            if method.name in methods:
                raise ValueError(f"there is a method {method.name!r} already; give yours another name")
        except Exception as error:
            warnings.warn(f"the method {entry.name!r} of another package is left out: {error}", stacklevel=2)
        else:
            methods[method.name] = method


_add_installed(METHODS)


def get_method(name: str) -> Method:
    """The method of a name or alias; case, hyphens and underscores do not matter.

    Raises
    ------
    ValueError
        When there is none; the message names the nearest.
    """
    return find_method(name)[0]


def find_method(name: str) -> tuple[Method, dict[str, Any]]:
    """The method of a name or alias, and the options that the alias stands for."""
    wanted = _plain(name)
    for method in METHODS.values():
        if wanted in {_plain(method.name), _plain(method.class_name)}:
            return method, {}
        for alias, options in method.aliases.items():
            if wanted == _plain(alias):
                return method, dict(options)
    # Imported here because the list of methods must not wait for NumPy.
    from moo_clustering._arrays import did_you_mean

    known = [*METHODS, *(alias for method in METHODS.values() for alias in method.aliases)]
    raise ValueError(
        f"unknown method {name!r}; known are {', '.join(METHODS)} and aliases{did_you_mean(name, known)}"
    )


def _plain(name: str) -> str:
    return name.casefold().replace("_", "").replace("-", "").replace(" ", "")
