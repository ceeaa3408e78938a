from . import (
    algorithms,
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
    validity,
    visualization,
)
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
    "HMRFKMeans",
    "InconsistentConstraintsError",
    "MetricKMeans",
    "NSGA2Clus",
    "PCKMeans",
    "PairwiseConstraints",
    "SpectralGraphClustering",
    "algorithms",
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
    "validity",
    "visualization",
]

__version__: str
