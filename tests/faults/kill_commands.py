"""Commands that are killed, with tiny settings: ``fit``, ``ask``, ``report`` and ``reproduce``."""

import json
import shutil
from collections.abc import Callable
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from inspect import signature
from io import StringIO
from pathlib import Path

import kill_experiments as tiny
from click.testing import CliRunner
from kill_folder import final_files
from kill_outcomes import of_folder

from moo_clustering.cli import main
from moo_clustering.cli.job import writes_checkpoints
from moo_clustering.estimators._methods import METHODS
from moo_clustering.studies import cells as _store
from papers.__main__ import reproduce
from tests.golden.command_cases import METHODS as METHOD_ARGUMENTS
from tests.golden.command_cases import _tables as write_tables


def command(*arguments, of=main):
    """Run the command, which must succeed; what it says is not shown."""
    said = StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        code = of([str(part) for part in arguments], standalone_mode=False)
    if code:
        raise RuntimeError(said.getvalue())


@dataclass
class Fit:
    """``fit``, which goes on with ``--resume``."""

    name: str
    arguments: tuple[str, ...]
    # Whether it is killed in an interpreter of its own; whether it writes checkpoints.
    fresh: bool = False
    saves: bool = True

    def whole(self, folder):
        """Never disturbed."""
        return self.run(folder)

    def run(self, folder):
        """All files that the command writes."""
        out = folder / "out"
        if not self._ended(out):
            # Without checkpoints --resume starts a killed run over, and is refused where there is none.
            resume = ["--resume"] if self.saves or (out / "run.json").exists() else []
            command("fit", *self.arguments, *resume, "--quiet", "--out", out)
        found = of_folder(out, [path.name for path in final_files(out)])
        # A run that ended before it could remove its checkpoint does no harm.
        found.pop("checkpoint.npz", None)
        return found

    def begun(self, folder):
        """Whether there is a checkpoint to go on from."""
        return (folder / "out" / "checkpoint.npz").exists() and not self._ended(folder / "out")

    def _ended(self, out):
        record = out / "run.json"
        return record.exists() and json.loads(record.read_text())["status"] == "complete"


@dataclass
class FitOf(Fit):
    """``fit`` with a method on tables that are made for it, and with pictures and a report."""

    place: Path | None = None

    def prepare(self, place):
        """Make the tables."""
        self.place = place
        with chdir(place):
            write_tables()

    def run(self, folder):
        """All files that the command writes."""
        with chdir(self.place):
            return super().run(folder)


def fit_of(name):
    """``fit`` with a method, with a checkpoint after every generation where it has generations."""
    parameters = signature(METHODS[name].load()).parameters
    options = {option: parameter.default for option, parameter in parameters.items()}
    saves = writes_checkpoints(METHODS[name], options)
    every = ("--checkpoint-every", "1") if saves else ()
    data = tuple(map(str, METHOD_ARGUMENTS[name]))
    return FitOf(f"fit of {name}", (*data, "--method", name, "--seed", "1", *every), saves=saves)


@dataclass
class Report:
    """``report`` of the runs of two methods, beside the one of the first."""

    name: str
    place: Path | None = None

    def prepare(self, place):
        """Fit twice."""
        self.place = place
        for name in ("first", "second"):
            fit = ("fit", "iris", "-k", len(name) - 2, "--method", "spherical-kmeans", "--quiet")
            command(*fit, "--out", place / name)

    def whole(self, folder):
        """Never disturbed."""
        return self.run(folder)

    def run(self, folder):
        """All files, with both pages."""
        for name in ("first", "second"):
            if not (folder / name).exists():
                shutil.copytree(self.place / name, folder / "copy", dirs_exist_ok=True)
                (folder / "copy").rename(folder / name)
        (folder / "first" / "report.html").unlink(missing_ok=True)
        command("report", folder / "first")
        command("report", folder / "first", folder / "second", "--out", folder / "both.html")
        return of_folder(folder, [str(path.relative_to(folder)) for path in final_files(folder)])

    def begun(self, folder):
        """There is nothing to go on from."""
        return False


