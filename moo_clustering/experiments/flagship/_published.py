"""Means of the development runs: 39 sets, which the method was chosen on."""

from __future__ import annotations

from collections.abc import Mapping

from moo_clustering.experiments.flagship._names import (
    CONSENSUS,
    CONSTRAINED,
    EVIDENCE,
    FLAGSHIP,
    FLAGSHIP_KNOWN,
    FLAGSHIP_UNKNOWN,
    K_MEANS,
    KNOWN,
    LOGISTIC,
    MODULARITY,
    ORACLE,
    PLAIN_KNOWN,
    PLAIN_UNKNOWN,
    SELECT,
    SPREADING,
    UNKNOWN,
)

Figures = Mapping[str, tuple[float, ...]]

# ARI, and where they are known AMI and ARI of shapes, UCI tables, texts and digits.
_UNKNOWN: Figures = {
    FLAGSHIP: (0.622,),
    MODULARITY: (0.606, 0.654, 0.872, 0.437, 0.376, 0.742),
    "Genie + minimax silhouette": (0.502, 0.572, 0.816, 0.287, 0.316, 0.619),
    "k-means + silhouette": (0.500, 0.571, 0.616, 0.448, 0.277, 0.649),
    "HDBSCAN": (0.486, 0.551, 0.828, 0.236, 0.322, 0.777),
    "Genie + silhouette": (0.481, 0.569, 0.654, 0.372, 0.269, 0.817),
    "Ward + silhouette": (0.479, 0.547, 0.637, 0.400, 0.203, 0.708),
    "GMM + silhouette": (0.476, 0.545, 0.618, 0.386, 0.337, 0.598),
    "spectral kNN + silhouette": (0.476, 0.566, 0.683, 0.353, 0.214, 0.758),
    "spectral kNN + eigengap": (0.380, 0.530, 0.420, 0.331, 0.344, 0.836),
    "agreement only": (0.555, 0.625, 0.807, 0.396, 0.314, 0.742),
    ORACLE: (0.724, 0.725, 0.978, 0.551, 0.565, 0.861),
}
_KNOWN: Figures = {
    CONSENSUS: (0.661, 0.685, 0.943, 0.461, 0.509, 0.832),
    SELECT: (0.646, 0.669, 0.941, 0.438, 0.504, 0.742),
    "graph agglomeration": (0.573, 0.619, 0.873, 0.370, 0.371, 0.742),
    "spectral kNN": (0.570, 0.619, 0.831, 0.385, 0.430, 0.758),
    "Genie": (0.559, 0.608, 0.832, 0.356, 0.440, 0.779),
    K_MEANS: (0.523, 0.557, 0.636, 0.434, 0.485, 0.667),
    "GMM": (0.517, 0.563, 0.623, 0.445, 0.442, 0.584),
    "Ward": (0.492, 0.543, 0.640, 0.403, 0.297, 0.732),
}
# ARI with 1, 2, 5, 10 % labels.
_LABELS: Figures = {
    FLAGSHIP: (0.669, 0.713, 0.750, 0.772),
    "pool kernel alone": (0.670, 0.707, 0.738, 0.759),
    EVIDENCE: (0.591, 0.649, 0.661, 0.643),
    "best partition by evidence + 20 s": (0.635, 0.650, 0.663, 0.670),
    SPREADING: (0.621, 0.668, 0.722, 0.742),
    "label propagation": (0.577, 0.640, 0.706, 0.743),
    "1-NN": (0.514, 0.576, 0.660, 0.692),
    CONSTRAINED: (0.574, 0.590, 0.613, 0.633),
    "PCKMeans": (0.542, 0.560, 0.580, 0.592),
    "seeded k-means": (0.542, 0.560, 0.580, 0.592),
    LOGISTIC: (0.444, 0.516, 0.603, 0.640),
    K_MEANS: (0.523, 0.523, 0.522, 0.524),
}
# ARI with 2, 5, 10 % labels of half of the classes.
_NOVEL: Figures = {
    FLAGSHIP_UNKNOWN: (0.694, 0.707, 0.713),
    FLAGSHIP_KNOWN: (0.719, 0.724, 0.740),
    PLAIN_UNKNOWN: (0.655, 0.655, 0.655),
    PLAIN_KNOWN: (0.703, 0.703, 0.705),
    CONSTRAINED: (0.658, 0.676, 0.695),
    K_MEANS: (0.619, 0.619, 0.619),
    EVIDENCE: (0.580, 0.594, 0.612),
    SPREADING: (0.408, 0.435, 0.440),
    LOGISTIC: (0.313, 0.347, 0.372),
}
# ARI of samples in no pair, .1, .5, 1, 2 pairs per sample, all right; then the means, all right and
# with 10 % flipped.
_PAIRS: Figures = {
    FLAGSHIP_UNKNOWN: (0.717, 0.771, 0.795, 0.793, 0.769, 0.753),
    FLAGSHIP_KNOWN: (0.729, 0.803, 0.833, 0.842, 0.802, 0.773),
    PLAIN_UNKNOWN: (0.574, 0.563, 0.553, 0.557, 0.562, 0.570),
    "pairs propagated on the graph alone": (0.688, 0.781, 0.816, 0.840, 0.781, 0.706),
    CONSTRAINED: (0.629, 0.723, 0.750, 0.779, 0.720, 0.677),
    "HMRFKMeans": (0.515, 0.537, 0.571, 0.596, 0.555, 0.548),
    "PCKMeans": (0.516, 0.543, 0.569, 0.592, 0.555, 0.542),
    K_MEANS: (0.585, 0.572, 0.562, 0.560, 0.570, 0.585),
}

# Block, score, kind of sets ("" for all), setting, method.
Place = tuple[str, str, str, str, str]


def _published() -> dict[Place, float]:
    found: dict[Place, float] = {}
    for block, setting, figures in (("unsupervised", UNKNOWN, _UNKNOWN), ("known", KNOWN, _KNOWN)):
        for method, values in figures.items():
            columns = [("ari", ""), ("ami", ""), *(("ari", kind) for kind in "sutd")]
            for (score, kind), value in zip(columns, values, strict=False):
                found[block, score, kind, setting, method] = value
    amounts = [f"{amount}, right" for amount in (".1 n", ".5 n", "1 n", "2 n")]
    for block, settings, figures in (
        ("labels", ["1 %", "2 %", "5 %", "10 %"], _LABELS),
        ("novel", ["2 %", "5 %", "10 %"], _NOVEL),
        ("pairs", [*amounts, "mean, right", "mean, 10 % flipped"], _PAIRS),
    ):
        for method, values in figures.items():
            for setting, value in zip(settings, values, strict=True):
                found[block, "ari", "", setting, method] = value
            if block != "pairs":
                found[block, "ari", "", "mean", method] = sum(values) / len(values)
    return found


PUBLISHED = _published()
