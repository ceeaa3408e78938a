from ._metric_kmeans import MetricKMeans
from ._pairwise_kmeans import HMRFKMeans, PCKMeans
from ._pesc import PESC
from ._spectral_graph import SpectralGraphClustering

__all__ = ["PESC", "HMRFKMeans", "MetricKMeans", "PCKMeans", "SpectralGraphClustering"]
