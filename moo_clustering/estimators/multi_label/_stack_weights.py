"""Cross-validated weight of the first model of a stack."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from joblib import delayed
from numpy.typing import NDArray
from sklearn.model_selection import KFold, StratifiedKFold, check_cv

from moo_clustering._parallel import run_calls
from moo_clustering._targets import Targets
from moo_clustering.estimators.multi_label._logit_mixture import mixed_logits
from moo_clustering.estimators.multi_label._stacked_parts import fit_linear, fit_subspace, part_logits
from moo_clustering.validity import macro_auc

Floats = NDArray[np.float64]
Scoring = Callable[[NDArray[np.int64], Floats], float]
Split = tuple[NDArray[np.intp], NDArray[np.intp]]


def labelled_splits(cv: Any, X: Any, targets: Targets, seed: np.random.SeedSequence) -> list[Split]:
    """Folds of the labelled samples, as positions among them.

    A number of folds is at most that of labelled samples, and they keep the shares of the classes where
    samples have one class. Nothing for one sample.
    """
    labels = targets.indicators[targets.rows].astype(np.int64)
    codes = labels if targets.multilabel else labels.argmax(axis=1)
    cv = 5 if cv is None else cv
    if isinstance(cv, int | np.integer):
        n_splits = min(int(cv), len(labels))
        if n_splits < 2:
            return []
        strata = not targets.multilabel and labels.sum(axis=0).max() >= n_splits
        kind = StratifiedKFold if strata else KFold
        splitter = kind(n_splits, shuffle=True, random_state=int(seed.generate_state(1)[0]))
    else:
        splitter = check_cv(cv, codes, classifier=True)
    with warnings.catch_warnings():
        # A class with fewer samples than folds is not in all of them.
        warnings.filterwarnings("ignore", message="The least populated class in y")
        return list(splitter.split(X[targets.rows], codes))


def cross_validated_scores(
    templates: tuple[Any, Any],
    X: Any,
    targets: Targets,
    weights: Sequence[float],
    splits: Sequence[Split],
    scoring: Scoring | None,
    seed: np.random.SeedSequence,
    n_jobs: int | None,
) -> Floats:
    """Scores of samples in the folds, for every weight of the first model.

    Parameters
    ----------
    templates : (subspace model, linear model)
    X, targets
        All samples; unlabelled ones take part in every fit of the subspace model.
    scoring : callable or None
        ``scoring(indicators, scores)``; the macro AUC by default.

    Returns
    -------
    ndarray of shape (n_folds, n_weights)
        NaN where a fold has no label that some of its samples have and some have not.
    """
    scores = run_calls(
        (
            delayed(_fold_scores)(templates, X, targets, weights, split, scoring, fold_seed)
            for split, fold_seed in zip(splits, seed.spawn(len(splits)), strict=True)
        ),
        n_jobs=n_jobs,
    )
    return np.array(scores, dtype=np.float64).reshape(len(splits), len(weights))


def _fold_scores(
    templates: tuple[Any, Any],
    X: Any,
    targets: Targets,
    weights: Sequence[float],
    split: Split,
    scoring: Scoring | None,
    seed: np.random.SeedSequence,
) -> list[float]:
    train, test = (targets.rows[positions] for positions in split)
    truth = targets.indicators[test].astype(np.int64)
    if scoring is None and not (truth.any(axis=0) & ~truth.all(axis=0)).any():
        return [np.nan] * len(weights)
    # What is to be predicted isn't there at the fit, as later.
    learnt = np.sort(np.concatenate([np.flatnonzero(~targets.labelled), train]))
    seen, known = X[learnt], targets.subset(learnt)
    with warnings.catch_warnings():
        # Of labels that only this part lacks; what concerns all samples is said by the fit to all.
        warnings.simplefilter("ignore", UserWarning)
        parts = [
            fit(template, seen, known, part_seed)
            for fit, template, part_seed in zip(
                (fit_subspace, fit_linear), templates, seed.spawn(2), strict=True
            )
        ]
    found = [part_logits(part.model, X[test], targets.n_classes, targets.multilabel) for part in parts]
    scales = [part.scale for part in parts]
    score = macro_auc if scoring is None else scoring
    return [float(score(truth, mixed_logits(found, scales, (weight, 1 - weight)))) for weight in weights]
