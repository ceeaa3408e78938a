"""What a clusterer that selects from a pool says of its result: summary, alternatives, result object."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils._pprint import _EstimatorPrettyPrinter
from sklearn.utils.validation import check_is_fitted

from moo_clustering import results
from moo_clustering._arrays import IntArray, IntpArray, Labels
from moo_clustering.estimators import _pareto_confidence as confidence
from moo_clustering.estimators._base import ReportMixin, sizes_text
from moo_clustering.estimators._pareto_pool import PooledSamples
from moo_clustering.estimators._pareto_selection import Candidates, Solution
from moo_clustering.evidence import coassociation, consensus_weights
from moo_clustering.pool import PartitionPool


class PoolReportMixin(ReportMixin):
    """Mixin of the report of a selection from a pool."""

    # Set by the fit.
    _samples: PooledSamples
    _candidates: Candidates | None
    _solutions: dict[str, Solution]
    _assessor: confidence.Assessor | None
    _alternatives: IntpArray
    pool_: PartitionPool | None
    scores_: pd.DataFrame
    alternatives_: pd.DataFrame
    scoring_: Any
    labels_: Labels
    n_clusters_: int
    landmark_of_: IntArray | None
    _labels_of: Callable[[IntpArray], Labels]
    _partitions_of_points: Callable[[Labels], Labels]
    _with_noise: Callable[..., Labels]
    _assess: Callable[..., confidence.Assessment]
    confidence_: float
    structure_p_value_: float
    verdict_: str

    def _clustering_result(self) -> results.ClusteringResult:
        scoring, rows = self.scoring_, self.alternatives_.to_dict("records")
        verdict = confidence.verdict_of(self) or ""
        controls = {"control": "control_labels_", "random-control": "random_control_labels_"}
        return replace(
            super()._clustering_result(),
            alternatives={
                f"alternative-{row}": labels for row, labels in enumerate(self._labels_of(self._alternatives))
            },
            controls=results.attributes_of(self, controls),
            evaluate=None
            if scoring is None
            else lambda labels: scoring.values(self._partitions_of_points(labels)),
            score=None if scoring is None else scoring.score,
            pool=self._pool_result(verdict),
            facts=[("verdict", verdict), *confidence.alternative_lines(rows).items()],
            lines=self.summary().splitlines(),
        )

    def _pool_result(self, verdict_line: str) -> results.PoolResult:
        pool = self.pool_
        arrays = {name: f"{name}_" for name in ("landmark_of", "control_labels", "random_control_labels")}
        return results.PoolResult(
            self.scores_,
            self._described_alternatives,
            float(self.confidence_),
            float(self.structure_p_value_),
            self.verdict_,
            verdict_line,
            labels=None if pool is None else pool.labels,
            coassociation=None if pool is None else self._coassociation,
            classes=getattr(self, "classes_", None),
            cluster_classes=getattr(self, "cluster_classes_index_", None),
            probabilities=getattr(self, "predict_proba_", None),
            control_scores=getattr(self, "control_score_", {}),
            arrays=results.attributes_of(self, arrays | {"confidence": "confidence_"}),
        )

    def _described_alternatives(self, names: Sequence[str] | None) -> pd.DataFrame:
        """Alternatives described by other names of the features; those of bags stay as they are."""
        if not self._samples.kernels:
            self._describe_alternatives(names)
        return self.alternatives_

    def _coassociation(self, most: int) -> results.Coassociation:
        """Co-association in the pool of at most ``most`` samples, or landmarks, evenly chosen."""
        pool, labels, kind = self.pool_, np.asarray(self.labels_), "samples"
        assert pool is not None
        if self.landmark_of_ is not None:
            of_landmarks = np.zeros(pool.n_samples, dtype=labels.dtype)
            of_landmarks[self.landmark_of_] = labels
            labels, kind = of_landmarks, "landmarks"
        places = np.unique(np.linspace(0, len(labels) - 1, min(len(labels), most)).astype(np.intp))
        score = self.scores_["score"].to_numpy()[: pool.n_partitions]
        weights = consensus_weights(score, pool.n_clusters, self.n_clusters_)
        together = coassociation(pool.labels[:, places], weights)
        return results.Coassociation(together, labels[places], len(labels), kind)

    def _describe_alternatives(self, names: Sequence[str] | None = None) -> None:
        """Add confidence, sizes, families and differences to ``alternatives_``.

        ``names`` are the feature names, for data without them.
        """
        described: dict[str, list[Any]] = {
            name: [] for name in ("confidence", "sizes", "families", "difference")
        }
        if self._assessor is not None and self._candidates is not None:
            labels = self._samples.per_point(self._solutions["auto"].labels)
            names = self._point_features(names)
            for member in self._alternatives:
                other = self._candidates.labels[member]
                found = self._with_noise(self._samples.per_sample(other))
                sizes = np.sort(np.bincount(found[found >= 0]))[::-1]
                described["confidence"].append(self._assess(other, self._candidates).confidence)
                described["sizes"].append(
                    ", ".join(map(str, sizes[:8])) + (", ..." if len(sizes) > 8 else "")
                )
                families = self._assessor.finders(other) or [self._candidates.pool.families[member]]
                described["families"].append(", ".join(families))
                described["difference"].append(self._assessor.difference(labels, other, names))
        for name, column in described.items():
            self.alternatives_[name] = column

    def _point_features(self, names: Sequence[str] | None) -> list[str] | None:
        """Feature names of the points, or None if their features are not columns of the data."""
        scaling = getattr(self._samples.nearest, "scaling", None)
        if self._samples.features is None or scaling is None or scaling.components is not None:
            return None
        given = getattr(self, "feature_names_in_", None) if names is None else names
        return [f"feature {place}" if given is None else str(given[place]) for place in scaling.varying]

    def summary(self) -> str:
        """Summary in a few lines: clusters, verdict, alternatives and possible next steps.

        Returns
        -------
        str

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from moo_clustering import ParetoClustering
        >>> print(ParetoClustering(random_state=0).fit(load_iris().data).summary().splitlines()[0])
        2 clusters of 100, 50 samples: clear (expected adjusted Rand index with known classes 0.76, p < 0.01)
        """
        check_is_fitted(self)
        n_new = int((getattr(self, "cluster_classes_index_", np.zeros(0)) < 0).sum())
        lines = [f"{sizes_text(self.labels_, n_new)}: {confidence.verdict_of(self)}"]
        lines += [
            f"{name}: {text}"
            for name, text in confidence.alternative_lines(self.alternatives_.to_dict("records")).items()
        ]
        if len(self.alternatives_):
            lines.append(
                'next: choose("alternative-0"), relabel(y) with classes of a few samples, or ask() questions'
            )
        return "\n".join(lines)

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        """Return the constructor call, followed by the verdict as a comment if fitted."""
        call: str = super().__repr__(N_CHAR_MAX)  # type: ignore[call-arg]
        if (verdict := confidence.verdict_of(self)) is None:
            return call
        return f"{call}\n# {self.n_clusters_} cluster{'' if self.n_clusters_ == 1 else 's'}: {verdict}"


# Print the call wrapped as for other estimators, without the verdict inside a pipeline.
_EstimatorPrettyPrinter._dispatch[PoolReportMixin.__repr__] = _EstimatorPrettyPrinter._pprint_estimator


def score_frame(candidates: Candidates | None) -> pd.DataFrame:
    """Family, number of clusters, agreement, objectives and scores of every candidate."""
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
