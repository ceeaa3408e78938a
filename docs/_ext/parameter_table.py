"""Table of the parameters of all estimators: values, estimators and meaning of every name."""

import inspect
import re

from numpydoc.docscrape import ClassDoc
from sphinx.util.docutils import SphinxDirective

from moo_clustering import estimators


def uses():
    """Map every parameter name to (values, meaning, estimator) of each estimator that has it."""
    found = {}
    for name in sorted(estimators.__all__):
        cls = getattr(estimators, name)
        if not inspect.isclass(cls):
            continue
        for entry in ClassDoc(cls)["Parameters"]:
            values = re.sub(r",? ?(default ?[=:]? ?.*|optional)$", "", entry.type)
            first = re.split(r"[.;]\s+(?=[A-Z`])", " ".join(entry.desc))[0].rstrip(";.")
            for each in re.split(r",\s*", entry.name):
                found.setdefault(each, []).append((values, first, name))
    return dict(sorted(found.items()))


def rows():
    """One row for every parameter name and set of values: name, values, meaning, estimators."""
    for name, entries in uses().items():
        grouped = {}
        for values, meaning, owner in entries:
            grouped.setdefault(values, []).append((meaning, owner))
        for values, members in grouped.items():
            yield name, values, members[0][0], [owner for _, owner in members]


class ParameterTable(SphinxDirective):
    """``parameter-table``."""

    def run(self):
        """Write the rows as a list-table."""
        lines = [
            ".. list-table::",
            "   :header-rows: 1",
            "",
            "   * - name",
            "     - values",
            "     - meaning",
        ]
        lines.append("     - estimators")
        for name, values, meaning, owners in rows():
            links = ", ".join(f":class:`~moo_clustering.estimators.{owner}`" for owner in owners)
            lines += [f"   * - ``{name}``", f"     - {values}", f"     - {meaning}", f"     - {links}"]
        return self.parse_text_to_nodes("\n".join(lines))


def setup(app):
    """Make the directive known."""
    app.add_directive("parameter-table", ParameterTable)
    return {"parallel_read_safe": True}
