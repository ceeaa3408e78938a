"""Assess partitions in a pool, and describe how partitions differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import expit
from sklearn.utils._pprint import _EstimatorPrettyPrinter
from sklearn.utils.validation import check_is_fitted

from moo_clustering import results
from moo_clustering._arrays import BoolArray, FloatArray, IntpArray, Labels, number_clusters
from moo_clustering._parallel import one_thread
from moo_clustering.estimators._base import ReportMixin
from moo_clustering.estimators._pareto_pool import PooledSamples
from moo_clustering.estimators._pareto_selection import Candidates, SideInformation, Solution
from moo_clustering.evidence import coassociation, consensus_weights
from moo_clustering.evidence.members import ReferenceTest, spread_rows
from moo_clustering.pool import PartitionPool
from moo_clustering.pool.candidates import family_words
from moo_clustering.validity import (
    FamilyAgreement,
    LikelihoodGain,
    MinimaxSilhouette,
    Silhouette,
    pairwise_ari,
)

CLEAR, SEVERAL, NO_STRUCTURE = "clear", "several good answers", "no structure beyond noise"
UNKNOWN = "not known"  # verdict without a pool
# The verdict can be "no structure" if the probability of structure is below STRUCTURE_FROM or, for p-values
# of at least DOUBTFUL_P, below STRUCTURE_DOUBTED. It can be "clear" if the confidence is at least CLEAR_FROM.
# Without structure, the confidence is limited to _MOST_OF_NOISE.
STRUCTURE_FROM, STRUCTURE_DOUBTED, DOUBTFUL_P, CLEAR_FROM, _MOST_OF_NOISE = 0.5, 0.7, 0.05, 0.8, 0.2
# Partitions are similar if their adjusted Rand index is at least _ALIKE, and nested if at least the share
# _NESTED of the points is in nested clusters. A feature is named as the difference between partitions if the
# explained share of its variance differs by more than _TELLS.
_ALIKE, _NESTED, _TELLS = 0.9, 0.9, 0.05
# With up to _APART_FEATURES features, clusters count as separated if their minimax silhouette is at least
# _APART and the second largest cluster has at least _APART_SHARE of the samples. A smaller cluster may
# consist of outliers.
_APART_FEATURES, _APART, _APART_SHARE = 3, 0.65, 0.1
# p-values below _LEAST_SHOWN are not shown exactly. With fewer than _FEW samples, the verdict is called
# unreliable.
_LEAST_SHOWN, _FEW = 0.01, 30
# Scaled values that differ by at most this number are treated as equal.
_ROUNDING = 1e-9
# The confidence is lowered if there are at least this many clusters per separated group.
_FAR_ABOVE = 2.5
# The interval bounds depend on the confidence. They were estimated by leaving out one source of data at a
# time. About 80% of the adjusted Rand indices for the omitted data were within these intervals.
_EXPECTED = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
_LOW = (0.0, 0.0, 0.0, 0.2, 0.3, 0.5, 0.6)
_HIGH = (0.15, 0.4, 0.65, 0.9, 1.0, 1.0, 1.0)
_SEPARATED = "the clusters are separated, although the p-value, which assumes compact clusters, is not small"
TIGHT = "the p-value is small, but the algorithm families find no common clusters"
SMALL = "the p-value is small, but the clusters are too small or overlap too much to differ from noise"
# The remark SMALL requires a family agreement of at least _COMMON. If the p-value is small and over _MANY
# clusters have an agreement of at least _ALIKE, the probability of structure is raised to at least _AGREED.
_COMMON, _MANY, _AGREED = 0.5, 10, 0.9
BEYOND_CHANCE = "no evidence beyond chance; the partition may still be useful"


@dataclass(frozen=True, eq=False)
class Assessor:
    samples: PooledSamples
    pool: PartitionPool
    best_agreement: float

    def assess(self, labels: Labels, best: Labels) -> Assessment:
        """Assess a partition. The probability of structure depends on the pool's best partition, ``best``."""
        uniform = self._uniform_clusters(labels)
        varied = ~np.isin(labels, uniform)
        if uniform and varied.any():
            found, X = self._among(varied, labels, best), self.samples.features
            # If rows have unit length, rows of zeros are called empty, because they have no direction.
            empty = self.samples.has_directions and X is not None and not X[~varied].any()
            kind, named = "empty" if empty else "identical", _enumerated([str(k) for k in uniform])
            s, contain, are = ("s", "contain", "are") if len(uniform) > 1 else ("", "contains", "is")
            said = f"cluster{s} {named} {contain} only {kind} rows and {are} not assessed"
            return found._replace(remarks=(*found.remarks, said))
        points = self.samples.positions
        model = MODEL if points is not None else MODEL_WITHOUT_FEATURES
        features = np.vstack([self._described(best), self._described(labels)])
        structure = model.structure_of(features)
        apart = lie_apart(features) & self._points_vary
        if apart[0]:
            structure = np.maximum(structure, STRUCTURE_DOUBTED)
        n_clusters = len(np.unique(labels))
        # If there is one cluster, or one per point, the confidence is 0, and the p-value is that for the
        # number of clusters in ``best``.
        trivial = n_clusters in (1, len(labels))
        n_tested = int(best.max()) + 1 if trivial else n_clusters
        p_value = float("nan") if points is None else self.reference.p_value(n_tested)
        if p_value < DOUBTFUL_P and features[1, 0] >= _ALIKE and n_clusters > _MANY:
            structure = np.maximum(structure, _AGREED)
        confidence = 0.0 if trivial else float(model.expected(features[1:], structure[:1])[0])
        separated, remarks = self._separated(n_clusters), list[str]()
        if separated is not None:
            confidence *= (1.0 + max(0.0, float(pairwise_ari(labels[None], separated[None])[0, 0]))) / 2
            n_groups = int(separated.max()) + 1
            remarks.append(f"{n_clusters} clusters divide {n_groups} separated groups")
        verdict, said_of_p = judged(float(structure[0]), confidence, p_value, bool(apart[1]))
        if verdict == NO_STRUCTURE:
            confidence = min(confidence, _MOST_OF_NOISE)
            said_of_p = (SMALL,) if said_of_p and features[1, 0] >= _COMMON else said_of_p
        return Assessment(confidence, p_value, verdict, (*said_of_p, *remarks))

    def _uniform_clusters(self, labels: Labels) -> list[int]:
        """Return the clusters that consist of two or more identical rows."""
        groups, sizes = self._equal_rows
        members = [(int(cluster), labels == cluster) for cluster in np.unique(labels)]
        identical = ((k, own) for k, own in members if 0 <= groups[own].min() == groups[own].max())
        return [k for k, own in identical if sizes[own].sum() > 1]

    @cached_property
    def _equal_rows(self) -> tuple[Labels, FloatArray]:
        """Group of identical rows to which each point belongs, and the number of samples of the point.

        The group is -1 if the samples of the point differ.
        """
        samples, groups, sizes = self.samples, self.samples.equal_points, self.samples.sizes
        if samples.counts is not None:
            return np.where(samples.counts.widest > _ROUNDING, -1, groups), sizes
        if samples.landmark_of is not None and samples.features is not None:
            groups = np.where(sizes > 1, -1, groups) if samples.scaled is None else groups.copy()
            if samples.scaled is not None:
                unlike = np.abs(samples.scaled - samples.features[samples.landmark_of]) > _ROUNDING
                groups[samples.landmark_of[unlike.any(axis=1)]] = -1
        return groups, sizes

    def _among(self, chosen: BoolArray, labels: Labels, best: Labels) -> Assessment:
        """Assess a partition as if the data consisted of the ``chosen`` points alone."""
        samples, pool = self.samples, self.pool
        labels, best, parts = labels[chosen], best[chosen], pool.labels[:, chosen]
        divided = (parts != parts[:, :1]).any(axis=1)
        if not divided.any() or (labels == labels[0]).all():
            return Assessment(0.0, float("nan"), NO_STRUCTURE)
        if (key := chosen.tobytes()) not in self._parts:
            among = PartitionPool.of(zip(np.array(pool.families)[divided], parts[divided], strict=True))
            rows = {name: getattr(samples, name) for name in ("features", "coordinates", "coincident")}
            rows = {name: None if values is None else values[chosen] for name, values in rows.items()}
            rows |= {"graph": samples.graph[chosen][:, chosen]}
            rows |= dict.fromkeys(("landmark_of", "scaled", "counts"))
            part = replace(samples, n_samples=int(chosen.sum()), pool=among, **rows)
            agreement = FamilyAgreement().fit(among).evaluate(among.labels)
            self._parts[key] = Assessor(part, among, float(agreement.max()))
        return self._parts[key].assess(labels, labels if (best == best[0]).all() else best)

    @cached_property
    def _parts(self) -> dict[bytes, Assessor]:
        return {}

    def _separated(self, n_clusters: int) -> Labels | None:
        """Return the best-separated pool partition with far fewer clusters than ``n_clusters``, or None."""
        pool, X = self.pool, self.samples.positions
        if X is None or X.shape[1] > _APART_FEATURES or not self._points_vary:
            return None
        apart, silhouettes = self._apart_members
        coarse = apart[pool.n_clusters[apart] * _FAR_ABOVE <= n_clusters]
        return pool.labels[coarse[silhouettes[coarse].argmax()]] if len(coarse) else None

    @cached_property
    def _apart_members(self) -> tuple[IntpArray, FloatArray]:
        """Indices of partitions with separated clusters, and the minimax silhouettes of all partitions.

        Silhouettes that were not computed are -1.
        """
        pool, (shown, minimax, *_) = self.pool, self._indices
        found = np.full(pool.n_partitions, -1.0)
        coarse = np.flatnonzero(pool.n_clusters * _FAR_ABOVE <= pool.n_clusters.max())
        shares = np.array([np.sort(np.bincount(row))[-2] / len(row) for row in pool.labels[coarse]])
        coarse = coarse[shares >= _APART_SHARE]
        rows = [number_clusters(row)[0] for row in pool.labels[coarse][:, shown]]
        if rows:
            found[coarse] = minimax.evaluate(np.stack(rows))
        return np.flatnonzero(found >= _APART), found

    def _described(self, labels: Labels) -> FloatArray:
        if len(self._known) > 500:
            self._known.clear()
        key = labels.tobytes()
        if key not in self._known:
            self._known[key] = self.features(labels)
        return self._known[key]

    @cached_property
    def _known(self) -> dict[bytes, FloatArray]:
        return {}

    @cached_property
    def _points_vary(self) -> bool:
        """Whether at least half of the points are distinct. Otherwise, duplicates look like clusters."""
        equal = self.samples.equal_points
        return self.samples.positions is not None and 2 * len(np.unique(equal)) >= len(equal)

    def finders(self, labels: Labels) -> list[str]:
        """Return the families that found a partition similar to ``labels``."""
        alike = np.flatnonzero(pairwise_ari(labels[None], self.pool.labels)[0] >= _ALIKE)
        return list(dict.fromkeys(self.pool.families[member] for member in alike))

    def difference(self, labels: Labels, other: Labels, names: Sequence[str] | None) -> str:
        """Describe how a partition differs from another one, and which features explain the difference."""
        first, mine = np.unique(labels, return_inverse=True)
        theirs = np.unique(other, return_inverse=True)[1]
        table = np.zeros((len(first), int(theirs.max()) + 1), dtype=np.int64)
        np.add.at(table, (mine, theirs), 1)
        finer, coarser = (table.max(axis=axis).sum() >= _NESTED * len(labels) for axis in (0, 1))
        told = 0.0
        if table.shape[1] > table.shape[0] and finer:
            parts = np.bincount(table.argmax(axis=0), minlength=len(first))
            named = [f"{first[cluster]} into {parts[cluster]}" for cluster in np.flatnonzero(parts > 1)]
            does, told = f"splits cluster {_enumerated(named)}", 1.0
        elif table.shape[1] < table.shape[0] and coarser:
            home = table.argmax(axis=1)
            shared = [first[home == one] for one in np.unique(home) if (home == one).sum() > 1]
            named = [" and ".join(map(str, joined)) for joined in shared]
            does, told = f"merges clusters {_enumerated(named)}", -1.0
        else:
            does = "divides the samples differently"
        X = self.samples.features
        if X is None or names is None or len(names) != X.shape[1]:
            return does
        gain = _explained(X, theirs) - _explained(X, mine)
        strength = gain * told if told else np.abs(gain)
        leading = [names[one] for one in np.argsort(-strength, kind="stable")[:2] if strength[one] > _TELLS]
        return f"{does}, by {' and '.join(leading)}" if leading else does

    def __getstate__(self) -> dict[str, Any]:
        # Pickle the groups of identical rows, because they cannot be recomputed if the pickle omits the
        # samples.
        state: dict[str, Any] = {each.name: getattr(self, each.name) for each in fields(self)}
        return state if self.samples.landmark_of is None else state | {"_equal_rows": self._equal_rows}

    def features(self, labels: Labels) -> FloatArray:
        """Compute the FEATURES of q partitions, shape (q, n_points), as an array of shape (q, n_features)."""
        # Features that cannot be computed are NaN.
        rows = np.stack([number_clusters(row)[0] for row in np.atleast_2d(labels)])
        return np.column_stack([self._in_the_pool(rows), self._on_the_graph(rows), self._in_space(rows)])

    def _in_the_pool(self, rows: Labels) -> FloatArray:
        pool = self.pool
        ari = pairwise_ari(rows, pool.labels)
        n_clusters = rows.max(axis=1, keepdims=True) + 1
        # Numbers of clusters are similar if they differ by at most 1 or by at most 15%.
        near = np.abs(pool.n_clusters - n_clusters) <= np.maximum(1, 0.15 * n_clusters)
        best, best_near, mean = (np.empty((len(rows), len(pool.family_names))) for _ in range(3))
        for code in range(len(pool.family_names)):
            of_family = ari[:, pool.family_codes == code]
            best[:, code] = of_family.max(axis=1)
            best_near[:, code] = np.where(near[:, pool.family_codes == code], of_family, 0.0).max(axis=1)
            mean[:, code] = np.maximum(of_family, 0.0).mean(axis=1)
        # As in ``FamilyAgreement``, exclude the family that agrees best, because it usually created the
        # partition.
        best.sort(axis=1)
        agreement = np.median(best[:, :-1], axis=1) if best.shape[1] > 1 else np.zeros(len(rows))
        overall = np.full(len(rows), self.best_agreement)
        return np.column_stack([agreement, overall, mean.mean(axis=1), best_near.mean(axis=1)])

    def _on_the_graph(self, rows: Labels) -> FloatArray:
        graph = self.samples.graph.tocoo()
        degrees = np.bincount(graph.row, graph.data, rows.shape[1])
        total = max(graph.data.sum(), np.finfo(float).tiny)
        described = np.empty((len(rows), 6))
        for place, labels in enumerate(rows):
            k = int(labels.max()) + 1
            between = labels[graph.row] != labels[graph.col]
            cut = np.bincount(labels[graph.row[between]], graph.data[between], k)
            volumes = np.bincount(labels, degrees, k)
            sizes = np.sort(np.bincount(labels))
            # Fewer than 150 points count as 150, because clear clusters in small data would look like noise
            # otherwise.
            described[place] = (
                cut.sum() / total,
                (cut / np.maximum(volumes, np.finfo(float).tiny)).max(),
                np.log(sizes[0]),
                sizes[-2] / len(labels) if k > 1 else 0.0,
                np.log(k),
                np.log(max(len(labels), 150)),
            )
        return described

    def _in_space(self, rows: Labels) -> FloatArray:
        """Return the five columns of FEATURES that require positions, shape (q, 5).

        Without positions, all are NaN.
        """
        X = self.samples.positions
        if X is None:
            return np.full((len(rows), 5), np.nan)
        shown, *indices = self._indices
        drawn = np.stack([number_clusters(row[shown])[0] for row in rows])
        excess = np.clip([self.reference.excess(int(row.max()) + 1) for row in rows], -2.0, 3.0)
        # Use one thread, because the last digits of matrix products depend on the number of threads.
        with one_thread("blas"):
            minimax, silhouette, gain = (index.evaluate(drawn) for index in indices)
        # The silhouette is limited, because outliers can make it high without clusters.
        values = [minimax, np.minimum(silhouette, 0.5), gain]
        return np.column_stack([excess, *values, np.full(len(rows), np.log(X.shape[1]))])

    @cached_property
    def reference(self) -> ReferenceTest:
        X = self.samples.positions
        assert X is not None
        if self.samples.features is None and not self._points_vary:
            # Drop duplicate points, because reference data for distances have no duplicates.
            X = X[np.unique(self.samples.equal_points, return_index=True)[1]]
        return ReferenceTest(X)

    @cached_property
    def _indices(self) -> tuple[IntpArray, MinimaxSilhouette, Silhouette, LikelihoodGain]:
        X = self.samples.positions
        assert X is not None
        shown = spread_rows(X, 600)
        part = X[shown]
        return shown, MinimaxSilhouette().fit(part), Silhouette().fit(part), LikelihoodGain().fit(part)


