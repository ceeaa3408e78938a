"""Run folders: validation before a run, and functions that write and read the run's files."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from copy import copy
from dataclasses import replace
from functools import partial
from inspect import signature
from io import BytesIO
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from moo_clustering import persistence
from moo_clustering._arrays import warn_caller
from moo_clustering._messages import distinct_names, message_line, path_fault
from moo_clustering.constraints.pairs import satisfied_shares
from moo_clustering.datasets.files import table_text
from moo_clustering.descriptions import with_columns
from moo_clustering.results import ClusteringResult

if TYPE_CHECKING:
    from moo_clustering.bags import Bags
    from moo_clustering.cli.samples import Samples
    from moo_clustering.visualization.report import ReportContent

# Columns of history.csv that are plotted, and their names in the figure.
_DRAWN = {
    "min": "best objective", "avg": "mean objective", "d": "genes in which parents must differ",
    "inertia": "inertia", "smallest": "bags of the smallest cluster",
}  # fmt: skip
# Some programs that read a table take these characters for the end of a row or of the file.
_ODD = str.maketrans({"\r": "\n", "\0": "\N{REPLACEMENT CHARACTER}"})
RECORD, CHECKPOINT, CONTENT, REPORT = "run.json", "checkpoint.npz", "report.npz", "report.html"
LABELS, CLUSTERED, MODEL = "labels.csv", "clustered.csv", "model.skops"
ALL_LABELS = "labels"  # subfolder with the labels of a partitioned table
UPDATED = "updated"  # subfolder with a complete set of new files, which will replace the files of the run
FILES = (
    LABELS, CLUSTERED, MODEL, "clusters.csv", "probabilities.csv", "predictions.csv", "scores.csv",
    "alternatives.csv", "alternatives_summary.csv", "front.csv", "history.csv", "result.npz", "front.png",
    "attainment.png", "similarity.png", "history.png", "terms.png", "partition.png", "roc.png",
    "bag_distances.png", "bag_embedding.png", "questions.npz", "must_link.csv", "cannot_link.csv",
    "partial_labels.csv", "regions.geojson", CONTENT, REPORT,
)  # fmt: skip
FORMAT, VERSION = "moo_clustering run", 1
_MODEL_FORMAT, _MODEL_VERSION = "moo_clustering model", 1
_MODEL_KEYS = ("preparer", "rows", "limits", "sizes", "classes", "names", "roles", "plain_csv")
# Types of other packages that a model file may contain.
_MODEL_TYPES = {
    "functools.partial", "numpy.asarray", "numpy.dtype", "pandas.Interval", "scipy.sparse._csr.csr_array",
    "pymoo.core.problem.ElementwiseEvaluationFunction", "pymoo.core.problem.LoopedElementwiseEvaluation",
    "pandas._libs.interval.Interval",  # name of pandas.Interval before pandas 3
}  # fmt: skip
# Records with more bytes and tables with more columns are not read.
_LARGEST_RECORD, _MOST_COLUMNS = 2**24, 1000
_OTHER = "choose another folder with --out"
_NO_RESULT = {
    "running": "contains a run without a result, which is still running or was killed",
    "interrupted": "contains a run that was interrupted before it produced a result",
}
_UNFINISHED = {
    "interrupted": "The run was interrupted; this is the result up to that point.",
    "running": "The run is still in progress or was killed; this is the last saved result.",
}
_LARGEST = 25_000_000  # maximum number of labels that are saved for all solutions of a front


class FolderError(ValueError):
    """Raised if a folder cannot be used for a run."""


class RunFolder:
    """Folder of a run, which is inspected and locked before files are written."""

    # The function ``inspect`` raises a FolderError if the run cannot use the folder. Otherwise, it returns
    # whether there is a checkpoint to resume, and whether there is a record to overwrite or continue.

    def __init__(self, path: Path, inspect: Callable[[Path], tuple[bool, bool]]) -> None:
        self.path, self._inspect = path, inspect
        self._made: list[Path] = []  # folders created for the run
        self._own: set[str] = set()  # names of the files in the folder when the run started
        self._claimed = False  # whether the run has created the record
        self._lock = ExitStack()
        self._is_held: Callable[[], bool] = lambda: False
        self.look()

    @property
    def killed(self) -> bool:
        """Whether an earlier run left a record but no checkpoint from which it can be resumed."""
        return self.has_record and not self.resumed

    @property
    def checkpoint(self) -> Path:
        return self.path / CHECKPOINT

    def look(self) -> None:
        """Inspect the folder. This is repeated after locking, because another command may have used it."""
        self.resumed, self.has_record = self._inspect(self.path)

    def reserve(self) -> None:
        try:
            # The innermost folder is the first, because ``release`` removes the folders in this order.
            made = [folder for folder in (self.path, *self.path.parents) if not folder.exists()]
            self.path.mkdir(parents=True, exist_ok=True)
            self._made = self._made or made
            self.lock()
        except OSError as error:
            self.release()
            raise _unwritable(self.path, error) from error

    def claim(self, record: Mapping[str, Any]) -> None:
        """Lock the folder, inspect it again, and record that a run has started."""
        before = self.resumed, self.has_record
        self.reserve()
        try:
            self.look()
            if before != (self.resumed, self.has_record):
                raise FileExistsError
            if self.has_record:
                # If the folder is read-only, this raises an error now rather than after the fit.
                tempfile.TemporaryFile(dir=self.path).close()
                if not self.resumed:
                    self.write_record(record)
                    # These files are from a run that was killed while its results were being saved.
                    self.remove(FILES)
            else:
                # If two runs start at the same time, one fails here even on systems without file locks.
                with persistence.creating(self.path / RECORD) as file:
                    file.write(record_text(record))
                    # The file is created when this block ends. The flag is set before, because Ctrl-C could
                    # follow immediately.
                    self._claimed = True
            self._own = {entry.name for entry in self.path.iterdir()}
        except FileExistsError as error:
            self._claimed = False
            raise FolderError(f"another run has just started in {self.path}; {_OTHER}") from error
        except OSError as error:
            self.release()
            raise _unwritable(self.path, error) from error

    def settle(self) -> None:
        """Switch to a new folder if the current folder was removed or received files from other processes."""
        # There is no error, because the results of a long fit are more important than the folder's name.
        try:
            foreign = {entry.name for entry in self.path.iterdir()} & set(FILES) - self._own
        except OSError:
            foreign = set()
        if not foreign and self._is_held():
            return
        taken = self.path
        numbered = (taken.with_name(f"{taken.name}-{number}") for number in count(1))
        self.unlock()
        self.path = next(path for path in numbered if not path.exists() and not path.is_symlink())
        self.reserve()
        names = " and ".join(sorted(foreign))
        why = f"received {names} from another process" if names else "was removed or replaced"
        warn_caller(f"{taken} {why} during the run; the results are saved in {self.path}")

    def lock(self) -> None:
        if not self._is_held():
            self.unlock()  # releases the lock of a folder that may have been removed
            if self.path.is_dir():
                self._is_held = self._lock.enter_context(persistence.locked(self.path))

    def unlock(self) -> None:
        self._lock.close()
        self._is_held = lambda: False

    def release(self) -> None:
        """Undo :meth:`claim` after an error, unless results were saved."""
        if self._claimed and not self.checkpoint.exists() and not (self.path / LABELS).exists():
            (self.path / RECORD).unlink(missing_ok=True)
        self.unlock()  # must come first, because a folder with a lock file cannot be removed
        with suppress(OSError):
            for folder in self._made:
                folder.rmdir()

    def remove(self, names: Iterable[str]) -> None:
        for name in names:
            (self.path / name).unlink(missing_ok=True)

    def write_record(self, record: Mapping[str, Any]) -> None:
        _replace(self.path / RECORD, record_text(record))

    def finish(self, record: Mapping[str, Any], *, complete: bool) -> None:
        """Write the final record after all other files. If the run is complete, remove the checkpoint."""
        self.write_record(record)
        if complete:
            self.checkpoint.unlink(missing_ok=True)


def _unwritable(path: Path, error: OSError) -> FolderError:
    return FolderError(f"cannot write to {path}: {error.strerror or error}")


def _replace(path: Path, content: bytes) -> None:
    with persistence.replacing(path) as file:
        file.write(content)


@contextmanager
def open_folder(
    path: Path,
    *,
    resume: bool = False,
    replaces: str | None = None,
    inspect: Callable[[Path], tuple[bool, bool]] | None = None,
) -> Iterator[RunFolder]:
    """Open a run folder, and lock it if it exists. :meth:`RunFolder.claim` creates and locks a new folder.

    With ``resume``, the folder may contain a checkpoint. It may contain a run of the command ``replaces``.
    """
    folder = RunFolder(path, inspect or partial(_inspected, resume=resume, replaces=replaces))
    try:
        try:
            folder.lock()
        except OSError as error:
            raise _unwritable(path, error) from error
        folder.look()
        if folder.has_record and replaces is not None:
            folder.remove((*FILES, CHECKPOINT))
        yield folder
    finally:
        folder.unlock()


def folder_names(path: Path) -> set[str]:
    """Return the names of all non-temporary files in a folder. The folder need not exist."""
    if fault := path_fault(path, "folder"):
        raise FolderError(f"{path} {fault}; {_OTHER}")
    try:
        names = {entry.name for entry in path.iterdir()} if path.exists() else set()
    except OSError as error:
        raise FolderError(f"cannot read {path}: {error.strerror or error}") from error
    return {name for name in names if not persistence.is_temporary(name)}


def _inspected(path: Path, resume: bool, replaces: str | None) -> tuple[bool, bool]:
    """Inspect a folder as RunFolder requires. It may contain a run of the command ``replaces``."""
    # The files show how far a run has come, because every run proceeds in the same order. It writes a record
    # with the status "running", then checkpoints, the results, the report and the final record. Finally, it
    # removes the checkpoint.
    names = folder_names(path)
    has_checkpoint, has_record, fault = CHECKPOINT in names, RECORD in names, ""
    if has_record:
        record = _read_record(path, f"{path} contains a {RECORD} that", f"; {_OTHER}")
        status = record["status"]
        if replaces is not None and record.get("command") == replaces:
            return False, True
        if status == "complete":
            # If there is a checkpoint but no report, the report could not be saved. The run can be resumed.
            fault = "" if resume and has_checkpoint and CONTENT not in names else "a finished run;"
        elif has_checkpoint:
            fault = "" if resume else "an unfinished run; continue it with --resume, or"
        elif LABELS in names and status != "running":
            fault = "an interrupted run without a checkpoint to resume from;"
        elif status == "running" and not resume:
            fault = "a run that is still running or was killed; start over with --resume, or"
    elif names - {CHECKPOINT}:
        fault = "other files;"
    elif has_checkpoint and not resume:
        fault = "a checkpoint; continue from it with --resume, or"
    if fault:
        raise FolderError(f"{path} contains {fault} {_OTHER}")
    return has_checkpoint, has_record


def _read_record(path: Path, before: str, after: str = "") -> dict[str, Any]:
    """Read a run record. If it is unreadable, raise a FolderError with the reason after ``before``."""
    fault = damaged = "was not written by moo-clustering, or is damaged"
    try:
        record = json.loads(persistence.read_bytes(path / RECORD, _LARGEST_RECORD))
        if record["format"] == FORMAT and isinstance(record["status"], str):
            fault = persistence.version_fault(record.get("version", 1), VERSION)
        # Serialise the record now, because JSON that can be read may be nested too deeply to be written.
        found: dict[str, Any] = persistence.to_json(record, "record")
        if not isinstance(found.setdefault("data", {}), dict):
            raise TypeError
    except OSError as error:
        fault = f"cannot be read: {error.strerror or error}"
    except (ValueError, KeyError, TypeError, RecursionError):
        fault = damaged
    if fault:
        raise FolderError(f"{before} {fault}{after}")
    return found


def record_text(record: Mapping[str, Any] | Sequence[Any]) -> bytes:
    text = json.dumps(persistence.to_json(record, "record"), indent=2, ensure_ascii=False)
    return f"{text}\n".encode()


def json_text(record: Mapping[str, Any] | Sequence[Any], indent: int | None = 2) -> str:
    """Convert a record to JSON. NaN and infinity become null. If ``indent`` is None, return one line."""
    text = json.dumps(persistence.to_json(record, "record"))  # escapes file names that are not UTF-8
    plain = json.loads(text, parse_constant=lambda name: None)
    return json.dumps(plain, indent=indent)


def run_record(folder: Path) -> dict[str, Any]:
    """Read the record of a run. Raise a FolderError if the folder contains no run."""
    if not folder.is_dir():
        what = path_fault(folder, "run folder") or "does not exist"
        raise FolderError(f"{folder} {what}")
    if not (folder / RECORD).exists():
        raise FolderError(f"{folder} is not a run folder: it has no {RECORD}")
    finish_update(folder)
    return _read_record(folder, f"{folder} is not a readable run folder: its {RECORD}")


def finish_update(folder: Path) -> None:
    """If the subfolder ``updated`` exists, move its files to the run folder. The record is moved last."""
    ready = folder / UPDATED
    if not ready.is_dir():
        return
    try:
        # Files can be missing, because another process may be completing the same update.
        with suppress(FileNotFoundError):
            files = json.loads((ready / RECORD).read_bytes())["files"]
            for name in {*FILES} - {*files}:
                (folder / name).unlink(missing_ok=True)
            for name in (*files, RECORD):
                with suppress(FileNotFoundError):
                    os.replace(ready / name, folder / name)
            shutil.rmtree(ready, ignore_errors=True)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise FolderError(f"{ready} contains an update that cannot be completed: {error}") from error


def run_content(folder: Path) -> ReportContent:
    from moo_clustering.visualization.report.page import load_content

    record = run_record(folder)
    labels = run_labels(folder, record)
    try:
        content = load_content(folder / CONTENT)
    except FileNotFoundError:
        said = f"{folder} has no {CONTENT}, which is required for reports"
        raise FolderError(f"{said}; fit again without --no-report") from None
    if len(labels) != content.n_samples:
        said = f"{LABELS} contains {len(labels)} samples, but {CONTENT} contains {content.n_samples}"
        raise FolderError(f"{folder}: {said}; they are from different runs")
    missing = list(content.missing)
    if not np.array_equal(labels, content.labels[content.chosen]):
        missing.append(f"{LABELS} differs from the labels shown here, because it was changed after the run.")
    title = record.get("title") or content.title
    return replace(content, title=title, missing=with_status(missing, record))


def run_labels(folder: Path, record: Mapping[str, Any]) -> NDArray[np.float64]:
    """Read the labels of a run. Raise a FolderError if the run has no result."""
    if not (folder / LABELS).is_file():
        otherwise = f"contains a run without a result: it has no {LABELS}"
        raise FolderError(f"{folder} {_NO_RESULT.get(record['status'], otherwise)}")
    return saved_labels(folder / LABELS)


def saved_table(path: Path) -> pd.DataFrame:
    with persistence.open_file(path) as file:
        # Count the columns first, because pandas takes ten seconds to read a hundred thousand columns.
        if file.readline().count(b",") >= _MOST_COLUMNS:
            raise FolderError(f"{path} is damaged: it has more than {_MOST_COLUMNS} columns")
        file.seek(0)
        try:
            frame = pd.read_csv(file, dtype=str, keep_default_na=False, encoding="utf-8")
        except ValueError as error:  # empty files and other encodings raise it, too
            raise FolderError(f"{path} is damaged: {' '.join(str(error).split())}") from error
    if "label" not in frame:
        raise FolderError(f"{path} is damaged: it has no label column")
    return frame


def saved_labels(path: Path) -> NDArray[np.float64]:
    return pd.to_numeric(saved_table(path)["label"], errors="coerce").to_numpy(dtype=np.float64)


def with_status(missing: Sequence[str], record: Mapping[str, Any]) -> list[str]:
    """Prepend notes to ``missing`` if the run is incomplete or its table was partitioned."""
    notes = [_UNFINISHED.get(record["status"]), *sample_notes(record)]
    return [*(note for note in notes if note is not None and note not in missing), *missing]


def sample_notes(record: Mapping[str, Any]) -> list[str]:
    """Return a note if the files describe only a sample of the rows, otherwise an empty list."""
    if not is_in_parts(record):
        return []
    n_rows, n_shown = record["data"].get("n_samples"), record["data"]["n_shown"]
    return [
        f"The table was read in partitions. The subfolder {ALL_LABELS} contains the labels of all {n_rows} "
        f"rows; the report and the other files describe a random sample of {n_shown} rows."
    ]


def is_in_parts(record: Mapping[str, Any]) -> bool:
    """Return whether a run was fitted to a partitioned table, so that its files describe a sample of rows."""
    return "n_shown" in record.get("data", {})


def save_report_of(
    folders: Sequence[Path], out: Path | None, title: str | None
) -> tuple[Path, ReportContent]:
    """Write a report on one or more runs to ``out``, or to ``report.html`` in a single run's folder."""
    from moo_clustering.visualization.report.page import page_bytes

    if out is None and len(folders) > 1:
        raise ValueError(f"a report on {len(folders)} runs requires --out FILE")
    page = folders[0] / REPORT if out is None else out
    # Only the folder of the page is locked, because the folders of the runs may be read-only.
    with persistence.locked(page.parent) if (page.parent / RECORD).is_file() else nullcontext():
        check_page(page)
        content = merged_content(folders)
        if title is not None and page == folders[0] / REPORT:
            # Other commands that rewrite this page take the title from the record.
            _replace(folders[0] / RECORD, record_text(run_record(folders[0]) | {"title": title}))
            content = merged_content(folders)
        text = page_bytes(replace(content, title=title) if title else content)
        with persistence.replacing(page) as file:
            file.write(text)
            # Check the page again, because another file may have been created since the first check.
            check_page(page)
    return page, content


