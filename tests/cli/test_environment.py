"""Variables of the environment that a library cannot read: the message names them."""

import os
import subprocess
import sys

import click
import pytest

from moo_clustering.cli.terminal import Command

COMMANDS = [
    ("methods",),
    ("fit", "iris", "--out", "out"),
    ("demo", "--out", "out"),
    ("warm-up",),
    ("compare", "."),
    ("report", "."),
    ("ask", "."),
    ("explore", "."),
]
NOT_WHOLE = ("abc", "1.5", "-1", "0x2", "two words", "9" * 5000)
BAD = {
    "NUMBA_NUM_THREADS": (*NOT_WHOLE, "0", ""),
    "OMP_NUM_THREADS": (*NOT_WHOLE, "0", "4,", "4,x"),
    "OPENBLAS_NUM_THREADS": NOT_WHOLE,
    "MKL_NUM_THREADS": NOT_WHOLE,
    "BLIS_NUM_THREADS": NOT_WHOLE,
    "LOKY_MAX_CPU_COUNT": (*NOT_WHOLE, "0", ""),
    "LOKY_MAX_DEPTH": (*NOT_WHOLE, ""),
    "JOBLIB_MULTIPROCESSING": (*NOT_WHOLE, ""),
    "SKLEARN_WORKING_MEMORY": (*NOT_WHOLE, ""),
    "SKLEARN_PAIRWISE_DIST_CHUNK_SIZE": (*NOT_WHOLE, ""),
    "TQDM_NCOLS": (*NOT_WHOLE, ""),
    "TQDM_MININTERVAL": ("abc", "", "1,5"),
    "TQDM_MAXINTERVAL": ("abc", ""),
    "TQDM_DELAY": ("abc",),
    "TQDM_BAR_FORMAT": ("{x", "}"),
    "TQDM_FILE": ("abc",),
    "TQDM_ITERABLE": ("abc",),
}
GOOD = {
    "NUMBA_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "4,2",
    "OPENBLAS_NUM_THREADS": "0",
    "MKL_NUM_THREADS": "",
    "LOKY_MAX_CPU_COUNT": " 3 ",
    "TQDM_MININTERVAL": "1e-1",
    "TQDM_BAR_FORMAT": "{l_bar}{bar}",
    "COLUMNS": "abc",
    "TERM": "dumb",
    "LC_ALL": "xx_YY",
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_value_is_refused_by_its_name(run, fails, tmp_path, monkeypatch, name):
    for value in BAD[name]:
        monkeypatch.setenv(name, value)
        for command in COMMANDS:
            message = fails(*command)
            assert message.startswith(f"the environment variable {name} must be "), (command, value)
            assert len(message) < 300
    assert list(tmp_path.iterdir()) == []


def test_help_does_not_depend_on_them(run, monkeypatch):
    monkeypatch.setenv("NUMBA_NUM_THREADS", "abc")
    for options in (("--help",), ("--version",)):
        assert run(*options).exit_code == 0


def test_good_values_and_other_variables(run, monkeypatch):
    for name, value in GOOD.items():
        monkeypatch.setenv(name, value)
    assert run("methods").exit_code == 0


@pytest.mark.parametrize(
    ("said", "blamed"),
    [
        ("invalid literal for int() with base 10: 'abc'", True),
        ("cannot find context for 'abc'", True),
        ("file abc does not exist", False),
    ],
)
def test_an_error_that_quotes_a_variable_names_it(monkeypatch, said, blamed):
    @click.command(cls=Command)
    def broken():
        raise RuntimeError(said)

    monkeypatch.setenv("JOBLIB_SOMETHING", "abc")
    # A variable of no library.
    monkeypatch.setenv("MINE", "abc")
    with pytest.raises(click.ClickException if blamed else RuntimeError) as caught:
        broken.main([], standalone_mode=False)
    shown = f"{said} (perhaps from the environment variable JOBLIB_SOMETHING=abc)"
    assert str(caught.value) == (shown if blamed else said)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "value", "code", "said"),
    [
        ("NUMBA_DISABLE_JIT", "abc", 0, "Warning: Environment variable 'NUMBA_DISABLE_JIT'"),
        ("NUMBA_CACHE_DIR", "/proc/nope", 0, None),
        ("NUMBA_THREADING_LAYER", "abc", 0, ""),
        ("MPLBACKEND", "abc", 0, ""),
        ("MPLCONFIGDIR", "/proc/nope", 0, ""),
        ("JOBLIB_TEMP_FOLDER", "/proc/nope", 0, ""),
        ("JOBLIB_START_METHOD", "abc", 2, "Error: cannot find context for 'abc' (perhaps from "),
        ("LOKY_PICKLER", "abc", 2, "Error: "),
        ("TMPDIR", "/proc/nope", 0, ""),
        ("HOME", "/proc/nope", 0, ""),
        ("LC_ALL", "xx_YY", 0, ""),
        ("COLUMNS", "abc", 0, ""),
        ("TERM", "dumb", 0, ""),
    ],
)
def test_a_fit_with_a_variable_that_libraries_read(tmp_path, table, name, value, code, said):
    options = (
        "--id-column",
        "id",
        "--drop",
        "kind",
        "--drop",
        "some",
        "--method",
        "spectral-graph",
        "-k",
        "3",
    )
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "moo_clustering",
            "fit",
            "table.csv",
            *options,
            "--quiet",
            "--pictures",
            "--out",
            "out",
        ],
        cwd=tmp_path,
        env=os.environ | {name: value},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    if said is not None:
        assert done.stderr.startswith(said)
        assert len(done.stderr.splitlines()) == (said != "")
    if code == 0:
        assert (tmp_path / "out" / "similarity.png").exists()
    else:
        assert name in done.stderr
