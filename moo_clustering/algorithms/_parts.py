"""The parts of a pymoo algorithm and where they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from pymoo.core.algorithm import Algorithm
from pymoo.core.callback import Callback
from pymoo.core.individual import Individual
from pymoo.core.problem import Problem
from pymoo.core.termination import Termination

from moo_clustering.algorithms._search import Checkpointable

Step = tuple[str, Any]
Path = tuple[Step, ...]

# What the run replaces anyway or what does not bear on its course.
_TRANSIENT = {
    "problem",
    "initialization",
    "off",
    "random_state",
    "seed",
    "start_time",
    "history",
    "verbose",
    "save_history",
    "display",
    "output",
    "callback",
    "termination",
}
# What is saved of an algorithm that otherwise saves itself.
_CORE = {"pop", "opt", "n_iter", "is_initialized"}
_STATEFUL_MODULES = ("pymoo.", "moo_clustering.operators.", "moo_clustering.algorithms.")


def walk(algorithm: Algorithm) -> Iterator[tuple[Path, str, Any]]:
    """Everything that may hold state of a run, owners before what they own.

    Yields
    ------
    path : tuple of (kind, name)
        ``("attribute", name)`` and ``("item", key)`` steps from the algorithm.
    what : str
        ``"part"`` for objects of pymoo's and this package's operator classes and for lists, tuples and
        dictionaries of such; ``"hook"`` for those that save their own attributes; ``"leaf"`` for the
        attributes of the others.
    value : object
    """
    seen = {id(algorithm)}
    # plain values (None, True, small integers) have one id everywhere and belong to nobody
    constant = {
        id(value)
        for value in vars(algorithm.problem).values()
        if isinstance(value, np.ndarray) or hasattr(value, "__dict__")
    }
    saves_itself = isinstance(algorithm, Checkpointable)
    if saves_itself:
        yield (), "hook", algorithm
    for name, value in list(vars(algorithm).items()):
        if name not in _TRANSIENT:
            skip_leaf = saves_itself and name not in _CORE
            yield from _walk((("attribute", name),), value, seen, constant, skip_leaf=skip_leaf)


def current(owner: Any, step: Step) -> Any:
    """What a step leads to; None for an attribute that is not there."""
    kind, name = step
    return getattr(owner, name, None) if kind == "attribute" else owner[name]


def assign(owner: Any, step: Step, value: Any) -> None:
    """Put a value where a step leads."""
    kind, name = step
    if kind == "attribute":
        setattr(owner, name, value)
    else:
        owner[name] = value


def shape_of(part: Any) -> Any:
    """What must not change of a part, because only its attributes are put back."""
    return (type(part), len(part)) if _is_container(part) else type(part)


def _walk(
    path: Path, value: Any, seen: set[int], constant: set[int], *, skip_leaf: bool
) -> Iterator[tuple[Path, str, Any]]:
    if id(value) in constant or isinstance(value, (Problem, Callback, Termination)):
        return
    inside: list[tuple[Step, Any]]
    if _is_part(value):
        inside = [(("attribute", name), item) for name, item in vars(value).items()]
        saves_itself = isinstance(value, Checkpointable)
    elif _holds_parts(value):
        inside = _items(value)
        saves_itself = skip_leaf
    else:
        if not skip_leaf:
            yield path, "leaf", value
        return
    if id(value) in seen:
        return
    seen.add(id(value))
    yield path, "part", value
    if isinstance(value, Checkpointable):
        yield path, "hook", value
    for step, item in inside:
        yield from _walk((*path, step), item, seen, constant, skip_leaf=saves_itself)


def _is_part(value: Any) -> bool:
    if isinstance(value, (type, np.ndarray, Individual, np.random.Generator)) or not hasattr(
        value, "__dict__"
    ):
        return False
    return any(f"{kind.__module__}.".startswith(_STATEFUL_MODULES) for kind in type(value).__mro__)


def _is_container(value: Any) -> bool:
    return type(value) in (list, tuple, dict)


def _holds_parts(value: Any) -> bool:
    return _is_container(value) and any(_is_part(item) or _holds_parts(item) for _, item in _items(value))


def _items(container: Any) -> list[tuple[Step, Any]]:
    pairs = container.items() if isinstance(container, dict) else enumerate(container)
    return [(("item", key), value) for key, value in pairs]
