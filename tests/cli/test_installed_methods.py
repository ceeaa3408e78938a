"""Methods that other packages declare: whatever is wrong with one, the command and all others work."""

import itertools
import sys

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClusterMixin

from moo_clustering.estimators import _methods as registry

NUMBER = itertools.count()
KNOWN = {"class_name": "Halves", "paper": "p", "summary": "s", "needs": "n"}
ESCAPE = "\x1b[31mred\x1b]0;title\x07"


class Halves(ClusterMixin, BaseEstimator):
    """First and second half of the samples."""

    def __init__(self, n_clusters=2, *, how="right", random_state=None):
        self.n_clusters = n_clusters
        self.how = how
        self.random_state = random_state

    def fit(self, X, y=None):
        whole = (np.arange(len(X)) * 2 // len(X)).astype(int)
        match self.how:
            case "fail":
                raise RuntimeError(f"broken {ESCAPE}")
            case "none":
                return self
            case "short":
                self.labels_ = whole[:5]
            case "list":
                self.labels_ = whole.tolist()
            case "float":
                self.labels_ = whole + 0.5
            case "negative":
                self.labels_ = whole - 3
            case _:
                self.labels_ = whole
        return self


class NoFit:
    pass


FLAGS = ("sparse", "bags", "stems", "presence", "categorical", "areas")


def exits():
    raise SystemExit("a package that exits")


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Install a package with these entry points, whose values are attributes of one module."""
    known = dict(registry.METHODS)
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(str(site))

    def _install(package="other", **entries):
        module = f"plugin_{next(NUMBER)}"
        info = site / f"{package}-1.0.dist-info"
        info.mkdir()
        lines = [f"{name} = {module}:{name}" for name in entries]
        (info / "entry_points.txt").write_text("\n".join(["[moo_clustering.methods]", *lines]))
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        # As if imported already; what an import raises is another test.
        home = type(sys)(module)
        home.Halves, home.NoFit = Halves, NoFit
        for name, fields in entries.items():
            method = (
                registry.Method(**KNOWN | {"module": module} | fields) if type(fields) is dict else fields
            )
            setattr(home, name, method)
        monkeypatch.setitem(sys.modules, module, home)
        registry.add_installed.cache_clear()
        return module

    yield _install
    registry.METHODS.clear()
    registry.METHODS.update(known)
    registry._LEFT_OUT.clear()
    registry.add_installed.cache_clear()


class Hostile:
    """An object that cannot even be shown."""

    def __repr__(self):
        raise RuntimeError("no repr")


TEXTS = [3, None, b"x", "", "  ", "two\nlines", ESCAPE, "\u202edlrow", Hostile()]
BAD = {
    "name": [*TEXTS, "good_one", "Upper", "with space", "ümlaut", "a;b"],
    "class_name": [*TEXTS, "Missing", "NoFit", "not a name", "MOCK", "mock", "a.b"],
    "module": [*TEXTS, "not_there", "..", "a-b"],
    "paper": TEXTS,
    "summary": TEXTS,
    "needs": TEXTS,
    "aliases": [
        None, 3, ["a"], "text", {3: {}}, {"": {}}, {ESCAPE: {}}, {"a": None}, {"a": ["how"]},
        {"a": {"missing": 1}}, {"pesc": {}}, {"PESC_ES1": {}}, {"m-o-c-k": {}},
        {"SpectralGraphClustering": {}},
    ],
    "supervision": [None, "labels", ["labels"], ("classes",), (3,), ([],), {"labels"}],
    **{flag: [None, 1, "yes"] for flag in FLAGS},
    "equal_columns": [1, "yes"],
    "graph_options": [None, 3, ["how"], {"missing": 1}],
    "evolves_with": [None, 3, ["how"], {"missing": 1}],
}  # fmt: skip


def test_every_field_is_checked():
    assert BAD.keys() == {each.name for each in registry.fields(registry.Method)}


@pytest.mark.parametrize("field", BAD)
def test_a_bad_field_leaves_out_its_method_alone(install, run, field):
    entries = {
        f"bad{number}": {"name": f"bad-{number}", field: value} for number, value in enumerate(BAD[field])
    }
    install(good={"name": "good-one"}, **entries)
    result = run("methods")
    assert result.exit_code == 0, result.output
    assert "\x1b" not in result.output
    assert "\ngood-one" in result.stdout
    assert "bad-" not in result.stdout
    lines = result.stderr.splitlines()
    assert len(lines) == len(entries)
    for name, line in zip(entries, lines, strict=True):
        assert line.startswith(f"Warning: skipped method '{name}' of package 'other': "), line
    assert set(registry.METHODS) - {method.name for method in registry._BUILT_IN} == {"good-one"}


def test_names_of_other_packages_are_not_taken_twice(install, run):
    install("first", one={"name": "one", "aliases": {"single": {}}})
    install(
        "second",
        one={"name": "two", "aliases": {"Single": {}}},
        two={"name": "single"},
        three={"name": "o-ne"},
    )
    result = run("methods")
    assert result.exit_code == 0
    assert [line.split("'")[3] for line in result.stderr.splitlines()] == ["second"] * 3
    assert "single" in run("methods", "one").stdout


def test_what_is_no_method(install, run):
    class Nested(registry.Method):
        def load(self):
            exits()

    install(text="text", nothing=None, kind=registry.Method, nested=Nested(name="n", module="m", **KNOWN))
    result = run("methods")
    assert result.exit_code == 0
    assert len(result.stderr.splitlines()) == 4
    assert "a str, not a Method" in result.stderr
    assert "SystemExit: a package that exits" in result.stderr


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("raise RuntimeError('broken')", "RuntimeError: broken"),
        ("import sys; sys.exit('leaves')", "SystemExit: leaves"),
        ("import not_there", "No module named 'not_there'"),
        ("def", "SyntaxError"),
        ("raise BaseExceptionGroup('several', [ValueError('x')])", "several"),
        ("raise Exception('\\x1b[31m' * 2000)", "Exception"),
        ("raise RecursionError", "RecursionError"),
        ("class Own(BaseException):\n def __str__(self):\n  raise ValueError\nraise Own", "Own"),
    ],
)
def test_packages_that_cannot_be_imported(install, run, tmp_path, monkeypatch, text, reason):
    module = install(broken={"name": "broken"})
    install("fine", good={"name": "good-one"})
    monkeypatch.delitem(sys.modules, module)
    (tmp_path / "site" / f"{module}.py").write_text(text)
    result = run("methods")
    assert result.exit_code == 0, result.output
    assert "\ngood-one" in result.stdout
    [line] = result.stderr.splitlines()
    assert line.startswith("Warning: skipped method 'broken' of package 'other': ")
    assert reason in line
    assert "\x1b" not in line
    assert len(line) < 2100


@pytest.mark.parametrize(
    "content",
    [b"[moo_clustering.methods]\nno equals sign\n", b"[moo_clustering.methods]\nx = \xff\xfe\n", b"[["],
)
def test_entry_points_that_cannot_be_read(install, run, tmp_path, content):
    install(good={"name": "good-one"})
    broken = tmp_path / "site" / "broken-1.0.dist-info"
    broken.mkdir()
    (broken / "entry_points.txt").write_bytes(content)
    result = run("methods")
    assert result.exit_code == 0, result.output
    assert "\ngood-one" in result.stdout
    assert not result.stderr or result.stderr.startswith("Warning: ")


def test_packages_are_imported_only_for_names_that_are_not_ours(install, run, table, tmp_path, monkeypatch):
    module = install(broken={"name": "broken"})
    monkeypatch.delitem(sys.modules, module)
    (tmp_path / "site" / f"{module}.py").write_text("raise KeyboardInterrupt")
    fit = ("fit", "table.csv", "--id-column", "id", "--drop", "kind", "--drop", "some", "-k", "2", "--quiet")
    result = run(*fit, "--method", "spectral-graph", "--no-report", "--out", "out")
    assert (result.exit_code, result.stderr) == (0, "")
    assert run("--version").exit_code == 0
    assert run("methods", "mock").exit_code == 0


def test_asking_for_a_method_that_is_left_out_tells_why(install, fails):
    install(entry={"name": "mine", "class_name": "Missing"})
    for name in ("mine", "entry", "Mine"):
        message = fails("fit", "iris", "--method", name, "--out", "out")
        assert message.startswith("skipped method 'entry' of package 'other': ")
        assert "Missing" in message


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("fail", "method halves of plugin_N failed: RuntimeError: broken"),
        ("none", "must set labels_ to 60 integers"),
        ("short", "got shape (5,)"),
        ("float", "of type float64"),
        ("negative", "must set labels_"),
        ("list", None),
        ("right", None),
    ],
)
def test_what_a_method_finds_is_checked(install, run, fails, table, how, said):
    module = install(halves={"name": "halves", "aliases": {"Split": {"how": "right"}}})
    fit = (
        "fit", "table.csv", "--id-column", "id", "--drop", "kind", "--drop", "some",
        "--no-report", "--quiet", "--set", f"how={how}", "--method", "halves", "--out", "out",
    )  # fmt: skip
    if said is None:
        assert run(*fit).exit_code == 0
        assert run(*fit[:-3], "Split", "--out", "other").exit_code == 0
    else:
        message = fails(*fit)
        assert said.replace("plugin_N", module) in message
        assert "\x1b" not in message
