"""What evaluation makes of medoid sets: improved medoids, labels, Xie-Beni and I-index."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from moo_clustering.encodings._medoid_sets import filled, set_sizes
from moo_clustering.problems._medoid_components import ConstrainedAssignment
from moo_clustering.problems._medoid_encoding import SpaceMedoidEncoding
from moo_clustering.problems._medoid_space import FloatArray, IntArray, Labels
from moo_clustering.validity import _i_index, _xie_beni
from moo_clustering.validity._representatives import Scatter

Decode = Literal["reassign", "literal"]


class Decoded(NamedTuple):
    """Improved medoids, labels by position, distances to the own medoid, and the medoids whose
    assignment gave the labels."""

    medoids: IntArray
    labels: Labels
    distances: FloatArray
    assigned_by: IntArray


class MedoidDecoder:
    """Lamarckian decoding.

    Parameters
    ----------
    encoding : SpaceMedoidEncoding
    mode : {"reassign", "literal"}
    n_local : int
    constrained : ConstrainedAssignment or None
        Used instead of the assignment to the nearest medoid.

    Attributes
    ----------
    keeps_labels : bool
        Whether the labels that are scored belong to other medoids than those that are kept.
    """

    def __init__(
        self,
        encoding: SpaceMedoidEncoding,
        mode: Decode,
        n_local: int,
        constrained: ConstrainedAssignment | None,
    ) -> None:
        self.encoding = encoding
        self.space = encoding.space
        self.mode = mode
        self.n_local = n_local
        self.constrained = constrained
        self.keeps_labels = mode == "literal" or constrained is not None

    def assign(self, medoids: IntArray) -> tuple[Labels, IntArray]:
        """Labels by given medoids, and the medoids at the positions that the labels name."""
        if self.constrained is not None:
            return self.constrained.labels(self.space, medoids)
        return self.encoding.decode(medoids), medoids

    def improve(self, genes: IntArray) -> Decoded:
        """Local search from valid genotypes."""
        return self._improve_apart(genes) if self.keeps_labels else self._improve(genes)

    def _improve(self, genes: IntArray) -> Decoded:
        """New medoids are those of their clusters, and labels are those of the new medoids."""
        medoids = genes.copy()
        labels, distances = self.space.nearest(medoids)
        active = np.arange(len(medoids))
        for _ in range(self.n_local):
            improved = self.encoding.medoids(labels[active])
            changed = (improved != medoids[active]).any(axis=1)
            active = active[changed]
            if not len(active):
                break
            medoids[active] = improved[changed]
            labels[active], distances[active] = self.space.nearest(medoids[active])
        return Decoded(medoids, labels, distances, medoids)

    def _improve_apart(self, genes: IntArray) -> Decoded:
        """The last medoids are those of the clusters, but the labels are those of the ones before."""
        labels, medoids = self.assign(genes)
        if self.mode == "reassign":
            for _ in range(self.n_local):
                labels, medoids = self.assign(self.encoding.medoids(labels))
        improved = self.encoding.medoids(labels)
        return Decoded(improved, labels, self.space.own(improved, labels), medoids)

    def objectives(self, decoded: Decoded) -> tuple[FloatArray, FloatArray]:
        """Xie-Beni and I-index in natural sign."""
        e, space = decoded.distances, self.space
        n_clusters = set_sizes(decoded.medoids)
        least, greatest = space.separations(decoded.medoids)
        squared = Scatter(np.einsum("ij,ij->i", e, e), np.square(least), np.square(greatest))
        plain = Scatter(e.sum(axis=1), least, greatest)
        return (
            _xie_beni._values(squared, n_clusters, space.n_samples, space.mean_square),
            _i_index._values(plain, n_clusters, space.total_to_one, 2.0),
        )

    def refill(self, medoids: IntArray, genes: IntArray) -> IntArray:
        """Give sets of too few medoids random others, so that the operators can go on with them.

        Evaluation has no generator of its own: the draw depends on the genes that came in, so that
        equal individuals stay equal.
        """
        k_min = self.encoding.k_min
        for q in np.flatnonzero(set_sizes(medoids) < k_min):
            rng = np.random.default_rng(genes[q][genes[q] >= 0])
            medoids[q] = filled(medoids[q : q + 1], k_min, self.space.n_samples, rng)[0]
        return medoids
