"""Parquet files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from moo_clustering.datasets._columns import Roles, table_from_frame
from moo_clustering.datasets._table import DataError, Table


def read_parquet(path: Path, roles: Roles) -> Table:
    """Read a Parquet file; see :func:`~moo_clustering.datasets.read_table`."""
    frame, roles = parquet_frame(path, roles)
    return table_from_frame(frame, roles, name=path.name, source=str(path))


def parquet_frame(path: Path, roles: Roles) -> tuple[pd.DataFrame, Roles]:
    """Columns named by text, and the roles with the index for identifiers where the file has one."""
    try:
        frame = pd.read_parquet(path, engine="pyarrow")
    except ImportError as error:
        raise DataError(
            f"reading {path} needs pyarrow, which is not installed: pip install moo_clustering[parquet]"
        ) from error
    except (OSError, MemoryError):
        raise
    except Exception as error:  # pyarrow has its own for damaged bytes, also of invalid text
        raise DataError(f"{path} is not a Parquet file, or it is damaged: {error}") from error
    frame.columns = [str(column) for column in frame.columns]
    if not isinstance(frame.index, pd.RangeIndex):
        index = str(frame.index.name or "(index)")
        if index in frame.columns:
            raise DataError(f"{path} has two columns named {index!r}, one of them its index")
        try:
            names: Any = frame.index.astype(str)
        except UnicodeDecodeError:  # an index of bytes
            names = [str(name) for name in frame.index]
        frame.insert(0, index, names)
        if roles.id_column is None and index not in roles.by_column():
            roles = roles._replace(id_column=index)
    return frame, roles
