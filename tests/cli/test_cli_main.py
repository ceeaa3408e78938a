"""The group itself, and the command as a process."""

import atexit
import gc
import subprocess
import sys

import pytest

import moo_clustering
from moo_clustering.cli.terminal import Command


def command(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "moo_clustering", *arguments],
        capture_output=True, text=True, timeout=600, check=False, **options,
    )  # fmt: skip


def test_help_and_version(run):
    for arguments in ((), ("--help",), ("-h",)):
        result = run(*arguments)
        assert result.exit_code == 0
        assert "fit" in result.stdout
        assert "demo" in result.stdout
    assert moo_clustering.__version__ in run("--version").stdout


def test_garbage_is_collected_rarely_and_not_at_the_end(monkeypatch):
    before, during, at_exit = gc.get_threshold(), [], []
    monkeypatch.setattr(atexit, "register", at_exit.append)
    command = Command("show", callback=lambda: during.append(gc.get_threshold()))
    with pytest.raises(SystemExit):
        command.main([])
    assert during[0][0] > before[0]
    assert gc.get_threshold() == before
    assert gc.freeze in at_exit


def test_unknown_command(fails):
    assert "No such command 'ft'" in fails("ft")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--help"], 0),
        (["fit", "--help"], 0),
        (["methods"], 0),
        (["methods", "moc"], 2),
        (["fit", "none.csv", "--out", "out"], 2),
        (["fit", "iris", "--method", "moc", "--out", "out"], 2),
        (["compare", "none.csv"], 2),
        (["report", "none"], 2),
        (["explore", "none"], 2),
        (["ask", "none"], 2),
    ],
)
def test_help_and_mistakes_import_nothing_heavy(arguments, code, tmp_path):
    program = (
        "import sys\n"
        "from moo_clustering.cli import main\n"
        f"try: main({arguments!r}, prog_name='moo-clustering')\n"
        f"except SystemExit as error: assert error.code == {code}\n"
        "heavy = {'numpy', 'numba', 'scipy', 'pandas', 'sklearn', 'pymoo', 'deap', 'matplotlib'}\n"
        "print('loaded:', sorted(heavy & set(sys.modules)))\n"
    )
    call = [sys.executable, "-c", program]
    result = subprocess.run(call, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert result.stdout.endswith("loaded: []\n")
    assert not list(tmp_path.iterdir())


def test_module_and_errors_of_a_process(tmp_path):
    result = command("fit", "wines", "--out", "out", cwd=tmp_path)
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.startswith("Error: wines is neither a file nor a bundled data set")
    assert result.stderr.count("\n") == 1
    assert command("--version").stdout.startswith("moo-clustering, version")
