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
from .estimators import PESC, HMRFKMeans, MetricKMeans, PCKMeans, SpectralGraphClustering

__all__ = [
    "PESC",
    "HMRFKMeans",
    "InconsistentConstraintsError",
    "MetricKMeans",
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
