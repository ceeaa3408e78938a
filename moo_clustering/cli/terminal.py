"""Terminal behaviour of the command: paths, signals, streams, one-line errors and text layout."""

import _thread
import atexit
import errno
import gc
import io
import logging
import os
import re
import signal
import sys
import threading
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from string import Formatter
from types import FrameType
from typing import Any, Self

import click

from moo_clustering._messages import aligned as aligned
from moo_clustering._messages import bar_class, for_command, message_line, path_fault, quoted, value_line
from moo_clustering._messages import printable_line as printable_line
from moo_clustering._messages import shortened as shortened

INTERRUPTED = 130
_SOON = 0.02  # seconds until a signal that arrived during a compilation is sent again
_ALLOCATIONS = 50_000  # between garbage collections, because imports create half a million objects
_LESS_MEMORY = "use fewer samples or a method that requires less memory, or close other programs"
_NOT_FOR_USERS = (
    DeprecationWarning, PendingDeprecationWarning, FutureWarning, ImportWarning, ResourceWarning,
)  # fmt: skip
# When the libraries are imported, they read their numbers of threads from these environment variables.
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")
# Libraries read these environment variables as integers with minimum values, or as numbers.
_INTEGERS = {
    "NUMBA_NUM_THREADS": 1, "OMP_NUM_THREADS": 1, "LOKY_MAX_CPU_COUNT": 1, "LOKY_MAX_DEPTH": 1,
    "SKLEARN_PAIRWISE_DIST_CHUNK_SIZE": 1, "SKLEARN_WORKING_MEMORY": 1, "JOBLIB_MULTIPROCESSING": 0,
    **dict.fromkeys(_THREADS[1:], 0), "TQDM_NCOLS": 0, "TQDM_NROWS": 0, "TQDM_POSITION": 0, "TQDM_INITIAL": 0,
    "TQDM_UNIT_DIVISOR": 1,
}  # fmt: skip
_NUMBERS = (
    "TQDM_MININTERVAL", "TQDM_MAXINTERVAL", "TQDM_MINITERS",
    "TQDM_SMOOTHING", "TQDM_DELAY", "TQDM_TOTAL",
)  # fmt: skip
_LIBRARIES = ("NUMBA_", "TQDM_", "JOBLIB_", "LOKY_", "SKLEARN_", "SCIPY_", "MPL", "MATPLOTLIB")
_UNUSABLE = ("TQDM_FILE", "TQDM_ITERABLE")  # tqdm fails whatever their values are
_FAILED_PARSE = re.compile(r"\s*The parse failed with exception:.*", re.DOTALL)


class Ending:
    """Context in which SIGINT, SIGTERM and SIGHUP raise KeyboardInterrupt. ``number`` is the first signal."""

    # LLVM drops exceptions that are raised during a compilation, so a signal that arrives then is sent again
    # later. If a signal is ignored, such as SIGHUP under ``nohup``, or has another handler, this handler is
    # kept. During a search, an InterruptGuard replaces the handlers of this class.

    def __init__(self) -> None:
        self.number: int | None = None
        self.over = False  # whether the command has ended
        self._previous: dict[int, Any] = {}
        self._unraisable = sys.unraisablehook
        self._timer: threading.Timer | None = None

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            usual = signal.SIG_DFL, signal.default_int_handler
            for name in ("SIGINT", "SIGTERM", "SIGHUP"):
                number = getattr(signal, name, None)
                if number is not None and signal.getsignal(number) in usual:
                    self._previous[number] = signal.signal(number, self.handle)
            self._unraisable, sys.unraisablehook = sys.unraisablehook, self._dropped
        return self

    def __exit__(self, *_: object) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._previous:
            sys.unraisablehook = self._unraisable
        for number, previous in self._previous.items():
            signal.signal(number, previous)
        self._previous.clear()

    @property
    def code(self) -> int:
        return INTERRUPTED if self.number is None else 128 + self.number

    def request(self, number: int) -> None:
        """Store the number of the first signal. An InterruptGuard also calls this method."""
        self.number = self.number or number

    def handle(self, number: int, frame: FrameType | None) -> None:
        """Raise a KeyboardInterrupt. If LLVM is running, send the signal again later instead."""
        self.request(number)
        if self.over:
            return
        while frame is not None:
            if frame.f_globals.get("__name__", "").startswith("llvmlite."):
                self._again(number)
                return
            frame = frame.f_back
        raise KeyboardInterrupt

    def _again(self, number: int) -> None:
        self._timer = threading.Timer(_SOON, self._send, [number])
        self._timer.daemon = True
        self._timer.start()

    def _send(self, number: int) -> None:
        if not self._previous:  # the command has ended
            return
        if sys.platform == "win32":
            _thread.interrupt_main(number)
        else:  # this interrupts the main thread even while it waits
            signal.pthread_kill(threading.main_thread().ident or 0, number)

    def _dropped(self, what: Any) -> None:
        """Send a signal again if Python ignored the KeyboardInterrupt, as it does in callbacks from C."""
        if issubclass(what.exc_type, KeyboardInterrupt) and self._previous:
            self._again(self.number or signal.SIGINT)
        else:
            self._unraisable(what)


