"""METIS, where pymetis is installed."""

from __future__ import annotations

import functools
import importlib
import logging
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from moo_clustering.validity._hyperedges import FloatArray

_LOG = logging.getLogger("moo_clustering.consensus")

# Sums of weights have to fit the 32-bit integers of some builds of METIS.
_LARGEST_SUM = 2**30


def use_metis(partitioner: str, fallback: str, function: str) -> bool:
    """Whether METIS is to do it: asked for by name, or with "auto" if it can be imported.

    Raises
    ------
    ImportError
        If it is asked for and not there.
    """
    if partitioner == "metis":
        if _load() is None:
            raise ImportError(
                f"{function} with METIS needs pymetis: install moo_clustering[metis], or choose "
                f"{fallback!r} instead."
            )
        return True
    if partitioner != "auto":
        return False
    available = _load() is not None
    _say_once(
        f"{function}(partitioner='auto') uses "
        + ("METIS." if available else f"{fallback!r}, since pymetis is not installed.")
    )
    return available


def metis_parts(
    graph: sp.csr_array, n_parts: int, *, vertex_weights: FloatArray | None = None, seed: int
) -> NDArray[np.intp]:
    """Parts of about equal weight between which few edges run.

    Parameters
    ----------
    graph : csr_array of shape (n_vertices, n_vertices)
        Symmetric, weights >= 0, empty diagonal. METIS takes integers: weights in ten-thousandths,
        coarser in graphs where their sum would overflow.
    n_parts : int
        No fewer vertices than parts, or every vertex is a part.
    vertex_weights : ndarray of shape (n_vertices,), optional
        Default 1.
    seed : int
        Non-negative.
    """
    n_vertices = graph.shape[0]
    if n_parts == 1 or n_vertices <= n_parts:
        return np.zeros(n_vertices, dtype=np.intp) if n_parts == 1 else np.arange(n_vertices)
    edges = sp.csr_array(
        (_integers(graph.data, 10_000.0), graph.indices, graph.indptr), shape=graph.shape, copy=True
    )
    edges.eliminate_zeros()
    sizes = None if vertex_weights is None else np.maximum(_integers(vertex_weights, 1000.0), 1)
    pymetis = _load()
    _, parts = pymetis.part_graph(
        int(n_parts),
        pymetis.CSRAdjacency(edges.indptr.astype(np.int64), edges.indices.astype(np.int64)),
        vweights=sizes,
        eweights=edges.data,
        recursive=False,
        options=pymetis.Options(seed=seed),
    )
    return np.asarray(parts, dtype=np.intp)


def metis_seed(sequence: np.random.SeedSequence) -> int:
    """A seed METIS takes."""
    return int(sequence.generate_state(1)[0] >> 1)


def _integers(values: FloatArray, scale: float) -> NDArray[np.int64]:
    """Multiples of 1 / scale; whole numbers that fit stay as they are."""
    total = max(float(values.sum()), 1e-300)
    if total <= _LARGEST_SUM and np.array_equal(values, np.rint(values)):
        scale = 1.0
    return np.rint(values * min(scale, _LARGEST_SUM / total)).astype(np.int64)


def _load() -> Any:
    try:
        return importlib.import_module("pymetis")
    except ImportError:
        return None


@functools.cache
def _say_once(message: str) -> None:
    _LOG.info(message)