# Features of the confidence model, computed from the pool, the graph and the positions of the points.
FEATURES = (
    *("agreement", "best_agreement", "support", "near_agreement"),
    *("cut", "worst_cut", "log_smallest", "second_share", "log_clusters", "log_points"),
    *("excess", "minimax_silhouette", "silhouette", "likelihood_gain", "log_features"),
)


def lie_apart(features: FloatArray) -> BoolArray:
    """Return a mask of the partitions with separated clusters, given the FEATURES of each partition."""
    of = dict(zip(FEATURES, features.T, strict=True))
    few: BoolArray = of["log_features"] < np.log(_APART_FEATURES + 0.5)
    # With many clusters, even the second largest can have a share below _APART_SHARE, so require only half of
    # the mean share.
    least = np.minimum(_APART_SHARE, 0.5 * np.exp(-of["log_clusters"]))
    return few & (of["minimax_silhouette"] >= _APART) & (of["second_share"] >= least)


class Assessment(NamedTuple):
    confidence: float  # expected adjusted Rand index with the classes, in 0..1
    p_value: float  # from the comparison with reference data; NaN without features
    verdict: str
    remarks: tuple[str, ...] = ()  # reasons for the verdict, and reservations

    @property
    def interval(self) -> tuple[float, float]:
        """Interval that contained the adjusted Rand index in about 80% of the held-out data sets."""
        low, high = (float(np.interp(self.confidence, _EXPECTED, ends)) for ends in (_LOW, _HIGH))
        return low, high

    def beside(self, row: int, why: str) -> Assessment:
        """Add a remark on why an alternative with a higher expected index is not the result."""
        said = f"alternative-{row} has a higher expected index, but {why}"
        verdict = SEVERAL if self.verdict == CLEAR else self.verdict
        # If the verdict was "clear" only because the clusters are separated, drop the remark that says so.
        chance = (BEYOND_CHANCE,) if verdict != self.verdict and self.p_value >= DOUBTFUL_P else ()
        others = tuple(remark for remark in self.remarks if not chance or remark != _SEPARATED)
        return self._replace(verdict=verdict, remarks=(*chance, *others, said))


