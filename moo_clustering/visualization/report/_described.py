"""Cohesion of all solutions, and facts of those that are described."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from moo_clustering.visualization.report._cluster_facts import cluster_facts, described_solutions
from moo_clustering.visualization.report._content import ClusterFacts
from moo_clustering.visualization.report._run_solutions import RunSolutions
from moo_clustering.visualization.report._sampled_distances import (
    Cohesion,
    SampledDistances,
    cohesions,
    sampled_distances,
)
from moo_clustering.visualization.report._samples import Samples


@dataclass(frozen=True, eq=False)
class Described:
    """What samples say of solutions.

    Attributes
    ----------
    distances : SampledDistances or None
        None without samples; then the rest is empty.
    cohesions : list of Cohesion
        Of all solutions.
    facts : dict of int to list of ClusterFacts
    notes : list of str
        What is not exact, or left out.
    """

    distances: SampledDistances | None = None
    cohesions: list[Cohesion] = field(default_factory=list)
    facts: dict[int, list[ClusterFacts]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def silhouettes(self) -> NDArray[np.float64]:
        """Mean silhouettes of all solutions."""
        return np.array([each.silhouette for each in self.cohesions], dtype=np.float64)

    def typical(self, most: int) -> NDArray[np.intp]:
        """Typical samples of solutions, one solution after the other while they are ``most`` at most."""
        found: set[int] = set()
        for clusters in self.facts.values():
            more = found.union(*(each.typical for each in clusters))
            if len(more) > most and found:
                break
            found = more
        return np.array(sorted(found), dtype=np.intp)


def describe(
    samples: Samples | None, run: RunSolutions, max_described: int, rng: np.random.Generator
) -> Described:
    """Look at the clusters of the solutions of a run: the result, those that rules take, then the first."""
    if samples is None:
        return Described()
    labels = run.labels
    distances = sampled_distances(samples, int(np.maximum(labels.max(axis=1) + 1, 0).sum()), rng)
    found = cohesions(distances, labels)
    places = described_solutions(len(labels), (run.chosen, *run.rules.values()), max_described)
    facts = cluster_facts(samples, run.solutions.found, places, found, distances)
    notes = []
    n_seen, n = len(distances.rows), samples.n_samples
    if n_seen < n:
        what = "Silhouettes and typical samples" if samples.points is None or samples.bags else "Silhouettes"
        notes.append(f"{what} are from {n_seen} of {n} samples, drawn at random.")
    if len(places) < len(labels):
        notes.append(f"Clusters of {len(places)} of {len(labels)} solutions are described.")
    return Described(distances, found, facts, notes)
