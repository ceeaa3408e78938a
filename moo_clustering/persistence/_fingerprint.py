"""Which data a run was of."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

_CHUNK = 1 << 20  # elements hashed at a time when they must be copied


def fingerprint(*arrays: ArrayLike | sparse.sparray | sparse.spmatrix | None) -> str:
    """SHA-256 of arrays: their number, types, shapes and bytes.

    Parameters
    ----------
    *arrays : array-like, sparse matrix or None
        Memory layout and byte order do not matter; the type does (float32 is other data than
        float64), and so do the sign of zero and which NaN it is. Sparse matrices count as their
        canonical CSR form, and are other data than their dense form.

    Returns
    -------
    str
        64 hexadecimal digits.

    Raises
    ------
    TypeError
        For arrays of Python objects.

    Notes
    -----
    O(bytes) time. C-contiguous arrays are not copied, others a megabyte of elements at a time.
    """
    digest = hashlib.sha256()
    for position, array in enumerate(arrays):
        if array is None:
            digest.update(b"none;")
        elif sparse.issparse(array):
            csr = _canonical(array)
            digest.update(b"csr;")
            _update(digest, np.asarray(csr.shape, dtype=np.int64), position)
            _update(digest, csr.indptr.astype(np.int64, copy=False), position)
            _update(digest, csr.indices.astype(np.int64, copy=False), position)
            _update(digest, csr.data, position)
        else:
            _update(digest, np.asarray(array), position)
    return digest.hexdigest()


def _canonical(matrix: Any) -> Any:
    csr = matrix.tocsr()
    if not csr.has_canonical_format:
        csr = csr.copy() if csr is matrix else csr
        csr.sum_duplicates()
    return csr


def _update(digest: Any, array: np.ndarray[Any, Any], position: int) -> None:
    if array.dtype.hasobject:
        raise TypeError(
            f"array {position} holds Python objects (dtype {array.dtype}), which have no fingerprint"
        )
    dtype = array.dtype.newbyteorder("<")
    digest.update(f"{dtype.str if dtype.names is None else dtype.descr}{array.shape};".encode())
    if array.flags.c_contiguous and array.dtype == dtype:
        digest.update(array.reshape(-1).view(np.uint8))
        return
    chunks = np.nditer(
        array,
        flags=["external_loop", "buffered", "zerosize_ok"],
        order="C",
        op_dtypes=[dtype],
        casting="equiv",
        buffersize=_CHUNK,
    )
    for chunk in chunks:
        digest.update(np.ascontiguousarray(chunk).view(np.uint8))
