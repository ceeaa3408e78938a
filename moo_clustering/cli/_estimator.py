"""The estimator that the command line describes."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from moo_clustering.cli._settings import FLAGS, SHORT, parameters_of
from moo_clustering.estimators._registry import Method


def build_estimator(
    method: Method,
    estimator_class: type[Any],
    options: Mapping[str, Any],
    *,
    n_clusters: int | None,
    seed: int,
    n_jobs: int | None,
    verbose: bool,
    checkpoint: Path | None = None,
    checkpoint_every: int | None = None,
) -> Any:
    """The estimator with the options and what the flags say.

    Raises
    ------
    ValueError
        When the method needs a flag that was not given, or has no use for one that was.
    """
    known = parameters_of(estimator_class)
    given: dict[str, Any] = {"random_state": seed, "verbose": verbose}
    if n_clusters is not None:
        given["n_clusters"] = n_clusters
    if n_jobs is not None:
        given["n_jobs"] = n_jobs
    if checkpoint is not None:
        given |= {"checkpoint": str(checkpoint), "resume": True}
        if checkpoint_every is not None:
            given["checkpoint_every"] = checkpoint_every
        if "checkpoint" not in known:
            raise ValueError(
                f"method {method.name} writes no checkpoints, so --checkpoint-every and --resume do not apply"
            )
    _require_generations(method, known, options, given)
    if checkpoint is not None and "n_gen" in known and options.get("n_gen", known["n_gen"].default) == 0:
        raise ValueError(
            f"method {method.name} has no generations without --generations, and no use for "
            "--checkpoint-every or --resume"
        )
    for name in given:
        if name == "n_clusters" and name not in known and "k_max" in known:
            raise ValueError(
                f"method {method.name} finds the number of clusters itself and takes no -k; "
                "bound it with --set k_max=..."
            )
        if name not in known and name not in {"random_state", "verbose"}:
            raise ValueError(f"method {method.name} takes no {FLAGS[name]}")
    required = {name for name, parameter in known.items() if parameter.default is parameter.empty}
    for name in sorted(required - given.keys() - options.keys()):
        raise ValueError(
            f"method {method.name} needs the number of clusters: give it with -k"
            if name == "n_clusters"
            else f"method {method.name} needs the option {name}: give it with --set {name}=..."
        )
    return estimator_class(**options, **{name: value for name, value in given.items() if name in known})


def writes_checkpoints(method: Method, values: Mapping[str, Any]) -> bool:
    """Whether a fit with these values of all parameters has generations that it can go on from."""
    return (
        "checkpoint" in values
        and values.get("n_gen", 1) != 0
        and all(values[name] == value for name, value in method.evolves_with.items())
    )


def _require_generations(
    method: Method,
    known: Mapping[str, inspect.Parameter],
    options: Mapping[str, Any],
    given: Mapping[str, Any],
) -> None:
    """No number of generations and no checkpoints of them where there are none."""
    for name, value in method.evolves_with.items():
        found = options.get(name, known[name].default)
        for flag, is_given in (
            (SHORT["n_gen"], "n_gen" in options),
            ("--checkpoint-every or --resume", "checkpoint" in given),
        ):
            if is_given and found != value:
                raise ValueError(
                    f"method {method.name} has no generations with {name}={found}, and no use for {flag}; "
                    f"it has both with --set {name}={value}"
                )