class _Lossy(io.FileIO):
    """Standard stream that ignores write errors. The attribute ``lost`` is the last error."""

    lost: OSError | None = None

    def write(self, data: Any) -> int:
        try:
            return super().write(data) or 0
        except OSError as error:
            self.lost = error
            return memoryview(data).nbytes


@contextmanager
def standard_streams() -> Iterator[None]:
    """Replace closed streams with the null device, and discard output that cannot be written."""
    # Otherwise, a results file could get the descriptor of a closed stream, and messages would be written to
    # the file.
    given = sys.stdin, sys.stdout, sys.stderr
    is_own = any(stream is None for stream in given)
    for number in range(3) if is_own else ():
        try:
            os.fstat(number)
        except OSError:
            found = os.open(os.devnull, os.O_RDONLY if not number else os.O_WRONLY)
            if found != number:
                os.dup2(found, number)
                os.close(found)
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115
    sys.stdout, sys.stderr = _lossy(given[1], 1), _lossy(given[2], 2)
    try:
        yield
    finally:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        sys.stdin, sys.stdout, sys.stderr = given


@contextmanager
def _rare_collections() -> Iterator[None]:
    """Collect garbage rarely and not at exit, because the collections would take as long as a small fit."""
    previous = gc.get_threshold()
    gc.set_threshold(_ALLOCATIONS, *previous[1:])
    atexit.register(gc.freeze)
    try:
        yield
    finally:
        gc.set_threshold(*previous)


def _lossy(stream: Any, number: int) -> Any:
    try:
        descriptor = number if stream is None else stream.fileno()
    except (OSError, ValueError):
        return stream  # a calling program has set a stream without a descriptor
    with suppress(OSError, AttributeError):
        stream.flush()
    raw = _Lossy(descriptor, "wb", closefd=False)
    if stream is None:
        raw.lost = OSError(errno.EBADF, os.strerror(errno.EBADF))
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=(stream and stream.encoding) or "utf-8",
        errors="backslashreplace" if number == 2 else (stream and stream.errors) or "replace",
        line_buffering=True,
    )


def print_result(text: str) -> None:
    click.echo(text)
    sys.stdout.flush()
    error = getattr(getattr(getattr(sys.stdout, "buffer", None), "raw", None), "lost", None)
    if error is not None:
        if error.errno == errno.EPIPE:  # the reader, such as ``head``, has closed the pipe
            sys.exit(1)
        raise OSError(error.errno, error.strerror, "the standard output")


def print_notes(notes: Iterable[object]) -> None:
    for note in notes:
        click.echo(f"Note: {message_line(for_command(note))}", err=True)


