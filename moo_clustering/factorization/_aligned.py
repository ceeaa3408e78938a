"""Arrays whose rows begin with a cache line."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering.factorization._runs import Floats

_LINE = 64


def aligned_zeros(shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Zeros that begin with a cache line: loads of whole vectors that cross lines count twice."""
    size = math.prod(shape) * dtype.itemsize
    memory = np.zeros(size + _LINE, dtype=np.uint8)
    start = -memory.ctypes.data % _LINE
    return memory[start : start + size].view(dtype).reshape(shape)


def as_panel(lanes: Floats) -> Floats:
    """The panel of factors of shape (n_rows, n_components, n_runs)."""
    n_rows, k, n_runs = lanes.shape
    per_line = _LINE // lanes.itemsize
    panel = aligned_zeros((n_rows, -(-k * n_runs // per_line) * per_line), lanes.dtype)
    panel_lanes(panel, k, n_runs)[...] = lanes
    return panel


def panel_lanes(panel: Floats, k: int, n_runs: int) -> Floats:
    """The factors of a panel, of shape (n_rows, n_components, n_runs): a view."""
    return panel[:, : k * n_runs].reshape(len(panel), k, n_runs)
