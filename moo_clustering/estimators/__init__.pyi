from ._amosa_clus import AMOSAClus
from ._bamic import BAMIC
from ._chcmic import CHCMIC
from ._ensemble_nmf import EnsembleNMF
from ._memetic_chcmic import MemeticCHCMIC
from ._metric_kmeans import MetricKMeans
from ._mi_kmeans import MIKMeans
from ._mifgka import MIFGKA
from ._migcuk import MIGCUK
from ._migka import MIGKA
from ._nmf_clustering import NMFClustering
from ._nsga2_clus import NSGA2Clus
from ._pairwise_kmeans import HMRFKMeans, PCKMeans
from ._pesc import PESC
from ._spectral_graph import SpectralGraphClustering
from ._spherical_kmeans import SphericalKMeans

__all__ = [
    "BAMIC",
    "CHCMIC",
    "MIFGKA",
    "MIGCUK",
    "MIGKA",
    "PESC",
    "AMOSAClus",
    "EnsembleNMF",
    "HMRFKMeans",
    "MIKMeans",
    "MemeticCHCMIC",
    "MetricKMeans",
    "NMFClustering",
    "NSGA2Clus",
    "PCKMeans",
    "SpectralGraphClustering",
    "SphericalKMeans",
]
