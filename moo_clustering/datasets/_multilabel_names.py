"""Names of features and labels: given, in text files, or made up."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from moo_clustering.datasets._table import DataError

MOST_FEATURES = 20_000_000
Names = Sequence[str] | PathLike[str] | None


def default_names(prefix: str, count: int, source: str) -> tuple[str, ...]:
    """x0, x1, ..., unless the count shows that a number in the file is wrong."""
    if count > MOST_FEATURES:
        raise DataError(
            f"{source} has {count:,} features, more than the {MOST_FEATURES:,} that are read; an index in it "
            "is probably wrong"
        )
    return tuple(f"{prefix}{number}" for number in range(count))


def read_names(names: Names, count: int, what: str, source: str) -> tuple[str, ...]:
    """As many different names as there are columns.

    Parameters
    ----------
    names : path-like, str or sequence of str
        Names, or a text file with one a line.
    """
    if isinstance(names, str | PathLike):
        path = Path(names)
        source = str(path)
        try:
            lines = path.read_text(encoding="utf-8-sig").split("\n")
        except FileNotFoundError:
            raise DataError(f"there is no file {path} ({what})") from None
        except UnicodeDecodeError as error:
            raise DataError(f"{path} is not a text file in UTF-8 ({error.reason})") from error
        except OSError as error:
            raise DataError(f"cannot read {path}: {error.strerror or error}") from error
        names = [line.strip() for line in lines]
        while names and not names[-1]:
            names.pop()
    checked = tuple(str(name) for name in names or ())
    if len(checked) != count:
        raise DataError(f"{source} has {len(checked)} {what} for {count} columns")
    seen: dict[str, int] = {}
    for place, name in enumerate(checked, start=1):
        if not name:
            raise DataError(f"{source}: name {place} of {what} is empty")
        if seen.setdefault(name, place) != place:
            raise DataError(f"{source}: {what} {seen[name]} and {place} are both {name!r}")
    return checked
