"""Text for a terminal: one line, of bounded width, in columns."""

from __future__ import annotations

from collections.abc import Sequence


def one_line(text: object) -> str:
    """The text on one line."""
    return " ".join(str(text).split())


def shortened(text: object, width: int) -> str:
    """The text on one line of at most ``width`` characters."""
    line = printable_line(text)
    return line if len(line) <= width else f"{line[: width - 3].rstrip()}..."


def printable_line(text: object) -> str:
    """The text without line breaks and without characters that a terminal would obey."""
    return " ".join("".join(mark if mark.isprintable() else " " for mark in str(text)).split())


def aligned(rows: Sequence[Sequence[str]], *, right: Sequence[int] = (), gap: str = "  ") -> str:
    """Columns padded to their widest cell; those numbered in ``right`` are flush right."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if number in right else cell.ljust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append(gap.join(cells).rstrip())
    return "\n".join(lines)
