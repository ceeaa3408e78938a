"""Compiled loops that are saved: damaged, missing, unwritable and foreign files cost time only."""

import importlib.util
import itertools
import json
import os
import pickle
import shutil
import stat
import subprocess
import sys
import warnings
from pathlib import Path

import numba
import pytest

import moo_clustering.diversity  # noqa: F401 (imports the module of CACHING)

ROOT = Path(__file__).parents[2]
CACHING = "moo_clustering._kernels.caching"
LOOPS = """
from moo_clustering._kernels.caching import njit

@njit(cache=True, nogil=True)
def double(x):
    return 2 * x

@njit(cache=True, nogil=True)
def triple(x):
    return 3 * x
"""
NUMBER = itertools.count()
IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
NOBODY = 65534
posix = pytest.mark.skipif(os.name == "nt", reason="modes of files")


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    """Loops of a test are saved beside their source, and each test may warn once."""
    monkeypatch.setattr(f"{CACHING}._WARNED", [])
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user-wide"))
    tmp_path.chmod(0o755)


def loops(folder):
    """A new module with the loops of a folder, as another process would import it."""
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "loops.py"
    if not source.exists():
        source.write_text(LOOPS)
    for look in ("saved_in", "_stamp"):  # taken once in a process
        getattr(sys.modules[CACHING], look).cache_clear()
    spec = importlib.util.spec_from_file_location(f"loops_{next(NUMBER)}", source)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def called(folder):
    """Whether the loops of a folder were found ready; their results are right in any case."""
    module = loops(folder)
    assert (module.double(21), module.triple(7)) == (42, 21)
    return [bool(loop.stats.cache_hits) for loop in (module.double, module.triple)]


def saved(folder, name=""):
    return sorted((folder / "__pycache__").glob(f"loops.{name}*.nbc"))


def first_byte(data):
    return bytes([data[0] ^ 1]) + data[1:]


