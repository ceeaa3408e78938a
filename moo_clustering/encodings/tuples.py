"""Concatenated encodings, for partitioning several sets of samples at once."""

from collections.abc import Sequence

import numpy as np

from moo_clustering._arrays import FloatArray, IntArray, Labels, quoted
from moo_clustering.encodings import base


class TupleEncoding(base.Encoding):
    """Concatenation of two or more encodings, for example of a table's rows and columns (co-clustering).

    The genes and samples of all parts are concatenated, and no cluster contains samples from different parts.
    :meth:`split` returns one partition per part.

    Parameters
    ----------
    parts : sequence of Encoding

    Attributes
    ----------
    k_min, k_max : int
        Minimum and maximum number of clusters over all parts together.

    Examples
    --------
    >>> from moo_clustering.encodings import LabelEncoding
    >>> encoding = TupleEncoding((LabelEncoding(3, k_max=2), LabelEncoding(2, k_max=2)))
    >>> labels = encoding.decode([[1, 1, 0, 1, 0]])
    >>> labels
    array([[0, 0, 1, 2, 3]], dtype=int32)
    >>> encoding.split(labels)
    (array([[0, 0, 1]], dtype=int32), array([[0, 1]], dtype=int32))
    """

    def __init__(self, parts: Sequence[base.Encoding]) -> None:
        self.parts = tuple(parts) if isinstance(parts, Sequence) else (parts,)
        if wrong := [part for part in self.parts if not isinstance(part, base.Encoding)]:
            raise TypeError(f"parts must contain only Encodings, got {quoted(wrong[0])}")
        if len(self.parts) < 2:
            raise ValueError(f"parts must contain at least two encodings, got {len(self.parts)}")
        *self._samples, self.n_samples = np.cumsum([part.n_samples for part in self.parts]).tolist()
        *self._ends, self.n_var = np.cumsum([part.n_var for part in self.parts]).tolist()
        self.dtype = np.result_type(*(part.dtype for part in self.parts))
        whole = [part.dtype.kind != "f" for part in self.parts]
        self._whole = np.repeat(whole, [part.n_var for part in self.parts])
        self.k_min = sum(getattr(part, "k_min", 1) for part in self.parts)
        self.k_max = sum(getattr(part, "k_max", part.n_samples) for part in self.parts)

    def bounds(self) -> tuple[IntArray, IntArray]:
        low, high = zip(*(part.bounds() for part in self.parts), strict=True)
        return np.concatenate(low), np.concatenate(high)

    def genes(self, X: IntArray) -> tuple[IntArray, ...]:
        """Split genotypes of shape (..., n_var) into the genotypes of the parts, each in its own dtype."""
        pieces = np.split(X, self._ends, axis=-1)
        return tuple(piece.astype(part.dtype) for part, piece in zip(self.parts, pieces, strict=True))

    def split(self, labels: IntArray) -> tuple[Labels, ...]:
        """Split partitions of shape (n_individuals, n_samples) or (n_samples,) into one array per part."""
        pieces = np.split(np.asarray(labels), self._samples, axis=-1)
        return tuple(map(base.relabel_by_first_appearance, pieces))

    def decode(self, X: IntArray) -> Labels:
        """Decode all parts; clusters are numbered consecutively across parts."""
        out = [np.empty((len(X), 0), dtype=np.int32)]
        for part, genes in zip(self.parts, self._checked(X), strict=True):
            first = np.max(out[-1], axis=1, initial=-1, keepdims=True) + 1
            out.append(part.decode(genes) + first.astype(np.int32))
        return np.concatenate(out, axis=1)

    def memberships(self, X: IntArray) -> FloatArray:
        """Combine the memberships of all parts; samples have membership 0 in the clusters of other parts."""
        pieces = self._checked(X)
        made = [part.memberships(genes) for part, genes in zip(self.parts, pieces, strict=True)]
        widths = [U.shape[2] for U in made]
        out = np.zeros((len(X), self.n_samples, sum(widths)))
        unused = np.empty((len(X), 0), dtype=bool)
        starts = zip([0, *self._samples], np.cumsum([0, *widths]), strict=False)
        for part, genes, U, (row, column) in zip(self.parts, pieces, made, starts, strict=False):
            out[:, row : row + U.shape[1], column : column + U.shape[2]] = U
            largest = part.decode(genes).max(axis=1, initial=-1, keepdims=True)
            unused = np.concatenate([unused, np.arange(U.shape[2]) > largest], axis=1)
        return np.take_along_axis(out, unused.argsort(axis=1, kind="stable")[:, np.newaxis], axis=2)

    def _checked(self, X: IntArray) -> tuple[IntArray, ...]:
        rows = base.checked_rows(X, self.n_var, "X")
        base.checked_genes(rows[:, self._whole], int(self._whole.sum()))
        return self.genes(rows)

    def encode(self, labels: IntArray) -> IntArray:
        """Encode each part's partition; clusters that contain samples from several parts are split."""
        pieces = self.split(base.checked_labels(labels, self.n_samples))
        made = [part.encode(piece) for part, piece in zip(self.parts, pieces, strict=True)]
        return np.concatenate(made, axis=1).astype(self.dtype)

    def repair(self, X: IntArray) -> IntArray:
        rows = base.checked_rows(X, self.n_var, "X")
        rows = np.where(self._whole, base.rounded_genes(rows, self.n_var), rows)
        pieces = self.genes(rows)
        made = [part.repair(genes) for part, genes in zip(self.parts, pieces, strict=True)]
        return np.concatenate(made, axis=1).astype(self.dtype)

    def random(self, n_individuals: int, rng: np.random.Generator) -> IntArray:
        made = [part.random(n_individuals, rng) for part in self.parts]
        return np.concatenate(made, axis=1).astype(self.dtype)
