"""Report page: archives of its content, merging of several runs, and HTML with the content as JSON."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from functools import cache
from importlib.resources import files
from os import PathLike
from typing import Any

import jinja2
import numpy as np
import pandas as pd
from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata

from moo_clustering._arrays import Int64Array, IntArray, IntpArray, choice
from moo_clustering._messages import checked_path, distinct_names
from moo_clustering.descriptions import Heatmap
from moo_clustering.estimators._pareto_confidence import BEYOND_CHANCE
from moo_clustering.persistence import ArchiveError, read_archive, replacing, version_fault, write_archive
from moo_clustering.visualization.figures import look_of
from moo_clustering.visualization.report.content import (
    MADE_WITH,
    TO_RESULT,
    ClusterFacts,
    Column,
    MapColumn,
    Panel,
    PlaneMap,
    ReportContent,
)
from moo_clustering.visualization.report.describe import agreement

FORMAT = "moo_clustering report"
VERSION = 1
_CLASSES: dict[str, Any] = {
    kind.__name__: kind for kind in (ClusterFacts, Column, Heatmap, MapColumn, Panel, PlaneMap, ReportContent)
}
_SCRIPTS = (
    "data.js", "elements.js", "text.js", "looks.js", "partitions.js", "state.js", "download.js", "draw.js",
    "figures.js", "selection.js", "objectives.js", "parallel.js", "front.js", "search.js", "table.js",
    "plane.js", "map.js", "names.js", "clusters.js", "limits.js", "heatmap.js", "known.js", "cuts.js",
    "doubts.js", "take.js", "samples.js", "compare.js", "agreement.js", "history.js", "panels.js", "main.js",
)  # fmt: skip
_TEXT_LENGTH = 400
_FIRST = ("warning", "interrupted", "columns not used", "filled cells", "preparation")
_SURE = {
    "clear": "The clusters are clear.",
    "several good answers": "These clusters are one of several good answers.",
    "no structure beyond noise": "No structure beyond noise was found. The clusters may be arbitrary.",
    "not known": "The certainty of the clusters is unknown.",
}
_EXPECTED = re.compile(r" \(expected adjusted Rand index with known classes ([\d.-]+) to ([\d.-]+)[^)]*\)")
_SILHOUETTES = (
    (0.5, "much nearer to their own cluster than to the nearest other cluster"),
    (0.25, "nearer to their own cluster than to the nearest other cluster"),
    (0.0, "hardly nearer to their own cluster than to another, for example because clusters are elongated"),
    (-1.0, "nearer to another cluster than to their own, for example because clusters are elongated"),
)
_SYMBOLS = {
    "o": "circle", "s": "square", "^": "triangle-up", "D": "diamond", "v": "triangle-down", "P": "cross",
    "<": "triangle-left", ">": "triangle-right",
}  # fmt: skip
Encoded = dict[str, Any]
_DTYPES = ("uint8", "uint16", "int32", "uint32", "float32", "float64")


def save_content(path: str | PathLike[str], content: ReportContent) -> None:
    """Write report content atomically to a compressed archive. The folder must exist."""
    arrays: dict[str, NDArray[Any]] = {}
    packed = _pack(content, arrays)
    write_archive(path, arrays, {"format": FORMAT, "version": VERSION, "content": packed}, compressed=True)


def load_content(path: str | PathLike[str]) -> ReportContent:
    """Read a file written by :func:`save_content`, without executing code. Sequences become tuples."""
    arrays, meta = read_archive(path)
    if meta.get("format") != FORMAT:
        raise ArchiveError(f"{path} is an archive but does not contain a report")
    if fault := version_fault(meta.get("version"), VERSION):
        raise ArchiveError(f"{path} {fault}")
    try:
        content = _unpack(meta["content"], arrays)
        whole = isinstance(content, ReportContent) and fits(content)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise ArchiveError(f"{path} contains a damaged report: {error}") from error
    if not whole:
        raise ArchiveError(f"{path} contains a damaged report: its parts are inconsistent")
    return content


def _pack(value: Any, arrays: dict[str, NDArray[Any]]) -> Any:
    if value is None or isinstance(value, str | int | float | np.generic):
        return value
    if isinstance(value, np.ndarray):
        return {"strings": value.tolist()} if value.dtype.kind == "U" else _pack_array(value, arrays)
    if isinstance(value, bytes):
        return {"bytes": _pack_array(np.frombuffer(value, dtype=np.uint8), arrays)}
    if isinstance(value, pd.DataFrame):
        return {"frame": [[str(name), _pack(_plain(value[name]), arrays)] for name in value]}
    if isinstance(value, Mapping):
        return {"mapping": [[key, _pack(item, arrays)] for key, item in value.items()]}
    if type(value).__name__ in _CLASSES:
        items = {field.name: _pack(vars(value)[field.name], arrays) for field in fields(value)}
        return {type(value).__name__: items}
    if isinstance(value, Sequence):
        return [_pack(item, arrays) for item in value]
    raise TypeError(f"a report cannot contain an object of type {type(value).__name__}")


def _pack_array(array: NDArray[Any], arrays: dict[str, NDArray[Any]]) -> dict[str, str]:
    name = f"a{len(arrays)}"
    arrays[name] = array
    if array.dtype.kind in "iu" and array.size:
        # If no integer type holds all values, NumPy returns a float type, and the array is not converted.
        least = np.result_type(np.min_scalar_type(array.min()), np.min_scalar_type(array.max()))
        arrays[name] = array.astype(least) if least.kind in "iu" else array
    return {"array": name, "dtype": array.dtype.str}


def _plain(column: pd.Series[Any]) -> NDArray[Any] | list[Any]:
    values = column.to_numpy()
    return values if values.dtype.kind in "iufb" else [None if pd.isna(cell) else cell for cell in column]


def _unpack(value: Any, arrays: Mapping[str, NDArray[Any]]) -> Any:
    if isinstance(value, list):
        return tuple(_unpack(item, arrays) for item in value)
    if not isinstance(value, dict):
        return value
    if "array" in value:
        return arrays[value["array"]].astype(np.dtype(value["dtype"]), copy=False)
    [(kind, inner)] = value.items()
    if kind == "strings":
        return np.array(inner, dtype=np.str_)
    if kind == "bytes":
        return _unpack(inner, arrays).tobytes()
    if kind == "frame":
        frame = pd.DataFrame({place: _unpack(column, arrays) for place, (_, column) in enumerate(inner)})
        return frame.set_axis([name for name, _ in inner], axis="columns")
    if kind == "mapping":
        return {key: _unpack(item, arrays) for key, item in inner}
    return _CLASSES[kind](**{name: _unpack(item, arrays) for name, item in inner.items()})


def fits(content: ReportContent) -> bool:
    """Return whether all arrays have matching lengths, and all indices are in range."""
    if content.labels.ndim != 2:
        return False
    n_solutions, n_samples = content.labels.shape
    of_solutions: list[Any] = [content.names, *(column.values for column in content.columns)]
    of_solutions += [*([content.runs] if content.runs else []), *(values for _, _, values in content.limits)]
    of_samples: list[Any] = [content.sample_names, *(codes for _, _, codes in content.left_out)]
    of_samples += [] if content.sample_texts is None else [content.sample_texts]
    described = (*content.cluster_names, *content.clusters, *content.heatmaps)
    solutions = [content.chosen, *content.rules.values(), *described, *(cut[0] for cut in content.cuts)]
    linked: Any = [(each.matrix, each.solutions) for each in content.panels if each.solutions is not None]
    rows: list[Any] = [content.must_link, content.cannot_link, [doubt[0] for doubt in content.doubts]]
    rows += [facts.typical for found in content.clusters.values() for facts in found]
    return (
        all(len(each) == n_solutions for each in of_solutions)
        and all(len(each) == n_samples for each in of_samples)
        and _within(solutions, n_solutions)
        and all(np.shape(matrix) == places.shape for matrix, places in linked)
        and all(_within(places + 1, n_solutions + 1) for _, places in linked)
        and all(_within(each, n_samples) for each in rows)
        and (content.map is None or _fits(content.map, n_samples))
        and all(np.shape(found.values) == found.levels.shape for found in content.heatmaps.values())
        and (content.agreement is None or content.agreement.shape == (n_solutions, n_solutions))
    )


def _fits(plane: PlaneMap, n_samples: int) -> bool:
    n_shown, others = len(plane.rows), [] if plane.neighbors is None else [plane.neighbors.shape]
    columns = {len(column.values) for column in plane.columns}
    if (outlines := plane.outlines) is not None:
        places = outlines[~np.isnan(outlines[:, 0]), 0]
        if outlines.shape[1] != 3 or not _within(places.astype(np.int64), n_shown):
            return False
    shapes = {plane.positions.shape, *others}
    return shapes == {(n_shown, 2)} and columns <= {n_shown} and _within(plane.rows, n_samples)


def _within(places: Any, count: int) -> bool:
    found = np.asarray(places)
    return not found.size or (found.dtype.kind in "iu" and found.min() >= 0 and bool(found.max() < count))


def merge(contents: Sequence[ReportContent], names: Sequence[str]) -> ReportContent:
    """Merge the reports of several runs, matching samples by name.

    The order of the samples and the chosen solution are taken from the first run. The map is taken from the
    first run that has a map. Names of rules, histories and figures start with the run's name. For each run,
    an additional rule selects its result.
    """
    if not contents or len(contents) != len(names):
        given = f"{len(contents)} runs and {len(names)} names"
        raise ValueError(f"merge requires at least one run and one name per run, got {given}")
    if len(contents) == 1:
        return contents[0]
    first, runs = contents[0], distinct_names(names)
    n_solutions = sum(content.n_solutions for content in contents)
    parts, start = [], 0
    for content, run in zip(contents, runs, strict=True):
        parts.append(_part(content, run, rows_in(first, content, (runs[0], run)), start, n_solutions))
        start += content.n_solutions
    joined: dict[str, Any] = {
        name: [item for part in parts for item in vars(part)[name]]
        for name in ("names", "runs", "panels", "missing", "limits")
    }
    joined |= {
        name: {key: item for part in parts for key, item in vars(part)[name].items()}
        for name in ("rules", "cluster_names", "clusters", "heatmaps")
    }
    labels = np.vstack([part.labels for part in parts])
    with_chosen, table, note = agreement(labels, first.chosen, np.random.default_rng(0))
    return ReportContent(
        title=" and ".join(dict.fromkeys(content.title for content in contents)),
        labels=labels,
        sample_names=first.sample_names,
        facts=_facts(contents, runs),
        sample_kind=_common([content.sample_kind for content in contents], "sample"),
        sample_texts=next((part.sample_texts for part in parts if part.sample_texts is not None), None),
        columns=[
            replace(column, values=with_chosen) if column.name == TO_RESULT else column
            for column in united_columns(contents, runs)
        ],
        chosen=first.chosen,
        map=next((part.map for part in parts if part.map is not None), None),
        features_title=" or ".join(dict.fromkeys(one.features_title for one in contents if one.clusters))
        or first.features_title,
        must_link=np.unique(np.vstack([part.must_link for part in parts]), axis=0),
        cannot_link=np.unique(np.vstack([part.cannot_link for part in parts]), axis=0),
        agreement=table,
        agreement_note=note,
        history=_merged_history(contents, runs),
        left_out=first.left_out,
        **joined,
    )


def _part(content: ReportContent, run: str, rows: Int64Array, start: int, n_solutions: int) -> ReportContent:
    """Return a report with the rows, indices of solutions, and names that it has in a merged report."""
    moved = _renumbered(content, {row: start + row for row in range(content.n_solutions)})
    order, texts, end = np.argsort(rows), content.sample_texts, n_solutions - start - content.n_solutions
    return replace(
        moved,
        labels=content.labels[:, order],
        sample_texts=None if texts is None else [texts[place] for place in order],
        # If the report was itself merged, its own runs are also named.
        runs=[f"{run}: {inner}" for inner in content.runs] or [run] * content.n_solutions,
        rules={f"{run}: {rule}": row for rule, row in {"result": moved.chosen, **moved.rules}.items()},
        map=None if content.map is None else _moved_map(content.map, rows),
        clusters={
            row: [replace(each, typical=tuple(rows[[*each.typical]].tolist())) for each in found]
            for row, found in moved.clusters.items()
        },
        must_link=np.sort(rows[np.reshape(content.must_link, (-1, 2)).astype(np.int64)], axis=1),
        cannot_link=np.sort(rows[np.reshape(content.cannot_link, (-1, 2)).astype(np.int64)], axis=1),
        panels=[replace(panel, title=f"{run}: {panel.title}") for panel in moved.panels],
        missing=[f"{run}: {sentence}" for sentence in content.missing],
        limits=[
            (f"{run}: {name}", requirement, np.pad(np.float64(values), (start, end), constant_values=np.nan))
            for name, requirement, values in content.limits
        ],
    )


def _moved_map(plane: PlaneMap, new_rows: Int64Array) -> PlaneMap:
    rows = new_rows[plane.rows]
    order = np.argsort(rows)
    columns = [replace(column, values=column.values[order]) for column in plane.columns]
    near = None if plane.neighbors is None else plane.neighbors[order]
    outlines = None if plane.outlines is None else plane.outlines.copy()
    if outlines is not None:
        known = ~np.isnan(outlines[:, 0])
        outlines[known, 0] = np.argsort(order)[outlines[known, 0].astype(np.int64)]
    return PlaneMap(plane.positions[order], rows[order], plane.axes, plane.note, near, columns, outlines)


def _common(kinds: Sequence[str], otherwise: str) -> str:
    return kinds[0] if len(set(kinds)) == 1 else otherwise


def _facts(contents: Sequence[ReportContent], runs: Sequence[str]) -> list[tuple[str, str]]:
    everywhere = set.intersection(*({tuple(fact) for fact in content.facts} for content in contents))
    shared = [fact for fact in contents[0].facts if tuple(fact) in everywhere]
    pairs = [(run, fact) for run, content in zip(runs, contents, strict=True) for fact in content.facts]
    own = [(f"{run}: {fact[0]}", fact[1]) for run, fact in pairs if tuple(fact) not in everywhere]
    return [("runs", ", ".join(runs)), *shared, *own]


def _merged_history(contents: Sequence[ReportContent], runs: Sequence[str]) -> pd.DataFrame | None:
    """Return the histories of all runs by generation. A repeated generation replaces the earlier one."""
    histories = []
    for content, run in zip(contents, runs, strict=True):
        history = content.history
        if history is not None and history.shape[1] > 1 and len(history):
            history = history.set_index(history.columns[0])
            history = history[~history.index.duplicated(keep="last")]
            histories.append(history.add_prefix(f"{run}: "))
    if not histories:
        return None
    name = _common([str(history.index.name) for history in histories], "generation")
    return pd.concat(histories, axis=1).sort_index().rename_axis(name).reset_index()


def united_columns(contents: Sequence[ReportContent], runs: Sequence[str]) -> list[Column]:
    """Merge columns of runs with the same name and direction, objectives first; NaN for missing values."""
    # If columns of the same name have opposite directions, the names of the runs are added to their names.
    # Otherwise, columns of the same name are merged, even if some have no direction.
    placed = [(place, column) for place, content in enumerate(contents) for column in content.columns]
    directions: dict[str, set[bool | None]] = {}
    for _, column in placed:
        directions.setdefault(column.name, set()).add(column.greater_is_better)
    groups: dict[tuple[str, bool | None], dict[int, Column]] = {}
    for place, column in placed:
        direction, known = column.greater_is_better, directions[column.name] - {None}
        if direction is None and len(known) == 1:
            [direction] = known
        groups.setdefault((column.name, direction), {})[place] = column
    titles = [name for name, _ in groups]
    unknown = [np.full(content.n_solutions, np.nan) for content in contents]
    united = []
    for (name, direction), parts in groups.items():
        own = "" if titles.count(name) == 1 else f" ({', '.join(runs[place] for place in parts)})"
        values = [parts[place].values if place in parts else other for place, other in enumerate(unknown)]
        is_objective = any(column.is_objective for column in parts.values())
        united.append(Column(f"{name}{own}", np.concatenate(values), is_objective, direction))
    return sorted(united, key=lambda column: not column.is_objective)


def rows_in(first: ReportContent, other: ReportContent, runs: tuple[str, str]) -> Int64Array:
    """Return, for each sample of ``other``, the row of the sample with the same name in ``first``."""
    there, here = np.asarray(first.sample_names), np.asarray(other.sample_names)
    different = f"runs {runs[0]!r} and {runs[1]!r} have different samples"
    if len(there) != len(here):
        raise ValueError(f"{different}: {len(there)} in the first, {len(here)} in the second")
    if np.array_equal(there, here):
        return np.arange(len(here))
    for whose, names, others in ((runs[0], there, here), (runs[1], here, there)):
        if not np.isin(names, others).all():
            lone = names[~np.isin(names, others)][0]
            raise ValueError(f"{different}: only {whose!r} contains {str(lone)!r}")
    unique, counts = np.unique(there, return_counts=True)
    if len(unique) < len(there):
        raise ValueError(
            f"runs {runs[0]!r} and {runs[1]!r} have different sample orders, and cannot be matched because "
            f"a name occurs more than once: {str(unique[counts > 1][0])!r}"
        )
    order = np.argsort(there)
    return order[np.searchsorted(there[order], here)]


def render(content: ReportContent, *, asks: bool = False) -> str:
    """Create the report as a single HTML page.

    Takes O(n_solutions * n_samples) time and memory. The page loads nothing from the network; its content
    security policy forbids network requests and other scripts.

    Parameters
    ----------
    content : ReportContent
        All texts are escaped.
    asks : bool, default=False
        Whether to add a panel with questions. Answers update the solution of the (required) rule "answers".

    Returns
    -------
    str
        Page of at most 25 MB, unless one solution requires more. A note states how many are omitted.
    """
    theme, script = _text("theme.js"), _scripts(("ask.js",) if asks else ())
    style = _text("report.css") + _text("story.css") + (_text("ask.css") if asks else "")
    fixed = sum(len(text.encode()) for text in (script, style)) + 100_000
    data = payload(content, 25_000_000 - fixed)
    stated = () if content.runs else tuple(_SURE)  # warnings that :func:`sureness` already states
    first = [
        fact
        for fact in content.facts
        if fact[0] in _FIRST and not (fact[0] == "warning" and fact[1].startswith(stated))
    ]
    return _template().render(
        content=content,
        headline=headline(content),
        sure=sureness(content),
        first=first,
        facts=[fact for fact in content.facts if fact not in first and not fact[0].endswith(MADE_WITH)],
        made_with=[value for name, value in content.facts if name.endswith(MADE_WITH)],
        missing=data["missing"],
        n_solutions=len(data["names"]),
        asks=asks,
        policy=_policy([theme, script]) + ("; connect-src 'self'" if asks else ""),
        style=Markup(style),
        theme=Markup(theme),
        script=Markup(script),
        data=htmlsafe_json_dumps(data, allow_nan=False),
    )


def headline(content: ReportContent) -> Markup:
    """Return an HTML sentence with the number, names and sizes of the chosen solution's clusters."""
    if not content.n_solutions:
        return Markup()
    labels = content.labels[content.chosen]
    sizes, names = np.bincount(labels[labels >= 0]), content.cluster_names.get(content.chosen)
    order = [int(cluster) for cluster in np.argsort(-sizes, kind="stable") if sizes[cluster]]
    marked = Markup('<span data-cluster="{}">{}</span> ({:,})').format
    shown = [marked(k, names[k] if names else f"cluster {k}", sizes[k]) for k in order[:8]]
    if more := len(order) - len(shown):
        shown.append(Markup(f"{more} smaller cluster{'s' if more > 1 else ''}"))
    kind, n_outside = content.sample_kind, int((labels < 0).sum())
    outside = f" {n_outside:,} {'is' if n_outside == 1 else 'are'} in no cluster." if n_outside else ""
    n, k = len(labels), len(order)
    counted = f"{n:,} {kind}{'s' if n > 1 else ''} in {k} cluster{'s' if k != 1 else ''}"
    return Markup("{}{}{}.{}").format(counted, ": " if shown else "", Markup("; ").join(shown), outside)


