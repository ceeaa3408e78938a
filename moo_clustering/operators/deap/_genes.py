"""Genes in and out of DEAP individuals, whatever sequence they are."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

Individual = Any


def copied_genes(individual: Individual, dtype: DTypeLike) -> NDArray[Any]:
    """The genes as one row that shares no memory with the individual."""
    return np.array(individual, dtype=dtype)[None]


def put_genes(individual: Individual, genes: NDArray[Any]) -> None:
    """Write the genes into the individual and delete its fitness."""
    if isinstance(individual, np.ndarray):
        individual[:] = genes
    elif isinstance(individual, array):
        individual[:] = array(individual.typecode, genes.tolist())
    else:
        individual[:] = genes.tolist()
    del individual.fitness.values
