"""Registry of methods for the command ``moo-clustering``, and BibTeX entries for their papers."""

from __future__ import annotations

import importlib
import inspect
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cache, partial
from importlib.metadata import EntryPoint, distributions
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from moo_clustering import __version__
from moo_clustering._messages import did_you_mean, quoted

RECOMMENDED = "pareto-clustering"
RECOMMENDED_FOR_BAGS = "pareto-bags"
_PACKAGE = f"""@software{{moo_clustering,
  author = {{{{The moo\\_clustering developers}}}},
  title = {{moo\\_clustering: evolutionary clustering, pymoo and DEAP behind scikit-learn estimators}},
  version = {{{__version__}}},
}}"""
_CITED = re.compile(r"^  estimators = \{(.*)\},\n", re.MULTILINE)
# The messages of these errors are clear without the name of the error class.
_SAYS_ALL = (ImportError, AttributeError, TypeError, ValueError)

_PESC_PAPER = "Pareto ensemble-based spectral clustering (PESC)"
_NSGA2_CLUS_PAPER = "semi-supervised clustering of medical documents with NSGA-II (NSGA-II-clus)"
_BAG_PAPER = "evolutionary clustering for multiple-instance learning"
_NMF_PAPER = "ensemble non-negative matrix factorization for clustering biomedical documents (EN-NCW-NMF)"
_SISC_PAPER = "multi-label ASRS dataset classification using semi-supervised subspace clustering (SISC-ML)"
_BAG_NEEDS = "bags of numeric instances, and the number of clusters; optional labels or pairs of bags"
_SISC_NEEDS = "features with values 0 and 1 (otherwise, set binarize=True), dense or sparse; optional labels"
# The parameters of published variants are defined here, because listing methods must not import estimators.
MOCK_DELTA: dict[str, Any] = {
    "encoding": "short", "delta": "auto", "search": "nsga2", "pop_size": 100, "n_gen": 100, "pc": 1.0,
    "init": "delta", "mutation_length": "genotype", "objectives": ("variance", "connectivity"),
    "connectivity": "published", "min_cluster_share": 0.0,
}  # fmt: skip
MOCK_2007: dict[str, Any] = {
    "encoding": "locus", "search": "pesa2", "pop_size": 10, "archive_size": 1000, "n_gen": 1000,
    "pc": 0.7, "init": "2007", "mutation_length": "N", "objectives": ("deviation", "connectivity"),
    "connectivity": "ranks", "min_cluster_share": 0.0,
}  # fmt: skip
# The published variant has no repair and no enumeration, mutates by swaps, and selects by satisfied pairs.
NSGA2_CLUS: dict[str, Any] = {
    "post_repair": False, "select": "constraints", "mutation": "swap", "length": "grow",
    "search": "evolve",
}  # fmt: skip
# The PESC paper also states a mutation probability of 0.3, but MOCK has no such parameter.
MOCK_PESC: dict[str, Any] = {**MOCK_2007, "pop_size": 100, "n_gen": 100}
PESC_PAPER: dict[str, Any] = {"operators": "rank", "laplacian": "unnormalized", "list_width": "full"}


@dataclass(frozen=True)
class Method:
    """Clustering method for the command ``moo-clustering``.

    Packages add methods through entry points (group ``moo_clustering.methods``) that refer to a ``Method``.

    Parameters
    ----------
    name : str
        Short name in lower-case letters, digits and hyphens.
    class_name, module : str
        Name of the estimator, and the module from which it is imported.
    paper, summary, needs : str
        Paper that describes the method, one-line description, and required data and supervision.
    aliases : mapping of str to mapping
        Names and options of the published variants.
    supervision : tuple of str
        Kinds of supervision that ``fit`` accepts: ``"labels"`` (partial), ``"label_sets"`` or ``"pairs"``.
    sparse, bags, categorical, areas : bool
        Whether ``fit`` accepts sparse matrices, bags of instances, data frames with categorical columns, or
        the ``graph``, ``weight``, ``start`` and ``shapes`` of a map. A sample is a bag of one instance.
    stems, presence : bool
        Whether documents are converted to tf-idf weights of stems, or to the presence (0 or 1) of words.
    equal_columns : bool, optional
        True if columns always have equal weights. False if columns have equal weights only in tables with
        categories. None if columns never have equal weights.
    graph_options : mapping
        Options with which ``fit`` accepts an adjacency matrix. Empty if it never accepts one.
    evolves_with : mapping
        Options that make ``fit`` run generations. Empty if ``fit`` always or never runs generations.
    """

    name: str
    class_name: str
    paper: str
    summary: str
    needs: str
    aliases: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, hash=False)
    supervision: tuple[str, ...] = ()
    sparse: bool = False
    bags: bool = False
    stems: bool = False
    presence: bool = False
    categorical: bool = False
    areas: bool = False
    equal_columns: bool | None = False
    graph_options: Mapping[str, Any] = field(default_factory=dict, hash=False)
    evolves_with: Mapping[str, Any] = field(default_factory=dict, hash=False)
    module: str = "moo_clustering.estimators"

    def __post_init__(self) -> None:
        # Types are checked on registration and not here, because an invalid method must not prevent the
        # import of its module.
        for name in ("aliases", "graph_options", "evolves_with"):
            if isinstance(options := getattr(self, name), Mapping):
                object.__setattr__(self, name, _frozen(options))

    def load(self) -> type[Any]:
        """Import and return the estimator class."""
        return getattr(importlib.import_module(self.module), self.class_name)

    @property
    def predicts(self) -> bool:
        """Whether fitted estimators predict the clusters of new samples."""
        return hasattr(self.load(), "predict")