DAMAGES = {
    "emptied": lambda data: b"",
    "halved": lambda data: data[: len(data) // 2],
    "without its last byte": lambda data: data[:-1],
    "longer": lambda data: data + b"\0",
    "zeros": lambda data: bytes(len(data)),
    "text": lambda data: b"no compiled loop\n",
    "first byte": first_byte,
    "pickle that ends early": lambda data: data[:32] + b"\x80\x05",
    "pickle alone": lambda data: data[32:],
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_compiled_again_and_replaced(tmp_path, damage):
    called(tmp_path)
    for path in saved(tmp_path):
        path.write_bytes(DAMAGES[damage](path.read_bytes()))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert called(tmp_path) == [False, False]
        assert called(tmp_path) == [True, True]
    assert len(saved(tmp_path)) == 2


def test_every_changed_byte_is_noticed(tmp_path):
    called(tmp_path)
    [path] = saved(tmp_path, "double")
    whole, module = path.read_bytes(), loops(tmp_path)
    signature = (numba.typeof(1),)
    read = module.double._cache.load_overload
    assert read(signature, module.double.targetctx) is not None
    for place in [*range(0, len(whole), 41), len(whole) - 1]:
        for change in (0x01, 0x80, 0xFF):
            path.write_bytes(whole[:place] + bytes([whole[place] ^ change]) + whole[place + 1 :])
            assert read(signature, module.double.targetctx) is None, (place, change)
    path.write_bytes(whole)
    assert read(signature, module.double.targetctx) is not None


def test_a_file_of_another_function_is_not_taken(tmp_path):
    called(tmp_path)
    [double], [triple] = saved(tmp_path, "double"), saved(tmp_path, "triple")
    contents = double.read_bytes(), triple.read_bytes()
    double.write_bytes(contents[1])
    triple.write_bytes(contents[0])
    assert called(tmp_path) == [False, False]
    assert called(tmp_path) == [True, True]


def test_files_of_other_types_and_sources_are_not_taken(tmp_path):
    called(tmp_path)
    assert loops(tmp_path).double(1.5) == 3.0
    assert len(saved(tmp_path, "double")) == 2
    source = tmp_path / "loops.py"
    old = saved(tmp_path)
    os.utime(old[0], (0, 0))
    source.write_text(LOOPS.replace("2 * x", "2 * x + 2 * x"))
    assert loops(tmp_path).double(21) == 84
    # Files of older sources are removed after a while.
    assert [path.exists() for path in old] == [False, True, True]
    source.write_text(LOOPS)
    assert called(tmp_path)[1]


@posix
@pytest.mark.parametrize("kind", ["folder", "pipe", "link to nothing", "link to itself", "unreadable"])
def test_what_is_no_file_is_compiled_again(tmp_path, kind):
    called(tmp_path)
    for path in saved(tmp_path):
        if kind == "unreadable":
            path.chmod(0)
            continue
        path.unlink()
        if kind == "folder":
            path.mkdir()
        elif kind == "pipe":
            os.mkfifo(path)
        else:
            path.symlink_to(path if kind == "link to itself" else tmp_path / "nothing")
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        called(tmp_path)
    # A folder cannot be replaced.
    assert len(shown) == (kind == "folder")
    assert called(tmp_path) == [kind != "folder"] * 2


class Poison:
    """What unpickling runs, if it comes to that."""

    def __init__(self, marker):
        self.marker = marker

    def __reduce__(self):
        return os.mkdir, (str(self.marker),)


def spoil(how, folder):
    """Let other users write to a file, its folder or the folder above; True if that is possible here."""
    inside, [path] = folder / "__pycache__", saved(folder, "double")
    match how:
        case "file for all":
            path.chmod(0o666)
        case "file for a group":
            os.chown(path, -1, NOBODY) if IS_ROOT else None
            path.chmod(0o664)
        case "file of another":
            os.chown(path, NOBODY, -1)
        case "folder for all":
            inside.chmod(0o777)
        case "sticky folder":
            inside.chmod(0o1777)
        case "folder of another":
            os.chown(inside, NOBODY, -1)
        case "parent for all":
            folder.chmod(0o777)
        case "parent of another":
            os.chown(folder, NOBODY, -1)


SPOILT = [
    "file for all", "file for a group", "file of another", "folder for all", "sticky folder",
    "folder of another", "parent for all", "parent of another",
]  # fmt: skip


@posix
@pytest.mark.parametrize("how", ["nothing", *SPOILT])
def test_what_others_can_write_is_not_read(tmp_path, how):
    if not IS_ROOT and ("another" in how or "group" in how):
        pytest.skip("owners can be changed by root only")
    folder = tmp_path / "package"
    called(folder)
    [path] = saved(folder, "double")
    content = pickle.dumps(Poison(tmp_path / "ran"))
    cache = loops(folder).double._cache
    path.write_bytes(cache._digest(path, content) + content)
    spoil(how, folder)
    called(folder)
    # Right checksums alone do not make it safe: unspoilt, the file is unpickled.
    assert (tmp_path / "ran").exists() == (how == "nothing")
    assert called(folder) == [True, True]


@posix
def test_a_sticky_parent_and_a_group_of_ones_own_are_fine(tmp_path):
    folder = tmp_path / "package"
    folder.mkdir()
    folder.chmod(0o1777)
    called(folder)
    assert len(saved(folder)) == 2
    for path in (folder / "__pycache__", *saved(folder)):
        assert not stat.S_IMODE(path.stat().st_mode) & 0o022


def test_files_are_not_open_to_others_whatever_the_umask(tmp_path):
    (tmp_path / "package").mkdir(mode=0o755)
    before = os.umask(0)
    try:
        called(tmp_path / "package")
    finally:
        os.umask(before)
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o644 for path in saved(tmp_path / "package"))
    assert called(tmp_path / "package") == [True, True]


def chosen(kind, tmp_path):
    """What NUMBA_CACHE_DIR says."""
    place = tmp_path / "chosen"
    match kind:
        case "new":
            return str(place / "a" / "b")
        case "relative":
            return "chosen/relative"
        case "no folder":
            place.write_text("")
        case "in a file":
            place.write_text("")
            return str(place / "c")
        case "unwritable":
            return "/proc/nope"
        case "for all":
            place.mkdir()
            place.chmod(0o777)
        case "too long":
            return str(place / ("x" * 300))
        case "sticky, of another":
            outer = tmp_path / "outer"
            outer.mkdir()
            outer.chmod(0o1777)
            (outer / "inner").mkdir()
            os.chown(outer / "inner", NOBODY, -1)
            return str(outer / "inner")
    return str(place)


@posix
@pytest.mark.parametrize(
    ("kind", "used"),
    [("new", True), ("relative", True)]
    + [
        (kind, False)
        for kind in ("no folder", "in a file", "unwritable", "for all", "too long", "sticky, of another")
    ],
)
def test_a_chosen_folder(tmp_path, monkeypatch, kind, used):
    if kind.endswith("another") and not IS_ROOT:
        pytest.skip("owners can be changed by root only")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(numba.config, "CACHE_DIR", chosen(kind, tmp_path))
    folder = tmp_path / "package"
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        module = loops(folder)
        monkeypatch.chdir("/")
        assert (module.double(21), module.triple(7)) == (42, 21)
    assert module.double.stats.cache_path.startswith(str(tmp_path))
    assert [str(warning.message).split("=")[0] for warning in shown] == ["NUMBA_CACHE_DIR"] * (not used)
    assert bool(saved(folder)) != used
    monkeypatch.chdir(tmp_path)
    assert called(folder) == [True, True]


def nowhere(folder, monkeypatch):
    """Leave no folder that can be written: a file is in the place of each."""
    folder.mkdir(parents=True)
    (folder / "__pycache__").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "__pycache__"))


