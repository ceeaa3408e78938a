"""Compare new rows with training rows, and clusters before and after an update with new rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse, stats
from scipy.optimize import linear_sum_assignment
from sklearn.neighbors import NearestNeighbors

from moo_clustering._arrays import BoolArray, FloatArray, IntArray, IntpArray
from moo_clustering._messages import aligned, message_line, printable_line

if TYPE_CHECKING:
    from moo_clustering.datasets.cells import UnseenCells
    from moo_clustering.datasets.prepare import PreparedTable

__all__ = ["ClusterChanges", "Drift"]

# New rows are unlike the training rows if their distance exceeds this quantile of the training distances.
USUAL = 0.99
_MOST_ROWS = 20_000
_UNSEEN = {
    "unreadable": "that could not be read",
    "new category": "not seen in the fit",
    "beyond range": "beyond the range of the fit",
}
# A cluster is part of a split if it contains at least a fraction _SPLIT of an earlier cluster's rows. An
# earlier cluster is merged into a cluster that contains at least a fraction _MERGED of its rows.
_SPLIT, _MERGED = 0.2, 0.5


class Reference(NamedTuple):
    """Training rows, and the distance limit of each cluster.

    Each training row has a distance to the nearest other training row. The limit of a cluster is the 99%
    quantile of these distances for the rows of the cluster.
    """

    rows: Any  # shape (n_rows, n_features)
    limits: FloatArray  # shape (n_clusters,)
    sizes: IntpArray  # shape (n_clusters,): number of training rows in each cluster

    @classmethod
    def of(cls, rows: Any, labels: NDArray[Any], distances: bool = False) -> Reference:
        """Compute limits from up to 20,000 random rows. With ``distances``, ``rows`` is a distance matrix."""
        chosen = np.arange(len(labels))
        if len(chosen) > _MOST_ROWS:
            chosen = np.sort(np.random.default_rng(0).choice(chosen, _MOST_ROWS, replace=False))
        limits, some = np.zeros(labels.max(initial=-1) + 1), labels[chosen]
        rows = rows[chosen][:, chosen] if distances else rows[chosen]
        if len(chosen) > 1:
            if distances:
                nearest = (rows + np.diag(np.full(len(rows), np.inf))).min(axis=1)
            else:
                nearest = NearestNeighbors(n_neighbors=1).fit(_centered(rows)[0]).kneighbors()[0][:, 0]
            for cluster in range(len(limits)):
                own = nearest[some == cluster]
                limits[cluster] = np.quantile(own, USUAL) if len(own) else 0.0
        return cls(rows, limits, np.bincount(labels[labels >= 0], minlength=len(limits)))

    def unlike(self, X: Any, labels: NDArray[Any]) -> BoolArray:
        """Return a mask of noise and of rows that exceed the distance limit of their cluster."""
        # ``X`` contains new rows. If it has one dimension, it contains the distance from each new row to the
        # nearest training row instead.
        distances, rows = X, self.rows
        if X.ndim == 2:
            rows, new = _centered(rows, X)
            distances = NearestNeighbors(n_neighbors=1).fit(rows).kneighbors(new)[0][:, 0]
        limits = np.append(self.limits, 0.0)[labels]
        # Increase the limits, because rounding errors can make distances between identical rows positive.
        limits += 1e-6 * float(np.abs(rows.data if sparse.issparse(rows) else rows).max(initial=0))
        found: BoolArray = (labels < 0) | (distances > limits)
        return found


def repeated_row_notes(rows: Any, X: Any) -> list[str]:
    """Return a list with one note if all new rows equal training rows; otherwise, an empty list."""
    if sparse.issparse(rows) or sparse.issparse(X) or len(X) < 2:
        return []
    known, new = ({row.tobytes() for row in np.round(each, 9) + 0.0} for each in (rows, X))
    advice = "if they are the rows of the fit, no new data are tested"
    return [f"all {len(X)} rows also occur in the fit; {advice}"] if new <= known else []


def _centered(rows: Any, *others: Any) -> list[Any]:
    """Subtract the mean from dense rows, because distances between rows far from the origin are inexact."""
    return [each if sparse.issparse(rows) else each - rows.mean(axis=0) for each in (rows, *others)]


def new_columns(
    labels: NDArray[Any],
    names: Sequence[str],
    unlike: BoolArray,
    support: FloatArray | None,
    unseen: Sequence[UnseenCells] = (),
) -> dict[str, NDArray[Any]]:
    """Return columns for new rows: ``name``, ``unlike`` and, if available, ``support`` and ``ignored``."""
    # The label -1 of noise selects the last name, which is empty.
    columns: dict[str, NDArray[Any]] = {"name": np.array([*names, ""], dtype=object)[labels]}
    if support is not None:
        own = np.where(labels >= 0, support[np.arange(len(labels)), labels], np.nan)
        columns["support"] = np.round(own, 4)
    columns["unlike"] = unlike
    if treated_as_missing := [each for each in unseen if each.kind != "beyond range"]:
        ignored: list[list[str]] = [[] for _ in labels]
        for each in treated_as_missing:
            for row in each.rows:
                ignored[row].append(each.column)
        columns["ignored"] = np.array([*map(", ".join, ignored)], dtype=object)
    return columns


@dataclass(frozen=True, eq=False)
class Drift:
    """Comparison of new rows with training rows.

    Attributes
    ----------
    n_rows, n_noise, n_unlike : int
        Numbers of new rows, of noise rows among them, and of unlike rows. A row is unlike if it is noise, or
        if its distance to the nearest training row exceeds those of 99% of the training rows in its cluster.
    expected_share : float
        Expected share of unlike rows if nothing has changed: .01 in large clusters, .02 in those of 100 rows.
    interval : tuple of float
        Exact 95% confidence interval for the fraction of unlike rows.
    p_value : float
        Probability of at least ``n_unlike`` unlike rows if nothing has changed (beta-binomial model).
    names : tuple of str
    rows_of_fit, new_rows : ndarray of shape (n_clusters,)
        Number of training rows and number of new rows in each cluster.
    shares_p_value : float
        p-value of a chi-square test of whether the cluster shares of training rows and new rows are equal.
        NaN if there is only one cluster or all new rows are noise.
    columns : tuple of UnseenCells
        Unreadable cells, new categories, and values outside the training range, if a TablePreparer was used.
    notes : tuple of str
        Notes on how the new rows were read.
    """

    n_rows: int
    n_noise: int
    n_unlike: int
    expected_share: float
    interval: tuple[float, float]
    p_value: float
    names: tuple[str, ...]
    rows_of_fit: IntpArray
    new_rows: IntpArray
    shares_p_value: float
    columns: tuple[UnseenCells, ...] = ()
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        labels: NDArray[Any],
        unlike: BoolArray,
        rows_of_fit: IntpArray,
        names: Sequence[str],
        prepared: PreparedTable | None = None,
        notes: Sequence[str] = (),
    ) -> Drift:
        """Create the result for labelled new rows; ``prepared`` is their prepared table, if any."""
        new_rows = np.bincount(labels[labels >= 0], minlength=len(rows_of_fit))
        found = cls.of_counts(new_rows, len(labels), int(unlike.sum()), rows_of_fit, names)
        columns, more = ((), ()) if prepared is None else (prepared.unseen, prepared.notes)
        return replace(found, columns=columns, notes=(*notes, *more))

    @classmethod
    def of_counts(
        cls, new_rows: IntpArray, n_rows: int, n_unlike: int, rows_of_fit: IntpArray, names: Sequence[str]
    ) -> Drift:
        """Create the result from numbers of rows per cluster; ``n_rows`` includes noise."""
        n_noise = n_rows - int(new_rows.sum())
        expected, p_value = _of_chance(n_unlike, np.append(new_rows, n_noise), rows_of_fit)
        between = stats.binomtest(n_unlike, n_rows).proportion_ci(0.95)
        table = np.array([rows_of_fit, new_rows])
        table = table[:, table.any(axis=0)]
        p_shares = float("nan")
        if table.shape[1] > 1 and table.any(axis=1).all():
            p_shares = float(stats.chi2_contingency(table, correction=False).pvalue)
        return cls(
            n_rows, n_noise, n_unlike, expected, (float(between.low), float(between.high)), p_value,
            tuple(map(str, names)), rows_of_fit, new_rows, p_shares,
        )  # fmt: skip

    @property
    def unlike_share(self) -> float:
        """Fraction of the new rows that are unlike the training rows."""
        return self.n_unlike / self.n_rows

    def to_frame(self) -> pd.DataFrame:
        """Return one row per cluster: its name, and the number and share of training rows and of new rows."""
        then, now = self.rows_of_fit / max(self.rows_of_fit.sum(), 1), self.new_rows / self.n_rows
        return pd.DataFrame(
            {
                "cluster": np.arange(len(then)), "name": list(self.names), "rows_of_fit": self.rows_of_fit,
                "new_rows": self.new_rows, "share_of_fit": then, "new_share": now, "difference": now - then,
            }
        )  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain Python objects."""
        return {
            "n_rows": self.n_rows, "n_noise": self.n_noise, "n_unlike": self.n_unlike,
            "unlike_share": self.unlike_share, "expected_share": self.expected_share,
            "interval": list(self.interval), "p_value": self.p_value, "shares_p_value": self.shares_p_value,
            "clusters": self.to_frame().to_dict("records"),
            "columns": [{**each._asdict(), "values": list(each.values)} for each in self.columns],
            "notes": list(self.notes),
        }  # fmt: skip

    def __str__(self) -> str:
        rows = [["cluster", "name", "rows of the fit", "", "new rows", ""]]
        for each in self.to_frame().itertuples():
            then, now = f"{each.share_of_fit:.0%}", f"{each.new_share:.0%}"
            cells = each.cluster, printable_line(each.name), each.rows_of_fit, then, each.new_rows, now
            rows.append([*map(str, cells)])
        if self.n_noise:
            rows.append(["noise", "", "", "", str(self.n_noise), f"{self.n_noise / self.n_rows:.0%}"])
        lines = [aligned(rows, right=range(2, 6))]
        if not np.isnan(p := self.shares_p_value):
            said = f"The shares of the clusters {'differ' if p < 0.05 else 'do not differ'} significantly"
            lines.append(f"{said} from those of the fit ({_p_text(p)}).")
        of_rows, chance = f"of {self.n_rows} rows", f"Expected by chance: {self.expected_share:.1%}"
        if self.n_unlike:
            low, high = self.interval
            verb = "is" if self.n_unlike == 1 else "are"
            lines.append(
                f"{self.n_unlike} {of_rows} ({self.unlike_share:.0%}, 95% interval {low:.1%} to {high:.1%}) "
                f"{verb} unlike the fit: noise, or farther from the nearest row of the fit than {USUAL:.0%} "
                f"of the rows in the same cluster. {chance} ({_p_text(self.p_value)})."
            )
        else:
            lines.append(f"0 {of_rows} are unlike the fit. {chance}.")
        for column in self.columns:
            n_values = f"{column.n_rows} value{'' if column.n_rows == 1 else 's'}"
            values = ", ".join(column.values[:3]) + (", ..." if len(column.values) > 3 else "")
            lines.append(f"Column {column.column!r}: {n_values} {_UNSEEN[column.kind]} ({values}).")
        return "\n".join([lines[0], *map(message_line, lines[1:])])


