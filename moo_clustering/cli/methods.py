"""The command ``methods``: lists all methods, or the options of one method."""

import inspect
import re
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from moo_clustering import _docs
from moo_clustering.cli.terminal import printable_line
from moo_clustering.estimators import _methods

# These parameters have an option of their own and cannot be set by --set.
FLAGS = {
    "n_clusters": "-k", "granularity": "--granularity", "n_regions": "-k", "tolerance": "--tolerance",
    "random_state": "--seed", "n_jobs": "--jobs", "verbose": "--quiet",
    "checkpoint": "--out and --checkpoint-every", "checkpoint_every": "--checkpoint-every",
    "resume": "--resume", "start": "--start",
}  # fmt: skip
_ROLE = re.compile(r":[a-z:]+:`(?:~?(?:[^`<]*\.)?([^`<.]+)|([^`<]+?)\s*<[^`]*>)`")


def listing(name: str | None) -> str:
    if name is None:
        return "\n\n".join(map(_entry, _all_methods()))
    return _details(*_methods.find_method(name))


def _all_methods() -> list[_methods.Method]:
    _methods.add_installed()
    _methods.warn_left_out()
    return list(_methods.METHODS.values())


def listing_json(name: str | None) -> str:
    from moo_clustering.cli.folder import json_text  # slow import

    if name is None:
        return json_text([*map(_record, _all_methods())])
    method, preset = _methods.find_method(name)
    return json_text(_record(method) | {"parameters": _parameters(method.load(), preset)})


def _record(method: _methods.Method) -> dict[str, Any]:
    kinds = {"numeric": not method.bags, "areas": method.areas, "sparse": method.sparse}
    kinds |= {"categorical": method.categorical, "bags": method.bags}
    return {
        "name": method.name,
        "class": method.class_name,
        "import": f"{method.module}.{method.class_name}",
        "summary": method.summary,
        "paper": method.paper,
        "needs": method.needs,
        "supervision": method.supervision,
        "data": [kind for kind, accepted in kinds.items() if accepted],
        "aliases": {alias: _plain(options) for alias, options in method.aliases.items()},
    }


def _parameters(estimator_class: type[Any], preset: Mapping[str, object]) -> list[dict[str, Any]]:
    signature = inspect.signature(estimator_class).parameters
    defaults = {name: each.default for name, each in signature.items() if each.default is not each.empty}
    defaults |= preset
    return [
        {
            "name": name,
            "required": name not in defaults,
            "default": _plain(defaults.get(name)),
            "flag": FLAGS.get(name),
            "type": kind,
            "description": description,
        }
        for name, _, kind, description in options_of(estimator_class)
    ]


def _plain(value: Any) -> Any:
    from moo_clustering.persistence import to_json  # slow import

    try:
        return to_json(value)
    except TypeError:
        return printable_line(repr(value))


def papers(name: str | None) -> str:
    """Return BibTeX entries for this package and for the papers of the method ``name``, by default all."""
    return _methods.bibtex() if name is None else _methods.bibtex(_methods.find_method(name)[0].load())


def _entry(method: _methods.Method) -> str:
    flags = {
        "labels": "--partial-labels",
        "label_sets": "label sets (.arff, .svm, lists in .jsonl)",
        "pairs": "--must-link, --cannot-link",
    }
    takes = ["bags of instances (.arff, .dat, .npz, --bag)"] * method.bags
    takes += ["maps of areas (.geojson, .gpkg, .parquet)"] * method.areas
    takes += ["text columns, read as categories"] * method.categorical
    takes += [flags[kind] for kind in method.supervision]
    rows = [("class", method.class_name), ("paper", method.paper), ("needs", method.needs)]
    rows += [("accepts", ", ".join(takes))] if takes else []
    rows += [("aliases", ", ".join(method.aliases))] if method.aliases else []
    lines = [_wrap(method.name, method.summary, 0)]
    return "\n".join(lines + [_wrap(heading, text, 2, 9) for heading, text in rows])


def _details(method: _methods.Method, preset: Mapping[str, object]) -> str:
    parts = [_entry(method)]
    for alias, options in method.aliases.items():
        parts[0] += "\n" + _wrap(f"  {alias}", ", ".join(f"{k}={v!r}" for k, v in options.items()), 2, 24)
    lines, flagged = ["Options (--set name=value):"], []
    for name, default, kind, description in options_of(method.load()):
        if name in FLAGS:
            flagged.append(f"{name}: {FLAGS[name]}")
            continue
        lines.append(f"  {name} = {printable_line(repr(preset[name]) if name in preset else default)}")
        lines.append(_wrap("", f"{description}{f' ({kind})' if kind else ''}".strip(), 4, 0))
    parts += ["\n".join(filter(None, lines)), "Options with a flag: " + "; ".join(flagged)]
    return "\n\n".join(parts)


def _wrap(heading: str, text: str, indent: int, width: int = 16) -> str:
    first = " " * indent + (heading.ljust(width) if len(heading) < width or not heading else f"{heading}  ")
    rest = " " * (indent + width)
    # The docstrings of methods from other packages may contain control characters.
    text = printable_line(text)
    return textwrap.fill(text, 100, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)


def options_of(estimator_class: type[Any]) -> Iterator[tuple[str, str, str, str]]:
    """Yield the name, default, type and description of each parameter, in signature order."""
    described = parameter_docs(inspect.getdoc(estimator_class) or "")
    for name, parameter in inspect.signature(estimator_class).parameters.items():
        kind, description = described.get(name, ("", ""))
        default = "required" if parameter.default is parameter.empty else repr(parameter.default)
        yield name, default, kind.split(", default")[0].removesuffix(", optional"), description


def parameter_docs(doc: str) -> dict[str, tuple[str, str]]:
    """Return the type and description of each parameter in a docstring, without markup."""
    found: dict[str, tuple[str, str]] = {}
    for names, entry in _docs.entries_of(_docs.sections_of(doc).get("Parameters", "")).items():
        first, *lines = map(str.strip, entry.split("\n"))
        texts = _text(first.partition(" : ")[2]), _text(" ".join(filter(None, lines)))
        found |= dict.fromkeys((name.lstrip("*") for name in names), texts)
    return found


def _text(line: str) -> str:
    """Remove reStructuredText markup."""
    return _ROLE.sub(r"\1\2", line).replace("``", "").replace("`", "").strip()
