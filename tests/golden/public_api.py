"""All public names of the package, with their signatures, and their comparison with recorded ones.

``python -m tests.golden.public_api`` prints what was removed, added or changed, and exits with 1 if anything
was; ``--write`` records anew. Annotations and docstrings are left out: only what callers depend on counts.
"""

import argparse
import dataclasses
import enum
import importlib
import inspect
import json
import re
import sys
import types
from pathlib import Path

import click
import numpy as np
from sklearn.base import BaseEstimator

from moo_clustering.validity import ValidityIndex

GOLDEN = Path(__file__).with_name("public_api.json")

# Rooms whose names users import. Files within them may come and go.
ROOMS = (
    "",
    "algorithms",
    "bags",
    "cli",
    "consensus",
    "constraints",
    "controls",
    "datasets",
    "diversity",
    "encodings",
    "estimators",
    "evidence",
    "factorization",
    "features",
    "fronts",
    "graphs",
    "interactive",
    "operators",
    "operators.deap",
    "parts",
    "persistence",
    "pool",
    "problems",
    "stats",
    "studies",
    "subspace",
    "validity",
    "visualization",
    "visualization.report",
)
OWN = "moo_clustering"


def collect():
    """Flat mapping of everything public to text, by ``room.Name.method`` or ``command fit --out``."""
    found, known = {}, {}
    # The package itself comes last, as most of its names are those of rooms.
    for room in sorted(ROOMS, key=lambda room: (room == "", room)):
        module = importlib.import_module(f"{OWN}.{room}" if room else OWN)
        for name in sorted(module.__all__):
            key, value = f"{room or OWN}.{name}", getattr(module, name)
            if isinstance(value, type) or inspect.isfunction(value):
                if id(value) in known:
                    found[key] = f"same as {known[id(value)]}"
                    continue
                known[id(value)] = key
            _describe(key, value, found)
    _commands(found)
    return found


def stable(value):
    """The value as text that is the same in every process."""
    if value is inspect.Parameter.empty:
        return "required"
    if isinstance(value, type):
        return f"class {value.__name__}"
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, (types.FunctionType, types.BuiltinFunctionType, np.ufunc)):
        return f"function {value.__name__}"
    if isinstance(value, types.ModuleType):
        return f"module {value.__name__.rpartition('.')[2]}"
    if isinstance(value, dict):
        items = sorted(f"{stable(key)}: {stable(item)}" for key, item in value.items())
        return "{" + ", ".join(items) + "}"
    if isinstance(value, (set, frozenset)):
        return "{" + ", ".join(sorted(stable(item) for item in value)) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(stable(item) for item in value) + "]"
    if isinstance(value, tuple):
        return "(" + ", ".join(stable(item) for item in value) + ")"
    if isinstance(value, np.ndarray):
        return f"array {value.dtype.kind} {value.tolist()}"
    return _without_addresses(repr(value))


def _without_addresses(text):
    text = re.sub(r" at 0x[0-9a-fA-F]+", "", text)
    # Where a private thing lives may change.
    return re.sub(r"\bmoo_clustering(\.\w+)*\.", "", text)


def signature(function):
    """Parameters with kind and default, without annotations; keyword-only ones sorted by name."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (ValueError, TypeError):
        return "(no signature)"
    parameters.sort(key=lambda one: (one.kind, one.name if one.kind is one.KEYWORD_ONLY else ""))
    parts, keywords = [], False
    for parameter in parameters:
        star = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        keywords |= parameter.kind is parameter.VAR_POSITIONAL
        if parameter.kind is parameter.KEYWORD_ONLY and not keywords:
            parts.append("*")
            keywords = True
        default = "" if parameter.default is parameter.empty else f"={stable(parameter.default)}"
        only = ", /" if parameter.kind is parameter.POSITIONAL_ONLY else ""
        parts.append(f"{star}{parameter.name}{default}{only}")
    return "(" + ", ".join(parts) + ")"


def _describe(key, value, found):
    if isinstance(value, types.ModuleType):
        found[key] = "module"
    elif isinstance(value, type):
        _describe_class(key, value, found)
    elif isinstance(value, click.Command):
        found[key] = "command"
    elif callable(value):
        found[key] = f"function {signature(value)}"
    elif key.endswith(".__version__"):
        found[key] = "text"
    else:
        found[key] = f"value {stable(value)}"


def _describe_class(key, cls, found):
    constructor = "(no signature)" if issubclass(cls, (BaseException, enum.Enum)) else signature(cls)
    found[key] = f"class {constructor}"
    found[f"{key} bases"] = ", ".join(_bases(cls))
    # Estimators and indices make their constructors of fields, which are parameters and recorded as such.
    if dataclasses.is_dataclass(cls) and not issubclass(cls, (BaseEstimator, ValidityIndex)):
        found[f"{key} fields"] = ", ".join(field.name for field in dataclasses.fields(cls))
    elif hasattr(cls, "_fields") and issubclass(cls, tuple):
        found[f"{key} fields"] = ", ".join(cls._fields)
    # A parameter may have its default as an attribute of the class.
    parameters = set(_parameters(cls)) if issubclass(cls, (BaseEstimator, ValidityIndex)) else set()
    for name in dir(cls):
        own = next((base for base in cls.__mro__ if name in vars(base)), object)
        if name.startswith("_") or not own.__module__.startswith(OWN) or name in parameters:
            continue
        found[f"{key}.{name}"] = _member(inspect.getattr_static(cls, name))
    if issubclass(cls, BaseEstimator):
        _describe_estimator(key, cls, found)


def _parameters(cls):
    return inspect.signature(cls).parameters


def _bases(cls):
    """Names of public classes that it is one of, in its order of resolution: its own and other libraries'."""
    found = []
    for base in cls.__mro__[1:]:
        hidden = base.__name__.startswith("_") or base.__module__.startswith((OWN + "._", "sklearn.utils._"))
        if base.__module__.startswith(OWN):
            hidden = hidden or not _is_public(base)
        if base is not object and not hidden:
            found.append(base.__name__)
    return sorted(found)


