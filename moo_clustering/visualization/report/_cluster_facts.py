"""What is known of every cluster of the solutions that are described."""

from __future__ import annotations

from collections.abc import Sequence

from moo_clustering.visualization.report._cluster_features import Leading, LeadingFeatures
from moo_clustering.visualization.report._content import ClusterFacts
from moo_clustering.visualization.report._sampled_distances import Cohesion, SampledDistances
from moo_clustering.visualization.report._samples import Samples
from moo_clustering.visualization.report._solutions import Solution
from moo_clustering.visualization.report._typical import typical_rows


def cluster_facts(
    samples: Samples,
    solutions: Sequence[Solution],
    described: Sequence[int],
    cohesions: Sequence[Cohesion],
    distances: SampledDistances,
) -> dict[int, list[ClusterFacts]]:
    """Silhouette, typical samples and leading features of the clusters.

    Parameters
    ----------
    samples : Samples
    solutions : sequence of Solution
    described : sequence of int
        Places of those to describe.
    cohesions : sequence of Cohesion
        Of all solutions.
    distances : SampledDistances
    """
    features = None if samples.table is None else LeadingFeatures(samples)
    found = {}
    for place in described:
        solution, cohesion = solutions[place], cohesions[place]
        typical = typical_rows(samples, solution.labels, solution.medoids, distances, cohesion.to_own)
        leading: list[Leading] = [()] * len(typical) if features is None else features.of(solution.labels)
        found[place] = [
            ClusterFacts(float(silhouette), rows, names)
            for silhouette, rows, names in zip(cohesion.of_clusters, typical, leading, strict=True)
        ]
    return found


def described_solutions(n_solutions: int, first: Sequence[int], most: int) -> list[int]:
    """Places of the solutions to describe: the first given, then the others in order."""
    return list(dict.fromkeys((*first, *range(n_solutions))))[: max(most, 0)]
