"""Common interface for tables, graphs, maps, bags, documents and label sets in the command."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from moo_clustering._arrays import FloatArray, Int64Array, IntArray
from moo_clustering._messages import distinct_names
from moo_clustering.cli.terminal import one_line, shortened
from moo_clustering.datasets import CategoryTable, Documents, MultiLabelTable, PreparedTable, Table
from moo_clustering.descriptions import human_number, with_unit
from moo_clustering.persistence import fingerprint, replacing

if TYPE_CHECKING:
    from moo_clustering.datasets.tables import Roles

# The text that identifies a sample has at most _TEXT_LENGTH characters of a document or _SHOWN_COLUMNS cells.
# Tables with more than _MOST_TEXTS samples have no such texts.
_TEXT_LENGTH, _SHOWN_COLUMNS, _MOST_TEXTS = 160, 8, 20_000
_FEWEST = 2  # minimum number of label columns in a fit
REGIONS = "regions.geojson"
LabelSets = list[tuple[str, ...]]
# The label names, the label indicators, and whether a sample can have several labels.
PartialSets = tuple[tuple[str, ...], NDArray[np.int8], bool]


@dataclass(frozen=True, eq=False)
class Samples(Table):
    """Samples with dense numeric features in a table; base class of all kinds of samples."""

    X: Any
    feature_names: Any
    category_names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()  # sentences about the conversion of columns to features
    source: Any = None  # the data set as it was read
    # Known classes and partial labels, if a sample can have several. They are () for a sample without any.
    label_sets: LabelSets | None = None
    partial_label_sets: LabelSets | None = None
    # The table as it was given, and the features that were prepared from its columns.
    given: pd.DataFrame | None = None
    prepared: PreparedTable | None = None
    has_equal_columns: bool = False  # whether columns were scaled to equal variance
    # Dropped columns that help to identify rows, such as names.
    notes_of_rows: pd.DataFrame | None = None
    unused: pd.DataFrame | None = None  # columns in the file that are not used in the fit
    roles: Roles | None = None  # columns of a prepared table that are not features
    arguments: Mapping[str, Any] = field(default_factory=dict)  # additional arguments for ``fit``

    # Messages call a sample ``kind``. They call the data ``read_as`` if an option does not apply to the data.
    kind: ClassVar[str] = "sample"
    read_as: ClassVar[str] = "a table (specify text columns with --text-columns)"
    # Whether the data can be shown as a table, and whether features are in their original units.
    is_table: ClassVar[bool] = True
    has_units: ClassVar[bool] = True
    # Whether features are terms, which are absent from most samples. Only then can --features be used.
    has_terms: ClassVar[bool] = False

    @classmethod
    def of(cls, data: Table | Documents | MultiLabelTable, **more: Any) -> Self:
        """Create samples by copying the attributes of a data set that are also fields of this class."""
        own = {each.name for each in fields(cls)}
        shared = {name: value for name, value in vars(data).items() if name in own}
        return cls(**{"X": None, "feature_names": (), "source": data} | shared | more)

    @property
    def features(self) -> str:
        return f"{len(self.feature_names)} features"

    def __str__(self) -> str:
        return f"{self.name}, {self.n_samples} {self.kind}s, {self.features}"

    def record(self) -> dict[str, Any]:
        """Return entries for the run record: number and names of features, and a fingerprint of the data."""
        names = list(self.feature_names)
        return {"n_features": len(names), "feature_names": names, "fingerprint": fingerprint(self.X)}

    def columns(self) -> pd.DataFrame | None:
        """Return the table as it was read, but with unique column names, or None if the data are no table."""
        if not self.is_table:
            return None
        return pd.DataFrame(np.asarray(self.X), columns=distinct_names(self.feature_names))

    def described_columns(self) -> tuple[pd.DataFrame, dict[str, str]]:
        """Return the columns that describe clusters, and the units of the columns. Filled cells are empty."""
        columns = self.columns()
        return pd.DataFrame() if columns is None else columns, {}

    def row_names(self) -> list[str] | None:
        """Return the row identifiers, or else the unique cells of a dropped column, or else None."""
        if self.has_row_ids:
            return [str(name) for name in self.row_ids]
        for name, cells in ({} if self.notes_of_rows is None else self.notes_of_rows).items():
            if cells.notna().all() and cells.is_unique:
                texts = [shortened(cell if isinstance(cell, str) else f"{name} {cell}", 40) for cell in cells]
                if len({*texts}) == len(texts):
                    return texts
        return None

    @property
    def column_names(self) -> Any:
        """Column names of X, or () if the columns are unnamed."""
        return self.feature_names

    def coordinates(self) -> tuple[FloatArray, list[str]] | None:
        """Return plot positions and axis names if there are at most two columns, and None otherwise."""
        return None

    def texts(self) -> list[str] | None:
        """Return a text with each sample's values. If there are no columns or many samples, return None."""
        columns, units = self.described_columns()
        if not columns.shape[1] or len(columns) > _MOST_TEXTS:
            return None
        shown = columns.iloc[:, :_SHOWN_COLUMNS]
        more = ", ..." if columns.shape[1] > _SHOWN_COLUMNS else ""
        cells = [
            [
                "" if missing else f"{name} {with_unit(_cell(value), units.get(str(name), ''))}"
                for value, missing in zip(column.tolist(), column.isna(), strict=True)
            ]
            for name, column in shown.items()
        ]
        return [f"{', '.join(filter(None, row))}{more}" for row in zip(*cells, strict=True)]

    def report_data(self) -> dict[str, Any]:
        """Return the arguments X and feature_names of ``report_content``."""
        return {"X": self.X, "feature_names": list(self.feature_names)}

    def left_out(self) -> pd.DataFrame | None:
        """Return the columns that the fit does not use. If there are none, return any known classes."""
        if self.unused is not None or self.y is None:
            return self.unused
        return pd.DataFrame({"known class": np.array([*self.target_names, None], dtype=object)[self.y]})

    def selected(self, columns: IntArray) -> Self:
        names = tuple(np.asarray(self.feature_names)[columns].tolist())
        return replace(self, X=self.X[:, columns], feature_names=names)

    def partial_sets(self) -> PartialSets | None:
        """Return the partial labels for a method that predicts labels, or None if there are none."""
        names, sets = self.partial_names, self.partial_label_sets
        if sets is not None:
            names = tuple(sorted({name for found in sets for name in found}))
            return names, indicators(sets, names), True
        if self.partial_y is None:
            return None
        return names, indicators(_class_sets(self.partial_y, names), names), False

    def known_sets(self) -> LabelSets | None:
        """Return each sample's known classes, which score the predictions, or None if none are known."""
        if self.label_sets is not None or self.y is None:
            return self.label_sets
        return _class_sets(self.y, self.target_names)

    def scores(self, labels: IntArray, use: LabelUse | None = None) -> dict[str, float]:
        """Return scores of the agreement between clusters and known classes, or {} if no classes are known.

        Partial labels add the accuracy on samples without labels in the fit. If samples can have several
        classes, the scores are the entropies (bits) of the classes in the clusters and in random clusters.
        """
        from moo_clustering.validity import clustering_accuracy

        if self.label_sets is not None:
            return _entropies(self.label_sets, labels)
        if self.y is None or not (known := self.y >= 0).any():
            return {}
        values = self._agreement(self.y[known], labels[known])
        if self.partial_y is not None and (rest := known & (self.partial_y < 0)).any():
            values["accuracy_unlabelled"] = clustering_accuracy(self.y[rest], labels[rest])
        return {name: float(value) for name, value in values.items()}

    def _agreement(self, y: Int64Array, labels: IntArray) -> dict[str, float]:
        from moo_clustering.validity import clustering_accuracy, nmi, pairwise_ari

        rand = pairwise_ari([y], [labels])[0, 0]
        return {"accuracy": clustering_accuracy(y, labels), "nmi": nmi(y, labels), "adjusted_rand": rand}