def _frozen(options: Mapping[str, Any]) -> Mapping[str, Any]:
    return MappingProxyType(
        {name: _frozen(value) if isinstance(value, Mapping) else value for name, value in options.items()}
    )


def _check_fields(method: Method) -> None:
    kinds = {"str": str, "bool": bool, "bool | None": bool, "tuple[str, ...]": tuple}
    forms = {"name": r"[a-z0-9-]+", "class_name": r"[^\W\d]\w*", "module": r"[^\W\d]\w*(\.[^\W\d]\w*)*"}
    for each in fields(method):
        value, kind = getattr(method, each.name), kinds.get(str(each.type), Mapping)
        if not isinstance(value, kind) and (value is not None or "None" not in str(each.type)):
            raise TypeError(f"{each.name} must be a {kind.__name__.lower()}, got {quoted(value)}")
        if isinstance(value, str):
            if not (value.strip() and value.isprintable()):
                raise ValueError(f"{each.name} must be one line of printable text, got {quoted(value)}")
            if not re.fullmatch(forms.get(each.name, ".*"), value):
                asked = "lower-case letters, digits and hyphens" if each.name == "name" else "a Python name"
                raise ValueError(f"{each.name} must be {asked}, got {quoted(value)}")
    if not set(method.supervision) <= {"labels", "label_sets", "pairs"}:
        raise ValueError(
            "supervision must contain only 'labels', 'label_sets' and 'pairs', got "
            f"{quoted(method.supervision)}"
        )
    for alias, options in method.aliases.items():
        if not (isinstance(alias, str) and alias.strip() and alias.isprintable()):
            raise ValueError(f"an alias must be one line of printable text, got {quoted(alias)}")
        if not isinstance(options, Mapping):
            raise TypeError(f"the options of alias {alias!r} must be a mapping, got {quoted(options)}")


