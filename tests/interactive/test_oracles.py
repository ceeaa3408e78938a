"""Questions answered by functions and by known classes."""

import threading
import time
from itertools import pairwise

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from moo_clustering import ParetoClustering
from moo_clustering.interactive import SessionFileError, simulate
from moo_clustering.interactive.questions import learnt_error_rate

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
    with pytest.raises(ValueError, match=r"a function, or contain one class per sample \(60\), got 2"):
        model.ask().run([0, 1])
    for oracle in ("yes", None, 3):
        with pytest.raises(TypeError, match=r"a function, or contain one class per sample \(60\), got"):
            model.ask().run(oracle)
    with pytest.raises((ValueError, TypeError), match="budget"):
        model.ask().run(by_kind, -1)


def apart_from_kinds(wrong):
    """Answers by kind, except for questions for which ``wrong`` is true."""

    def answer(question):
        word = by_kind(question)
        return {"together": "apart", "apart": "together"}[word] if wrong(question) else word

    return answer


def test_an_error_rate_is_learnt_from_repeats():
    # The prior share of differing repeats is 2 * .1 * .9 = .18, with the weight of four.
    assert learnt_error_rate(0, 0, prior=0.1) == pytest.approx(0.1)
    # One of one differs: share (.72 + 1) / 5 = .344 = 2 e (1 - e), so e = (1 - sqrt(1 - .688)) / 2.
    assert learnt_error_rate(0, 1, prior=0.1) == 0.2207
    # None of four differs: share .72 / 8 = .09, e = (1 - sqrt(.82)) / 2.
    assert learnt_error_rate(4, 0, prior=0.1) == 0.0472
    # Contradicting itself throughout is as good as tossing a coin.
    assert learnt_error_rate(0, 40, prior=0.03) == 0.45


def test_repeats_are_rare_swapped_and_learnt_from(model):
    session = model.ask(error_rate="auto").run(by_kind, 30)
    history = session.history_
    repeats = history.index[history["kind"] == "repeat"].tolist()
    # .2 wrong answers are expected in 7 answers with .03, and in 9 with .0239. No sample is pending then.
    assert repeats[0] == 7
    assert all(later - earlier > 9 for earlier, later in pairwise(repeats))
    for number in repeats:
        i, j, answer = history.loc[number, ["i", "j", "answer"]]
        first = history[(history["i"] == j) & (history["j"] == i)]
        assert first.index[0] < number
        assert first["answer"].tolist() == [answer]
    assert session.error_rate_ == learnt_error_rate(len(repeats), 0, prior=0.03)
    must, cannot = session.pairs()
    assert len(must) + len(cannot) == 30 - len(repeats)
    assert "An estimated 2% of the answers are wrong" in session.summary()
    fixed = model.ask().run(by_kind, 30)
    assert "repeat" not in set(fixed.history_["kind"])
    assert fixed.error_rate_ == 0.03
    assert "An estimated" not in fixed.summary()
    assert "repeat" not in set(model.ask("names", error_rate="auto").run(by_kind, 30).history_["kind"])


def test_answers_by_position_count_as_unknown(model, tmp_path):
    path = tmp_path / "answers.json"
    session = model.ask(error_rate="auto", path=path)
    session.run(lambda question: "together" if question.samples[0] < question.samples[1] else "apart", 7)
    before, labels = session.history_, session.labels_
    b, a = session.question.samples
    (number,) = before.index[(before["i"] == a) & (before["j"] == b)]
    first = before["answer"][number]
    assert session.question.kind == "repeat"
    session.answer({"together": "apart", "apart": "together"}[first])
    after = session.history_
    assert after["answer"].iloc[:-1].equals(before["answer"])
    assert after["contradicts"].iloc[-1] == number
    # (4 * .0582 + 1) / 5 = .2466 of the repeats differ.
    assert session.error_rate_ == pytest.approx((1 - np.sqrt(1 - 2 * 0.24656)) / 2, abs=1e-4)
    assert not {(a, b), (b, a)} & {tuple(pair) for pairs in session.pairs() for pair in pairs.tolist()}
    # The same as if the first answer had been unknown.
    other = model.ask(error_rate="auto")
    for row in before.itertuples():
        word = "unknown" if row.Index == number else row.answer
        other._add({"answer": word, "samples": [row.i, row.j], "kind": row.kind})
    np.testing.assert_array_equal(other.labels_, session.labels_)
    resumed = model.ask(resume=path)
    assert resumed.error_rate == "auto"
    assert resumed.error_rate_ == session.error_rate_
    assert resumed.history_.equals(after)
    assert resumed.question.samples == session.question.samples
    np.testing.assert_array_equal(resumed.labels_, session.labels_)
    assert resumed.undo().history_.equals(before)
    assert resumed.error_rate_ == 0.03
    assert resumed.question.samples == (b, a)
    np.testing.assert_array_equal(resumed.labels_, labels)
    assert resumed.redo().history_.equals(after)
    # The first answer counts again where the other one is changed or taken back.
    assert resumed.reopen(7, first).history_["answer"].tolist() == [*before["answer"], first]
    assert resumed.error_rate_ == learnt_error_rate(1, 0, prior=0.03)
    assert resumed.undo().history_.equals(after)
    assert resumed.reopen(7).history_.equals(before)
    np.testing.assert_array_equal(resumed.labels_, labels)
    assert resumed.undo().history_.equals(after)
    assert model.ask(resume=path).history_.equals(after)