class UntabledSamples(Samples):
    """Samples that cannot be shown as a table, for example a sparse matrix."""

    is_table = False
    has_units = False


class GraphSamples(UntabledSamples):
    """Nodes of a graph, whose adjacency matrix is ``X``."""

    kind = "node"
    read_as = "a graph"

    @property
    def features(self) -> str:
        is_directed = (self.X != self.X.T).nnz > 0
        n_edges = self.X.nnz if is_directed else self.X.nnz // 2
        return f"{n_edges} {'directed ' * is_directed}edge{'s' * (n_edges != 1)}"

    def record(self) -> dict[str, Any]:
        return {"graph": self.features, "fingerprint": fingerprint(self.X)}

    def report_data(self) -> dict[str, Any]:
        shown = {"X": self.X, "feature_names": [f"link to {name}" for name in self.feature_names]}
        if self.n_samples > 1500:  # a spring layout takes quadratic time
            return shown
        import networkx as nx

        layout = nx.spring_layout(nx.from_scipy_sparse_array(abs(self.X + self.X.T)), weight=None, seed=0)
        return shown | {"embedding": pd.DataFrame(layout, ["spring layout 1", "spring layout 2"]).T}


class PreparedSamples(Samples):
    """Table with features computed from its columns."""

    prepared: PreparedTable

    @property
    def features(self) -> str:
        n_columns, n_features = self.columns().shape[1], len(self.feature_names)
        columns = f"{n_columns} column{'' if n_columns == 1 else 's'}"
        return columns if n_features <= n_columns else f"{columns} converted to {n_features} features"

    def record(self) -> dict[str, Any]:
        columns = {"columns": list(self.columns()), "categories": list(self.category_names)}
        return super().record() | columns | {"notes": list(self.notes)}

    def columns(self) -> pd.DataFrame:
        return self.prepared.columns

    def described_columns(self) -> tuple[pd.DataFrame, dict[str, str]]:
        return self.prepared.known_columns, self.prepared.units

    def coordinates(self) -> tuple[FloatArray, list[str]] | None:
        columns = self.columns()
        if columns.shape[1] > 2 or self.category_names:
            return None
        return np.column_stack([_plottable(columns[name]) for name in columns]), list(map(str, columns))

    def report_data(self) -> dict[str, Any]:
        """Return arguments for ``report_content``, including positions if there are one or two columns."""
        from moo_clustering.visualization.partitions import feature_plane

        columns, units = self.described_columns()
        shown = super().report_data() | {"columns": columns, "units": units}
        if (found := self.coordinates()) is None:
            return shown
        positions, axes, _ = feature_plane(*found)
        return shown | {"embedding": pd.DataFrame(positions, columns=axes)}


