"""Folders of runs: who may write where, and nothing saved is ever lost."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from moo_clustering.persistence import to_json
from moo_clustering.persistence._atomic import creating, is_temporary, replacing

RECORD = "run.json"
CHECKPOINT = "checkpoint.npz"
LABELS = "labels.csv"
CONTENT = "report.npz"
REPORT = "report.html"
FILES = (
    LABELS,
    "clusters.csv",
    "probabilities.csv",
    "predictions.csv",
    "scores.csv",
    "alternatives.csv",
    "alternatives_summary.csv",
    "front.csv",
    "history.csv",
    "result.npz",
    "front.png",
    "attainment.png",
    "similarity.png",
    "history.png",
    "terms.png",
    "partition.png",
    "roc.png",
    "bag_distances.png",
    "bag_embedding.png",
    CONTENT,
    REPORT,
)
FORMAT = "moo_clustering run"

_OTHER = "choose another folder with --out"


class FolderError(ValueError):
    """The folder cannot take this run."""


@dataclass
class RunFolder:
    """A folder that one run writes to.

    Parameters
    ----------
    path : Path
    resumed : bool
        Whether there is a checkpoint to go on from.
    has_record : bool
        Whether there is the record of a run that may be overwritten or gone on with.
    """

    path: Path
    resumed: bool = False
    has_record: bool = False
    _made: list[Path] = field(default_factory=list)
    _claimed: bool = False

    @property
    def killed(self) -> bool:
        """Whether there is the record of an earlier run and no checkpoint."""
        return self.has_record and not self.resumed

    @property
    def checkpoint(self) -> Path:
        """File of the checkpoint."""
        return self.path / CHECKPOINT

    def claim(self, record: Mapping[str, Any]) -> None:
        """Make the folder, if need be, and write the record of a run that has begun.

        A resumed run leaves the record as it is: should it fail, nothing has changed.
        """
        try:
            self._made = [folder for folder in (self.path, *self.path.parents) if not folder.exists()]
            self.path.mkdir(parents=True, exist_ok=True)
            if self.has_record:
                # Fails where nothing could be written at the end either.
                tempfile.TemporaryFile(dir=self.path).close()
                if self.resumed:
                    return
                self.write_record(record)
                # Of a run that was killed while it saved its results.
                self._remove(FILES)
            else:
                with creating(self.path / RECORD) as file:
                    file.write(_text(record).encode())
                self._claimed = True
        except FileExistsError as error:
            raise FolderError(f"another run has just begun in {self.path}; {_OTHER}") from error
        except OSError as error:
            self.release()
            raise FolderError(f"cannot write to {self.path}: {error.strerror or error}") from error

    def release(self) -> None:
        """Undo :meth:`claim` after an error, unless something has been saved since."""
        if self._claimed and not self.checkpoint.exists() and not (self.path / LABELS).exists():
            (self.path / RECORD).unlink(missing_ok=True)
        for folder in self._made:
            try:
                folder.rmdir()
            except OSError:
                break

    def _remove(self, names: Iterable[str]) -> None:
        for name in names:
            (self.path / name).unlink(missing_ok=True)

    def write_record(self, record: Mapping[str, Any]) -> None:
        """Replace the record."""
        with replacing(self.path / RECORD) as file:
            file.write(_text(record).encode())

    def finish(self, record: Mapping[str, Any], *, complete: bool) -> None:
        """Write the last record; a complete run needs its checkpoint no longer.

        The report of what an interrupted run had found is none of its result.
        """
        self.write_record(record)
        self._remove((CONTENT, REPORT))
        if complete:
            self.checkpoint.unlink(missing_ok=True)


def open_folder(path: Path, *, resume: bool = False, replaces: str | None = None) -> RunFolder:
    """The folder for a run, if it may be used; nothing is written yet.

    Parameters
    ----------
    path : Path
    resume : bool, default=False
        Whether a checkpoint may be gone on from.
    replaces : str, optional
        A command whose earlier runs may be overwritten.

    Raises
    ------
    FolderError
        When the folder holds a finished run, an unfinished one without ``resume``, or anything else.
    """
    if path.exists() and not path.is_dir():
        raise FolderError(f"{path} is a file, not a folder; {_OTHER}")
    try:
        names = {entry.name for entry in path.iterdir()} if path.exists() else set()
    except OSError as error:
        raise FolderError(f"cannot read {path}: {error.strerror or error}") from error
    names = {name for name in names if not is_temporary(name)}
    has_checkpoint = CHECKPOINT in names
    if RECORD in names:
        record = _read_record(path)
        if replaces is not None and record.get("command") == replaces:
            for name in (*FILES, CHECKPOINT):
                (path / name).unlink(missing_ok=True)
            return RunFolder(path, has_record=True)
        _check_unfinished(path, record["status"], has_checkpoint, LABELS in names, resume)
    elif names - {CHECKPOINT}:
        raise FolderError(f"{path} holds other files; {_OTHER}")
    elif has_checkpoint and not resume:
        raise FolderError(f"{path} holds a checkpoint; go on from it with --resume or {_OTHER}")
    return RunFolder(path, resumed=has_checkpoint, has_record=RECORD in names)


def _check_unfinished(path: Path, status: str, has_checkpoint: bool, has_labels: bool, resume: bool) -> None:
    if status == "complete":
        raise FolderError(f"{path} holds a finished run; {_OTHER}")
    if has_checkpoint:
        if not resume:
            raise FolderError(f"{path} holds an unfinished run; go on with it with --resume or {_OTHER}")
    elif has_labels and status != "running":
        raise FolderError(
            f"{path} holds the result of an interrupted run without a checkpoint to go on from; {_OTHER}"
        )
    elif status == "running" and not resume:
        raise FolderError(
            f"{path} holds a run that is still going on or was killed; start over with --resume or {_OTHER}"
        )


def _read_record(path: Path) -> dict[str, Any]:
    try:
        record = json.loads((path / RECORD).read_text(encoding="utf-8"))
        known = record["format"] == FORMAT and isinstance(record["status"], str)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        known = False
    if not known:
        raise FolderError(f"{path} holds a {RECORD} of something else; {_OTHER}")
    return record


def _text(record: Mapping[str, Any]) -> str:
    return json.dumps(to_json(record, "record"), indent=2, ensure_ascii=False) + "\n"