def test_one_warning_where_nothing_can_be_written(tmp_path, monkeypatch):
    nowhere(tmp_path / "a", monkeypatch)
    nowhere(tmp_path / "b", monkeypatch)
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        assert called(tmp_path / "a") == called(tmp_path / "a") == called(tmp_path / "b") == [False, False]
    [warning] = shown
    assert warning.category is UserWarning
    assert str(tmp_path / "a" / "__pycache__") in str(warning.message)
    assert "set NUMBA_CACHE_DIR to a folder" in str(warning.message)


def test_an_import_does_not_fail_where_warnings_are_errors(tmp_path, monkeypatch):
    nowhere(tmp_path / "a", monkeypatch)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert called(tmp_path / "a") == [False, False]


@posix
def test_loops_in_a_folder_that_cannot_be_written_are_read(tmp_path, monkeypatch):
    called(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/nope")

    def refused(*_, **__):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(f"{CACHING}.tempfile.TemporaryFile", refused)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert called(tmp_path) == [True, True]
    with pytest.warns(UserWarning, match="Read-only file system"):
        assert loops(tmp_path).double(1.5) == 3.0


@posix
def test_a_full_disk_is_one_warning(tmp_path):
    import resource

    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    module = loops(tmp_path)
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
        try:
            assert (module.double(21), module.triple(7)) == (42, 21)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert ["File too large" in str(warning.message) for warning in shown] == [True]
    assert not list((tmp_path / "__pycache__").glob("loops.*nbc*"))
    assert called(tmp_path) == [False, False]
    assert called(tmp_path) == [True, True]


def test_two_modules_at_once(tmp_path):
    first, second = loops(tmp_path), loops(tmp_path)
    for module in (first, second, second, first):
        assert (module.double(21), module.triple(7)) == (42, 21)
    assert called(tmp_path) == [True, True]
    assert len(saved(tmp_path)) == len(list((tmp_path / "__pycache__").glob("loops.*nbc*"))) == 2


EVERY = """
import importlib, json, pkgutil, sys, warnings
import moo_clustering._kernels as kernels
names = [module.name for module in pkgutil.iter_modules(kernels.__path__)]
with warnings.catch_warnings(record=True) as shown:
    warnings.simplefilter("always")
    found = [importlib.import_module(f"{kernels.__name__}.{name}") for name in names]
from numba.core.dispatcher import Dispatcher
loops = [value for module in found for value in vars(module).values() if isinstance(value, Dispatcher)]
ours = [type(loop._cache).__name__ == "KernelCache" for loop in loops]
print(json.dumps({
    "names": names, "shown": [str(each.message) for each in shown], "n_loops": len(ours), "all": all(ours),
    "file": kernels.__file__,
}))
"""


def every_module(folder, *options, **environment):
    """What importing all modules of kernels gives where no folder can be written."""
    package = folder / "moo_clustering"
    if not package.exists():
        ignored = shutil.ignore_patterns("__pycache__", "assets")
        shutil.copytree(ROOT / "moo_clustering", package, ignore=ignored)
        (package / "_kernels" / "__pycache__").write_text("")
    surroundings = {key: value for key, value in os.environ.items() if key != "NUMBA_CACHE_DIR"}
    unwritable = {"HOME": "/proc/nope", "XDG_CACHE_HOME": "/proc/nope", "PYTHONPATH": str(folder)}
    done = subprocess.run(
        [sys.executable, "-B", *options, "-c", EVERY],
        cwd=folder,
        env=surroundings | unwritable | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["file"].startswith(str(folder))
    return found


@pytest.mark.slow
@posix
def test_every_module_of_kernels_can_be_imported_where_nothing_can_be_written(tmp_path):
    found = every_module(tmp_path)
    here = {path.stem for path in (ROOT / "moo_clustering" / "_kernels").glob("[!_]*.py")}
    assert set(found["names"]) == here
    [message] = found["shown"]
    assert "/proc/nope" in message
    # No loop is numba's alone, whose cache fails.
    assert found["all"]
    assert found["n_loops"] > 200


@posix
@pytest.mark.slow
@pytest.mark.parametrize(("name", "value"), [("NUMBA_DISABLE_JIT", "1"), ("NUMBA_CACHE_DIR", "/proc/nope")])
def test_every_module_of_kernels_can_be_imported_in_other_surroundings(tmp_path, name, value):
    found = every_module(tmp_path, "-W", "error::UserWarning", **{name: value})
    assert found["n_loops"] == 0 if name == "NUMBA_DISABLE_JIT" else found["all"]
