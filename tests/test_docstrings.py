"""Every public name has a docstring in numpydoc's form that says what goes in and what comes out."""

import dataclasses
import importlib
import inspect
import pkgutil
import re

import pytest

import moo_clustering

get_doc_object = pytest.importorskip("numpydoc.docscrape").get_doc_object
numpydoc_checks = pytest.importorskip("numpydoc.validate")

# No docstring, no summary or one without a full stop, sections unknown or out of order, parameters that
# are missing or do not exist, no Returns, no Yields.
CODES = {"GL06", "GL07", "GL08", "SS01", "SS03", "SS06", "PR01", "PR02", "PR10", "RT01", "YD01"}


def public_rooms():
    """Names of the package and its public modules that say what is public."""
    found = ["moo_clustering"]
    for module in pkgutil.walk_packages(moo_clustering.__path__, "moo_clustering."):
        if not re.search(r"\._", module.name):
            found.append(module.name)
    return [name for name in found if hasattr(importlib.import_module(name), "__all__")]


def public_objects():
    """Functions and classes by the first public name they have."""
    names = {}
    for room in public_rooms():
        module = importlib.import_module(room)
        for name in module.__all__:
            thing = getattr(module, name)
            if callable(thing) and not inspect.ismodule(thing) and id(thing) not in names:
                names[id(thing)] = (f"{room}.{name}", thing)
    return dict(names.values())


OBJECTS = public_objects()


def documented(thing):
    """Names in the sections Parameters and Attributes of a class and of those it inherits from."""
    names = set()
    for base in inspect.getmro(thing):
        if base.__doc__ and base.__module__.startswith("moo_clustering"):
            page = get_doc_object(base)
            for section in ("Parameters", "Attributes"):
                for entry in page[section]:
                    names.update(part.strip() for part in entry.name.split(","))
    return names


def undocumented(thing):
    """Parameters of a class that are ours and described nowhere."""
    if getattr(thing, "_is_protocol", False):
        return set()
    if dataclasses.is_dataclass(thing):
        own = {field.name for field in dataclasses.fields(thing) if field.init}
    elif hasattr(thing, "_fields"):
        own = set(thing._fields)
    elif getattr(thing.__init__, "__module__", "").startswith("moo_clustering"):
        parameters = list(inspect.signature(thing.__init__).parameters.values())[1:]
        stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
        own = {stars.get(parameter.kind, "") + parameter.name for parameter in parameters}
    else:
        return set()
    return {name for name in own if not name.startswith("_")} - documented(thing)


def docstring_errors(name, thing):
    """What is wrong with one docstring, by numpydoc's codes."""
    errors = {code: text for code, text in numpydoc_checks.validate(name)["errors"] if code in CODES}
    if inspect.isclass(thing):
        # Fields of records stand under Attributes, and bases describe what they take.
        errors.pop("PR01", None)
        if missing := undocumented(thing):
            errors["undocumented"] = sorted(missing)
    if name == "moo_clustering.cli.main":
        # A command's parameters are described by its help.
        errors.pop("PR01", None)
    return errors


def bare_attributes(thing):
    """Public methods and properties of a class that have no docstring."""
    return [
        attribute
        for attribute, value in vars(thing).items()
        if not attribute.startswith("_")
        and (inspect.isfunction(value) or isinstance(value, (property, classmethod, staticmethod)))
        and not (inspect.getdoc(getattr(thing, attribute)) or "").strip()
    ]


def test_docstrings(monkeypatch):
    # Places in the source are not told, and nothing there is to be ignored; to look takes most of the time.
    monkeypatch.setattr(numpydoc_checks.Validator, "source_file_def_line", 0)
    monkeypatch.setattr(numpydoc_checks, "extract_ignore_validation_comments", lambda *_: {})
    wrong = {name: docstring_errors(name, thing) for name, thing in sorted(OBJECTS.items())}
    assert {name: errors for name, errors in wrong.items() if errors} == {}


def test_methods_and_properties_have_docstrings():
    bare = {name: bare_attributes(thing) for name, thing in OBJECTS.items() if inspect.isclass(thing)}
    assert {name: attributes for name, attributes in bare.items() if attributes} == {}


def test_rooms_say_what_is_in_them():
    for room in public_rooms():
        module = importlib.import_module(room)
        assert (module.__doc__ or "").strip(), room
        assert len(module.__all__) == len(set(module.__all__)), room


def test_missing_documentation_is_found():
    @dataclasses.dataclass
    class Record:
        """A record.

        Attributes
        ----------
        told : int
        """

        told: int
        untold: int

    Record.__module__ = "moo_clustering"
    assert undocumented(Record) == {"untold"}
    assert len(OBJECTS) > 400