def report_record(page: Path, folders: Sequence[Path], content: ReportContent) -> dict[str, Any]:
    names, runs = distinct_names(folder.resolve().name for folder in folders), []
    for name, folder in zip(names, folders, strict=True):
        record = run_record(folder)
        row = content.chosen if len(folders) == 1 else content.rules[f"{name}: result"]
        labels = content.labels[row]
        run = {"name": name, "folder": folder, "method": record.get("method")}
        run |= {"n_clusters": len(np.unique(labels[labels >= 0])), "scores": record.get("scores", {})}
        runs.append(run | {"values": {each.name: each.values[row] for each in content.columns}})
    return {
        "file": page,
        "n_samples": content.n_samples,
        "n_solutions": content.n_solutions,
        "runs": runs,
        "notes": content.missing,
    }


def check_page(page: Path) -> None:
    """Raise a ValueError if the page cannot be saved, or would replace a file that is not a report."""
    if page.is_dir():
        raise ValueError(f"--out {page} is a folder; specify a file, such as {page / 'report.html'}")
    if not page.parent.is_dir():
        raise ValueError(f"cannot save the report: folder {page.parent} does not exist")
    with suppress(FileNotFoundError), persistence.open_file(page) as file:
        if b'<meta name="generator" content="moo_clustering">' not in file.read(4096):
            said = f"{page} exists and is not a moo-clustering report; choose another file with --out"
            raise ValueError(said)


