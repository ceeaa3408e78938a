"""The group of commands, and how anything that goes wrong is told."""

from __future__ import annotations

import sys
from typing import Any

import click

from moo_clustering import __version__
from moo_clustering.cli._compare import compare
from moo_clustering.cli._demo import demo
from moo_clustering.cli._errors import INTERRUPTED, one_line
from moo_clustering.cli._explore import explore
from moo_clustering.cli._fit import fit
from moo_clustering.cli._methods import methods
from moo_clustering.cli._report import report
from moo_clustering.cli._reproduce import reproduce


class _Commands(click.Group):
    """Errors are one line on stderr, with exit code 2, or 130 after Ctrl-C."""

    def main(self, *args: Any, standalone_mode: bool = True, **extra: Any) -> Any:
        run: Any = super().main
        if not standalone_mode:
            return run(*args, standalone_mode=False, **extra)
        try:
            code = run(*args, standalone_mode=False, **extra)
        except click.Abort:
            click.echo("Interrupted.", err=True)
            sys.exit(INTERRUPTED)
        except click.ClickException as error:
            click.echo(f"Error: {one_line(error.format_message())}", err=True)
            sys.exit(2)
        sys.exit(code if isinstance(code, int) else 0)


@click.group(
    cls=_Commands, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, prog_name="moo-clustering")
@click.option("--traceback", is_flag=True, help="Show where an error came from instead of one line.")
@click.pass_context
def main(context: click.Context, traceback: bool) -> None:
    """Evolutionary clustering: multi-objective and semi-supervised methods on your own tables."""
    context.obj = {"traceback": traceback}
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


for command in (compare, demo, explore, fit, methods, report, reproduce):
    main.add_command(command)
