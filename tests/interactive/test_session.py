"""Sessions: what answers change, what is taken back, and what is written to files."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

from moo_clustering import InconsistentConstraintsError, ParetoBagClustering, ParetoClustering
from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.evidence import graph_kernel
from moo_clustering.interactive import AnswerSession, QuestionPool, SessionFileError
from moo_clustering.pool import PartitionPool

X, CLASSES = make_moons(90, noise=0.08, random_state=0)
THREE, KINDS = make_blobs(60, centers=[[0, 0], [4, 0], [1, 4]], cluster_std=1.3, random_state=3)


@pytest.fixture(scope="module")
def model():
    return ParetoClustering(scale="isotropic", random_state=0).fit(X)


@pytest.fixture(scope="module")
def blobs():
    return ParetoClustering(random_state=0).fit(THREE)


def right(session, y):
    i, j = session.question.samples
    return "together" if y[i] == y[j] else "apart"


def answered(session, y, n):
    for _ in range(n):
        if session.question is not None:
            session.answer(right(session, y))
    return session


def test_a_session_starts_from_the_result_of_the_fit(model, blobs):
    for fitted in (model, blobs, ParetoClustering(4, families=["km", "ward"], random_state=0).fit(THREE)):
        session = fitted.ask()
        np.testing.assert_array_equal(session.labels_, fitted.labels_)
        assert session.n_clusters_ == fitted.n_clusters_
        assert session.history_.empty
        assert session.groups_["size"].tolist() == np.bincount(fitted.labels_).tolist()


def test_one_answer_joins_two_groups_that_may_well_be_one():
    samples, _ = make_blobs(90, centers=4, cluster_std=1.2, random_state=0)
    session = ParetoClustering(random_state=0).fit(samples).ask()
    i, j = session.question.samples
    assert session.question.kind == "groups"
    assert 0.12 < session.question.probability < 0.2
    before = session.n_clusters_
    session.answer("together")
    assert session.n_clusters_ == before - 1
    assert session.labels_[i] == session.labels_[j]


def test_answers_find_the_classes(blobs):
    course = blobs.ask().simulate(KINDS, 40)
    assert course["ari"].iloc[-1] > 0.85
    assert blobs.ask("names").simulate(KINDS, 40)["ari"].iloc[-1] > 0.85


def test_one_cluster_is_counted_in_the_singular(blobs):
    session = blobs.ask("names")
    while (k := session.n_clusters_) > 1:
        assert f", {k} clusters (" in session.summary()
        session.name(0, "all").name(k - 1, "all")
    assert ", 1 cluster (" in session.summary()


def test_a_session_says_when_to_stop(blobs):
    session, said = blobs.ask(), []
    for n_answers in range(200):
        assert session.summary().startswith(
            f"{n_answers} answer{'' if n_answers == 1 else 's'}, {session.n_clusters_} clusters"
        )
        said.append(session.may_stop_)
        assert ("you can stop" in session.summary()) == said[-1]
        assert said[-1] == (session.expected_error_ < 0.02 or session.question is None)
        if said[-1]:
            break
        session.answer(right(session, KINDS))
    assert not said[0]
    assert said[-1]
    assert adjusted_rand_score(KINDS, session.labels_) > 0.8


def test_error_is_the_share_outside_the_matched_clusters(blobs):
    course = blobs.ask().simulate(KINDS, 2)
    table = np.zeros((3, blobs.n_clusters_))
    np.add.at(table, (KINDS, blobs.labels_), 1)
    rows, columns = linear_sum_assignment(-table)
    assert course["error"].iloc[0] == pytest.approx(1 - table[rows, columns].sum() / 60)


@pytest.mark.slow
def test_right_answers_to_all_questions_find_all_classes(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    points = rng.normal(size=(24, 2))
    y = rng.integers(0, 3, 24)
    fitted = ParetoClustering(random_state=global_random_seed).fit(points)
    for error_rate in (0.03, 0.0):
        course = fitted.ask(error_rate=error_rate).simulate(y, 5000)
        assert course["ari"].iloc[-1] == 1.0
        assert len(course) < 24 * 23 / 2 + 2
    assert fitted.ask("names").simulate(y, 5000)["ari"].iloc[-1] == 1.0


def test_classes_have_no_names(blobs):
    one, other = (blobs.ask().simulate(y, 12) for y in (KINDS, 2 - KINDS))
    assert one.equals(other)


def test_rows_in_another_order_give_the_same_partitions(blobs):
    courses = []
    for order in (np.arange(60), np.random.default_rng(0).permutation(60)):
        pool = PartitionPool.of(list(zip(blobs.pool_.families, blobs.pool_.labels[:, order], strict=True)))
        kernel = graph_kernel(blobs.graph_)[np.ix_(order, order)]
        base = QuestionPool(
            pool,
            blobs.scores_["score"].to_numpy(),
            relabel_by_first_appearance(blobs.labels_[order]),
            lambda kernel=kernel: kernel,
            features=StandardScaler().fit_transform(THREE)[order],
        )
        courses.append(AnswerSession(base).simulate(KINDS[order], 30)["ari"])
    # Samples of equal value may be asked about in another order.
    one, other = courses
    assert abs(one - other).mean() < 0.02
    assert abs(one - other).iloc[-1] < 0.05


def test_undo_restores_labels_and_question(blobs):
    session = blobs.ask()
    seen = [(session.labels_, session.question)]
    for _ in range(15):
        session.answer(right(session, KINDS))
        seen.append((session.labels_, session.question))
    for labels, question in seen[-2::-1]:
        session.undo()
        np.testing.assert_array_equal(session.labels_, labels)
        assert session.question.samples == question.samples
        assert session.question.value == question.value
    with pytest.raises(ValueError, match="no answer to undo"):
        session.undo()
    for labels, question in seen[1:]:
        session.redo()
        np.testing.assert_array_equal(session.labels_, labels)
        assert session.question.samples == question.samples
    with pytest.raises(ValueError, match="no answer to redo"):
        session.redo()


def test_an_answer_is_reopened_and_the_others_stand(blobs, tmp_path):
    session = answered(blobs.ask(path=tmp_path / "answers"), KINDS, 8)
    before, labels = session.history_, session.labels_
    wrong = {"together": "apart", "apart": "together"}[before["answer"][3]]
    session.reopen(3, wrong)
    after = session.history_
    assert after[["i", "j"]].equals(before[["i", "j"]])
    assert after["answer"].drop(3).equals(before["answer"].drop(3))
    assert after["answer"][3] == wrong
    resumed = blobs.ask(resume=tmp_path / "answers")
    assert resumed.history_.equals(after)
    np.testing.assert_array_equal(resumed.labels_, session.labels_)
    # The same answers in the same order are the same partition, whichever way they came about.
    np.testing.assert_array_equal(session.reopen(3, before["answer"][3]).labels_, labels)
    assert session.history_.equals(before)
    session.undo().undo()
    assert session.history_.equals(before)
    assert session.redo().history_.equals(after)
    fewer = session.reopen(3).history_
    assert fewer[["i", "j"]].equals(before[["i", "j"]].drop(3).reset_index(drop=True))
    session.reopen(6).undo().undo()
    assert session.history_.equals(after)
    for _ in range(9):
        session.undo()
    np.testing.assert_array_equal(session.labels_, blobs.labels_)
    with pytest.raises(ValueError, match="no answer to undo"):
        session.undo()


def test_an_only_answer_and_names_are_reopened(blobs):
    session = blobs.ask()
    session.answer("apart").reopen(0)
    np.testing.assert_array_equal(session.labels_, blobs.labels_)
    assert session.undo().history_["answer"].tolist() == ["apart"]
    named = blobs.ask("names").answer("first").name(1, "other")
    named.reopen(0, "second").reopen(1, "one more")
    assert named.history_["answer"].tolist() == ["second", "one more"]
    assert {"second", "one more"} <= set(named.groups_["name"])
    for number, answer, message in [
        (2, "x", "got 2"),
        (-1, "x", "got -1"),
        (0, " ", "non-empty"),
        (1, None, None),
    ]:
        if message is None:
            named.reopen(number, answer)
        else:
            with pytest.raises(ValueError, match=message):
                named.reopen(number, answer)
    with pytest.raises(ValueError, match="got 'both'"):
        blobs.ask().answer("apart").reopen(0, "both")
    certain = blobs.ask(error_rate=0.0)
    certain.answer("together", samples=(3, 5)).answer("together", samples=(5, 9))
    certain.answer("apart", samples=(1, 9))
    with pytest.raises(InconsistentConstraintsError):
        certain.answer("together", samples=(1, 3))
    assert certain.reopen(1, "apart").answer("together", samples=(1, 3)).history_["answer"][1] == "apart"
    with pytest.raises(InconsistentConstraintsError):
        certain.reopen(1, "together")


def test_history_pairs_and_labels_are_what_was_answered(blobs):
    session = answered(blobs.ask(), KINDS, 15)
    history = session.history_
    assert len(history) == 15
    assert history["moved"].between(0, 1).all()
    must, cannot = session.pairs()
    assert len(must) + len(cannot) == 15
    assert (KINDS[must[:, 0]] == KINDS[must[:, 1]]).all()
    assert (KINDS[cannot[:, 0]] != KINDS[cannot[:, 1]]).all()
    y = session.partial_labels()
    known = y >= 0
    np.testing.assert_array_equal(session.labels_[known], y[known])
    assert known.sum() == session.groups_["anchors"].sum()
    blobs_again = ParetoClustering(random_state=0).fit(THREE, y)
    assert blobs_again.labels_.shape == (60,)


def test_names_are_kept_and_join_clusters(blobs):
    session = blobs.ask("names")
    names = ["left", "right", "top"]
    for _ in range(12):
        (sample,) = session.question.samples
        session.answer(names[KINDS[sample]])
    assert set(session.groups_["name"].dropna()) <= set(names)
    y = session.partial_labels()
    assert {value for value in y.tolist() if value != -1} <= set(names)
    session.answer("unknown")
    pairs = answered(blobs.ask(), KINDS, 6)
    pairs.name(0, "one")
    pairs.name(1, "one")
    assert (pairs.groups_["name"] == "one").sum() == 1
    assert pairs.undo().groups_["name"].tolist().count("one") == 1


def test_a_slip_in_a_name_is_outvoted():
    """A sample that all others place elsewhere follows them, unless names are certain."""
    clear, kinds = make_blobs(60, centers=[[0, 0], [6, 0], [1, 6]], cluster_std=0.6, random_state=1)
    fitted = ParetoClustering(random_state=0).fit(clear)
    wrong = -1
    for error_rate, expected in ((0.03, True), (0.0, False)):
        session = fitted.ask("names", error_rate=error_rate)
        for number in range(35):
            (sample,) = session.question.samples
            slip = number == 8
            wrong = sample if slip else wrong
            session.answer("abc"[(kinds[sample] + slip) % 3])
        assert (adjusted_rand_score(kinds, session.labels_) == 1.0) == expected
        same = session.labels_[kinds == kinds[wrong]]
        assert (session.labels_[wrong] == np.bincount(same).argmax()) == expected
        assert sorted(session.groups_["name"]) == ["a", "b", "c"]


def test_take_makes_the_session_the_result(blobs):
    fitted = ParetoClustering(random_state=0).fit(THREE)
    before = fitted.labels_
    session = answered(fitted.ask(), KINDS, 30)
    fitted.take(session)
    np.testing.assert_array_equal(fitted.labels_, session.labels_)
    np.testing.assert_array_equal(fitted.predict(THREE), session.labels_)
    np.testing.assert_array_equal(fitted.choose("fit").labels_, before)
    np.testing.assert_array_equal(fitted.choose("auto").labels_, session.labels_)
    # Asked again, questions start from the fit.
    np.testing.assert_array_equal(fitted.ask().labels_, before)
    with pytest.raises(ValueError, match="another fit"):
        ParetoClustering(random_state=0).fit(X).take(session)


def test_volunteered_pairs_alone_do_not_become_classes(blobs):
    session = blobs.ask()
    rng = np.random.default_rng(0)
    for _ in range(30):
        i, j = rng.choice(60, 2, replace=False)
        session.answer("together" if KINDS[i] == KINDS[j] else "apart", samples=(i, j))
    assert adjusted_rand_score(KINDS, session.labels_) > 0.5
    # They follow as soon as a question has placed one of them.
    answered(session, KINDS, 30)
    assert adjusted_rand_score(KINDS, session.labels_) > 0.9


def test_a_volunteered_correction_is_asked_about(blobs):
    session = answered(blobs.ask(), KINDS, 20)
    anchors = np.flatnonzero(session.partial_labels() >= 0)
    y = session.partial_labels()[anchors]
    i, j = anchors[y == np.bincount(y).argmax()][:2]
    session.answer("apart", samples=(i, j))
    assert session.question is not None
    assert session.history_["kind"].iloc[-1] == "volunteered"


def test_certain_answers_that_contradict_are_refused(blobs):
    session = blobs.ask(error_rate=0.0)
    session.answer("together", samples=(3, 5)).answer("together", samples=(5, 9))
    before = session.labels_
    with pytest.raises(InconsistentConstraintsError, match="3 - 5 - 9"):
        session.answer("apart", samples=(3, 9))
    np.testing.assert_array_equal(session.labels_, before)
    assert len(session.history_) == 2
    blobs.ask().answer("together", samples=(3, 5)).answer("apart", samples=(3, 5))


WORDS = ["together", "apart", "unknown", "pair", "undo", "redo", "name", "reopen"]


@settings(max_examples=15)
@given(
    st.lists(
        st.sampled_from(["together", "apart", "unknown", "pair", "undo", "redo", "name", "reopen"]),
        max_size=25,
    ),
    st.randoms(),
)
def test_any_answers_leave_a_partition(words, draws):
    session = ANY.ask(error_rate=draws.choice([0.03, "auto"]))
    for word in words:
        if word == "undo" and len(session.history_):
            session.undo()
        elif word == "redo" and session._undone:
            session.redo()
        elif word == "pair":
            i, j = draws.sample(range(60), 2)
            session.answer(draws.choice(["together", "apart"]), samples=(i, j))
        elif word == "reopen" and len(session.history_):
            number = draws.randrange(len(session.history_))
            is_pair = session.history_["j"][number] >= 0
            session.reopen(number, draws.choice([None, "apart" if is_pair else "c"]))
        elif word == "name":
            session.name(draws.randrange(session.n_clusters_), draws.choice("ab"))
        elif word in ("together", "apart", "unknown") and session.question is not None:
            samples = tuple(sorted(session.question.samples))
            history = session.history_.query("kind not in ('volunteered', 'repeat')")
            asked = {tuple(sorted(pair)) for pair in history[["i", "j"]].to_numpy().tolist()}
            assert (samples in asked) == (session.question.kind == "repeat")
            session.answer(word)
        assert set(session.labels_.tolist()) == set(range(session.n_clusters_))
        assert 0 <= session.expected_error_ <= 1


ANY = ParetoClustering(random_state=0).fit(THREE)


def test_a_saved_session_goes_on_where_it_ended(blobs, tmp_path):
    path = tmp_path / "answers.json"
    session = answered(blobs.ask(path=path), KINDS, 9).undo()
    session.answer("together", samples=(1, 2)).name(0, "first")
    for resumed in (blobs.ask(resume=path), blobs.ask(resume=path)):
        np.testing.assert_array_equal(resumed.labels_, session.labels_)
        assert resumed.question.samples == session.question.samples
        assert resumed.history_.equals(session.history_)
    resumed.answer("unknown")
    assert len(blobs.ask(resume=path).history_) == len(session.history_) + 1
    session.save(tmp_path / "copy.json")
    again = blobs.ask(resume=tmp_path / "copy.json")
    np.testing.assert_array_equal(again.undo().undo().labels_, resumed.undo().undo().undo().labels_)
    with pytest.raises(SessionFileError, match="another session"):
        session.undo()


def test_at_most_the_answer_being_written_is_lost(blobs, tmp_path):
    path = tmp_path / "answers.json"
    session = answered(blobs.ask(path=path), KINDS, 5)
    path.write_bytes(path.read_bytes()[:-7])
    resumed = blobs.ask(resume=path)
    assert len(resumed.history_) == 4
    resumed.answer("apart")
    assert len(blobs.ask(resume=path).history_) == 5
    assert len(session.history_) == 5


def test_files_that_are_no_sessions_are_refused(blobs, model, tmp_path):
    path = tmp_path / "answers.json"
    answered(blobs.ask(), KINDS, 3).save(path)
    with pytest.raises(SessionFileError, match="another fit"):
        model.ask(resume=path)
    lines = path.read_text().splitlines()
    for text, message in [
        ("", "not an answer file"),
        ("\x00\x01", "not an answer file"),
        ("{}\n", "not an answer file"),
        ("[1]\n", "damaged: line 1"),
        ("\n".join([lines[0], "nonsense", lines[2], ""]), "line 2 is not valid JSON"),
        (
            "\n".join([lines[0], '{"answer": "together", "samples": [1, 99]}', ""]),
            "line 2 is not a valid answer",
        ),
        ("\n".join([lines[0], '{"answer": "both", "samples": [1, 2]}', ""]), "line 2 is not a valid answer"),
        ("\n".join([lines[0], '{"undo": true}', ""]), "line 2 is not a valid answer"),
        ("\n".join([*lines, '{"reopen": 7, "answer": "apart"}', ""]), "line 5 is not a valid answer"),
        ("\n".join([*lines, '{"reopen": 0, "answer": "both"}', ""]), "line 5 is not a valid answer"),
        (json.dumps(json.loads(lines[0]) | {"version": 9}) + "\n", "version 9"),
        (json.dumps({"format": json.loads(lines[0])["format"], "version": 1}) + "\n", "lacks"),
        (json.dumps(json.loads(lines[0]) | {"error_rate": 7}) + "\n", "error_rate"),
    ]:
        path.write_text(text)
        with pytest.raises(ValueError, match=message):
            blobs.ask(resume=path)
        assert path.read_text() == text
    with pytest.raises(SessionFileError, match="exists"):
        blobs.ask(path=path)


def test_bad_answers_lose_nothing(blobs):
    session = answered(blobs.ask(), KINDS, 3)
    question = session.question
    for call, message in [
        (lambda: session.answer("togehter"), "did you mean 'together'"),
        (lambda: session.answer("together", samples=(1, 60)), "from 0 to 59"),
        (lambda: session.answer("together", samples=(-1, 3)), "from 0 to 59"),
        (lambda: session.answer("together", samples=(4, 4)), "twice"),
        (lambda: session.answer("together", samples=(4,)), "two row indices"),
        (lambda: session.answer("maybe", samples=(4, 5)), "together"),
        (lambda: session.answer("apart", samples=4), "two row indices"),
        (lambda: session.answer(["apart"]), "together"),
        (lambda: session.name(99, "x"), "group must be"),
        (lambda: session.name(0, " "), "non-empty"),
        (lambda: session.name(0, "red\x1b[31m"), "control characters, got 'red.x1b"),
        (lambda: session.name(0, "\ud800"), "control characters"),
        (lambda: session.name(0, "x" * 10_000), "at most 200 characters"),
        (lambda: blobs.ask("names").answer(""), "non-empty"),
        (lambda: blobs.ask("names").answer("apart"), "two samples"),
        (lambda: blobs.ask("words"), "mode must be"),
        (lambda: blobs.ask(error_rate=0.5), r"in \[0, 0\.5\)"),
        (lambda: blobs.ask(error_rate="no"), r"in \[0, 0\.5\) or \"auto\", got 'no'"),
        (lambda: blobs.ask(random_state=-1), "non-negative integer"),
        (lambda: blobs.take(3), r"session must be a session returned by ask\(\)"),
        (lambda: session.simulate(KINDS[:9], 5), "one class per sample .60"),
        (lambda: session.simulate(KINDS, -5), "at least 0"),
        (lambda: session.simulate(KINDS, 5, 2.0), "from 0 to 1"),
        (lambda: blobs.ask(data=[1, 2]), "one row per sample"),
    ]:
        with pytest.raises(ValueError, match=message):
            call()
        assert session.question.samples == question.samples
        assert len(session.history_) == 3
    session.answer("apart", question=question)
    with pytest.raises(ValueError, match="has already been answered"):
        session.answer("apart", question=question)


def test_a_question_stays_current_when_its_answer_is_undone(blobs):
    session = blobs.ask(random_state=0)
    first = session.question
    stale = session.answer("unknown", question=first).question
    session.undo()
    assert session.question == first
    assert session.answer("together", question=first).question.samples != stale.samples
    with pytest.raises(ValueError, match=r"question 1 .* answered; .* is now question 1, about"):
        session.answer("apart", question=stale)


def test_questions_need_a_fit_without_labels(blobs):
    fitted = ParetoClustering(random_state=0).fit(THREE, np.where(np.arange(60) < 9, KINDS, -1))
    with pytest.raises(ValueError, match="without labels"):
        fitted.ask()
    assert fitted.relabel().ask().question is not None
    with pytest.raises(ValueError, match="without labels"):
        fitted.relabel(must_link=[(0, 1)]).ask()


def test_landmarks():
    many, y = make_blobs(400, centers=4, cluster_std=1.0, random_state=1)
    fitted = ParetoClustering(n_landmarks=60, random_state=0).fit(many)
    session = fitted.ask()
    np.testing.assert_array_equal(session.labels_, fitted.labels_)
    course = answered(session, y, 25)
    assert adjusted_rand_score(y, course.labels_) > 0.9
    assert len(course.question.concerns) <= 400
    # Two samples of one landmark cannot be parted.
    i, j = np.flatnonzero(fitted.landmark_of_ == fitted.landmark_of_[0])[:2]
    course.answer("apart", samples=(i, j))


@pytest.mark.slow
def test_distances_bags_and_text():
    D = np.linalg.norm(THREE[:, None] - THREE, axis=2)
    distances = ParetoClustering(metric="precomputed", random_state=0).fit(D)
    assert distances.ask().simulate(KINDS, 40)["ari"].iloc[-1] > 0.9
    rng = np.random.default_rng(0)
    bags = [rng.normal(4 * (i % 2), 1, size=(5, 2)) for i in range(24)]
    course = ParetoBagClustering(random_state=0).fit(bags).ask().simulate(np.arange(24) % 2, 25)
    assert course["ari"].iloc[-1] == 1.0
    words = sp.csr_array(rng.poisson(np.kron(np.eye(2) + 0.1, np.ones((15, 40)))))
    text = ParetoClustering(random_state=0).fit(words)
    assert text.ask().simulate(np.repeat([0, 1], 15), 20)["ari"].iloc[-1] == 1.0


def test_one_cluster_and_equal_rows():
    session = ParetoClustering(random_state=0).fit(np.zeros((6, 2))).ask()
    for _ in range(40):
        if session.question is None:
            break
        session.answer("together")
    assert session.n_clusters_ == 1


def test_a_notebook_shows_samples_and_state(blobs, tmp_path, monkeypatch):
    frame = pd.DataFrame(THREE, columns=["width", "<height>"])
    shown = blobs.ask(data=frame)._repr_html_()
    assert "width" in shown
    assert "&lt;height&gt;" in shown
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    assert "<img" not in shown
    shown = blobs.ask(data=pd.DataFrame({"picture": ["a.png"] * 60}))._repr_html_()
    assert shown.count('<img src="data:image/png;base64,iVBORw0KGgo="') == 2
    texts = blobs.ask(data=["<b>a text</b>"] * 60)._repr_html_()
    assert "&lt;b&gt;a text" in texts
    assert "What is the class" in blobs.ask("names")._repr_html_()
    assert "expected_error" in repr(blobs.ask())


def test_a_widget_answers(blobs, monkeypatch):
    widgets = pytest.importorskip("ipywidgets")
    session = blobs.ask()
    box = session.widget()
    assert isinstance(box, widgets.VBox)
    together, apart, unknown, undo = box.children[1].children
    for button in (together, apart, unknown):
        button.click()
    assert len(session.history_) == 3
    for _ in range(4):
        undo.click()
    assert session.history_.empty
    assert "no answer to undo" in box.children[2].value
    named = blobs.ask("names")
    field, button, unknown, undo = named.widget().children[1].children
    field.value = "first"
    button.click()
    unknown.click()
    assert named.history_["answer"].tolist() == ["first", "unknown"]


def test_a_widget_needs_ipywidgets(blobs, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ipywidgets", None)
    with pytest.raises(ImportError, match=r"moo_clustering\[notebook\]"):
        blobs.ask().widget()


def test_sessions_and_models_that_asked_can_be_pickled(blobs):
    session = answered(blobs.ask(), KINDS, 8)
    copy = pickle.loads(pickle.dumps(session))
    assert copy.question.samples == session.question.samples
    other = pickle.loads(pickle.dumps(blobs))
    np.testing.assert_array_equal(other.ask().labels_, blobs.ask().labels_)
