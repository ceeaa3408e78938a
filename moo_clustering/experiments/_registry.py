"""Experiments by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    options : sequence of str
        Which of the settings that not all experiments have it takes.
    seeds : int, default=1
        Repetitions, if nothing else is asked for.
    study : str, default=""
        Experiments of one study are different views of the same cells, and may share a folder.
    """

    name: str
    summary: str
    module: str
    attribute: str
    options: Sequence[str] = ()
    seeds: int = 1
    study: str = ""

    @property
    def cells_of(self) -> str:
        """Whose cells it computes: those of its study, or its own."""
        return self.study or self.name

    @property
    def report(self) -> str:
        """Name of the file with all its tables."""
        return f"{self.name}.md" if self.study else "report.md"

    def plan(self, settings: Settings) -> Plan:
        """Read the data and lay out the cells.

        Raises
        ------
        ValueError
            For a setting that the experiment does not have; or as the plan does.
        """
        defaults = Settings()
        for option in ("k_max", "questions", "sets", "n_sets", "n_clusters", "collections", "blocks"):
            if option not in self.options and getattr(settings, option) != getattr(defaults, option):
                raise ValueError(f"{self.name} has no setting {option}")
        make: Callable[[Settings], Plan] = getattr(import_module(self.module), self.attribute)
        return make(settings)


EXPERIMENTS = {
    experiment.name: experiment
    for experiment in (
        Experiment(
            "flagship",
            "ParetoClustering and common methods on all sets of a folder: no labels, few labels, pairs",
            "moo_clustering.experiments.flagship._plan",
            "Flagship",
            options=("sets", "blocks"),
            seeds=3,
        ),
        Experiment(
            "nsga2-clus-table2",
            "NSGA-II-clus, its rivals and exhaustive search on the clinical questions, cosine and Euclid",
            "moo_clustering.experiments.nsga2_clus._table2",
            "Table2",
            options=("k_max", "questions"),
        ),
        *(
            Experiment(
                f"multi-instance-{view}",
                summary,
                "moo_clustering.experiments.multi_instance._plan",
                attribute,
                options=("sets",),
                seeds=15,
                study="multi-instance",
            )
            for view, attribute, summary in (
                ("table3", "table3", "Multi-instance methods and controls by internal indices"),
                ("table4", "table4", "Multi-instance: average ranks by internal indices"),
                ("table5", "table5", "Multi-instance: tests (99 %) by internal indices, Friedman and pairs"),
                ("table6", "table6", "Multi-instance methods and controls by known classes"),
                ("table7", "table7", "Multi-instance: average ranks by known classes"),
                ("table8", "table8", "Multi-instance: tests (95 %) by known classes, Friedman and pairs"),
                ("fig1", "figure1", "Multi-instance: critical differences by internal indices, at 99 %"),
                ("fig2", "figure2", "Multi-instance: critical differences by known classes, at 95 %"),
            )
        ),
        *(
            Experiment(
                f"pesc-{view}",
                summary,
                "moo_clustering.experiments.pesc._plan",
                attribute,
                options=("sets",),
                seeds=30,
                study="pesc",
            )
            for view, attribute, summary in (
                (
                    "table3",
                    "table3",
                    "PESC, evolutionary methods and controls: accuracy, leaks of sorted rows",
                ),
                ("table4", "table4", "PESC and conventional similarity graphs: accuracy"),
                ("table5", "table5", "PESC and rivals with 10 % of the samples labelled"),
                ("table6", "table6", "PESC and rivals with 20 % of the samples labelled"),
                ("fig1", "figure1", "PESC: accuracy against probabilities of crossover and mutation"),
                ("fig2", "figure2", "PESC: accuracy against the population size"),
                ("fig3", "figure3", "PESC: accuracy against the generation"),
                ("fig4", "figure4", "PESC: accuracy against the generation, by initial population"),
                ("fig5", "figure5", "PESC: similarity matrices, eigenvalues and eigenvectors of wine"),
                ("fig6", "figure6", "PESC and rivals: seconds of a fit"),
            )
        ),
        Experiment(
            "ensemble-nmf-table2",
            "ensemble NMF and its rivals on data sets of 3 to 10 topics from collections of documents",
            "moo_clustering.experiments.ensemble_nmf._table2",
            "Table2",
            options=("n_sets", "n_clusters", "collections"),
        ),
        *(
            Experiment(
                f"sisc-ml-{view}",
                summary,
                "moo_clustering.experiments.sisc_ml._plan",
                attribute,
                options=("collections",),
                seeds=2,
                study="sisc-ml",
            )
            for view, attribute, summary in (
                ("table2", "table2", "SISC-ML, its rivals and plain models on multi-label documents, by AUC"),
                ("table3", "table3", "SISC-ML and plain models with 10 % to 100 % of the documents labelled"),
                ("fig2", "figure2", "SISC-ML and its rivals: averaged ROC curves"),
                ("fig3", "figure3", "SISC-ML with 10 % to 100 % of the documents labelled: ROC curves"),
            )
        ),
    )
}


def find_experiment(name: str) -> Experiment:
    """The experiment of this name.

    Parameters
    ----------
    name : str
        As ``moo-clustering reproduce`` takes it.

    Returns
    -------
    Experiment

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