def sureness(content: ReportContent) -> tuple[str, str, float | None]:
    """Return a sentence on the certainty of the clusters, a sentence with numbers, and a bar's length."""
    if content.runs or not content.n_solutions:
        return "", "", None
    if verdict := dict(content.facts).get("verdict"):
        said = next((sentence for start, sentence in _SURE.items() if verdict.startswith(start)), "")
        if BEYOND_CHANCE in verdict:
            said = "There is no evidence of structure beyond chance, but these clusters may still be useful."
        said = f"{said[:-1]}, but this verdict is unreliable." if "; unreliable" in verdict else said
        if not (np.isfinite(content.confidence) and (found := _EXPECTED.search(verdict))):
            return said, f"Verdict: {verdict}.", None
        remarks = verdict[found.end() :].replace(f"; {BEYOND_CHANCE}", "").strip("; ")
        expected = f"{content.confidence:.2f} (probably {found[1]} to {found[2]})"
        scale = "on a scale from 0 (chance) to 1 (perfect)"
        figures = f"Expected agreement with the true groups: {expected}, {scale}."
        if remarks:
            figures += f" {remarks[0].upper()}{remarks[1:]}."
        return said, figures, content.confidence
    said = "This method does not assess the certainty of its clusters."
    means = (column.values[content.chosen] for column in content.columns if column.name == "silhouette")
    mean = next((float(value) for value in means if np.isfinite(value)), None)
    if mean is None:
        return said, "", None
    shown = next(text for least, text in _SILHOUETTES if mean >= least)
    figures = f"Mean silhouette {mean:.2f} (-1 to 1): on average, {content.sample_kind}s are {shown}."
    return said, figures, mean if mean > 0 else None


