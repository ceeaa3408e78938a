"""Every estimator and transformer of the package, with settings of ``tests/registry.py``, and its data."""

import functools
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import networkx as nx
import numpy as np

import moo_clustering as mc
from moo_clustering.bags import BagTransformer
from moo_clustering.datasets import TablePreparer
from moo_clustering.features import InformationGainSelector, NCWTransformer, PaperTfidfTransformer
from tests import registry

CLASSES = np.arange(24) % 3
PARTLY = np.where(np.arange(24) < 9, CLASSES, -1)
PAIRS = {"must_link": [[0, 3]], "cannot_link": [[0, 1], [1, 2]]}


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
    others = (BagTransformer, InformationGainSelector, NCWTransformer, PaperTfidfTransformer, TablePreparer)
    return {c.__name__: c for c in others}.get(name) or getattr(mc, name)


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
_LABELLED_RULES = ("auto", "select", "alternative-0", "alternative-1", "knee", "agreement", "modularity")
_POOL_RULES = (*_LABELLED_RULES, "few", "some", "many")
_EVOLVED_RULES = (*_POOL_RULES, "control", "random-control")
_MOCK_RULES = ("auto", "attainment", "variance", "connectivity", "sum", "knee")
_INFORMED_RULES = (*_MOCK_RULES, "labels", "constraints")
_PESC_RULES = ("es1", "es2", "es3", "knee", "mean_neighbor_distance", "one_minus_diversity")
_SRMOSC_RULES = ("rcut", "consensus", "knee", "reconstruction_error", "n_links")
_MODES_RULES = ("vote", "cspa", "knee", "pi", "sep")
_REGION_RULES = ("knee", "sum_of_squares", "cut_edges", "load_variation")
_SISC_RULES = ("impurity", "knee", "random", "dispersion")
_POOLED = "indices and operators copy a pool, whose owner may change it"
_DRAWN = "the search draws by row"
_STARTS = "starts are drawn by row"
_TIES = "ties among neighbours and the vectors to start from are drawn by row"
_DATA = {"table": rows, "categories": rows, "weights": words, "presence": words, "bags": bags}


def _of(name, *, data=None, y=None, more=None, rules=(), moves=_STARTS, again="", anew=(), **options):
    if name in registry.ESTIMATORS:
        setting = registry.ESTIMATORS[name]
        data, options = _DATA[setting.data], {**setting.options, **options, "random_state": 0}
    return EstimatorCase(name, options, data, y, more or {}, tuple(rules), moves, again, anew)


