"""Validity indices by name."""

from __future__ import annotations

import inspect

from moo_clustering._suggest import did_you_mean
from moo_clustering.validity._bag_davies_bouldin import BagDaviesBouldin
from moo_clustering.validity._bag_sdbw import BagSDbw
from moo_clustering.validity._bag_silhouette import BagSilhouette
from moo_clustering.validity._base import ValidityIndex
from moo_clustering.validity._boundary_cut import BoundaryCut
from moo_clustering.validity._connectivity import Connectivity
from moo_clustering.validity._davies_bouldin import DaviesBouldin
from moo_clustering.validity._deviation import Deviation
from moo_clustering.validity._family_agreement import FamilyAgreement
from moo_clustering.validity._graph_modularity import GraphModularity
from moo_clustering.validity._i_index import IIndex
from moo_clustering.validity._label_evidence import LabelEvidence
from moo_clustering.validity._minimax_silhouette import MinimaxSilhouette
from moo_clustering.validity._pair_evidence import PairEvidence
from moo_clustering.validity._silhouette import Silhouette
from moo_clustering.validity._within_variation import FTWCV, TWCV
from moo_clustering.validity._xie_beni import XieBeni

_OF_SAMPLES = (Connectivity, DaviesBouldin, Deviation, IIndex, MinimaxSilhouette, Silhouette, XieBeni)
_OF_BAGS = (BagDaviesBouldin, BagSDbw, BagSilhouette, FTWCV, TWCV)
# Fitted to a graph, a pool, labels or pairs instead of features.
_OF_OTHER_DATA = (BoundaryCut, FamilyAgreement, GraphModularity, LabelEvidence, PairEvidence)
INDICES: dict[str, type[ValidityIndex]] = {
    index.name: index for index in (*_OF_SAMPLES, *_OF_BAGS, *_OF_OTHER_DATA)
}


def get_index(index: str | ValidityIndex | type[ValidityIndex]) -> ValidityIndex:
    """The index meant by a name, a class or an object.

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
        If it is none of the three.

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
