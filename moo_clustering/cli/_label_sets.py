"""Documents with any number of partial labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from moo_clustering.datasets import DataError, Documents, read_documents
from moo_clustering.datasets._read_documents import holds_documents

if TYPE_CHECKING:
    from moo_clustering.estimators._registry import Method


@dataclass(frozen=True, eq=False)
class LabelSetDocuments(Documents):
    """Documents, known classes, and apart from these partial label sets for ``fit``.

    Parameters
    ----------
    partial_sets : list of tuple of str
        Empty for unlabelled documents.
    """

    partial_sets: list[tuple[str, ...]] = field(default_factory=list)


def load_documents(
    path: Path,
    method: Method,
    *,
    text_columns: Sequence[str] | None,
    labels: str | None,
    partial_labels: str | None,
    id_column: str | None,
    drop: Sequence[str],
) -> Documents:
    """Texts, with partial labels of as many a document as the method takes.

    Raises
    ------
    DataError
    """
    from moo_clustering.cli._label_data import methods_of_label_sets, takes_label_sets

    read = partial(read_documents, path, text_columns=text_columns, id_column=id_column)
    # Only JSON has lists.
    may_be_sets = partial_labels is not None and holds_documents(path) and path.is_file()
    if may_be_sets and takes_label_sets(method) and partial_labels != labels:
        # Read as known classes, of which a document may have several.
        unknown = [] if labels is None else [labels]
        given = read(labels=partial_labels, drop=(*drop, *unknown))
        if given.label_sets is not None:
            known = read(labels=labels, drop=(*drop, str(partial_labels)))
            sets = [() if names == ("-1",) else names for names in given.label_sets]
            return LabelSetDocuments(**vars(known), partial_sets=sets)
    try:
        return read(labels=labels, partial_labels=partial_labels, drop=tuple(drop))
    except DataError as error:
        if "can have only one" not in str(error):
            raise
        raise DataError(
            f"{error} with method {method.name}; methods that take label sets are {methods_of_label_sets()}"
        ) from error
