"""The method where none is named."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from moo_clustering.datasets import BUNDLED
from moo_clustering.estimators._flagship_methods import RECOMMENDED, RECOMMENDED_FOR_BAGS


class Choice(NamedTuple):
    """A method by name, and why it was taken; empty if it was named."""

    name: str
    why: str


def choose_method(method: str | None, data: str, bag: str | None) -> Choice:
    """The method named, or the recommended one for such data."""
    from moo_clustering.cli._bag_data import holds_bags

    if method is not None:
        return Choice(method, "")
    path = Path(data)
    if data not in BUNDLED and path.is_file() and holds_bags(path, bag) and not _label_sets(path):
        return Choice(RECOMMENDED_FOR_BAGS, "the recommended one for bags, as none was named")
    return Choice(RECOMMENDED, "the recommended one, as none was named")


def _label_sets(path: Path) -> bool:
    from moo_clustering.cli._label_data import holds_label_sets
    from moo_clustering.estimators._registry import METHODS

    return holds_label_sets(path, METHODS[RECOMMENDED], None)
