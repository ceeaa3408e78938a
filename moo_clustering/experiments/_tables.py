"""Tables of results as CSV, Markdown, LaTeX and aligned text."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

Value = str | int | float | None

_LATEX = str.maketrans(
    {"&": r"\&", "%": r"\%", "_": r"\_", "#": r"\#", "$": r"\$", "{": r"\{", "}": r"\}", "—": "---"}
)
_NOTHING = "—"


@dataclass(frozen=True)
class ResultTable:
    """A table with a name, for files, and a title, for people.

    Parameters
    ----------
    name, title : str
    columns : sequence of str
    rows : sequence of sequences
        Texts and numbers; None or NaN where there is nothing.
    notes : sequence of str
        Below the table.
    formats : mapping from str to str
        How numbers of a column are shown, ``".3f"`` by default and ``"d"`` for whole numbers.
    """

    name: str
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Value]]
    notes: Sequence[str] = ()
    formats: Mapping[str, str] = field(default_factory=dict)

    def csv(self) -> str:
        """Everything in full precision; nothing where there is nothing."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([["" if _absent(value) else value for value in row] for row in self.rows])
        return text.getvalue()

    def shown(self) -> list[list[str]]:
        """Rows as people read them, without the header."""
        return [
            [self._cell(name, value) for name, value in zip(self.columns, row, strict=True)]
            for row in self.rows
        ]

    def numeric(self) -> list[int]:
        """Numbers of the columns that hold no text."""
        return [i for i in range(len(self.columns)) if not any(isinstance(row[i], str) for row in self.rows)]

    def markdown(self) -> str:
        """With its title as a heading."""
        numeric = self.numeric()
        rule = ["---:" if i in numeric else "---" for i in range(len(self.columns))]
        lines = [[cell.replace("|", r"\|") for cell in row] for row in [list(self.columns), *self.shown()]]
        lines.insert(1, rule)
        table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        return "\n\n".join([f"## {self.title}", table, *self.notes]) + "\n"

    def latex(self) -> str:
        """A table for the booktabs package."""
        numeric = self.numeric()
        layout = "".join("r" if i in numeric else "l" for i in range(len(self.columns)))
        rows = [" & ".join(cell.translate(_LATEX) for cell in row) + r" \\" for row in self.shown()]
        header = " & ".join(column.translate(_LATEX) for column in self.columns) + r" \\"
        body = [r"\toprule", header, r"\midrule", *rows, r"\bottomrule"]
        lines = [
            r"\begin{table}",
            rf"\caption{{{self.title.translate(_LATEX)}}}",
            rf"\begin{{tabular}}{{{layout}}}",
            *body,
            r"\end{tabular}",
            *(rf"\par {note.translate(_LATEX)}" for note in self.notes),
            r"\end{table}",
        ]
        return "\n".join(lines) + "\n"

    def _cell(self, column: str, value: Value) -> str:
        if value is None or _absent(value):
            return _NOTHING
        if isinstance(value, str):
            return value
        return format(value, self.formats.get(column, "d" if isinstance(value, int) else ".3f"))


@dataclass(frozen=True)
class ResultFigure:
    """A figure with a name, for files, and a title, for people.

    Parameters
    ----------
    name, title : str
    draw : callable
        ``draw(path)`` writes it in the format of the suffix.
    """

    name: str
    title: str
    draw: Callable[[Path], None]

    @property
    def file(self) -> str:
        """Name of the file."""
        return f"{self.name}.png"

    def markdown(self) -> str:
        """With its title as a heading; for a document beside the file."""
        return f"## {self.title}\n\n![{self.title}]({self.file})\n"


def _absent(value: Value) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))
