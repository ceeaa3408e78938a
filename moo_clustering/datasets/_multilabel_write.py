"""Multi-label tables as MULAN's pair of files."""

from __future__ import annotations

import gzip
from os import PathLike
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np

from moo_clustering.datasets._multilabel_table import MultiLabelTable
from moo_clustering.datasets._multilabel_xml import labels_of_xml
from moo_clustering.datasets._table import DataError
from moo_clustering.datasets._write_bags import arff_number, arff_quoted
from moo_clustering.persistence._atomic import replacing


def write_multilabel_arff(path: str | PathLike[str], table: MultiLabelTable) -> None:
    """Write a sparse ARFF file and beside it the XML file of labels, as MULAN reads them.

    :func:`read_multilabel` reads features and labels back to the last bit. The name of the relation
    has MEKA's option too. Identifiers of rows are not written, since both take every attribute that is no
    label for a feature.

    Parameters
    ----------
    path : path-like
        Ends in ``.arff`` or ``.arff.gz``; the XML file gets the same name with ``.xml``. Existing files
        are each replaced as a whole or not at all.
    table : MultiLabelTable
        Features with no other values than 0 and 1 are declared ``{0,1}``, others numeric. Unlabelled rows
        get ``?`` for every label.

    Raises
    ------
    ValueError
        If the path has another suffix, two attributes have the same name, or the name of a label cannot
        be written as XML.
    OSError
        If a file cannot be written.
    """
    target = Path(path)
    inner = Path(target.stem) if target.suffix.lower() == ".gz" else Path(target.name)
    if inner.suffix.lower() != ".arff":
        raise ValueError(f"path must end in .arff or .arff.gz, got {str(path)!r}")
    if not table.n_labels or not table.n_features:
        raise ValueError("a table needs features and labels to be written")
    names = [*table.feature_names, *table.label_names]
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValueError(
                f"two features or labels have the name {name!r}; in an ARFF file each needs its own"
            )
        seen.add(name)
    xml = _xml(table.label_names)
    relation = f"{table.name.partition(':')[0]}: -C -{table.n_labels}"
    lines = [f"@relation {arff_quoted(relation)}", ""]
    binary = _binary(table)
    declared = [*("{0,1}" if each else "numeric" for each in binary), *["{0,1}"] * table.n_labels]
    lines += [f"@attribute {arff_quoted(name)} {kind}" for name, kind in zip(names, declared, strict=True)]
    data = "\n".join([*lines, "", "@data", *_rows(table), ""]).encode()
    # Nested, so that neither takes its place before both are written.
    with replacing(target.with_name(f"{inner.stem}.xml")) as names_file:
        names_file.write(xml)
        names_file.flush()
        with replacing(target) as file:
            file.write(gzip.compress(data, mtime=0) if target.suffix.lower() == ".gz" else data)


def _binary(table: MultiLabelTable) -> list[bool]:
    other = np.zeros(table.n_features, dtype=bool)
    other[table.X.indices[(table.X.data != 0) & (table.X.data != 1)]] = True
    return [not each for each in other.tolist()]


def _rows(table: MultiLabelTable) -> list[str]:
    X, first = table.X, table.n_features
    unlabelled = ", ".join(f"{first + label} ?" for label in range(table.n_labels))
    rows = []
    for row, labels in enumerate(table.Y):
        own = slice(X.indptr[row], X.indptr[row + 1])
        cells = zip(X.indices[own].tolist(), X.data[own].tolist(), strict=True)
        entries = [f"{column} {arff_number(value)}" for column, value in sorted(cells) if value]
        if (labels < 0).any():
            entries.append(unlabelled)
        else:
            entries += [f"{first + label} 1" for label in np.flatnonzero(labels).tolist()]
        rows.append("{" + ", ".join(entries) + "}")
    return rows


def _xml(names: tuple[str, ...]) -> bytes:
    lines = [f"  <label name={quoteattr(name)}/>" for name in names]
    text = "\n".join(
        [
            '<?xml version="1.0" encoding="utf-8"?>',
            '<labels xmlns="http://mulan.sourceforge.net/labels">',
            *lines,
            "</labels>",
            "",
        ]
    )
    try:
        data = text.encode()
        back = labels_of_xml(data, "")
    except (DataError, UnicodeEncodeError):
        back = ()
    if back != names:
        raise ValueError("a name of a label has characters that XML cannot hold")
    return data
