from .amosa import (
    AMOSA,
    LaplaceNoise,
)
from .deap_loops import (
    ChcStep,
    GcukStep,
    GkaStep,
    MemeticChcStep,
    chc,
    gcuk,
    gka,
)
from .deap_search import (
    DeapSearch,
)
from .others import (
    CHC,
    PESA2,
    count_medoid_sets,
    enumerate_medoid_sets,
    exhaustive_front,
)
from .pymoo_search import (
    PymooSearch,
    RowTableEvaluator,
    evolve,
)
from .search import (
    Checkpointable,
    ExhaustedSearchWarning,
    InterruptedSearchWarning,
    Recorder,
    Search,
    drive,
    finite_statistics,
)

__all__ = [
    "AMOSA",
    "CHC",
    "PESA2",
    "ChcStep",
    "Checkpointable",
    "DeapSearch",
    "ExhaustedSearchWarning",
    "GcukStep",
    "GkaStep",
    "InterruptedSearchWarning",
    "LaplaceNoise",
    "MemeticChcStep",
    "PymooSearch",
    "Recorder",
    "RowTableEvaluator",
    "Search",
    "chc",
    "count_medoid_sets",
    "drive",
    "enumerate_medoid_sets",
    "evolve",
    "exhaustive_front",
    "finite_statistics",
    "gcuk",
    "gka",
]
