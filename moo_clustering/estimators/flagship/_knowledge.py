"""What labels and pairs say, of samples and of the landmarks that stand for them."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from moo_clustering._targets import Targets, partial_targets
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.estimators._supervision import supervision_groups
from moo_clustering.validity import LabelEvidence, PairEvidence, ValidityIndex

FloatArray = NDArray[np.float64]
Kind = Literal["none", "labels", "novel", "pairs"]


@dataclass(frozen=True, eq=False)
class Knowledge:
    """Labels and pairs of one fit, about samples.

    Attributes
    ----------
    kind : {"none", "labels", "novel", "pairs"}
        How the result is found: labels of all classes, of some of the classes, or pairs alone.
    targets : Targets or None
        Labels given, and those that follow along must-links.
    pairs : PairwiseConstraints or None
    """

    kind: Kind
    targets: Targets | None = None
    pairs: PairwiseConstraints | None = None

    def evidence(self, counts: FloatArray, pairs: PairwiseConstraints | None) -> ValidityIndex | None:
        """Index of what labels and pairs say of a partition; None without either."""
        unnamed = self.kind == "novel"
        labels = LabelEvidence(unnamed=unnamed).fit(counts) if self.targets is not None else None
        if pairs is None:
            return labels
        between = PairEvidence().fit(pairs)
        return between if labels is None else JointEvidence(labels, between)


class JointEvidence(ValidityIndex):
    """Sum of two log-likelihoods."""

    name = "evidence"
    greater_is_better = True

    def __init__(self, first: ValidityIndex, second: ValidityIndex) -> None:
        self.first, self.second = first, second

    def fit(self, data: ArrayLike) -> JointEvidence:
        """Both have been fitted to what they are about."""
        return self

    def evaluate(self, labels: NDArray[np.integer[Any]]) -> FloatArray:
        """Their sum."""
        return self.first.evaluate(labels) + self.second.evaluate(labels)


def take_knowledge(
    n_samples: int,
    y: Any,
    must_link: ArrayLike | None,
    cannot_link: ArrayLike | None,
    *,
    novel: str,
    pairs: str,
) -> Knowledge:
    """Check labels and pairs, and say how the result is to be found.

    Raises
    ------
    ValueError
        Labels or pairs out of range, or label sets.
    InconsistentConstraintsError
        Labels and pairs contradict each other, or pairs that are hard do.

    Warns
    -----
    UserWarning
        Labels of a single class: other clusters are taken for new classes then.
    """
    targets = partial_targets(y, n_samples)
    if targets.multilabel:
        raise ValueError(
            "y must hold one class per sample, -1 for unlabelled ones; for any number of labels per sample "
            "use SISC."
        )
    given = None
    if must_link is not None or cannot_link is not None:
        given = PairwiseConstraints(must_link, cannot_link, n_samples=n_samples)
        given = given if len(given) else None
    if given is not None:
        codes = np.where(targets.labelled, _codes(targets), -1) if targets.n_classes else None
        if pairs == "hard" or codes is not None:
            supervision_groups(n_samples, codes, given.must_link, given.cannot_link)
        if codes is not None:
            targets = _along_must_links(targets, codes, given)
    if not targets.n_classes:
        return Knowledge("none" if given is None else "pairs", None, given)
    if targets.n_classes == 1 and novel == "none":
        warnings.warn(
            f"all labels in y are of one class, {targets.classes.tolist()[0]!r}: clusters without labels are "
            'taken for new classes, as with novel="allow".',
            UserWarning,
            stacklevel=4,
        )
        novel = "allow"
    return Knowledge("novel" if novel == "allow" else "labels", targets, given)


def _codes(targets: Targets) -> NDArray[np.intp]:
    codes: NDArray[np.intp] = targets.indicators.argmax(axis=1)
    return codes


def _along_must_links(
    targets: Targets, codes: NDArray[np.integer[Any]], pairs: PairwiseConstraints
) -> Targets:
    component = pairs.components()
    class_of = np.full(int(component.max()) + 1, -1, dtype=np.int64)
    np.maximum.at(class_of, component, codes)
    codes = class_of[component]
    labelled = codes >= 0
    indicators = np.zeros_like(targets.indicators)
    indicators[np.flatnonzero(labelled), codes[labelled]] = 1.0
    return Targets(indicators, labelled, targets.classes, False)


def pairs_of_landmarks(
    pairs: PairwiseConstraints, landmark_of: NDArray[np.integer[Any]] | None, m: int
) -> PairwiseConstraints:
    """Pairs between landmarks, weighted by how many pairs of samples they stand for.

    Pairs within a landmark are left out: no partition of the landmarks changes them.
    """
    if landmark_of is None:
        return pairs
    ends: list[NDArray[np.int64]] = []
    weights: list[FloatArray] = []
    for given in (pairs.must_link, pairs.cannot_link):
        lifted = np.sort(landmark_of[given], axis=1)
        lifted = lifted[lifted[:, 0] != lifted[:, 1]]
        ones = np.ones(len(lifted))
        counts = sp.coo_array((ones, (lifted[:, 0], lifted[:, 1])), shape=(m, m)).tocsr().tocoo()
        ends.append(np.column_stack([counts.row, counts.col]).astype(np.int64))
        weights.append(counts.data)
    return PairwiseConstraints(
        ends[0],
        ends[1],
        n_samples=m,
        must_link_weights=weights[0] if len(ends[0]) else None,
        cannot_link_weights=weights[1] if len(ends[1]) else None,
    )
