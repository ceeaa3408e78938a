"""PESC with other parameters, and after every few generations, as runs of the PESC figures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from moo_clustering.estimators import PESC
from moo_clustering.experiments.pesc._given import Found, Given, fitted
from moo_clustering.experiments.pesc._searches import pesc_model

# Fig. 1: both probabilities change together, as in the paper, and each alone.
PAIRS = (*((pc, 1 - pc) for pc in (0.5, 0.6, 0.7, 0.8, 0.9)),)
PROBABILITIES = tuple(
    dict.fromkeys(
        f"{pc:.1f} {pm:.1f}"
        for pc, pm in (
            *PAIRS,
            *((pc, 0.1) for pc, _ in PAIRS),
            *((0.9, pm) for _, pm in PAIRS),
        )
    )
)
# Fig. 2.
SIZES = tuple(str(size) for size in range(10, 101, 10))
# Fig. 4: initial population and operators.
STARTS = tuple(
    f"{init} {operators}" for init in ("knn", "random") for operators in ("uniform", "rank", "index")
)
# Populations are merged every 5 generations as in the paper, on large sets less often.
STEP, LARGE_STEP, LARGE = 5, 25, 1000


def probabilities(given: Given, reading: str, setting: str) -> dict[str, Found]:
    """ES2 with other probabilities of crossover and mutation."""
    pc, pm = map(float, setting.split())
    model, seconds = fitted(pesc_model(given, reading, pc=pc, pm=pm), given)
    return {"PESC_ES2": Found(model.labels_, seconds)}


def sizes(given: Given, reading: str, setting: str) -> dict[str, Found]:
    """ES2 with other population sizes, as many generations as the number of evaluations allows."""
    pop_size = int(setting)
    n_gen = min(given.effort["evaluations"] // pop_size, given.effort["long"])
    model, seconds = fitted(pesc_model(given, reading, pop_size=pop_size, n_gen=n_gen), given)
    return {"PESC_ES2": Found(model.labels_, seconds)}


def course(given: Given, reading: str, setting: str) -> dict[str, Found]:
    """ES2 after every few generations."""
    return _course(pesc_model(given, reading), given, given.effort["n_gen"])


def long_course(given: Given, reading: str, setting: str) -> dict[str, Found]:
    """The same for longer, with other initial populations and operators."""
    init, operators = setting.split()
    return _course(pesc_model(given, reading, init=init, operators=operators), given, given.effort["long"])


def generations(n_samples: int, n_gen: int) -> Sequence[int]:
    """Generations after which populations are merged: always the first, the second and the last."""
    step = STEP if n_samples <= LARGE else LARGE_STEP
    return sorted({0, 1, *range(step, n_gen, step), n_gen})


def _course(model: PESC, given: Given, n_gen: int) -> dict[str, Found]:
    """One search that stops to be merged; every stop is what a fit with so many generations gives."""
    found, total = {}, 0.0
    with TemporaryDirectory(prefix="pesc-") as folder:
        model.set_params(checkpoint=Path(folder) / "course.npz", checkpoint_every=max(n_gen, 1), resume=True)
        for generation in generations(len(given.X), n_gen):
            _, seconds = fitted(model.set_params(n_gen=generation), given)
            total += seconds
            found[str(generation)] = Found(model.labels_, total)
    return found