@dataclass(frozen=True, eq=False)
class AreaSamples(PreparedSamples):
    """Map areas, whose polygons determine the neighbour graph."""

    document: dict[str, Any] = field(kw_only=True)
    geometry: Any = field(kw_only=True)  # the result of :func:`~moo_clustering.cli.load.polygons`
    roles_of_map: dict[str, str] = field(kw_only=True)  # names of the columns ``weight`` and ``start``

    kind = "area"

    def report_data(self) -> dict[str, Any]:
        return super().report_data() | {"geometry": self.geometry}

    def record(self) -> dict[str, Any]:
        return super().record() | self.roles_of_map

    def save_regions(self, folder: Path, labels: IntArray, names: Sequence[str]) -> list[str]:
        """Save the map with each area's region label and name, and return the file name."""
        taken = {name for feature in self.document["features"] for name in feature["properties"] or ()}
        own = "region"
        while {own, f"{own}_name"} & taken:
            own += "_"
        features = [
            feature
            | {"properties": (feature["properties"] or {}) | {own: int(k), f"{own}_name": str(names[k])}}
            for feature, k in zip(self.document["features"], labels, strict=True)
        ]
        with replacing(folder / REGIONS) as file:
            file.write(json.dumps(self.document | {"features": features}).encode("ascii"))
        return [REGIONS]


class CategorySamples(Samples):
    """Table with categorical columns, stored as a data frame."""

    source: CategoryTable

    has_units = False

    @property
    def features(self) -> str:
        return f"{super().features}, {len(self.category_names)} categorical"

    def record(self) -> dict[str, Any]:
        names, categories = list(self.feature_names), list(self.category_names)
        columns = {"n_features": len(names), "feature_names": names, "categories": categories}
        return columns | {"notes": list(self.notes), "fingerprint": fingerprint(*self.source.columns())}

    def columns(self) -> pd.DataFrame:
        return pd.DataFrame(self.X)

    def report_data(self) -> dict[str, Any]:
        return {"X": self.X}


