"""Bags and multi-label tables as files of WEKA and MULAN, for the tests of the readers."""

import gzip
import re
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np

_PLAIN = re.compile(r"[A-Za-z0-9_.+=:/()-]+")
_ESCAPED = str.maketrans(
    {mark: f"\\{mark}" for mark in "\\'\"%"} | {"\n": r"\n", "\r": r"\r", "\t": r"\t", "\x1e": r"\u001E"}
)


def write_bag_arff(path, table):
    """WEKA's multi-instance form, compressed by gzip if the name ends in ``.gz``."""
    bags = table.bags
    ids = bags.bag_ids or tuple(map(str, range(len(bags))))
    names = bags.feature_names or tuple(f"x{column}" for column in range(bags.n_features))
    known = table.labels is not None and table.n_classes > 0
    lines = [f"@relation {_quoted(table.name)}", "", f"@attribute bag_id {_declared(ids)}"]
    lines += ["@attribute bag relational", *(f"  @attribute {_quoted(each)} numeric" for each in names)]
    lines += ["@end bag", *([f"@attribute class {_declared(table.label_names)}"] if known else [])]
    lines += ["", "@data"]
    for place, (identifier, bag) in enumerate(zip(ids, bags, strict=True)):
        rows = r"\n".join([",".join([_number(value) for value in row]) for row in bag.tolist()])
        cells = [_quoted(identifier), f"'{rows}'"]
        if known:
            label = int(table.labels[place])
            cells.append("?" if label < 0 else _quoted(table.label_names[label]))
        lines.append(",".join(cells))
    _write(path, [*lines, ""])


def write_multilabel_arff(path, table):
    """A sparse ARFF file and beside it the XML file of labels, as MULAN reads them."""
    relation = f"{table.name.partition(':')[0]}: -C -{table.n_labels}"
    other = set(table.X.indices[(table.X.data != 0) & (table.X.data != 1)].tolist())
    kinds = ["numeric" if column in other else "{0,1}" for column in range(table.n_features)]
    kinds += ["{0,1}"] * table.n_labels
    names = [*table.feature_names, *table.label_names]
    lines = [f"@relation {_quoted(relation)}", ""]
    lines += [f"@attribute {_quoted(name)} {kind}" for name, kind in zip(names, kinds, strict=True)]
    _write(path, [*lines, "", "@data", *_rows(table), ""])
    labels = "".join(f"  <label name={quoteattr(name)}/>\n" for name in table.label_names)
    space = "http://mulan.sourceforge.net/labels"
    xml = f'<?xml version="1.0" encoding="utf-8"?>\n<labels xmlns="{space}">\n{labels}</labels>\n'
    Path(path).with_name(Path(path).name.partition(".")[0] + ".xml").write_bytes(xml.encode())


def _rows(table):
    X, first = table.X, table.n_features
    unlabelled = [f"{first + label} ?" for label in range(table.n_labels)]
    for row, labels in enumerate(table.Y):
        own = slice(X.indptr[row], X.indptr[row + 1])
        cells = zip(X.indices[own].tolist(), X.data[own].tolist(), strict=True)
        entries = [f"{column} {_number(value)}" for column, value in sorted(cells) if value]
        known = [f"{first + label} 1" for label in np.flatnonzero(labels).tolist()]
        yield "{" + ", ".join(entries + (unlabelled if (labels < 0).any() else known)) + "}"


def _write(path, lines):
    data = "\n".join(lines).encode()
    Path(path).write_bytes(gzip.compress(data, mtime=0) if Path(path).suffix.lower() == ".gz" else data)


def _declared(values):
    return "{" + ",".join(map(_quoted, values)) + "}"


def _quoted(text):
    return text if _PLAIN.fullmatch(text) else f"'{text.translate(_ESCAPED)}'"


def _number(value):
    return repr(value).removesuffix(".0")
