"""Public names are as recorded, and so are the results of small, seeded runs, to the last bit."""

import pytest

from golden import fingerprints, public_api

RECORD = fingerprints.recorded()


def _other_environment():
    """What is not as it was when the fingerprints were recorded; empty if all is."""
    old, new = RECORD["environment"], fingerprints.environment()
    return ", ".join(
        f"{name} {new.get(name)} is not {old[name]}" for name in old if new.get(name) != old[name]
    )


OTHER = _other_environment()


@pytest.fixture(scope="module")
def cases():
    """Every case by name."""
    return fingerprints.all_cases()


def test_public_names_are_as_recorded():
    lines = public_api.differences(public_api.recorded(), public_api.collect())
    assert not lines, "\n" + "\n".join(lines)


def test_every_recorded_case_is_made(cases):
    made = {name for name in RECORD["cases"] if not name.startswith("alias/")}
    assert made == set(cases)


@pytest.mark.slow
@pytest.mark.skipif(bool(OTHER), reason=f"last digits depend on versions and processor: {OTHER}")
@pytest.mark.parametrize("name", [name for name in RECORD["cases"] if not name.startswith("alias/")])
def test_results_are_as_recorded(cases, name):
    lines = fingerprints.differences(name, RECORD["cases"][name], fingerprints.fingerprint(cases[name]))
    assert not lines, "\n" + "\n".join(lines)