class LabelSetSamples(UntabledSamples):
    """Samples that can have several labels each."""

    source: MultiLabelTable

    read_as = "features and label sets"
    has_terms = True

    def record(self) -> dict[str, Any]:
        return super().record() | {"label_names": list(self.source.label_names)}

    def partial_sets(self) -> PartialSets:
        """Return all labels in the file. If there is only one label, its absence becomes a second class."""
        names, given = tuple(self.source.label_names), np.asarray(self.source.Y, dtype=np.int8)
        if len(names) > 1:
            return names, given, True
        given = np.column_stack([np.where(given < 0, -1, 1 - given), given]).astype(np.int8)
        return (f"not {names[0]}", names[0]), given, False

    def scores(self, labels: IntArray, use: LabelUse | None = None) -> dict[str, float]:
        """Compute the entropy of held-out labels in the clusters and, as a control, in random clusters."""
        if use is None:
            return {}
        sets = [tuple(use.names[column] for column in np.flatnonzero(row > 0)) for row in use.held_out]
        return _entropies(sets, labels)


@dataclass(frozen=True, eq=False)
class TextSamples(UntabledSamples):
    """Documents, with features if these were computed from their texts."""

    # Term weights of shape (n_documents, n_terms). The features X are weights, components or embeddings.
    weights: Any = None
    made: dict[str, Any] = field(default_factory=dict)  # how the features were computed

    kind = "document"
    has_terms = True

    def with_terms(self, weights: Any, terms: Any, made: dict[str, Any], X: Any = None) -> Self:
        """Return a copy with term weights. Its features are ``X`` or, if ``X`` is None, the term weights."""
        names = list(map(str, terms))
        return replace(self, weights=weights, feature_names=names, made=made, X=weights if X is None else X)

    def selected(self, columns: IntArray) -> Self:
        made = self.made | {"selected_by": "information gain", "n_terms_before": len(self.feature_names)}
        return self.with_terms(self.X[:, columns], np.asarray(self.feature_names)[columns], made)

    @property
    def column_names(self) -> Any:
        """Terms, or () if X contains components or embeddings, whose columns have no names."""
        return self.feature_names if self.X is self.weights else ()

    @property
    def features(self) -> str:
        terms, components = f"{len(self.feature_names)} terms", self.made["svd"]
        if "model" in self.made:
            return f"embeddings of {self.X.shape[1]} dimensions, described by {terms}"
        if self.made.get("stemmer", "none") != "none":
            terms += " (stems shown as their most frequent words)"
        return terms if components is None else f"{terms} reduced to {components} components"

    def record(self) -> dict[str, Any]:
        terms = {"n_terms": len(self.feature_names), **self.made}
        data = (self.weights, self.X) if "model" in self.made else (self.weights,)
        return {"n_features": self.X.shape[1], "text": terms, "fingerprint": fingerprint(*data)}

    def texts(self) -> list[str]:
        texts = self.source.texts
        return [*map(_opening, self.source.titles or [""] * len(texts), texts)]

    def report_data(self) -> dict[str, Any]:
        """Return data for the report with term weights, because these describe clusters better than X."""
        return super().report_data() | {"X": self.weights}


class BagSamples(UntabledSamples):
    """Bags of instances, which ``X`` stores as :class:`~moo_clustering.Bags`."""

    kind = "bag"
    read_as = "bags of instances"

    def __str__(self) -> str:
        bags = self.X
        low, high = int(bags.sizes.min()), int(bags.sizes.max())
        sizes = f"{low}" if low == high else f"{low} to {high}"
        instances = f"of {sizes} instance{'' if high == 1 else 's'} ({bags.n_instances} in total)"
        return f"{self.name}, {self.n_samples} bags {instances}, {bags.n_features} features"

    def record(self) -> dict[str, Any]:
        bags = self.X
        names = bags.feature_names or tuple(f"x{column}" for column in range(bags.n_features))
        return {
            "n_instances": bags.n_instances,
            "smallest_bag": int(bags.sizes.min()),
            "largest_bag": int(bags.sizes.max()),
            "n_features": bags.n_features,
            "feature_names": list(names),
            "fingerprint": fingerprint(bags.instances, bags.offsets),
        }

    def report_data(self) -> dict[str, Any]:
        return {"X": self.X}

    def _agreement(self, y: Int64Array, labels: IntArray) -> dict[str, float]:
        from moo_clustering.validity import bag_report

        report = bag_report(None, labels, y, indices={})
        names = ["accuracy", "matched_rand_index", "entropy", "adjusted_rand"]
        if len(self.target_names) == 2:  # F1 is defined only for two classes
            names.insert(3, "f1")
        return {name: report[name] for name in names} | {"largest_class": np.bincount(y).max() / len(y)}


