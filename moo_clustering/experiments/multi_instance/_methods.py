"""Methods of the multi-instance tables, as the paper ran them and as they are by default."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from moo_clustering.bags import Bags
from moo_clustering.estimators import BAMIC, CHCMIC, MIFGKA, MIGCUK, MIGKA, MemeticCHCMIC, MIKMeans
from moo_clustering.experiments.multi_instance._controls import CONTROLS, Labels

# "table": what explains the published tables best; "default": the defaults of the estimators. A method
# with nothing to choose has the reading "" and counts for both.
READINGS = {"table": "as in the tables", "default": "defaults"}
Reading = str

# The paper's sizes, and those of the improved variant.
EFFORT: dict[str, dict[str, int]] = {
    "genetic": {"pop_size": 150, "n_gen": 150},
    "memetic": {"pop_size": 30, "n_gen": 60},
}
_LEAST_EFFORT = {size: {"pop_size": 4, "n_gen": 1} for size in EFFORT}


class Outcome(NamedTuple):
    """Clusters of all bags, and what they cost; None where nothing is counted."""

    labels: Labels
    evaluations: int | None = None
    trials: int | None = None


@dataclass(frozen=True)
class Entry:
    """A method in one reading.

    Parameters
    ----------
    name : str
    reading : {"table", "default", ""}
    make : callable
        An estimator, or a function of bags, number of clusters and seed.
    effort : {"genetic", "memetic", ""}
        Which sizes of :data:`EFFORT` the estimator takes.
    options : mapping
        Its other parameters that are not the defaults.
    note : str
        Behind the name in lists.
    """

    name: str
    reading: Reading
    make: Callable[..., Any]
    effort: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""

    @property
    def key(self) -> tuple[str, Reading]:
        """What tells entries apart."""
        return self.name, self.reading

    def run(self, bags: Bags, n_clusters: int, seed: int, effort: Mapping[str, Any]) -> Outcome:
        """Cluster once."""
        if self.name in CONTROLS:
            return Outcome(self.make(bags, n_clusters, seed))
        sizes = effort.get(self.effort, {})
        model = self.make(n_clusters, random_state=seed, **self.options, **sizes).fit(bags)
        evaluations = getattr(model, "n_evaluations_", None)
        return Outcome(model.labels_, evaluations, getattr(model, "n_trial_evaluations_", None))


_PRINTED = {"weighting": "instance", "weights": "printed", "empty": "closest"}
_PRINTED_FAST = {"weighting": "instance", "reading": "printed_meansq", "legality": "count", "elitism": 0}
_MEAN = {"weighting": "instance", "centers": "mean"}
_INSTANCE = {"weighting": "instance"}

ENTRIES: dict[tuple[str, Reading], Entry] = {
    entry.key: entry
    for entry in (
        Entry("BAMIC", "", BAMIC),
        Entry("MIKM", "table", MIKMeans, options=_INSTANCE),
        Entry("MIKM", "default", MIKMeans),
        Entry("MIGKA", "table", MIGKA, "genetic", {**_PRINTED, "elitism": 0}),
        Entry("MIGKA", "default", MIGKA, "genetic"),
        Entry("MIFGKA", "table", MIFGKA, "genetic", _PRINTED_FAST),
        Entry("MIFGKA", "default", MIFGKA, "genetic"),
        Entry("MIGCUK", "table", MIGCUK, "genetic", _MEAN, "centers='mean'"),
        Entry("MIGCUK", "default", MIGCUK, "genetic", {}, "centers='medoid'"),
        Entry("CHCMIC", "table", CHCMIC, "genetic", _PRINTED),
        Entry("CHCMIC", "default", CHCMIC, "genetic"),
        Entry("MemeticCHCMIC", "table", MemeticCHCMIC, "memetic", _INSTANCE, "at least 5 % of the bags"),
        Entry("MemeticCHCMIC", "default", MemeticCHCMIC, "memetic", {}, "at least 5 % of the bags"),
        *(Entry(name, "", control) for name, control in CONTROLS.items()),
    )
}


def described() -> dict[str, dict[str, Any]]:
    """Options of every entry, for the parameters of the experiment."""
    return {f"{entry.name} {entry.reading}".strip(): dict(entry.options) for entry in ENTRIES.values()}


@cache
def warm_up(key: tuple[str, Reading]) -> None:
    """Run an entry on next to nothing, so that compiling is not in the seconds of its first run."""
    rng = np.random.default_rng(0)
    bags = Bags(rng.random((24, 2)), np.arange(0, 25, 3))
    ENTRIES[key].run(bags, 2, 0, _LEAST_EFFORT)
