"""Flips and cuts files of every format: ``python -m tests.faults.damage --flips 20000 --seed 0``."""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import click
from damaged_files import KINDS
from damaged_outcomes import HARMLESS, REFUSED, WRONG, trials


@click.command()
@click.option("--flips", default=20000, show_default=True, type=click.IntRange(min=1), help="Of each format.")
@click.option("--cuts", default=500, show_default=True, type=click.IntRange(min=5), help="Of each format.")
@click.option("--seed", default=0, show_default=True, help="Of the places.")
def main(flips, cuts, seed):
    """A table of outcomes; the exit status is 1 if any file was read wrongly or not refused as documented."""
    wrong = []
    click.echo(f"{'format':<12}{'damage':<12}{'trials':>8}{REFUSED:>10}{HARMLESS:>10}{WRONG:>8}")
    for kind in KINDS:
        with tempfile.TemporaryDirectory(prefix="damage-") as folder:
            counts, found = trials(kind, Path(folder), flips=flips, n_cuts=cuts, seed=seed)
        wrong += found
        for what, count in counts.items():
            cells = "".join(
                f"{count[name]:>{width}}" for name, width in ((REFUSED, 10), (HARMLESS, 10), (WRONG, 8))
            )
            click.echo(f"{kind.name:<12}{what:<12}{count.total():>8}{cells}")
    for line in wrong[:50]:
        click.echo(line, err=True)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
