from ._pesc import PESC
from ._spectral_graph import SpectralGraphClustering

__all__ = ["PESC", "SpectralGraphClustering"]
