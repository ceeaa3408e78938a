"""Every path argument of every command, and every file of a run's folder, with what no file should be.

Commands and their paths are those that click knows, so that a new one is covered.
"""

import json
import os
import shutil
import signal
import socket

import click
import numpy as np
import pytest
from click.testing import CliRunner

from moo_clustering import datasets
from moo_clustering.cli import ask, explore, main, terminal
from moo_clustering.constraints import PairwiseConstraints, read_pairs
from moo_clustering.persistence import Checkpoint, locked, read_archive, save_checkpoint, write_archive
from papers.__main__ import reproduce

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs the file system of Unix")

COMMANDS = {**main.commands, "papers": reproduce}
PATHS = [
    (name, parameter)
    for name, command in COMMANDS.items()
    for parameter in command.params
    if isinstance(parameter.type, terminal.PathArgument)
]
# What a command needs besides the argument in question.
NEEDED = {
    "ask": ["run"],
    "choose": ["run", "knee"],
    "compare": ["table.csv"],
    "demo": [],
    "explain": ["run", "table.csv"],
    "explore": ["run"],
    "fit": ["iris", "--out", "out"],
    "papers": ["pesc-fig4", "--out", "out"],
    "predict": ["run", "table.csv"],
    "rename": ["run", "0=a", "--names", "names.json"],
    "report": ["run"],
    "study": ["study.toml"],
    "update": ["run", "table.csv"],
}


@pytest.fixture
def odd(tmp_path, monkeypatch):
    """Odd paths by name, in the present folder; whoever waits for a pipe is woken after a minute."""
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    for link, target in (("loop", "loop"), ("dangling", "nowhere"), ("endless", "/dev/zero")):
        os.symlink(target, link)
    (tmp_path / "run").mkdir()
    (tmp_path / "table.csv").write_text("a,b\n1,2\n2,3\n3,1\n")
    (tmp_path / "names.json").write_text('{"0": "a"}')
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
        yield {
            "empty": "",
            "blank": " \t",
            "null byte": "a\0b",
            "stream": "-",
            "home": "~/x",
            "too long": "x" * 300,
            "long path": "x/" * 3000,
            "loop": "loop",
            "below a loop": "loop/inner",
            "dangling link": "dangling",
            "below a dangling link": "dangling/inner/x",
            "pipe": "pipe",
            "device": "/dev/zero",
            "link to a device": "endless",
            "socket": "socket",
            "below a file": "table.csv/inner",
        }


@pytest.fixture(autouse=True)
def woken():
    """End a test that hangs."""

    def ring(number, frame):
        raise TimeoutError("it hangs")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(100)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def contents(folder):
    """Names below a folder."""
    return sorted(str(path) for path in folder.rglob("*"))


def label_of(parameter):
    """The name of an argument in messages."""
    if isinstance(parameter, click.Option):
        return max(parameter.opts, key=len)
    return (parameter.metavar or parameter.name.upper()).split()[0]


def arguments_with(name, parameter, value):
    """A command in which an argument has a value."""
    needed = list(NEEDED[name])
    if not isinstance(parameter, click.Option):
        positional = [each for each in COMMANDS[name].params if isinstance(each, click.Argument)]
        place = positional.index(parameter)
        return [*needed[:place], value, *needed[place + 1 :]]
    if (option := label_of(parameter)) in needed:
        needed[needed.index(option) + 1] = value
        return needed
    return [*needed, option, value]


def complaint(name, arguments, label):
    """What is wrong with the refusal of some arguments; empty if nothing is."""
    command = (reproduce, arguments) if name == "papers" else (main, [name, *arguments])
    result = CliRunner().invoke(*command)
    said = result.stderr
    if result.exit_code != 2 or not said.startswith("Error: ") or said.count("\n") != 1 or result.stdout:
        return f"exit code {result.exit_code}: {said or result.stdout or result.exception!r:.300}"
    return "" if label in said else f"it does not name {label}: {said}"


