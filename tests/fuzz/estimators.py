"""The estimators that get odd inputs: those of ``tests/registry.py``, and more of their options."""

from tests.registry import ESTIMATORS, Setting

__all__ = ["SETTINGS", "Setting"]

SEARCH = {"pop_size": 6, "n_gen": 2}


def _vary(name, data=None, **options):
    return ESTIMATORS[name].vary(data, **options)


_ANNEALING = {"n_climb": 2, "n_moves": 4, "cooling": 0.1}
# Quicker still, or with fewer demands on the number of samples; those that are not here stay as they are.
_OWN = (
    _vary("AMOSAClus", annealing=_ANNEALING, k_max=None),
    _vary("EnsembleNMF", n_clusters=2),
    _vary("HMRFKMeans", n_clusters=2, metric="cosine"),
    _vary("MemeticKMeans", max_distance_evaluations=5000),
    _vary("MetricKMeans", n_clusters=2),
    _vary("MOCK", n_controls=1, n_gen=2),
    _vary("NSGA2Clus", metric="euclidean", search="evolve", **SEARCH),
    _vary("NSGA2SISC", n_clusters=3, pop_size=4, n_gen=1, n_sweeps=1),
    _vary("ParetoBagClustering", distances=("symmetric",), embeddings=("mean",)),
    _vary("ParetoClustering", k_range=(2, 3)),
    _vary("PCKMeans", n_clusters=2),
    _vary("SISC", n_clusters=4),
    _vary("SubspaceMixture", n_clusters=2),
    _vary("SRMOSC", pop_size=6),
    *(
        _vary(name, **SEARCH)
        for name in ("CHCMIC", "FuzzyModesMOGA", "MIFGKA", "MIGCUK", "MIGKA", "MemeticCHCMIC", "PESC")
    ),
)
_POOL = {"families": ("km", "ward"), "k_range": (2, 3)}
SETTINGS = (
    *(ESTIMATORS | {setting.class_name: setting for setting in _OWN}).values(),
    _vary("AMOSAClus", annealing=_ANNEALING, k_max=None, encoding="center", metric="euclidean"),
    _vary("ConstrainedKMeans", n_clusters=2, min_cluster_size=2),
    _vary("EnsembleNMF", input="counts", consensus="hbgf"),
    _vary("FuzzyModesMOGA", "table", metric="euclidean", **SEARCH),
    _vary("ICLClustering", n_clusters=2, model="diagonal"),
    _vary("MemeticKMeans", max_distance_evaluations=5000, strategy="swap"),
    _vary("MetricKMeans", n_clusters=2, metric_type="full"),
    _vary("MIKMeans", empty="keep", init="bag_mean"),
    _vary("MOCK", n_clusters=3, encoding="locus", search="pesa2", init="2007", n_gen=2),
    _vary("NSGA2Clus", k_max=None, **SEARCH),
    _vary("ParetoClustering", n_gen=2, pop_size=6, novel="allow", **_POOL),
    _vary("ParetoClustering", metric="precomputed", **_POOL),
    _vary("PESC", ensemble="es1", must_link_edges=True, **SEARCH),
    _vary("SpectralGraphClustering", n_clusters=2, graph="waterfill"),
    _vary("SphericalKMeans", strategy="bisecting"),
    _vary("SubspaceMixture", n_clusters=None),
    _vary("SRMOSC", search="nsga2", final="consensus", **SEARCH),
)
