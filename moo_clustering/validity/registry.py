"""Registry of validity indices."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from moo_clustering._arrays import did_you_mean, quoted
from moo_clustering._docs import documented
from moo_clustering.validity import fuzzy, internal
from moo_clustering.validity.bags import FTWCV, TWCV, BagDaviesBouldin, BagSDbw, BagSilhouette
from moo_clustering.validity.base import Direction, FunctionIndex, ValidityIndex
from moo_clustering.validity.density import DBCV, CDbw, Dunn
from moo_clustering.validity.ensembles import FamilyAgreement, LabelEvidence, PairEvidence
from moo_clustering.validity.likelihood import IntegratedClassificationLikelihood

_INDICES: tuple[type[ValidityIndex], ...] = (
    # Indices for features or distances.
    DBCV,
    internal.CalinskiHarabasz,
    CDbw,
    internal.Connectivity,
    internal.DaviesBouldin,
    internal.Deviation,
    Dunn,
    internal.IIndex,
    IntegratedClassificationLikelihood,
    internal.LikelihoodGain,
    internal.MinimaxSilhouette,
    internal.Silhouette,
    internal.XieBeni,
    # Indices for memberships.
    fuzzy.FuzzyHypervolume,
    fuzzy.FuzzySilhouette,
    fuzzy.FuzzySumOfSquares,
    fuzzy.FuzzyXieBeni,
    fuzzy.PartitionCoefficient,
    fuzzy.PartitionEntropy,
    # Indices for bags.
    BagDaviesBouldin,
    BagSDbw,
    BagSilhouette,
    FTWCV,
    TWCV,
    # Indices that require a graph, shapes, weights, a pool, labels or pairs.
    internal.BoundaryCut,
    internal.ChangedShare,
    internal.Compactness,
    internal.CutEdges,
    FamilyAgreement,
    internal.GraphModularity,
    LabelEvidence,
    internal.LoadVariation,
    PairEvidence,
)
INDICES = {index.name: index for index in _INDICES}
ALIASES = {"pbm": "i_index"}
_Function = Callable[[Any, Any], float]
Index = (
    str | ValidityIndex | type[ValidityIndex] | tuple[_Function, Direction] | tuple[str, _Function, Direction]
)


@documented()
def get_index(index: Index) -> ValidityIndex:
    """Return the validity index specified by a name, class, object or function.

    Raises a ValueError if a name is unknown. Raises a TypeError if ``index`` has another type, or lacks the
    attribute ``name`` or ``greater_is_better``.

    Parameters
    ----------
    index : str, ValidityIndex, subclass of ValidityIndex, or tuple of callable and str
        For a name or class, the index has default parameters. An object is returned unchanged. For a tuple
        (function, direction) or (name, function, direction), a :class:`FunctionIndex` is created, where the
        function is ``(X, labels) -> float``, and the direction is ``"max"`` or ``"min"``.

    Examples
    --------
    >>> from moo_clustering.validity import get_index
    >>> get_index("silhouette").greater_is_better
    True
    """
    if isinstance(index, tuple) and len(index) == 2 and callable(index[0]):
        return FunctionIndex(*index)
    if isinstance(index, tuple) and len(index) == 3 and isinstance(index[0], str) and callable(index[1]):
        return FunctionIndex(*index[1:], name=index[0])
    if inspect.isclass(index) and issubclass(index, ValidityIndex):
        index = index()
    if isinstance(index, ValidityIndex):
        for attribute, kind in (("name", str), ("greater_is_better", (bool, np.bool_))):
            if not isinstance(getattr(index, attribute, None), kind):
                raise TypeError(
                    f"{type(index).__name__} must have the class attributes name (a string) and "
                    f"greater_is_better (True or False); got {attribute}={getattr(index, attribute, None)!r}"
                )
        return index
    if not isinstance(index, str):
        raise TypeError(
            "index must be a name, a ValidityIndex instance or subclass, or a tuple (function, "
            f"'max') or ('name', function, 'min') with a function of X and labels; got {quoted(index)}"
        )
    index = ALIASES.get(index, index)
    if index not in INDICES:
        known = ", ".join(sorted((*INDICES, *ALIASES)))
        raise ValueError(f"unknown index {quoted(index)}{did_you_mean(index, INDICES)} (known: {known})")
    return INDICES[index]()