def judged(structure: float, confidence: float, p_value: float, apart: bool) -> tuple[str, tuple[str, ...]]:
    """Return the verdict and its remarks. ``apart`` is True if the clusters are separated."""
    doubted = p_value >= DOUBTFUL_P
    if structure < (STRUCTURE_DOUBTED if doubted else STRUCTURE_FROM) and (
        doubted or confidence < CLEAR_FROM
    ):
        return NO_STRUCTURE, (TIGHT,) if p_value < DOUBTFUL_P else ()
    if confidence >= CLEAR_FROM and (apart or not doubted):
        # The p-value, which is based on Ward's method, can be large for elongated clusters.
        return CLEAR, (_SEPARATED,) if doubted else ()
    return SEVERAL, (BEYOND_CHANCE,) if doubted else ()


# The assessment is NOTHING if only one partition is possible, and NOTHING_KNOWN if there is no pool.
NOTHING = Assessment(float("nan"), float("nan"), NO_STRUCTURE)
NOTHING_KNOWN = Assessment(float("nan"), float("nan"), UNKNOWN)


@dataclass(frozen=True)
class ConfidenceModel:
    """Logistic models of the probability of structure and of the adjusted Rand index, given the FEATURES."""

    structure: float
    ari: float
    weight: float  # coefficient of log(probability of structure) in the ``ari`` model
    # Each feature has a mean, a standard deviation, and coefficients in the ``structure`` and ``ari`` models.
    terms: Mapping[str, tuple[float, float, float, float]]

    def structure_of(self, features: FloatArray) -> FloatArray:
        return expit(self.structure + self._sums(features)[0])

    def expected(self, features: FloatArray, structure: FloatArray) -> FloatArray:
        """Return the expected adjusted Rand indices, shape (q,), given the probabilities of structure."""
        of_structure = self.weight * np.log(np.maximum(structure, 1e-4))
        return expit(self.ari + self._sums(features)[1] + of_structure)

    def _sums(self, features: FloatArray) -> FloatArray:
        columns = [FEATURES.index(name) for name in self.terms]
        means, scales, *coefficients = np.array(list(self.terms.values())).T
        return np.stack(coefficients) @ ((features[:, columns] - means) / scales).T


