"""Every estimator and transformer of the package: how it is made small, and what it is fitted to."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import moo_clustering as mc
from moo_clustering.bags import BagTransformer
from moo_clustering.features import InformationGainSelector, NCWTransformer, PaperTfidfTransformer

CLASSES = np.arange(24) % 3
PARTLY = np.where(np.arange(24) < 9, CLASSES, -1)
PAIRS = {"must_link": [[0, 3]], "cannot_link": [[0, 1], [1, 2]]}
# Options of small searches.
SEARCH = {"pop_size": 8, "n_gen": 3}
POOL = {"families": ("km", "ward", "genie"), "k_range": (2, 3, 4), "criterion": "modularity"}
SUBSPACE = {"max_iter": 3, "random_state": 0}


def rows(seed=0):
    """Three groups of samples, apart from each other."""
    return np.random.default_rng(seed).normal(size=(24, 2)) + 6.0 * np.eye(3)[CLASSES][:, :2]


def words(seed=0):
    """Counts of words of three topics, dense; no document is empty."""
    rng = np.random.default_rng(seed)
    own = np.arange(12) // 4 == CLASSES[:, None]
    return (rng.random((24, 12)) < np.where(own, 0.8, 0.1)).astype(float) + (np.arange(12) % 4 == 0) * own


def bags(seed=0):
    """Bags of one to three instances."""
    rng = np.random.default_rng(seed)
    return [6.0 * np.eye(3)[c][:2] + rng.normal(size=(1 + i % 3, 2)) for i, c in enumerate(CLASSES)]


def label_sets():
    """Two labels a document; every fourth document has none known."""
    Y = np.column_stack([CLASSES == 0, CLASSES != 2]).astype(int)
    Y[3::4] = -1
    return Y


@dataclass(frozen=True, eq=False)
class EstimatorCase:
    """An estimator with small options, and its input.

    ``rules`` are all names that ``choose`` takes, those of the objectives included; ``moves_with_rows``
    says that permuted samples give the permuted partition, or why they need not. ``ships_again`` says why
    arrays are pickled more than once; properties ``computed_anew`` take long and are left out of comparisons.
    """

    of: str
    options: dict[str, Any] = field(default_factory=dict)
    data: Callable[[int], Any] = rows
    y: Any = None
    more: dict[str, Any] = field(default_factory=dict)
    rules: tuple[str, ...] = ()
    moves_with_rows: bool | str = "starts are drawn by row"
    ships_again: str = ""
    computed_anew: tuple[str, ...] = ()

    @property
    def cls(self):
        """The class."""
        return find(self.of)

    def make(self):
        """A new estimator."""
        return self.cls(**self.options)

    def arguments(self, seed=0):
        """Positional arguments of ``fit``."""
        return (self.data(seed),) if self.y is None else (self.data(seed), self.y)

    def fit(self, seed=0):
        """A new fit."""
        return self.make().fit(*self.arguments(seed), **self.more)


def find(name):
    """The class of a name."""
    others = (BagTransformer, InformationGainSelector, NCWTransformer, PaperTfidfTransformer)
    return {c.__name__: c for c in others}.get(name) or getattr(mc, name)


_SEED = {"random_state": 0}
_FRONT_OF_MEDOIDS = (
    "balanced",
    "constraints",
    "xb",
    "i",
    "knee",
    "xie_beni",
    "i_index",
    "constraint_violation",
)
_POOL_RULES = ("auto", "select", "alternative-0", "alternative-1", "knee", "agreement", "modularity")
_MOCK_RULES = ("auto", "attainment", "variance", "connectivity", "sum", "knee")
_POOLED = "indices and operators copy a pool, whose owner may change it"
_PESC_RULES = ("es1", "es2", "es3", "knee", "mean_neighbor_distance", "one_minus_diversity")
_SRMOSC_RULES = ("rcut", "consensus", "knee", "reconstruction_error", "n_links")
_DRAWN = "the search draws by row"
_STARTS = "starts are drawn by row"
_TIES = "ties among neighbours and the vectors to start from are drawn by row"


def _of(name, data=rows, *, y=None, more=None, rules=(), moves=_STARTS, again="", anew=(), **options):
    return EstimatorCase(name, options, data, y, more or {}, tuple(rules), moves, again, anew)


ESTIMATORS = {
    "AMOSAClus": _of(
        "AMOSAClus",
        more=PAIRS,
        rules=_FRONT_OF_MEDOIDS,
        moves=_DRAWN,
        k_max=4,
        soft_limit=8,
        hard_limit=4,
        n_climb=2,
        t_max=1.0,
        t_min=0.3,
        **_SEED,
    ),
    "BAMIC": _of("BAMIC", bags, n_clusters=3, **_SEED),
    "BagTransformer": _of("BagTransformer", bags, moves=True),
    "CHCMIC": _of("CHCMIC", bags, n_clusters=3, moves=_DRAWN, **SEARCH, **_SEED),
    "EnsembleNMF": _of("EnsembleNMF", words, n_clusters=3, n_runs=3, **_SEED),
    "EntropyWeightedKMeans": _of("EntropyWeightedKMeans", words, y=CLASSES, n_clusters=3, **SUBSPACE),
    "FuzzyModesMOGA": _of(
        "FuzzyModesMOGA",
        n_clusters=3,
        rules=("vote", "cspa", "knee", "pi", "sep"),
        moves=_DRAWN,
        **SEARCH,
        **_SEED,
    ),
    "HMRFKMeans": _of("HMRFKMeans", more=PAIRS, n_clusters=3, n_init=2, **_SEED),
    "InformationGainSelector": _of("InformationGainSelector", words, y=CLASSES, n_features=5, moves=True),
    "MIFGKA": _of("MIFGKA", bags, n_clusters=3, moves=_DRAWN, **SEARCH, **_SEED),
    "MIGCUK": _of("MIGCUK", bags, n_clusters=3, moves=_DRAWN, **SEARCH, **_SEED),
    "MIGKA": _of("MIGKA", bags, n_clusters=3, moves=_DRAWN, **SEARCH, **_SEED),
    "MIKMeans": _of("MIKMeans", bags, n_clusters=3, **_SEED),
    "MOCK": _of("MOCK", n_clusters=3, n_neighbors=4, rules=_MOCK_RULES, moves=_DRAWN, **SEARCH, **_SEED),
    "MOCK, labels": _of(
        "MOCK",
        y=PARTLY,
        n_clusters=3,
        n_neighbors=4,
        rules=(*_MOCK_RULES, "labels", "constraints"),
        moves=_DRAWN,
        **SEARCH,
        **_SEED,
    ),
    "MOCK, pairs": _of(
        "MOCK",
        more=PAIRS,
        n_clusters=3,
        n_neighbors=4,
        rules=(*_MOCK_RULES, "labels", "constraints"),
        moves=_DRAWN,
        **SEARCH,
        **_SEED,
    ),
    "MemeticCHCMIC": _of("MemeticCHCMIC", bags, n_clusters=3, moves=_DRAWN, **SEARCH, **_SEED),
    "MemeticKMeans": _of("MemeticKMeans", n_clusters=3, max_stall=4, **_SEED),
    "MemeticKMeans, ward": _of("MemeticKMeans", n_clusters=3, strategy="ward", moves=True, **_SEED),
    "MetaLabeler": _of("MetaLabeler", words, y=label_sets(), **_SEED),
    "MetricKMeans": _of("MetricKMeans", more=PAIRS, n_clusters=3, n_init=2, **_SEED),
    "NCWTransformer": _of("NCWTransformer", words, moves=True),
    "NMFClustering": _of("NMFClustering", words, n_clusters=3, **_SEED),
    "NSGA2Clus": _of(
        "NSGA2Clus", more=PAIRS, rules=_FRONT_OF_MEDOIDS, moves=_DRAWN, k_max=4, **SEARCH, **_SEED
    ),
    "NSGA2SISC": _of(
        "NSGA2SISC",
        words,
        y=CLASSES,
        n_clusters=4,
        rules=("impurity", "knee", "random", "dispersion"),
        moves=_DRAWN,
        **SEARCH,
        **_SEED,
    ),
    "PCKMeans": _of("PCKMeans", more=PAIRS, n_clusters=3, n_init=2, **_SEED),
    "PESC": _of(
        "PESC",
        n_clusters=3,
        rules=_PESC_RULES,
        anew=("pareto_labels_",),
        moves=_DRAWN,
        pop_size=6,
        n_gen=2,
        **_SEED,
    ),
    "PaperTfidfTransformer": _of("PaperTfidfTransformer", words, moves=True),
    "ParetoBagClustering": _of(
        "ParetoBagClustering",
        bags,
        again=_POOLED,
        n_clusters=3,
        rules=(*_POOL_RULES, "consensus"),
        k_range=(2, 3),
        **_SEED,
    ),
    "ParetoBagClustering, evolved": _of(
        "ParetoBagClustering",
        bags,
        again=_POOLED,
        rules=(*_POOL_RULES, "control", "random-control"),
        moves=_DRAWN,
        distances=("symmetric",),
        embeddings=("mean",),
        k_range=(2, 3),
        **SEARCH,
        **_SEED,
    ),
    "ParetoClustering": _of(
        "ParetoClustering",
        again=_POOLED,
        n_clusters=3,
        rules=(*_POOL_RULES, "consensus"),
        moves=_STARTS,
        **POOL,
        **_SEED,
    ),
    "ParetoClustering, evolved": _of(
        "ParetoClustering",
        again=_POOLED,
        rules=(*_POOL_RULES, "control", "random-control"),
        moves=_DRAWN,
        **POOL,
        **SEARCH,
        **_SEED,
    ),
    "ParetoClustering, without chance": _of(
        "ParetoClustering",
        again=_POOLED,
        rules=_POOL_RULES,
        moves=True,
        **(POOL | {"families": ("ward", "genie")}),
        **_SEED,
    ),
    "ParetoClustering, labels": _of(
        "ParetoClustering", again=_POOLED, y=PARTLY, rules=(*_POOL_RULES, "label_evidence"), **POOL, **_SEED
    ),
    "PrunedSetsEnsemble": _of("PrunedSetsEnsemble", words, y=label_sets(), n_estimators=2, **_SEED),
    "SCAD2": _of("SCAD2", words, y=CLASSES, n_clusters=3, **SUBSPACE),
    "SISC": _of("SISC", words, y=CLASSES, n_clusters=6, **SUBSPACE),
    "SISCEnsemble": _of(
        "SISCEnsemble",
        words,
        y=label_sets(),
        sisc=mc.SISC(max_iter=2),
        n_clusters=(3, 4),
        n_estimators=2,
        **_SEED,
    ),
    "SISCStacked": _of(
        "SISCStacked",
        words,
        y=label_sets(),
        sisc=mc.SISC(4, max_iter=2),
        weights=(0.0, 0.5, 1.0),
        cv=2,
        **_SEED,
    ),
    "SRMOSC": _of(
        "SRMOSC",
        n_clusters=3,
        rules=_SRMOSC_RULES,
        moves=_TIES,
        anew=("pareto_labels_",),
        n_candidates=5,
        pop_size=6,
        **_SEED,
    ),
    "SpectralGraphClustering": _of(
        "SpectralGraphClustering", n_clusters=3, n_neighbors=5, moves=_TIES, **_SEED
    ),
    "SphericalKMeans": _of("SphericalKMeans", words, n_clusters=3, n_init=2, **_SEED),
}
