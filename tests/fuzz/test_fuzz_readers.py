"""Readers on inputs that are nearly valid: a result or a sentence, in time and within memory."""

import pytest
from fuzz_choices import Choices
from fuzz_limits import TimeUp, bounded
from fuzz_mutations import mutated
from fuzz_run import Outcome, outcome
from hypothesis import HealthCheck, Phase, given, settings, strategies
from readers import READERS, Reader

from moo_clustering.datasets import DataError

EXAMPLES = 20
CASES = [(name, case) for name, reader in READERS.items() for case in reader.cases()]


@pytest.mark.parametrize("name", READERS)
def test_valid_inputs_are_read(name, tmp_path):
    seeds = READERS[name].seeds()
    assert seeds
    for files in seeds:
        assert outcome(READERS[name], files, tmp_path / "input", seconds=60, memory=2**33) == Outcome(
            "accepted"
        )


@pytest.mark.parametrize("name", READERS)
def test_nearly_valid_inputs(name, tmp_path):
    reader = READERS[name]
    seeds = reader.seeds()
    outcome(reader, seeds[0], tmp_path / "input", seconds=60, memory=2**33)  # imports

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategies.lists(strategies.integers(0, 2**32 - 1), min_size=12, max_size=40))
    def run(numbers):
        files = mutated(seeds, Choices(numbers))
        found = outcome(reader, files, tmp_path / "input")
        assert found.kind != "failure", (found, {name: data[:2000] for name, data in files.items()})

    run()


@pytest.mark.parametrize(("name", "case"), CASES)
def test_inputs_that_once_failed(name, case, tmp_path):
    found = outcome(READERS[name], READERS[name].cases()[case], tmp_path / "input")
    assert found.kind != "failure", found


def broken(call, **options):
    return Reader("broken", call, **options)


def test_other_exceptions_are_failures(tmp_path):
    def call(folder):
        raise KeyError("x")

    assert outcome(broken(call), {}, tmp_path / "input").message.startswith("KeyError")


def test_documented_exceptions_need_a_sentence_that_names_the_file(tmp_path):
    messages = [
        "no",
        "there is no such column",
        "input holds nothing at all",
        "input is wrong " + "x" * 10_000,
    ]
    kinds = []
    for message in messages:

        def call(folder, message=message):
            raise DataErrorOfAnyLength(message)

        kinds.append(outcome(broken(call), {}, tmp_path / "input").kind)
    assert kinds == ["failure", "failure", "refused", "failure"]


class DataErrorOfAnyLength(DataError):
    def __str__(self):
        return self.args[0]


def test_endless_loops_and_memory_are_failures(tmp_path):
    def endless(folder):
        while True:
            try:
                for _ in iter(int, 1):
                    pass
            except Exception:  # a reader that takes everything for damage
                continue

    def large(folder):
        bytearray(2**31)

    assert outcome(broken(endless), {}, tmp_path / "input", seconds=0.2).message.startswith("no end after")
    assert outcome(broken(large), {}, tmp_path / "input").message.startswith("MemoryError")


@pytest.mark.slow
def test_limits_end_with_the_call():
    def endless():
        with bounded(0.1, 2**28):
            while True:
                pass

    with pytest.raises(TimeUp):
        endless()
    assert len(bytearray(2**29)) == 2**29
