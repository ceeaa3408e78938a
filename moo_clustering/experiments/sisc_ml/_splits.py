"""Halves of drawn documents: one to train on, labelled in part, and one to test on."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from moo_clustering.experiments._cells import seed_of
from moo_clustering.experiments.sisc_ml._sets import LabelledSet
from moo_clustering.features import InformationGainSelector

N_FEATURES, N_FOLDS = 1000, 2
# Whose labels choose the features.
LABELLED: Final = "labelled"
ALL_TRAIN: Final = "all_train"


class Split(NamedTuple):
    """What methods are fitted to and scored on.

    Parameters
    ----------
    X_train, X_test : csr_matrix of shape (n, n_features), float64
        0.0 or 1.0.
    y_train : ndarray of shape (n_train, n_labels), int8
        0 or 1; rows of -1 are not labelled.
    y_test : ndarray of shape (n_test, n_labels), int8
        For scores only.
    """

    X_train: csr_matrix
    y_train: NDArray[np.int8]
    X_test: csr_matrix
    y_test: NDArray[np.int8]

    @property
    def labelled(self) -> NDArray[np.intp]:
        """Rows of the labelled training documents."""
        return np.flatnonzero(self.y_train[:, 0] >= 0)


def make_split(given: LabelledSet, fraction: float, features: str, repeat: int, fold: int) -> Split:
    """One fold of 2-fold cross-validation on documents that are drawn anew in every repetition.

    Parameters
    ----------
    given : LabelledSet
    fraction : float
        Share of the training documents that are labelled. The labelled documents of a smaller share are
        among those of a larger one, and are the same for all methods.
    features : {"labelled", "all_train"}
        Choose the words of greatest information gain with the labels of the labelled training documents,
        or, as the paper did, of all training documents. Words that all or no training documents have are
        left out.
    repeat : int
    fold : {0, 1}
    """
    order = np.random.default_rng(seed_of(given.name, repeat, "documents")).permutation(len(given.Y))
    drawn = order[: given.n_drawn]
    halves = np.array_split(drawn, N_FOLDS)
    test, train = halves[fold], halves[1 - fold]
    y_train = given.Y[train]
    rng = np.random.default_rng(seed_of(given.name, repeat, fold, "labelled"))
    unlabelled = rng.permutation(len(train))[max(1, round(fraction * len(train))) :]
    partial = y_train.copy()
    partial[unlabelled] = -1
    X_train = given.X[train]
    selector = InformationGainSelector(N_FEATURES).fit(X_train, y_train if features == ALL_TRAIN else partial)
    words_of = selector.transform
    return Split(csr_matrix(words_of(X_train)), partial, csr_matrix(words_of(given.X[test])), given.Y[test])