@dataclass
class Ask:
    """``ask``, whose answers come from a file; a killed session goes on where its answers end."""

    name: str
    words: str = "tau?atat"
    place: Path | None = None

    def prepare(self, place):
        """Fit once."""
        self.place = place / "asked"
        command("fit", "iris", "--quiet", "--no-report", "--out", self.place)

    def whole(self, folder):
        """Never disturbed."""
        return self.run(folder)

    def run(self, folder):
        """Answers and results, byte for byte."""
        out = folder / "out"
        if not out.exists():
            # Beside the folder, whose files are all the command's: the copy may be killed as well.
            copy = folder.with_name(f"{folder.name}-copy")
            shutil.copytree(self.place, copy, dirs_exist_ok=True)
            copy.rename(out)
        answers = out / "answers.json"
        n_given = _n_answers(answers)
        typed = "\n".join(self.words[n_given:]) + "\n"
        result = CliRunner().invoke(main, ["ask", str(out), "--resume"], input=typed)
        if result.exit_code:
            raise RuntimeError(result.output)
        names = ["answers.json", *(f"asked/{path.name}" for path in final_files(out / "asked"))]
        return of_folder(out, names)

    def begun(self, folder):
        """Whether there are answers."""
        return _n_answers(folder / "out" / "answers.json") > 0


def _n_answers(answers):
    """Whole answers in a file, the last of which may lack the end of its line."""
    lines = answers.read_text().split("\n") if answers.exists() else []
    return sum(line.endswith("}") for line in lines[1:])


@dataclass
class Reproduce:
    """``reproduce``, which goes on when it is given again."""

    name: str
    arguments: tuple[str, ...]
    # Makes the sets in a folder; has the experiment do less.
    data: Callable[[Path], None]
    ease: Callable[[], None]
    place: Path | None = None

    def prepare(self, place):
        """Make the data, once."""
        self.place = place / self.arguments[0]
        self.place.mkdir()
        self.data(self.place)
        self.ease()

    def whole(self, folder):
        """Never disturbed."""
        return self.run(folder)

    def run(self, folder):
        """All files of the folder, byte for byte; finished cells must not be computed again."""
        out, cells = folder / "out", folder / "out" / "results.jsonl"
        kept = cells.read_bytes() if cells.exists() else b""
        command(*self.arguments, "--data", self.place, "--out", out, of=reproduce)
        if not cells.read_bytes().startswith(kept[: kept.rfind(b"\n") + 1]):
            raise RuntimeError("finished cells have changed")
        return of_folder(out, [path.name for path in final_files(out)])

    def begun(self, folder):
        """Whether there are finished cells."""
        cells = folder / "out" / "results.jsonl"
        return cells.exists() and bool(_store.read_cells(cells)[1])


SMALL = ("--set", "pop_size=10")
NSGA2 = ("iris", "--method", "nsga2-clus", *SMALL, "--set", "n_gen=12", "--checkpoint-every", "2")
PESC = ("--set", "n_gen=9", "--checkpoint-every", "3")
COMMANDS = [
    Fit("fit nsga2-clus", NSGA2),
    Fit("fit nsga2-clus, new process", NSGA2, fresh=True),
    Fit("fit pareto-clustering", ("iris", *SMALL, "--set", "n_gen=3", "--checkpoint-every", "1")),
    Fit("fit pesc", ("iris", "--method", "pesc", "-k", "3", *SMALL, *PESC)),
    Fit("fit without checkpoints", ("iris", "--method", "spherical-kmeans", "-k", "3"), saves=False),
    Ask("ask"),
    Report("report"),
    Reproduce("reproduce nsga2-clus", ("nsga2-clus-table2",), tiny.write_questions, tiny.ease_questions),
    Reproduce(
        "reproduce multi-instance", ("multi-instance-table3", "--seeds", "1"), tiny.write_bags, tiny.ease_bags
    ),
    Reproduce(
        "reproduce ensemble-nmf", ("ensemble-nmf-table2", "--seeds", "1"), tiny.write_reviews, tiny.ease_runs
    ),
    Reproduce(
        "reproduce pesc", ("pesc-fig4", "--seeds", "1", "--sets", "wine"), tiny.write_tables, tiny.ease_pesc
    ),
    Reproduce(
        "reproduce sisc-ml",
        ("sisc-ml-table2", "--seeds", "1", "--collections", "asrs"),
        tiny.write_labelled,
        tiny.ease_sisc,
    ),
    Reproduce(
        "reproduce flagship", ("flagship", "--seeds", "1", "--blocks", "unsupervised,labels"),
        tiny.write_plain, tiny.ease_flagship,
    ),
]  # fmt: skip
# Killed between writes only: what they compute is killed as an estimator.
METHOD_FITS = [fit_of(name) for name in METHOD_ARGUMENTS]
