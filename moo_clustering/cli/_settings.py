"""Options of a method, from ``--set name=value`` and the flags."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from moo_clustering._suggest import did_you_mean

# Parameters that have a flag of their own.
FLAGS = {
    "n_clusters": "-k",
    "random_state": "--seed",
    "n_jobs": "--jobs",
    "verbose": "--quiet",
    "checkpoint": "--out and --checkpoint-every",
    "checkpoint_every": "--checkpoint-every",
    "resume": "--resume",
}
# Parameters whose flag is short for --set.
SHORT = {"n_gen": "--generations", "min_cluster_size": "--min-cluster-size"}


def parameters_of(estimator_class: type[Any]) -> Mapping[str, inspect.Parameter]:
    """Parameters of the constructor, in order."""
    return inspect.signature(estimator_class).parameters


def parse_settings(settings: Sequence[str], method: str, estimator_class: type[Any]) -> dict[str, Any]:
    """Options and their values.

    A value is read as a Python literal (numbers, True, None, lists, quoted text) and otherwise
    taken as text.

    Raises
    ------
    ValueError
        For settings that are no ``name=value``, unknown or repeated names, and parameters with a
        flag of their own.
    """
    parameters = parameters_of(estimator_class)
    allowed = [name for name in parameters if name not in FLAGS]
    options: dict[str, Any] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        name = name.strip()
        if not equals or not name:
            raise ValueError(f"--set takes name=value, got {setting!r}")
        if name in FLAGS and name in parameters:
            raise ValueError(f"{name} is not given with --set but with {FLAGS[name]}")
        if name not in parameters:
            hint = did_you_mean(name, allowed) or f"; `moo-clustering methods {method}` lists its options"
            raise ValueError(f"method {method} has no option {name!r}{hint}")
        if name in options:
            raise ValueError(f"--set gives {name} twice")
        options[name] = _value(text.strip())
    return options


def short_settings(
    method: str, estimator_class: type[Any], given: Mapping[str, Any], **shortcuts: Any
) -> dict[str, Any]:
    """Options that have a flag of their own beside ``--set``, of those whose flag was used.

    Raises
    ------
    ValueError
        When the method has no such option, or ``--set`` gives it too.
    """
    options = {name: value for name, value in shortcuts.items() if value is not None}
    for name in options:
        if name not in parameters_of(estimator_class):
            raise ValueError(f"method {method} takes no {SHORT[name]}")
        if name in given:
            raise ValueError(f"{SHORT[name]} and --set {name}=... give the same option")
    return options


def _value(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text
