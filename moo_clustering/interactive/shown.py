"""Display of samples in questions: pictures, the features that differ most, and words."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from pathlib import Path, PurePath
from typing import Any, Literal, NamedTuple, Self

import numpy as np
import pandas as pd
from scipy import sparse

from moo_clustering._arrays import FloatArray, IntpArray
from moo_clustering._data import checked_array

_N_WORDS, _LONGEST_TEXT = 12, 4_000
_EMPTY = "(empty)"
_JPEG = ("image/jpeg", b"\xff\xd8\xff")
_PICTURES = {
    ".png": ("image/png", b"\x89PNG\r\n\x1a\n"), ".jpg": _JPEG, ".jpeg": _JPEG,
    ".gif": ("image/gif", b"GIF8"), ".webp": ("image/webp", b"RIFF"),
}  # fmt: skip
_LARGEST_PICTURE = 10_000_000


def read_picture(folder: Path, cell: str) -> tuple[str, bytes] | None:
    """Return the media type and content of the picture file whose path below ``folder`` is in a cell."""
    # The result is None if the path is invalid or outside the folder, or if the file exceeds 10 MB.
    kind, beginning = _PICTURES.get(PurePath(cell).suffix.lower(), ("", b""))
    try:
        root = folder.resolve(strict=True)
        path = (root / cell).resolve(strict=True)
        if not kind or not path.is_relative_to(root) or not path.is_file():
            return None
        with open(path, "rb") as file:
            content = file.read(_LARGEST_PICTURE + 1)
    except (OSError, ValueError, RuntimeError):
        return None
    fits = len(content) <= _LARGEST_PICTURE and content.startswith(beginning)
    return (kind, content) if fits else None


class Line(NamedTuple):
    """Name of a feature, and its values as text for the samples in a question."""

    name: str
    values: tuple[str, ...]
    difference: float  # between two samples, or of one sample from the mean, in standard deviations


class Beside(NamedTuple):
    """The samples in a question, side by side."""

    names: tuple[str, ...]
    notes: list[Line]  # columns that are not features, such as names and image paths
    features: list[Line]  # sorted by decreasing difference
    texts: tuple[str, ...]
    words: tuple[tuple[str, ...], ...]  # words with a larger weight in each text than in the other


@dataclass(frozen=True, eq=False)
class ShownColumn:
    """A table column of numbers, seconds since 1970 or indices into ``words``. Empty cells are NaN."""

    name: str
    kind: Literal["number", "date", "category", "note"]
    values: FloatArray
    words: tuple[str, ...] = ()
    form: str = "{}"  # format of a number with its unit

    @classmethod
    def of(cls, name: str, column: pd.Series[Any], *, is_note: bool = False) -> Self:
        """Create a column of dates, of numbers or, for all other types, of texts."""
        if not is_note and pd.api.types.is_datetime64_any_dtype(column):
            seconds = column.to_numpy(dtype="datetime64[s]").astype(np.float64)
            return cls(name, "date", np.where(column.isna(), np.nan, seconds))
        if not is_note and pd.api.types.is_numeric_dtype(column):
            return cls(name, "number", column.to_numpy(dtype=np.float64, na_value=np.nan))
        cells = column.to_numpy() if column.dtype == object else column.astype(str).to_numpy(dtype=object)
        known = column.notna().to_numpy()
        texts = [str(cell) if is_known else None for cell, is_known in zip(cells, known, strict=True)]
        codes, words = pd.factorize(np.array(texts, dtype=object))
        values = np.where(codes < 0, np.nan, codes.astype(np.float64))
        return cls(name, "note" if is_note else "category", values, tuple(map(str, words)))

    def text(self, row: int) -> str:
        """Return a cell as text. Numbers have six digits."""
        value = float(self.values[row])
        if np.isnan(value):
            return _EMPTY
        if self.words:
            return self.words[int(value)]
        if self.kind == "date":
            return str(np.datetime64(int(value), "s")).removesuffix("T00:00:00")
        number = str(int(value)) if value.is_integer() and abs(value) < 1e15 else f"{value:.6g}"
        return self.form.replace("{}", number)

    @cached_property
    def _middle(self) -> tuple[FloatArray, float]:
        """The mean of the numbers or the shares of the categories, and the standard deviation."""
        known = self.values[~np.isnan(self.values)]
        if self.kind == "category":
            shares = np.bincount(known.astype(np.intp), minlength=len(self.words)) / max(len(known), 1)
            return shares, float(np.sqrt((1.0 - (shares**2).sum()) / 2.0))
        # The numbers are divided by their largest absolute value, because squares could overflow.
        unit = float(np.abs(known).max(initial=0.0)) or 1.0
        parts = known / unit if len(known) else np.zeros(1)
        return np.array([parts.mean() * unit]), float(parts.std() * unit)

    def difference(self, rows: Sequence[int]) -> float:
        """Return the distance between two cells, or from one cell to the mean, in standard deviations."""
        middle, spread = self._middle
        cells = self.values[list(rows)]
        if self.kind == "note" or np.isnan(cells).any() or spread <= 0.0:
            return 0.0
        if self.kind == "category":
            away = float(cells[0] != cells[1]) if len(cells) == 2 else 1.0 - middle[int(cells[0])]
        else:
            away = abs(cells[0] - (cells[1] if len(cells) == 2 else middle[0]))
        return float(away / spread)


@dataclass(frozen=True, eq=False)
class ShownSamples:
    """Names, columns, texts and terms of the samples that can be shown."""

    samples: IntpArray  # row indices, in ascending order
    names: tuple[str, ...]
    columns: tuple[ShownColumn, ...] = ()
    texts: tuple[str, ...] | None = None
    terms: Any = None  # word weights of texts, or sparse features, shape (n_shown, n_terms)
    term_names: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        data: Any = None,
        *,
        samples: IntpArray | None = None,
        names: Sequence[Any] | None = None,
        feature_names: Sequence[str] = (),
        texts: Sequence[str] | None = None,
        notes: pd.DataFrame | None = None,
        empty: pd.DataFrame | None = None,
        forms: Mapping[str, str] | None = None,
    ) -> Self:
        """Collect the rows or texts of ``samples``, by default of all samples."""
        if isinstance(data, Sequence) and len(data) and isinstance(data[0], str):
            data, texts = None, data
        given = next((each for each in (data, texts, names) if each is not None), ())
        rows = np.arange(given.shape[0] if hasattr(given, "shape") else len(given))
        rows = rows if samples is None else samples
        own = tuple(f"sample {row}" if names is None else str(names[row]) for row in rows)
        columns = []
        if notes is not None:
            shown = notes.iloc[rows]
            columns = [ShownColumn.of(str(name), shown[name], is_note=True) for name in shown]
        terms = None
        if sparse.issparse(data):
            terms = sparse.csr_array(data)[rows]
        elif data is not None:
            if not isinstance(data, pd.DataFrame):
                data = pd.DataFrame(checked_array(data, "data"))
                data.columns = list(feature_names) or [f"feature {column}" for column in data]
            shown = data.iloc[rows]
            if empty is not None and empty.shape == data.shape:
                shown = shown.mask(empty.iloc[rows].to_numpy())
            made = [ShownColumn.of(str(name), column) for name, column in shown.items()]
            columns += [replace(each, form=(forms or {}).get(each.name, "{}")) for each in made]
        cut = None if texts is None else tuple(str(texts[row])[:_LONGEST_TEXT] for row in rows)
        terms_named = list(feature_names) if len(feature_names) or terms is None else range(terms.shape[1])
        term_names = () if terms is None else tuple(map(str, terms_named))
        return cls(np.asarray(rows), own, tuple(columns), cut, terms, term_names)

    def beside(self, samples: Sequence[int]) -> Beside:
        rows = np.searchsorted(self.samples, list(samples)).tolist()
        lines = [
            (column.kind, Line(column.name, tuple(map(column.text, rows)), column.difference(rows)))
            for column in self.columns
        ]
        names = tuple(self.names[row] for row in rows)
        lines = [(kind, line) for kind, line in lines if line.values != names]  # omit columns of identifiers
        features = [line for kind, line in lines if kind != "note"]
        words, values = self._words(rows)
        return Beside(
            names,
            [line for kind, line in lines if kind == "note"],
            sorted(features if self.texts is not None else features + values, key=lambda f: -f.difference),
            () if self.texts is None else tuple(self.texts[row] for row in rows),
            words if self.texts is not None else (),
        )

    def picture(self, sample: int, folder: Path) -> tuple[str, bytes] | None:
        row = int(np.searchsorted(self.samples, sample))
        if row == len(self.samples) or self.samples[row] != sample:
            return None
        found = (read_picture(folder, column.text(row)) for column in self.columns if column.words)
        return next(filter(None, found), None)

    def as_html(self, samples: Sequence[int], n_features: int = 8) -> str:
        """Return an HTML table of samples for a notebook, with pictures below the current directory."""
        shown = self.beside(samples)
        pictures = [self.picture(sample, Path.cwd()) for sample in samples]
        lines = [("th", "", [f"sample {sample}" for sample in samples])]
        if shown.texts:
            lines.append(("td", "", list(shown.texts)))
        lines += [("td", line.name, list(line.values)) for line in shown.features[:n_features]]
        rows = [
            f"<th>{escape(name)}</th>" + "".join(f"<{tag}>{escape(cell[:600])}</{tag}>" for cell in cells)
            for tag, name, cells in lines
        ]
        if any(pictures):
            cells = "".join(f"<td>{_image(picture)}</td>" for picture in pictures)
            rows.insert(1, f"<th>picture</th>{cells}")
        if (left := len(shown.features) - n_features) > 0:
            rows.append(f"<td colspan={len(samples) + 1}>and {left} more features</td>")
        return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"

    def _words(self, rows: Sequence[int]) -> tuple[tuple[tuple[str, ...], ...], list[Line]]:
        """Return the terms that weigh more in each row than in the other, and the largest differences.

        If there is only one row, it is compared with the mean of all rows.
        """
        if self.terms is None:
            return (), []
        found = self.terms[rows].toarray()
        away = found[0] - found[1] if len(rows) == 2 else found[0] - self._mean_terms
        order = np.argsort(-np.abs(away), kind="stable")
        places = [order[away[order] * sign > 0][:_N_WORDS] for sign in (1, -1)[: len(rows)]]
        lines = [
            Line(self.term_names[place], tuple(f"{value:.4g}" for value in found[:, place]), abs(away[place]))
            for place in order[:_N_WORDS]
            if away[place]
        ]
        return tuple(tuple(self.term_names[place] for place in each) for each in places), lines

    @cached_property
    def _mean_terms(self) -> FloatArray:
        return np.asarray(self.terms.mean(axis=0)).ravel()

    def packed(self) -> tuple[dict[str, Any], dict[str, Any]]:
        cells = [column.values for column in self.columns]
        arrays = {"shown_samples": self.samples, "shown_cells": np.array(cells, dtype=np.float64)}
        if self.terms is not None:
            arrays["shown_terms"] = self.terms
        columns = [[column.name, column.kind, list(column.words), column.form] for column in self.columns]
        texts = None if self.texts is None else list(self.texts)
        named = {"names": list(self.names), "texts": texts, "terms": list(self.term_names)}
        return arrays, {"columns": columns, **named}

    @classmethod
    def unpacked(cls, arrays: Mapping[str, Any], meta: Mapping[str, Any]) -> Self:
        columns = tuple(
            ShownColumn(name, kind, values, tuple(words), *form)  # files of earlier versions have no ``form``
            for (name, kind, words, *form), values in zip(meta["columns"], arrays["shown_cells"], strict=True)
        )
        texts = None if meta["texts"] is None else tuple(meta["texts"])
        terms, samples = arrays.get("shown_terms"), arrays["shown_samples"]
        return cls(samples, tuple(meta["names"]), columns, texts, terms, tuple(meta["terms"]))


def _image(picture: tuple[str, bytes] | None) -> str:
    if picture is None:
        return ""
    kind, content = picture
    source = f"data:{kind};base64,{base64.b64encode(content).decode()}"
    return f'<img src="{source}" alt="" style="max-width: 16em; max-height: 16em">'