_guided_method = partial(Method, supervision=("labels", "pairs"))
_bag_method = partial(_guided_method, paper=_BAG_PAPER, needs=_BAG_NEEDS, bags=True)
_document_method = partial(Method, sparse=True, stems=True)
_subspace_method = partial(Method, supervision=("labels", "label_sets"), sparse=True, presence=True)
_BUILT_IN: tuple[Method, ...] = (
    _guided_method(
        name=RECOMMENDED, class_name="ParetoClustering", paper="this package",
        summary="recommended: consensus of algorithm families, guided by labels of a few samples, if any",
        needs="features, dense or sparse, or precomputed distances; optional labels or pairs",
        aliases={
            "pareto": {}, "flagship": {}, "pareto-evolved": {"n_gen": 30},
            "pareto-shapes": {"criterion": "minimax"}, "pareto-new-classes": {"novel": "allow"},
        },
        sparse=True, equal_columns=True,
    ),
    _guided_method(
        name=RECOMMENDED_FOR_BAGS, class_name="ParetoBagClustering", paper="this package", bags=True,
        summary="recommended for bags: consensus over distances, embeddings and algorithms",
        needs="bags of numeric instances; optional labels or pairs of bags",
    ),
    Method(
        name="memetic-kmeans", class_name="MemeticKMeans",
        paper="this package, after Gribel & Vidal 2019 and Fränti 2018",
        summary="k-means with a low sum of squares, by evolution of local optima; for 50 or more clusters",
        needs="numeric features, and the number of clusters",
        aliases={"swap-kmeans": {"strategy": "swap"}, "ward-kmeans": {"strategy": "ward"}},
    ),
    Method(
        name="constrained-kmeans", class_name="ConstrainedKMeans", paper="Bradley, Bennett & Demiriz 2000",
        summary="k-means with minimum and maximum cluster sizes and exact assignments, for balanced clusters",
        needs="numeric features, the number of clusters, and bounds on their sizes; optional pairs",
        aliases={"sized-kmeans": {}, "balanced-kmeans": {}},
        supervision=("pairs",),
    ),
    Method(
        name="fuzzy-cmeans", class_name="FuzzyCMeans", paper="Bezdek 1981",
        summary="fuzzy clusters around centres, with memberships of every sample in every cluster",
        needs="numeric features in comparable units, and the number of clusters",
        aliases={"fcm": {}},
    ),
    Method(
        name="gustafson-kessel", class_name="GustafsonKessel", equal_columns=None,
        paper="Gustafson & Kessel 1978; Babuska, van der Veen & Kaymak 2002",
        summary="fuzzy clusters of different shapes and orientations",
        needs="numeric features, and the number of clusters",
    ),
    Method(
        name="regions", class_name="Regions", areas=True,
        paper="this package, after DeFord, Duchin & Solomon 2021 and Duque, Anselin & Rey 2012",
        summary="connected map regions with balanced loads, such as territories or districts",
        needs="areas with polygons, and the number of regions; optional weights and earlier regions",
    ),
    _guided_method(
        name="pesc", class_name="PESC", paper=_PESC_PAPER,
        summary="spectral clustering of a graph merged from a Pareto front of neighbour graphs",
        needs="numeric features or precomputed distances, and the number of clusters",
        aliases={
            "PESC_ES1": {"ensemble": "es1"}, "PESC_ES2": {"ensemble": "es2"},
            "PESC_ES3": {"ensemble": "es3"}, "PESC-paper": PESC_PAPER,
        },
    ),
    _guided_method(
        name="spectral-graph", class_name="SpectralGraphClustering",
        paper=f"conventional similarity graphs, baselines of the PESC paper; {_PESC_PAPER}",
        summary="spectral clustering of a k-nearest-neighbour, epsilon, full or water-filling graph",
        needs="numeric features or precomputed distances, and the number of clusters",
        aliases={
            "kNN": {"graph": "knn"}, "mutual-kNN": {"graph": "mutual_knn"},
            "epsilon-neighborhood": {"graph": "epsilon"}, "fully-connected": {"graph": "full"},
            "water-filling": {"graph": "waterfill"},
        },
    ),
    _guided_method(
        name="nsga2-clus", class_name="NSGA2Clus", paper=_NSGA2_CLUS_PAPER, sparse=True,
        summary="NSGA-II over sets of medoids, guided by constraints; finds the number of clusters",
        needs="features, dense or sparse, or precomputed distances; optional labels or pairs",
        aliases={
            "Internal-NSGA-II-clus": {"supervision": "crowding", **NSGA2_CLUS},
            "External-NSGA-II-clus": {"supervision": "external", **NSGA2_CLUS},
        },
    ),
    _guided_method(
        name="amosa-clus", class_name="AMOSAClus", sparse=True,
        paper=f"a baseline of the NSGA-II-clus paper; {_NSGA2_CLUS_PAPER}",
        summary="archived simulated annealing over sets of medoids; finds the number of clusters",
        needs="features, dense or sparse, or precomputed distances; optional labels or pairs",
        aliases={"AMOSA-centre": {"encoding": "center"}},
    ),
    _guided_method(
        name="metric-kmeans", class_name="MetricKMeans",
        paper=f"Xing et al. 2002, a baseline of the NSGA-II-clus paper; {_NSGA2_CLUS_PAPER}",
        summary="k-means in a Mahalanobis metric learned from pairs",
        needs="numeric features, the number of clusters, and labels or pairs",
        aliases={"KMDM": {}, "KMDM-full": {"metric_type": "full"}},
    ),
    _guided_method(
        name="pckmeans", class_name="PCKMeans", sparse=True,
        paper=f"Basu, Banerjee & Mooney 2004; {_NSGA2_CLUS_PAPER}",
        summary="k-means with a penalty for violated pairs",
        needs="features, dense or sparse, the number of clusters, and labels or pairs",
    ),
    _guided_method(
        name="hmrf-kmeans", class_name="HMRFKMeans", sparse=True,
        paper=f"Basu, Bilenko & Mooney 2004, a baseline of the NSGA-II-clus paper; {_NSGA2_CLUS_PAPER}",
        summary="k-means with a penalty for violated pairs that depends on the distance between samples",
        needs="features, dense or sparse, the number of clusters, and labels or pairs",
        aliases={"KMProb": {}},
    ),
    _bag_method(
        name="bamic", class_name="BAMIC",
        paper=f"Zhang & Zhou 2009, a baseline of the multi-instance paper; {_BAG_PAPER}",
        summary="k-medoids of bags in the Hausdorff distance",
        aliases={"BAGIC": {}},
    ),
    _bag_method(
        name="mi-kmeans", class_name="MIKMeans",
        summary="k-means of bags, by the distance from a centre to the farthest instance",
        aliases={"MIKM": {}, "MIKM-instance": {"weighting": "instance"}, "MIKM-literal": {"empty": "keep"}},
    ),
    _bag_method(
        name="migka", class_name="MIGKA",
        summary="genetic k-means of bags, with objective-based mutation and k-means steps",
        aliases={"MIGKA-printed": {"draw_weights": "printed", "empty": "closest", "elitism": 0}},
    ),
    _bag_method(
        name="mifgka", class_name="MIFGKA",
        summary="fast genetic k-means of bags, with distance-based mutation; may search empty clusters",
        aliases={"MIFGKA-printed": {"reading": "printed_meansq", "legality": "count", "elitism": 0}},
    ),
    _bag_method(
        name="migcuk", class_name="MIGCUK",
        summary="genetic search for medoid bags; can find the number of clusters",
        aliases={"MIGCUK-mean": {"centers": "mean"}},
    ),
    _bag_method(
        name="chcmic", class_name="CHCMIC",
        summary="CHC search for the partition of bags with the lowest Davies-Bouldin index",
        aliases={"CHCMIC-printed": {"draw_weights": "printed", "empty": "closest"}},
    ),
    _bag_method(
        name="memetic-chcmic", class_name="MemeticCHCMIC", paper=f"this package, after CHCMIC; {_BAG_PAPER}",
        summary="CHC search over local optima, with at least 5% of the bags in every cluster",
    ),
    _document_method(
        name="ensemble-nmf", class_name="EnsembleNMF", paper=_NMF_PAPER,
        summary="consensus of many factorisations of documents with normalised-cut weights",
        needs="documents, or non-negative term weights or counts, and the number of clusters",
        aliases={
            "EN-NCW-NMF": {}, "NCW-NMF-ensemble": {}, "EN-NMF": {"document_weighting": None},
            "NCW-NMF": {"n_runs": 1},
        },
    ),
    _document_method(
        name="nmf-clustering", class_name="NMFClustering",
        paper=f"Xu, Liu & Gong 2003, a baseline of ensemble NMF; {_NMF_PAPER}",
        summary="clusters of documents from the topics of one non-negative factorisation",
        needs="documents, or non-negative term weights, and the number of clusters",
        aliases={"NMF": {}, "NMF-literal": {"unit_topics": False}},
    ),
    _document_method(
        name="spherical-kmeans", class_name="SphericalKMeans",
        paper=f"Dhillon & Modha 2001 and CLUTO, baselines of ensemble NMF; {_NMF_PAPER}",
        summary="k-means by cosine similarity, for all clusters at once or by repeated bisection",
        needs="documents, or numeric features, dense or sparse, and the number of clusters",
        aliases={"bisecting": {"strategy": "bisecting"}, "bisecting-kmeans": {"strategy": "bisecting"}},
    ),
    _subspace_method(
        name="sisc", class_name="SISC", paper=_SISC_PAPER,
        summary="fuzzy clusters with their own feature weights, guided by labels or label sets",
        needs=_SISC_NEEDS,
        aliases={"SISC-ML": {}, "SISC-ML-literal": {"aggregation": "sum", "n_neighbors": 5}},
    ),
    _subspace_method(
        name="scad2", class_name="SCAD2",
        paper=f"Frigui & Nasraoui 2004, a baseline of SISC-ML; {_SISC_PAPER}",
        summary="fuzzy k-means with feature weights in every cluster",
        needs="numeric features, dense or sparse, and the number of clusters",
    ),
    _subspace_method(
        name="entropy-weighted-kmeans", class_name="EntropyWeightedKMeans",
        paper=f"Jing, Ng & Huang 2007, a baseline of SISC-ML; {_SISC_PAPER}",
        summary="k-means with entropy-regularised feature weights in every cluster",
        needs="numeric features, dense or sparse, and the number of clusters",
        aliases={"K-Means-Entropy": {}, "EWKM": {}, "EWKM-mean": {"dispersion": "mean"}},
    ),
    _subspace_method(
        name="nsga2-sisc", class_name="NSGA2SISC",
        paper=f"SISC-ML, with a search of this package for its start; {_SISC_PAPER}",
        summary="SISC from seeds found by NSGA-II, compared with the best of equally many random starts",
        needs=_SISC_NEEDS,
    ),
    _guided_method(
        name="subspace-mixture", class_name="SubspaceMixture", sparse=True, equal_columns=None,
        paper="this package, after Celeux & Govaert 1992 and Fränti 2018",
        summary="Gaussian clusters in few features each, by cluster swaps; finds the number of clusters",
        needs="numeric features, dense or sparse; optional labels or pairs",
    ),
    Method(
        name="icl", class_name="ICLClustering", paper="Côme, Jouvin, Latouche & Bouveyron 2021",
        summary="clusters of maximum integrated likelihood: Gaussian, categorical, or blocks of a graph",
        needs="numeric features (columns of two values, such as indicators, are categories), or a graph",
        aliases={
            "icl-counts": {"model": "counts"}, "icl-categories": {"model": "categories"},
            "icl-graph": {"model": "sbm"},
        },
        graph_options={"model": "sbm"}, equal_columns=None,
    ),
    _guided_method(
        name="mock", class_name="MOCK",
        paper="Handl & Knowles 2007, Garza-Fabre, Handl & Knowles 2018, baselines of the PESC paper",
        summary="compact or connected clusters, from links of a spanning tree; finds the number of clusters",
        needs="numeric features; optional labels or pairs",
        aliases={
            "MOCK-2007": MOCK_2007, "delta-MOCK": MOCK_DELTA, "MOCK-PESC": MOCK_PESC,
            "Semi-MOCK": {"supervision": "objective"},
        },
    ),
    _guided_method(
        name="srmosc", class_name="SRMOSC", paper="Luo, Jiao & Lozano 2016, a baseline of the PESC paper",
        summary="spectral clustering of graphs built from a Pareto front of sparse representations",
        needs="numeric features, and the number of clusters; optional labels or pairs",
        aliases={"SRMOSC-evolved": {"search": "nsga2"}},
        evolves_with={"search": "nsga2"},
    ),
    Method(
        name="fuzzy-modes-moga", class_name="FuzzyModesMOGA", categorical=True,
        paper="Mukhopadhyay, Maulik & Bandyopadhyay 2009, a baseline of the PESC paper",
        summary="majority vote of a Pareto front of fuzzy k-modes clusterings, for categories or numbers",
        needs="categories, or numeric features with metric='euclidean', and the number of clusters",
        aliases={"MOGA(pi,sep)": {}, "MOGA-numeric": {"metric": "euclidean"}},
    ),
)  # fmt: skip
METHODS = {method.name: method for method in _BUILT_IN}


