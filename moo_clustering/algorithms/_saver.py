"""Checkpoints in the course of a search."""

from __future__ import annotations

import warnings
from typing import Any

from moo_clustering.algorithms._prefix import prefixed, within
from moo_clustering.algorithms._recorder import Recorder
from moo_clustering.algorithms._search import ChecksResumability, Search
from moo_clustering.persistence import ArchiveError, Checkpoint, load_checkpoint, save_checkpoint
from moo_clustering.persistence._checkpoint import START_OVER


class Saver:
    """Writes and reads the checkpoints of one search and its recorder.

    Parameters
    ----------
    checkpoint : Checkpoint or None
        Without one, nothing is ever written or read.
    search : Search
    recorder : Recorder or None

    Raises
    ------
    ValueError
        When a checkpoint is wanted and the search says that it cannot be saved.
    """

    def __init__(self, checkpoint: Checkpoint | None, search: Search, recorder: Recorder | None) -> None:
        self._checkpoint = checkpoint
        self._search = search
        self._recorder = recorder
        self._saved: int | None = None
        if checkpoint is not None and isinstance(search, ChecksResumability):
            search.check_resumable()

    def resume(self) -> bool:
        """Restore search and recorder where that is wanted and there is a file to do it from."""
        if self._checkpoint is None or not self._checkpoint.resume:
            return False
        loaded = load_checkpoint(self._checkpoint)
        if loaded is None:
            return False
        try:
            self._restore(*loaded)
        except MemoryError:
            raise
        except ValueError as error:
            raise ArchiveError(f"{self._checkpoint.path} cannot be gone on from: {error}") from error
        except Exception as error:  # whatever searches, operators and numpy say to parts that do not fit
            raise ArchiveError(
                f"{self._checkpoint.path} is a damaged checkpoint ({type(error).__name__}: {error}); "
                f"{START_OVER}"
            ) from error
        return True

    def _restore(self, arrays: dict[str, Any], meta: dict[str, Any]) -> None:
        self._search.restore(within("search", arrays), meta["search"])
        self._saved = self._search.generation
        if self._recorder is not None:
            if meta["recorder"] is not None:
                self._recorder.restore(within("recorder", arrays), meta["recorder"])
            else:
                self._recorder.begin(getattr(self._search, "seed", None))

    def save_if_due(self) -> None:
        """Write a checkpoint when the generation is a multiple of ``every``."""
        if self._checkpoint is not None and self._search.generation % self._checkpoint.every == 0:
            self.save()

    def save(self) -> None:
        """Write a checkpoint unless this generation has one.

        A failure to write the first one is an error: nothing is lost yet. Later ones (a disk that
        filled up) only warn, since the search in memory is worth more than the file.
        """
        if self._checkpoint is None or self._saved == self._search.generation:
            return
        arrays, meta = self._state()
        try:
            save_checkpoint(self._checkpoint, arrays, meta)
        except OSError as error:
            if self._saved is None:
                raise
            warnings.warn(
                f"checkpoint {self._checkpoint.path} could not be written at generation "
                f"{self._search.generation} ({error}); it still holds generation {self._saved}",
                RuntimeWarning,
                stacklevel=4,
            )
        else:
            self._saved = self._search.generation

    def out_of_memory(self, error: MemoryError) -> MemoryError:
        """The error with when it happened and what is saved."""
        kept = "nothing is saved, as no checkpoint was asked for"
        if self._checkpoint is not None:
            where = f"checkpoint {self._checkpoint.path}"
            kept = f"{where} has no generation yet"
            if self._saved is not None:
                kept = f"{where} holds generation {self._saved}, resuming goes on there"
        said = str(error) or "memory ran out"
        return MemoryError(f"{said} (after generation {self._search.generation}; {kept})")

    def _state(self) -> tuple[dict[str, Any], dict[str, Any]]:
        arrays, meta = self._search.state()
        arrays = prefixed("search", arrays)
        wrapped: dict[str, Any] = {"search": meta, "recorder": None}
        if self._recorder is not None:
            history, wrapped["recorder"] = self._recorder.state()
            arrays |= prefixed("recorder", history)
        return arrays, wrapped
