"""Data sets for ParetoClustering and its rivals, draws of labels and pairs, and scores.

:func:`load_suite` reads a folder of tables and texts into :class:`ClassedSet` objects; :class:`Sheet` runs
methods and scores them.
"""

from __future__ import annotations

import io
import json
import os
import warnings
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score

from moo_clustering._arrays import Int64Array, IntArray
from moo_clustering.constraints._checks import unrank_pairs
from moo_clustering.constraints.sources import sample_ranks
from moo_clustering.datasets import DataError, read_documents, tfidf
from moo_clustering.datasets.documents import json_objects
from moo_clustering.datasets.files import table_text
from moo_clustering.datasets.tables import encode_classes
from moo_clustering.persistence import fingerprint, read_arrays
from papers.documents import MIN_DOCUMENTS, SOURCES, load_collection
from papers.flagship_generated import STRUCTURED, generated_table
from papers.runner import RECORD, check_names, folder_of_data

# Share of the samples that are in no pair.
FREE_SHARE = 0.3
UNKNOWN, KNOWN = "k unknown", "k known"
FLAGSHIP = "flagship"
FLAGSHIP_UNKNOWN, FLAGSHIP_KNOWN = "flagship, k unknown", "flagship, k known"
CONSENSUS, SELECT = "flagship, consensus", "flagship, select"
PLAIN_UNKNOWN, PLAIN_KNOWN = "unsupervised flagship, k unknown", "unsupervised flagship, k known"
MINIMAX = "flagship, minimax criterion"
MIXTURE = "flagship, mixture criterion"
MODULARITY = "flagship, modularity criterion"
EVOLVED, CONTROL, RANDOM_SURVIVAL = "evolved", "control: pool alone", "random survival"
ORACLE, RANDOM = "best member of the pool (oracle)", "random labels"
# Upper and lower bound: the selection by the classes, and random labels.
BOUNDS = (ORACLE, RANDOM)
EVIDENCE = "best partition by evidence"
CONSTRAINED, SPREADING, LOGISTIC = "constrained spectral", "label spreading", "logistic regression"
K_MEANS = "k-means"
VECTORS, PLSCAN = "support vector machine", "PLSCAN"
# Name of all generated sets, and seeds of each kind.
GENERATED, _SEEDS = "generated", 3
_KNOWN_FOLDERS = {"shapes": "s", "uci": "u"}
_TABLES = (".csv", ".tsv", ".tab", ".data", ".parquet", ".pq")
_BUNDLED = {"iris": load_iris, "wine": load_wine, "breast_cancer_wdbc": load_breast_cancer}
DIGITS = "digits"
# Number of rows, after shuffling.
MOST_ROWS = 1500
LEAST_ROWS = 10
# Number of components to which texts are reduced.
N_COMPONENTS = 50
_FEW_FEATURES = 3
KINDS = {"s": "shapes", "u": "tables", "t": "texts", "d": "digits", "o": "others", "g": "generated"}
_VERSION = tuple(int(part) for part in pd.__version__.split(".")[:2])
# Options of pandas.read_csv for exact numbers, which later versions read by default, with a warning.
EXACT: dict[str, Any] = {} if _VERSION >= (3, 1) else {"float_precision": "round_trip"}
CLASS_COLUMNS = ("class", "label", "labels", "target", "y")
# A column of text with more categories contains row names, and is not a feature.
MOST_CATEGORIES = 20
# Reading a column costs as much as reading a thousand of its rows.
_MOST_COLUMNS = 100_000
_MISSING = ["?", "", "NA", "nan", "NaN", "null"]
TOPIC_FIELDS = ("labels", "label", "class", "target", "topic", "category")
# Terms in fewer documents are not informative about other documents.
_LEAST_DOCUMENTS = 2