def write_report(content: ReportContent, path: str | PathLike[str]) -> None:
    """Write the report page. An existing file is replaced atomically.

    Parameters
    ----------
    content : ReportContent
    path : path-like
        ``.html`` file in an existing folder.
    """
    target, page = checked_path(path), page_bytes(content)
    with replacing(target) as file:
        file.write(page)


def page_bytes(content: ReportContent) -> bytes:
    # Lone surrogates, which come from file names in other encodings, are replaced, because UTF-8 cannot
    # encode them.
    return render(content).encode("utf-8", "replace")


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(_text("report.html.jinja"))


@cache
def _scripts(more: tuple[str, ...]) -> str:
    parts = "\n".join(_text(name) for name in (*_SCRIPTS[:-1], *more, _SCRIPTS[-1]))
    return f'(() => {{\n"use strict";\n{parts}\n}})();\n'


def _text(name: str) -> str:
    page = files("moo_clustering.visualization.report").joinpath("assets", name)
    return page.read_text(encoding="utf-8")


def _policy(scripts: list[str]) -> str:
    digests = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    hashes = " ".join(f"'sha256-{digest}'" for digest in digests)
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def payload(content: ReportContent, max_bytes: int) -> dict[str, Any]:
    """Return the data for the page's scripts as JSON values that take at most about ``max_bytes`` bytes."""
    # If the data are too large, the least important solutions (see :func:`by_importance`) are omitted, and a
    # note is added to ``missing``.
    samples, parts, n_kept = _samples(content), _parts(content), content.n_solutions
    room = max_bytes - len(htmlsafe_json_dumps(samples))
    while n_kept > 1 and (size := len(htmlsafe_json_dumps(parts))) > room:
        # Slightly more solutions are removed than the excess implies, because some data have a fixed size.
        n_kept = max(1, min(n_kept - 1, int(0.95 * n_kept * room / size)))
        kept = keep_solutions(content, by_importance(content)[:n_kept])
        sentence = (
            f"To limit its size, the page contains only {n_kept:,} of {content.n_solutions:,} solutions: the "
            "chosen solution, the solutions that rules select, then the best others in the objectives."
        )
        parts = _parts(replace(kept, missing=[*kept.missing, sentence]))
        samples["panels"] = [_panel(panel) for panel in kept.panels]
    return parts | samples


