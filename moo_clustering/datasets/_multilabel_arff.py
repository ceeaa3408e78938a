"""ARFF files with several labels a row: MULAN's, with an XML file, and MEKA's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from moo_clustering.datasets._arff_header import Attribute, arff_lines, read_header
from moo_clustering.datasets._columns import identifiers
from moo_clustering.datasets._multilabel_roles import ArffOptions, Parts, binary_numbers, parts_of
from moo_clustering.datasets._multilabel_rows import Entries, EntryReader
from moo_clustering.datasets._multilabel_table import MultiLabelTable, tidy_csr, wrong_indicators
from moo_clustering.datasets._table import DataError


def read_multilabel_arff(text: str, path: Path, options: ArffOptions) -> MultiLabelTable:
    """Rows of a file; see :func:`~moo_clustering.datasets.read_multilabel`."""
    source = str(path)
    lines = arff_lines(text)
    header = read_header(lines, source)
    attributes = header.attributes
    parts = parts_of(header, options, path)
    kinds = [attribute.kind for attribute in attributes]
    used = {*parts.labels, *parts.features}
    for place, attribute in enumerate(attributes):
        if place not in used:
            attribute.kind = "text"  # to be kept as it is written, or left out whatever it is
    entries = EntryReader(attributes).read_all(lines, source)
    numbers = _Numbers(attributes, entries)
    return MultiLabelTable(
        name=path.name,
        X=numbers.features(parts.features, source),
        Y=numbers.labels(parts.labels, source),
        feature_names=tuple(attributes[place].name for place in parts.features),
        label_names=tuple(attributes[place].name for place in parts.labels),
        row_ids=_row_ids(entries, attributes, kinds, parts, source),
    )


class _Numbers:
    """Entries as numbers, and the number that a column has where it has no entry."""

    def __init__(self, attributes: list[Attribute], entries: Entries) -> None:
        coded = np.zeros((len(attributes), 2))
        nominal = np.zeros(len(attributes), dtype=bool)
        for place, attribute in enumerate(attributes):
            numbers = binary_numbers(attribute) if attribute.kind == "nominal" else None
            if numbers is not None:
                nominal[place] = True
                coded[place, : len(numbers)] = numbers
        self._attributes, self._entries = attributes, entries
        self.default = coded[:, 0]
        self.values = entries.codes.copy()
        known = nominal[entries.columns] & ~np.isnan(entries.codes)
        self.values[known] = coded[entries.columns[known], entries.codes[known].astype(np.intp)]

    def _chosen(self, columns: list[int]) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.float64]]:
        """Rows, places among the columns, and values of the entries in some columns."""
        where = np.full(len(self._attributes), -1)
        where[columns] = np.arange(len(columns))
        places = where[self._entries.columns]
        chosen = places >= 0
        return self._entries.rows[chosen], places[chosen], self.values[chosen]

    def features(self, columns: list[int], source: str) -> sp.csr_array:
        rows, places, values = self._chosen(columns)
        bad = np.flatnonzero(~np.isfinite(values))
        if len(bad):
            name = self._attributes[columns[places[bad[0]]]].name
            what = "missing" if np.isnan(values[bad[0]]) else "infinite"
            raise DataError(
                f"{source}, line {self._entries.lines[rows[bad[0]]]}: the value of attribute {name!r} is "
                f"{what}; fill in or remove such values first, or leave the attribute out with "
                f"drop=[{name!r}]"
            )
        default = self.default[columns]
        shape = (self._entries.n_rows, len(columns))
        X = sp.coo_array((values - default[places], (rows, places)), shape=shape).tocsr()
        if default.any():  # a first declared value of 1 is what sparse rows leave out
            X = X + sp.csr_array(np.ones((shape[0], 1))) @ sp.csr_array(default[np.newaxis, :])
        return tidy_csr(X)

    def labels(self, columns: list[int], source: str) -> NDArray[np.int8]:
        rows, places, values = self._chosen(columns)
        lines = self._entries.lines
        odd = np.flatnonzero(~(np.isnan(values) | (values == 0) | (values == 1)))
        if len(odd):
            name = self._attributes[columns[places[odd[0]]]].name
            raise DataError(
                f"{source}, line {lines[rows[odd[0]]]}: the label {name!r} is "
                f"{values[odd[0]]:g}, but labels must be 0 or 1 (? in all of them: an unlabelled row)"
            )
        Y = np.empty((self._entries.n_rows, len(columns)), dtype=np.int8)
        Y[:] = self.default[columns].astype(np.int8)
        Y[rows, places] = np.where(np.isnan(values), -1.0, values).astype(np.int8)
        problem = wrong_indicators(Y)
        if problem is not None:
            raise DataError(f"{source}, line {lines[problem[0]]}: {problem[1]}")
        return Y


def _row_ids(
    entries: Entries, attributes: list[Attribute], kinds: list[str], parts: Parts, source: str
) -> NDArray[Any]:
    if parts.identifier is None:
        return np.arange(entries.n_rows)
    attribute, kind = attributes[parts.identifier], kinds[parts.identifier]
    names = list(attribute.values)
    omitted = {"nominal": names[0] if names else "", "numeric": "0"}.get(kind, "")
    cells = [omitted] * entries.n_rows
    own = entries.columns == parts.identifier
    for row, code in zip(entries.rows[own].tolist(), entries.codes[own].tolist(), strict=True):
        cells[row] = "" if code != code else names[int(code)]
    return identifiers(cells, attribute.name, source)
