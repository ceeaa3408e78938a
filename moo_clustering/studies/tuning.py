"""Tuning: choose a method's parameters on some of a study's data sets, and test it on the others."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, clone

from moo_clustering._arrays import did_you_mean, integer, optional_package, quoted
from moo_clustering.studies.cells import takes


@dataclass(frozen=True, eq=False)
class Tuning:
    """Result of :meth:`Study.tune`.

    Parameters
    ----------
    name : str
        Name of the tuned method in the study.
    parameters : DataFrame
        Chosen parameters, one row per test data set.
    trials : DataFrame
        ``chosen_on`` (names of data sets), ``trial``, parameters, ``score``, and ``error`` of failed trials.
    text : str
        Sentences that state the chosen parameters and the data sets on which they were chosen.
    methods : dict of str to method
        Tuned method for each test data set.
    """

    name: str
    parameters: pd.DataFrame
    trials: pd.DataFrame
    text: str
    methods: dict[str, Any]

    def __str__(self) -> str:
        return self.text


def splits(on: Any, data: Sequence[str]) -> dict[tuple[str, ...], list[str]]:
    """Map each tuple of tuning data sets to the data sets on which the tuned method is tested."""
    if isinstance(on, str) and on == "others":
        if len(data) < 2:
            raise ValueError('on="others" requires at least two data sets, got one')
        return {tuple(name for name in data if name != test): [test] for test in data}
    listed = None if isinstance(on, str) or not isinstance(on, Sequence) else list(dict.fromkeys(on))
    if not listed:
        allowed = f'"others" or a list of data set names, such as {[*data][:1]}'
        raise ValueError(f"on must be {allowed}, got {quoted(on)}")
    for name in listed:
        if name not in data:
            hint = did_you_mean(name, data) if isinstance(name, str) else ""
            raise ValueError(f"on contains an unknown data set, {quoted(name)}{hint}; use {', '.join(data)}")
    if not (tests := [name for name in data if name not in listed]):
        raise ValueError('on contains all data sets, so none is left to test; omit one or use on="others"')
    return {tuple(listed): tests}


def drawn_by(space: Any) -> dict[str, Callable[[Any], Any]]:
    """Return, for each parameter, a function that draws its value for an optuna trial."""
    if not isinstance(space, Mapping) or not space:
        expected = 'a non-empty mapping such as {"n_clusters": (2, 10)}'
        raise ValueError(f"space must be {expected}, got {quoted(space)}")
    return {str(name): _draw(str(name), domain) for name, domain in space.items()}


def _draw(name: str, domain: Any) -> Callable[[Any], Any]:
    if isinstance(domain, list) and domain:
        # Choices are suggested by their index, because optuna can store only numbers and strings.
        return lambda trial: domain[trial.suggest_categorical(name, list(range(len(domain))))]
    ends, rest = (domain[:2], domain[2:]) if isinstance(domain, tuple) else ((), ())
    numbers = all(isinstance(end, Real) and not isinstance(end, bool) for end in ends)
    if len(ends) != 2 or not numbers or rest not in ((), ("log",)):
        expected = '(low, high), (low, high, "log") or a non-empty list of choices'
        raise ValueError(f"space[{name!r}] must be {expected}, got {quoted(domain)}")
    low, high = ends
    if not (np.isfinite([low, high]).all() and low < high and (not rest or low > 0)):
        needs = "0 < low < high" if rest else "low < high"
        raise ValueError(f"space[{name!r}] must have finite ends with {needs}, got {quoted(domain)}")
    if isinstance(low, Integral) and isinstance(high, Integral):
        return lambda trial: trial.suggest_int(name, int(low), int(high), log=bool(rest))
    return lambda trial: trial.suggest_float(name, float(low), float(high), log=bool(rest))


def check_parameters(method: Any, names: Sequence[str], fixed: Sequence[str]) -> None:
    """Raise a ValueError if the method lacks a parameter, or if the study sets the parameter itself."""
    for name in names:
        if name.rpartition("__")[2] in fixed:
            raise ValueError(f"the study sets {name}, so it cannot be tuned; remove it from the space")
        known = sorted(method.get_params()) if isinstance(method, BaseEstimator) else None
        if not (takes(method, name) if known is None else name in known):
            raise ValueError(f"the method has no parameter {name!r}{did_you_mean(name, known or [])}")


def with_parameters(method: Any, parameters: Mapping[str, Any]) -> Any:
    if isinstance(method, BaseEstimator):
        return clone(method).set_params(**parameters)
    return partial(method, **parameters)


def search(
    space: Mapping[str, Any], score: Callable[[Any], float | str], *, greater: bool, n_trials: int, seed: int
) -> list[dict[str, Any]]:
    """Run trials with optuna's TPE sampler. Return each trial's parameters and ``score`` or ``error``."""
    # The search depends only on the seed and the scores, so that saved scores suffice to replay the search.
    optuna = optional_package("optuna", "tune", "Study.tune")
    found: list[dict[str, Any]] = []
    level = optuna.logging.get_verbosity()
    try:
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        sampler = optuna.samplers.TPESampler(seed=integer("seed", seed, 0, 2**32 - 1))
        study = optuna.create_study(direction="maximize" if greater else "minimize", sampler=sampler)
        for number in range(integer("n_trials", n_trials, 1)):
            trial = study.ask()
            parameters = {name: draw(trial) for name, draw in space.items()}
            value = score(parameters)
            outcome: dict[str, Any] = {"score": value}
            if isinstance(value, str) or not np.isfinite(value):
                study.tell(trial, state=optuna.trial.TrialState.FAIL)
                outcome = {"error": value if isinstance(value, str) else "the score is undefined"}
            else:
                study.tell(trial, value)
            found.append({"trial": number, **parameters, **outcome})
    finally:
        optuna.logging.set_verbosity(level)
    return found


def best_of(trials: Sequence[Mapping[str, Any]], greater: bool) -> Mapping[str, Any]:
    """Return the first of the best trials. Raises a ValueError if all trials failed."""
    if not (done := [trial for trial in trials if "score" in trial]):
        raise ValueError(f"all {len(trials)} trials failed, the first with: {trials[0]['error']}")
    return (max if greater else min)(done, key=lambda trial: float(trial["score"]))