def _samples(content: ReportContent) -> dict[str, Any]:
    texts = None if content.sample_texts is None else [str(text) for text in content.sample_texts]
    if texts is not None:
        texts = [text if len(text) <= _TEXT_LENGTH else text[: _TEXT_LENGTH - 1] + "…" for text in texts]
    return {
        "sampleKind": content.sample_kind,
        "sampleNames": encoded_text([str(name) for name in content.sample_names]),
        "sampleTexts": None if texts is None else encoded_text(texts),
        "map": None if content.map is None else _map(content.map),
        "mustLink": encoded_array(np.reshape(content.must_link, (-1, 2)), "uint32"),
        "cannotLink": encoded_array(np.reshape(content.cannot_link, (-1, 2)), "uint32"),
        "history": None if content.history is None else _history(content.history),
        "panels": [_panel(panel) for panel in content.panels],
        "leftOut": [
            {"name": name, "values": list(values), "codes": encoded_array(np.add(codes, 1), "uint16")}
            for name, values, codes in content.left_out
        ],
        "lines": _json(content.lines),
        "files": _json(content.files),
        "looks": [{"color": one.color, "symbol": _SYMBOLS[one.marker]} for one in map(look_of, range(128))],
    }


def _parts(content: ReportContent) -> dict[str, Any]:
    columns = [np.asarray(column.values, dtype=np.float64) for column in content.columns]
    kept = ("title", "facts", "missing", "names", "runs", "chosen", "cuts", "doubts")
    return {name: _json(vars(content)[name]) for name in kept} | {
        "labels": encoded_labels(content.labels),
        "columns": [
            {"name": each.name, "isObjective": each.is_objective, "greaterIsBetter": each.greater_is_better}
            for each in content.columns
        ],
        "limits": [
            {"name": name, "requirement": requirement, "violations": encoded_array(values, "float64")}
            for name, requirement, values in content.limits
        ],
        "values": encoded_array(np.reshape(columns, (len(columns), content.n_solutions)), "float64"),
        "rules": _json(content.rules.items()),
        "clusterNames": {str(row): [*map(str, names)] for row, names in content.cluster_names.items()},
        "clusters": {
            str(row): [
                {key: _json(item) for key, item in vars(each).items() if key != "name"} for each in found
            ]
            for row, found in content.clusters.items()
        },
        "heatmaps": {
            str(row): vars(found) | {"levels": np.round(found.levels, 3).tolist()}
            for row, found in content.heatmaps.items()
        },
        "featuresTitle": content.features_title,
        "namesKey": _names_key(content),
        "agreement": _singles(content.agreement),
        "agreementNote": content.agreement_note,
    }