# This model was estimated by ``python -m papers flagship-confidence --seeds 1`` from 132 pools. These are the
# pools of 40 data sets, and of four tables of each of 23 generated kinds, of which 14 have clusters. Features
# whose coefficients are both 0 are omitted.
MODEL = ConfidenceModel(
    0.741,
    1.398,
    2.85,
    {
        "agreement": (0.802, 0.239, 0.244, 0.818),
        "best_agreement": (0.828, 0.224, 0.274, 0.0),
        "support": (0.475, 0.177, -0.119, 0.741),
        "near_agreement": (0.762, 0.221, 0.312, 0.125),
        "cut": (0.0852, 0.112, -0.196, -0.3),
        "worst_cut": (0.172, 0.205, -0.147, 0.151),
        "log_smallest": (3.41, 1.32, 0.285, 0.484),
        "second_share": (0.229, 0.108, 0.106, 0.0),
        "log_clusters": (1.63, 0.711, -0.356, 0.0),
        "log_points": (5.96, 0.753, 0.353, -0.181),
        "excess": (1.8, 1.8, 0.895, 0.0),
        "minimax_silhouette": (0.292, 0.311, 0.0, 0.687),
        "silhouette": (0.326, 0.164, -0.277, -0.189),
        "likelihood_gain": (0.0986, 0.53, 0.0, 0.217),
        "log_features": (1.92, 1.24, 0.314, 0.129),
    },
)
# This model for bags was estimated from the same pools without the features that require positions.
MODEL_WITHOUT_FEATURES = ConfidenceModel(
    0.604,
    1.432,
    2.65,
    {
        "agreement": (0.802, 0.239, 0.272, 0.722),
        "best_agreement": (0.828, 0.224, 0.346, 0.476),
        "support": (0.475, 0.177, -0.159, 0.955),
        "near_agreement": (0.762, 0.221, 0.44, 0.06),
        "cut": (0.0852, 0.112, -0.218, -0.24),
        "worst_cut": (0.172, 0.205, -0.141, 0.0664),
        "log_smallest": (3.41, 1.32, 0.43, 0.26),
        "second_share": (0.229, 0.108, 0.0446, 0.27),
        "log_clusters": (1.63, 0.711, -0.459, -0.318),
        "log_points": (5.96, 0.753, 0.499, 0.0591),
    },
)