def accepting(field: str) -> str:
    """Return the names of the methods for which a field is true or non-empty."""
    return ", ".join(method.name for method in METHODS.values() if getattr(method, field))


# For each skipped method of another package: the message that gives the reason, and the method's names.
_LEFT_OUT: dict[str, set[str]] = {}


@cache
def add_installed() -> None:
    """Register the methods of other packages on the first call, and skip methods that fail to load."""
    # Sort by package, because the file order must not determine which of two methods of a name is kept.
    for package, entry in sorted(_declared(), key=lambda each: each[0]):
        declared: Any = None
        try:
            if isinstance(entry, Exception):
                raise entry
            declared = entry.load()
            if not isinstance(declared, Method):
                raise TypeError(f"{entry.value} is a {type(declared).__name__}, not a Method")
            _check_installed(declared)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            # Importing another package can raise any exception, including SystemExit.
            kind = "" if isinstance(error, _SAYS_ALL) else f"{type(error).__name__}: "
            try:
                reason = f"{kind}{error}"
            except Exception:
                reason = type(error).__name__
            name = getattr(entry, "name", "")
            sentence = f"skipped method {quoted(name)} of package {quoted(package)}: {reason}"
            names = (name, getattr(declared, "name", None))
            _LEFT_OUT[sentence] = {_plain(asked) for asked in names if isinstance(asked, str)}
        else:
            METHODS[declared.name] = declared