def _names_key(content: ReportContent) -> str:
    """Return a hash of the result, which is the key of the user's cluster names in the browser."""
    if not content.n_solutions:
        return ""
    labels, names = content.labels[content.chosen], content.cluster_names.get(content.chosen, ())
    known = json.dumps([content.title, list(map(str, names))]).encode()
    return hashlib.sha256(np.ascontiguousarray(labels, dtype="<i8").tobytes() + known).hexdigest()[:16]


def _map(plane: PlaneMap) -> dict[str, Any]:
    arrays = {name: _singles(vars(plane)[name]) for name in ("positions", "neighbors", "outlines")}
    columns = [vars(each) | {"values": _singles(each.values)} for each in plane.columns]
    return vars(plane) | arrays | {"rows": encoded_array(plane.rows, "uint32"), "columns": columns}


def _singles(values: ArrayLike | None) -> Encoded | None:
    return None if values is None else encoded_array(values, "float32")


def _json(value: Any) -> Any:
    """Convert a number, text or nested sequence to JSON types. Numbers that are not finite become null."""
    if isinstance(value, float | np.floating):
        return float(value) if np.isfinite(value) else None
    if isinstance(value, int | np.integer):
        return int(value)
    return value if value is None or isinstance(value, str) else [_json(item) for item in value]


