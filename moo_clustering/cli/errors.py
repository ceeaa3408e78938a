"""Errors, warnings and interruptions of the command, each told in a sentence."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from moo_clustering.cli.text import one_line

INTERRUPTED = 130
_LESS_MEMORY = "give it fewer samples, a method that compares fewer of them, or end other programs"
# What other packages tell their developers.
_NOT_FOR_USERS = (
    DeprecationWarning,
    PendingDeprecationWarning,
    FutureWarning,
    ImportWarning,
    ResourceWarning,
)


class Command(click.Command):
    """A command whose errors are one line on stderr, with exit code 2, or 130 after Ctrl-C."""

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


class Commands(Command, click.Group):
    """A group of commands with such errors."""


@contextmanager
def reported() -> Iterator[None]:
    """Errors about what the user gave, as click's; others are bugs and keep their traceback."""
    context = click.get_current_context(silent=True)
    if context is not None and (context.find_root().obj or {}).get("traceback"):
        yield
        return
    try:
        yield
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise click.ClickException(f"{where}{error.strerror or error}") from error
    except MemoryError as error:
        said = f": {one_line(error)}" if str(error) else ""
        raise click.ClickException(f"not enough memory{said}; {_LESS_MEMORY}") from error
    except (ValueError, TypeError) as error:
        raise click.ClickException(str(error)) from error
    except ImportError as error:
        from moo_clustering._arrays import MissingPackageError

        if isinstance(error, MissingPackageError):
            raise click.ClickException(str(error)) from error
        raise


@contextmanager
def shown_warnings() -> Iterator[list[str]]:
    """Every different warning as one line on stderr; the lines are kept in the list."""
    lines: list[str] = []

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        from tqdm import tqdm

        line = one_line(message)
        if line not in lines:
            lines.append(line)
            with tqdm.external_write_mode():
                click.echo(f"Warning: {line}", err=True)

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        for category in _NOT_FOR_USERS:
            warnings.simplefilter("ignore", category)
        warnings.showwarning = show
        yield lines
