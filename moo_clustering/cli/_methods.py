"""``moo-clustering methods``."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import click

from moo_clustering.cli._errors import reported

if TYPE_CHECKING:
    from collections.abc import Mapping

    from moo_clustering.estimators._registry import Method


@click.command()
@click.argument("name", required=False)
def methods(name: str | None) -> None:
    """List the methods, or the options of the method NAME."""
    with reported():
        from moo_clustering.estimators._registry import METHODS, find_method

        if name is None:
            click.echo("\n\n".join(_entry(method) for method in METHODS.values()))
        else:
            click.echo(_details(*find_method(name)))


def _entry(method: Method) -> str:
    rows = [("class", method.class_name), ("paper", method.paper), ("needs", method.needs)]
    flags = {
        "labels": "--partial-labels",
        "label_sets": "label sets (.arff, .svm, lists in .jsonl)",
        "pairs": "--must-link, --cannot-link",
    }
    takes = ["bags of instances (.arff, .dat, .npz, --bag)"] if method.bags else []
    takes += ["columns of text, whose values are categories"] if method.categorical else []
    if takes or method.supervision:
        rows.append(("takes", ", ".join([*takes, *(flags[kind] for kind in method.supervision)])))
    if method.aliases:
        rows.append(("aliases", ", ".join(method.aliases)))
    lines = [_wrap(method.name, method.summary, 0)]
    return "\n".join(lines + [_wrap(heading, text, 2, 9) for heading, text in rows])


def _details(method: Method, preset: Mapping[str, object]) -> str:
    from moo_clustering.cli._docs import options_of
    from moo_clustering.cli._settings import FLAGS

    parts = [_entry(method)]
    for alias, options in method.aliases.items():
        parts[0] += "\n" + _wrap(f"  {alias}", ", ".join(f"{k}={v!r}" for k, v in options.items()), 2, 24)
    lines = ["Options (--set name=value):"]
    for option in options_of(method.load()):
        if option.name in FLAGS:
            continue
        default = repr(preset[option.name]) if option.name in preset else option.default
        kind = f" ({option.kind.split(', default')[0].removesuffix(', optional')})" if option.kind else ""
        lines.append(f"  {option.name} = {default}")
        lines.append(_wrap("", f"{option.description}{kind}".strip(), 4, 0))
    flagged = [
        f"{option.name}: {FLAGS[option.name]}" for option in options_of(method.load()) if option.name in FLAGS
    ]
    parts += ["\n".join(line for line in lines if line), "Options with a flag: " + "; ".join(flagged)]
    return "\n\n".join(parts)


def _wrap(heading: str, text: str, indent: int, width: int = 16) -> str:
    first = " " * indent + (heading.ljust(width) if len(heading) < width or not heading else f"{heading}  ")
    rest = " " * (indent + width)
    return textwrap.fill(text, 100, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)