def verdict_of(estimator: Any) -> str | None:
    """Return a text with verdict, expected index, p-value and remarks, or None without a verdict."""
    if not hasattr(estimator, "verdict_"):
        return None
    n_samples, bags = estimator._samples.n_samples, bool(estimator._samples.kernels)
    supervised = estimator._side_information.kind != "none"
    names = ("confidence_", "structure_p_value_", "verdict_", "verdict_remarks_")
    assessment = Assessment(*(getattr(estimator, name) for name in names))
    confidence, p_value, verdict, remarks = assessment
    if verdict == UNKNOWN:
        return f'{verdict}, because kernel="bags" creates no pool to compare the result with'
    if np.isnan(confidence):
        return f"{verdict}: {'; '.join(remarks)}"
    low, high = assessment.interval
    text = f"{verdict} (expected adjusted Rand index with known classes {low:.1f} to {high:.1f}"
    if np.isfinite(p_value):
        text += f", p < {_LEAST_SHOWN}" if p_value < _LEAST_SHOWN else f", p = {p_value:.2f}"
    text += ")"
    if supervised:
        text += "; based on the pool alone, so too low for a fit with labels or pairs"
    elif bags:
        text += "; unreliable for bags, because known classes of bags rarely form clusters"
    elif n_samples < _FEW:
        text += f"; unreliable for only {n_samples} samples"
    return "; ".join([text, *remarks])


