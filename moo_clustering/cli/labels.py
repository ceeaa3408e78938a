"""Labels for methods that predict them: which the fit is given, and which score its predictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering._arrays import warn_caller
from moo_clustering.cli.samples import LabelSetSamples, Samples, TextSamples, indicators
from moo_clustering.datasets import DataError
from moo_clustering.features import InformationGainSelector

# Names of labels in a message; fewest columns of label sets.
_NAMED, _FEWEST = 5, 2


@dataclass(frozen=True, eq=False)
class LabelUse:
    """Labels of the samples, apart for the fit and for scoring."""

    names: tuple[str, ...]  # names of the labels
    # shape (n_samples, n_labels): 1 and 0 where the fit is given the labels; rows of -1 elsewhere.
    given: NDArray[np.int8]
    # shape (n_samples, n_labels): 1 and 0 of the samples that score the predictions; rows of -1 elsewhere,
    # and wherever the fit is given the labels.
    held_out: NDArray[np.int8]
    multilabel: bool  # whether a sample may have any number of labels

    @property
    def is_given(self) -> NDArray[np.bool_]:
        """Samples whose labels reach the fit."""
        return _labelled(self.given)

    @property
    def is_held_out(self) -> NDArray[np.bool_]:
        """Samples whose labels score the predictions."""
        return _labelled(self.held_out)

    @property
    def sources(self) -> dict[str, int]:
        """Numbers of labels and samples, for the record."""
        counts = {"n_labels": len(self.names), "n_labelled": int(self.is_given.sum())}
        return counts | {"n_held_out": int(self.is_held_out.sum())}

    @property
    def columns(self) -> NDArray[np.intp]:
        """Labels that a sample of the fit has, and that can be predicted; at least two of label sets."""
        positive: NDArray[np.bool_] = np.any(self.given > 0, axis=0)
        if self.multilabel and positive.sum() < _FEWEST:  # a single column would be one class a sample
            positive[np.flatnonzero(~positive)[: _FEWEST - positive.sum()]] = True
        return np.flatnonzero(positive)

    @property
    def y(self) -> NDArray[Any] | None:
        """Labels for the fit: codes of classes, or indicators of the labels in ``columns``.

        -1 marks unlabelled samples; None if the fit is given no labels.
        """
        if not self.is_given.any():
            return None
        if self.multilabel:
            return self.given[:, self.columns]
        return np.where(self.is_given, self.given.argmax(axis=1), -1)


def label_use(samples: Samples, hold_out: float | None, seed: int) -> LabelUse | None:
    """The labels that the fit may have, without those of a share of the samples; None where it has none.

    Known classes (``--labels``) of samples whose labels the fit is not given score the predictions too.
    Raises a DataError when labels are to be held out and there are none.
    """
    found = samples.partial_sets()
    use = None
    if found is not None:
        names, given, several = found
        use = LabelUse(names, given, np.full_like(given, -1), several)
    if use is None or not use.is_given.any():
        if hold_out is not None:
            raise DataError(
                f"--hold-out withholds labels from the fit, and there are none in {samples.name}"
                + ("; --partial-labels names a column of them" if use is None else "")
            )
        return use
    if hold_out:
        rows = np.flatnonzero(use.is_given)
        drawn = np.random.default_rng([seed, 1]).permutation(rows)[: round(hold_out * len(rows))]
        given, held = use.given.copy(), use.held_out.copy()
        held[drawn], given[drawn] = given[drawn], -1
        use = replace(use, given=given, held_out=held)
    use = _with_known(use, samples)
    if use.y is None:
        return use
    has_sample = np.any(use.given > 0, axis=0).tolist()
    if unseen := [name for name, has in zip(use.names, has_sample, strict=True) if not has]:
        warn_caller(f"no sample of the fit has {_listed(unseen)}, which cannot be predicted")
    return use


def _with_known(use: LabelUse, samples: Samples) -> LabelUse:
    """Add the known classes of the samples whose labels are not given."""
    known = samples.known_sets()
    if known is None:
        return use
    # Classes that no partial label is cannot be predicted, which has to count against the predictions.
    unknown = tuple(sorted({name for names in known for name in names} - set(use.names)))
    given = np.pad(use.given, ((0, 0), (0, len(unknown))))
    given[~use.is_given] = -1
    held = np.pad(use.held_out, ((0, 0), (0, len(unknown))))
    held[~use.is_held_out] = -1
    found = indicators(known, use.names + unknown)
    free = _labelled(found) & ~use.is_given
    return replace(
        use, names=use.names + unknown, given=given, held_out=np.where(free[:, np.newaxis], found, held)
    )


def _labelled(indicators: NDArray[np.int8]) -> NDArray[np.bool_]:
    if not indicators.shape[1]:
        return np.zeros(len(indicators), dtype=bool)
    return np.all(indicators >= 0, axis=1)


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names[:_NAMED])) + (", ..." if len(names) > _NAMED else "")
    return f"the label {shown}" if len(names) == 1 else f"the {len(names)} labels {shown}"


def most_telling(samples: Samples, labels: LabelUse | None, n_features: int) -> Samples:
    """The features of the largest information gain about the labels that the fit is given.

    Raises a DataError for tables, and without such labels.
    """
    if not isinstance(samples, TextSamples | LabelSetSamples):
        raise DataError(
            f"--features selects words of documents and features of multi-label files, and {samples.name} is "
            "a table of numbers"
        )
    if labels is None or labels.y is None:
        raise DataError(
            "--features selects by the labels that the fit is given, and there are none"
            + ("" if labels is None else ": --hold-out withholds them all")
        )
    selector = InformationGainSelector(n_features).fit(samples.X, labels.y)
    return samples.selected(selector.get_support(indices=True))
