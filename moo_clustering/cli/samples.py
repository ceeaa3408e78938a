"""Samples of the command: tables, bags, documents and label sets behind one interface.

A data set is read into one of these classes. :class:`Samples` defines what the fit, the description, the
files and the summary of a run need, so that they do not depend on the kind of data.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from moo_clustering._arrays import FloatArray, Int64Array, IntArray
from moo_clustering._messages import distinct_names
from moo_clustering.cli.terminal import one_line
from moo_clustering.datasets.tables import NamedRows
from moo_clustering.persistence import fingerprint
from moo_clustering.results import ClusteringResult

if TYPE_CHECKING:
    from moo_clustering.bags import Bags
    from moo_clustering.cli.job import LabelUse
    from moo_clustering.datasets import CategoryTable, Documents, MultiLabelTable, Table, TablePreparer

# Limits of multiplications and bags for indices that need the distances of all pairs of bags.
MOST_WORK = 2e11
MOST_BAGS = 5000
# Number of random permutations of the labels, the control of the entropy of clusters.
_SHUFFLES = 20
# Texts that identify a sample: characters, columns, and the largest number of rows to have them.
_TEXT_LENGTH = 160
_SHOWN_COLUMNS = 8
_MOST_TEXTS = 20_000
LabelSets = list[tuple[str, ...]]


@dataclass(frozen=True, eq=False)
class Samples(NamedRows):
    """Table of dense numeric features, and interface of all kinds of samples."""

    name: str  # name of the data set or file
    X: Any  # data for ``fit``
    # shape (n_samples,): identifiers as text, or 0, 1, ... for data without identifiers.
    row_ids: NDArray[Any]
    feature_names: Sequence[str] = ()
    # shape (n_samples,): known classes for scoring, -1 for unknown.
    y: Int64Array | None = None
    target_names: tuple[str, ...] = ()  # names of the classes in y
    # shape (n_samples,): partial labels for ``fit``, -1 for unlabelled samples.
    partial_y: Int64Array | None = None
    partial_names: tuple[str, ...] = ()  # names of the classes in partial_y
    notes: tuple[str, ...] = ()  # sentences about the conversion of columns

    # Noun for a sample.
    kind: ClassVar[str] = "sample"
    # Kind of data, for messages about options that do not apply.
    read_as: ClassVar[str] = "a table (--text-columns names text columns)"
    # Whether the features are dense numbers in their own units.
    has_units: ClassVar[bool] = True

    @classmethod
    def of(cls, table: Table, **more: Any) -> Self:
        """Samples of a table."""
        return cls(
            table.name,
            table.X,
            table.row_ids,
            table.feature_names,
            table.y,
            table.target_names,
            table.partial_y,
            table.partial_names,
            **more,
        )

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.row_ids)

    @property
    def features(self) -> str:
        """Number of features, in words."""
        return f"{len(self.feature_names)} features"

    def __str__(self) -> str:
        return f"{self.name}, {self.n_samples} {self.kind}s, {self.features}"

    def record(self) -> dict[str, Any]:
        """Sizes, features and fingerprint, for the record of a run."""
        names = list(self.feature_names)
        return {"n_features": len(names), "feature_names": names, "fingerprint": fingerprint(self.X)}

    def columns(self) -> pd.DataFrame | None:
        """The table as read, with distinct names, or None if the samples are not a table."""
        return pd.DataFrame(np.asarray(self.X), columns=distinct_names(self.feature_names))

    def described_columns(self) -> tuple[pd.DataFrame, dict[str, str]]:
        """Columns in their units that describe the clusters, without filled cells, and the units."""
        columns = self.columns()
        return pd.DataFrame() if columns is None else columns, {}

    @property
    def category_names(self) -> tuple[str, ...]:
        """Names of the columns of categories."""
        return ()

    def coordinates(self) -> tuple[FloatArray, list[str]] | None:
        """Coordinates and names for a plot, if the table has only one or two columns; otherwise None."""
        return None

    def texts(self) -> list[str] | None:
        """Texts that identify the samples, or None."""
        columns = self.columns()
        if columns is None or not columns.shape[1] or len(columns) > _MOST_TEXTS:
            return None
        shown = columns.iloc[:, :_SHOWN_COLUMNS]
        more = ", ..." if columns.shape[1] > _SHOWN_COLUMNS else ""
        cells = [[f"{name} {_cell(value)}" for value in column.tolist()] for name, column in shown.items()]
        return [f"{', '.join(row)}{more}" for row in zip(*cells, strict=True)]

    def report_data(self) -> dict[str, Any]:
        """Data and feature names, as arguments of ``report_content``."""
        return {"X": self.X, "feature_names": list(self.feature_names)}

    def partial_sets(self) -> tuple[tuple[str, ...], NDArray[np.int8], bool] | None:
        """Labels for a method that predicts them: names, indicators, and whether samples can have several.

        Indicators are 0 and 1, with a row of -1 for every unlabelled sample. None without labels.
        """
        if self.partial_y is None:
            return None
        names = self.partial_names
        return names, indicators(class_sets(self.partial_y, names), names), False

    def known_sets(self) -> LabelSets | None:
        """Known classes of every sample for scoring, or None."""
        return None if self.y is None else class_sets(self.y, self.target_names)

    def scores(self, labels: IntArray, use: LabelUse | None = None) -> dict[str, float]:
        """Agreement of clusters with the known classes of samples; empty without classes.

        With partial labels, also the accuracy on samples that are unlabelled in the fit. With ``use``, the
        scores are of the withheld labels.
        """
        from moo_clustering.validity import clustering_accuracy, nmi, pairwise_ari

        if self.y is None or not (self.y >= 0).any():
            return {}
        known = self.y >= 0
        y, found = self.y[known], labels[known]
        values = {
            "accuracy": clustering_accuracy(y, found),
            "nmi": nmi(y, found),
            "adjusted_rand": pairwise_ari([y], [found])[0, 0],
            **self._unlabelled_accuracy(labels),
        }
        return {name: float(value) for name, value in values.items()}

    def _unlabelled_accuracy(self, labels: IntArray) -> dict[str, float]:
        """Accuracy on samples of known class that are unlabelled in the fit."""
        from moo_clustering.validity import clustering_accuracy

        if self.y is None or self.partial_y is None:
            return {}
        rest = (self.y >= 0) & (self.partial_y < 0)
        if not rest.any():
            return {}
        return {"accuracy_unlabelled": clustering_accuracy(self.y[rest], labels[rest])}


@dataclass(frozen=True, eq=False)
class UntabledSamples(Samples):
    """Samples that are not shown as a table, such as a sparse matrix of features."""

    has_units: ClassVar[bool] = False

    def columns(self) -> None:
        """None, because there is no table."""


@dataclass(frozen=True, eq=False)
class PreparedSamples(Samples):
    """Table with features computed from its columns."""

    frame: pd.DataFrame = field(default_factory=pd.DataFrame)  # columns with empty cells filled
    categories: tuple[str, ...] = ()  # names of the columns of categories
    missing: pd.DataFrame = field(default_factory=pd.DataFrame)  # mask of the filled cells
    has_equal_columns: bool = True  # whether all columns have the same total variance before weights
    # Columns without another role, such as names, which identify a row.
    notes_of_rows: pd.DataFrame = field(default_factory=pd.DataFrame)
    given: pd.DataFrame = field(default_factory=pd.DataFrame)  # the table as it was read
    preparer: TablePreparer | None = None
    header: bool | None = None  # whether the user stated that the first line names the columns

    @property
    def features(self) -> str:
        """Number of columns, and number of features if larger."""
        n_columns = len(self.frame.columns)
        columns = f"{n_columns} column{'' if n_columns == 1 else 's'}"
        n_features = len(self.feature_names)
        return columns if n_features <= n_columns else f"{columns} as {n_features} features"

    def record(self) -> dict[str, Any]:
        """Adds the columns, the categories and the notes."""
        columns = {"columns": list(self.frame), "categories": list(self.categories)}
        return super().record() | columns | {"notes": list(self.notes)}

    def columns(self) -> pd.DataFrame:
        """The columns with empty cells filled."""
        return self.frame

    @property
    def category_names(self) -> tuple[str, ...]:
        """Names of the columns that hold categories."""
        return self.categories

    def described_columns(self) -> tuple[pd.DataFrame, dict[str, str]]:
        """The columns before cells were filled, and their units."""
        from moo_clustering.datasets.prepare import unfilled

        return unfilled(self.frame, self.missing), {} if self.preparer is None else self.preparer.units()

    def coordinates(self) -> tuple[FloatArray, list[str]] | None:
        """One or two columns of numbers or dates."""
        if len(self.frame.columns) > 2 or self.categories:
            return None
        return np.column_stack([_plottable(self.frame[name]) for name in self.frame]), list(
            map(str, self.frame)
        )

    def report_data(self) -> dict[str, Any]:
        """Adds the coordinates of the samples in the units of a table with one or two columns."""
        from moo_clustering.visualization.partitions import feature_plane

        columns, units = self.described_columns()
        shown = super().report_data() | {"columns": columns, "units": units}
        if (found := self.coordinates()) is None:
            return shown
        positions, axes, _ = feature_plane(*found)
        return shown | {"embedding": pd.DataFrame(positions, columns=axes)}


@dataclass(frozen=True, eq=False)
class CategorySamples(Samples):
    """Table with columns of categories, as a data frame."""

    source: CategoryTable = field(kw_only=True)

    has_units: ClassVar[bool] = False

    @property
    def features(self) -> str:
        """Number of features and of categorical features."""
        return f"{len(self.feature_names)} features, {len(self.category_names)} categorical"

    def record(self) -> dict[str, Any]:
        """Adds the columns of categories."""
        names = list(self.feature_names)
        columns = {"n_features": len(names), "feature_names": names, "categories": list(self.category_names)}
        return columns | {"notes": list(self.notes), "fingerprint": fingerprint(*self.source.columns())}

    def columns(self) -> pd.DataFrame:
        """The data frame."""
        return pd.DataFrame(self.X)

    @property
    def category_names(self) -> tuple[str, ...]:
        """Names of the columns that hold categories."""
        return self.source.category_names

    def report_data(self) -> dict[str, Any]:
        """The data frame, which contains the names."""
        return {"X": self.X}


@dataclass(frozen=True, eq=False)
class LabelSetSamples(UntabledSamples):
    """Samples of a file with several labels per sample."""

    # shape (n_samples, n_labels): label indicators 0 and 1, with a row of -1 for an unlabelled sample.
    Y: NDArray[np.int8] = field(kw_only=True)
    label_names: tuple[str, ...] = field(kw_only=True)

    read_as: ClassVar[str] = "features and label sets"

    @classmethod
    def of_label_sets(cls, table: MultiLabelTable) -> Self:
        """Samples of a table with label sets."""
        names = table.feature_names
        return cls(table.name, table.X, table.row_ids, names, Y=table.Y, label_names=tuple(table.label_names))

    def selected(self, columns: IntArray) -> Self:
        """The same samples with some of the features."""
        names = tuple(np.asarray(self.feature_names)[columns].tolist())
        return replace(self, X=self.X[:, columns], feature_names=names)

    def record(self) -> dict[str, Any]:
        """Adds the names of the labels."""
        return super().record() | {"label_names": list(self.label_names)}

    def partial_sets(self) -> tuple[tuple[str, ...], NDArray[np.int8], bool]:
        """All labels of the file. A single label makes two classes, samples with and without it."""
        names, given = self.label_names, np.asarray(self.Y, dtype=np.int8)
        if len(names) > 1:
            return names, given, True
        given = np.column_stack([np.where(given < 0, -1, 1 - given), given]).astype(np.int8)
        return (f"not {names[0]}", names[0]), given, False

    def scores(self, labels: IntArray, use: LabelUse | None = None) -> dict[str, float]:
        """Entropy of the withheld labels, within clusters and in random order."""
        if use is None or not use.is_held_out.any():
            return {}
        rows = np.flatnonzero(use.is_held_out)
        sets = [tuple(use.names[column] for column in np.flatnonzero(row)) for row in use.held_out[rows]]
        return _entropies(sets, labels[rows])


@dataclass(frozen=True, eq=False)
class TextSamples(UntabledSamples):
    """Documents, later with features of their terms."""

    documents: Documents = field(kw_only=True)
    # Partial label sets of documents, empty for unlabelled documents.
    sets: LabelSets | None = None
    # shape (n_documents, n_terms): weights of the terms; X contains these or their leading components.
    weights: Any = None
    made: dict[str, Any] = field(default_factory=dict)  # how the features were computed

    kind: ClassVar[str] = "document"

    @classmethod
    def of_documents(cls, documents: Documents, sets: LabelSets | None = None) -> Self:
        """Samples of a collection, without features."""
        return cls(
            documents.name,
            None,
            documents.row_ids,
            (),
            documents.y,
            documents.target_names,
            documents.partial_y,
            documents.partial_names,
            documents=documents,
            sets=sets,
        )

    def with_terms(self, weights: Any, terms: Any, made: dict[str, Any], X: Any = None) -> Self:
        """The same documents with weights of terms, and their components ``X`` if reduced."""
        names = list(map(str, terms))
        return replace(self, weights=weights, feature_names=names, made=made, X=weights if X is None else X)

    def selected(self, columns: IntArray) -> Self:
        """The same documents with some of the terms."""
        made = self.made | {"selected_by": "information gain", "n_terms_before": len(self.feature_names)}
        return self.with_terms(self.X[:, columns], np.asarray(self.feature_names)[columns], made)

    @property
    def features(self) -> str:
        """Number of terms, and number of components if reduced."""
        terms, components = f"{len(self.feature_names)} terms", self.made["svd"]
        return terms if components is None else f"{terms} as {components} components"

    def record(self) -> dict[str, Any]:
        """Number of features, and how they were computed."""
        terms = {"n_terms": len(self.feature_names), **self.made}
        return {"n_features": self.X.shape[1], "text": terms, "fingerprint": fingerprint(self.weights)}

    def texts(self) -> list[str]:
        """Title and beginning of each document."""
        texts = self.documents.texts
        titles = self.documents.titles or [""] * len(texts)
        return [_opening(title, text) for title, text in zip(titles, texts, strict=True)]

    def report_data(self) -> dict[str, Any]:
        """The weights of the terms, which describe clusters better than the components."""
        return {"X": self.weights, "feature_names": list(self.feature_names)}

    def partial_sets(self) -> tuple[tuple[str, ...], NDArray[np.int8], bool] | None:
        """Label sets, if documents can have several labels."""
        if self.sets is None:
            return super().partial_sets()
        names = tuple(sorted({name for found in self.sets for name in found}))
        return names, indicators(self.sets, names), True

    def known_sets(self) -> LabelSets | None:
        """Known classes of every document, which can be several."""
        sets = self.documents.label_sets
        return super().known_sets() if sets is None else sets

    def scores(self, labels: IntArray, use: LabelUse | None = None) -> dict[str, float]:
        """Entropy in bits of several classes per document within clusters.

        The mean entropy of 20 random permutations of the labels is the control.
        """
        sets = self.documents.label_sets
        return super().scores(labels) if sets is None else _entropies(sets, labels)


@dataclass(frozen=True, eq=False)
class BagSamples(UntabledSamples):
    """Bags of instances; ``X`` is a :class:`~moo_clustering.Bags`."""

    kind: ClassVar[str] = "bag"
    read_as: ClassVar[str] = "bags of instances"

    def __str__(self) -> str:
        bags: Bags = self.X
        low, high = int(bags.sizes.min()), int(bags.sizes.max())
        sizes = f"{low}" if low == high else f"{low} to {high}"
        instances = f"of {sizes} instance{'' if high == 1 else 's'} ({bags.n_instances} in all)"
        return f"{self.name}, {self.n_samples} bags {instances}, {bags.n_features} features"

    def record(self) -> dict[str, Any]:
        """Adds the numbers of instances."""
        bags: Bags = self.X
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
        """The bags, which contain the names of their features."""
        return {"X": self.X}

    def scores(self, labels: IntArray, use: LabelUse | None = None) -> dict[str, float]:
        """Scores on the bags of known class; empty without classes."""
        from moo_clustering.validity import bag_report

        if self.y is None or not (self.y >= 0).any():
            return {}
        known = self.y >= 0
        y = self.y[known]
        report = bag_report(None, labels[known], y, indices={})
        names = ["accuracy", "matched_rand_index", "entropy", "adjusted_rand"]
        if len(self.target_names) == 2:  # more classes have no positive class
            names.insert(3, "f1")
        scores = {name: float(report[name]) for name in names}
        scores["largest_class"] = float(np.bincount(y).max() / len(y))
        return scores | self._unlabelled_accuracy(labels)

    def indices(self, result: ClusteringResult, n_jobs: int | None = None) -> dict[str, float | None]:
        """Validity indices of a result, None if undefined.

        The indices are those of :func:`~moo_clustering.validity.bag_report`, without silhouettes if the
        distances of all bags take longer than the fit.
        """
        from moo_clustering.validity import BagDaviesBouldin, BagSDbw, bag_indices, bag_report

        bags = result.scaled(self.X)
        if bags.n_bags <= MOST_BAGS and float(bags.n_instances) ** 2 * bags.n_features <= MOST_WORK:
            indices = bag_indices(bags, n_jobs=n_jobs)
        else:
            indices = {
                "davies_bouldin_bag": BagDaviesBouldin(undefined=np.inf, n_jobs=n_jobs).fit(bags),
                "sdbw_bag": BagSDbw(undefined=np.inf, n_jobs=n_jobs).fit(bags),
            }
        report = bag_report(None, result.labels, indices=indices)
        return {
            name: value if math.isfinite(value) else None
            for name, value in report.items()
            if isinstance(value, float)
        }


def class_sets(codes: Int64Array, names: Sequence[str]) -> LabelSets:
    """Convert the class of each sample to a set, empty for a sample without a class (-1)."""
    return [(names[code],) if code >= 0 else () for code in codes]


def indicators(sets: Sequence[tuple[str, ...]], names: Sequence[str]) -> NDArray[np.int8]:
    """Return indicators 0 and 1, one column per name, with rows of -1 for samples without a label."""
    place = {name: column for column, name in enumerate(names)}
    found = np.zeros((len(sets), len(names)), dtype=np.int8)
    for row, labels in enumerate(sets):
        if not labels:
            found[row] = -1
        for label in labels:
            if label in place:
                found[row, place[label]] = 1
    return found


def _entropies(sets: LabelSets, labels: IntArray) -> dict[str, float]:
    """Return the entropy of the label sets within clusters, and of random labels; empty without labels."""
    from moo_clustering.validity import cluster_entropy

    known = [row for row, classes in enumerate(sets) if classes]
    if not known:
        return {}
    gold, found = [sets[row] for row in known], labels[known]
    rng = np.random.default_rng(0)
    random = [cluster_entropy(gold, rng.permutation(found)) for _ in range(_SHUFFLES)]
    return {"entropy": cluster_entropy(gold, found), "entropy_random": float(np.mean(random))}


def _plottable(column: pd.Series[Any]) -> FloatArray:
    """Return numbers unchanged, and dates as years."""
    if not pd.api.types.is_datetime64_any_dtype(column):
        return column.to_numpy(dtype=np.float64)
    return 1970 + column.to_numpy(dtype="datetime64[s]").astype(np.float64) / 31556952


def _cell(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else one_line(value)


def _opening(title: str, text: str) -> str:
    title, text = one_line(title), one_line(text[: 4 * _TEXT_LENGTH])
    # Readers prepend the title to the text, because it is also clustered.
    text = text.removeprefix(title).lstrip()
    between = " " if title.endswith((".", "?", "!", ":")) else ": "
    whole = f"{title}{between}{text}" if title and text else title or text
    return whole if len(whole) <= _TEXT_LENGTH else f"{whole[: _TEXT_LENGTH - 3].rstrip()}..."
