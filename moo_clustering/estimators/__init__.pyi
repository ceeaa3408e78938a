from .amosa_clus import AMOSAClus
from .bags_genetic import CHCMIC, MIFGKA, MIGCUK, MIGKA, MemeticCHCMIC
from .bags_kmeans import BAMIC, MIKMeans
from .documents import EnsembleNMF, NMFClustering, SphericalKMeans
from .fuzzy_modes import FuzzyModesMOGA
from .memetic_kmeans import MemeticKMeans
from .mock import MOCK
from .multi_label import MetaLabeler, PrunedSetsEnsemble
from .nsga2_clus import NSGA2Clus
from .pairwise_kmeans import HMRFKMeans, MetricKMeans, PCKMeans
from .pareto import ParetoBagClustering, ParetoClustering
from .pesc import PESC, SpectralGraphClustering
from .sisc_variants import NSGA2SISC, SISCEnsemble, SISCStacked
from .srmosc import SRMOSC
from .subspace import SCAD2, SISC, EntropyWeightedKMeans
from .subspace_mixture import SubspaceMixture

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
    "SubspaceMixture",
]
