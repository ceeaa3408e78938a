"""Tables with one instance a row and a column that says its bag: ARFF, KEEL's dialect of it, frames."""

from __future__ import annotations

from moo_clustering.datasets._arff_header import Header, Lines
from moo_clustering.datasets._arff_rows import RowReader
from moo_clustering.datasets._bag_arff import columns_of
from moo_clustering.datasets._bag_assembly import Classes, assemble, members_of
from moo_clustering.datasets._bag_columns import BagOptions, Rows
from moo_clustering.datasets._bag_roles import Roles, flat_roles, is_identifier
from moo_clustering.datasets._bag_table import BagTable
from moo_clustering.datasets._table import DataError


def read_flat(header: Header, lines: Lines, options: BagOptions, name: str, source: str) -> BagTable:
    """Bags of an ARFF file without relational attribute; see :func:`~moo_clustering.datasets.read_bags`."""
    attributes = header.attributes
    roles = flat_roles([columns_of(each) for each in attributes], options, source, header.outputs)
    for place in (roles.bag, roles.label):
        if place is not None and attributes[place].kind == "numeric":
            attributes[place].kind = "text"  # kept as it is written
    numbers, places = RowReader(attributes).read_all(lines, source)
    rows = Rows(tuple(columns_of(attribute) for attribute in attributes), numbers, places)
    unused = (
        {each.name for each in attributes} - {*header.inputs, *header.outputs} if header.inputs else set()
    )
    outputs = {output for output in header.outputs if output != options.label}
    options = options._replace(drop=(*options.drop, *unused, *outputs))
    return flat_table(rows, roles, options, name, source)


def flat_table(rows: Rows, roles: Roles, options: BagOptions, name: str, source: str) -> BagTable:
    """Bags of rows whose roles are known."""
    column = rows.columns[roles.bag]
    members = members_of(column, rows.numbers[:, roles.bag], rows, source)
    if roles.guessed and members.n_bags == len(rows):
        raise DataError(
            f"{source}: no two rows have the same value in the first column, {column.name!r}, so it does not "
            "look like the bag of the rows; name the column that is with bag=..."
        )
    classes = None
    if roles.label is not None:
        classes = Classes(rows.columns[roles.label], rows.numbers[:, roles.label])
    kept = [
        place
        for place, each in enumerate(rows.columns)
        if place not in (roles.bag, roles.label)
        and each.name not in options.drop
        and (each.name in options.nominal or not is_identifier(rows, place))
    ]
    return assemble(rows.only(kept), members, classes, options, name, source)