def merged_content(folders: Sequence[Path]) -> ReportContent:
    from moo_clustering.visualization.report.page import merge

    merged = merge([run_content(folder) for folder in folders], [folder.resolve().name for folder in folders])
    names = (run_record(folder)["data"].get("name", "unknown data") for folder in folders)
    files = list(dict.fromkeys(map(str, names)))
    if len(files) < 2 or any(name != str(row) for row, name in enumerate(merged.sample_names)):
        return merged
    said = f"The runs are on {' and '.join(files)}, whose rows have no names."
    sentence = f"{said} Rows with the same number are assumed to be the same sample."
    return replace(merged, missing=[sentence, *merged.missing])


def label_frame(kind: str, ids: Any, labels: Any, classes: Sequence[str] | None) -> pd.DataFrame:
    """Tabulate the label of each row or bag and, if there are classes, the class of its cluster."""
    frame = pd.DataFrame({kind: ids, "label": labels})
    if classes is not None:
        frame["class"] = _classes_of(labels, classes)
    return frame


def _classes_of(labels: Any, classes: Sequence[str]) -> NDArray[np.object_]:
    # The last name is empty, because the label -1 of outliers selects the last entry.
    return np.array([*classes, ""], dtype=object)[labels]


def write_csv(path: Path, frame: pd.DataFrame, *, plain: bool = False) -> None:
    """Write a table. Unless ``plain`` is set, escape formulas in cells (see ``csv_cell``)."""
    _replace(path, csv_text(frame, plain=plain))


