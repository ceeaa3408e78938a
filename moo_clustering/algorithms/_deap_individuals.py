"""Individuals of a DEAP toolbox from and as flat rows."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np
from deap import base

from moo_clustering.operators.deap._genes import put_genes

_FITNESS = "fitness."
_ATTRIBUTE = "attribute."


def flatten(individual: Any) -> dict[str, Any]:
    """Genes, fitness and other attributes of an individual, for ``to_columns``."""
    row = {
        "genes": np.array(individual),
        "wvalues": np.array(individual.fitness.wvalues, dtype=np.float64),
    }
    fitness = {k: v for k, v in vars(individual.fitness).items() if k != "wvalues"}
    own = {k: v for k, v in vars(individual).items() if k != "fitness"}
    row |= {_FITNESS + key: value for key, value in fitness.items()}
    return row | {_ATTRIBUTE + key: value for key, value in own.items()}


def unflatten(row: Mapping[str, Any], toolbox: base.Toolbox) -> Any:
    """The individual of which :func:`flatten` made a row."""
    individual = _of_genes(row["genes"], toolbox)
    for key, value in row.items():
        if key.startswith(_FITNESS):
            setattr(individual.fitness, key.removeprefix(_FITNESS), value)
        elif key.startswith(_ATTRIBUTE):
            setattr(individual, key.removeprefix(_ATTRIBUTE), value)
    # what DEAP keeps and compares, taken as it was instead of through a division and a product
    individual.fitness.wvalues = tuple(row["wvalues"].tolist())
    return individual


def new_population(toolbox: base.Toolbox, n: int, rng: np.random.Generator) -> list[Any]:
    """``toolbox.population(n=n, rng=rng)``, or without ``rng`` where it does not take one."""
    options = {"n": n, "rng": rng} if _can_take(toolbox.population, n=n, rng=rng) else {"n": n}
    return list(toolbox.population(**options))


def _of_genes(genes: Any, toolbox: base.Toolbox) -> Any:
    if callable(from_genes := getattr(toolbox, "from_genes", None)):
        return from_genes(genes)
    if _can_take(toolbox.individual, genes):
        return toolbox.individual(genes)
    individual = toolbox.individual()  # a random one, as in DEAP's own examples
    put_genes(individual, genes)
    return individual


def _can_take(function: Any, *args: Any, **keywords: Any) -> bool:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return True
    try:
        signature.bind(*args, **keywords)
    except TypeError:
        return False
    return True