def test_every_state_of_a_session_that_learns_is_restored(model, tmp_path):
    path = tmp_path / "answers.json"
    session = model.ask(error_rate="auto", path=path)
    wrong = apart_from_kinds(lambda question: question.kind != "repeat" and sum(question.samples) % 4 == 0)
    seen = []
    for _ in range(25):
        seen.append((session.labels_, session.error_rate_, session.question.samples))
        session.run(wrong, 1)
    assert session.history_["contradicts"].ge(0).any()
    assert session.error_rate_ > 0.1
    assert model.ask(resume=path).history_.equals(session.history_)
    again = model.ask(error_rate="auto").run(wrong, 25)
    assert again.history_.equals(session.history_)
    session.save(tmp_path / "copy.json")
    copy = model.ask(resume=tmp_path / "copy.json")
    assert copy.history_.equals(session.history_)
    for labels, rate, samples in reversed(seen):
        copy.undo()
        np.testing.assert_array_equal(copy.labels_, labels)
        assert (copy.error_rate_, copy.question.samples) == (rate, samples)


def test_a_confident_answer_counts_for_more(model):
    question = model.ask().question
    logit = np.log(question.probability / (1 - question.probability))
    for confidence, odds in ((None, np.log(0.97 / 0.03)), (0.9, np.log(9.0)), (1, np.log(999.0))):
        session = model.ask().answer("apart", confidence=confidence)
        i, j = question.samples
        g, h = (session._inquiry.standing_for[sample] for sample in (i, j))
        assert session._inquiry._between_groups[g, h] == pytest.approx(-odds)
    # One answer "together" joins two groups if log-odds then exceed log 4.
    least = 1 / (1 + np.exp(logit - np.log(4)))
    joined = [
        model.ask().answer("together", confidence=least + step).labels_[list(question.samples)].tolist()
        for step in (-0.01, 0.01)
    ]
    assert [len({*labels}) for labels in joined] == [2, 1]


def test_oracles_are_confident(model, tmp_path):
    path = tmp_path / "answers.json"
    session = model.ask(path=path).run(lambda question: (by_kind(question), 0.8), 12)
    assert model.ask(resume=path).history_.equals(session.history_)
    assert not session.history_.equals(model.ask().run(by_kind, 12).history_)
    named = model.ask("names", path=tmp_path / "names.json").run(
        lambda question: (by_kind(question), 0.8), 12
    )
    assert model.ask(resume=tmp_path / "names.json").history_.equals(named.history_)
    session.reopen(3, "unknown")
    assert model.ask(resume=path).history_.equals(session.history_)
    for confidence in (0.5, 1.1, 0, float("nan")):
        with pytest.raises(ValueError, match="confidence must be"):
            model.ask().answer("apart", confidence=confidence)
    with pytest.raises(TypeError, match="confidence must be a number"):
        model.ask().answer("apart", confidence="high")
    with pytest.raises(ValueError, match="a positive error_rate"):
        model.ask(error_rate=0.0).answer("apart", confidence=0.9)
    with pytest.raises(ValueError, match="the oracle answered"):
        model.ask().run(lambda question: ("apart", 0.9, "because"), 1)
    with pytest.raises(ValueError, match=r"the oracle answered '' about sample \d+: a name must be"):
        model.ask("names").run(lambda question: "", 1)
    path.write_text(path.read_text().replace("0.8", "0.3"))
    with pytest.raises(SessionFileError, match="not a valid answer"):
        model.ask(resume=path)


def test_a_simulated_bias_follows_the_order(model):
    session = model.ask(error_rate="auto")
    simulate(session, KINDS, 40, position_bias=1.0)
    history = session.history_
    repeated = history["kind"] == "repeat"
    assert (history["answer"].eq("together") == (history["i"] < history["j"])).all()
    assert history["contradicts"][repeated].ge(0).all()
    assert session.error_rate_ > 0.3
    none = model.ask(error_rate="auto").simulate(KINDS, 20, position_bias=0.0)
    assert none.equals(model.ask(error_rate="auto").simulate(KINDS, 20))
    with pytest.raises(ValueError, match="position_bias"):
        model.ask().simulate(KINDS, 20, position_bias=2.0)


@pytest.mark.slow
def test_repeats_make_wrong_answers_harmless(model):
    """One wrong "together" joins two groups for good, unless it is repeated."""
    final = {}
    for error_rate in (0.03, "auto"):
        courses = [
            model.ask(error_rate=error_rate).simulate(KINDS, 60, 0.2, random_state=seed) for seed in range(8)
        ]
        final[error_rate] = np.mean([course["ari"].iloc[-1] for course in courses])
    assert final["auto"] >= final[0.03] - 0.02


def test_words_about_pairs_and_unknown_samples_name_no_cluster(model):
    session = model.ask()
    for word in ("together", "apart", "unknown"):
        session.answer(word)
    assert not {"together", "apart", "unknown"} & set(session.groups_["name"])
    assert session.history_["answer"].tolist() == ["together", "apart", "unknown"]
    session = model.ask("names").answer("unknown")
    assert "unknown" not in set(session.groups_["name"])
    assert "red" in set(session.answer("red").groups_["name"])
