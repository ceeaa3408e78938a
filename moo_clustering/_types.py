"""Array and seed types."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
Float32Array = NDArray[np.float32]
AnyFloatArray = NDArray[np.floating[Any]]
IntArray = NDArray[np.integer[Any]]
Int32Array = NDArray[np.int32]
Int64Array = NDArray[np.int64]
IntpArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]
# Cluster number (0 to k - 1) of each sample. An array of several partitions has one row per partition.
Labels = NDArray[np.int32]
SeedLike = int | np.integer[Any] | np.random.Generator | np.random.RandomState | None
