"""What may be claimed, in words."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from moo_clustering.stats._friedman import FriedmanResult


def sentences(
    test: FriedmanResult | None,
    pairs: pd.DataFrame,
    groups: Sequence[tuple[str, ...]],
    posthoc: str,
    alpha: float,
) -> list[str]:
    """One sentence on all methods together, then one for every method that is better than others."""
    better = _better(pairs)
    joined = [group for group in groups if len(group) > 1]
    unclear = "No difference can be claimed " + (
        "between " + and_list(joined[0])
        if len(joined) == 1 and len(joined[0]) == 2
        else "within: " + "; ".join(", ".join(group) for group in joined)
    )
    if test is None:
        return better or [f"{unclear}: p = {p_text(pairs['p_adjusted'].iloc[0])} is above {alpha:g}."]
    if test.p_value > alpha:
        lines = [
            f"No difference can be claimed: Friedman's test does not reject that all {test.n_methods} "
            f"methods do equally well (p = {p_text(test.p_value)}, above {alpha:g})."
        ]
        if test.iman_davenport_p_value <= alpha:
            lines.append(
                "The less conservative test of Iman and Davenport does reject it "
                f"(p = {p_text(test.iman_davenport_p_value)})."
            )
        if better:
            lines.append("Pairs that differ nevertheless are hints at most.")
        return lines
    lines = [
        "The methods do not all do equally well, by Friedman's test "
        f"(p = {p_text(test.p_value)}, not above {alpha:g})."
    ]
    if not better:
        return [
            *lines,
            f"But no difference can be claimed for any single pair (procedure {posthoc}, smallest "
            f"adjusted p = {p_text(pairs['p_adjusted'].iloc[0])}).",
        ]
    return lines + better + ([f"{unclear}."] if joined else [])


def p_text(p: float) -> str:
    """Four digits; what would be shown as 0 is not 0."""
    return f"{p:.4f}" if p >= 0.00005 else f"{p:.1e}"


def and_list(names: Sequence[str]) -> str:
    """``a, b and c``."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else list(names))


def _better(pairs: pd.DataFrame) -> list[str]:
    """One sentence for every method, with whom it beats."""
    significant = pairs[pairs["significant"]]
    lines = []
    for method in significant["method_1"].drop_duplicates():
        beaten = significant[significant["method_1"] == method]
        values = and_list([p_text(p) for p in beaten["p_adjusted"]])
        lines.append(f"{method} is better than {and_list(list(beaten['method_2']))} (adjusted p = {values}).")
    return lines
