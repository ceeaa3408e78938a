"""Tables of any columns, turned into features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from moo_clustering.datasets import DataError, Table
from moo_clustering.datasets._columns import Roles, identifiers, labelled
from moo_clustering.datasets._prepare_table import prepare_table
from moo_clustering.datasets._read_frame import read_frame

if TYPE_CHECKING:
    from moo_clustering.estimators._registry import Method

Preparation = Literal["equal", "none"]


@dataclass(frozen=True, eq=False)
class PreparedSamples(Table):
    """A table whose features were made of its columns.

    Parameters
    ----------
    columns : DataFrame
        The columns, empty cells filled.
    category_names : tuple of str
        Those of them that are categories.
    notes : tuple of str
        What was done.
    """

    columns: Any = None
    category_names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def prepares(method: Method, options: Mapping[str, Any]) -> Preparation | None:
    """How the features of a table are to be scaled; None where the table has to be features already."""
    if not method.prepares or options.get("metric", "euclidean") != "euclidean":
        return None
    # Who says how to scale is given the numbers as they are.
    return "none" if "scale" in options else "equal"


def load_prepared(
    path: Path,
    *,
    labels: str | None,
    partial_labels: str | None,
    id_column: str | None,
    drop: Sequence[str],
    scale: Preparation,
) -> PreparedSamples:
    """Features of the columns of a file that have no other role.

    Raises
    ------
    DataError
        When the file cannot be read, or nothing is left.
    """
    frame, roles, notes = read_frame(path, Roles(labels, partial_labels, id_column, tuple(drop)))
    taken = roles.by_column()
    features = [column for column in frame.columns if column not in taken]
    if not features:
        raise DataError(f"{path} has no feature columns besides {', '.join(map(repr, taken))}")
    row_ids: NDArray[Any] = np.arange(len(frame))
    if roles.id_column is not None:
        row_ids = identifiers(frame[roles.id_column], roles.id_column, str(path))
    try:
        prepared = prepare_table(frame[features], scale=scale)
    except DataError as error:
        raise DataError(f"{path}: {error}") from error
    samples = PreparedSamples(
        path.name,
        prepared.X,
        prepared.feature_names,
        row_ids,
        columns=prepared.columns,
        category_names=prepared.category_names,
        notes=(*notes, *prepared.notes),
    )
    known = None if roles.labels is None else frame[roles.labels]
    partial = None if roles.partial_labels is None else frame[roles.partial_labels]
    found = labelled(samples, known, partial)
    assert isinstance(found, PreparedSamples)
    return found
