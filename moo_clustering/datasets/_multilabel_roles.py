"""Which attributes of an ARFF file are labels, and which features."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from moo_clustering._suggest import did_you_mean
from moo_clustering.datasets._arff_header import Attribute, Header
from moo_clustering.datasets._multilabel_xml import labels_of_file
from moo_clustering.datasets._table import DataError

# MEKA's option in the name of the relation, as in 'Music: -C 6'.
_OPTION = re.compile(r"(?<!\S)-[Cc]\s+([+-]?\d{1,9})(?!\S)")
_MOVED = re.compile(r"filters?\.\w+\.attribute\.(Remove|Reorder)")
_NUMBERS = {"0": 0.0, "1": 1.0, "no": 0.0, "yes": 1.0, "n": 0.0, "y": 1.0} | {
    "false": 0.0,
    "true": 1.0,
    "f": 0.0,
    "t": 1.0,
}
_HOW = (
    "name them with labels_xml=... (MULAN), n_labels=... (the first that many attributes, or if negative the "
    "last) or labels=[...]"
)


class ArffOptions(NamedTuple):
    """What the user says about attributes; see :func:`~moo_clustering.datasets.read_multilabel`."""

    labels_xml: Path | None = None
    n_labels: int | None = None
    labels: tuple[str, ...] | None = None
    id_column: str | None = None
    drop: tuple[str, ...] = ()


class Parts(NamedTuple):
    """Numbers of the attributes: labels in their order, features, and the identifier."""

    labels: list[int]
    features: list[int]
    identifier: int | None


def parts_of(header: Header, options: ArffOptions, path: Path) -> Parts:
    """Labels, features and identifier, checked to be what they can be."""
    attributes, source = header.attributes, str(path)
    places = {attribute.name: place for place, attribute in enumerate(attributes)}
    names = _label_names(header, options, path)
    others = [(options.id_column, "id_column")] if options.id_column is not None else []
    others += [(name, "drop") for name in options.drop]
    for name, role in others:
        if name not in places:
            raise DataError(f"{source} has no attribute {name!r} ({role}){did_you_mean(str(name), places)}")
        if name in names:
            raise DataError(f"attribute {name!r} cannot be both a label and named by {role}")
    if options.id_column in options.drop:
        raise DataError(f"attribute {options.id_column!r} cannot be both the id_column and named by drop")
    taken = {*names, *options.drop, options.id_column}
    features = [place for place, attribute in enumerate(attributes) if attribute.name not in taken]
    if not features:
        raise DataError(f"{source}: no attributes are left as features besides {len(names)} labels")
    labels = [places[name] for name in names]
    _check_labels([attributes[place] for place in labels], source)
    _check_features([attributes[place] for place in features], source)
    identifier = None if options.id_column is None else places[options.id_column]
    return Parts(labels, features, identifier)


def binary_numbers(attribute: Attribute) -> list[float] | None:
    """0 or 1 for each declared value of a nominal attribute; None where they mean something else."""
    numbers = [_NUMBERS.get(value.casefold(), _number(value)) for value in attribute.values]
    if any(number not in (0.0, 1.0) for number in numbers) or len(numbers) != len(set(numbers)):
        return None
    return [number for number in numbers if number is not None]


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _label_names(header: Header, options: ArffOptions, path: Path) -> Sequence[str]:
    names = [attribute.name for attribute in header.attributes]
    if options.n_labels is not None:
        return _counted(names, options.n_labels, "n_labels", str(path))
    if options.labels is not None:
        return _known(options.labels, names, "labels name", path)
    stem = Path(path.stem) if path.suffix.lower() == ".gz" else Path(path.name)
    beside = path.with_name(f"{stem.stem}.xml")
    if options.labels_xml is not None or beside.is_file():
        file = options.labels_xml or beside
        return _known(labels_of_file(file), names, f"{file} names", path)
    settings = header.relation.partition(":")[2]
    option = _OPTION.search(settings)
    if option is None:
        found = sorted(each.name for each in path.parent.glob("*.xml"))
        where = f"; beside it there are {', '.join(found[:5])}" if found else ""
        raise DataError(
            f"{path} does not say which attributes are labels: there is no file {beside.name} beside it, and "
            f"the name of its relation has no option -C; {_HOW}{where}"
        )
    if _MOVED.search(settings, option.end()):
        raise DataError(
            f"{path}: the name of its relation has the option -C {option[1]}, but also tells of attributes "
            f"removed or moved since, so that it may not hold; {_HOW}"
        )
    return _counted(names, int(option[1]), "the option -C in the name of the relation", str(path))


def _counted(names: list[str], count: int, what: str, source: str) -> list[str]:
    if not 0 < abs(count) < len(names):
        raise DataError(
            f"{source}: {what} must be a number of labels from 1 to {len(names) - 1} (one less than "
            f"there are attributes), or the negative of one for the last attributes; got {count}"
        )
    return names[:count] if count > 0 else names[count:]


def _known(labels: Sequence[str], names: list[str], what: str, path: Path) -> Sequence[str]:
    declared, seen = set(names), set[str]()
    missing = [label for label in labels if label not in declared]
    if missing:
        more = f" (and {len(missing) - 1} more such labels)" if len(missing) > 1 else ""
        raise DataError(
            f"{what} the label {missing[0]!r}{more}, but {path} has no such attribute"
            f"{did_you_mean(missing[0], names)}"
        )
    for label in labels:
        if label in seen:
            raise DataError(f"{what} the label {label!r} twice")
        seen.add(label)
    return labels


def _check_labels(labels: list[Attribute], source: str) -> None:
    for attribute in labels:
        if attribute.kind != "numeric" and (attribute.kind != "nominal" or not binary_numbers(attribute)):
            raise DataError(
                f"{source}: the label {attribute.name!r} is {_described(attribute)}; labels must be declared "
                "{0,1}, or numeric with these values"
            )


def _check_features(features: list[Attribute], source: str) -> None:
    for kinds, remedy in (
        (("text", "date"), "; texts are read by read_documents, and id_column names an identifier"),
        (("relational",), "; bags of instances are read by read_bags"),
        (("nominal",), "; features are numeric or {0,1}: replace it by one attribute {0,1} for each value"),
    ):
        wrong = [each for each in features if each.kind in kinds and not binary_numbers(each)]
        if wrong:
            also = [repr(each.name) for each in wrong[1:5]] + ["..."] * (len(wrong) > 5)
            more = f" (as are {', '.join(also)})" if also else ""
            raise DataError(
                f"{source}: the attribute {wrong[0].name!r} is {_described(wrong[0])}{more}{remedy}, "
                f"or leave it out with drop=[{wrong[0].name!r}]"
            )


def _described(attribute: Attribute) -> str:
    if attribute.kind != "nominal":
        return {"text": "a text", "date": "a date"}.get(attribute.kind, attribute.kind)
    values = [repr(value) for value in list(attribute.values)[:4]] + ["..."] * (len(attribute.values) > 4)
    return f"nominal with the values {', '.join(values)}"