def load_suite(folder: Path | None, names: Sequence[str] = ()) -> Suite:
    """Load all readable sets of a folder, or the named ones.

    Raises a ValueError if there is no set with one of the names, and a DataError if the folder does not exist
    or contains no set.

    Parameters
    ----------
    folder : Path, optional
        Folder that is searched, with all subfolders, for npz, CSV, TSV, Parquet and JSON lines. The
        subfolders ``shapes`` and ``uci`` contain shapes and tables; with one of them, scikit-learn's digits
        belong to the suite. Default: the folder in the environment variable ``MOO_CLUSTERING_DATA`` or, if it
        is not set, only sets of scikit-learn.
    names : sequence of str, default=()
        Names of sets: file names without suffix, preceded by the folder if two files have the same name.
        ``"generated"`` means three sets of each kind of :data:`~papers.flagship_generated.STRUCTURED`, and
        ``"generated/nested/0"`` one of them.
    """
    given = folder_of_data(folder)
    sources = bundled_sources()
    skipped: list[Skipped] = []
    if given:
        if not given.is_dir():
            raise DataError(f"there is no folder {given}")
        sources, skipped = folder_sources(given)
    if any(name.split("/")[0] == GENERATED for name in names):
        generated = generated_sources()
        sources = sources | generated
        names = [one for name in names for one in (generated if name == GENERATED else [name])]
    check_names("sets", names, sources)
    sets: list[ClassedSet] = []
    for name, source in sources.items():
        if name not in names if names else not source.in_protocol:
            if not names:
                skipped.append(Skipped(source.file, "not in the suite of the protocol; request it by name"))
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                sets.append(replace(source.make(), name=name))
        except (DataError, MemoryError, ValueError) as error:
            reason = " ".join(str(error).split())
            skipped.append(Skipped(source.file, reason.replace(f"{given}{os.sep}", "") if given else reason))
    if not sets:
        reasons = "; ".join(f"{one.file}: {one.reason}" for one in skipped[:5])
        raise DataError(f"{given} contains no set with classes ({reasons or 'no files'})")
    order = list(KINDS)
    return Suite(
        sorted(sets, key=lambda one: (order.index(one.kind), one.name)),
        sorted(skipped, key=lambda one: one.file),
    )


class Suite(NamedTuple):
    """Sets in the order of the reports, and the skipped files."""

    sets: list[ClassedSet]
    skipped: list[Skipped]


class Skipped(NamedTuple):
    """A skipped file, and the reason."""

    file: str
    reason: str


def bundled_sources() -> dict[str, Source]:
    """Return the sets of scikit-learn by name."""

    def make(name: str) -> ClassedSet:
        X, y = _BUNDLED[name](return_X_y=True)
        return made_set(name, "u", X, y)

    sources = {name: Source("of scikit-learn", partial(make, name)) for name in _BUNDLED}
    return {**sources, DIGITS: Source("of scikit-learn", _digits)}


def generated_sources() -> dict[str, Source]:
    """Return generated tables with known clusters by name, such as ``"generated/nested/0"``."""

    def make(kind: str, seed: int) -> ClassedSet:
        made = generated_table(kind, seed)
        return made_set(kind, "g", made.X, made.classes, note=kind, scale=made.scale)

    return {
        f"{GENERATED}/{kind}/{seed}": Source(GENERATED, partial(make, kind, seed), in_protocol=False)
        for kind in STRUCTURED
        for seed in range(_SEEDS)
    }


class Source(NamedTuple):
    """A file, and a function that creates a set from it."""

    file: str
    make: Callable[[], ClassedSet]
    in_protocol: bool = True


def made_set(
    name: str, kind: str, table: Any, classes: NDArray[np.integer[Any]], note: str = "", scale: str = ""
) -> ClassedSet:
    """Shuffle the rows (seed 0), use the first 1500, and replace missing values by medians.

    Raises a DataError if the set is too small, or has no classes.

    Parameters
    ----------
    name, kind, note : str
    table : ndarray or csr_array of shape (n_samples, n_features)
    classes : ndarray of shape (n_samples,)
        Classes; negative values are noise.
    scale : str, default=""
        Default: "isotropic" for shapes and for two or three features of similar spread, "none" for texts, and
        otherwise "standard".
    """
    order = np.random.default_rng(0).permutation(len(classes))[:MOST_ROWS]
    notes = [note] if note else []
    rows, kept = table[order], _numbered(np.asarray(classes)[order])
    _check(kept)
    if not sp.issparse(rows):
        rows, n_missing = _filled(rows)
        if n_missing:
            notes.append(f"{n_missing} missing values were replaced by medians")
    scale = scale or _scale_of(kind, rows)
    identity = fingerprint(rows.toarray() if sp.issparse(rows) else rows, kept)[:16]
    return ClassedSet(name, identity, kind, scale, rows, kept, "; ".join(notes))


