"""The multi-instance methods by short name."""

from __future__ import annotations

from typing import Any

from moo_clustering.estimators._method import Method

_PAPER = "evolutionary clustering for multiple-instance learning"
_NEEDS = "bags of numeric instances, and the number of clusters; labels or pairs of bags if there are any"
_COMMON: dict[str, Any] = {"needs": _NEEDS, "supervision": ("labels", "pairs"), "bags": True}

BAG_METHODS: tuple[Method, ...] = (
    Method(
        name="bamic",
        class_name="BAMIC",
        paper=f"Zhang & Zhou 2009, a baseline of the multi-instance paper; {_PAPER}",
        summary="k-medoids of bags in the Hausdorff distance",
        aliases={"BAGIC": {}},
        **_COMMON,
    ),
    Method(
        name="mi-kmeans",
        class_name="MIKMeans",
        paper=_PAPER,
        summary="k-means of bags, each as far from a centre as its farthest instance",
        aliases={"MIKM": {}, "MIKM-instance": {"weighting": "instance"}, "MIKM-literal": {"empty": "keep"}},
        **_COMMON,
    ),
    Method(
        name="migka",
        class_name="MIGKA",
        paper=_PAPER,
        summary="genetic k-means of bags: mutation by the objective, and steps of k-means",
        aliases={"MIGKA-printed": {"weights": "printed", "empty": "closest", "elitism": 0}},
        **_COMMON,
    ),
    Method(
        name="mifgka",
        class_name="MIFGKA",
        paper=_PAPER,
        summary="fast genetic k-means of bags: mutation by distance, empty clusters allowed on the way",
        aliases={"MIFGKA-printed": {"reading": "printed_meansq", "legality": "count", "elitism": 0}},
        **_COMMON,
    ),
    Method(
        name="migcuk",
        class_name="MIGCUK",
        paper=_PAPER,
        summary="genetic search for medoid bags; can find the number of clusters",
        aliases={"MIGCUK-mean": {"centers": "mean"}},
        **_COMMON,
    ),
    Method(
        name="chcmic",
        class_name="CHCMIC",
        paper=_PAPER,
        summary="CHC over partitions of bags: least Davies-Bouldin index",
        aliases={"CHCMIC-printed": {"weights": "printed", "empty": "closest"}},
        **_COMMON,
    ),
    Method(
        name="memetic-chcmic",
        class_name="MemeticCHCMIC",
        paper=f"this package, after CHCMIC; {_PAPER}",
        summary="CHC among local optima, with no cluster below 5 % of the bags",
        **_COMMON,
    ),
)