_k3 = {"n_clusters": 3}
# Neighbours of the areas: a grid of four rows.
GRID = nx.to_scipy_sparse_array(nx.grid_2d_graph(4, 6), format="csr")
ESTIMATORS = {
    "AMOSAClus": _of(
        "AMOSAClus",
        more=PAIRS,
        rules=_FRONT_OF_MEDOIDS,
        moves=_DRAWN,
        annealing={"soft_limit": 8, "hard_limit": 4, "n_climb": 2, "t_max": 1.0, "t_min": 0.3},
    ),
    "BAMIC": _of("BAMIC", **_k3),
    "BagTransformer": _of("BagTransformer", data=bags, moves=True),
    "CHCMIC": _of("CHCMIC", moves=_DRAWN, **_k3),
    "ConstrainedKMeans": _of("ConstrainedKMeans"),
    "EnsembleNMF": _of("EnsembleNMF"),
    "EntropyWeightedKMeans": _of("EntropyWeightedKMeans", y=CLASSES, max_iter=3),
    "FuzzyCMeans": _of("FuzzyCMeans"),
    "GustafsonKessel": _of("GustafsonKessel"),
    "FuzzyModesMOGA": _of("FuzzyModesMOGA", rules=_MODES_RULES, moves=_DRAWN),
    "HMRFKMeans": _of("HMRFKMeans", more=PAIRS),
    "ICLClustering": _of("ICLClustering"),
    "ICLClustering, three": _of("ICLClustering", model="diagonal", **_k3),
    "InformationGainSelector": _of(
        "InformationGainSelector", data=words, y=CLASSES, moves=True, n_features=5
    ),
    "MIFGKA": _of("MIFGKA", moves=_DRAWN, **_k3),
    "MIGCUK": _of("MIGCUK", moves=_DRAWN, **_k3),
    "MIGKA": _of("MIGKA", moves=_DRAWN, **_k3),
    "MIKMeans": _of("MIKMeans", **_k3),
    "MOCK": _of("MOCK", rules=_MOCK_RULES, moves=_DRAWN, n_neighbors=4, **_k3),
    "MOCK, labels": _of("MOCK", y=PARTLY, rules=_INFORMED_RULES, moves=_DRAWN, n_neighbors=4, **_k3),
    "MOCK, pairs": _of("MOCK", more=PAIRS, rules=_INFORMED_RULES, moves=_DRAWN, n_neighbors=4, **_k3),
    "MemeticCHCMIC": _of("MemeticCHCMIC", moves=_DRAWN, **_k3),
    "MemeticKMeans": _of("MemeticKMeans", max_stall=4),
    "MemeticKMeans, ward": _of("MemeticKMeans", strategy="ward", moves=True),
    "MetaLabeler": _of("MetaLabeler", y=label_sets()),
    "MetricKMeans": _of("MetricKMeans", more=PAIRS),
    "NCWTransformer": _of("NCWTransformer", data=words, moves=True),
    "NMFClustering": _of("NMFClustering"),
    "NSGA2Clus": _of("NSGA2Clus", more=PAIRS, rules=_FRONT_OF_MEDOIDS, moves=_DRAWN),
    "NSGA2SISC": _of("NSGA2SISC", y=CLASSES, rules=_SISC_RULES, moves=_DRAWN),
    "PCKMeans": _of("PCKMeans", more=PAIRS),
    "PESC": _of("PESC", rules=_PESC_RULES, anew=("pareto_labels_",), moves=_DRAWN, pop_size=6, n_gen=2),
    "PaperTfidfTransformer": _of("PaperTfidfTransformer", data=words, moves=True),
    "ParetoBagClustering": _of(
        "ParetoBagClustering",
        again=_POOLED,
        rules=(*_POOL_RULES, "alternative-2", "alternative-3", "consensus"),
        k_range=(2, 3, 4, 5),
        **_k3,
    ),
    "ParetoBagClustering, evolved": _of(
        "ParetoBagClustering",
        again=_POOLED,
        rules=[rule for rule in _EVOLVED_RULES if rule != "some"],
        moves=_DRAWN,
        distances=("symmetric",),
        embeddings=("mean",),
        **registry.SEARCH,
    ),
    "ParetoClustering": _of(
        "ParetoClustering", again=_POOLED, rules=(*_POOL_RULES, "consensus"), criterion="modularity", **_k3
    ),
    "ParetoClustering, evolved": _of(
        "ParetoClustering",
        again=_POOLED,
        rules=_EVOLVED_RULES,
        moves=_DRAWN,
        criterion="modularity",
        **registry.SEARCH,
    ),
    "ParetoClustering, without chance": _of(
        "ParetoClustering",
        again=_POOLED,
        rules=_POOL_RULES,
        moves=True,
        families=("ward", "genie"),
        criterion="modularity",
    ),
    "ParetoClustering, labels": _of(
        "ParetoClustering",
        again=_POOLED,
        y=PARTLY,
        rules=(*_LABELLED_RULES, "label_evidence"),
        criterion="modularity",
    ),
    "PrunedSetsEnsemble": _of("PrunedSetsEnsemble", y=label_sets()),
    "Regions": _of("Regions", more={"graph": GRID}, rules=_REGION_RULES, moves=_DRAWN),
    "Regions, start": _of(
        "Regions",
        more={"graph": GRID, "start": np.arange(24) // 8},
        rules=(*_REGION_RULES, "changed"),
        moves=_DRAWN,
        again="the last generation of the history is the front",
    ),
    "SCAD2": _of("SCAD2", y=CLASSES),
    "SISC": _of("SISC", y=CLASSES),
    "SISCEnsemble": _of("SISCEnsemble", y=label_sets(), sisc=mc.SISC(max_iter=2)),
    "SISCStacked": _of("SISCStacked", y=label_sets(), sisc=mc.SISC(4, max_iter=2), weights=(0.0, 0.5, 1.0)),
    "SRMOSC": _of(
        "SRMOSC",
        rules=_SRMOSC_RULES,
        moves=_TIES,
        anew=("pareto_labels_",),
        n_candidates=5,
        pop_size=6,
    ),
    "SpectralGraphClustering": _of("SpectralGraphClustering", moves=_TIES, n_neighbors=5),
    "SphericalKMeans": _of("SphericalKMeans"),
    "SubspaceMixture": _of("SubspaceMixture", more=PAIRS),
    "SubspaceMixture, any number": _of("SubspaceMixture", y=PARTLY, n_clusters=None),
    "TablePreparer": _of("TablePreparer", data=rows, moves=True),
}

_FEWER_STEPS = {
    "AMOSAClus": {
        "annealing": {
            "soft_limit": 8,
            "hard_limit": 4,
            "n_climb": 1,
            "n_moves": 2,
            "t_max": 1.0,
            "t_min": 0.3,
            "cooling": 0.1,
        }
    },
    "PESC": {"pop_size": 4, "n_gen": 1},
}


@functools.cache
def quicker(case):
    """The case with fewer steps of its search, for tests that fit it to many forms of the data."""
    evolved = case.of.startswith("Pareto") and "n_gen" in case.options
    fewer = {"n_gen": 1} if evolved else _FEWER_STEPS.get(case.of, {})
    return replace(case, options={**case.options, **fewer})
