"""Numbers as they are written, to the last bit: by itself, pandas before 3.1 is a bit off in one of six."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

_VERSION = tuple(int(part) for part in pd.__version__.split(".")[:2])
# Later versions do it by themselves, and warn of the option.
EXACT: dict[str, Any] = {} if _VERSION >= (3, 1) else {"float_precision": "round_trip"}
"""Options of ``pandas.read_csv``."""


def exact_numbers(texts: list[str]) -> NDArray[np.float64]:
    """What :func:`pandas.to_numeric` takes for numbers; NaN for the others and for infinite ones."""
    found = pd.to_numeric(pd.Series(texts, dtype=object), errors="coerce").to_numpy(np.float64, copy=True)
    finite = np.isfinite(found)
    found[~finite] = np.nan
    found[finite] = [float(texts[row]) for row in np.flatnonzero(finite)]
    return found
