"""The rivals: the same protocol, and what each asks."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_moons

from moo_clustering import ParetoClustering
from moo_clustering.interactive import simulate
from papers.cobras import COBRAS
from papers.rivals import RandomPairs, UncertainLabels

X, CLASSES = make_blobs(60, centers=3, cluster_std=0.6, random_state=5)


@pytest.fixture(scope="module")
def model():
    return ParetoClustering(random_state=0).fit(X)


def test_cobras_splits_until_halves_are_together_and_joins_the_nearest():
    # Halves 0..1 and 10..11 are apart, halves of either are together: one level, so two pieces.
    line = np.array([[0.0], [0.1], [0.2], [10.0], [10.1], [10.2]])
    cobras = COBRAS(line, random_state=0)
    assert cobras.question.samples == (1, 4)
    assert cobras.labels_.tolist() == [0] * 6
    cobras.answer("apart")
    i, j = cobras.question.samples
    assert {i, j} in ({0, 1}, {1, 2}, {0, 2}, {3, 4}, {4, 5}, {3, 5})
    cobras.answer("together")
    # The two pieces were compared before, so the next question splits one of them.
    assert cobras.labels_.tolist() == [0, 0, 0, 1, 1, 1]
    course = simulate(COBRAS(line, random_state=0), np.repeat([0, 1], 3), 30)
    assert course["ari"].iloc[-1] == 1.0
    assert len(course) < 12


def test_cobras_finds_classes_that_are_no_clusters():
    moons, y = make_moons(60, noise=0.05, random_state=0)
    course = simulate(COBRAS(moons, random_state=0), y, 90)
    assert course["ari"].iloc[0] == 0.0
    assert course["ari"].iloc[-1] > 0.9
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 20)
    assert simulate(COBRAS(rng.normal(size=(20, 2)), random_state=0), y, 500)["ari"].iloc[-1] == 1.0


def test_cobras_repeats_itself_and_asks_no_pair_twice():
    asked = []
    for _ in range(2):
        cobras, pairs = COBRAS(X, random_state=1), []
        while cobras.question is not None and len(pairs) < 40:
            i, j = cobras.question.samples
            pairs.append((i, j))
            cobras.answer("together" if CLASSES[i] == CLASSES[j] else "apart")
        asked.append(pairs)
    assert asked[0] == asked[1]
    assert len(set(asked[0])) == len(asked[0])


def test_equal_rows_end_at_once():
    cobras = COBRAS(np.zeros((5, 2)))
    assert cobras.question is None
    with pytest.raises(ValueError, match="no question"):
        cobras.answer("together")


def test_random_pairs_leave_the_model_as_it_is(model):
    before = model.labels_
    course = simulate(RandomPairs(model, random_state=0), CLASSES, 15)
    assert len(course) == 16
    assert course["ari"].iloc[-1] > 0.5
    assert model.labels_ is before
    assert model.pairs == "hard"
    few = RandomPairs(ParetoClustering(random_state=0).fit(X[:6]), random_state=0)
    n_asked = 0
    while few.question is not None:
        few.answer("unknown")
        n_asked += 1
    assert n_asked == 15


def test_uncertain_labels_learn_the_classes():
    course = simulate(UncertainLabels(X), CLASSES, 25)
    assert course["ari"].iloc[0] == 0.0
    assert course["ari"].max() > 0.7
    rival = UncertainLabels(X)
    samples = rival.question.samples
    assert rival.answer("unknown").question.samples != samples


def test_wrong_answers_are_as_many_as_asked_for_and_unknown_classes_are_told(model):
    y = CLASSES.copy()
    y[::2] = -1
    session = model.ask()
    course = simulate(session, y, 20)
    answers = session.history_
    told = (y[answers["i"]] < 0) | (y[answers["j"]] < 0)
    assert (answers["answer"][told] == "unknown").all()
    assert (answers["answer"][~told] != "unknown").all()
    assert len(course) == 21
    session = model.ask()
    simulate(session, CLASSES, 60, error_rate=0.3)
    answers = session.history_
    right = np.where(CLASSES[answers["i"]] == CLASSES[answers["j"]], "together", "apart")
    assert 0.1 < (answers["answer"] != right).mean() < 0.5
