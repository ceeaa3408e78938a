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
from .estimators import PESC, SpectralGraphClustering

__all__ = [
    "PESC",
    "InconsistentConstraintsError",
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
