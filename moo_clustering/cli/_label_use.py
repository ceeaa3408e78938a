"""Which labels the fit is given, and which only score its predictions."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering.cli._label_sets import LabelSetDocuments
from moo_clustering.datasets import DataError, Documents, MultiLabelTable, Table

_NAMED, _FEWEST = 5, 2


@dataclass(frozen=True, eq=False)
class LabelUse:
    """Labels of the samples, apart for the fit and for scoring.

    Parameters
    ----------
    names : tuple of str
        Names of the labels.
    given : ndarray of shape (n_samples, n_labels), int8
        1 and 0 where the fit is given the labels of a sample; rows of -1 elsewhere.
    held_out : ndarray of shape (n_samples, n_labels), int8
        1 and 0 of the samples that score the predictions; rows of -1 elsewhere, and wherever the fit is
        given the labels.
    multilabel : bool
        Whether a sample may have any number of labels.
    """

    names: tuple[str, ...]
    given: NDArray[np.int8]
    held_out: NDArray[np.int8]
    multilabel: bool

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
        """What the fit is given: codes of classes, or indicators of the labels in ``columns``; -1 for
        unlabelled samples.
        """
        if not self.is_given.any():
            return None
        if self.multilabel:
            return self.given[:, self.columns]
        return np.where(self.is_given, self.given.argmax(axis=1), -1)


def label_use(
    table: Table | Documents | MultiLabelTable, hold_out: float | None, seed: int
) -> LabelUse | None:
    """The labels that the fit may have, without those of a share of the samples; None where it has none.

    Known classes (``--labels``) of samples whose labels the fit is not given score the predictions too.

    Raises
    ------
    DataError
        When labels are to be held out and there are none.
    """
    use = _partial(table)
    if use is None or not use.is_given.any():
        if hold_out is not None:
            raise DataError(
                f"--hold-out withholds labels from the fit, and there are none in {table.name}"
                + ("; --partial-labels names a column of them" if use is None else "")
            )
        return use
    if hold_out:
        rows = np.flatnonzero(use.is_given)
        drawn = np.random.default_rng([seed, 1]).permutation(rows)[: round(hold_out * len(rows))]
        given, held = use.given.copy(), use.held_out.copy()
        held[drawn], given[drawn] = given[drawn], -1
        use = replace(use, given=given, held_out=held)
    use = _with_known(use, table)
    if use.y is None:
        return use
    has_sample = np.any(use.given > 0, axis=0).tolist()
    if unseen := [name for name, has in zip(use.names, has_sample, strict=True) if not has]:
        warnings.warn(f"no sample of the fit has {_listed(unseen)}, which cannot be predicted", stacklevel=2)
    return use


def _partial(table: Any) -> LabelUse | None:
    """All labels that there are for the fit, nothing held out."""
    if isinstance(table, MultiLabelTable):
        names, given, several = tuple(table.label_names), np.asarray(table.Y, dtype=np.int8), True
        if len(names) == 1:  # which samples have and have not
            names, several = (f"not {names[0]}", names[0]), False
            given = np.column_stack([np.where(given < 0, -1, 1 - given), given]).astype(np.int8)
    elif isinstance(table, LabelSetDocuments):
        names = tuple(sorted({name for names in table.partial_sets for name in names}))
        given, several = _indicators(table.partial_sets, names), True
    elif table.partial_y is not None:
        names, several = table.partial_names, False
        given = _indicators(_sets(table.partial_y, names), names)
    else:
        return None
    return LabelUse(names, given, np.full_like(given, -1), several)


def _with_known(use: LabelUse, table: Any) -> LabelUse:
    """Known classes of the samples whose labels are not given."""
    if isinstance(table, MultiLabelTable):
        return use
    known = table.label_sets if isinstance(table, Documents) else None
    if known is None:
        if table.y is None:
            return use
        known = _sets(table.y, table.target_names)
    # Classes that no partial label is cannot be predicted, which has to count against the predictions.
    unknown = tuple(sorted({name for names in known for name in names} - set(use.names)))
    given = np.pad(use.given, ((0, 0), (0, len(unknown))))
    given[~use.is_given] = -1
    held = np.pad(use.held_out, ((0, 0), (0, len(unknown))))
    held[~use.is_held_out] = -1
    found = _indicators(known, use.names + unknown)
    free = _labelled(found) & ~use.is_given
    return replace(
        use,
        names=use.names + unknown,
        given=given,
        held_out=np.where(free[:, np.newaxis], found, held),
    )


def _sets(codes: NDArray[np.int64], names: Sequence[str]) -> list[tuple[str, ...]]:
    return [(names[code],) if code >= 0 else () for code in codes]


def _indicators(sets: Sequence[tuple[str, ...]], names: Sequence[str]) -> NDArray[np.int8]:
    """Rows of 0 and 1, of -1 for samples without a label."""
    place = {name: column for column, name in enumerate(names)}
    found = np.zeros((len(sets), len(names)), dtype=np.int8)
    for row, labels in enumerate(sets):
        if not labels:
            found[row] = -1
        for label in labels:
            if label in place:
                found[row, place[label]] = 1
    return found


def _labelled(indicators: NDArray[np.int8]) -> NDArray[np.bool_]:
    if not indicators.shape[1]:
        return np.zeros(len(indicators), dtype=bool)
    known: NDArray[np.bool_] = np.all(indicators >= 0, axis=1)
    return known


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names[:_NAMED])) + (", ..." if len(names) > _NAMED else "")
    return f"the label {shown}" if len(names) == 1 else f"the {len(names)} labels {shown}"
