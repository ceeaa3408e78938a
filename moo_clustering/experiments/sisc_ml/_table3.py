"""Table 3 of the SISC-ML paper beside ours: fewer labelled documents, and who may choose the features."""

from __future__ import annotations

from moo_clustering.experiments._spread import Spread
from moo_clustering.experiments._tables import ResultTable, Value
from moo_clustering.experiments.sisc_ml._notes import notes
from moo_clustering.experiments.sisc_ml._published import published_table3
from moo_clustering.experiments.sisc_ml._readings import (
    LITERAL,
    LOGISTIC,
    PROTOCOLS,
    SISC_ML,
    Scored,
    all_scored,
    title_of,
)
from moo_clustering.experiments.sisc_ml._results import Results
from moo_clustering.experiments.sisc_ml._sets import LabelledSet
from moo_clustering.experiments.sisc_ml._splits import LABELLED


def beside_published(results: Results) -> ResultTable:
    """Areas by share of labelled documents, with both ways to choose features."""
    rows: list[list[Value]] = []
    for given in results.sets:
        rows.append(_printed(results, given))
        for features in results.protocols(given):
            for scored in all_scored(limited=True):
                rows.append(
                    [
                        given.title,
                        PROTOCOLS[features],
                        title_of(scored),
                        *_means(results, given, scored, features),
                    ]
                )
    return ResultTable(
        "table3",
        f"Macro AUC by share of labelled training documents: Table 3 of the paper and ours ({results.size}, "
        "mean ± standard deviation)",
        ["set", "features", "method", *shares(results)],
        rows,
        notes(results, "leak", "flat", "readings", "data", "parameters", "macro", "single"),
    )


def against_linear(results: Results) -> ResultTable:
    """SISC-ML minus logistic regression."""
    rows: list[list[Value]] = []
    for given in results.sets:
        for features in results.protocols(given):
            for scored in LOGISTIC:
                gaps = [
                    _signed(results.difference(given, SISC_ML, scored, fraction, features))
                    for fraction in results.fractions
                ]
                rows.append([given.title, PROTOCOLS[features], title_of(scored), *gaps])
    return ResultTable(
        "table3-difference",
        "Macro AUC, SISC-ML minus logistic regression, by share of labelled training documents "
        f"({results.size}, mean ± standard error)",
        ["set", "features", "SISC-ML minus", *shares(results)],
        rows,
        notes(results, "linear", "difference"),
    )


def sisc_only(results: Results) -> ResultTable:
    """Areas of SISC-ML by share of labelled documents, features chosen with these only."""
    rows: list[list[Value]] = []
    for given in results.sets:
        rows.append([given.title, *_printed(results, given)[2:]])
        for scored in (LITERAL, SISC_ML):
            rows.append([given.title, title_of(scored), *_means(results, given, scored, LABELLED)])
    return ResultTable(
        "figure3",
        f"Areas under the curves of Figure 3, by share of labelled training documents ({results.size}, mean "
        "± standard deviation)",
        ["set", "method", *shares(results)],
        rows,
        notes(results, "readings", "data", "parameters", "macro", "single"),
    )


def shares(results: Results) -> list[str]:
    """Names of the columns."""
    return [f"{fraction:.0%}" for fraction in results.fractions]


def _printed(results: Results, given: LabelledSet) -> list[Value]:
    areas = [f"{published_table3(given.name, fraction):.3f}" for fraction in results.fractions]
    return [given.title, "one choice for all", "SISC-ML, paper", *areas]


def _means(results: Results, given: LabelledSet, scored: Scored, features: str) -> list[str]:
    return [results.mean(given, scored, "auc", fraction, features).text() for fraction in results.fractions]


def _signed(spread: Spread) -> str:
    return f"{spread.mean:+.3f} ± {spread.std:.3f}"
