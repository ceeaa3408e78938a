"""Files that outlive a run: archives, checkpoints and what identifies the data of a run.

An archive is one ``.npz`` with arrays and JSON metadata, written whole or not at all, and read
without ever executing code (no pickles). A checkpoint is an archive that knows which run it is of
and refuses to go on with another one.
"""

from moo_clustering.persistence._archive import ArchiveError, read_archive, write_archive
from moo_clustering.persistence._checkpoint import (
    Checkpoint,
    CheckpointMismatchError,
    load_checkpoint,
    save_checkpoint,
)
from moo_clustering.persistence._environment import environment
from moo_clustering.persistence._fingerprint import fingerprint
from moo_clustering.persistence._json import to_json

__all__ = [
    "ArchiveError",
    "Checkpoint",
    "CheckpointMismatchError",
    "environment",
    "fingerprint",
    "load_checkpoint",
    "read_archive",
    "save_checkpoint",
    "to_json",
    "write_archive",
]
