"""`AnswerSession`, which asks questions about samples and updates a partition after each answer."""

import errno
import html
import json
import os
import unicodedata
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit

from moo_clustering._arrays import choice, integer, optional_package, probability, warn_caller
from moo_clustering._data import checked_array
from moo_clustering._docs import documented
from moo_clustering._messages import checked_path, did_you_mean, quoted
from moo_clustering._types import Int64Array, Labels
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.interactive.partition import QuestionPool
from moo_clustering.interactive.questions import Inquiry, Proposal, State, learnt_error_rate
from moo_clustering.interactive.shown import ShownSamples
from moo_clustering.interactive.simulation import Question as Question
from moo_clustering.interactive.simulation import asked_samples, share_moved, simulate, within
from moo_clustering.persistence import creating, fingerprint, read_bytes, replacing, version_fault

SIGNS = {"together": 1, "apart": -1, "unknown": 0}
_WORDS = {sign: word for word, sign in SIGNS.items()}
_FORMAT, _VERSION = "moo_clustering answers", 1
_LONGEST_NAME = 200
_LARGEST = 2**26  # maximum size of an answer file in bytes
_OF_AN_ANSWER = {"answer", "name", "confidence", "withdrawn"}  # entries of an answer, not of its question
# If the expected error is below _PRESENTABLE, the session suggests inspecting the result. If it is below
# _LITTLE_TO_GAIN, the session suggests stopping.
_PRESENTABLE, _LITTLE_TO_GAIN = 0.05, 0.02
# A contradiction is reported if an answer lowers a probability from above this value to below 0.5.
_SURE = 0.9
# The initial error rate is _USUAL_RATE. A repeat is due after _WRONG_BEFORE_REPEAT expected wrong answers.
_USUAL_RATE, _WRONG_BEFORE_REPEAT = 0.03, 0.2
# Repeating a question about groups is more valuable, because its answer affects more samples.
_VALUES_OF_REPEATS = {"groups": 1.0, "sample": 0.1}


class SessionFileError(ValueError):
    """Raised if an answer file is damaged, has another format, or belongs to another fit."""


