"""What is known of a clustering method without importing it."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True)
class Method:
    """A clustering method of this package.

    Parameters
    ----------
    name : str
        Short name, lower case with hyphens.
    class_name : str
        Estimator in :mod:`moo_clustering.estimators`.
    paper : str
        Where the method comes from.
    summary : str
        What it does, in one line.
    needs : str
        What data and knowledge it works on.
    aliases : mapping of str to mapping
        The papers' names of its variants, and the options that make each.
    supervision : tuple of str
        What ``fit`` takes besides the data: ``"labels"`` (partial ones, one a sample), ``"label_sets"``
        (partial ones, any number a sample), ``"pairs"``.
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
    prepares : bool
        Whether a table of any columns may be turned into features for it, with empty cells filled.
    evolves_with : mapping
        Options with whose values alone there are generations; empty if there always are, or never.
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
    prepares: bool = False
    evolves_with: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        frozen = {alias: MappingProxyType(dict(options)) for alias, options in self.aliases.items()}
        object.__setattr__(self, "aliases", MappingProxyType(frozen))
        object.__setattr__(self, "evolves_with", MappingProxyType(dict(self.evolves_with)))

    def load(self) -> type[Any]:
        """The estimator's class."""
        module = importlib.import_module("moo_clustering.estimators")
        return getattr(module, self.class_name)
