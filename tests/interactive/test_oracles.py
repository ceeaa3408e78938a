"""Questions answered by functions and by known classes."""

import threading
import time

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from moo_clustering import ParetoClustering

X, KINDS = make_blobs(60, centers=[[0, 0], [4, 0], [1, 4]], cluster_std=1.3, random_state=3)


@pytest.fixture(scope="module")
def model():
    return ParetoClustering(random_state=0).fit(X)


def by_kind(question):
    first, *others = KINDS[list(question.samples)]
    return str(first) if not others else "together" if first == others[0] else "apart"


@pytest.mark.parametrize("mode", ["pairs", "names"])
def test_a_function_and_a_column_are_as_good_as_a_simulation(model, mode):
    expected = model.ask(mode=mode).simulate(KINDS, 8)
    for oracle in (by_kind, KINDS, KINDS.astype(str).tolist()):
        session = model.ask(mode=mode).run(oracle, 8)
        assert adjusted_rand_score(KINDS, session.labels_) == pytest.approx(expected["ari"].iloc[-1])
        assert len(session.history_) == expected.index[-1]


def test_it_ends_where_little_is_left_to_gain(model):
    session = model.ask().run(KINDS)
    assert session.may_stop_
    assert session.history_["expected_error"].iloc[:-1].gt(0.02).all()
    assert len(model.ask().run(KINDS, 0).history_) == 0
    left = iter(["together", "apart", None, "apart"])
    assert len(model.ask().run(lambda question: next(left)).history_) == 2


def test_samples_of_unknown_class_are_answered_by_unknown(model):
    classes = np.where(np.arange(60) % 2 == 0, KINDS, -1)
    history = model.ask().run(classes, 6).history_
    for row in history.itertuples():
        assert (row.answer == "unknown") == bool(row.i % 2 or row.j % 2)
    for missing in (None, np.nan, ""):
        mixed = [str(kind) if place % 2 == 0 else missing for place, kind in enumerate(KINDS)]
        assert model.ask().run(np.array(mixed, dtype=object), 6).history_["answer"].equals(history["answer"])


@pytest.mark.parametrize("nonsense", ["perhaps", "", 3, b"apart", ["apart"]])
def test_nonsense_names_the_question_and_loses_nothing(model, nonsense, tmp_path):
    path = tmp_path / "answers.json"
    session = model.ask(path=path)
    answers = iter(["apart", "together", nonsense])
    with pytest.raises(ValueError, match=r"the oracle answered .* about samples") as error:
        session.run(lambda question: next(answers))
    assert " and ".join(map(str, session.question.samples)) in str(error.value)
    assert len(session.history_) == len(model.ask(resume=path).history_) == 2


def test_an_oracle_that_raises_or_hangs(model):
    def raises(question):
        raise KeyError("closed")

    session = model.ask()
    for limit in (None, 5.0):
        with pytest.raises(KeyError, match="closed"):
            session.run(raises, time_limit=limit)
    free = threading.Event()
    began = time.monotonic()
    with pytest.raises(TimeoutError, match=r"did not answer about samples \d+ and \d+ within 0.1 seconds"):
        session.run(lambda question: free.wait(600), time_limit=0.1)
    assert time.monotonic() - began < 300
    free.set()
    assert len(session.run(by_kind, 2, time_limit=60.0).history_) == 2


def test_arguments(model):
    with pytest.raises(ValueError, match="a function, or contain one class per sample, 60 in all, got 2"):
        model.ask().run([0, 1])
    for oracle in ("yes", None, 3):
        with pytest.raises(TypeError, match="a function, or contain one class per sample, 60 in all, got"):
            model.ask().run(oracle)
    with pytest.raises((ValueError, TypeError), match="budget"):
        model.ask().run(by_kind, -1)
