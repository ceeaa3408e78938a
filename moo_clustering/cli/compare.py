"""The command ``compare``, which reads a table of results and formats their comparison as text or JSON."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from moo_clustering._arrays import FloatArray, quoted
from moo_clustering.cli.folder import json_text
from moo_clustering.cli.terminal import aligned
from moo_clustering.datasets import DataError
from moo_clustering.datasets.files import equal_rows, table_text
from moo_clustering.datasets.tables import column_names
from moo_clustering.stats import Comparison, as_results, compare, p_text

_LONG = ("dataset", "method", "value")  # columns of a long table, which has one row per value


def compared(results: Path, *, long: bool | None, figure: Path | None, as_json: bool, **options: Any) -> str:
    table = read_results(results, long=long)
    outcome = compare(table, **options)
    if figure is not None:
        from moo_clustering.visualization import plot_critical_difference

        if not figure.parent.is_dir():
            raise ValueError(f"cannot save the figure: folder {figure.parent} does not exist")
        plot_critical_difference(outcome, alpha=outcome.alpha, method=outcome.posthoc, path=figure)
    if as_json:
        return json_text(_record(outcome, as_results(table)[0].to_numpy(), figure))
    saved = [] if figure is None else [f"Saved the diagram in {figure}."]
    return "\n\n".join([_as_text(outcome), *saved])


def read_results(path: Path, *, long: bool | None = None) -> pd.DataFrame:
    """Read a table with one row per data set and one column per method or, if ``long``, one value per row."""
    # If ``long`` is None, a table with the columns ``dataset``, ``method`` and ``value`` is long. Only the
    # values of long tables are validated here, because ``compare`` validates the values of other tables.
    rows = list(table_text(path).rows(path))
    try:
        columns = column_names(rows[:1], str(path))
    except DataError as error:  # the advice in the message applies only to Python
        raise DataError(error.problem) from error
    stripped = [[cell.strip() for cell in row] for _, row in equal_rows(rows[1:], len(columns), path)]
    if not stripped:
        raise DataError(f"{path} has column names but no rows")
    cells = pd.DataFrame(stripped, columns=columns)
    known = [re.sub("[ _-]", "", column.casefold()) for column in columns]
    if long is None:
        long = set(_LONG) <= set(known)
    if long:
        return _averaged(cells.iloc[:, _places(known, path)], [line for line, _ in rows[1:]], path)
    datasets = cells[columns[0]]
    if not datasets.is_unique:
        raise DataError(
            f"{path} has more than one row for {datasets[datasets.duplicated()].iloc[0]!r}; average repeated "
            "runs so that each data set has one row, or use --long if each line has one value"
        )
    return cells.set_index(columns[0])


def _places(known: Sequence[str], path: Path) -> list[int]:
    """Find the columns ``_LONG`` by name or, if the table has three columns with other names, by order."""
    if set(_LONG) <= set(known):
        return [known.index(name) for name in _LONG]
    if len(known) == len(_LONG):
        return [0, 1, 2]
    raise DataError(f"with --long, {path} must have the columns dataset, method and value")


def _averaged(cells: pd.DataFrame, lines: Sequence[int], path: Path) -> pd.DataFrame:
    cells.columns = pd.Index(_LONG)
    values = pd.to_numeric(cells["value"], errors="coerce")
    if values.isna().any():
        at = int(np.flatnonzero(values.isna())[0])
        found = quoted(cells["value"].iloc[at])
        raise DataError(f"{path}, line {lines[at]}: value must be a number, got {found}")
    means = cells.assign(value=values).groupby(["dataset", "method"], sort=False)["value"].mean()
    datasets, methods = cells["dataset"].unique(), cells["method"].unique()
    table = means.unstack("method").reindex(index=datasets, columns=methods)
    if table.isna().to_numpy().any():
        row, column = np.argwhere(table.isna().to_numpy())[0]
        said = f"{path} has no value for data set {datasets[row]!r} and method {methods[column]!r}"
        raise DataError(f"{said}; every method requires a value for every data set")
    return table


def _as_text(outcome: Comparison) -> str:
    better = "higher" if outcome.greater_is_better else "lower"
    parts = [f"{outcome.n_methods} methods on {outcome.n_datasets} data sets; {better} values are better"]
    ranks = outcome.average_ranks.sort_values(kind="stable")
    rows = [["method", "average rank"], *([str(name), f"{rank:.2f}"] for name, rank in ranks.items())]
    parts += [aligned(rows, right=[1]), _tests(outcome), _pairs(outcome), "\n".join(outcome.conclusions)]
    return "\n\n".join(parts)


def _tests(outcome: Comparison) -> str:
    if (test := outcome.friedman) is None:
        return "Friedman's test requires at least three methods, so the two methods are compared directly."
    df = test.df
    name, F = f"Iman and Davenport, F({df}, {df * (test.n_datasets - 1)})", test.iman_davenport_statistic
    rows = [
        ["test", "statistic", "p"],
        [f"Friedman, chi-square({df})", f"{test.statistic:.4f}", p_text(test.p_value)],
        [name, f"{F:.4f}", p_text(test.iman_davenport_p_value)],
    ]
    return aligned(rows, right=[1, 2])


def _pairs(outcome: Comparison) -> str:
    rows = [["pair (better rank first)", "", "z", "p", "adjusted p", f"at {outcome.alpha:g}"]]
    for pair in outcome.pairs.to_dict("records"):
        values = [f"{pair['z']:.4f}", p_text(pair["p_value"]), p_text(pair["p_adjusted"])]
        says = "different" if pair["significant"] else "-"
        rows.append([str(pair["method_1"]), str(pair["method_2"]), *values, says])
    return f"Pairs of methods ({outcome.posthoc.capitalize()}'s procedure)\n{aligned(rows, right=[2, 3, 4])}"


def _record(outcome: Comparison, values: FloatArray, figure: Path | None) -> dict[str, Any]:
    test, methods = outcome.friedman, list(outcome.ranks)
    of_test = ("statistic", "df", "p_value", "iman_davenport_statistic", "iman_davenport_p_value")
    named = [dict(zip(methods, row, strict=True)) for row in values]
    rows = zip(outcome.ranks.index, named, outcome.ranks.to_dict("records"), strict=True)
    shared = ("n_datasets", "n_methods", "greater_is_better", "alpha", "posthoc")
    return {
        **{name: vars(outcome)[name] for name in shared},
        "methods": methods,
        "results": [{"dataset": dataset, "values": row, "ranks": ranks} for dataset, row, ranks in rows],
        "average_ranks": outcome.average_ranks.to_dict(),
        "friedman": None if test is None else {name: vars(test)[name] for name in of_test},
        "pairs": outcome.pairs.to_dict("records"),
        "groups": outcome.groups,
        "conclusions": outcome.conclusions,
        "figure": figure,
    }
