"""Everything that is run for the PESC tables and figures, by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from moo_clustering.experiments._store import Key
from moo_clustering.experiments.pesc import _courses as courses
from moo_clustering.experiments.pesc import _searches as searches
from moo_clustering.experiments.pesc._controls import CLASSIFIERS, CONTROLS
from moo_clustering.experiments.pesc._given import EFFORT, READINGS, Given, Run
from moo_clustering.experiments.pesc._graphs import GRIDS, graph_run, waterfill
from moo_clustering.experiments.pesc._pictures import PICTURES, picture
from moo_clustering.experiments.pesc._sets import FlatSet

_BOTH = tuple(READINGS)
_LEAST = dict.fromkeys(EFFORT, 4) | {"n_gen": 1, "long": 1}
# Index operators need all neighbours of all samples.
MOST_SORTED = 1000


@dataclass(frozen=True)
class Part:
    """A run that gives one row of the tables, or some that come out of the same search.

    Parameters
    ----------
    name : str
    run : callable
        ``run(given, reading, setting)``.
    readings : sequence of str, default=("",)
    settings : sequence of str, default=("",)
        Values of a parameter, one run each.
    """

    name: str
    run: Run
    readings: Sequence[str] = ("",)
    settings: Sequence[str] = ("",)

    def keys(self, labels: int = 0, order: str = "shuffled") -> list[Key]:
        """What tells its runs on one set with one seed apart."""
        return [
            {
                "method": self.name,
                "reading": reading,
                "setting": setting,
                "labels": labels,
                "order": order,
            }
            for reading in self.readings
            for setting in self.settings
        ]


_GRAPHS = [Part(name, graph_run(name), _BOTH, values) for name, values in GRIDS.items()]
_CONTROLS = [
    Part("generation 0", searches.generation_0, _BOTH),
    Part("water-filling graph", waterfill, _BOTH),
    *(Part(name, run) for name, run in CONTROLS.items()),
]
_PESC = Part("PESC", searches.pesc, _BOTH)
_INDEX = Part("PESC, index operators", searches.pesc_index, _BOTH)
_SRMOSC = Part("SRMOSC", searches.srmosc, _BOTH)

# Parts of the views.
RIVALS = [
    _PESC,
    _SRMOSC,
    Part("MOCK", searches.mock, _BOTH),
    Part("MOGA", searches.moga),
    Part("MOGA, other kind", searches.moga_other),
    *_CONTROLS,
]
GRAPHS = [_PESC, *_GRAPHS, *_CONTROLS]
SEMI_SUPERVISED = [
    _PESC,
    Part("PESC, must-links", searches.pesc_joined, _BOTH),
    _SRMOSC,
    Part("Semi-MOCK", searches.semi_mock, _BOTH),
    *_GRAPHS,
    *(Part(name, run) for name, run in CLASSIFIERS.items()),
    *_CONTROLS,
]
PROBABILITIES = Part("probabilities", courses.probabilities, _BOTH, courses.PROBABILITIES)
SIZES = Part("population sizes", courses.sizes, _BOTH, courses.SIZES)
COURSE = Part("course", courses.course, _BOTH)
LONG_COURSE = Part("long course", courses.long_course, ("paper",), courses.STARTS)
PICTURE = Part("picture", picture, ("paper",), PICTURES)

PARTS = {
    part.name: part
    for part in (
        *RIVALS,
        *GRAPHS,
        *SEMI_SUPERVISED,
        _INDEX,
        PROBABILITIES,
        SIZES,
        COURSE,
        LONG_COURSE,
        PICTURE,
    )
}


def leakage_keys() -> list[Key]:
    """Runs on rows sorted by class, and on shuffled ones those that no table has."""
    return [*_PESC.keys(order="sorted"), *_INDEX.keys(), *_INDEX.keys(order="sorted")]


def is_sorted_too(found: FlatSet) -> bool:
    """Whether a set is small enough for runs on sorted rows."""
    return len(found.X) <= MOST_SORTED


@cache
def warm_up(name: str, reading: str, setting: str, supervised: bool) -> None:
    """Run a part on next to nothing, so that compiling is not in the seconds of its first run."""
    X = np.random.default_rng(0).random((24, 3))
    y = np.where(np.arange(24) < 8, np.arange(24) % 2, -1)
    PARTS[name].run(Given(X, 2, y if supervised else None, 0, False, _LEAST), reading, setting)
