"""Complete docstrings with parameter entries from base classes and other functions.

Subclasses of :class:`Documented`, and classes and functions decorated with :func:`documented`, describe only
their own parameters; the other entries are copied. Defaults are taken from the signature.
"""

import inspect
import json
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, TypeVar

__all__ = ["Documented", "documented"]

Entries = dict[tuple[str, ...], str]
Parameters = Mapping[str, inspect.Parameter]
T = TypeVar("T", bound=Callable[..., Any])


class Documented:
    """Base class whose subclasses inherit parameter entries from their base classes."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        documented()(cls)


def documented(*sources: Any) -> Callable[[T], T]:
    """Return a decorator that completes the docstring of a class or function.

    Sources are classes, functions or numpydoc text; each entry is copied from the first source that contains
    it. A class inherits ``Parameters`` and ``Attributes`` from its base classes, and ``Parameters`` from the
    sources. A function inherits ``Parameters`` from the sources, and also ``Returns`` and ``Raises`` if it
    lacks them. If there is still no ``Returns``, it is generated from the return annotation.
    """

    def complete(thing: T) -> T:
        if text := vars(thing).get("__doc__") if isinstance(thing, type) else thing.__doc__:
            bases = thing.__mro__[1:-1] if isinstance(thing, type) else ()
            inherited = [sections_of(base.__dict__.get("__doc__") or "") for base in bases]
            named = [sections_of(one if isinstance(one, str) else one.__doc__ or "") for one in sources]
            thing.__doc__ = _completed(text, inherited, named, thing)
        return thing

    return complete


def _completed(text: str, inherited: list[dict[str, str]], named: list[dict[str, str]], thing: Any) -> str:
    """Fill in the missing sections and parameter entries of a docstring."""
    # ``inherited`` contains the sections of the base classes, and ``named`` those of the sources.
    # Copy the cached dictionaries here and below, because they must not be modified.
    sections, is_class = dict(sections_of(text)), isinstance(thing, type)
    known = inspect.signature(thing.__init__ if is_class else thing).parameters
    order = {_starred(one): place for place, one in enumerate(known.values())}
    returned = "" if is_class else _returned(thing)
    for source in named:
        for title in () if is_class else ("Returns", "Raises"):
            if title in source and (title == "Raises" or source[title].startswith(returned)):
                sections.setdefault(title, source[title])
    if returned not in ("", "None"):
        sections.setdefault("Returns", returned)
    for title in ("Parameters", "Attributes") if is_class else ("Parameters",):
        entries = dict(entries_of(sections.get(title, "")))
        said = {name for names in entries for name in names}
        for source in inherited + named if title == "Parameters" else inherited:
            for names, entry in entries_of(source.get(title, "")).items():
                wanted = [name for name in names if name not in said]
                left = tuple(name for name in wanted if title == "Attributes" or name in order)
                if left:
                    entries[left] = ", ".join(left) + _without_default(entry.removeprefix(", ".join(names)))
                    said.update(left)
        if title == "Parameters":
            ordered = sorted(entries.items(), key=lambda one: _rank(one[0][0], known, order))
            entries = {names: _with_default(names, entry, known) for names, entry in ordered}
        if entries:
            sections[title] = "\n".join(entries.values())
    first = [title for title in ("", "Parameters", "Attributes", "Returns", "Raises") if title in sections]
    parts = [
        f"{title}\n{'-' * len(title)}\n{sections[title]}" if title else sections[title]
        for title in dict.fromkeys([*first, *sections])
    ]
    return "\n\n".join(parts) + "\n"


@cache
def sections_of(text: str) -> dict[str, str]:
    """Return the sections of a docstring by title. The text before the first title has an empty key."""
    parts = re.split(r"^(\w[\w ]*?):? *\n-{3,} *\n", inspect.cleandoc(text), flags=re.MULTILINE)
    return {"": parts[0].strip()} | {
        title: body.strip("\n") for title, body in zip(parts[1::2], parts[2::2], strict=True)
    }


@cache
def entries_of(section: str) -> Entries:
    """Return the entries of a section by the names that they document."""
    found = re.split(r"^(?=\S)", section.rstrip(), flags=re.MULTILINE)
    entries = (entry.rstrip() for entry in found if entry)
    return {tuple(re.split(r", *", entry.split("\n")[0].split(" : ")[0])): entry for entry in entries}


def _returned(function: Callable[..., Any]) -> str:
    """Return the class name in the return annotation of a function."""
    # The result is "None" if the function returns nothing, and "" for general types such as arrays.
    annotation = inspect.signature(function).return_annotation
    annotation = "None" if annotation is None else annotation
    name = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    name = "self" if name == "Self" else name.rpartition(".")[2] if re.fullmatch(r"[\w.]+", name) else ""
    is_other = name in ("Any", "Callable", "Figure", "Labels") or name.endswith(("Array", "_empty"))
    return "" if is_other else name


def _starred(parameter: inspect.Parameter) -> str:
    if parameter.kind is parameter.VAR_KEYWORD:
        return f"**{parameter.name}"
    return f"*{parameter.name}" if parameter.kind is parameter.VAR_POSITIONAL else parameter.name


def _rank(name: str, known: Parameters, order: Mapping[str, int]) -> int:
    """Return a sort key that puts positional parameters first, in the order of the signature."""
    # All other parameters keep the order in which they are documented, with ``**`` parameters at the end.
    if name in known and known[name].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD:
        return order[name]
    return len(order) + name.startswith("**")


def _without_default(entry: str) -> str:
    """Remove the default from an inherited entry, because the default in the new signature may differ."""
    first, below, text = entry.partition("\n")
    return first.removesuffix(", optional").partition(", default=")[0] + below + text


def _with_default(names: Iterable[str], entry: str, known: Parameters) -> str:
    first, below, text = entry.partition("\n")
    defaults = [known[name].default for name in names if name in known]
    said = " : " not in first or "default" in first or "optional" in first
    if said or not defaults or inspect.Parameter.empty in defaults:
        return entry
    if all(value is None for value in defaults):
        return f"{first}, optional{below}{text}"
    shown = [_shown(value) for value in defaults]
    return f"{first}, default={shown[0] if len(set(shown)) == 1 else ', '.join(shown)}{below}{text}"


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return json.dumps(value)
    is_memory = isinstance(value, int) and value > 0 and value % 2**30 == 0
    return f"{value >> 30} GiB" if is_memory else getattr(value, "__name__", str(value))
