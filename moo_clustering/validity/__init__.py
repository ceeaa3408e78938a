"""Clustering indices: how good a partition is, by itself or against classes.

Internal indices are objects: ``fit`` takes the data once, ``evaluate`` scores a whole population of
partitions (see :class:`ValidityIndex`), and :func:`get_index` finds them by name. External measures
are functions ``(labels_true, labels_pred)`` of one partition.
"""

from moo_clustering.validity.bags import (
    FTWCV,
    TWCV,
    BagDaviesBouldin,
    BagSDbw,
    BagSilhouette,
    bag_indices,
    bag_report,
    db_medoid,
)
from moo_clustering.validity.base import ValidityIndex
from moo_clustering.validity.ensembles import (
    FamilyAgreement,
    LabelEvidence,
    PairEvidence,
    agreement,
    average_nmi,
    label_evidence,
    pairwise_nmi,
)
from moo_clustering.validity.external import (
    class_aucs,
    cluster_entropy,
    clustering_accuracy,
    i2_criterion,
    k_error,
    macro_auc,
    matched_f1,
    matched_rand_index,
    mean_roc_curve,
    nmi,
    pairwise_ari,
)
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
    boundary_cut,
    graph_modularity,
    i_index_from_medoids,
    xie_beni_from_medoids,
)
from moo_clustering.validity.registry import get_index

__all__ = [
    "FTWCV",
    "TWCV",
    "BagDaviesBouldin",
    "BagSDbw",
    "BagSilhouette",
    "BoundaryCut",
    "Connectivity",
    "DaviesBouldin",
    "Deviation",
    "FamilyAgreement",
    "GraphModularity",
    "IIndex",
    "LabelEvidence",
    "LikelihoodGain",
    "MinimaxSilhouette",
    "PairEvidence",
    "Silhouette",
    "ValidityIndex",
    "XieBeni",
    "agreement",
    "average_nmi",
    "bag_indices",
    "bag_report",
    "boundary_cut",
    "class_aucs",
    "cluster_entropy",
    "clustering_accuracy",
    "db_medoid",
    "get_index",
    "graph_modularity",
    "i2_criterion",
    "i_index_from_medoids",
    "k_error",
    "label_evidence",
    "macro_auc",
    "matched_f1",
    "matched_rand_index",
    "mean_roc_curve",
    "nmi",
    "pairwise_ari",
    "pairwise_nmi",
    "xie_beni_from_medoids",
]