def test_every_path_is_such_an_argument():
    found = {(name, label_of(parameter)) for name, parameter in PATHS}
    assert {
        ("ask", "DIR"), ("ask", "--out"), ("compare", "RESULTS"), ("compare", "--figure"), ("demo", "--out"),
        ("explain", "DIR"), ("explain", "[DATA]"), ("explore", "DIR"), ("fit", "DATA"), ("fit", "--out"),
        ("fit", "--must-link"), ("fit", "--cannot-link"), ("fit", "--label-file"), ("papers", "--out"),
        ("papers", "--data"),
        ("predict", "DIR"), ("predict", "DATA"), ("predict", "--out"), ("report", "DIR"), ("report", "--out"),
    } <= found  # fmt: skip
    for name, command in COMMANDS.items():
        for parameter in command.params:
            words = {str(parameter.metavar), *getattr(parameter, "opts", ())}
            if words & {"FILE", "DIR", "OUT", "PATH", "--out", "--file", "--dir"} or type(parameter.type) in (
                click.Path,
                click.File,
            ):
                assert (name, label_of(parameter)) in found, parameter


def test_no_command_takes_an_odd_path(odd, tmp_path):
    before, failures, count = contents(tmp_path), [], 0
    for name, parameter in PATHS:
        kinds = dict(odd)
        if parameter.type.kind == "file":
            kinds["folder"] = "run"
        elif parameter.type.kind == "folder":
            kinds["file"] = "table.csv"
        for kind, path in kinds.items():
            arguments = arguments_with(name, parameter, path)
            if wrong := complaint(name, arguments, label_of(parameter)):
                failures.append(f"{name} {label_of(parameter)}, {kind}: {wrong}")
            count += 1
    assert failures == []
    assert count >= 200
    assert contents(tmp_path) == before


def test_paths_without_permission_name_the_argument(odd, tmp_path):
    for name in ("closed", "closed.csv"):
        (tmp_path / name).mkdir() if name == "closed" else (tmp_path / name).write_text("a\n1\n")
        (tmp_path / name).chmod(0)
    if os.access("closed.csv", os.R_OK):
        pytest.skip("this user may read anything")
    failures = []
    for name, parameter in PATHS:
        paths = ["closed.csv"] * ("file" in parameter.type.kind) + ["closed"] * (
            "folder" in parameter.type.kind
        )
        for path in [*paths, *(["closed/new"] * parameter.type.new)]:
            if wrong := complaint(name, arguments_with(name, parameter, path), label_of(parameter)):
                failures.append(f"{name} {label_of(parameter)} {path}: {wrong}")
    (tmp_path / "closed").chmod(0o700)
    assert failures == []


def refuses(call, path):
    """What is wrong with the refusal of a path by a function; empty if nothing is."""
    try:
        found = call(path)
    except (ValueError, OSError) as error:
        return "" if str(error) and "\n" not in str(error) else f"says {error}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return f"returned {found!r:.80}"


def test_no_function_opens_an_odd_path(odd, tmp_path):
    from moo_clustering.visualization import plot_convergence

    pairs = PairwiseConstraints([(0, 1)], n_samples=3)
    readers = {name: getattr(datasets, name) for name in datasets.__all__ if name.startswith("read_")}
    readers |= {
        "read_archive": read_archive,
        "read_pairs": read_pairs,
        "PairwiseConstraints.from_csv": lambda path: PairwiseConstraints.from_csv(path, 3),
        "locked": lambda path: locked(path).__enter__(),
    }
    writers = {
        "write_archive": lambda path: write_archive(path, {"a": np.ones(1)}, {}),
        "save_checkpoint": lambda path: save_checkpoint(Checkpoint(path), {}, {}),
        "PairwiseConstraints.to_csv": pairs.to_csv,
        "plot_convergence": lambda path: plot_convergence({"generation": [0, 1], "x": [1, 2]}, path=path),
    }
    # A link without a target is replaced by the file, as any link is.
    replaced = {"dangling link", "below a dangling link"}
    before = contents(tmp_path)
    failures = [
        f"{name}, {kind}: {wrong}"
        for name, call in (readers | writers).items()
        for kind, path in odd.items()
        if not (name in writers and kind in replaced)
        and not (name == "plot_convergence" and kind not in ("empty", "blank", "null byte", "stream", "home"))
        if (wrong := refuses(call, path))
    ]
    assert failures == []
    assert contents(tmp_path) == before


# Files of a run's folder that some command reads, and what each command does with a folder.
FILES = ("run.json", "labels.csv", "report.npz", "report.html", "questions.npz", "answers.json")
USES = {
    "report": ["report"],
    "report elsewhere": ["report", "--out", "page.html"],
    "explore": ["explore", "--no-browser"],
    "explore --ask": ["explore", "--no-browser", "--ask"],
    "ask": ["ask"],
    "ask --resume": ["ask", "--resume"],
    "fit": ["fit", "iris", "--method", "spherical-kmeans", "-k", "3", "--out"],
    "fit --resume": ["fit", "iris", "--method", "spherical-kmeans", "-k", "3", "--resume", "--out"],
    "demo": ["demo", "--out"],
}


