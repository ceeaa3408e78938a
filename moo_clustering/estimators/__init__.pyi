from ._amosa_clus import AMOSAClus
from ._metric_kmeans import MetricKMeans
from ._nsga2_clus import NSGA2Clus
from ._pairwise_kmeans import HMRFKMeans, PCKMeans
from ._pesc import PESC
from ._spectral_graph import SpectralGraphClustering

__all__ = [
    "PESC",
    "AMOSAClus",
    "HMRFKMeans",
    "MetricKMeans",
    "NSGA2Clus",
    "PCKMeans",
    "SpectralGraphClustering",
]
