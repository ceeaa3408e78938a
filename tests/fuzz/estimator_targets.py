"""Strategies of classes, label sets and pairs, most of them good and some of them not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from estimator_tables import mostly
from hypothesis import strategies as st


@st.composite
def classes(draw: Any, n: int) -> Any:
    """One class a sample, -1 for most; or anything else."""
    rng = np.random.default_rng(draw(st.integers(0, 9)))
    y = rng.integers(0, 3, n)
    y[rng.random(n) < 0.6] = -1
    kinds = ["list", "series", "floats", "all -1", "one class", "one sample", "complete", "gaps"]
    odd = ["strings", "text -1", "half", "none", "nan", "minus two", "short", "column", "two columns", "inf"]
    odd += ["huge", "bool", "scalar", "text", "complex", "huge uint", "dates", "objects", "sparse"]
    return _classes(draw(mostly(st.just("partial"), st.sampled_from(kinds), st.sampled_from(odd))), y)


def _classes(kind: str, y: np.ndarray) -> Any:
    n = len(y)
    some = np.where(y >= 0, y, 0)
    forms = {
        "list": lambda: y.tolist(),
        "series": lambda: pd.Series(y, index=np.arange(n) + 5),
        "floats": lambda: y.astype(float),
        "all -1": lambda: np.full(n, -1),
        "one class": lambda: np.minimum(y, 0),
        "one sample": lambda: np.r_[np.zeros(min(n, 1), dtype=int), np.full(max(n - 1, 0), -1)],
        "complete": lambda: some,
        "gaps": lambda: np.where(y >= 0, y * 50 + 7, -1),
        "strings": lambda: np.array(["a", "b", "c"])[some],
        "text -1": lambda: np.array(["a", "b", "-1"])[some],
        "half": lambda: y + 0.5,
        "none": lambda: [None if value < 0 else int(value) for value in y],
        "nan": lambda: np.where(y < 0, np.nan, y),
        "inf": lambda: np.where(y < 0, np.inf, y),
        "minus two": lambda: np.where(y < 0, -2, y),
        "short": lambda: y[1:],
        "column": lambda: y[:, None],
        "two columns": lambda: np.c_[y, y],
        "huge": lambda: np.where(y >= 0, y * 10**17, -1),
        "bool": lambda: y > 0,
        "scalar": lambda: 1,
        "text": lambda: "labels",
        "complex": lambda: y + 1j,
        "huge uint": lambda: np.where(y >= 0, np.uint64(2**64 - 1), np.uint64(1)),
        "dates": lambda: some.astype("datetime64[D]"),
        "objects": lambda: np.array([object() for _ in y], dtype=object),
        "sparse": lambda: sp.csr_matrix(np.eye(n, 3)),
    }
    return forms.get(kind, lambda: y)()


@st.composite
def label_sets(draw: Any, n: int) -> Any:
    """Indicators of labels, rows of -1 for some; or one class a sample; or anything else."""
    rng = np.random.default_rng(draw(st.integers(0, 9)))
    Y = rng.integers(0, 2, (n, draw(mostly(st.just(3), st.integers(0, 1)))))
    Y[rng.random(n) < 0.3] = -1
    kind = draw(
        mostly(
            st.sampled_from(["partial", "list", "frame", "floats"]),
            st.sampled_from(
                ["classes", "all -1", "zeros", "ones", "partly -1", "twos", "half", "nan", "short", "sparse"]
            ),
        )
    )
    if kind == "classes":
        return draw(classes(n))
    forms = {
        "list": lambda: Y.tolist(),
        "frame": lambda: pd.DataFrame(Y),
        "floats": lambda: Y.astype(float),
        "all -1": lambda: np.full_like(Y, -1),
        "zeros": lambda: np.zeros_like(Y),
        "ones": lambda: np.ones_like(Y),
        "partly -1": lambda: np.where(np.arange(Y.shape[1]) == 0, -1, np.maximum(Y, 0)),
        "twos": lambda: Y * 2,
        "half": lambda: Y * 0.5,
        "nan": lambda: np.where(Y < 0, np.nan, Y),
        "short": lambda: Y[1:],
        "sparse": lambda: sp.csr_matrix(np.maximum(Y, 0)),
    }
    return forms.get(kind, lambda: Y)()


@st.composite
def pairs(draw: Any, n: int) -> Any:
    """Pairs of samples, which may contradict others; or anything else."""
    rng = np.random.default_rng(draw(st.integers(0, 9)))
    count = draw(st.integers(0, 3))
    good = np.array([rng.choice(n, 2, replace=False) for _ in range(count)] if n > 1 else [], dtype=int)
    good = good.reshape(-1, 2)
    odd = [
        [(0, 0)],
        [(0, n)],
        [(-1, 1)],
        [(0, 1), (1, 0), (0, 1)],
        [(0.0, 1.0)],
        [(0, 1.5)],
        [(0, np.nan)],
        [(0, 1, 2)],
        [0, 1],
        [],
        [[]],
        [("0", "1")],
        [(0, None)],
        [(0, 1), (2,)],
        "pairs",
        3,
        {(0, 1)},
        [(10**30, 1)],
        [(False, True)],
        pd.DataFrame({"a": [0], "b": [1]}),
        sp.csr_matrix([[0, 1]]),
    ]
    return draw(
        mostly(st.sampled_from([good, good.tolist(), [tuple(row) for row in good]]), st.sampled_from(odd))
    )