def _is_public(cls):
    rooms = (importlib.import_module(f"{OWN}.{room}" if room else OWN) for room in ROOMS)
    return any(cls.__name__ in room.__all__ and getattr(room, cls.__name__) is cls for room in rooms)


def _member(value):
    if isinstance(value, classmethod):
        return f"class method {signature(value.__func__)}"
    if isinstance(value, staticmethod):
        return f"static method {signature(value.__func__)}"
    if isinstance(value, property):
        return "property that can be set" if value.fset else "property"
    if inspect.isfunction(value):
        return f"method {signature(value)}"
    if type(value).__name__ == "RequestMethod":
        return f"metadata request for {', '.join(sorted(value.keys))}"
    if hasattr(value, "func") and type(value).__name__ == "cached_property":
        return "property"
    if type(value).__name__ in ("_AvailableIfDescriptor", "member_descriptor", "_tuplegetter"):
        return "method, if available" if type(value).__name__.startswith("_Av") else "field"
    return f"attribute {stable(value)}"


def _describe_estimator(key, cls, found):
    parameters = inspect.signature(cls).parameters.values()
    needed = {p.name: 3 for p in parameters if p.default is p.empty and p.name != "self"}
    needed = {p.name: needed[p.name] for p in parameters if p.name in needed and p.kind not in (2, 4)}
    defaults = cls(**needed).get_params(deep=False)
    for name in sorted(defaults):
        given = "required" if name in needed else stable(defaults[name])
        found[f"{key} parameter {name}"] = given
    for name, allowed in sorted(getattr(cls, "_parameter_constraints", {}).items()):
        texts = [_constraint(each) for each in allowed] if isinstance(allowed, list) else [stable(allowed)]
        found[f"{key} allows {name}"] = " or ".join(sorted(texts))


def _constraint(allowed):
    """A constraint of scikit-learn's as text; sets of options in order."""
    if hasattr(allowed, "options"):
        return f"one of {stable(set(allowed.options))}"
    if hasattr(allowed, "left") and hasattr(allowed, "closed"):
        ends = f"{allowed.left} to {allowed.right}, closed {allowed.closed}"
        return f"{getattr(allowed.type, '__name__', allowed.type)} from {ends}"
    return stable(allowed)


def _commands(found):
    from moo_clustering.cli import main

    for option in main.params:
        found[f"command {_names(option)}"] = _option(option)
    for name, command in sorted(main.commands.items()):
        found[f"command {name}"] = "command"
        for option in command.params:
            found[f"command {name} {_names(option)}"] = _option(option)


def _names(option):
    return " ".join([*option.opts, *option.secondary_opts])


def _option(option):
    facts = option.to_info_dict()
    kind = facts["type"]
    detail = {key: item for key, item in kind.items() if key not in ("param_type", "name")}
    default = facts.get("default")
    text = "none" if default is None or "UNSET" in repr(default) else stable(default)
    flags = [name for name in ("required", "multiple", "is_flag", "count") if facts.get(name)]
    return (
        f"{option.param_type_name} {option.name}, {kind['param_type']} {stable(detail)}, "
        f"default {text}, values {facts['nargs']}, {' '.join(flags) or 'plain'}"
    )


def recorded():
    """What the file holds."""
    return json.loads(GOLDEN.read_text(encoding="utf-8"))


def differences(old, new):
    """Lines that say what was removed, added and changed; none if nothing was."""
    lines = [f"removed  {key}: {old[key]}" for key in sorted(old.keys() - new.keys())]
    lines += [f"added    {key}: {new[key]}" for key in sorted(new.keys() - old.keys())]
    for key in sorted(old.keys() & new.keys()):
        if old[key] != new[key]:
            lines += [f"changed  {key}", f"    recorded  {old[key]}", f"    now       {new[key]}"]
    return lines


def main(arguments=None):
    """Compare or record; 1 if anything differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="record the names instead of comparing")
    options = parser.parse_args(arguments)
    import moo_clustering

    print(f"package: {Path(moo_clustering.__file__).parent}")
    found = collect()
    if options.write:
        text = json.dumps(found, indent=0, sort_keys=True, ensure_ascii=False)
        GOLDEN.write_text(text + "\n", encoding="utf-8")
        print(f"{len(found)} entries recorded in {GOLDEN.name}")
        return 0
    lines = differences(recorded(), found)
    print("\n".join([*lines, f"{len(found)} entries, {'some differ' if lines else 'all as recorded'}"]))
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main())
