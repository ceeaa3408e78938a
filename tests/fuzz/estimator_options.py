"""Strategies of options: ends of what is allowed and what lies beyond, misspelt choices, other types."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from hypothesis import strategies as st
from sklearn.utils._param_validation import Interval, StrOptions

# Files and the clock.
LEFT_OUT = {"checkpoint", "checkpoint_every", "resume", "verbose", "max_time"}


def _interval(rule: Interval) -> list[Any]:
    low, high = rule.left, rule.right
    ends = [end for end in (low, high) if end is not None and np.isfinite(end)]
    if rule.type is Integral:
        return [
            *ends,
            *(end - 1 for end in ends),
            *(end + 1 for end in ends),
            True,
            2.0,
            "3",
            np.int64(2),
            None,
        ]
    just = [np.nextafter(float(end), side) for end in ends for side in (-np.inf, np.inf)]
    return [*ends, *just, np.nan, np.inf, 1e300, 1e-300, np.float32(0.5), 1, True, "0.5", None]


def _first(*args: Any, **kwargs: Any) -> int:
    return 0


def _nothing(*args: Any, **kwargs: Any) -> None:
    return None


def option_values(rules: Any) -> list[Any]:
    """Values at the ends of what an option allows, beyond them, and of other types."""
    values: list[Any] = []
    for rule in rules if isinstance(rules, list) else []:
        if isinstance(rule, Interval):
            values += _interval(rule)
        elif isinstance(rule, StrOptions):
            values += sorted(rule.options)
            values += [name[:-1] for name in sorted(rule.options)] + [sorted(rule.options)[0].upper()]
        elif rule == "boolean":
            values += [True, False, np.True_, 1, 0, "yes"]
        elif rule == "array-like" or rule in (list, tuple, range):
            values += [
                [],
                (),
                [1],
                [0],
                ["a"],
                [2, 2],
                [3, 1],
                [np.nan],
                np.array([2, 3]),
                [[1, 2]],
                "text",
                {},
            ]
        elif rule is str:
            values += [
                "",
                "knee",
                "cityblock",
                "correlation",
                "precomputed",
                "cosine",
                "euclidian",
                "mahalanobis",
            ]
        elif rule == "random_state":
            values += RANDOM_STATES
        elif callable(rule) or rule is Integral:
            values += [0, 99, -99, _first, _nothing]
    return [*values, None, -1, {}]


RANDOM_STATES = [None, 0, 2**31, 2**32, 2**70, -1, 1.0, "0", np.int8(3), np.bool_(True), [1, 2]]


def _random_states() -> st.SearchStrategy[Any]:
    made = st.sampled_from([np.random.default_rng, np.random.RandomState, np.random.SeedSequence])
    return st.one_of(st.sampled_from(RANDOM_STATES), made.map(lambda make: make(3)))


@st.composite
def options(draw: Any, constraints: dict[str, Any], n: int) -> dict[str, Any]:
    """One or two options changed, of those with rules."""
    changed: dict[str, Any] = {}
    if draw(st.integers(0, 2)):
        return changed
    names = sorted(set(constraints) - LEFT_OUT)
    for name in draw(st.lists(st.sampled_from(names), max_size=2, unique=True)):
        if name == "random_state":
            changed[name] = draw(_random_states())
        elif name == "n_jobs":
            changed[name] = draw(st.sampled_from([None, 1, 0, 1.5, "1", True]))
        else:
            changed[name] = draw(st.sampled_from(option_values(constraints[name])))
    if "n_clusters" in constraints and draw(st.integers(0, 2)) == 0:
        counts = [2, 1, n - 1, n, n + 1, 0, -1, True, 2.0, "3", np.int8(2), np.uint64(2), None, [2], 10**30]
        changed["n_clusters"] = draw(st.sampled_from(counts))
    return changed
