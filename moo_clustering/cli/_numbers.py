"""How the number of clusters was found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

# Rules that labels and pairs decide, if there are any.
_BY_KNOWLEDGE = ("auto", "labels", "constraints")


def attainment_record(estimator: Any) -> dict[str, Any]:
    """Score of the chosen member of a front, and the best members of other promising numbers of clusters,
    by their scores; empty where no scores were computed.
    """
    if not hasattr(estimator, "attainment_"):
        return {}
    scores, numbers = estimator.attainment_scores_, estimator.pareto_K_
    score = float(scores[estimator.chosen_])
    others = [row for row in estimator.promising_ if numbers[row] != estimator.n_clusters_]
    others.sort(key=lambda row: -scores[row])
    found = {
        "score": score if np.isfinite(score) else None,
        "largest_number": int(estimator.attainment_.k_max),
        "also_promising": [
            {"n_clusters": int(numbers[row]), "member": int(row), "score": float(scores[row])}
            for row in others
        ],
    }
    return {"attainment": found}


def number_rows(record: Mapping[str, Any], estimator: Any, *, supervised: bool) -> list[list[str]]:
    """What decided on the number of clusters, and which others are promising."""
    number = record["result"]["n_clusters"]
    chosen = f"{number} cluster{'' if number == 1 else 's'}"
    if "attainment" in record:
        found = record["attainment"]
        if found["score"] is None:
            return [["chosen", f"{chosen}, too many for an attainment score"]]
        most = found["largest_number"]
        rows = [["chosen", f"{chosen} by attainment score {found['score']:.3f}, of numbers up to {most}"]]
        others = [f"{other['n_clusters']} ({other['score']:.3f})" for other in found["also_promising"]]
        if others:
            shown = ", ".join(others[:5]) + (", ..." if len(others) > 5 else "")
            rows.append(["promising", f"also {shown}; -k K --set select=attainment takes another"])
        return rows
    if not hasattr(estimator, "pareto_K_") or estimator.n_clusters is not None:
        return []
    if supervised and estimator.supervision is not None and estimator.select in _BY_KNOWLEDGE:
        return [["chosen", f"{chosen} by agreement with what is known of the samples"]]
    if record["status"] == "interrupted" and estimator.select in ("auto", "attainment"):
        return [["chosen", f"{chosen}, nearest to the best of both objectives; no attainment scores yet"]]
    return []