def _class_sets(codes: Int64Array, names: Sequence[str]) -> LabelSets:
    return [(names[code],) if code >= 0 else () for code in codes]


def indicators(sets: Sequence[tuple[str, ...]], names: Sequence[str]) -> NDArray[np.int8]:
    """Return 0/1 indicators, one column per name, with rows of -1 for samples without a label."""
    place = {name: column for column, name in enumerate(names)}
    found = np.zeros((len(sets), len(names)), dtype=np.int8)
    for row, labels in zip(found, sets, strict=True):
        row[[place[label] for label in labels] if labels else slice(None)] = 1 if labels else -1
    return found


def _entropies(sets: LabelSets, labels: IntArray) -> dict[str, float]:
    """Return the entropy of label sets in the clusters and in random clusters, or {} without labels."""
    from moo_clustering.validity import cluster_entropy

    known = [row for row, classes in enumerate(sets) if classes]
    if not known:
        return {}
    gold, found = [sets[row] for row in known], labels[known]
    rng = np.random.default_rng(0)
    # The control is the average over 20 random permutations of the cluster labels.
    random = [cluster_entropy(gold, rng.permutation(found)) for _ in range(20)]
    return {"entropy": cluster_entropy(gold, found), "entropy_random": float(np.mean(random))}


def _plottable(column: pd.Series[Any]) -> FloatArray:
    """Convert a column to numbers for a plot. Dates become fractional years."""
    if not pd.api.types.is_datetime64_any_dtype(column):
        return column.to_numpy(dtype=np.float64)
    return 1970 + column.to_numpy(dtype="datetime64[s]").astype(np.float64) / 31556952


def _cell(value: Any) -> str:
    if not isinstance(value, float):
        return one_line(value).removesuffix(" 00:00:00")
    text = f"{value:.4g}"
    return human_number(value) if "e" in text else text


def _opening(title: str, text: str) -> str:
    title, text = one_line(title), one_line(text[: 4 * _TEXT_LENGTH])
    # The title is removed from the text, to which it was added for the clustering.
    text = text.removeprefix(title).lstrip()
    between = " " if title.endswith((".", "?", "!", ":")) else ": "
    whole = f"{title}{between}{text}" if title and text else title or text
    return shortened(whole, _TEXT_LENGTH)


@dataclass(frozen=True, eq=False)
class LabelUse:
    """Labels used in the fit (``given``), and labels that score the predictions (``held_out``).

    Both arrays have shape (n_samples, n_labels). The row of a sample contains 0/1 indicators. If the sample
    has no labels in an array, its row there is -1. No sample has labels in both arrays.
    """

    names: tuple[str, ...]
    given: NDArray[np.int8]
    held_out: NDArray[np.int8]
    multilabel: bool  # whether a sample can have any number of labels

    @property
    def is_given(self) -> NDArray[np.bool_]:
        return labelled_rows(self.given)

    @property
    def is_held_out(self) -> NDArray[np.bool_]:
        return labelled_rows(self.held_out)

    @property
    def columns(self) -> NDArray[np.intp]:
        """Indices of the labels that samples in the fit have. For label sets, there are at least two."""
        positive: NDArray[np.bool_] = np.any(self.given > 0, axis=0)
        if self.multilabel and positive.sum() < _FEWEST:  # a single column would be read as class codes
            positive[np.flatnonzero(~positive)[: _FEWEST - positive.sum()]] = True
        return np.flatnonzero(positive)

    @property
    def y(self) -> NDArray[Any] | None:
        """Labels used in the fit: class codes (-1: unlabelled), or indicators restricted to ``columns``."""
        if not self.is_given.any():
            return None
        if self.multilabel:
            return self.given[:, self.columns]
        return np.where(self.is_given, self.given.argmax(axis=1), -1)


def labelled_rows(indicators: NDArray[np.int8]) -> NDArray[np.bool_]:
    return np.all(indicators >= 0, axis=1) & bool(indicators.shape[1])
