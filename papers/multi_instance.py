"""Multi-instance clustering: data sets, methods in their readings, controls, and the cell of one run."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import AgglomerativeClustering, KMeans, SpectralClustering

from moo_clustering._arrays import IntArray
from moo_clustering.bags import Bags, BagTransformer, bag_distances
from moo_clustering.datasets import DataError, read_bags
from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.estimators import BAMIC, CHCMIC, MIFGKA, MIGCUK, MIGKA, MemeticCHCMIC, MIKMeans
from moo_clustering.persistence import fingerprint
from moo_clustering.validity import BagSDbw, BagSilhouette, ValidityIndex, bag_indices, bag_report, matched_f1
from papers.runner import DATA_VARIABLE, check_names, folder_of_data, seed_of

# "table": the reading that explains the published tables best; "default": the defaults of the estimators.
# Methods with a single reading have the reading "" and count for both.
READINGS = {"table": "as in the tables", "default": "defaults"}
Reading = str
# Search sizes of the paper and of the improved variant.
EFFORT: dict[str, dict[str, int]] = {
    "genetic": {"pop_size": 150, "n_gen": 150},
    "memetic": {"pop_size": 30, "n_gen": 60},
}
_LEAST_EFFORT = {size: {"pop_size": 4, "n_gen": 1} for size in EFFORT}
_PRINTED = {"weighting": "instance", "draw_weights": "printed", "empty": "closest"}
_PRINTED_FAST = {"weighting": "instance", "reading": "printed_meansq", "legality": "count", "elitism": 0}
_MEAN = {"weighting": "instance", "centers": "mean"}
_INSTANCE = {"weighting": "instance"}
_FOLDER = "mil"


class Task(NamedTuple):
    """The data of a cell."""

    bag_set: BagSet
    method: str
    reading: Reading
    seed: int
    effort: Mapping[str, Any]


@dataclass(frozen=True)
class BagSet:
    """Bags with known classes."""

    name: str  # name of the file
    identity: str  # fingerprint of bags and classes; sets with equal names and identities are equal
    bags: Bags = field(compare=False)  # bags in the units of the data
    # shape (n_bags,): classes 0, 1, ...; the last is the positive class
    classes: NDArray[np.int64] = field(compare=False)

    @property
    def rows(self) -> tuple[Row, ...]:
        """Rows of the set in the tables."""
        return {**SETS, **EXTRAS}[self.name]

    @property
    def n_clusters(self) -> int:
        """Target number of clusters, which is the number of classes."""
        return len(np.unique(self.classes))


class Row(NamedTuple):
    """A row of the tables."""

    name: str
    # rows of the paper to compare with, that of this name first; empty for sets that it does not use
    published: tuple[str, ...]
    swapped: bool = False  # whether the other class is the positive class

    @property
    def is_own_set(self) -> bool:
        """Whether the row is a set of the paper that is not already listed with the classes swapped."""
        return bool(self.published) and not self.swapped


# The rows of ImgT and ImgF are very likely swapped in the paper.
SETS: dict[str, tuple[Row, ...]] = {
    "musk1": (Row("Musk1", ("Musk1",)),),
    "musk2": (Row("Musk2", ("Musk2",)),),
    "mutatoms": (Row("MutA", ("MutA",)),),
    "mutbonds": (Row("MutB", ("MutB",)),),
    "mutchains": (Row("MutC", ("MutC",)),),
    "img_elephant": (Row("ImgE", ("ImgE",)),),
    "img_tiger": (Row("ImgT", ("ImgT", "ImgF")),),
    "img_fox": (Row("ImgF", ("ImgF", "ImgT")),),
    "eastwest": (Row("EastW", ("EastW",)), Row("WestE", ("WestE",), swapped=True)),
}
# Sets that the paper does not use, run on request.
EXTRAS: dict[str, tuple[Row, ...]] = {
    name: (Row(name, ()),) for name in ("thioredoxin", "newsgroups1", "corel_african")
}


def run_task(task: Task) -> dict[str, Any]:
    """Return the value of a cell: the partition, its scores and its costs.

    Bags are shuffled for every set and seed, in the same way for all methods, because files are sorted by
    class, and MIGCUK treats bags with nearby numbers as similar. Labels have the order of the file.
    """
    given, entry = task.bag_set, ENTRIES[task.method, task.reading]
    order = np.random.default_rng(seed_of(task.seed, given.name, "order")).permutation(given.bags.n_bags)
    shuffled = given.bags[order]
    seed = int(seed_of(task.seed, given.name, *entry.key).generate_state(1)[0])
    with warnings.catch_warnings():
        # Runs that do not converge are part of the comparison, and the scores show missing clusters.
        warnings.simplefilter("ignore", UserWarning)
        warm_up(entry.key)
        start = perf_counter()
        outcome = entry.run(shuffled, given.n_clusters, seed, task.effort)
        seconds = perf_counter() - start
    labels = np.empty(given.bags.n_bags, dtype=np.int32)
    labels[order] = outcome.labels
    return {
        **scores(given, relabel_by_first_appearance(labels)),
        "seconds": seconds,
        "evaluations": outcome.evaluations,
        "trials": outcome.trials,
    }


@cache
def warm_up(key: tuple[str, Reading]) -> None:
    """Run an entry on tiny data, so that the seconds of its first run do not include compilation."""
    rng = np.random.default_rng(0)
    bags = Bags(rng.random((24, 2)), np.arange(0, 25, 3))
    ENTRIES[key].run(bags, 2, 0, _LEAST_EFFORT)


def scores(given: BagSet, labels: Any) -> dict[str, Any]:
    """Return all scores of a partition of a set, and the partition itself."""
    report = bag_report(None, labels, given.classes, indices=_indices(given))
    return {
        **report,
        "f1_swapped": matched_f1(given.classes, labels, int(given.classes.min())),
        "labels": np.asarray(labels).tolist(),
    }


@lru_cache(maxsize=2)
def _indices(given: BagSet) -> dict[str, ValidityIndex]:
    """Return the fitted indices of a set, which its cells share."""
    bags = BagTransformer().fit_transform(given.bags)
    # These two reproduce the printed S and S_Dbw of MIFGKA on East-West exactly.
    mirrored = BagSilhouette("precomputed", "bag").fit(mirrored_distances(bags))
    scatter = BagSDbw(sigma="instance", ddof=1, weighting="instance", undefined=np.inf).fit(bags)
    return {**bag_indices(bags), "silhouette_printed": mirrored, "sdbw_printed": scatter}


def mirrored_distances(bags: Bags) -> NDArray[np.float64]:
    """Return the directed distances from the bag with the lower number, for both directions.

    Numbers are the identifiers of the bags if all are integers, and otherwise their positions in the file.
    """
    H = bag_distances(bags)
    ids = bags.bag_ids or ()
    numbers = list(map(int, ids)) if ids and all(map(str.isdecimal, ids)) else range(bags.n_bags)
    place = np.argsort(np.argsort(numbers, kind="stable"))
    return np.where(place[:, None] < place, H, H.T)


@dataclass(frozen=True)
class Entry:
    """A method in one reading."""

    name: str
    reading: Reading  # {"table", "default", ""}
    make: Callable[..., Any]  # estimator, or function of bags, number of clusters and seed
    effort: str = ""  # {"genetic", "memetic", ""}: key of the sizes in :data:`EFFORT` for the estimator
    # further parameters that differ from the defaults
    options: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""  # note after the name in lists

    @property
    def key(self) -> tuple[str, Reading]:
        """Name and reading, which identify the entry."""
        return self.name, self.reading

    def run(self, bags: Bags, n_clusters: int, seed: int, effort: Mapping[str, Any]) -> Outcome:
        """Cluster once."""
        if self.name in CONTROLS:
            return Outcome(self.make(bags, n_clusters, seed))
        sizes = effort.get(self.effort, {})
        model = self.make(n_clusters, random_state=seed, **self.options, **sizes).fit(bags)
        evaluations = getattr(model, "n_evaluations_", None)
        return Outcome(model.labels_, evaluations, getattr(model, "n_trial_evaluations_", None))


def k_means_of_means(bags: Bags, n_clusters: int, seed: int) -> IntArray:
    """Run k-means on the means of the bags."""
    means = BagTransformer().fit_transform(bags).means()
    labels: IntArray = KMeans(n_clusters, n_init=10, random_state=seed).fit_predict(means)
    return labels


def average_linkage(bags: Bags, n_clusters: int, seed: int) -> IntArray:
    """Run agglomerative clustering with the symmetric distance; deterministic."""
    model = AgglomerativeClustering(n_clusters, metric="precomputed", linkage="average")
    labels: IntArray = model.fit_predict(_symmetric(bags))
    return labels


def spectral(bags: Bags, n_clusters: int, seed: int) -> IntArray:
    """Run spectral clustering of exp(-H^2 / s^2), where s is the median symmetric distance of two bags."""
    H = _symmetric(bags)
    scale = float(np.median(H[np.triu_indices(len(H), 1)]))
    affinity = np.exp(-np.square(H / scale)) if scale > 0.0 else np.ones_like(H)
    model = SpectralClustering(n_clusters, affinity="precomputed", random_state=seed)
    labels: IntArray = model.fit_predict(affinity)
    return labels


def random_labels(bags: Bags, n_clusters: int, seed: int) -> IntArray:
    """Draw uniform random labels, in which every cluster occurs."""
    rng = np.random.default_rng(seed)
    drawn = rng.integers(n_clusters, size=bags.n_bags - n_clusters)
    return rng.permutation(np.concatenate([np.arange(n_clusters), drawn]))


CONTROLS: dict[str, Callable[[Bags, int, int], IntArray]] = {
    "k-means of bag means": k_means_of_means,
    "average linkage": average_linkage,
    "spectral": spectral,
    "random labels": random_labels,
}
ENTRIES: dict[tuple[str, Reading], Entry] = {
    entry.key: entry
    for entry in (
        Entry("BAMIC", "", BAMIC),
        Entry("MIKM", "table", MIKMeans, options=_INSTANCE),
        Entry("MIKM", "default", MIKMeans),
        Entry("MIGKA", "table", MIGKA, "genetic", {**_PRINTED, "elitism": 0}),
        Entry("MIGKA", "default", MIGKA, "genetic"),
        Entry("MIFGKA", "table", MIFGKA, "genetic", _PRINTED_FAST),
        Entry("MIFGKA", "default", MIFGKA, "genetic"),
        Entry("MIGCUK", "table", MIGCUK, "genetic", _MEAN, "centers='mean'"),
        Entry("MIGCUK", "default", MIGCUK, "genetic", {}, "centers='medoid'"),
        Entry("CHCMIC", "table", CHCMIC, "genetic", _PRINTED),
        Entry("CHCMIC", "default", CHCMIC, "genetic"),
        Entry("MemeticCHCMIC", "table", MemeticCHCMIC, "memetic", _INSTANCE, "at least 5% of the bags"),
        Entry("MemeticCHCMIC", "default", MemeticCHCMIC, "memetic", {}, "at least 5% of the bags"),
        *(Entry(name, "", control) for name, control in CONTROLS.items()),
    )
}


class Outcome(NamedTuple):
    """Labels of all bags, and the costs; None for costs that are not counted."""

    labels: IntArray
    evaluations: int | None = None
    trials: int | None = None


def _symmetric(bags: Bags) -> NDArray[np.float64]:
    return bag_distances(BagTransformer().fit_transform(bags), kind="symmetric")


def described() -> dict[str, dict[str, Any]]:
    """Return the options of every entry, for the parameters of the experiment."""
    return {f"{entry.name} {entry.reading}".strip(): dict(entry.options) for entry in ENTRIES.values()}


def load_bag_sets(folder: Path | None, names: Sequence[str] = ()) -> list[BagSet]:
    """Load the sets of the paper in a folder, or the named ones.

    Raises a ValueError if a name is unknown, and a DataError if the folder, all sets or a requested set are
    missing, or a set has no classes.

    Parameters
    ----------
    folder : Path, optional
        Folder that contains npz files, directly or in its subfolder ``mil``. Default: the folder in the
        environment variable ``MOO_CLUSTERING_DATA``.
    names : sequence of str, default=()
        File names without suffix; default: all sets of the paper in the folder.

    Returns
    -------
    list of BagSet
        In the order of the paper.
    """
    known: dict[str, Any] = {**SETS, **EXTRAS}
    check_names("sets", names, known)
    given = folder_of_data(folder)
    if not given:
        raise DataError(
            f"multi-instance sets require the folder that contains them: pass it, or set {DATA_VARIABLE}"
        )
    places = {name: _place(given, name) for name in known if name in (names or SETS)}
    absent = [f"{name}.npz" for name, place in places.items() if place is None]
    if names and absent:
        raise DataError(f"there is no {absent[0]} in {given} or its subfolder {_FOLDER}")
    if len(absent) == len(places):
        raise DataError(f"there is none of {', '.join(absent)} in {given} or its subfolder {_FOLDER}")
    return [_read(name, place) for name, place in places.items() if place is not None]


def _place(folder: Path, name: str) -> Path | None:
    candidates = (folder / f"{name}.npz", folder / _FOLDER / f"{name}.npz")
    return next((path for path in candidates if path.is_file()), None)


def _read(name: str, path: Path) -> BagSet:
    table = read_bags(path)
    classes = table.labels
    if classes is None or table.n_classes < 2 or (classes < 0).any():
        raise DataError(f"{path} must have an array 'bag_labels' of at least two classes, one for each bag")
    identity = fingerprint(table.bags.instances, table.bags.offsets, classes)[:16]
    return BagSet(name, identity, table.bags, classes)