class PathArgument(click.Path):
    """Path of a file or folder. It is checked before slow imports, and error messages name the argument."""

    def __init__(
        self, kind: str = "file or folder", *, new: bool = False, exists: bool = False, path_type: Any = Path
    ) -> None:
        super().__init__(
            file_okay="file" in kind, dir_okay="folder" in kind, readable=False, path_type=path_type
        )
        self.kind, self.new, self.must_exist = kind, new, exists

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        fault = path_fault(value, self.kind)
        if not fault and os.path.exists(value):
            mode, what = (os.W_OK, "written to") if self.new else (os.R_OK, "read")
            if not os.access(value, mode | (os.X_OK if os.path.isdir(value) else 0)):
                fault = f"cannot be {what}: {os.strerror(errno.EACCES)}"
        elif not fault and self.must_exist:
            raise click.UsageError(f"{'file ' * (self.kind == 'file')}{value} does not exist", ctx)
        elif not fault and self.new:
            parent = Path(value).absolute().parent
            while not parent.exists():
                parent = parent.parent
            if not os.access(parent, os.W_OK | os.X_OK):
                fault = f"cannot be created: {parent}: {os.strerror(errno.EACCES)}"
        if fault:
            name = "the path" if param is None else max(param.opts, key=len)
            if isinstance(param, click.Argument):
                name = param.make_metavar(ctx or click.get_current_context()).split()[0]
            shown = f" {value_line(os.fspath(value))}" if os.fspath(value).strip() else ""
            raise click.UsageError(f"{name}{shown} {fault}", ctx)
        return super().convert(value, param, ctx)


class Command(click.Command):
    """Command that prints each error or warning as one line on stderr."""

    # The exit code is 2 after an error, and 128 plus the signal number after Ctrl-C, SIGTERM or SIGHUP.

    def invoke(self, context: click.Context) -> Any:
        _check_environment()
        _spare_threads()
        try:
            with shown_warnings():
                return super().invoke(context)
        except (click.exceptions.Exit, click.Abort, click.UsageError):
            raise
        except Exception as error:
            sentence = None if context.params.get("traceback") else _sentence(error)
            said = sentence or str(error)
            # Libraries do not name the environment variable whose value they reject.
            blamed = [
                f"{name}={value}"
                for name, value in os.environ.items()
                if name.startswith(_LIBRARIES) and value and f"'{value}'" in said
            ]
            if blamed:
                said += f" (perhaps from the environment variable {' or '.join(blamed)})"
            elif sentence is None:
                raise
            raise click.ClickException(said) from error

    def main(self, *args: Any, standalone_mode: bool = True, **extra: Any) -> Any:
        run: Any = super().main
        if not standalone_mode:
            return run(*args, standalone_mode=False, **extra)
        with _rare_collections(), standard_streams(), Ending() as ending:
            try:
                try:
                    code = run(*args, standalone_mode=False, **extra)
                finally:
                    # If a KeyboardInterrupt occurred inside exec(), Python would end by SIGINT and ignore the
                    # exit code, even if the exception was caught. Another call of exec() prevents this.
                    exec("")
            except (click.Abort, KeyboardInterrupt) as error:
                if isinstance(error.__cause__, EOFError):
                    raise error.__cause__ from None
                ending.over = True
                click.echo("Interrupted.", err=True)
                sys.exit(ending.code)
            except click.ClickException as error:
                click.echo(f"Error: {message_line(error.format_message())}", err=True)
                sys.exit(2)
            # After Ctrl-C, the exit code may be 0, because Ctrl-C is the regular end of `explore`.
            if code == INTERRUPTED or (not code and ending.number not in (None, signal.SIGINT)):
                code = ending.code
            sys.exit(code if isinstance(code, int) else 0)


class Commands(Command, click.Group):
    """Group of commands that reports errors as :class:`Command` does."""


