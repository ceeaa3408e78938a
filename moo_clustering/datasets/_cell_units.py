"""Units written beside numbers."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

# A currency before the number, or anything short after it; never a prefix of letters, which names make.
_MEASURE = re.compile(
    r"(?P<before>[$€£¥]|EUR|USD|GBP|CHF)?\s*"
    r"(?P<number>[+-]?[\d.,]*\d(?:[ '\u00a0\u202f]\d{3})*(?:[.,]\d+)?(?:[eE][+-]?\d+)?)"
    r"\s*(?P<after>[^\d\s.,+'-]{1,6})?"
)


class Measures(NamedTuple):
    """Texts without the unit that all of them have."""

    texts: NDArray[Any]
    unit: str


def without_unit(texts: NDArray[Any]) -> Measures | None:
    """Numbers that all have the same unit (12 %, $5, 3.5 km/h); None for other texts.

    Notes
    -----
    O(n) time and memory.
    """
    units, bare = set(), []
    for text in texts:
        match = _MEASURE.fullmatch(str(text))
        if match is None:
            return None
        units.add((match["before"] or "", match["after"] or ""))
        if len(units) > 1:
            return None
        bare.append(match["number"])
    if not units or units == {("", "")}:
        return None
    before, after = units.pop()
    return Measures(np.array(bare, dtype=object), " ".join(part for part in (before, after) if part))