def alternative_lines(alternatives: Sequence[Mapping[Any, Any]]) -> dict[str, str]:
    lines = {}
    for row, found in enumerate(alternatives):
        what = f"{found['n_clusters']} cluster{'' if found['n_clusters'] == 1 else 's'} of {found['sizes']}"
        families = ", ".join(map(family_words, found["families"].split(", ")))
        low, high = Assessment(found["confidence"], 0.0, UNKNOWN).interval
        worth = f"expected index {low:.1f} to {high:.1f}, found by {families}"
        lines[f"alternative-{row}"] = f"{what} ({worth}): {found['difference']}"
    return lines


def granularity_text(level: str, numbers: Mapping[str, int]) -> str:
    """Describe the result's granularity and the adjacent granularities. Return "" if there is only one."""
    names = list(numbers)
    if len(names) < 2:
        return ""
    place = names.index(level)
    words = [f"{level} ({numbers[level]} clusters)"]
    words += [f"coarser: {name} ({numbers[name]})" for name in names[max(0, place - 1) : place]]
    words += [f"finer: {name} ({numbers[name]})" for name in names[place + 1 : place + 2]]
    return "; ".join(words)


def _enumerated(named: list[str]) -> str:
    return ", ".join(named[:2]) + (", ..." if len(named) > 2 else "")


def _explained(X: FloatArray, labels: IntpArray) -> FloatArray:
    """Return the share of each feature's variance that lies between clusters."""
    sizes = np.bincount(labels)[:, None]
    means = np.zeros((len(sizes), X.shape[1]))
    np.add.at(means, labels, X - X.mean(axis=0))
    between = (means**2 / sizes).sum(axis=0)
    return between / np.maximum(((X - X.mean(axis=0)) ** 2).sum(axis=0), np.finfo(float).tiny)