def _history(history: pd.DataFrame) -> dict[str, Any]:
    numbers = [pd.to_numeric(column, errors="coerce") for _, column in history.items()]
    return {
        "columns": [str(name) for name in history.columns],
        "values": encoded_array(np.reshape(numbers, (len(numbers), len(history))), "float64"),
    }


def _panel(panel: Panel) -> dict[str, Any]:
    return {name: _json(vars(panel)[name]) for name in ("kind", "title", "note", "axes", "x", "y")} | {
        "series": [
            {"name": str(name), "x": encoded_array(x, "float64"), "y": encoded_array(y, "float64")}
            for name, (x, y) in panel.series.items()
        ],
        "matrix": _singles(panel.matrix),
        "solutions": None if panel.solutions is None else panel.solutions.ravel().tolist(),
        "image": base64.b64encode(panel.image).decode("ascii"),
    }


def encoded_array(values: ArrayLike, dtype: str) -> Encoded:
    """Encode an array (JavaScript type, little-endian, C order) as ``{"dtype", "shape", "data"}``."""
    choice("dtype", dtype, _DTYPES)
    array = np.asarray(values)
    wanted = np.dtype(dtype)
    if wanted.kind != "f" and array.size:
        low, high, limits = array.min(), array.max(), np.iinfo(wanted)
        if low < limits.min or high > limits.max:
            raise ValueError(f"values from {low} to {high} do not fit into {dtype}")
    with np.errstate(over="ignore"):
        array = np.ascontiguousarray(array, dtype=wanted.newbyteorder("<"))
    return {"dtype": dtype, "shape": list(array.shape), "data": _deflated(array.tobytes())}


