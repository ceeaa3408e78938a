"""What ``fit`` says at the end of a choice from a pool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_LOW, _HIGH = 0.62, 0.9
_MEANING = (
    "low: on test data, clusters below 0.62 had little to do with known classes; there may be none to find",
    "medium: on test data, clusters from 0.62 to 0.9 agreed with known classes now well, now badly",
    "high: on test data, clusters above 0.9 mostly agreed well with known classes, if not always in number",
)
_SHOWN, _FEW = 3, 30


def pareto_rows(record: Mapping[str, Any], *, supervised: bool) -> list[list[str]]:
    """Confidence, alternatives and controls; of results with labels or pairs no confidence."""
    if "alternatives" not in record:
        return []
    rows = []
    if not supervised:
        data = record["data"]
        rows.append(
            [
                "confidence",
                confidence_text(
                    record["confidence"], n_samples=data["n_samples"], bags="n_instances" in data
                ),
            ]
        )
    if record.get("classes"):
        named = [name or "(new)" for name in record["classes"]]
        rows.append(["classes", ", ".join(f"{number} = {name}" for number, name in enumerate(named))])
    if text := _alternatives(record):
        rows.append(["alternatives", text])
    return rows + _controls(record)


def confidence_text(confidence: float | None, *, n_samples: int, bags: bool = False) -> str:
    """The number and what it has meant on tables with known classes."""
    if confidence is None:
        return "none: there was nothing to choose from"
    if n_samples < _FEW:
        return f"{confidence:.2f}, which says little of {n_samples} samples"
    if bags:
        return f"{confidence:.2f}, which says little of bags: their known classes were hardly clusters"
    meaning = _MEANING[(confidence >= _LOW) + (confidence > _HIGH)]
    return f"{confidence:.2f}, {meaning}"


def pareto_remarks(record: Mapping[str, Any]) -> list[str]:
    """Sentences about columns that decide alone, and about an evolution."""
    remarks = []
    if names := record.get("sorted_by"):
        shown = " and of ".join(map(repr, names[:_SHOWN]))
        remarks.append(
            f"Nearly every cluster has one value of {shown}. --drop leaves such a column out, to see which "
            "clusters there are besides."
        )
    if "controls" in record:
        remarks.append(
            "Evolution raises the score it searches by; on the data it was measured on, the clusters came no "
            "nearer to known classes than without it. Trust it no more than its controls."
        )
    return remarks


def _alternatives(record: Mapping[str, Any]) -> str:
    found = record["alternatives"]
    if not found:
        return ""
    others: dict[int, float] = {}
    for other in found:
        if other["n_clusters"] != record["result"]["n_clusters"]:
            others.setdefault(other["n_clusters"], other["agreement"])
    count = f"{len(found)} in alternatives.csv"
    if not others:
        return count
    (k, agreement), *rest = list(others.items())[:_SHOWN]
    first = f"{k} cluster{'' if k == 1 else 's'} (agreement {agreement:.2f})"
    shown = ", ".join([first, *(f"{k} ({agreement:.2f})" for k, agreement in rest)])
    return f"{count}; also worth a look: {shown}"


def _controls(record: Mapping[str, Any]) -> list[list[str]]:
    if "controls" not in record:
        return []
    controls = record["controls"]
    rows = []
    names = {"control": "without evolution", "random_control": "survival at random"}
    rows.append(["evolved", f"best score {controls['score']['result']:.4f}{_rand(record['scores'])}"])
    for key, title in names.items():
        if key not in controls["ari_to_labels"]:
            rows.append([title, "left out, as the evolution was interrupted"])
            continue
        like = controls["ari_to_labels"][key]
        text = f"best score {controls['score'][key]:.4f}{_rand(controls['scores'][key])}"
        rows.append([title, f"{text}, adjusted Rand {like:.4f} to the clusters above"])
    return rows


def _rand(scores: Mapping[str, float]) -> str:
    value = scores.get("adjusted_rand")
    return "" if value is None else f", adjusted Rand {value:.4f} to known classes"
