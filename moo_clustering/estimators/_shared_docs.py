"""Parts of docstrings that several estimators share."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import indent
from typing import TypeVar

C = TypeVar("C", bound=type)


def fill_docs(**parts: str) -> Callable[[C], C]:
    """Class decorator: a line ``%(name)s`` of the docstring becomes the part of that name.

    Parameters
    ----------
    **parts : str
        Without indentation, which is that of the line.
    """

    def fill(cls: C) -> C:
        lines = []
        for line in (cls.__doc__ or "").splitlines():
            name = line.strip().removeprefix("%(").removesuffix(")s")
            if line.strip() == f"%({name})s" and name in parts:
                margin = line[: len(line) - len(line.lstrip())]
                lines.append(indent(parts[name].strip("\n"), margin))
            else:
                lines.append(line)
        cls.__doc__ = "\n".join(lines) if cls.__doc__ else cls.__doc__
        return cls

    return fill