def _p_text(value: float) -> str:
    return f"p = {value:.2g}" if value >= 0.001 else "p < 0.001"


def _of_chance(n_unlike: int, m: IntpArray, sizes: IntpArray) -> tuple[float, float]:
    """Return the expected fraction of unlike rows and the p-value of ``n_unlike`` without drift."""
    # ``m`` contains the number of new rows in each cluster, followed by the number in noise. Without drift,
    # the probability that a new distance exceeds the 99% quantile of n training distances has the
    # distribution Beta(n - h, h + 1), where h = .99 (n - 1). The number of unlike rows is approximated by a
    # beta-binomial variable with the same mean and variance. If only a sample of the training rows is stored,
    # n counts the rows in the sample.
    n = np.maximum(np.append(sizes, sizes.sum()) * min(1.0, _MOST_ROWS / max(sizes.sum(), 1)), 1)
    h = USUAL * (n - 1)
    p = (n - h) / (n + 1)
    total, mean = int(m.sum()), float((m * p).sum())
    variance = float((m * p * (1 - p) * (n + 1 + m) / (n + 2)).sum())
    share = mean / total
    excess = variance / (total * share * (1 - share)) - 1 if 0 < share < 1 else 0.0
    if total < 2 or excess <= 0:
        return share, float(stats.binom.sf(n_unlike - 1, total, share))
    weight = (total - 1) / excess - 1
    return share, float(stats.betabinom.sf(n_unlike - 1, total, share * weight, (1 - share) * weight))


