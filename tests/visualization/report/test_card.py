"""The card of a fitted clusterer in a notebook."""

import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.datasets import make_blobs
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from moo_clustering import NSGA2Clus, ParetoClustering
from moo_clustering.estimators import MOCK, MemeticKMeans

X, CLASSES = make_blobs(60, 3, centers=3, random_state=0)
X[CLASSES == 2] *= 1.5
_EMPTY = {"path", "circle", "input", "img", "br"}


class _Tags(HTMLParser):
    """Tags of a page, which must close in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.found, self.words = [], [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        if tag not in _EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def _card(model):
    """The part that is not scikit-learn's."""
    shown = model._repr_html_()
    assert model._repr_mimebundle_()["text/html"].partition("<details>")[0] == shown.partition("<details>")[0]
    card, _, diagram = shown.partition("<details><summary>parameters</summary>")
    assert "sk-container" in diagram
    return card


@pytest.fixture(scope="module")
def pareto():
    return ParetoClustering(random_state=0).fit(X)


def test_before_fit_the_diagram_alone():
    shown = ParetoClustering()._repr_html_()
    assert "sk-container" in shown
    assert "moo-card" not in shown


def test_a_fit_shows_its_verdict_sizes_and_next_steps(pareto):
    card = _card(pareto)
    words = "".join(_Tags(card).words)
    for line in pareto.summary().splitlines():
        assert line in words
    assert "show(X)" in words
    bars = re.findall(r'width: ([\d.]+)%"></span><span>(\d+)</span>', card)
    counts = np.bincount(pareto.labels_)
    assert [(float(width), int(count)) for width, count in bars] == [
        (pytest.approx(100 * count / counts.max(), abs=0.05), count) for count in counts
    ]
    assert "<script" not in card


def test_the_display_of_text_is_respected(pareto):
    with config_context(display="text"):
        assert not hasattr(pareto, "_repr_html_")
        assert list(pareto._repr_mimebundle_()) == ["text/plain"]


def test_within_a_pipeline_the_diagram_is_that_of_scikit_learn():
    shown = make_pipeline(StandardScaler(), MemeticKMeans(3, random_state=0)).fit(X)._repr_html_()
    assert "sk-container" in shown
    assert "moo-card" not in shown


def test_the_front_with_the_result_ringed():
    model = MOCK(3, n_gen=5, random_state=0).fit(X)
    tags = _Tags(_card(model))
    circles = [attrs for tag, attrs in tags.found if tag == "circle"]
    points = np.array([[float(each["cx"]), float(each["cy"])] for each in circles if each["fill"] != "none"])
    ring = next(each for each in circles if each["fill"] == "none")
    assert len(points) == len(model.pareto_front_) > 1
    assert [float(ring["cx"]), float(ring["cy"])] == points[model.chosen_].tolist()
    # The picture keeps the order of either objective, the second one upwards.
    variance, connectivity = model.pareto_front_.T
    np.testing.assert_array_equal(points[np.argsort(variance, kind="stable"), 0], np.sort(points[:, 0]))
    assert points[connectivity.argmax(), 1] == points[:, 1].min()
    told = next(attrs["aria-label"] for tag, attrs in tags.found if tag == "svg")
    assert told.startswith(
        f"front of {len(points)} solutions: connectivity (vertical) against variance (horizontal)"
    )
    assert "choose(rule)" in "".join(tags.words)


def test_names_are_escaped():
    frame = pd.DataFrame(X, columns=["<b>a</b>", "<script>b</script>", "c & d"])
    model = ParetoClustering(random_state=0).fit(frame)
    model.objective_names_ = ('<i title="x">', *model.objective_names_[1:])
    card = _card(model)
    _Tags(card)
    assert not re.search(r"<(b|script|i)\b", card)


def test_outliers_classes_and_many_clusters():
    model = MemeticKMeans(40, random_state=0).fit(X)
    words = "".join(_Tags(_card(model)).words)
    assert f"28 more{np.bincount(model.labels_)[12:].sum()}" in words
    model.labels_ = np.where(model.labels_ > 1, 1, model.labels_)
    model.labels_[-3:] = -1
    assert "2 clusters of" in _card(model)
    assert "and 3 outliers" in _card(model)
    y = np.full(60, -1)
    y[:10] = CLASSES[:10]
    assert "cluster 2, class 2" in _card(ParetoClustering(random_state=0).fit(X, y))


def test_objectives_without_a_range():
    model = NSGA2Clus(pop_size=12, n_gen=2, random_state=0).fit(X)
    model.pareto_front_ = np.array([[1.0, 1e308], [1.0, -1e308], [1.0, np.inf]])
    model.chosen_ = 2
    card = _card(model)
    assert card.count("<circle") == 2
    assert "nan" not in card
    assert "ring" not in card