class PoolReportMixin(ReportMixin):
    confidence_: float
    structure_p_value_: float
    verdict_: str
    verdict_remarks_: tuple[str, ...]
    _samples: PooledSamples
    _side_information: SideInformation
    _candidates: Candidates | None
    _solutions: dict[str, Solution]

    def _clustering_result(self: Any) -> results.ClusteringResult:
        scoring, rows = self.scoring_, self.alternatives_.to_dict("records")
        verdict = verdict_of(self) or ""
        controls = {"control": "control_labels_", "random-control": "random_control_labels_"}
        facts = [("verdict", verdict), *alternative_lines(rows).items()]
        if self._samples.counts is not None:
            represented = f"{self.n_landmarks_} landmarks of {self._samples.n_rows} rows"
            facts.insert(0, ("shown", f"{represented}; sizes count landmarks"))
        others = self._labels_of(self._alternatives)
        scored: dict[str, Any] = {}
        if scoring is not None:
            scored["evaluate"] = lambda labels: scoring.values(self._partitions_of_points(labels))
            scored["score"] = scoring.score
        return replace(
            super()._clustering_result(),
            alternatives={f"alternative-{row}": labels for row, labels in enumerate(others)},
            controls=results.attributes_of(self, controls),
            pool=self._pool_result(verdict, rows),
            facts=facts,
            lines=lambda: self.summary().splitlines(),
            **scored,
        )

    def _pool_result(self: Any, verdict_line: str, rows: Sequence[Mapping[Any, Any]]) -> results.PoolResult:
        pool = self.pool_
        arrays = {name: f"{name}_" for name in ("landmark_of", "control_labels", "random_control_labels")}
        if self._samples.counts is not None:
            del arrays["landmark_of"]  # this array has one entry per table row
        of_pool: dict[str, Any] = {}
        if pool is not None:
            of_pool = {
                "labels": pool.labels, "coassociation": self._coassociation, "support": self._support,
            }  # fmt: skip
        return results.PoolResult(
            self.scores_, self._described_alternatives, float(self.confidence_),
            float(self.structure_p_value_), self.verdict_, verdict_line,
            interval=tuple(self.confidence_interval_.tolist()), remarks=self.verdict_remarks_,
            granularity=None if self._candidates is None else self._candidates.granularity,
            granularities=self.granularities_, classes=getattr(self, "classes_", None),
            cluster_classes=getattr(self, "cluster_classes_index_", None),
            probabilities=getattr(self, "predict_proba_", None),
            control_scores=getattr(self, "control_score_", {}), described=rows,
            arrays=results.attributes_of(self, arrays | {"confidence": "confidence_"}), **of_pool,
        )  # fmt: skip

    @property
    def rare_groups_(self: Any) -> pd.DataFrame:
        """Groups of at least 20 samples that are far from all other samples, after a fit with landmarks.

        A group contains at most 1% of the samples, unless its samples are identical. The columns of the
        DataFrame are ``cluster``, ``n_samples``, ``share``, ``sample`` (index of the first sample in the
        group) and ``is_cluster`` (whether the group is a separate cluster).
        """
        check_is_fitted(self)
        rows, samples = [], self._samples
        if samples.rare is not None:
            labels, counts = self._labels_of_samples, samples.counts
            n = samples.n_samples if counts is None else samples.n_points
            sizes, first = np.ones(n, dtype=np.intp), np.arange(n)
            if counts is not None:
                sizes, first = counts.rows, counts.first
            of_sample, labels = samples.rare[samples.landmark_of][:n], labels[:n]
            for group in range(int(of_sample.max(initial=-1)) + 1):
                members = np.flatnonzero(of_sample == group)
                size = int(sizes[members].sum())
                cluster = int(np.bincount(labels[members] + 1, sizes[members]).argmax()) - 1
                inside = labels == cluster
                alone = int(sizes[inside].sum()) == size == int(sizes[members][inside[members]].sum())
                rows.append((cluster, size, size / samples.n_rows, int(first[members].min()), alone))
        return pd.DataFrame(rows, columns=["cluster", "n_samples", "share", "sample", "is_cluster"])

    @property
    def granularity_(self: Any) -> str:
        """Granularity of the result: "few", "some" or "many" clusters, or "" without a pool."""
        check_is_fitted(self)
        return "" if self._candidates is None else self._candidates.granularity(self.n_clusters_)

    @property
    def granularities_(self: Any) -> dict[str, int]:
        """Number of clusters by granularity.

        For the granularity of the result, the number is ``n_clusters_``. For each other granularity, it is
        the number of clusters in the best partition.
        """
        check_is_fitted(self)
        found = self._candidates
        if found is None:
            return {}
        ranges = found.granularities.items()
        best = {name: int(found.within(ends).best(found.total).max()) + 1 for name, ends in ranges}
        return best | {self.granularity_: self.n_clusters_}

    def _described_alternatives(self: Any, names: Sequence[str] | None) -> pd.DataFrame:
        if not self._samples.kernels:
            self._describe_alternatives(names)
        return self.alternatives_

    def _weighted_pool(self: Any) -> tuple[Labels, FloatArray, Labels]:
        """Return the partitions of the points in the pool, their weights, and the labels of the result."""
        pool, labels = self.pool_, self._samples.per_point(self._labels_of_samples)
        score = self._candidates.score[: pool.n_partitions]
        return pool.labels, consensus_weights(score, pool.n_clusters, self.n_clusters_), labels

    def _coassociation(self: Any, most: int) -> results.Coassociation:
        """Return the co-association matrix of at most ``most`` evenly spaced points."""
        partitions, weights, labels = self._weighted_pool()
        places = np.unique(np.linspace(0, len(labels) - 1, min(len(labels), most)).astype(np.intp))
        together = coassociation(partitions[:, places], weights)
        kind = "samples" if self._samples.landmark_of is None else "landmarks"
        return results.Coassociation(together, labels[places], len(labels), kind)

    def _support(self: Any) -> FloatArray:
        """Return the weighted share of partitions that group each sample (row) with each cluster (column)."""
        found, landmark_of = self._support_of_points(), self._samples.landmark_of
        return found if landmark_of is None else found[self._shown(landmark_of)]

    def _support_of(self: Any, X: Any) -> FloatArray | None:
        if self.pool_ is None:
            return None
        nearest = self._samples.nearest(self._read(X, reset=False), 1)[0][:, 0]
        return self._support_of_points()[nearest]

    def _support_of_points(self: Any) -> FloatArray:
        partitions, weights, labels = self._weighted_pool()
        n_clusters = int(labels.max(initial=-1)) + 1
        sizes = np.maximum(np.bincount(labels[labels >= 0], minlength=n_clusters), 1)
        found = np.zeros((len(labels), n_clusters))
        for weight, row in zip(weights / weights.sum(), partitions, strict=True):
            inside = (labels >= 0) & (row >= 0)
            counts = np.zeros((int(row.max(initial=-1)) + 2, n_clusters))
            np.add.at(counts, (row[inside], labels[inside]), 1.0)
            # The label -1 of noise selects the last row of ``counts``, so the support of noise is 0.
            found += weight * (counts / sizes)[row]
        return found

    def _stored_rows(self: Any) -> tuple[FloatArray, Callable[[Any], Any]] | None:
        samples = self._samples
        rows = samples.points_given if samples.landmark_of is None else samples.sample_features
        rows = rows if samples.counts is None else None
        return None if rows is None or samples.transform is None else (rows, samples.transform)

    def _describe_alternatives(self: Any, names: Sequence[str] | None = None) -> None:
        described = []
        if self._assessor is not None and self._candidates is not None:
            labels = self._samples.per_point(self._solutions["auto"].labels)
            names = self._point_features(names)
            for member in self._alternatives:
                other = self._candidates.labels[member]
                labels_of_other = self._with_noise(self._samples.per_sample(other))
                found, weights = self._weighted(labels_of_other)
                sizes = np.sort(np.bincount(found[found >= 0], weights[found >= 0]).astype(np.intp))[::-1]
                largest = ", ".join(map(str, sizes[:8])) + ", ..." * (len(sizes) > 8)
                families = self._assessor.finders(other) or [self._candidates.pool.families[member]]
                confidence = self._assess(other, self._candidates).confidence
                difference = self._assessor.difference(labels, other, names)
                described.append((confidence, largest, ", ".join(families), difference))
        columns = ["confidence", "sizes", "families", "difference"]
        self.alternatives_[columns] = pd.DataFrame(described, columns=columns).astype({"confidence": float})

    def _point_features(self: Any, names: Sequence[str] | None) -> list[str] | None:
        """Return the feature names, or None if the points' features are not columns of the data."""
        scaling = getattr(self._samples.nearest, "scaling", None)
        if self._samples.features is None or scaling is None or scaling.components is not None:
            return None
        given = getattr(self, "feature_names_in_", None) if names is None else names
        if scaling.unit and given is None:
            return None  # embedding dimensions are not interpretable
        return [f"feature {place}" if given is None else str(given[place]) for place in scaling.varying]

    def summary(self: Any) -> str:
        """Summarise the clusters, verdict, alternatives and possible next steps in a few lines of text.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from moo_clustering import ParetoClustering
        >>> print(ParetoClustering(random_state=0).fit(load_iris().data).summary().partition(", p")[0])
        2 clusters of 100, 50 samples: clear (expected adjusted Rand index with known classes 0.5 to 1.0
        """
        check_is_fitted(self)
        n_new = int((getattr(self, "cluster_classes_index_", np.zeros(0)) < 0).sum())
        labels, weights = self._weighted(self._labels_of_samples)
        lines = [f"{results.sizes_text(labels, weights, new=n_new)}: {verdict_of(self)}"]
        if self._samples.counts is not None:
            lines.append(f"from {self.n_landmarks_} landmarks of {self._samples.n_rows} rows")
        if len(rare := self.rare_groups_):
            texts = [
                f"{row.n_samples} samples {'that form' if row.is_cluster else 'in'} cluster {row.cluster}"
                for row in rare.itertuples()
            ]
            lines.append(f"small groups far from all other samples: {', '.join(texts)}")
        if names := self.cluster_names_:
            lines.append(f"names: {', '.join(f'{cluster} = {name}' for cluster, name in names.items())}")
        if said := granularity_text(self.granularity_, self.granularities_):
            lines.append(f"granularity: {said}")
        alternatives = alternative_lines(self.alternatives_.to_dict("records"))
        lines += [f"{name}: {text}" for name, text in alternatives.items()]
        if alternatives:
            lines.append('next: choose("alternative-0"), relabel(y) with classes of a few samples, or ask()')
        return "\n".join(lines)

    def __repr__(self: Any, N_CHAR_MAX: int = 700) -> str:
        call: str = super().__repr__(N_CHAR_MAX)  # type: ignore[call-arg]
        if (verdict := verdict_of(self)) is None:
            return call
        return f"{call}\n# {self.n_clusters_} cluster{'' if self.n_clusters_ == 1 else 's'}: {verdict}"


# Let scikit-learn's printer wrap the constructor call, and omit the verdict inside a pipeline.
_EstimatorPrettyPrinter._dispatch[PoolReportMixin.__repr__] = _EstimatorPrettyPrinter._pprint_estimator


def score_frame(candidates: Candidates | None) -> pd.DataFrame:
    if candidates is None:
        return pd.DataFrame({"family": [], "n_clusters": [], "score": []})
    frame = pd.DataFrame({"family": candidates.pool.families, "n_clusters": candidates.pool.n_clusters})
    frame["agreement"] = candidates.agreement
    for name, values in zip(candidates.objectives.names, candidates.values.T, strict=True):
        frame[name] = values
    frame["score"] = candidates.score
    if len(candidates.objectives.names) > 2:
        frame["total"] = candidates.total
    return frame
