"""Ctrl-C: the first one waits for the generation, the second does not."""

from __future__ import annotations

import os
import signal
import threading
import warnings

import numpy as np
import pytest
from pymoo.core.callback import Callback
from search_toys import CountingSearch, IntegerToy, integer_nsga2

from moo_clustering.algorithms import InterruptedSearchWarning, PymooSearch, Recorder, drive, evolve
from moo_clustering.persistence import Checkpoint, load_checkpoint


class CtrlC(Callback):
    """Presses Ctrl-C inside one generation, once or more often."""

    def __init__(self, generation, times=1):
        super().__init__()
        self.generation = generation
        self.times = times

    def _update(self, algorithm):
        if algorithm.n_gen - 1 == self.generation:
            for _ in range(self.times):
                os.kill(os.getpid(), signal.SIGINT)


@pytest.fixture(autouse=True)
def _handler_comes_back():
    before = signal.getsignal(signal.SIGINT)
    yield
    now = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, before)
    assert now is before


def test_first_finishes_the_generation_and_keeps_the_best_so_far(tmp_path):
    checkpoint, recorder = Checkpoint(tmp_path / "c", every=100), Recorder()
    with pytest.warns(InterruptedSearchWarning) as caught:
        result = evolve(
            IntegerToy(),
            integer_nsga2(callback=CtrlC(3)),
            n_gen=8,
            seed=1,
            recorder=recorder,
            checkpoint=checkpoint,
        )
    [warning] = [w for w in caught if w.category is InterruptedSearchWarning]
    assert warning.filename == __file__
    assert str(warning.message) == (
        f"the search was interrupted after 3 of 8 generations; the best result so far is returned; "
        f"resume from checkpoint {checkpoint.path}"
    )
    expected = evolve(IntegerToy(), integer_nsga2(), n_gen=3, seed=1)
    np.testing.assert_array_equal(result.X, expected.X)
    assert recorder.generations == [0, 1, 2, 3]

    resumed = evolve(IntegerToy(), integer_nsga2(), n_gen=8, seed=1, recorder=recorder, checkpoint=checkpoint)
    whole = evolve(IntegerToy(), integer_nsga2(), n_gen=8, seed=1)
    np.testing.assert_array_equal(resumed.pop.get("X"), whole.pop.get("X"))
    np.testing.assert_array_equal(resumed.F, whole.F)
    assert recorder.generations == [*range(9)]


@pytest.mark.parametrize(("generation", "done"), [(0, 0), (8, 8)])
def test_in_the_initial_population_and_in_the_last_generation(generation, done):
    search = PymooSearch(IntegerToy(), integer_nsga2(callback=CtrlC(generation)), seed=1)
    with pytest.warns(
        InterruptedSearchWarning, match=f"after {done} of 8 generations; the best result so far is returned$"
    ):
        assert drive(search, n_gen=8) is True
    assert search.generation == done
    assert search.result().F is not None


def test_second_raises_at_once_and_spares_the_checkpoint(tmp_path):
    checkpoint = Checkpoint(tmp_path / "c", every=2)
    search = PymooSearch(IntegerToy(), integer_nsga2(callback=CtrlC(3, times=2)), seed=1)
    with pytest.raises(KeyboardInterrupt):
        drive(search, n_gen=8, checkpoint=checkpoint, verbose=True)
    assert load_checkpoint(checkpoint)[1]["search"]["generation"] == 2


def test_handler_comes_back_after_an_error():
    class Failing(CountingSearch):
        def advance(self):
            raise RuntimeError("in mid search")

    with pytest.raises(RuntimeError, match="in mid search"):
        drive(Failing(), n_gen=3)  # the fixture looks at the handler


def test_other_threads_leave_the_handler_alone():
    main_handler = signal.getsignal(signal.SIGINT)
    seen, outcome = [], []

    class Looking(CountingSearch):
        def advance(self):
            super().advance()
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=lambda: outcome.append(drive(Looking(), n_gen=3)))
    thread.start()
    thread.join()
    assert outcome == [False]
    assert seen == [main_handler] * 3


def test_ignored_sigint_stays_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        search = PymooSearch(IntegerToy(), integer_nsga2(callback=CtrlC(2, times=3)), seed=1)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert drive(search, n_gen=4) is False
        assert search.generation == 4
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_interrupting_an_inner_search_stops_the_outer_one_too():
    class Outer(CountingSearch):
        def advance(self):
            inner = PymooSearch(IntegerToy(), integer_nsga2(callback=CtrlC(1)), seed=1)
            assert drive(inner, n_gen=5) is True
            super().advance()

    outer = Outer()
    with pytest.warns(InterruptedSearchWarning) as caught:
        assert drive(outer, n_gen=7) is True
    assert outer.generation == 1
    assert [str(w.message)[:50] for w in caught] == [
        "the search was interrupted after 1 of 5 generation",
        "the search was interrupted after 1 of 7 generation",
    ]
