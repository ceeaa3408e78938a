"""What all tests share: where data may be found, and that Ctrl-C is heard."""

import os
import signal
from pathlib import Path

import matplotlib as mpl
import pytest

mpl.use("Agg")

# Shells start jobs in the background with Ctrl-C ignored, and so would be the processes that tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def data_folder():
    """Folder of third-party data sets; tests that need one are skipped without it."""
    folder = Path(os.environ.get("MOO_CLUSTERING_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no data folder: set MOO_CLUSTERING_DATA (looked for {folder.name} beside the project)")
    return folder