@dataclass(frozen=True, eq=False)
class ClusterChanges:
    """Changes in the clusters after an update with new rows.

    Attributes
    ----------
    n_old, n_new : int
        Numbers of rows before the update and of new rows.
    births : tuple of int
        New clusters: they match no cluster from before the update, and are not part of a split cluster.
    deaths : tuple of int
        Clusters that this update made inactive: they received no new rows, although the probability of this
        would be below .01 if nothing had changed. They keep the rows that they already contain.
    inactive : tuple of int
        ``deaths``, and clusters that died in a previous update and have received no rows since then.
    merges : dict of int to tuple of int
        For each merged cluster, the previous clusters (two or more) with at least half of their rows in it.
    splits : dict of int to tuple of int
        For each split cluster, the two or more clusters that now contain at least a fifth of its rows each.
    renumbered : dict of int to int
        Maps previous to new numbers, for clusters that were renumbered to fill gaps.
    moved : ndarray of int
        Indices of rows whose cluster after the update is not the one that matches their previous cluster.
    drift : Drift
        Comparison of the new rows with the rows of the fit before the update.
    sizes, new_rows : ndarray of shape (n_clusters,)
        Number of rows in each cluster after the update, and number of new rows among them.
    names : tuple of str
    """

    n_old: int
    n_new: int
    births: tuple[int, ...]
    deaths: tuple[int, ...]
    inactive: tuple[int, ...]
    merges: dict[int, tuple[int, ...]]
    splits: dict[int, tuple[int, ...]]
    renumbered: dict[int, int]
    moved: IntpArray
    drift: Drift
    sizes: IntpArray
    new_rows: IntpArray
    names: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        before: IntArray,
        labels: IntArray,
        numbers: Mapping[int, int],
        drift: Drift,
        inactive: Sequence[int] = (),
        names: Sequence[str] = (),
    ) -> ClusterChanges:
        """Compare ``labels`` of all rows with labels ``before``; ``numbers`` maps old to new clusters."""
        n_old, k = len(before), int(labels.max(initial=-1)) + 1
        counts = crosstable(before, labels[:n_old], k)
        sizes, new_rows = (np.bincount(rows[rows >= 0], minlength=k) for rows in (labels, labels[n_old:]))
        of_old = counts.sum(axis=1)[:, None]
        whole = ((counts >= _MERGED * of_old) & (of_old > 0)).T
        merges = {new: tuple(np.flatnonzero(row).tolist()) for new, row in enumerate(whole) if row.sum() > 1}
        large = counts >= np.maximum(_SPLIT * of_old, 2)
        splits = {old: tuple(np.flatnonzero(row).tolist()) for old, row in enumerate(large) if row.sum() > 1}
        apart = {*numbers.values(), *(new for parts in splits.values() for new in parts)}
        chance = (1.0 - (sizes - new_rows) / max(n_old, 1)) ** (len(labels) - n_old)
        idle = {numbers[old] for old in inactive if old in numbers} - set(np.flatnonzero(new_rows).tolist())
        # A cluster dies if it has no new rows, and if the probability of this without drift is below .01.
        dead = set(np.flatnonzero((sizes > 0) & (new_rows == 0) & (chance < 0.01)).tolist())
        home = np.array([*(numbers.get(old, -2) for old in range(len(counts))), -1])
        moved = np.flatnonzero((home[before] != labels[:n_old]) & (before >= 0))
        births = tuple(new for new in np.flatnonzero(sizes).tolist() if new not in apart)
        return cls(
            n_old, len(labels) - n_old, births, tuple(sorted(dead - idle)), tuple(sorted(dead | idle)),
            merges, splits, {old: new for old, new in numbers.items() if old != new}, moved, drift, sizes,
            new_rows, tuple(names),
        )  # fmt: skip

    def to_frame(self) -> pd.DataFrame:
        """Return one row per cluster: its name, numbers of rows and new rows, and events such as a split."""
        events = []
        for cluster in range(len(self.sizes)):
            said = ["born"] * (cluster in self.births) + ["no new rows"] * (cluster in self.inactive)
            if cluster in self.merges:
                said.append(f"merged from {_joined(self.merges[cluster])}")
            if split := [old for old, parts in self.splits.items() if cluster in parts]:
                said.append(f"split from {_joined(split)}")
            events.append(", ".join(said))
        names = list(self.names) or [""] * len(self.sizes)
        numbers = {"cluster": np.arange(len(self.sizes)), "name": names, "rows": self.sizes}
        return pd.DataFrame({**numbers, "new_rows": self.new_rows, "event": events})

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain Python objects."""
        return {
            "n_old": self.n_old, "n_new": self.n_new, "n_moved": len(self.moved),
            "births": list(self.births), "deaths": list(self.deaths), "inactive": list(self.inactive),
            "merges": [{"cluster": new, "from": list(old)} for new, old in self.merges.items()],
            "splits": [{"cluster": old, "into": list(new)} for old, new in self.splits.items()],
            "renumbered": [{"cluster": old, "now": new} for old, new in self.renumbered.items()],
            "moved": self.moved.tolist(),
            "clusters": self.to_frame().to_dict("records"), "drift": self.drift.to_dict(),
        }  # fmt: skip

    def __str__(self) -> str:
        rows = [["cluster", "name", "rows", "new rows", ""]]
        for each in self.to_frame().itertuples():
            numbers = str(each.rows), str(each.new_rows)
            rows.append([str(each.cluster), printable_line(each.name), *numbers, str(each.event)])
        moved = f"{len(self.moved)} of {self.n_old} old rows moved to another cluster"
        lines = [f"Cluster {old} is now cluster {new}." for old, new in self.renumbered.items()]
        n_new = f"{self.n_new} new row{'' if self.n_new == 1 else 's'}"
        return "\n".join([f"{n_new}; {moved}.", *lines, aligned(rows, right=(2, 3))])


def _joined(numbers: Sequence[int]) -> str:
    return " and ".join(map(str, numbers))


def crosstable(before: IntArray, after: IntArray, n_after: int) -> IntpArray:
    """Return the contingency table of clusters before and after, shape (n_before, n_after), without noise."""
    counts = np.zeros((int(before.max(initial=-1)) + 1, n_after), dtype=np.intp)
    inside = (before >= 0) & (after >= 0)
    np.add.at(counts, (before[inside], after[inside]), 1)
    return counts


def matched_clusters(before: IntArray, labels: IntArray) -> dict[int, int]:
    """Match previous with current clusters so that the pairs share as many rows as possible."""
    counts = crosstable(before, labels[: len(before)], int(labels.max(initial=-1)) + 1)
    counts[counts < _SPLIT * counts.sum(axis=1, keepdims=True)] = 0
    pairs = zip(*(each.tolist() for each in linear_sum_assignment(-counts)), strict=True)
    return {old: new for old, new in pairs if counts[old, new]}


def matched_numbers(before: IntArray, labels: IntArray) -> tuple[IntArray, dict[int, int]]:
    """Give clusters the numbers of their matches in ``before``. Also return a map from old to new numbers."""
    # ``before`` contains the earlier labels of the first rows. Clusters without a match get new numbers.
    # Then, the clusters with the highest numbers fill the gaps left by clusters that disappeared.
    present, own = np.unique(labels[labels >= 0], return_inverse=True)
    found = np.full(len(labels), -1, dtype=np.int32)
    found[labels >= 0] = own
    pairs = {new: old for old, new in matched_clusters(before, found).items()}
    n_before = int(before.max(initial=-1)) + 1
    number = {new: pairs.get(new, n_before + new) for new in range(len(present))}
    free = sorted(set(range(len(present))) - set(number.values()))
    for new in sorted(number, key=lambda new: number[new])[len(present) - len(free) :]:
        number[new] = free.pop(0)
    order = np.array([*(number[new] for new in range(len(present))), -1], dtype=np.int32)
    return order[found], {old: int(number[new]) for new, old in pairs.items()}
