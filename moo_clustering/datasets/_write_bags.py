"""Bags as WEKA's relational ARFF."""

from __future__ import annotations

import gzip
import re
from collections import Counter
from os import PathLike
from pathlib import Path

from moo_clustering.datasets._bag_table import BagTable
from moo_clustering.persistence._atomic import replacing

_PLAIN = re.compile(r"[A-Za-z0-9_.+=:/()-]+")
_ESCAPED = str.maketrans(
    {
        "\\": r"\\",
        "'": r"\'",
        '"': r"\"",
        "%": r"\%",
        "\n": r"\n",
        "\r": r"\r",
        "\t": r"\t",
        "\x1e": r"\u001E",
    }
)


def write_bag_arff(path: str | PathLike[str], table: BagTable) -> None:
    """Write bags as WEKA's multi-instance ARFF, which :func:`read_bags` reads back to the last bit.

    Parameters
    ----------
    path : path-like
        An existing file is replaced as a whole or not at all; compressed by gzip if the name ends in ``.gz``.
    table : BagTable
        Bags without identifiers are numbered 0, 1, ..., features without names called x0, x1, ...;
        bags without known class get ``?``.

    Raises
    ------
    ValueError
        If two bags have the same identifier.
    OSError
        If the file cannot be written.
    """
    bags = table.bags
    ids = bags.bag_ids or tuple(map(str, range(len(bags))))
    name, count = Counter(ids).most_common(1)[0]
    if count > 1:
        raise ValueError(f"{count} bags have the identifier {name!r}; in an ARFF file each needs its own")
    names = bags.feature_names or tuple(f"x{column}" for column in range(bags.n_features))
    known = table.labels is not None and table.n_classes > 0
    lines = [f"@relation {arff_quoted(table.name)}", "", f"@attribute bag_id {_declared(ids)}"]
    lines += ["@attribute bag relational", *(f"  @attribute {arff_quoted(each)} numeric" for each in names)]
    lines += ["@end bag", *([f"@attribute class {_declared(table.label_names)}"] if known else [])]
    lines += ["", "@data"]
    for place, (identifier, bag) in enumerate(zip(ids, bags, strict=True)):
        rows = r"\n".join([",".join([arff_number(value) for value in row]) for row in bag.tolist()])
        cells = [arff_quoted(identifier), f"'{rows}'"]
        if known and table.labels is not None:
            label = int(table.labels[place])
            cells.append("?" if label < 0 else arff_quoted(table.label_names[label]))
        lines.append(",".join(cells))
    data = "\n".join([*lines, ""]).encode()
    target = Path(path)
    with replacing(target) as file:
        file.write(gzip.compress(data, mtime=0) if target.suffix.lower() == ".gz" else data)


def _declared(values: tuple[str, ...]) -> str:
    return "{" + ",".join(map(arff_quoted, values)) + "}"


def arff_quoted(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else f"'{text.translate(_ESCAPED)}'"


def arff_number(value: float) -> str:
    return repr(value).removesuffix(".0")