def replace_by(path, kind):
    """Put something odd in the place of a file."""
    path.unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "loop":
        path.symlink_to(path.name)
    elif kind == "folder":
        path.mkdir()
    elif kind == "huge":
        with open(path, "wb") as file:
            file.truncate(2**36)
    else:
        path.write_text(f"{'[' * 100_000}\n")


@pytest.fixture
def uses(asked_run, monkeypatch, tmp_path):
    """Every command with a folder of a run, by name: exit code and what it said."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(explore, "serve_until_interrupted", lambda server, *_, **__: server.server_close())

    def use(name):
        first, *rest = USES[name]
        arguments = [first, *rest, str(asked_run)]
        return CliRunner().invoke(main, arguments, input="")

    return use


@pytest.mark.parametrize("kind", ["pipe", "device", "loop", "folder", "nested"])
def test_no_command_opens_an_odd_file_of_a_run(uses, asked_run, tmp_path, kind):
    failures = []
    for file in FILES:
        kept = (asked_run / file).read_bytes() if (asked_run / file).exists() else None
        replace_by(asked_run / file, kind)
        for name in USES:
            before = contents(asked_run)
            result = uses(name)
            refused = result.exit_code == 2 and result.stderr.count("\n") == 1
            if not refused and (result.exit_code or file in ("run.json", "labels.csv")):
                failures.append(f"{name}, {file}: exit code {result.exit_code}, {result.output[-300:]}")
            elif contents(asked_run) != before and refused:
                failures.append(f"{name}, {file}: {set(contents(asked_run)) ^ set(before)}")
        shutil.rmtree(asked_run / file) if kind == "folder" else (asked_run / file).unlink(missing_ok=True)
        shutil.rmtree(asked_run / "asked", ignore_errors=True)
        if kept is not None:
            (asked_run / file).write_bytes(kept)
    assert failures == []


@pytest.mark.parametrize("file", ["run.json", "answers.json"])
def test_a_huge_file_of_a_run_is_not_read(uses, asked_run, file):
    replace_by(asked_run / file, "huge")
    name = "fit" if file == "run.json" else "ask --resume"
    result = uses(name)
    assert result.exit_code == 2
    assert "the limit for such a file" in result.stderr


@pytest.mark.parametrize("version", [99, 2, 0, -1, 1.0, 1.5, "1", True, None, [], {}, 10**30])
def test_other_versions_are_not_read(uses, asked_run, version):
    """Neither the record nor the answers of another version are read, and nothing is written."""
    assert CliRunner().invoke(main, ["ask", str(asked_run)], input="t\n").exit_code == 0
    shutil.rmtree(asked_run / "asked")
    for file, names in (("run.json", USES), ("answers.json", ("ask", "ask --resume", "explore --ask"))):
        content = (asked_run / file).read_text()
        head, end = (content, "") if file == "run.json" else content.split("\n", 1)
        (asked_run / file).write_text(json.dumps(json.loads(head) | {"version": version}) + f"\n{end}")
        before = {path.name: path.read_bytes() for path in asked_run.iterdir()}
        for name in names:
            result = uses(name)
            assert result.exit_code == 2, (name, file, result.output)
            assert result.stderr.count("\n") == 1
            if name != "ask":
                assert "version" in result.stderr
            assert {path.name: path.read_bytes() for path in asked_run.iterdir()} == before, (name, file)
        (asked_run / file).write_text(content)
    assert uses("ask --resume").exit_code == 0


def test_answers_of_another_version_without_answers(asked_run):
    """A file with a head alone is begun anew if it is of this version."""
    for version, code in ((1, 0), (2, 2)):
        ask.AskedRun(asked_run)
        path = asked_run / "answers.json"
        path.write_text(path.read_text().replace('"version": 1', f'"version": {version}'))
        text = path.read_text()
        assert CliRunner().invoke(main, ["ask", str(asked_run)], input="").exit_code == code
        assert path.read_text() == text


def test_files_are_not_put_in_the_place_of_devices(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    os.symlink("/dev/null", tmp_path / "null")
    for name in ("pipe", "null"):
        with pytest.raises(OSError, match="which a file cannot replace"):
            write_archive(tmp_path / name, {}, {})
    assert sorted(os.listdir(tmp_path)) == ["null", "pipe"]
