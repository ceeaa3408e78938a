"""The validity indices by name."""

from __future__ import annotations

import inspect

from moo_clustering._arrays import did_you_mean
from moo_clustering.validity.bags import FTWCV, TWCV, BagDaviesBouldin, BagSDbw, BagSilhouette
from moo_clustering.validity.base import ValidityIndex
from moo_clustering.validity.ensembles import FamilyAgreement, LabelEvidence, PairEvidence
from moo_clustering.validity.internal import (
    BoundaryCut,
    Connectivity,
    DaviesBouldin,
    Deviation,
    GraphModularity,
    IIndex,
    LikelihoodGain,
    MinimaxSilhouette,
    Silhouette,
    XieBeni,
)

_OF_SAMPLES = (
    Connectivity,
    DaviesBouldin,
    Deviation,
    IIndex,
    LikelihoodGain,
    MinimaxSilhouette,
    Silhouette,
    XieBeni,
)
_OF_BAGS = (BagDaviesBouldin, BagSDbw, BagSilhouette, FTWCV, TWCV)
# Indices that are fitted to a graph, a pool, labels or pairs instead of features.
_OF_OTHER_DATA = (BoundaryCut, FamilyAgreement, GraphModularity, LabelEvidence, PairEvidence)
INDICES: dict[str, type[ValidityIndex]] = {
    index.name: index for index in (*_OF_SAMPLES, *_OF_BAGS, *_OF_OTHER_DATA)
}


def get_index(index: str | ValidityIndex | type[ValidityIndex]) -> ValidityIndex:
    """Return an index from its name, class or object.

    Parameters
    ----------
    index : str, ValidityIndex, or subclass of ValidityIndex
        A name or a class gives a new object with default parameters; an object is returned as is.

    Returns
    -------
    ValidityIndex

    Raises
    ------
    ValueError
        If no index has the name; the message lists all names and the nearest one.
    TypeError
        If it is neither a name nor an index.

    Examples
    --------
    >>> from moo_clustering.validity import get_index
    >>> get_index("silhouette").greater_is_better
    True
    """
    if isinstance(index, ValidityIndex):
        return index
    if inspect.isclass(index) and issubclass(index, ValidityIndex):
        return index()
    if not isinstance(index, str):
        raise TypeError(
            f"index must be a name, a ValidityIndex or a subclass of it; got {type(index).__name__}"
        )
    if index not in INDICES:
        known = ", ".join(sorted(INDICES))
        raise ValueError(f"unknown index {index!r}{did_you_mean(index, INDICES)} (known: {known})")
    return INDICES[index]()
