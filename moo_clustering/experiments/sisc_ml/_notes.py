"""What has to be known beside the SISC-ML tables, in sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from moo_clustering.experiments.sisc_ml._published import TABLE2, TABLE3, published_table2
from moo_clustering.experiments.sisc_ml._readings import (
    LITERAL,
    LOGISTIC,
    READINGS,
    SISC_ML,
    Scored,
    title_of,
)
from moo_clustering.experiments.sisc_ml._results import Results
from moo_clustering.experiments.sisc_ml._sets import LabelledSet
from moo_clustering.experiments.sisc_ml._splits import LABELLED

# How far from a printed area ours may be and count as reproduced.
TOLERANCE = 0.05

NOTES = {
    "readings": "The first of the rows beside a row of the paper is the literal reading. For SISC-ML it is "
    "the sum of shares over distances of the 5 nearest clusters (5 is not printed): probable, not proven. "
    "normalised: divided by the sum of inverse distances, the default of SISC, as are kappa=1 and kappa=5; "
    "kappa=k: all clusters. k-NN: 5 and 50 neighbours.",
    "parameters": "The paper gives gamma=0.5 only; k=60, f=1.5, q=5 and at most 15 sweeps are ours. Clusters "
    "start from labels: from the printed start, equal memberships, all clusters stay alike, and every "
    "document gets the same scores.",
    "cut": "MetaLabeler, cut: scores of labels that are not predicted are 0 before the ROC curves, as in the "
    "paper; these ties cost area. uncut: scores of its support vector machines.",
    "macro": "AUC: mean over labels of the area under the ROC curve, ties 1/2, which is also the area under "
    "the vertically averaged curves. Two folds of one repetition test on disjoint documents.",
    "single": "No statement on single-label SISC: the paper's tables are of SISC-ML, and so are these, also "
    "where every document has one label.",
    "undefined": "undefined: labels that all or none of the test documents have, which the mean of areas "
    "leaves out.",
    "seconds": "Seconds are of one thread, without choosing features; other processes may have been running.",
    "leak": "The paper chose one set of features for all shares of labelled documents, so labels of "
    '"unlabelled" documents leak into its Table 3; so they do in the rows called leaky. With all documents '
    "labelled both are the same runs; so they are where there are no more words than are chosen (ASRS).",
    "difference": "Positive: SISC-ML (normalised, kappa=k) is better. ±: standard error over repetitions "
    "and folds of differences on the same split; folds share documents, so rather too small than too large.",
    "controls": "class shares: every document gets the shares of labels, which is 0.5 by definition.",
}


def notes(results: Results, *names: str) -> Sequence[str]:
    """Sentences by name; some depend on the results."""
    made = [_MADE[name](results) if name in _MADE else NOTES[name] for name in names]
    return tuple(note for note in made if note)


def _data(results: Results) -> str:
    shares = ", ".join(f"{given.title} {(given.Y.sum(axis=1) > 1).mean():.0%}" for given in results.sets)
    return (
        "Documents here: ASRS has the 500 words of tmc2007-500 (the paper: 1000 of all), Reuters and 20 "
        "Newsgroups at most 6000 documents (the paper: 10,000 and 15,000), drawn anew for every repetition. "
        f"With several labels: {shares}; in the paper 67% of Reuters and 19% of 20 Newsgroups."
    )


def _missed(results: Results) -> str:
    missed = [
        f"{given.title} {name} ({printed:.3f} there, {ours:.3f} here)"
        for given in results.sets
        for name in TABLE2
        for printed in [published_table2(name, given.name) or 0.0]
        for ours in [_area(results, given, READINGS[name][0])]
        if abs(ours - printed) > TOLERANCE
    ]
    if not missed:
        return f"All literal readings are within {TOLERANCE} of the paper."
    return f"Not reproduced, literal readings more than {TOLERANCE} from the paper: {', '.join(missed)}."


def _claims(results: Results) -> str:
    """Who is ahead of SISC-ML, which the paper has as the best everywhere."""
    rivals = [scored for name, group in READINGS.items() if name != "SISC-ML" for scored in group]
    rivals += [("k-NN (cosine)", "kappa=50"), ("K-means entropy (mean D)", "kappa=5"), *LOGISTIC]
    sentences = []
    for given in results.sets:
        ahead = [
            title_of(scored)
            for scored in rivals
            if _area(results, given, scored) > _area(results, given, SISC_ML)
        ]
        literal = [
            title_of(READINGS[name][0])
            for name in list(TABLE2)[1:]
            if _area(results, given, READINGS[name][0]) > _area(results, given, LITERAL)
        ]
        sentences.append(
            f"{given.title}: of literal readings ahead of the literal SISC-ML: {_listed(literal)}; ahead of "
            f"the normalised SISC-ML: {_listed(ahead)}."
        )
    return "The paper has SISC-ML best on every set. Here, on " + " On ".join(sentences)


def _linear(results: Results) -> str:
    """Where a plain linear model wins, and by how much."""
    sentences = []
    for given in results.sets:
        wins = []
        for fraction in results.fractions:
            gaps = [
                -results.difference(given, SISC_ML, scored, fraction, LABELLED).mean for scored in LOGISTIC
            ]
            if max(gaps) > 0:
                wins.append(f"{fraction:.0%} (by {max(gaps):.3f})")
        sentences.append(f"{given.title} at {', '.join(wins)}" if wins else f"{given.title} nowhere")
    return (
        "A plain linear model, the better of the two logistic regressions, is ahead of SISC-ML (normalised, "
        f"features from labelled documents) on {'; '.join(sentences)}."
    )


def _flat(results: Results) -> str:
    sentences = []
    for given in results.sets:
        printed = max(TABLE3[given.name]) - min(TABLE3[given.name])
        ours = []
        for features in results.protocols(given):
            means = [results.mean(given, SISC_ML, "auc", f, features).mean for f in results.fractions]
            ours.append(max(means) - min(means))
        leaky = f", {ours[1]:.3f} leaky" if len(ours) > 1 else ""
        sentences.append(f"{given.title} {printed:.3f} there, {ours[0]:.3f} here{leaky}")
    return (
        "The paper calls its results similar at all shares of labelled documents. Largest less smallest area "
        f"of SISC-ML (here normalised): {'; '.join(sentences)}."
    )


def _area(results: Results, given: LabelledSet, scored: Scored) -> float:
    return results.mean(given, scored).mean


def _listed(names: Sequence[str]) -> str:
    return "; ".join(names) if names else "none"


_MADE: dict[str, Callable[[Results], str]] = {
    "data": _data,
    "missed": _missed,
    "claims": _claims,
    "linear": _linear,
    "flat": _flat,
}
