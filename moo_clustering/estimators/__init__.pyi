from ._amosa_clus import AMOSAClus
from ._ensemble_nmf import EnsembleNMF
from ._metric_kmeans import MetricKMeans
from ._nmf_clustering import NMFClustering
from ._nsga2_clus import NSGA2Clus
from ._pairwise_kmeans import HMRFKMeans, PCKMeans
from ._pesc import PESC
from ._spectral_graph import SpectralGraphClustering
from ._spherical_kmeans import SphericalKMeans
from .flagship._pareto_bags import ParetoBagClustering
from .flagship._pareto_clustering import ParetoClustering
from .graph_family._fuzzy_modes_moga import FuzzyModesMOGA
from .graph_family._mock import MOCK
from .graph_family._srmosc import SRMOSC
from .memetic._memetic_kmeans import MemeticKMeans
from .multi_instance._bamic import BAMIC
from .multi_instance._chcmic import CHCMIC
from .multi_instance._memetic_chcmic import MemeticCHCMIC
from .multi_instance._mi_kmeans import MIKMeans
from .multi_instance._mifgka import MIFGKA
from .multi_instance._migcuk import MIGCUK
from .multi_instance._migka import MIGKA
from .multi_label._entropy_weighted_kmeans import EntropyWeightedKMeans
from .multi_label._meta_labeler import MetaLabeler
from .multi_label._nsga2_sisc import NSGA2SISC
from .multi_label._pruned_sets import PrunedSetsEnsemble
from .multi_label._scad2 import SCAD2
from .multi_label._sisc import SISC
from .multi_label._sisc_ensemble import SISCEnsemble
from .multi_label._sisc_stacked import SISCStacked

__all__ = [
    "BAMIC",
    "CHCMIC",
    "MIFGKA",
    "MIGCUK",
    "MIGKA",
    "MOCK",
    "NSGA2SISC",
    "PESC",
    "SCAD2",
    "SISC",
    "SRMOSC",
    "AMOSAClus",
    "EnsembleNMF",
    "EntropyWeightedKMeans",
    "FuzzyModesMOGA",
    "HMRFKMeans",
    "MIKMeans",
    "MemeticCHCMIC",
    "MemeticKMeans",
    "MetaLabeler",
    "MetricKMeans",
    "NMFClustering",
    "NSGA2Clus",
    "PCKMeans",
    "ParetoBagClustering",
    "ParetoClustering",
    "PrunedSetsEnsemble",
    "SISCEnsemble",
    "SISCStacked",
    "SpectralGraphClustering",
    "SphericalKMeans",
]
