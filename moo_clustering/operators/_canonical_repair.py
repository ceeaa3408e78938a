"""One chromosome for every partition."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray
from pymoo.core.repair import Repair

from moo_clustering.encodings._canonical import relabel_by_first_appearance
from moo_clustering.encodings._checks import rounded_genes


class CanonicalRepair(Repair):
    """Number the clusters of every partition in the order in which they first occur.

    For genes that are cluster numbers >= 0. Afterwards two individuals have the same genes exactly
    where they are the same partition, so any elimination of duplicates sees them;
    :class:`CanonicalDuplicates` does without changing the genes. Fractions are rounded, genes are
    integers afterwards, and no number exceeds those there were.

    Notes
    -----
    O(n_individuals (n_samples + K)).
    """

    def _do(self, problem: Any, X: NDArray[Any], **kwargs: Any) -> NDArray[Any]:
        if len(X) == 0:
            return X
        return relabel_by_first_appearance(rounded_genes(X, X.shape[-1]))