def _check_environment() -> None:
    """Raise an error if an environment variable has a value that a library cannot read."""
    for name, value in os.environ.items():
        asked = ""
        if name in _INTEGERS and (value or name not in _THREADS):
            # OpenMP accepts a list with one number per nesting level.
            parts = value.split(",") if name == "OMP_NUM_THREADS" else [value]
            whole = all(re.fullmatch(r"\s*\+?\d{1,9}\s*", part) for part in parts)
            if not whole or min(map(int, parts)) < _INTEGERS[name]:
                asked = f"must be an integer of at least {_INTEGERS[name]}"
        elif name in _NUMBERS:
            try:
                float(value)
            except ValueError:
                asked = "must be a number"
        elif name == "TQDM_BAR_FORMAT":
            try:
                list(Formatter().parse(value))
            except ValueError as error:
                asked = f"must be a valid progress bar format ({error})"
        elif name in _UNUSABLE:
            asked = "must be unset"
        if asked:
            raise click.ClickException(f"the environment variable {name} {asked}, got {quoted(value)}")
    # The user's Matplotlib backend is ignored, because pictures are only saved to files.
    os.environ.pop("MPLBACKEND", None)
    # Matplotlib would log warnings about its cache folder.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)


def _spare_threads() -> None:
    """Restrict libraries to one thread if the system cannot start more, because some would abort."""
    end, started = threading.Event(), []
    try:
        # OpenMP, NumPy's BLAS and SciPy's BLAS each start one thread per processor.
        for _ in range(3 * (os.cpu_count() or 1)):
            thread = threading.Thread(target=end.wait, daemon=True)
            thread.start()
            started.append(thread)
    except RuntimeError:
        for name in _THREADS:
            os.environ.setdefault(name, "1")
    finally:
        end.set()
        for thread in started:
            thread.join()


def _sentence(error: Exception) -> str | None:
    """Return the message for an error that the input has caused, or None for a bug of the program."""
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror or for_command(error)}"
    if isinstance(error, MemoryError):
        said = f": {message_line(error)}" if str(error) else ""
        return f"not enough memory{said}; {_LESS_MEMORY}"
    if isinstance(error, ValueError | TypeError):
        return for_command(error)
    if isinstance(error, EOFError):
        # click would take an EOFError for the end of the user's input.
        said = message_line(error) or "EOFError"
        return f"unexpected end of data: {said}; to see where, run moo-clustering --traceback ..."
    if isinstance(error, ImportError):
        from moo_clustering._arrays import MissingPackageError

        return str(error) if isinstance(error, MissingPackageError) else None
    return None


@contextmanager
def shown_warnings() -> Iterator[list[str]]:
    """Print each distinct warning as one line on stderr, and collect these lines in the yielded list."""
    lines: list[str] = []

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        # The traceback in numba's message about an invalid environment variable is removed.
        line = message_line(_FAILED_PARSE.sub("", for_command(message)))
        # Progress bars work even if tqdm warns that it cannot start its monitor thread.
        if line not in lines and type(message).__name__ != "TqdmMonitorWarning":
            lines.append(line)
            with bar_class().external_write_mode():
                click.echo(f"Warning: {line}", err=True)

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        for category in _NOT_FOR_USERS:
            warnings.simplefilter("ignore", category)
        warnings.showwarning = show
        yield lines


@contextmanager
def compiling_told(verbose: bool = True) -> Iterator[None]:
    """On a terminal, print once per command that kernels are compiled, and whether they are cached."""
    from moo_clustering._kernels.caching import saves
    from moo_clustering._kernels.threads import before_compiling

    # Worker threads may also compile kernels, but click's context is not available in them.
    context = click.get_current_context(silent=True)
    told = {} if context is None else context.meta

    def tell() -> None:
        if verbose and sys.stderr.isatty() and not told.setdefault("compiling", False):
            told["compiling"] = True
            later = "; later runs reuse them" if saves() else ""
            with bar_class().external_write_mode():
                click.echo(f"Compiling the kernels for this computer{later}.", err=True)

    with before_compiling(tell):
        yield


def one_line(text: object) -> str:
    return " ".join(str(text).split())
