"""Options of an estimator from its signature and numpydoc docstring."""

from __future__ import annotations

import inspect
import re
from typing import Any, NamedTuple

_SECTION = re.compile(r"^-{3,}\s*$")
_ROLE = re.compile(r":[a-z:]+:`~?(?:[^`<]*\.)?([^`<.]+)`")


class Option(NamedTuple):
    """One parameter of a constructor."""

    name: str
    default: str
    kind: str
    description: str


def options_of(estimator_class: type[Any]) -> list[Option]:
    """Parameters in the order of the signature, described as far as the docstring does."""
    described = parameter_docs(inspect.getdoc(estimator_class) or "")
    options = []
    for name, parameter in inspect.signature(estimator_class).parameters.items():
        kind, description = described.get(name, ("", ""))
        default = "required" if parameter.default is parameter.empty else repr(parameter.default)
        options.append(Option(name, default, kind, description))
    return options


def parameter_docs(doc: str) -> dict[str, tuple[str, str]]:
    """Type and description of every parameter in a numpydoc docstring."""
    lines = doc.splitlines()
    starts = [
        number + 1
        for number in range(1, len(lines))
        if _SECTION.match(lines[number]) and lines[number - 1].strip() == "Parameters"
    ]
    described: dict[str, tuple[str, str]] = {}
    names: list[str] = []
    for number in range(starts[0] if starts else len(lines), len(lines)):
        line = lines[number]
        if number + 1 < len(lines) and _SECTION.match(lines[number + 1]):
            break
        if line.strip() and not line.startswith(" "):
            heading, _, kind = line.partition(" : ")
            names = [name.strip().lstrip("*") for name in heading.split(",")]
            described |= dict.fromkeys(names, (_text(kind), ""))
        else:
            for name in names:
                kind, description = described[name]
                described[name] = (kind, f"{description} {_text(line)}".strip())
    return described


def _text(line: str) -> str:
    """Without markup."""
    return _ROLE.sub(r"\1", line).replace("``", "").replace("`", "").strip()
