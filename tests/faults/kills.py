"""Kills runs of every family at random moments: ``python -m tests.faults.kills --kills 200 --seed 0``.

With ``--between-writes`` once at each boundary between two writes of every family.
"""

# ruff: noqa: E402
import sys
from pathlib import Path

_HERE = Path(__file__).parent
# The folder of the project is there for ``papers``, which is not installed.
sys.path[:0] = [str(_HERE), str(_HERE.parent / "algorithms"), str(_HERE.parents[1])]

import still_process  # noqa: F401  isort: skip
import json
import tempfile

import click
from kill_commands import COMMANDS, METHOD_FITS
from kill_families import FAMILIES
from kill_harness import between_writes, campaign

COLUMNS = {
    "family": "family",
    "kills": "kills",
    "while_writing": "while writing",
    "resumed": "resumed",
    "from_saved": "from what was saved",
    "equal": "equal",
    "failures": "failures",
}


@click.command()
@click.option("--kills", default=200, show_default=True, type=click.IntRange(min=1), help="How many in all.")
@click.option("--seed", default=0, show_default=True, help="Of the moments.")
@click.option("--between-writes", "between", is_flag=True, help="At each boundary between two writes.")
@click.option("--most", type=click.IntRange(min=2), help="Boundaries of each run; all by default.")
@click.option("--families", "names", metavar="NAMES", help="Only these, with semicolons.")
@click.option("--write", metavar="FILE", type=click.Path(path_type=Path), help="Figures as JSON.")
def main(kills, seed, between, most, names, write):
    """Kill, go on, compare; the exit status is 1 if anything failed."""
    families = [*COMMANDS, *METHOD_FITS] if between else FAMILIES
    known = {family.name: family for family in [*families, *FAMILIES]}
    chosen = [known[name.strip()] for name in names.split(";")] if names else families
    with tempfile.TemporaryDirectory(prefix="kills-") as place:
        options = {"place": Path(place), "tell": lambda text: click.echo(text, err=True)}
        if between:
            found = between_writes(chosen, most=most, **options)
        else:
            found = campaign(chosen, kills=kills, seed=seed, **options)
    click.echo(as_text(found))
    if write is not None:
        write.write_text(json.dumps(found, indent=1) + "\n")
    sys.exit(found["failures"] > 0)


def as_text(found):
    """The table, and what failed below it."""
    lines = [list(COLUMNS.values())]
    for row in [*found["rows"], {**found, "family": f"all {found['families']}"}]:
        cells = {**row, "failures": row["failures"] if "rows" in row else len(row["failures"])}
        lines.append([str(cells[name]) for name in COLUMNS])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    table = [
        "  ".join(
            cell.rjust(width) if at else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    ]
    wrong = [f"{row['family']}, {text}" for row in found["rows"] for text in row["failures"]]
    return "\n".join([*table, f"{found['seconds']} seconds", *wrong])


if __name__ == "__main__":
    main()