def encoded_labels(labels: IntArray) -> Encoded:
    """Encode labels + 1 (so that -1 becomes 0) in the smallest sufficient type."""
    if labels.size and labels.min() < -1:
        raise ValueError(f"labels must be -1, 0, 1, ..., got {labels.min()}")
    greatest = int(labels.max(initial=-1)) + 1
    dtype = "uint8" if greatest < 2**8 else "uint16" if greatest < 2**16 else "uint32"
    return encoded_array(labels.astype(np.int64) + 1 if dtype == "uint32" else labels + 1, dtype)


def encoded_text(texts: Sequence[str]) -> Encoded:
    # ASCII escapes are used, because they can represent lone surrogates, unlike UTF-8.
    text = json.dumps([str(text) for text in texts])
    return {"dtype": "json", "shape": [len(texts)], "data": _deflated(text.encode("ascii"))}


def _deflated(content: bytes) -> str:
    return base64.b64encode(zlib.compress(content, level=4)).decode("ascii")


def by_importance(content: ReportContent) -> IntpArray:
    """Sort solutions: chosen solution, solutions that rules select, all others by mean rank of objectives."""
    score = np.zeros(content.n_solutions)
    for column in content.columns:
        if column.is_objective and column.greater_is_better is not None:
            better = -column.values if column.greater_is_better else column.values
            score += rankdata(np.where(np.isnan(better), np.inf, better))
    leading = list(dict.fromkeys([content.chosen, *content.rules.values()]))
    others = np.argsort(score, kind="stable")
    return np.array([*leading, *others[~np.isin(others, leading)]], dtype=np.intp)