def _declared() -> Iterator[tuple[str, EntryPoint | Exception]]:
    """Yield the package and entry point of each declared method, or the package and a reading error."""
    seen = set()
    for distribution in distributions():
        package = "unknown"
        try:
            entries = distribution.entry_points.select(group="moo_clustering.methods")
            if not entries:
                continue
            package = str(distribution.metadata["Name"])
            # Skip all distributions of a name except the first, because Python imports the first on the path.
            found: list[EntryPoint | Exception] = [] if package in seen else [*entries]
        except Exception as error:
            found = [error]
        seen.add(package)
        yield from ((package, entry) for entry in found)


def _check_installed(method: Method) -> None:
    _check_fields(method)
    # Methods of other packages may share a class, but must not use the class of a built-in method.
    for names, others in (
        ((method.class_name,), _BUILT_IN),
        ((method.name, *method.aliases), METHODS.values()),
    ):
        for name in names:
            for other in others:
                if _plain(name) in map(_plain, (other.name, other.class_name, *other.aliases)):
                    raise ValueError(f"{quoted(name)} is already used by the method {other.name}")
    kind: Any = method.load()
    callables = [callable(getattr(kind, name, None)) for name in ("fit", "get_params")]
    if not isinstance(kind, type) or not all(callables):
        raise TypeError(f"{method.module}.{method.class_name} must be a class with fit and get_params")
    parameters = inspect.signature(kind).parameters
    for options in (*method.aliases.values(), method.graph_options, method.evolves_with):
        for name in options:
            if name not in parameters:
                raise ValueError(f"{method.class_name} has no parameter {quoted(name)}")