def _numbered(classes: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """Return contiguous classes 0, 1, ..., and -1 for noise."""
    result = np.full(len(classes), -1, dtype=np.int64)
    scored = classes >= 0
    result[scored] = np.unique(classes[scored], return_inverse=True)[1]
    return result


def _check(classes: NDArray[np.int64]) -> None:
    n, n_classes = int((classes >= 0).sum()), int(classes.max(initial=-1)) + 1
    if n < LEAST_ROWS:
        raise DataError(f"{n} rows with a class, fewer than {LEAST_ROWS}")
    if n_classes < 2:
        raise DataError("a single class")
    # A column with fewer than three samples per value on average contains measurements, not classes.
    if n_classes * 3 > n:
        raise DataError(f"{n_classes} different values in {n} rows are not classes")


def _filled(rows: NDArray[np.float64]) -> tuple[NDArray[np.float64], int]:
    rows = np.where(np.isfinite(rows), rows, np.nan)
    rows = rows[:, ~np.isnan(rows).all(axis=0)]
    if not rows.shape[1]:
        raise DataError("no features")
    missing = np.isnan(rows)
    if not missing.any():
        return rows, 0
    return np.where(missing, np.nanmedian(rows, axis=0), rows), int(missing.sum())


def _scale_of(kind: str, rows: Any) -> str:
    if kind == "t":
        return "none"
    if kind == "s":
        return "isotropic"
    if kind == "o" and rows.shape[1] <= _FEW_FEATURES:
        spreads = rows.std(axis=0)
        # Two or three features of similar spread are coordinates.
        if rows.shape[1] > 1 and spreads.max() <= 10.0 * spreads.min():
            return "isotropic"
    return "standard"


def _digits() -> ClassedSet:
    X, y = load_digits(return_X_y=True)
    return made_set(DIGITS, "d", X, y, scale="isotropic")


def folder_sources(folder: Path) -> tuple[dict[str, Source], list[Skipped]]:
    """Return the sources of all files in a folder by name, and the skipped files."""
    found: list[tuple[str, Path, Source]] = []
    skipped: list[Skipped] = []
    runs = {path.parent for path in folder.rglob(RECORD) if _is_record(path)}
    is_known_tree = any((folder / name).is_dir() for name in _KNOWN_FOLDERS)
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        file = path.relative_to(folder).as_posix()
        if any(part.startswith(".") for part in path.relative_to(folder).parts):
            continue
        if not runs.isdisjoint(path.parents):
            skipped.append(Skipped(file, "part of the folder of a run of this package"))
            continue
        sources = _sources_of(path, file)
        if not sources:
            skipped.append(Skipped(file, "of an unsupported type"))
        found += [(name, path, source) for name, source in sources.items()]
    counts: dict[str, int] = {}
    for name, _, _ in found:
        counts[name] = counts.get(name, 0) + 1
    sources = {
        name if counts[name] == 1 else source.file.removesuffix(_suffix(path)): source
        for name, path, source in found
    }
    if is_known_tree:
        sources.setdefault(DIGITS, Source("of scikit-learn", _digits))
    return sources, skipped


def _is_record(path: Path) -> bool:
    """Return whether the file is the record of a run or of an experiment of this package."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(record, dict) and str(record.get("format", "")).startswith("moo_clustering ")


def _sources_of(path: Path, file: str) -> dict[str, Source]:
    suffix = _suffix(path)
    if suffix in (".jsonl", ".jsonl.gz"):
        if path.name in FILES:
            names = [name for name, one in CORPORA.items() if SOURCES[one.collection].file == path.name]
            return {name: Source(file, partial(_corpus, name, path)) for name in names}
        name = path.name.removesuffix(suffix)
        return {name: Source(file, partial(_json, name, path), path.name not in _OTHER_TEXTS)}
    read = archive_table if suffix == ".npz" else frame_table if suffix in _TABLES else None
    if read is None:
        return {}
    kind = _KNOWN_FOLDERS.get(path.parent.name, "o")

    def make() -> ClassedSet:
        X, classes, note = read(path)
        return made_set(path.stem, kind, X, classes, note)

    return {path.stem: Source(file, make)}


def _suffix(path: Path) -> str:
    name = path.name.lower()
    return ".jsonl.gz" if name.endswith(".jsonl.gz") else path.suffix.lower()


class Corpus(NamedTuple):
    """The topics of a collection that form a set."""

    collection: str
    topics: tuple[str, ...]


# The published groups and classes are not known; the eight topics are those of R8.
CORPORA = {
    "newsgroups5": Corpus(
        "20news",
        ("comp.graphics", "rec.sport.hockey", "sci.space", "soc.religion.christian", "talk.politics.mideast"),
    ),
    "newsgroups10": Corpus(
        "20news",
        (
            "alt.atheism",
            "comp.graphics",
            "comp.sys.mac.hardware",
            "misc.forsale",
            "rec.autos",
            "rec.sport.hockey",
            "sci.crypt",
            "sci.med",
            "sci.space",
            "talk.politics.mideast",
        ),
    ),
    "ohsumed5": Corpus("ohsumed", ("C04", "C06", "C10", "C14", "C20")),
    "reuters8": Corpus("reuters", ("acq", "crude", "earn", "grain", "interest", "money-fx", "ship", "trade")),
}
FILES = {SOURCES[corpus.collection].file for corpus in CORPORA.values()}


def _corpus(name: str, path: Path) -> ClassedSet:
    return _texts_set(name, corpus_texts(name, path))


def _texts_set(name: str, found: Texts) -> ClassedSet:
    # Select rows first, because only the terms of the selected rows are used.
    rows = made_set(name, "t", np.arange(len(found.texts), dtype=np.float64)[:, None], found.classes)
    chosen = rows.table[:, 0].astype(np.int64)
    weights = term_weights([found.texts[row] for row in chosen])
    identity = fingerprint(weights.data, weights.indices, weights.indptr, rows.classes)[:16]
    return ClassedSet(name, identity, "t", "none", weights, rows.classes, found.note)


class Texts(NamedTuple):
    """Texts and their topics, -1 for a text without a topic or with several."""

    texts: list[str]
    classes: NDArray[np.int64]
    note: str


def term_weights(texts: Sequence[str]) -> sp.csr_array:
    """Compute tf-idf weights of the terms that occur in at least two texts.

    Raises a DataError if there are no such terms.
    """
    weights, _ = tfidf(texts, min_df=_LEAST_DOCUMENTS if len(texts) > _LEAST_DOCUMENTS else 1)
    return sp.csr_array(weights)


def corpus_texts(name: str, path: Path) -> Texts:
    """Read the texts of one of :data:`CORPORA`.

    Raises a DataError if the file is invalid, or lacks topics.
    """
    corpus = CORPORA[name]
    collection = load_collection(corpus.collection, path.parent)
    absent = [topic for topic in corpus.topics if topic not in collection.topics]
    if absent:
        raise DataError(f"no {MIN_DOCUMENTS} documents about {', '.join(absent)}")
    codes = [collection.topics.index(topic) for topic in corpus.topics]
    rows = np.flatnonzero(np.isin(collection.y, codes))
    documents = [collection.documents[row] for row in rows]
    texts = [f"{document['title']}\n{document['text']}" for document in documents]
    classes = np.array([codes.index(topic) for topic in collection.y[rows]], dtype=np.int64)
    return Texts(texts, classes, f"topics {', '.join(corpus.topics)}")


def _json(name: str, path: Path) -> ClassedSet:
    return _texts_set(name, json_texts(path))


def json_texts(path: Path) -> Texts:
    """Read texts with one label each from JSON lines; labels of fewer than ten texts are ignored.

    Raises a DataError if the file cannot be read, or has no such field.
    """
    first = next((record for _, record in json_objects(path)), None)
    if first is None:
        raise DataError("no documents")
    field = next((name for name in TOPIC_FIELDS if name in first), None)
    if field is None:
        raise DataError(f"no field {' or '.join(TOPIC_FIELDS)}; there are {', '.join(first)}")
    documents = read_documents(path, labels=field)
    y = documents.y
    if y is None:
        sets = documents.label_sets or []
        codes = {name: number for number, name in enumerate(documents.target_names)}
        y = np.array([codes[names[0]] if len(names) == 1 else -1 for names in sets], dtype=np.int64)
    sizes = np.bincount(y[y >= 0], minlength=1)
    kept = np.flatnonzero((y >= 0) & (sizes[y] >= MIN_DOCUMENTS))
    if not len(kept):
        raise DataError(f"no label of {MIN_DOCUMENTS} texts without other labels")
    note = f"labels in field {field}"
    if len(kept) < len(y):
        note += f"; {len(y) - len(kept)} texts with several labels, a rare label or no label omitted"
    return Texts([documents.texts[row] for row in kept], y[kept], note)


# Collections that the protocol does not use, and further files in their folder.
_OTHER_TEXTS = {source.file for source in SOURCES.values()} - FILES


def archive_table(path: Path) -> RawTable:
    """Read the arrays ``X`` and ``y`` of an npz file; the class -1 is noise if there are at least two others.

    Raises a DataError if there are no arrays of matching shapes.
    """
    if not zipfile.is_zipfile(path):
        raise DataError("not a NumPy archive, or truncated")
    arrays = read_arrays(path, DataError)
    if "X" not in arrays or "y" not in arrays:
        raise DataError(f"no arrays X and y; it contains {', '.join(arrays) or 'nothing'}")
    X, y = arrays["X"], arrays["y"].reshape(-1)
    if X.ndim != 2 or X.dtype.kind not in "iufb" or len(X) != len(y) or y.dtype.kind == "V":
        raise DataError(f"X of shape {X.shape} and type {X.dtype} with {len(y)} classes is not a table")
    return RawTable(X.astype(np.float64), coded(y))


class RawTable(NamedTuple):
    """Features, with NaN for missing values, and classes."""

    X: NDArray[np.float64]  # shape (n_samples, n_features)
    # shape (n_samples,): classes 0, 1, ..., and -1 for noise and for samples without a class
    classes: NDArray[np.int64]
    note: str = ""  # description of the conversion of the columns


def coded(y: NDArray[Any]) -> NDArray[np.int64]:
    """Return classes 0, 1, ..., and -1 for empty cells, and for -1 if the other classes are 0, ..., k > 0.

    Raises a DataError if the values are numbers that are not classes.
    """
    numbers = pd.to_numeric(pd.Series(y), errors="coerce").to_numpy(dtype=np.float64)
    known = numbers[~np.isnan(numbers)]
    if len(known) == len(y) and (known != np.round(known)).any() and len(np.unique(known)) > MOST_CATEGORIES:
        raise DataError("the classes are measurements, not names")
    others = np.unique(known[known != -1])
    noise = len(others) > 1 and len(known) == len(y) and (others == np.arange(len(others))).all()
    return encode_classes(y, minus_one_is_missing=bool(noise))[0]


def frame_table(path: Path) -> RawTable:
    """Read a table from text (CSV, TSV) or Parquet.

    The classes are in the column ``class``, ``label``, ``labels``, ``target`` or ``y``, or in the last
    column. Text columns with few different values become indicators, and others are omitted. Raises a
    DataError if the table cannot be read, or has no features.
    """
    frame = _read(path)
    if frame.shape[1] < 2:
        raise DataError("a single column")
    names = {str(name).strip().casefold(): name for name in frame.columns}
    column = next((names[name] for name in CLASS_COLUMNS if name in names), frame.columns[-1])
    classes = coded(_class_values(frame[column]))
    parts: list[pd.DataFrame] = []
    indicators, dropped = 0, []
    for name in frame.columns.drop(column):
        values = frame[name]
        numbers = pd.to_numeric(values, errors="coerce")
        if numbers.notna().sum() >= values.notna().sum():
            if numbers.notna().any():
                parts.append(numbers.astype(np.float64).to_frame())
        elif values.nunique() <= min(MOST_CATEGORIES, len(values) // 2):
            parts.append(pd.get_dummies(values.astype(str)).astype(np.float64))
            indicators += 1
        else:
            dropped.append(str(name))
    if not parts:
        raise DataError("no numeric or categorical features")
    notes = [f"classes in column {column!s}"]
    if indicators:
        notes.append(f"{indicators} columns of categories as indicators")
    if dropped:
        notes.append(f"without {', '.join(dropped)}")
    return RawTable(pd.concat(parts, axis=1).to_numpy(dtype=np.float64), classes, "; ".join(notes))


def _read(path: Path) -> pd.DataFrame:
    try:
        if path.suffix.lower() in (".parquet", ".pq"):
            return pd.read_parquet(path)
        text, separator, *_ = table_text(path)
        if text.partition("\n")[0].count(separator) > _MOST_COLUMNS:
            raise DataError(f"more than {_MOST_COLUMNS:,} columns")
        options: dict[str, Any] = {"sep": separator, "na_values": _MISSING, "skipinitialspace": True}
        head = pd.read_csv(io.StringIO(text), **options, header=None, nrows=1, dtype=str)
        named = pd.to_numeric(head.iloc[0], errors="coerce").isna().sum() > head.shape[1] // 2
        return pd.read_csv(io.StringIO(text), **options, header=0 if named else None, **EXACT)
    except DataError:
        raise
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}") from error
    except (ValueError, UnicodeError, ImportError) as error:
        raise DataError(f"cannot be read: {' '.join(str(error).split())}") from error


def _class_values(column: Any) -> NDArray[Any]:
    return np.asarray(column.astype(object).where(column.notna(), None), dtype=object)


@dataclass(frozen=True)
class ClassedSet:
    """A data set with classes: at most 1500 of its rows, in random order."""

    name: str
    identity: str  # fingerprint of rows and classes
    kind: str  # {"s", "u", "t", "d", "o", "g"}: as in :data:`KINDS`
    scale: str  # {"standard", "isotropic", "none"}: scaling of the features
    # shape (n_samples, n_features): finite features; term weights if it is sparse
    table: Any = field(compare=False, repr=False)
    # shape (n_samples,): classes; -1 for samples that are not scored and never labelled
    classes: NDArray[np.int64] = field(compare=False, repr=False)
    note: str = field(default="", compare=False)  # description of the conversion of the data

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return len(self.classes)

    @property
    def n_classes(self) -> int:
        """Number of classes without noise."""
        return int(self.classes.max()) + 1

    @property
    def n_noise(self) -> int:
        """Number of samples that are not scored."""
        return int((self.classes < 0).sum())

    def features(self) -> NDArray[np.float64]:
        """Return scaled features; for texts, 50 components in unit-length rows."""
        from moo_clustering.estimators._pareto_landmarks import FeatureScaling

        scale: Any = self.scale
        return FeatureScaling.of(self.table, scale, n_components=N_COMPONENTS).transform(self.table)

    def head(self, n_rows: int) -> ClassedSet:
        """Return the first rows, whose features are scaled again."""
        if self.n_samples <= n_rows:
            return self
        classes = _numbered(self.classes[:n_rows])
        return replace(self, table=self.table[:n_rows], classes=classes)


class PairDraw(NamedTuple):
    """Pairs of samples, and the samples in no pair."""

    must_link: Int64Array  # shape (n_pairs, 2)
    cannot_link: Int64Array  # shape (n_pairs, 2)
    free: NDArray[np.bool_]  # shape (n_samples,): samples in no pair


def draw_labels(classes: Int64Array, fraction: float, rng: np.random.Generator) -> Int64Array:
    """Draw labels of a share of every class (at least one sample); -1 for other samples and for noise."""
    return _drawn(classes, range(int(classes.max()) + 1), fraction, rng)


def _drawn(
    classes: Int64Array, of: range | list[int], fraction: float, rng: np.random.Generator
) -> Int64Array:
    y = np.full(len(classes), -1, dtype=np.int64)
    for one in of:
        members = np.flatnonzero(classes == one)
        y[rng.choice(members, max(1, round(fraction * len(members))), replace=False)] = one
    return y


def draw_some_classes(classes: Int64Array, fraction: float, rng: np.random.Generator) -> Int64Array:
    """Draw labels as :func:`draw_labels`, but no labels of half of the classes (rounded down).

    Labels are contiguous, so that they do not reveal how many classes are missing.
    """
    n_classes = int(classes.max()) + 1
    kept = np.sort(rng.permutation(n_classes)[n_classes // 2 :])
    y = _drawn(classes, kept.tolist(), fraction, rng)
    known = y >= 0
    y[known] = np.searchsorted(kept, y[known])
    return y


def draw_pairs(classes: Int64Array, amount: float, flipped: float, rng: np.random.Generator) -> PairDraw:
    """Draw ``amount`` n distinct pairs among 70% of the samples with a class; flip a share ``flipped``."""
    scored = np.flatnonzero(classes >= 0)
    n_among = len(scored) - round(FREE_SHARE * len(scored))
    among = np.sort(rng.permutation(scored)[:n_among])
    total = n_among * (n_among - 1) // 2
    ranks = sample_ranks(total, min(total, round(amount * len(classes))), rng)
    pairs = among[np.column_stack(unrank_pairs(ranks))]
    together = classes[pairs[:, 0]] == classes[pairs[:, 1]]
    wrong = rng.permutation(len(pairs))[: round(flipped * len(pairs))]
    together[wrong] = ~together[wrong]
    free = np.ones(len(classes), dtype=bool)
    free[pairs.ravel()] = False
    return PairDraw(pairs[together], pairs[~together], free)


class Sheet:
    """Scores of methods: a row per method, setting and draw.

    Parameters
    ----------
    classes : ndarray of shape (n_samples,)
        Classes, which no method receives; negative for samples that are not scored.

    Attributes
    ----------
    rows : list of dict
        ``setting``, ``draw``, ``method`` and ``ari``, ``ami``, ``k``, ``seconds``; or ``error``.
    """

    def __init__(self, classes: NDArray[np.int64]) -> None:
        self._classes = classes
        self.rows: list[dict[str, Any]] = []

    def add(
        self,
        setting: str,
        draw: int,
        method: str,
        labels_of: Callable[[], IntArray],
        *,
        among: NDArray[np.bool_] | None = None,
        seconds: float | None = None,
        of_pool: bool = False,
    ) -> None:
        """Run a method and score its labels.

        Parameters
        ----------
        setting, method : str
        draw : int
        labels_of : callable
        among : ndarray of shape (n_samples,), bool, optional
            Samples to score, with ``ari_all`` and ``ami_all`` for all samples; default: all with a class.
        seconds : float, optional
            Seconds of the method; default: seconds of the call.
        of_pool : bool, default=False
            Whether the pool took most of the time, so that the seconds of the call are not informative.
        """
        row: dict[str, Any] = {"setting": setting, "draw": draw, "method": method}
        start = perf_counter()
        try:
            labels = np.asarray(labels_of())
            took = perf_counter() - start if seconds is None else seconds
            row |= self._scores(labels, among)
            row["seconds"] = None if of_pool else took
        except MemoryError:
            raise
        except Exception as error:
            row["error"] = f"{type(error).__name__}: {' '.join(str(error).split())}"
        self.rows.append(row)

    def add_best(
        self,
        setting: str,
        draw: int,
        method: str,
        candidates_of: Callable[[], IntArray],
        among: NDArray[np.bool_] | None = None,
    ) -> None:
        """Add the candidate that is best by the classes, an upper bound for any selection."""

        def best() -> IntArray:
            candidates = candidates_of()
            here = self._scored(among)
            scores = [adjusted_rand_score(self._classes[here], one[here]) for one in candidates]
            chosen: IntArray = candidates[int(np.argmax(scores))]
            return chosen

        self.add(setting, draw, method, best, among=among, of_pool=True)

    def _scored(self, among: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
        scored: NDArray[np.bool_] = self._classes >= 0
        return scored if among is None else scored & among

    def _scores(self, labels: IntArray, among: NDArray[np.bool_] | None) -> dict[str, Any]:
        if labels.shape != self._classes.shape:
            raise ValueError(f"{labels.shape} labels for {len(self._classes)} samples")
        here = self._scored(among)
        if not here.any():
            raise ValueError("no sample is left to score")
        row = {**_agreement(self._classes[here], labels[here]), "k": len(np.unique(labels))}
        if among is not None:
            everyone = _agreement(self._classes[self._scored(None)], labels[self._scored(None)])
            row |= {f"{name}_all": value for name, value in everyone.items()}
        return row


def _agreement(classes: NDArray[np.int64], labels: IntArray) -> dict[str, float]:
    return {
        "ari": float(adjusted_rand_score(classes, labels)),
        "ami": float(adjusted_mutual_info_score(classes, labels)),
    }
