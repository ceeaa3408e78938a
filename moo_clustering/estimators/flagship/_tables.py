"""What was found, as tables and as a result of pymoo."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pymoo.core.population import Population
from pymoo.core.result import Result

from moo_clustering.encodings import LabelEncoding
from moo_clustering.estimators.flagship._findings import Findings
from moo_clustering.problems import PartitionProblem


def score_frame(found: Findings) -> pd.DataFrame:
    """A row for every candidate: family, number of clusters, agreement, objectives, score."""
    candidates = found.candidates
    if candidates is None or found.scoring is None:
        return pd.DataFrame({"family": [], "n_clusters": [], "score": []})
    frame = pd.DataFrame({"family": candidates.pool.families, "n_clusters": candidates.pool.n_clusters})
    frame["agreement"] = found.agreement
    for name, values in zip(found.scoring.names, candidates.values.T, strict=True):
        frame[name] = values
    frame["score"] = candidates.score
    if len(found.scoring.names) > 2:
        frame["total"] = candidates.scalar
    return frame


def alternative_frame(found: Findings) -> pd.DataFrame:
    """Rows of :func:`score_frame` of the alternatives, and how like the result each is."""
    rows = np.zeros(0, dtype=np.intp) if found.alternatives is None else found.alternatives
    frame = score_frame(found).iloc[rows].reset_index(drop=True)
    frame["ari_to_labels"] = np.zeros(0) if found.alternative_ari is None else found.alternative_ari
    return frame


def front_result(found: Findings) -> Result | None:
    """The front as pymoo's algorithms return it, objectives minimised; None without candidates."""
    candidates = found.candidates
    if candidates is None or found.scoring is None or found.front is None:
        return None
    if found.evolved is not None and found.evolved.result is not None:
        problem = found.evolved.result.problem
    else:
        m = candidates.labels.shape[1]
        k_max = int(candidates.pool.n_clusters.max())
        problem = PartitionProblem(None, LabelEncoding(m, k_max), list(found.scoring.indices))
    labels, values = candidates.labels[found.front], candidates.values[found.front]
    front = _population(labels, -values)
    result = Result()
    result.problem, result.X, result.F = problem, labels, -values
    result.pop, result.opt, result.success = front, front, True
    return result


def _population(X: NDArray[np.int32], F: NDArray[np.float64]) -> Population:
    population = Population.new(X=X, F=F, CV=np.zeros((len(X), 1)))
    population.apply(lambda individual: individual.evaluated.update({"F", "CV"}))
    return population