def warn_left_out() -> None:
    """Warn about each method of another package that failed to load."""
    for sentence in _LEFT_OUT:
        warnings.warn(sentence, stacklevel=2)


def get_method(name: str) -> Method:
    """Return the method with the given name or alias; see :func:`find_method`."""
    return find_method(name)[0]


def find_method(name: str) -> tuple[Method, dict[str, Any]]:
    """Return a method and the options of its alias. Raise a ValueError if the name or alias is unknown."""
    found = _known(name)
    if found is None:
        add_installed()
        found = _known(name)
    if found is not None:
        return found
    for sentence, names in _LEFT_OUT.items():
        if _plain(name) in names:
            raise ValueError(sentence)
    warn_left_out()
    known = [*METHODS, *(alias for method in METHODS.values() for alias in method.aliases)]
    raise ValueError(
        f"unknown method {quoted(name)}; known methods are {', '.join(METHODS)} and their "
        f"aliases{did_you_mean(name, known)}"
    )


def _known(name: str) -> tuple[Method, dict[str, Any]] | None:
    for method in METHODS.values():
        names: dict[str, Mapping[str, Any]] = {method.name: {}, method.class_name: {}, **method.aliases}
        for each, options in names.items():
            if _plain(each) == _plain(name):
                return method, dict(options)
    return None


def _plain(name: str) -> str:
    return name.casefold().replace("_", "").replace("-", "").replace(" ", "")


class CitedMixin:
    """Mixin for estimators that can be cited."""

    def citation(self) -> str:
        """Return BibTeX entries for the papers of the method, followed by the entry for this package.

        Examples
        --------
        >>> from moo_clustering import NSGA2Clus
        >>> print(NSGA2Clus().citation().splitlines()[0])
        @inproceedings{nsga2clus2016,
        """
        return bibtex(type(self))


def bibtex(*classes: type) -> str:
    """Return entries for the papers of classes (default: all) and their base classes, and this package."""
    bases = [base for each in classes for base in each.__mro__]
    names = {base.__name__ for base in bases if base.__module__.startswith("moo_clustering.")}
    found = [entry for entry, of in _references() if not classes or names & of]
    return "\n\n".join([*found, _PACKAGE])


@cache
def _references() -> list[tuple[str, frozenset[str]]]:
    """Return each BibTeX entry and the names of the estimators that cite it."""
    text = files("moo_clustering.estimators").joinpath("assets", "references.bib").read_text(encoding="utf-8")
    entries = text.strip().split("\n\n")
    return [(_CITED.sub("", entry), frozenset(_CITED.findall(entry)[0].split(", "))) for entry in entries]
