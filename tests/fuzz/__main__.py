"""``python -m tests.fuzz``: many inputs for every reader, each reader in a process of its own."""

from __future__ import annotations

import importlib.util
import json
import multiprocessing
import re
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import click

# The modules here are found by their names alone, as pytest finds them.
sys.path.insert(0, str(Path(__file__).parent))
if "--worker" in sys.argv and "atheris" in sys.argv:
    import atheris

    # Compiled kernels cannot be counted in, and read no files.
    with atheris.instrument_imports(include=["moo_clustering"], exclude=["moo_clustering._kernels"]):
        import readers  # noqa: F401

from fuzz_engines import by_atheris, by_hypothesis
from fuzz_run import Tally
from readers import READERS

_COLUMNS = (
    f"{'reader':24}{'inputs':>8}{'accepted':>9}{'refused':>9}{'failures':>9}{'seconds':>9}{'slowest':>9}"
)


@dataclass(frozen=True)
class Found:
    """What came of the inputs for one reader; failures by what they were, with the folder of their input."""

    tried: int = 0
    accepted: int = 0
    refused: int = 0
    failed: int = 0
    slowest: float = 0.0
    failures: tuple[tuple[str, str], ...] = ()


@click.command()
@click.option(
    "--examples", type=click.IntRange(min=1), default=2000, show_default=True, help="Inputs a reader."
)
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--reader", "names", multiple=True, type=click.Choice(list(READERS)), help="Default: all.")
@click.option(
    "--engine",
    type=click.Choice(["auto", "hypothesis", "atheris"]),
    default="auto",
    show_default=True,
    help="What draws the inputs; auto: atheris where it is installed.",
)
@click.option(
    "--save",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for the smallest input of every different failure.",
)
@click.option("--worker", hidden=True, type=click.Path(path_type=Path))
def main(
    examples: int, seed: int, names: tuple[str, ...], engine: str, save: Path | None, worker: Path | None
) -> None:
    """Call every reader on inputs that are nearly valid, and say what came of it."""
    if engine == "auto":
        engine = "atheris" if importlib.util.find_spec("atheris") else "hypothesis"
    if worker is not None:
        _work(names[0], examples, seed, engine, worker)
        return
    click.echo(f"engine {engine}, {examples} inputs a reader, seed {seed}\n\n{_COLUMNS}")
    failed = 0
    for name in names or READERS:
        start = time.perf_counter()
        with TemporaryDirectory() as folder:
            found = _in_process(name, examples, seed, engine, Path(folder), save)
        failed += found.failed
        click.echo(
            f"{name:24}{found.tried:8}{found.accepted:9}{found.refused:9}{found.failed:9}"
            f"{time.perf_counter() - start:9.1f}{found.slowest:9.2f}"
        )
        for what, place in found.failures:
            click.echo(f"    {what}{f' (input in {place})' if place else ''}")
    sys.exit(1 if failed else 0)


def _in_process(name: str, examples: int, seed: int, engine: str, folder: Path, save: Path | None) -> Found:
    """A reader that crashes or never ends takes its own process along, and counts as a failure."""
    if engine == "atheris":  # which has to be there before what it counts in
        command = [sys.executable, "-m", "tests.fuzz", "--examples", str(examples), "--seed", str(seed)]
        command += ["--reader", name, "--engine", engine, "--worker", str(folder)]
        root = Path(__file__).parents[2]
        code = subprocess.run(
            command, cwd=root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ).returncode
    else:
        process = multiprocessing.get_context("fork").Process(
            target=_work, args=(name, examples, seed, engine, folder)
        )
        process.start()
        process.join()
        code = process.exitcode or 0
    found = _read(folder / "found.json")
    if save is not None:
        found = _saved(found, save / name)
    if code or found.tried < examples // 2:
        what = f"the process ended with {code} after {found.tried} inputs"
        counts = {"failed": found.failed + 1, "failures": (*found.failures, (what, ""))}
        found = replace(found, **counts)
    return found


def _work(name: str, examples: int, seed: int, engine: str, folder: Path) -> None:
    def report(tally: Tally) -> None:
        if tally.tried % 20 == 0 or tally.tried >= examples or tally.failed > written[0]:
            written[0] = tally.failed
            _write(tally, folder)

    written = [0]
    run = by_atheris if engine == "atheris" else by_hypothesis
    _write(run(READERS[name], folder / "input", examples, seed, report), folder)


def _write(tally: Tally, folder: Path) -> None:
    failures = []
    for number, (outcome, files) in enumerate(tally.failures.values()):
        place = folder / "failures" / str(number)
        for name, data in files.items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_bytes(data)
        failures.append((f"{outcome.message} at {outcome.place}", str(place)))
    found = Found(tally.tried, tally.accepted, tally.refused, tally.failed, tally.slowest, tuple(failures))
    (folder / "found.json").write_text(json.dumps(asdict(found)), encoding="utf-8")


def _read(path: Path) -> Found:
    if not path.exists():
        return Found()
    found = json.loads(path.read_text(encoding="utf-8"))
    return Found(**(found | {"failures": tuple(map(tuple, found["failures"]))}))


def _saved(found: Found, folder: Path) -> Found:
    kept = []
    for what, place in found.failures:
        own = folder / re.sub(r"[^A-Za-z0-9]+", "-", what)[-60:].strip("-")
        own.parent.mkdir(parents=True, exist_ok=True)
        if not own.exists():
            Path(place).rename(own)
        kept.append((what, str(own)))
    return replace(found, failures=tuple(kept))


if __name__ == "__main__":
    main()
