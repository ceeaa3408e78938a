"""Questions for interactive clustering, and simulated answers from known classes."""

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from queue import Empty, Queue
from threading import Thread
from typing import Any, Literal, Protocol

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from moo_clustering._arrays import IntpArray, Labels, integer, probability
from moo_clustering._data import checked_array
from moo_clustering.interactive.questions import ordered
from moo_clustering.validity import pairwise_ari
from moo_clustering.validity.external import contingency, most_agreements


@dataclass(frozen=True)
class Question:
    """A question about one or two samples.

    Attributes
    ----------
    samples : tuple of int
        Two samples that may belong together, or one sample whose class is to be named.
    kind : {"groups", "sample", "repeat"}
        "groups": the question is about two groups. "sample": it is about the group of the first sample.
        "repeat": it repeats an answered question with the two samples swapped.
    probability : float
        Probability, before the answer, that the two samples belong together.
    value : float
        Value of an answer: the expected number of misplaced samples, times how many samples would move.
    concerns : ndarray of int
        Samples whose cluster the answer can change.
    number : int
        Number of previous answers.
    """

    samples: tuple[int, ...]
    kind: Literal["groups", "sample", "repeat"]
    probability: float
    value: float
    concerns: IntpArray = field(compare=False)
    number: int


class Asker(Protocol):
    """Protocol for sessions to which :func:`simulate` can give answers."""

    @property
    def mode(self) -> str: ...

    @property
    def question(self) -> Question | None: ...

    @property
    def labels_(self) -> Labels: ...

    def answer(self, answer: str) -> Any: ...


def simulate(
    asker: Asker,
    y: ArrayLike,
    n_questions: int,
    error_rate: float = 0.0,
    *,
    position_bias: float = 0.0,
    at: Collection[int] | None = None,
    random_state: int = 0,
) -> pd.DataFrame:
    """Answer a session's questions from known classes.

    Parameters
    ----------
    asker : AnswerSession, or an object with ``mode``, ``question``, ``answer`` and ``labels_``
    y : array-like of shape (n_samples,)
        Classes, with -1 for samples of unknown class. Questions about these samples are answered "unknown".
    n_questions : int
        Maximum number of questions answered.
    error_rate : float, default=0.0
        Fraction of wrong answers. With the same seed, all sessions get wrong answers to the same questions.
        Errors in the answers to a repeated question are independent of each other.
    position_bias : float, default=0.0
        Fraction of pairs for which the answer depends only on the order of the two samples: "together" if the
        first sample has the lower row number, otherwise "apart".
    at : collection of int, optional
        Numbers of answers after which scores are reported. Default: 0, 1, 2, and so on.
    random_state : int, default=0
        Seed for the wrong answers.

    Returns
    -------
    DataFrame
        One row per number of answers: ``ari`` with the known classes, ``n_clusters``, ``expected_error`` (may
        be NaN), and ``error``, the fraction of samples outside the cluster matched with their class.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from moo_clustering import ParetoClustering
    >>> from moo_clustering.interactive import simulate
    >>> X, y = make_moons(100, noise=0.05, random_state=0)
    >>> session = ParetoClustering(2, scale="isotropic", random_state=0).fit(X).ask()
    >>> float(simulate(session, y, 5)["ari"].iloc[-1])
    1.0
    """
    values, n_samples = checked_array(y, "y"), len(asker.labels_)
    if values.shape != (n_samples,):
        raise ValueError(f"y must contain one class per sample ({n_samples}), got shape {values.shape}")
    n_questions, error_rate = integer("n_questions", n_questions, 0), probability("error_rate", error_rate)
    position_bias = probability("position_bias", position_bias)
    if any(v is None or v != v for v in values.tolist()):
        raise ValueError("y must contain classes, or -1 for samples without a class, got NaN or None")
    known = np.array([not (isinstance(v, int | float | np.number) and v == -1) for v in values.tolist()])
    classes, codes = np.unique(values[known], return_inverse=True)
    code_of = np.full(len(values), -1)
    code_of[known] = codes
    lines, n_times = {}, Counter[tuple[int, ...]]()
    for number in range(n_questions + 1):
        question = asker.question if number < n_questions else None
        if at is None or number in at or question is None:
            lines[number] = _line(asker, codes, known)
        if question is None:
            break
        pair = question.samples if len(question.samples) == 1 else ordered(*question.samples)
        rng = np.random.default_rng([random_state, *pair])
        wrong = bool(rng.random() < error_rate)
        if n_times[pair]:
            again = np.random.default_rng([random_state, *pair, n_times[pair]])
            wrong = bool(again.random() < error_rate)
        n_times[pair] += 1
        asked = code_of[list(question.samples)]
        if (asked < 0).any():
            asker.answer("unknown")
        elif len(asked) == 2 and rng.random() < position_bias:
            asker.answer("together" if question.samples == pair else "apart")
        elif len(asked) == 2:
            asker.answer("together" if (asked[0] == asked[1]) != wrong else "apart")
        else:
            other = (asked[0] + rng.integers(1, max(len(classes), 2))) % len(classes)
            asker.answer(str(classes[other if wrong else asked[0]]))
    return pd.DataFrame.from_dict(lines, orient="index")


def _line(asker: Asker, codes: NDArray[Any], known: NDArray[np.bool_]) -> dict[str, float]:
    labels = asker.labels_
    return {
        "ari": float(pairwise_ari(codes[None].astype(np.int32), labels[known][None])[0, 0]),
        "n_clusters": len(np.unique(labels)),
        "error": share_moved(codes, labels[known]),
        "expected_error": getattr(asker, "expected_error_", float("nan")),
    }


def share_moved(before: Labels, after: Labels) -> float:
    """Return the fraction of samples that change cluster, after matching clusters one to one."""
    return 1.0 - most_agreements(contingency(before, after)[0]) / len(before)


def asked_samples(question: Question) -> str:
    """Format the row numbers of a question's samples, such as "sample 3" or "samples 3 and 5"."""
    rows = question.samples
    return f"sample{'s' * (len(rows) > 1)} {' and '.join(map(str, rows))}"


def within(seconds: float, oracle: Callable[[Question], Any], question: Question) -> Any:
    """Return the oracle's answer, or raise a TimeoutError if it takes longer than ``seconds``."""
    found: Queue[tuple[Any, BaseException | None]] = Queue()

    def call() -> None:
        try:
            found.put((oracle(question), None))
        except BaseException as error:
            found.put((None, error))

    # The thread is a daemon, so that a hanging oracle does not keep the process from ending.
    Thread(target=call, daemon=True).start()
    try:
        answer, error = found.get(timeout=seconds)
    except Empty:
        fault = f"the oracle did not answer about {asked_samples(question)} within {seconds:g} seconds"
        raise TimeoutError(fault) from None
    if error is not None:
        raise error
    return answer
