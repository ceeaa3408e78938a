"""Which names the package offers, room by room."""

import importlib
import inspect
import pkgutil

import moo_clustering


def rooms():
    """Every public package, and every public module beside them, with an ``__all__``, by name."""
    found = {}
    for info in pkgutil.walk_packages(moo_clustering.__path__, "moo_clustering."):
        if (info.ispkg or info.name.count(".") == 1) and not info.name.rpartition(".")[2].startswith("_"):
            module = importlib.import_module(info.name)
            if hasattr(module, "__all__"):
                found[info.name.removeprefix("moo_clustering.")] = module
    return found


def public_classes(base):
    """Public classes of the package that are of a kind, by name."""
    return {
        name: getattr(room, name)
        for room in rooms().values()
        for name in room.__all__
        if inspect.isclass(getattr(room, name)) and issubclass(getattr(room, name), base)
    }


def listed_names(cases):
    """Names of the classes or functions that the cases of a registry are of."""
    return {case.of for case in cases.values()}