class AnswerSession:
    """Improve a partition using answers to questions such as "do these two samples belong together?".

    ``ParetoClustering.ask`` and ``ParetoBagClustering.ask`` create sessions. Each answer updates ``labels_``
    from the partitions of the fit, which is not repeated. Samples with answers form groups, and a kernel
    based on the partitions extends the groups to all other samples. A cluster in which no sample has an
    answer remains a group of its own. If the groups with answers have more than two clusters on average, its
    samples join them instead. Answers can contradict each other. A single wrong answer does little harm.

    Parameters
    ----------
    base : QuestionPool
        Pool of partitions from a fit.
    mode : {"pairs", "names"}, default="pairs"
        With "pairs", questions ask whether two samples belong together; answers are "together", "apart" or
        "unknown". With "names", questions ask for the class of a sample; answers are a class or "unknown".
    error_rate : float or "auto", default=0.03
        Assumed fraction of wrong answers, in [0, 0.5). With 0, all answers are certain, and a contradiction
        raises an error. With "auto", the fraction is estimated (see Notes).
    random_state : int, default=0
        Seed for selecting the samples to ask about.
    path : path, optional
        File to which each answer is written immediately.
    data : array-like, DataFrame or sequence of str, optional
        Features or texts of the samples to display in a notebook. Paths to images (PNG, JPEG, GIF or WebP)
        below the current directory are displayed as pictures.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
    n_clusters_ : int
    expected_error_ : float
        Expected fraction of samples in a wrong cluster. It helps to decide when to stop; its accuracy is
        described in :doc:`/papers/interactive`.
    error_rate_ : float
        Estimated fraction of wrong answers, or the fraction specified by the user.

    Notes
    -----
    With ``error_rate="auto"``, ``error_rate_`` starts at 0.03, and some questions about pairs are repeated
    with the two samples swapped. If the two answers differ, both count as "unknown". ``error_rate_`` then
    rises, and more questions are repeated. The weights of answers are always those for an error rate of 0.03.
    Unless ``error_rate=0``, answers about other samples can overrule the name of a sample. A wrong answer
    that joined two groups is never undone automatically; use :meth:`undo` or :meth:`reopen`. After equally
    many answers, the mode "names" leads to better partitions than "pairs" (:doc:`/papers/interactive`).

    An answer takes O(m p (g + c) + n) time and O(m^2) memory. Here, m is the number of samples or landmarks,
    p the number of relevant partitions, g the number of groups, c = 90 the number of candidates for the next
    question, and n the number of samples.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from moo_clustering import ParetoClustering
    >>> X, classes = make_moons(200, noise=0.05, random_state=0)
    >>> session = ParetoClustering(scale="isotropic", random_state=0).fit(X).ask()
    >>> i, j = session.question.samples
    >>> session = session.answer("together" if classes[i] == classes[j] else "apart")
    >>> session.n_clusters_, len(session.history_)
    (2, 1)
    """

    def __init__(
        self,
        base: QuestionPool,
        *,
        mode: Literal["pairs", "names"] = "pairs",
        error_rate: float | Literal["auto"] = _USUAL_RATE,
        random_state: int = 0,
        path: str | os.PathLike[str] | None = None,
        data: Any = None,
    ) -> None:
        auto = isinstance(error_rate, str) and error_rate == "auto"
        if not auto and not (isinstance(error_rate, int | float | np.number) and 0 <= error_rate < 0.5):
            raise ValueError(f'error_rate must be in [0, 0.5) or "auto", got {quoted(error_rate)}')
        if not isinstance(random_state, int | np.integer) or random_state < 0:
            raise ValueError(f"random_state must be a non-negative integer, got {quoted(random_state)}")
        if data is not None and np.shape(data)[:1] != (base.n_samples,):
            expected = f"data must have one row per sample ({base.n_samples})"
            raise ValueError(f"{expected}, got shape {np.shape(data)}")
        self._mode: Literal["pairs", "names"] = choice("mode", mode, ("pairs", "names"))
        self.error_rate: float | Literal["auto"] = "auto" if auto else float(error_rate)
        self.random_state = int(random_state)
        self._base, self._data = base, data
        self._fingerprint = fingerprint(base.pool.labels, base.landmark_of)
        self.error_rate_ = _USUAL_RATE if auto else float(error_rate)
        self._inquiry = Inquiry(
            base, State(), error_rate=self.error_rate_, names=mode == "names", seed=self.random_state
        )
        # Each entry is the state before an answer, the event of the answer, and its row in the history.
        self._past: list[tuple[State, dict[str, Any], dict[str, Any]]] = []
        self._undone: list[dict[str, Any]] = []
        # Each entry is the number of answers after a revision, its event, and the former answers and state.
        self._reopened: list[tuple[int, dict[str, Any], list[Any], State]] = []
        self._events: list[dict[str, Any]] = []
        self._path: Path | None = None
        self._refresh()
        if path is not None:
            self._write_from(checked_path(path))

    @property
    def mode(self) -> Literal["pairs", "names"]:
        """Kind of questions: ``"pairs"`` or ``"names"``."""
        return self._mode

    def is_about(self, labels: Labels, landmark_of: Labels | None) -> bool:
        """Return whether the session belongs to the fit with the given pool and landmarks."""
        # The session's pool may contain the result of the fit as an additional, last partition.
        own = self._base.pool.labels[: len(labels)]
        return fingerprint(own, self._base.landmark_of) == fingerprint(labels, landmark_of)

    def _refresh(self) -> None:
        spread = self._inquiry.spread
        groups = spread.labels_of_samples()
        self.labels_ = relabel_by_first_appearance(groups)
        self.n_clusters_ = int(self.labels_.max()) + 1
        self._group_of_number = np.empty(self.n_clusters_, dtype=np.intp)
        self._group_of_number[self.labels_] = groups
        # ``_number`` is the label of each group in ``labels_``, or -1 if the group has no samples.
        self._number = np.full(spread.n_groups, -1, dtype=np.int32)
        self._number[groups] = self.labels_
        self.expected_error_ = spread.expected_error
        if self.error_rate == "auto":
            repeats = [line for _, _, line in self._past if line["kind"] == "repeat"]
            differed = sum(line["contradicts"] >= 0 for line in repeats)
            agreed = sum(line["agrees"] for line in repeats)
            self.error_rate_ = learnt_error_rate(agreed, differed, prior=_USUAL_RATE)
        self._question: Question | None = None
        self._asked = False

    @property
    def may_stop_(self) -> bool:
        """Whether to stop asking: ``expected_error_`` is below 0.02, or no question is left."""
        return self.expected_error_ < _LITTLE_TO_GAIN or self.question is None

    @property
    def question(self) -> Question | None:
        """Next question, or None if no question is left."""
        if not self._asked:
            proposal = self._repeat() or self._inquiry.proposal
            self._question = None if proposal is None else self._question_of(proposal)
            self._asked = True
        return self._question

    def _question_of(self, proposal: Proposal) -> Question:
        spread, base = self._inquiry.spread, self._base
        if proposal.kind == "groups":
            smaller = min(proposal.groups, key=lambda g: spread.sizes[g])
            points = np.flatnonzero(spread.group == smaller)
        else:
            around = spread.together(np.array(proposal.points[:1]), np.arange(base.n_points))[0]
            points = np.union1d(np.flatnonzero((around > 0.5) & (spread.error > 0)), proposal.points[:1])
        if base.landmark_of is not None:
            points = np.flatnonzero(np.isin(base.landmark_of, points))
        samples = tuple(int(base.sample_of[point]) for point in proposal.points)
        number = self._inquiry.state.n_answers
        return Question(samples, proposal.kind, proposal.probability, proposal.value, points, number)

    def answer(
        self,
        answer: str,
        *,
        confidence: float | None = None,
        samples: Sequence[int] | None = None,
        question: Question | None = None,
    ) -> Self:
        """Answer the current question, or state whether two other samples belong together.

        Raises a ValueError if the answer or the confidence is not allowed, if a sample does not exist or is
        compared with itself, or if no question is left. Raises an InconsistentConstraintsError if
        ``error_rate=0`` and the answer contradicts earlier answers.

        Parameters
        ----------
        answer : str
            "together", "apart" or "unknown"; with ``mode="names"``, the sample's class or "unknown".
        confidence : float, optional
            Probability of a correct answer, in (0.5, 1]. Default: 1 - ``error_rate``, or 0.97 for "auto".
        samples : pair of int, optional
            Two samples that belong "together" or "apart", instead of the samples in the question.
        question : Question, optional
            Question to answer. Raises a ValueError if it is not the current question.
        """
        sure = self._checked_confidence(confidence)
        if samples is not None:
            i, j = self._checked_pair(samples)
            return self._do({"answer": _checked_word(answer), "samples": [i, j], **sure})
        if (present := self.question) is None:
            raise ValueError("no questions are left; pass samples=(i, j) to answer about two samples")
        if question is not None and (question.number, question.samples) != (present.number, present.samples):
            said = f"question {question.number} has already been answered"
            shown = f"question {present.number}, about samples {list(present.samples)}"
            raise ValueError(f"{said}; session.question is now {shown}")
        if self._mode == "pairs":
            word = _checked_word(answer)
        elif answer in ("together", "apart"):
            remedy = f'answer with the class of sample {present.samples[0]} or "unknown"'
            raise ValueError(f"{answer!r} is an answer about two samples; {remedy}, or pass samples=(i, j)")
        else:
            word = answer if answer == "unknown" else _checked_name(answer)
        return self._do({"answer": word, "samples": list(present.samples), "kind": present.kind, **sure})

    def _checked_confidence(self, confidence: float | None) -> dict[str, float]:
        if confidence is None:
            return {}
        if (value := probability("confidence", confidence)) <= 0.5:
            raise ValueError(f"confidence must be in (0.5, 1], got {quoted(confidence)}")
        if self.error_rate == 0.0:
            raise ValueError("confidence requires a positive error_rate; with 0, all answers are certain")
        return {"confidence": value}

    def run(
        self,
        oracle: Callable[[Question], str | tuple[str, float] | None] | ArrayLike,
        budget: int | None = None,
        *,
        time_limit: float | None = None,
    ) -> Self:
        """Answer questions from known classes, or with a function that asks a person or a model.

        Raises a ValueError that names the question if an answer is not allowed, and a TimeoutError if the
        function takes longer than ``time_limit``. The answers before the error are kept.

        Parameters
        ----------
        oracle : callable or array-like of shape (n_samples,)
            ``oracle(question)`` returns an answer (see :meth:`answer`), a tuple of an answer and its
            confidence, or None to stop. An array contains classes; None, NaN, "" and -1 mean unknown.
        budget : int, optional
            Maximum number of answers. By default, questions end once ``may_stop_`` is True.
        time_limit : float, optional
            Maximum number of seconds for each answer.

        Examples
        --------
        >>> from sklearn.datasets import make_moons
        >>> from moo_clustering import ParetoClustering
        >>> X, classes = make_moons(100, noise=0.05, random_state=0)
        >>> session = ParetoClustering(scale="isotropic", random_state=0).fit(X).ask()
        >>> session.run(lambda question: "together" if len({*classes[[*question.samples]]}) == 1 else "apart")
        AnswerSession(mode='pairs', n_answers=..., n_clusters=2, expected_error=0...)
        """
        answers = oracle if callable(oracle) else self._answers_of(oracle)
        for _ in count() if budget is None else range(integer("budget", budget, 0)):
            if (question := self.question) is None or (budget is None and self.may_stop_):
                break
            answer = answers(question) if time_limit is None else within(time_limit, answers, question)
            if answer is None:
                break
            try:
                word, confidence = answer if isinstance(answer, tuple) else (answer, None)
                self.answer(word, confidence=confidence)
            except (ValueError, TypeError, AttributeError) as error:
                said = f"the oracle answered {quoted(answer)} about {asked_samples(question)}: {error}"
                raise ValueError(said) from error
        return self

    def _answers_of(self, classes: Any) -> Callable[[Question], str]:
        n = self._base.n_samples
        expected = f"oracle must be a function, or contain one class per sample ({n})"
        if isinstance(classes, str) or np.ndim(classes) != 1:
            raise TypeError(f"{expected}, got {quoted(classes)}")
        known = checked_array(classes, "oracle")
        if len(known) != n:
            raise ValueError(f"{expected}, got {len(known)}")
        names = ["-1" if v is None or v != v or v == -1 else str(v).strip() for v in known.tolist()]

        def answer(question: Question) -> str:
            asked = [names[sample] for sample in question.samples]
            if any(name in ("", "-1") for name in asked):
                return "unknown"
            return asked[0] if len(asked) == 1 else "together" if asked[0] == asked[1] else "apart"

        return answer

    def name(self, group: int, name: str) -> Self:
        """Name cluster ``group`` of ``labels_``. Clusters with the same name are merged."""
        if not isinstance(group, int | np.integer) or not 0 <= group < self.n_clusters_:
            expected = f"a cluster label from 0 to {self.n_clusters_ - 1}"
            raise ValueError(f"group must be {expected}, got {quoted(group)}")
        founder = self._inquiry.founders[int(self._group_of_number[group])][0]
        return self._do({"name": _checked_name(name), "samples": [int(self._base.sample_of[founder])]})

    def undo(self) -> Self:
        """Undo the last answer or call of :meth:`reopen`. Raises a ValueError if there is nothing to undo."""
        if not self._past and not self._reopened:
            raise ValueError("there is no answer to undo")
        self._record({"undo": True})
        self._undo()
        return self

    def _undo(self) -> None:
        if self._reopened and self._reopened[-1][0] == len(self._past):
            _, event, self._past, state = self._reopened.pop()
        else:
            state, event, _ = self._past.pop()
        self._undone.append(event)
        self._inquiry = self._inquiry.at(state)
        self._refresh()

    def reopen(self, number: int, answer: str | None = None) -> Self:
        """Change the answer in row ``number`` of ``history_``, or remove it if ``answer`` is None.

        Later answers are kept. Raises a ValueError if the row does not exist or the answer is invalid.
        """
        return self._do({"reopen": number, "answer": self._checked_revision(number, answer)})

    def _checked_revision(self, number: int, answer: str | None) -> str | None:
        if not isinstance(number, int) or not 0 <= number < len(self._past):
            expected = f"a row index of history_, which has {len(self._past)} rows"
            raise ValueError(f"number must be {expected}, got {quoted(number)}")
        event = self._past[number][1]
        if answer is None or len(event["samples"]) == 2:
            return answer and _checked_word(answer)
        return answer if answer == "unknown" and "name" not in event else _checked_name(answer)

    def _replace(self, number: int, events: list[dict[str, Any]]) -> None:
        """Drop answer ``number`` and all later answers, and apply ``events`` instead."""
        self._past, self._inquiry = self._past[:number], self._inquiry.at(self._past[number][0])
        self._refresh()
        for event in events:
            self._add(event)

    def redo(self) -> Self:
        """Redo the last undone answer. Raises a ValueError if nothing was undone since the last answer."""
        if not self._undone:
            raise ValueError("there is no answer to redo")
        self._record({"redo": True})
        self._apply(self._undone.pop())
        return self

    def _do(self, event: dict[str, Any]) -> Self:
        if self.error_rate == 0.0:
            self._refuse_contradiction(event)
        self._record(event)
        self._undone.clear()
        self._apply(event)
        return self

    def _apply(self, event: dict[str, Any]) -> None:
        before, present = self._past, self._inquiry.state
        if "reopen" in event:
            number, answer = event["reopen"], self._checked_revision(event["reopen"], event["answer"])
            events = [again for _, again, _ in before]
            old = events[number]
            key = "name" if "name" in old else "answer"
            kept = {name: value for name, value in old.items() if name not in _OF_AN_ANSWER}
            start = number
            if (first := self._repeated(old)) >= 0:
                # The revised repeat may now agree with the first answer, which is therefore applied again.
                start, events[first] = first, events[first] | {"withdrawn": False}
            events[number : number + 1] = [] if answer is None else [kept | {key: answer}]
            self._replace(start, events[start:])
        else:
            self._add(event)
        if self._past is not before:
            self._reopened.append((len(self._past), event, before, present))

    def _add(self, event: dict[str, Any]) -> None:
        first, word = self._repeated(event), event.get("answer", "")
        former = self._past[first][1] if first >= 0 else {}
        differs = {former.get("answer"), word} == {"together", "apart"}
        if differs and not former.get("withdrawn"):
            later = [again for _, again, _ in self._past[first + 1 :]]
            self._replace(first, [former | {"withdrawn": True}, *later, event])
            return
        before, labels, confidence = self._inquiry, self.labels_, event.get("confidence")
        odds, points = before.odds(confidence), [self._point(sample) for sample in event["samples"]]
        probability, sign, agrees = float("nan"), 0, False
        if first >= 0:
            probability, sign = self._probability_after(former, self._past[first][2]), SIGNS[word]
            agrees = sign != 0 and former["answer"] == word
            after = before.after_repeat(points[0], points[1], sign if agrees else 0, odds)
        elif "name" in event or (len(points) == 1 and word != "unknown"):
            whole, name = "name" in event, event.get("name", word)
            after = before.after_name(points[0], name, whole_group=whole, confidence=confidence)
        elif len(points) == 1:
            after = before.after_unnamed(points[0])
        else:
            sign = 0 if event.get("withdrawn") else SIGNS[word]
            if (proposal := self._proposal_of(event, points)) is None:
                after = before.after_volunteered(points[0], points[1], sign, odds)
            else:
                probability = proposal.probability
                after = before.after_pair(proposal, sign, odds)
        contradicted = first if differs else -1
        if not former:
            contradicted = self._contradicted(points, sign, probability, odds)
        line = {
            "i": event["samples"][0],
            "j": event["samples"][1] if len(points) == 2 else -1,
            "answer": event.get("answer", event.get("name")),
            "kind": event.get("kind", "name" if "name" in event else "volunteered"),
            "probability": probability,
            "contradicts": contradicted,
            "agrees": agrees,
        }
        self._past.append((before.state, event, line))
        self._inquiry = after
        self._refresh()
        line |= {"moved": share_moved(labels, self.labels_), "n_clusters": self.n_clusters_}
        line["expected_error"] = self.expected_error_

    def _proposal_of(self, event: dict[str, Any], points: list[int]) -> Proposal | None:
        """Return the question that an event answers, or None if the answer was volunteered."""
        # The question is restored from the event, because another machine might select a different question.
        inquiry, (a, b) = self._inquiry, points
        g, h = int(inquiry.standing_for[a]), int(inquiry.standing_for[b])
        if "kind" not in event or h < 0:
            return None
        if event["kind"] == "sample":
            return Proposal("sample", (a, b), float(inquiry.posterior(a)[h]))
        if g < 0 or g == h:
            return None
        return Proposal("groups", (a, b), float(expit(inquiry.group_logits[g, h])))

    def _repeated(self, event: dict[str, Any]) -> int:
        """Return the row of the first answer to a repeated question, or -1 for all other events."""
        if event.get("kind") != "repeat":
            return -1
        asked = [one.get("kind", "repeat") != "repeat" and {*one["samples"]} for _, one, _ in self._past]
        return asked.index(own) if (own := {*event["samples"]}) in asked else -1

    def _repeat(self) -> Proposal | None:
        """Select a question to ask again, or return None if no repeat is due."""
        if self.error_rate != "auto" or self._inquiry.state.pending is not None:
            return None
        kinds = [line["kind"] for _, _, line in self._past]
        n_since = kinds[::-1].index("repeat") if "repeat" in kinds else len(kinds)
        if n_since * self.error_rate_ < _WRONG_BEFORE_REPEAT:
            return None
        repeated = {self._repeated(event) for _, event, _ in self._past}
        best, found = 0.0, None
        for number, (_, event, line) in enumerate(self._past):
            sign = SIGNS.get(event.get("answer", ""), 0) if len(event["samples"]) == 2 else 0
            if not sign or number in repeated or line["kind"] not in _VALUES_OF_REPEATS:
                continue
            p = self._probability_after(event, line)
            value = _VALUES_OF_REPEATS[line["kind"]] * (1.0 - p if sign > 0 else p)
            if value > best:
                b, a = (self._point(sample) for sample in event["samples"])
                best, found = value, Proposal("repeat", (a, b), p, value)
        return found

    def _probability_after(self, event: dict[str, Any], line: dict[str, Any]) -> float:
        """Return the probability that the samples of an event belong together, given its answer."""
        odds = SIGNS[event["answer"]] * self._inquiry.odds(event.get("confidence"))
        return float(expit(logit(np.clip(line["probability"], 1e-9, 1 - 1e-9)) + odds))

    def _contradicted(self, points: list[int], sign: int, probability: float, odds: float) -> int:
        """If an answer is very unlikely, return the row of the last opposite answer about one of its points.

        Otherwise, return -1.
        """
        if not sign or not np.isfinite(probability):
            return -1
        before = probability if sign < 0 else 1.0 - probability
        after = expit(logit(np.clip(before, 1e-9, 1 - 1e-9)) - odds)
        if before <= _SURE or after >= 0.5:
            return -1
        for number in range(len(self._past) - 1, -1, -1):
            event = self._past[number][1]
            contrary = event.get("answer") == _WORDS[-sign]
            if contrary and {self._point(sample) for sample in event["samples"]} & set(points):
                return number
        return -1

    def _point(self, sample: int) -> int:
        return sample if self._base.landmark_of is None else int(self._base.landmark_of[sample])

    def _checked_pair(self, samples: Sequence[int]) -> tuple[int, int]:
        pair = list(samples) if np.iterable(samples) else []
        if len(pair) != 2 or not all(isinstance(sample, int | np.integer) for sample in pair):
            raise ValueError(f"samples must be two row indices, got {quoted(samples)}")
        for sample in pair:
            if not 0 <= sample < self._base.n_samples:
                last = self._base.n_samples - 1
                raise ValueError(f"samples must be row indices from 0 to {last}, got {sample}")
        if pair[0] == pair[1]:
            raise ValueError(f"samples must be two different row indices, got {pair[0]} twice")
        return int(pair[0]), int(pair[1])

    def _refuse_contradiction(self, event: dict[str, Any]) -> None:
        if (left_out := event.get("reopen")) is not None:
            event = self._past[left_out][1] | {"answer": event["answer"]}
        if event.get("answer") in ("together", "apart") and len(event["samples"]) == 2:
            must, cannot = self._pairs("together", left_out), self._pairs("apart", left_out)
            links = bool(must or cannot)
            (must if event["answer"] == "together" else cannot).append(event["samples"])
            if links:
                PairwiseConstraints(must or None, cannot or None, n_samples=self._base.n_samples).groups()

    def _pairs(self, word: str, left_out: int | None = None) -> list[list[int]]:
        return [
            event["samples"]
            for number, (_, event, _) in enumerate(self._past)
            if event.get("answer") == word and len(event["samples"]) == 2 and number != left_out
            # If a question was repeated, only the first answer is used, or none if the answers differ.
            if event.get("kind") != "repeat" and not event.get("withdrawn")
        ]

    def pairs(self) -> tuple[Int64Array, Int64Array]:
        """Return the answers as must-links and cannot-links for ``fit``, each of shape (n_pairs, 2)."""
        must, cannot = (np.array(self._pairs(word), dtype=np.int64) for word in ("together", "apart"))
        return must.reshape(-1, 2), cannot.reshape(-1, 2)

    def partial_labels(self) -> NDArray[Any]:
        """Return the groups of the samples with answers as partial labels that can be passed to ``fit``.

        Returns
        -------
        ndarray of shape (n_samples,)
            Cluster in ``labels_`` of each answered sample, and -1 for all other samples. If all groups have
            names, the array has dtype object and contains the names instead of the labels.
        """
        spread = self._inquiry.spread
        names = [self._inquiry.name_of(group) for group in range(spread.n_real)]
        named = bool(names) and None not in names
        y = np.full(self._base.n_samples, -1, dtype=object if named else np.int64)
        known: Any = np.array(names, dtype=object) if named else self._number
        y[self._base.sample_of[spread.points]] = known[spread.groups]
        return y

    @property
    def groups_(self) -> pd.DataFrame:
        """One row per cluster: label, name, size, number of answered samples, and up to three examples."""
        inquiry, groups = self._inquiry, self._group_of_number.tolist()
        founders = [inquiry.founders[group] for group in groups]
        n_real = inquiry.spread.n_real
        return pd.DataFrame(
            {
                "group": range(len(groups)),
                "name": [inquiry.name_of(group) for group in groups],
                "size": np.bincount(self.labels_, minlength=self.n_clusters_),
                "anchors": [len(f) if g < n_real else 0 for g, f in zip(groups, founders, strict=True)],
                "exemplars": [self._base.sample_of[each[:3]].tolist() for each in founders],
            }
        )

    @property
    def history_(self) -> pd.DataFrame:
        """Answers and their effects, one row per answer. ``i`` and ``j`` are the samples, or -1 for none.

        ``probability`` is the probability, before the answer, that the two samples belong together. ``moved``
        is the fraction of samples that changed cluster. ``contradicts`` is the row of the earlier answer that
        the answer contradicts, or -1 if there is none.
        """
        columns = ["i", "j", "answer", "kind", "probability", "moved", "n_clusters", "expected_error"]
        columns.append("contradicts")
        return pd.DataFrame([line for _, _, line in self._past], columns=columns)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the answers to a JSON-lines file, from which ``ask(resume=path)`` can continue.

        An existing file is replaced atomically.
        """
        self._save(checked_path(path), replacing)

    def _save(self, path: Path, writer: Any) -> None:
        head = {
            "format": _FORMAT,
            "version": _VERSION,
            "fingerprint": self._fingerprint,
            "n_samples": self._base.n_samples,
            "mode": self._mode,
            "error_rate": self.error_rate,
            "random_state": self.random_state,
        }
        with writer(path) as file:
            file.write("".join(f"{json.dumps(entry)}\n" for entry in (head, *self._events)).encode())

    def _write_from(self, path: Path) -> None:
        """Write the session to a file, to which later events are appended."""
        try:
            if path.exists() and path.stat().st_size:
                raise FileExistsError
            self._save(path, replacing if path.exists() else creating)
        except FileExistsError as error:
            said = f"{path} already exists; continue it with ask(resume=path), or choose another file"
            raise SessionFileError(said) from error
        self._path, self._length = path, path.stat().st_size

    def _record(self, event: dict[str, Any]) -> None:
        """Store an event. If the session has a file, the event is first appended to the file."""
        if self._path is not None:
            line = (json.dumps(event) + "\n").encode()
            with open(self._path, "r+b", buffering=0) as file:
                if file.seek(0, os.SEEK_END) != self._length:
                    said = f"another session has written to {self._path}"
                    raise SessionFileError(f"{said}; resume it to continue from there")
                try:
                    if file.write(line) != len(line):
                        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self._path))
                    os.fsync(file.fileno())
                except OSError:
                    file.truncate(self._length)
                    raise
            self._length += len(line)
        self._events.append(event)

    @classmethod
    def resume(cls, base: QuestionPool, path: str | os.PathLike[str], *, data: Any = None) -> Self:
        """Continue a saved session, given the pool of its fit. New answers are appended to the file.

        ``data`` is displayed as in :class:`AnswerSession`. Raises a SessionFileError if the file is damaged,
        has another format, or belongs to another fit.
        """
        file = checked_path(path)
        head, events, complete = _read(file)
        options = {name: head[name] for name in ("mode", "error_rate", "random_state")}
        session = cls(base, **options, data=data)
        if head["fingerprint"] != session._fingerprint:
            raise SessionFileError(
                f"{file} contains answers about another fit ({head['n_samples']} samples); repeat the fit "
                "with the same data, parameters and random_state"
            )
        for number, event in enumerate(events):
            try:
                session._replay(event)
            except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
                said = f"{file} is damaged: line {number + 2} is not a valid answer ({quoted(event)})"
                raise SessionFileError(said) from error
            session._events.append(event)
        if not complete:
            session.save(file)
        session._path, session._length = file, file.stat().st_size
        return session

    def _replay(self, event: dict[str, Any]) -> None:
        if event.get("undo"):
            self._undo()
            return
        if event.get("redo"):
            self._apply(self._undone.pop())
            return
        if "reopen" not in event:
            samples = event["samples"]
            if len(samples) == 2:
                self._checked_pair(samples)
                _checked_word(event["answer"])
            elif len(samples) != 1 or not 0 <= samples[0] < self._base.n_samples:
                raise ValueError("unknown sample")
            else:
                _checked_name(event["name"] if "name" in event else event["answer"])
            self._checked_confidence(event.get("confidence"))
            if event.get("kind", "groups") not in ("groups", "sample", "repeat"):
                raise ValueError("unknown kind of question")
        self._undone.clear()
        self._apply(event)

    @documented(simulate)
    def simulate(
        self,
        y: ArrayLike,
        n_questions: int,
        error_rate: float = 0.0,
        *,
        position_bias: float = 0.0,
        random_state: int = 0,
    ) -> pd.DataFrame:
        """Create a new ``AnswerSession`` for the same fit, and answer its questions from known classes."""
        fresh = type(self)(
            self._base, mode=self._mode, error_rate=self.error_rate, random_state=self.random_state
        )
        return simulate(
            fresh, y, n_questions, error_rate, position_bias=position_bias, random_state=random_state
        )

    def __repr__(self) -> str:
        return (
            f"AnswerSession(mode={self._mode!r}, n_answers={len(self._past)}, n_clusters={self.n_clusters_}, "
            f"expected_error={self.expected_error_:.3f})"
        )

    def summary(self) -> str:
        """Return a summary in a few sentences, with advice on whether to stop."""
        real, n_answers, k = self._inquiry.spread.n_real, len(self._past), self.n_clusters_
        words = (
            f"{n_answers} answer{'s' * (n_answers != 1)}, {k} cluster{'s' * (k != 1)} ({real} confirmed). "
            f"About {self.expected_error_:.0%} of the samples may be in a wrong cluster."
        )
        if self.error_rate == "auto":
            words += f" An estimated {self.error_rate_:.0%} of the answers are wrong."
        if self.may_stop_:
            words += " Further answers would change little; you can stop."
        elif self.expected_error_ < _PRESENTABLE:
            words += " The result is good enough to inspect."
        return words

    def _repr_html_(self) -> str:
        state = f"<p>{html.escape(self.summary())}</p>"
        if (question := self.question) is None:
            return f"<div>{state}<p>No questions are left.</p></div>"
        asked = "Do these two samples belong together?"
        asked = asked if len(question.samples) == 2 else "What is the class of this sample?"
        return f"<div><p><b>{asked}</b></p>{self._shown.as_html(question.samples)}{state}</div>"

    @cached_property
    def _shown(self) -> ShownSamples:
        data, base = self._data, self._base
        if data is None:
            data = base.features if base.landmark_of is None else base.sample_features
        return ShownSamples.of(data, names=range(base.n_samples) if data is None else None)

    def widget(self) -> Any:
        """Return a notebook widget (``ipywidgets.VBox``) with buttons for answering the questions.

        Raises a MissingPackageError if ipywidgets is not installed (extra ``notebook``).
        """
        widgets = optional_package(
            "ipywidgets", "notebook", "a session's widget", "; or answer with session.answer"
        )
        shown, told = widgets.HTML(), widgets.HTML()

        def refresh(told_text: str = "") -> None:
            shown.value, told.value = self._repr_html_(), html.escape(told_text)

        def button(text: str, act: Any) -> Any:
            def press(_: Any) -> None:
                try:
                    act()
                    moved = self._past[-1][2]["moved"] if self._past else 0.0
                    refresh(f"{moved:.0%} of the samples moved.")
                except ValueError as error:
                    refresh(str(error))

            made = widgets.Button(description=text)
            made.on_click(press)
            return made

        buttons = [button("Undo", self.undo)]
        if self._mode == "pairs":
            words = {"Together": "together", "Apart": "apart", "Don't know": "unknown"}
            answers = {text: lambda word=word: self.answer(word) for text, word in words.items()}
            buttons = [*(button(text, act) for text, act in answers.items()), *buttons]
        else:
            field = widgets.Text(placeholder="class")
            named = button("Answer", lambda: self.answer(field.value))
            buttons = [field, named, button("Don't know", lambda: self.answer("unknown")), *buttons]
        refresh()
        return widgets.VBox([shown, widgets.HBox(buttons), told])


def _read(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]], bool]:
    """Return the header and the events of a file, and whether its last line ends with a line break."""
    # If a process was killed while writing, the unterminated last line is kept if it is complete JSON.
    try:
        text = read_bytes(path, _LARGEST).decode()
    except UnicodeDecodeError as error:
        raise SessionFileError(f"{path} is not an answer file: it is not valid UTF-8") from error
    except OSError as error:
        raise SessionFileError(f"{path} cannot be read: {error.strerror or error}") from error
    *lines, rest = text.split("\n")
    entries = []
    for number, line in enumerate([*lines, rest] if rest else lines, start=1):
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError) as error:
            if number <= len(lines):
                raise SessionFileError(f"{path} is damaged: line {number} is not valid JSON") from error
            if lines:
                warn_caller(f"{path}: the last line ({number}) is incomplete and was ignored")
            break
        if not isinstance(entry, dict):
            raise SessionFileError(f"{path} is damaged: line {number} is not a valid answer")
        entries.append(entry)
    if not entries or entries[0].get("format") != _FORMAT:
        raise SessionFileError(f"{path} is not an answer file")
    head, *events = entries
    if fault := version_fault(head.get("version"), _VERSION):
        raise SessionFileError(f"{path} {fault}")
    if missing := {"fingerprint", "n_samples", "mode", "error_rate", "random_state"} - head.keys():
        raise SessionFileError(f"{path} is damaged: its header lacks {', '.join(sorted(missing))}")
    return head, events, rest == ""


def has_answers(path: Path, *, undone: bool = True) -> bool:
    """Return whether an answer file contains answers. Without ``undone``, undone answers do not count."""
    try:
        return sum(-1 if event.get("undo") and not undone else 1 for event in _read(path)[1]) > 0
    except SessionFileError:
        content = read_bytes(path, _LARGEST)
        # If a session was killed while writing its header, the file contains no answers.
        return bool(content) and not (content.startswith(b'{"format": "moo_') and b"}" not in content)


def _checked_word(answer: str) -> str:
    if not isinstance(answer, str) or answer not in SIGNS:
        hint = did_you_mean(str(answer), SIGNS)
        raise ValueError(f'answer must be "together", "apart" or "unknown", got {quoted(answer)}{hint}')
    return answer


def _checked_name(name: str) -> str:
    if not isinstance(name, str) or not name.strip():
        raise ValueError(f"a name must be a non-empty string, got {name!r:.40}")
    if len(name) > _LONGEST_NAME:
        raise ValueError(f"a name must have at most {_LONGEST_NAME} characters, got {len(name)}")
    if any(unicodedata.category(letter) in ("Cc", "Cs") for letter in name):
        raise ValueError(f"a name must not contain control characters, got {name!r:.40}")
    return name.strip()
