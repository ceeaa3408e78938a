"""Clustering indices: how good a partition is, by itself or against classes.

Internal indices are objects: ``fit`` takes the data once, ``evaluate`` scores a whole population of
partitions (see :class:`ValidityIndex`), and :func:`get_index` finds them by name. External measures
are functions ``(labels_true, labels_pred)`` of one partition.
"""

from moo_clustering.validity._agreement import average_nmi, pairwise_nmi
from moo_clustering.validity._bag_davies_bouldin import BagDaviesBouldin
from moo_clustering.validity._bag_medoids import db_medoid
from moo_clustering.validity._bag_report import bag_indices, bag_report
from moo_clustering.validity._bag_sdbw import BagSDbw
from moo_clustering.validity._bag_silhouette import BagSilhouette
from moo_clustering.validity._base import ValidityIndex
from moo_clustering.validity._boundary_cut import BoundaryCut, boundary_cut
from moo_clustering.validity._connectivity import Connectivity
from moo_clustering.validity._davies_bouldin import DaviesBouldin
from moo_clustering.validity._deviation import Deviation
from moo_clustering.validity._entropy import cluster_entropy
from moo_clustering.validity._family_agreement import FamilyAgreement, agreement
from moo_clustering.validity._graph_modularity import GraphModularity, graph_modularity
from moo_clustering.validity._i2 import i2_criterion
from moo_clustering.validity._i_index import IIndex, i_index_from_medoids
from moo_clustering.validity._k_error import k_error
from moo_clustering.validity._label_evidence import LabelEvidence, label_evidence
from moo_clustering.validity._matching import clustering_accuracy, matched_f1, matched_rand_index
from moo_clustering.validity._minimax_silhouette import MinimaxSilhouette
from moo_clustering.validity._multilabel_auc import class_aucs, macro_auc
from moo_clustering.validity._nmi import nmi
from moo_clustering.validity._pair_evidence import PairEvidence
from moo_clustering.validity._pairwise_ari import pairwise_ari
from moo_clustering.validity._registry import get_index
from moo_clustering.validity._roc_curves import mean_roc_curve
from moo_clustering.validity._silhouette import Silhouette
from moo_clustering.validity._within_variation import FTWCV, TWCV
from moo_clustering.validity._xie_beni import XieBeni, xie_beni_from_medoids

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
