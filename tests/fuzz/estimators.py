"""Every public estimator with settings so small that a fit of thirty rows takes a moment."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from moo_clustering import estimators as public

SEARCH = {"pop_size": 6, "n_gen": 2}


@dataclass(frozen=True)
class Setting:
    """One estimator with options that keep it quick.

    Parameters
    ----------
    class_name : str
    options : dict
    data : {"table", "weights", "presence", "bags", "categories"}
        What it is made for; other data come too, less often.
    targets : {"classes", "label sets"}
        What a good ``y`` is.
    constraints : bool
        Whether ``fit`` takes pairs.
    clusters : bool
        Whether it leaves ``labels_``.
    gaps : bool
        Whether some numbers of clusters may be those of no sample, which its documentation says.
    """

    class_name: str
    options: dict[str, Any] = field(default_factory=dict)
    data: str = "table"
    targets: str = "classes"
    constraints: bool = False
    clusters: bool = True
    gaps: bool = False

    def __str__(self) -> str:
        plain = {key: value for key, value in self.options.items() if isinstance(value, str)}
        return "-".join([self.class_name, *plain.values()])

    def make(self, **options: Any) -> Any:
        """The estimator, with some options changed."""
        given = {"random_state": 0, **self.options, **options}
        return getattr(public, self.class_name)(**given)


def _labelled(class_name: str, options: dict[str, Any], clusters: bool = True) -> Setting:
    return Setting(class_name, options, "presence", "label sets", clusters=clusters, gaps=clusters)


def _paired(class_name: str, data: str = "table", **options: Any) -> Setting:
    return Setting(class_name, options, data, constraints=True)


SETTINGS = (
    _paired("ParetoClustering", families=("km", "ward", "genie"), k_range=(2, 3)),
    _paired("ParetoClustering", families=("km", "ward"), k_range=(2, 3), n_gen=2, pop_size=6, novel="allow"),
    _paired("ParetoClustering", families=("km", "ward"), k_range=(2, 3), metric="precomputed"),
    _paired("ParetoBagClustering", "bags", distances=("symmetric",), embeddings=("mean",), k_range=(2, 3)),
    Setting("MemeticKMeans", {"n_clusters": 3, "max_distance_evaluations": 5000}),
    Setting("MemeticKMeans", {"n_clusters": 3, "max_distance_evaluations": 5000, "strategy": "swap"}),
    _paired("PESC", n_clusters=3, **SEARCH),
    _paired("PESC", n_clusters=3, ensemble="es1", must_link=True, **SEARCH),
    _paired("SpectralGraphClustering", n_clusters=3),
    _paired("SpectralGraphClustering", n_clusters=2, graph="waterfill"),
    _paired("NSGA2Clus", metric="euclidean", search="evolve", **SEARCH),
    _paired("NSGA2Clus", **SEARCH),
    _paired("AMOSAClus", n_climb=2, n_moves=4, cooling=0.1),
    _paired("AMOSAClus", n_climb=2, n_moves=4, cooling=0.1, encoding="centre", metric="euclidean"),
    _paired("MetricKMeans", n_clusters=2, n_init=2),
    _paired("MetricKMeans", n_clusters=2, n_init=2, metric="full"),
    _paired("PCKMeans", n_clusters=2, n_init=2),
    _paired("HMRFKMeans", n_clusters=2, n_init=2, metric="cosine"),
    _paired("BAMIC", "bags"),
    _paired("MIKMeans", "bags"),
    _paired("MIKMeans", "bags", empty="keep", init="bag_mean"),
    _paired("MIGKA", "bags", **SEARCH),
    _paired("MIFGKA", "bags", **SEARCH),
    _paired("MIGCUK", "bags", **SEARCH),
    _paired("CHCMIC", "bags", **SEARCH),
    _paired("MemeticCHCMIC", "bags", **SEARCH),
    Setting("EnsembleNMF", {"n_clusters": 2, "n_runs": 3}, "weights"),
    Setting("EnsembleNMF", {"n_clusters": 3, "n_runs": 3, "input": "counts", "consensus": "hbgf"}, "weights"),
    Setting("NMFClustering", {"n_clusters": 3}, "weights"),
    Setting("SphericalKMeans", {"n_clusters": 3, "n_init": 2}, "weights"),
    Setting("SphericalKMeans", {"n_clusters": 3, "n_init": 2, "algorithm": "bisecting"}, "weights"),
    _labelled("SISC", {"n_clusters": 4}),
    _labelled("SCAD2", {"n_clusters": 3}),
    _labelled("EntropyWeightedKMeans", {"n_clusters": 3}),
    _labelled("NSGA2SISC", {"n_clusters": 3, "pop_size": 4, "n_gen": 1, "n_sweeps": 1}),
    _labelled("MetaLabeler", {}, clusters=False),
    _labelled("PrunedSetsEnsemble", {"n_estimators": 2}, clusters=False),
    _labelled("SISCEnsemble", {"n_clusters": (3, 4), "n_estimators": 2}, clusters=False),
    _labelled("SISCStacked", {"cv": 2, "weights": (0, 0.5)}, clusters=False),
    _paired("MOCK", n_controls=1, pop_size=8, n_gen=2),
    _paired("MOCK", n_clusters=3, encoding="locus", engine="pesa2", init="2007", n_gen=2),
    _paired("SRMOSC", n_clusters=3, pop_size=6),
    _paired("SRMOSC", n_clusters=3, solver="nsga2", final="consensus", **SEARCH),
    Setting("FuzzyModesMOGA", {"n_clusters": 3, **SEARCH}, "categories"),
    Setting("FuzzyModesMOGA", {"n_clusters": 3, "metric": "euclidean", **SEARCH}),
)
