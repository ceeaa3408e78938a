"""``methods``, the registry, docstrings and settings."""

import re
from types import MappingProxyType

import pytest

from moo_clustering.cli.job import parse_settings
from moo_clustering.cli.methods import FLAGS, options_of, parameter_docs
from moo_clustering.estimators._methods import METHODS, find_method, get_method


def test_list_names_every_method_and_alias(run):
    result = run("methods")
    assert result.exit_code == 0
    for method in METHODS.values():
        assert re.search(rf"^{method.name} ", result.stdout, re.MULTILINE)
        for text in (method.class_name, *method.aliases):
            assert text in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 100


def test_details(run, slices):
    result = run("methods", "slices")
    assert result.exit_code == 0
    assert "low = 0.0\n    Unused ends. (float)" in result.stdout
    assert "What happens in fit; see Else. A second paragraph." in result.stdout
    assert "n_clusters: -k" in result.stdout
    assert "n_clusters =" not in result.stdout
    assert "high = 1.0" in result.stdout
    assert "high = 5.0" in run("methods", "fine-slices").stdout


def test_unknown_method(fails):
    assert "did you mean 'pesc'" in fails("methods", "psec")


@pytest.mark.parametrize("name", ["pesc", "PESC", "Pesc_ES2", "pesc es2", "spectral_graph", "KNN"])
def test_names_in_any_spelling(name):
    assert get_method(name) in METHODS.values()


def test_alias_options():
    method, options = find_method("pesc-es3")
    assert (method.name, options) == ("pesc", {"ensemble": "es3"})
    options["ensemble"] = "es1"
    assert find_method("pesc-es3")[1] == {"ensemble": "es3"}
    with pytest.raises(TypeError):
        method.aliases["PESC_ES3"]["ensemble"] = "es1"
    with pytest.raises(TypeError):
        method.aliases["new"] = MappingProxyType({})


def test_no_name_means_two_methods():
    names = [
        name for method in METHODS.values() for name in (method.name, method.class_name, *method.aliases)
    ]
    plain = [re.sub("[-_ ]", "", name).casefold() for name in names]
    own = {re.sub("[-_ ]", "", method.name).casefold() for method in METHODS.values()}
    assert len(set(plain)) >= len(plain) - len(own)
    for method in METHODS.values():
        assert get_method(method.name) is method
        assert all(get_method(alias) is method for alias in method.aliases)


@pytest.mark.parametrize("name", list(METHODS))
def test_every_method_is_complete(name):
    method = get_method(name)
    options = {name: kind for name, _, kind, _ in options_of(method.load())}
    assert "random_state" in options
    for alias in method.aliases.values():
        assert set(alias) <= options.keys()
    assert all(options.values())
    assert method.paper
    assert method.needs
    assert method.summary


def test_parameter_docs():
    docs = parameter_docs(
        "Title.\n\nParameters\n----------\na : int, default=1\n    One ``x``.\n\n    More.\nb, c : str\n"
        "    See :func:`~m.n.f` and :class:`C`.\n*args : float\n\nReturns\n-------\nd : int\n    No.\n"
    )
    assert docs == {
        "a": ("int, default=1", "One x. More."),
        "b": ("str", "See f and C."),
        "c": ("str", "See f and C."),
        "args": ("float", ""),
    }
    assert parameter_docs("Only a title.") == {}
    blanks = "Title.\n\nParameters:  \n---------- \na : int \n    One. \n\nReturns \n------- \nd : int\n"
    assert parameter_docs(blanks) == {"a": ("int", "One.")}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3), ("-0.5", -0.5), ("1e-3", 0.001), ("True", True), ("None", None), ("knn", "knn"),
        ("'3'", "3"), ("[1, 2]", [1, 2]), ("a=b", "a=b"), ("", ""), ("__import__('os')", "__import__('os')"),
    ],
)  # fmt: skip
def test_values(slices, text, value):
    assert parse_settings([f"mode={text}"], "slices", slices) == {"mode": value}


def test_flags_name_real_options(run):
    text = run("fit", "--help").stdout
    for flag in FLAGS.values():
        assert all(word in text for word in flag.split(" and "))
