"""Docstrings are written for people at a prompt: what reStructuredText would read otherwise is escaped."""

import functools
import re
from pathlib import Path

from jinja2 import FileSystemLoader
from numpydoc import docscrape_sphinx

TEMPLATES = Path(docscrape_sphinx.__file__).parent / "templates"
# Literals, roles and text in them stay as they are.
_MARKED = re.compile(r"(``.+?``|:[\w:+-]+:`[^`]+`|`[^`]+`_?)")
_ENDS_WITH_UNDERSCORE = re.compile(r"\b(\w*[A-Za-z0-9])_(?!\w)")


def escaped(line):
    """A line in which fitted attributes are no links and bars are no substitutions."""
    if line.lstrip().startswith((">>>", "...", "..")):
        return line
    parts = _MARKED.split(line)
    for i in range(0, len(parts), 2):
        parts[i] = _ENDS_WITH_UNDERSCORE.sub(r"\1\\_", parts[i]).replace("|", r"\|")
    return "".join(parts)


def escape_docstring(app, what, name, obj, options, lines):
    """Escape all lines but examples."""
    in_example = False
    for i, line in enumerate(lines):
        in_example = line.lstrip().startswith(">>>") or (in_example and bool(line.strip()))
        if not in_example:
            lines[i] = escaped(line)


def setup(app):
    """Run after numpydoc, whose template is compiled once instead of once per docstring."""
    environment = docscrape_sphinx.SandboxedEnvironment
    shared = functools.cache(lambda: environment(loader=FileSystemLoader(TEMPLATES)))
    docscrape_sphinx.SandboxedEnvironment = lambda loader: shared()
    app.connect("autodoc-process-docstring", escape_docstring, priority=900)
    return {"parallel_read_safe": True}
