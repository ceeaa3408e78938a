"""Methods by short name; their classes are imported when asked for."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from moo_clustering._suggest import did_you_mean


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
        What ``fit`` takes besides the data: ``"labels"`` (partial ones), ``"pairs"``.
    sparse : bool
        Whether ``fit`` takes a sparse matrix, as the term weights of documents are.
    """

    name: str
    class_name: str
    paper: str
    summary: str
    needs: str
    aliases: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, hash=False)
    supervision: tuple[str, ...] = ()
    sparse: bool = False

    def __post_init__(self) -> None:
        frozen = {alias: MappingProxyType(dict(options)) for alias, options in self.aliases.items()}
        object.__setattr__(self, "aliases", MappingProxyType(frozen))

    def load(self) -> type[Any]:
        """The estimator's class."""
        module = importlib.import_module("moo_clustering.estimators")
        return getattr(module, self.class_name)


_PESC_PAPER = "Pareto ensemble-based spectral clustering (PESC)"

METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method(
            name="pesc",
            class_name="PESC",
            paper=_PESC_PAPER,
            summary="spectral clustering of a graph merged from a Pareto front of neighbour graphs",
            needs="numeric features or precomputed distances, and the number of clusters",
            aliases={
                "PESC_ES1": {"ensemble": "es1"},
                "PESC_ES2": {"ensemble": "es2"},
                "PESC_ES3": {"ensemble": "es3"},
                "PESC-paper": {"operators": "rank", "laplacian": "unnormalized", "list_width": "full"},
            },
            supervision=("labels", "pairs"),
        ),
        Method(
            name="spectral-graph",
            class_name="SpectralGraphClustering",
            paper=f"the conventional similarity graphs that the PESC paper compares with; {_PESC_PAPER}",
            summary="spectral clustering of a k-nearest-neighbour, epsilon, full or water-filling graph",
            needs="numeric features or precomputed distances, and the number of clusters",
            aliases={
                "kNN": {"graph": "knn"},
                "mutual-kNN": {"graph": "mutual_knn"},
                "epsilon-neighborhood": {"graph": "epsilon"},
                "fully-connected": {"graph": "full"},
                "water-filling": {"graph": "waterfill"},
            },
            supervision=("labels", "pairs"),
        ),
    )
}


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
    known = [*METHODS, *(alias for method in METHODS.values() for alias in method.aliases)]
    raise ValueError(
        f"unknown method {name!r}; known are {', '.join(METHODS)} and aliases{did_you_mean(name, known)}"
    )


def _plain(name: str) -> str:
    return name.casefold().replace("_", "").replace("-", "").replace(" ", "")
