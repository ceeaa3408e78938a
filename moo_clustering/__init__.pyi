from . import (
    algorithms,
    bags,
    consensus,
    constraints,
    datasets,
    diversity,
    encodings,
    estimators,
    graphs,
    operators,
    persistence,
    problems,
    stats,
    validity,
    visualization,
)
from .bags import Bags
from .constraints import InconsistentConstraintsError, PairwiseConstraints
from .estimators import (
    PESC,
    AMOSAClus,
    HMRFKMeans,
    MetricKMeans,
    NSGA2Clus,
    PCKMeans,
    SpectralGraphClustering,
)

__all__ = [
    "PESC",
    "AMOSAClus",
    "Bags",
    "HMRFKMeans",
    "InconsistentConstraintsError",
    "MetricKMeans",
    "NSGA2Clus",
    "PCKMeans",
    "PairwiseConstraints",
    "SpectralGraphClustering",
    "algorithms",
    "bags",
    "consensus",
    "constraints",
    "datasets",
    "diversity",
    "encodings",
    "estimators",
    "graphs",
    "operators",
    "persistence",
    "problems",
    "stats",
    "validity",
    "visualization",
]

__version__: str
