"""What a method of the PESC tables is given, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from moo_clustering.graphs import spectral_embedding

# "paper": unnormalised Laplacian and what else is printed; "default": the defaults of the estimators. A
# method with nothing to choose has the reading "" and counts for both.
READINGS = {"paper": "as in the paper", "default": "defaults"}

# The paper's sizes. "evaluations" and "long" (generations at most) are those of Fig. 2, "long" that of
# Fig. 4 too.
EFFORT = {"pop_size": 100, "n_gen": 100, "long": 300, "evaluations": 20_000}


class Given(NamedTuple):
    """Data of a run; no more of the classes than ``y`` says.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        Every feature from 0 to 1, constant ones dropped.
    n_clusters : int
    y : ndarray of shape (n_samples,) or None
        Classes of the labelled samples, -1 for others.
    seed : int
    is_nominal : bool
        Whether features are codes.
    effort : mapping from str to int
        As :data:`EFFORT`.
    """

    X: NDArray[np.float64]
    n_clusters: int
    y: NDArray[np.int64] | None
    seed: int
    is_nominal: bool
    effort: Mapping[str, int]

    @property
    def sizes(self) -> dict[str, Any]:
        """Options of a search for its sizes."""
        return {"pop_size": self.effort["pop_size"], "n_gen": self.effort["n_gen"]}


@dataclass(frozen=True, eq=False)
class Graph:
    """A similarity graph and its spectrum, for pictures.

    Parameters
    ----------
    similarity : csr_array of shape (n_samples, n_samples)
    eigenvalues : ndarray
        Smallest of the Laplacian.
    vectors : ndarray of shape (n_samples, n_clusters)
    """

    similarity: sp.csr_array
    eigenvalues: NDArray[np.float64]
    vectors: NDArray[np.float64]

    @classmethod
    def of(cls, model: Any, n_eigenvalues: int = 10) -> Graph:
        """That of a fitted estimator, with eigenvalues of its kind of Laplacian."""
        S = model.similarity_
        values, _ = spectral_embedding(
            S,
            1,
            laplacian=model.laplacian,
            n_eigenvalues=min(n_eigenvalues, S.shape[0]),
            rng=np.random.default_rng(0),
        )
        return cls(S, values, model.embedding_)


class Found(NamedTuple):
    """A partition and what it cost.

    Attributes
    ----------
    labels : ndarray of shape (n_samples,) or (n_candidates, n_samples)
        Of several candidates the best by the classes is taken, as an upper bound.
    seconds : float
        Of the fit, with all that is only needed for the choice.
    gap : float, optional
        Eigengap, for a choice without classes.
    graphs : sequence of Graph, default=()
        One for every candidate.
    """

    labels: NDArray[np.integer[Any]]
    seconds: float
    gap: float | None = None
    graphs: Sequence[Graph] = ()


Run = Callable[[Given, str, str], dict[str, Found]]


def timed(call: Callable[..., Any], *arguments: Any) -> tuple[Any, float]:
    """Result of a call, and its seconds."""
    start = perf_counter()
    result = call(*arguments)
    return result, perf_counter() - start


def fitted(model: Any, given: Given) -> tuple[Any, float]:
    """An estimator of this package, fitted to the data and the known labels, and its seconds."""
    return timed(model.fit, given.X, given.y)