def csv_text(frame: pd.DataFrame, *, plain: bool = False) -> bytes:
    """Convert a table to the bytes of a CSV file. If ``attrs["csv"]`` is set, it determines the format."""

    def cell(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        text = value.translate(_ODD)
        return text if plain else persistence.csv_cell(text)

    style = {"encoding": "utf-8", **frame.attrs.get("csv", {})}
    encoding = style.pop("encoding")
    text = frame.map(cell).rename(columns=cell).to_csv(index=False, lineterminator="\n", **style)
    return _encoded(text, encoding)


def _encoded(text: str, encoding: str) -> bytes:
    try:
        return text.encode(encoding)
    except UnicodeEncodeError:
        return text.encode("utf-8-sig")  # Excel recognises UTF-8 by the byte order mark


def written_cells(path: Path) -> pd.DataFrame:
    """Read a run's CSV file as text, and store its separator and encoding in ``attrs["csv"]``."""
    table = table_text(path, lenient=True)
    style: dict[str, Any] = {"sep": table.separator, "encoding": table.encoding}
    cells = pd.read_csv(path, header=None, dtype=str, keep_default_na=False, skip_blank_lines=False, **style)
    cells.attrs["csv"] = style
    return cells


def cells_text(cells: pd.DataFrame) -> bytes:
    style = cells.attrs["csv"]
    text = cells.to_csv(index=False, header=False, lineterminator="\n", sep=style["sep"])
    return _encoded(text, style["encoding"])


def result_arrays(result: ClusteringResult) -> dict[str, Any]:
    found = {"labels": result.labels, "similarity": result.similarity, "embedding": result.embedding}
    found |= {"eigenvalues": result.eigenvalues, "run_labels": result.runs, "run_losses": result.run_losses}
    found |= result.arrays()
    if (front := result.front) is not None:
        found |= {"front": front.values, "front_n_clusters": front.n_clusters, **front.scores}
        if front.is_ready and len(front) * len(result.labels) <= _LARGEST:
            found["front_labels"] = front.labels()
    return {
        name: sparse.csr_array(value) if sparse.issparse(value) else np.asarray(value, order="C")
        for name, value in found.items()
        if value is not None
    }


def front_frame(result: ClusteringResult, supervision: Mapping[str, Any]) -> pd.DataFrame | None:
    """Return a table of the front's solutions: number, objectives, scores, and whether it is the result."""
    if (front := result.front) is None:
        return None
    columns: dict[str, Any] = {"member": np.arange(len(front))}
    columns |= dict(zip(front.names, front.values.T, strict=True))
    if front.n_clusters is not None:
        columns["n_clusters"] = front.n_clusters
    elif result.pool is not None:
        columns["n_clusters"] = [len(np.unique(labels[labels >= 0])) for labels in front.labels()]
    columns |= front.scores
    if supervision and front.is_ready:
        columns |= satisfied_shares(front.labels(), supervision)
    if result.member_is_known or front.is_ready:
        chosen = result.row_of_front()
        columns["chosen"] = np.arange(len(front)) == (-1 if chosen is None else chosen)
    return pd.DataFrame(columns)


def with_clusters(
    frame: pd.DataFrame, labels: NDArray[Any], classes: Sequence[str] | None, others: Mapping[str, Any]
) -> pd.DataFrame:
    """Add the columns "cluster", "class" (if classes are known) and ``others`` to a table."""
    more: dict[str, NDArray[Any]] = {"cluster": np.asarray(labels)}
    if classes is not None:
        more["class"] = _classes_of(labels, classes)
    return with_columns(frame.reset_index(drop=True), {**more, **others})


def own_column(heads: Sequence[str], name: str) -> int:
    """Return the position of a column that ``fit`` added: the last one named ``name``, ``name_``, ..."""
    return [k for k, head in enumerate(heads) if re.fullmatch(f"{name}_*", head)][-1]


def write_model(path: Path, estimator: Any, **more: Any) -> None:
    """Save the entries ``more`` and a fitted estimator, of which only attributes for prediction are kept."""
    estimator = copy(estimator)
    defaults = signature(type(estimator)).parameters
    for name, value in list(vars(estimator).items()):
        if name == "history_" or type(value).__module__.partition(".")[0] in ("pandas", "pymoo", "deap"):
            delattr(estimator, name)
        elif name in ("checkpoint", "checkpoint_every", "resume", "start"):
            setattr(estimator, name, defaults[name].default)
    own = {"format": _MODEL_FORMAT, "version": _MODEL_VERSION, "estimator": estimator}
    _replace(path, model_bytes({**own, **dict.fromkeys(_MODEL_KEYS), **more}))


def model_bytes(model: Mapping[str, Any]) -> bytes:
    """Compress a model with skops, without object ids and times, so that equal fits yield identical files."""
    from skops import io

    numbers, names = dict[int, int](), dict[str, str]()

    def renamed(node: dict[str, Any]) -> dict[str, Any]:
        if isinstance(address := node.get("__id__"), int):
            node["__id__"] = numbers.setdefault(address, len(numbers))
        if isinstance(name := node.get("file"), str):
            node["file"] = names.setdefault(name, f"{len(names)}{Path(name).suffix}")
        return node

    found = BytesIO()
    with zipfile.ZipFile(BytesIO(io.dumps(model))) as old, zipfile.ZipFile(found, "w") as new:
        schema = json.loads(old.read("schema.json"), object_hook=renamed)
        new.writestr(zipfile.ZipInfo("schema.json"), json.dumps(schema), zipfile.ZIP_DEFLATED)
        for name, number in names.items():
            new.writestr(zipfile.ZipInfo(number), old.read(name), zipfile.ZIP_DEFLATED)
    return found.getvalue()


def load_model(folder: Path, name: str = MODEL) -> dict[str, Any]:
    """Read a run's model. Raise a FolderError if it is missing, damaged, or contains untrusted types."""
    from skops import io

    if "graph" in run_record(folder)["data"]:
        raise FolderError(
            f"{folder} is a fit of a graph, whose clusters cannot be explained, changed or assigned to new "
            "nodes; to add nodes, fit the graph that includes them"
        )
    path = folder / name
    if fault := path_fault(path, "file"):
        raise FolderError(f"{path} {fault}")
    if not path.exists():
        raise FolderError(_without_model(folder))
    try:
        with zipfile.ZipFile(path) as archive:
            n_bytes = sum(each.file_size for each in archive.infolist())
        if n_bytes > persistence.most_expanded(path.stat().st_size, persistence.EXPANSION):
            raise ValueError(f"it would require {n_bytes / 2**30:.1f} GiB of memory")
        types = io.get_untrusted_types(file=path)
        own = {name for name in types if name.startswith("moo_clustering.")}
        foreign = sorted(set(types) - own - _MODEL_TYPES)
        model = None if foreign else io.load(path, trusted=types)
    except Exception as error:  # damaged files and models of other versions can raise any exception
        said = f"{path} cannot be read ({message_line(str(error))}); fit again with this version"
        raise FolderError(said) from error
    if foreign:
        raise FolderError(f"{path} was not loaded, because it contains objects of type {foreign[0]}")
    if not isinstance(model, dict) or model.get("format") != _MODEL_FORMAT:
        raise FolderError(f"{path} is not a model written by `moo-clustering fit`")
    if fault := persistence.version_fault(model.get("version"), _MODEL_VERSION):
        raise FolderError(f"{path} {fault}")
    if absent := {"estimator", *_MODEL_KEYS} - set(model):
        raise FolderError(f"{path} has no {min(absent)}; fit again with this version")
    return model


def _without_model(folder: Path) -> str:
    from moo_clustering.datasets.sources import BUNDLED
    from moo_clustering.estimators._methods import find_method

    record = run_record(folder)
    data, method = record["data"], record["method"]
    kinds = {"text": "documents", "n_instances": "bags", "label_names": "label sets"}
    kind = next((kind for key, kind in kinds.items() if key in data), "columns without preparation")
    if record.get("command") == "ask":
        pairs = f"--must-link {folder / 'must_link.csv'} --cannot-link {folder / 'cannot_link.csv'}"
        why = f", because it contains only answers; to use them, add {pairs} to the command of a fit"
    elif record["status"] != "complete":
        why = ", because the fit is incomplete; finish it with fit --resume"
    elif not find_method(method)[0].predicts:
        why = f", because method {method} cannot predict; fit with another method"
    elif "columns" in data:  # only fits of prepared tables record columns
        why = "; fit again"
    else:
        kind = "a bundled data set" if data.get("name") in BUNDLED else kind
        why = f", because fit saves models only for prepared tables, not for {kind}; fit a table file, such "
        why += "as CSV, with a method that prepares columns, or use the estimator in Python"
    return f"{folder} has no {MODEL}{why}"


def draw_pictures(folder: Path, pictures: Mapping[str, Callable[[Path], object]]) -> list[str]:
    """Draw each picture to the file with its name, and return the names of the pictures drawn."""
    failed = dict[str, str]()
    for name, draw in pictures.items():
        (folder / name).unlink(missing_ok=True)  # an interrupted run may have left a picture
        try:
            import matplotlib as mpl

            mpl.use("Agg")
            draw(folder / name)
        except Exception as error:
            failed[name] = f"{type(error).__name__}: {message_line(error)}"
    if failed:
        why = next(iter(failed.values()))
        warn_caller(f"{' and '.join(failed)} could not be drawn ({why}); the results are saved")
    return [name for name in pictures if name not in failed]


def pictures_of(
    result: ClusteringResult, title: str, samples: Samples, frames: Mapping[str, pd.DataFrame]
) -> dict[str, Callable[[Path], object]]:
    """Return functions that draw pictures, keyed by file name."""
    from moo_clustering import visualization

    front, history = frames.get("front.csv"), frames.get("history.csv")
    pictures: dict[str, Callable[[Path], object]] = {}
    if samples.kind == "bag":
        pictures["bag_distances.png"] = partial(_draw_bag_distances, result=result, X=samples.X)
        pictures["bag_embedding.png"] = partial(_draw_bag_embedding, result=result, X=samples.X)
    if front is not None and len(front) and result.front is not None:
        chosen = front["chosen"].to_numpy() if "chosen" in front else None
        drawn = result.front.values, result.front.names, chosen
        pictures["front.png"] = lambda path: visualization.plot_front(*drawn, path=path)
    if result.attainment is not None and result.front is not None:
        scores = result.attainment, result.member, result.front.names[:2]
        pictures["attainment.png"] = lambda path: visualization.plot_attainment(*scores, path=path)
    if result.similarity is not None:
        eigenvalues = () if result.eigenvalues is None else result.eigenvalues
        pictures["similarity.png"] = lambda path: visualization.plot_similarity(
            result.similarity, result.labels, eigenvalues, result.embedding, title=title, path=path
        )
    if history is not None and len(history) > 1:
        pictures["history.png"] = partial(_draw_history, history=history)
    return pictures


def _draw_history(path: Path, history: pd.DataFrame) -> None:
    from moo_clustering.visualization import plot_convergence
    from moo_clustering.visualization.figures import save_figure

    if names := [name for name in _DRAWN if name in history and (name != "d" or history[name].nunique() > 1)]:
        history = history[["generation", *names]].rename(columns=_DRAWN)
    if "sweep" not in history:
        # The history may contain the last generation twice.
        plot_convergence(history.drop_duplicates(history.columns[0], keep="last"), path=path)
        return
    titles = {"sweep": "generation", "objective": "objective (can increase)"}
    figure = plot_convergence(history.rename(columns=titles))
    figure.axes[-1].set_xlabel("sweep")
    save_figure(figure, path)


def _draw_bag_distances(path: Path, result: ClusteringResult, X: Bags) -> None:
    from moo_clustering.visualization.bags import affordable_bags, plot_bag_distances

    bags = result.scaled(X)
    plot_bag_distances(bags, result.labels, max_bags=min(1500, affordable_bags(bags)), path=path)


def _draw_bag_embedding(path: Path, result: ClusteringResult, X: Bags) -> None:
    from moo_clustering.bags import as_bags
    from moo_clustering.visualization.bags import affordable_bags, plot_bag_embedding

    bags, centers = result.scaled(X), result.arrays().get("centers")
    if centers is not None:
        centers = result.scaled(as_bags(np.asarray(centers))).instances
    most = min(1000, affordable_bags(bags))
    shown: dict[str, Any] = {"medoids": result.medoids, "centers": centers}
    plot_bag_embedding(bags, result.labels, **shown, max_bags=most, path=path)
