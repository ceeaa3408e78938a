"""Experiments by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from moo_clustering._suggest import did_you_mean
from moo_clustering.experiments._plan import Plan, Settings


@dataclass(frozen=True)
class Experiment:
    """An experiment, imported when it is needed.

    Parameters
    ----------
    name : str
    summary : str
    module, attribute : str
        Where the function ``(Settings) -> Plan`` is.
    """

    name: str
    summary: str
    module: str
    attribute: str

    def plan(self, settings: Settings) -> Plan:
        """Read the data and lay out the cells."""
        make: Callable[[Settings], Plan] = getattr(import_module(self.module), self.attribute)
        return make(settings)


EXPERIMENTS = {
    experiment.name: experiment
    for experiment in (
        Experiment(
            "nsga2-clus-table2",
            "NSGA-II-clus, its rivals and exhaustive search on the clinical questions, cosine and Euclid",
            "moo_clustering.experiments._nsga2_clus_table2",
            "Table2",
        ),
    )
}


def find_experiment(name: str) -> Experiment:
    """The experiment of this name.

    Raises
    ------
    ValueError
        If there is none; names the nearest.
    """
    if name not in EXPERIMENTS:
        raise ValueError(
            f"there is no experiment {name!r}; there are {', '.join(EXPERIMENTS)}"
            f"{did_you_mean(name, EXPERIMENTS)}"
        )
    return EXPERIMENTS[name]