def keep_solutions(content: ReportContent, keep: IntpArray) -> ReportContent:
    """Return content with only the solutions ``keep``. They are unique, and include the chosen solution."""
    rows = np.sort(keep)
    return replace(
        _renumbered(content, {int(old): new for new, old in enumerate(rows)}),
        names=[content.names[row] for row in rows],
        labels=content.labels[rows],
        columns=[replace(column, values=np.asarray(column.values)[rows]) for column in content.columns],
        limits=[(name, requirement, values[rows]) for name, requirement, values in content.limits],
        runs=[content.runs[row] for row in rows] if content.runs else (),
        agreement=None if content.agreement is None else content.agreement[np.ix_(rows, rows)],
    )


def _renumbered(content: ReportContent, place: Mapping[int, int]) -> ReportContent:
    """Replace indices of solutions as in ``place``, and drop all data about solutions without a new index."""
    described: dict[str, Any] = {
        name: {place[row]: found for row, found in vars(content)[name].items() if row in place}
        for name in ("cluster_names", "clusters", "heatmaps")
    }
    # The last entry is for -1, which marks cells without a solution.
    new = np.full(content.n_solutions + 1, -1)
    new[[*place]] = [*place.values()]
    return replace(
        content,
        chosen=place[content.chosen],
        rules={rule: place[row] for rule, row in content.rules.items() if row in place},
        cuts=[(place[cut[0]], *cut[1:]) for cut in content.cuts if cut[0] in place],
        panels=[
            panel if panel.solutions is None else replace(panel, solutions=new[panel.solutions])
            for panel in content.panels
        ],
        **described,
    )
