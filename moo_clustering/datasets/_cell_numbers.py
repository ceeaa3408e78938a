"""Numbers and dates written as text."""

from __future__ import annotations

import re
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from moo_clustering.datasets._exact_numbers import exact_numbers

Convention = Literal["plain", "comma", "point", "ambiguous", "none"]

_COMMA = re.compile(r"[+-]?(\d{1,3}(\.\d{3})+|\d+)(,\d+)?", re.ASCII)
_POINT = re.compile(r"[+-]?(\d{1,3}(,\d{3})+|\d+)(\.\d+)?", re.ASCII)
_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}(\.\d{3})+", re.ASCII)
_SPACED = re.compile(r"(?<=\d)[ '\u00a0\u202f](?=\d{3}(\D|$))", re.ASCII)
# With a few cells that are no numbers, a column of many different numbers is still one of numbers.
_SHARE, _DIFFERENT = 0.9, 10
_FORMATS = (
    "ISO8601", "%Y/%m/%d", "%d.%m.%Y", "%d.%m.%y", "%d.%m.%Y %H:%M", "%d.%m.%Y %H:%M:%S",
    "%d/%m/%Y", "%m/%d/%Y", "%d/%m/%Y %H:%M", "%m/%d/%Y %H:%M", "%d-%m-%Y", "%m-%d-%Y",
)  # fmt: skip


class Numbers(NamedTuple):
    """Texts read as numbers.

    Attributes
    ----------
    convention : {"plain", "comma", "point", "ambiguous", "none"}
        As Python writes numbers; with a decimal comma; with commas that separate thousands; numbers that
        may be either (1,234); or no numbers.
    values : ndarray of shape (n,)
        NaN for the few texts that are no numbers; of ambiguous ones those with decimal commas.
    grouped : bool
        Plain numbers that may also be read as thousands with points (1.234).
    """

    convention: Convention
    values: NDArray[np.float64]
    grouped: bool = False


def read_numbers(texts: NDArray[Any]) -> Numbers:
    """What texts, none of them empty, say as numbers.

    Notes
    -----
    O(n) time and memory.
    """
    different, where = np.unique(texts.astype(str), return_inverse=True)
    compact = [_SPACED.sub("", text) for text in different]
    plain = exact_numbers(compact)
    commas = np.array([bool(_COMMA.fullmatch(text)) for text in compact])
    points = np.array([bool(_POINT.fullmatch(text)) for text in compact])
    shares = {
        "plain": np.isfinite(plain)[where].mean(),
        "comma": commas[where].mean(),
        "point": points[where].mean(),
    }
    best = max(shares, key=lambda name: shares[name])  # plain before others where equal
    if shares[best] < _SHARE or (shares[best] < 1 and len(different) <= _DIFFERENT):
        return Numbers("none", np.full(len(texts), np.nan))
    if best == "plain":
        pointed = [text for text in compact if "." in text]
        grouped = bool(pointed) and all(_GROUPED.fullmatch(text) for text in pointed)
        return Numbers("plain", plain[where], grouped)
    convention: Convention = "comma" if best == "comma" else "point"
    if shares["comma"] == shares["point"] and not _must_be_decimal(compact):
        convention = "ambiguous"
    values = as_numbers(compact, "point" if best == "point" and convention != "ambiguous" else "comma")
    return Numbers(convention, values[where])


def as_numbers(texts: Any, convention: Literal["comma", "point"]) -> NDArray[np.float64]:
    """Numbers of texts with a decimal comma, or with commas between thousands; NaN for other texts."""
    pattern = _COMMA if convention == "comma" else _POINT
    values = np.full(len(texts), np.nan)
    for row, text in enumerate(texts):
        compact = _SPACED.sub("", str(text))
        if pattern.fullmatch(compact):
            thousands, decimal = (".", ",") if convention == "comma" else (",", ".")
            values[row] = float(compact.replace(thousands, "").replace(decimal, "."))
    values[~np.isfinite(values)] = np.nan  # more digits than a number can have
    return values


def read_dates(texts: NDArray[Any]) -> NDArray[np.datetime64] | str | None:
    """Dates of texts, none of them empty; a text if day and month cannot be told apart; None if no dates."""
    if not len(texts) or not re.match(r"\d{1,4}[-./]\d", str(texts[0])):
        return None
    found: list[NDArray[np.datetime64]] = []
    column = pd.Series(texts, dtype=object)
    for form in _FORMATS:
        dates = pd.to_datetime(column, format=form, errors="coerce", utc=True).dt.tz_localize(None)
        if dates.notna().all():
            found.append(dates.to_numpy(dtype="datetime64[s]"))
    if not found:
        return None
    if any((other != found[0]).any() for other in found[1:]):
        return f"days and months cannot be told apart ({texts[0]!r})"
    return found[0]


def _must_be_decimal(texts: list[str]) -> bool:
    """Whether commas that could separate thousands cannot: 0,123, or 1500 beside 1,234."""
    return any(re.fullmatch(r"[+-]?(0,\d+|\d{4,})", text) for text in texts)
