"""Every clusterer can write a report."""

import html
import subprocess
import sys
import tempfile
import webbrowser
from types import SimpleNamespace

import pytest
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError

from moo_clustering.estimators._base import ReportMixin
from moo_clustering.estimators._methods import METHODS
from moo_clustering.visualization.report import Report

X, CLASSES = make_blobs(40, 3, centers=3, random_state=0)


@pytest.mark.parametrize("method", METHODS.values(), ids=lambda method: method.name)
def test_every_method_reports(method):
    assert issubclass(method.load(), ReportMixin)


def test_a_page_with_all_that_was_given(tmp_path):
    from moo_clustering import ParetoClustering

    model = ParetoClustering(3, random_state=0).fit(X)
    path = tmp_path / "folder" / ".." / "page.html"
    (tmp_path / "folder").mkdir()
    report = model.report(path, X, title="Three <b>heaps</b>", sample_names=[f"heap-{i}" for i in range(40)])
    assert report.path == tmp_path / "page.html"
    page = report.path.read_text(encoding="utf-8")
    assert "Three &lt;b&gt;heaps&lt;/b&gt;" in page
    assert "<b>heaps</b>" not in page
    assert list(tmp_path.glob("*.html")) == [report.path]


def test_options_are_those_of_the_content(tmp_path):
    from moo_clustering import MemeticKMeans

    model = MemeticKMeans(3, random_state=0).fit(X)
    with pytest.raises(ValueError, match="embedding must have shape"):
        model.report(tmp_path / "page.html", X, embedding=X)
    with pytest.raises(TypeError, match="colour"):
        model.report(tmp_path / "page.html", X, colour="red")
    assert list(tmp_path.iterdir()) == []


def test_before_fit(tmp_path):
    from moo_clustering import NSGA2Clus

    with pytest.raises(NotFittedError):
        NSGA2Clus().report(tmp_path / "page.html", X)


def test_notebooks_show_the_page_apart_from_their_own(tmp_path):
    path = tmp_path / "page.html"
    path.write_text('<p title="a">\N{LATIN SMALL LETTER E WITH ACUTE} & <script>1 < 2</script></p>', "utf-8")
    shown = Report(path)._repr_html_()
    assert shown.startswith('<iframe srcdoc="')
    inside = shown.split('srcdoc="')[1].split('"')[0]
    assert html.unescape(inside) == path.read_text(encoding="utf-8")
    assert "<script>" not in shown


def test_open_shows_the_file_in_the_browser(tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(webbrowser, "open", lambda address: seen.append(address) or True)
    assert Report(tmp_path / "a page.html").open()
    assert seen == [(tmp_path / "a page.html").as_uri()]


def _shell(kernel, shown):
    """IPython as a notebook, or its terminal, loads it."""
    return SimpleNamespace(
        get_ipython=lambda: SimpleNamespace(**({"kernel": object()} if kernel else {})),
        display=SimpleNamespace(display=lambda report: shown.append(report._repr_html_())),
    )


def test_show_is_below_the_cell_in_a_notebook_and_leaves_no_file(tmp_path, monkeypatch):
    from moo_clustering import MemeticKMeans

    shown = []
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setitem(sys.modules, "IPython", _shell(True, shown))
    monkeypatch.setattr(webbrowser, "open", pytest.fail)
    model = MemeticKMeans(3, random_state=0).fit(X)
    assert model.show(X, title="Three heaps") is None
    assert len(shown) == 1
    assert shown[0].startswith('<iframe srcdoc="')
    assert "Three heaps" in shown[0]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ipython", [None, _shell(False, [])], ids=["python", "terminal of IPython"])
def test_show_is_in_the_browser_elsewhere(tmp_path, monkeypatch, ipython):
    from moo_clustering import MemeticKMeans

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    opened = []
    monkeypatch.setattr(webbrowser, "open", lambda address: opened.append(address) or True)
    model = MemeticKMeans(3, random_state=0).fit(X)
    model.show(X)
    (path,) = tmp_path.glob("*/report.html")
    assert opened == [path.as_uri()]
    monkeypatch.setattr(webbrowser, "open", lambda address: False)
    with pytest.warns(UserWarning, match=r"could not open a browser; the report is .*report\.html"):
        model.show(X)
    with pytest.raises(TypeError, match="colour"):
        model.show(X, colour="red")
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.slow
def test_who_only_clusters_loads_no_figures():
    code = (
        "import sys, numpy as np; from moo_clustering import MemeticKMeans; "
        "MemeticKMeans(2, random_state=0).fit(np.arange(10.0)[:, None]); "
        "late = ('moo_clustering.visualization', 'jinja2'); "
        "print([name for name in sys.modules if name.startswith(late)])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
