"""The help of the command, as it prints it."""

import click
from docutils import nodes
from docutils.parsers.rst import Directive

from moo_clustering.cli import main


def help_of(name):
    """Help of a subcommand."""
    top = click.Context(main, info_name="moo-clustering", max_content_width=96)
    command = main.get_command(top, name)
    return command.get_help(click.Context(command, info_name=name, parent=top, max_content_width=96))


class CommandHelp(Directive):
    """``{command-help} NAME``."""

    required_arguments = 1

    def run(self):
        """Put the help into a block of its own."""
        text = help_of(self.arguments[0])
        return [nodes.literal_block(text, text, language="text")]


def setup(app):
    """Make the directive known."""
    app.add_directive("command-help", CommandHelp)
    return {"parallel_read_safe": True}
