"""What ``compare`` prints."""

from __future__ import annotations

import json
import math

from moo_clustering.cli._tables import aligned
from moo_clustering.persistence import to_json
from moo_clustering.stats import Comparison
from moo_clustering.stats._sentences import p_text


def as_text(outcome: Comparison) -> str:
    """Ranks, tests, pairs and conclusions."""
    better = "large" if outcome.greater_is_better else "small"
    parts = [f"{outcome.n_methods} methods on {outcome.n_datasets} data sets; {better} values are better"]
    ranks = outcome.average_ranks.sort_values(kind="stable")
    rows = [["method", "average rank"], *([str(name), f"{rank:.2f}"] for name, rank in ranks.items())]
    parts += [aligned(rows, right=[1]), _tests(outcome), _pairs(outcome), "\n".join(outcome.conclusions)]
    return "\n\n".join(parts)


def _tests(outcome: Comparison) -> str:
    test = outcome.friedman
    if test is None:
        return "Friedman's test needs three methods; the two are compared as a pair."
    df = test.df
    rows = [
        ["test", "statistic", "p"],
        [f"Friedman, chi-square({df})", f"{test.statistic:.4f}", p_text(test.p_value)],
        [
            f"Iman and Davenport, F({df}, {df * (test.n_datasets - 1)})",
            f"{test.iman_davenport_statistic:.4f}",
            p_text(test.iman_davenport_p_value),
        ],
    ]
    return aligned(rows, right=[1, 2])


def _pairs(outcome: Comparison) -> str:
    rows = [["pair, better rank first", "", "z", "p", "adjusted p", f"at {outcome.alpha:g}"]]
    for pair in outcome.pairs.to_dict("records"):
        values = [f"{pair['z']:.4f}", p_text(pair["p_value"]), p_text(pair["p_adjusted"])]
        says = "different" if pair["significant"] else "-"
        rows.append([str(pair["method_1"]), str(pair["method_2"]), *values, says])
    return f"Pairs by {outcome.posthoc.capitalize()}'s procedure\n{aligned(rows, right=[2, 3, 4])}"


def to_json_text(outcome: Comparison) -> str:
    """All of it for other programs; an infinite F is null."""
    test = outcome.friedman
    record = {
        "n_datasets": outcome.n_datasets,
        "n_methods": outcome.n_methods,
        "greater_is_better": outcome.greater_is_better,
        "alpha": outcome.alpha,
        "posthoc": outcome.posthoc,
        "average_ranks": outcome.average_ranks.to_dict(),
        "friedman": None
        if test is None
        else {
            "statistic": test.statistic,
            "df": test.df,
            "p_value": test.p_value,
            "iman_davenport_statistic": test.iman_davenport_statistic
            if math.isfinite(test.iman_davenport_statistic)
            else None,
            "iman_davenport_p_value": test.iman_davenport_p_value,
        },
        "pairs": outcome.pairs.to_dict("records"),
        "groups": outcome.groups,
        "conclusions": outcome.conclusions,
    }
    return json.dumps(to_json(record, "comparison"), indent=2, ensure_ascii=False)
