"""Where data that are not part of the project may be found."""

import os
from pathlib import Path

import matplotlib as mpl
import pytest

mpl.use("Agg")


@pytest.fixture(scope="session")
def data_folder():
    """Folder of third-party data sets; tests that need one are skipped without it."""
    folder = Path(os.environ.get("MOO_CLUSTERING_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no data folder: set MOO_CLUSTERING_DATA (looked for {folder.name} beside the project)")
    return folder
