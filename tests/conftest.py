"""What all tests share: where data may be found, seeds, closed figures, and that Ctrl-C is heard."""

import gc
import os
import pickle
import re
import signal
import sys
from collections import Counter, defaultdict
from pathlib import Path

# Test processes and those that they start share the processors. OpenMP's threads wait for each other by going
# round in circles: two to a test process made fits take several times as long.
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

import joblib  # noqa: E402
import matplotlib as mpl  # noqa: E402
import pytest  # noqa: E402
from hypothesis import HealthCheck, settings  # noqa: E402
from joblib.externals.loky.backend.reduction import dumps  # noqa: E402

mpl.use("Agg")

# No example fails because the machine is busy or a kernel has still to be compiled.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

# As in the options of pyproject.toml.
DEFAULT_TIER = "not slow and not nightly"

TESTS = Path(__file__).parent
# Coverage is measured for ten cases of a test in these folders, which have their own limits, else for three.
LIMITED = {
    *("problems", "operators", "validity", "encodings", "constraints", "consensus", "persistence"),
    "contract",
}
# These folders and files are not measured, because the tests of single subpackages run the same lines.
UNMEASURED = {
    *("any_machine", "faults", "fuzz", "golden", "papers", "test_docstring_examples.py"),
    *(f"test_{name}.py" for name in ("code_size", "contributing", "docstrings", "house")),
    *(f"test_{name}.py" for name in ("descriptions_of_all", "doors", "same_samples", "units", "layouts")),
    *(f"test_estimator_{name}.py" for name in ("copies", "interface", "labels", "numbers", "repeats")),
}

# Checks of scikit-learn that ``contract/`` makes of every estimator, or that another check makes of nearly
# the same input (a sparse matrix beside a sparse array).
REPEATED = {
    *("check_dict_unchanged", "check_dont_overwrite_parameters", "check_estimator_sparse_matrix"),
    *("check_estimators_fit_returns_self", "check_estimators_overwrite_params", "check_estimators_pickle"),
    *("check_f_contiguous_array_estimator", "check_fit_check_is_fitted", "check_fit_idempotent"),
    *("check_methods_sample_order_invariance", "check_methods_subset_invariance", "check_n_features_in"),
    *("check_readonly_memmap_input",),
}

# Default tests of these folders start worker processes.
PROCESSES = {"any_machine", "distributed"}
# Tests of these folders make every promise for every class, or every damage in every place.
CROSSED = {"any_machine", "contract", "faults", "fuzz", "golden"}

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


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Thousands of items stay to the end: the search for garbage waits, and passes them over later.

    Later it is rarer than by default, where it takes a twentieth of the time of the tests.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(20_000, 20, 10)
        gc.enable()


def pytest_generate_tests(metafunc):
    """``global_random_seed``: 0, or those of ``MOO_CLUSTERING_SEEDS`` ("7", "0-99", "all").

    ``-m seeds`` selects the tests that have it.
    """
    if "global_random_seed" in metafunc.fixturenames:
        wanted = os.environ.get("MOO_CLUSTERING_SEEDS", "0").replace("all", "0-99")
        first, _, last = wanted.partition("-")
        seeds = range(int(first), int(last or first) + 1)
        marked = [pytest.param(seed, marks=pytest.mark.seeds) for seed in seeds]
        metafunc.parametrize("global_random_seed", marked, ids=str, scope="session")


def pytest_collection_modifyitems(config, items):
    """scikit-learn's checks of the first estimator with a ``fit`` are in the default tier.

    They test how ``fit`` checks its input, which estimators that inherit it share: those of the first
    estimator of another class are slow, and those of further options of a class are nightly. Checks in
    ``REPEATED`` and those of memory maps are slow.

    Cases of ``contract/`` with further options ("SISC, spread") are slow if the same test has one without.

    Several decorators cross their values. The default tier has every value at least once; combinations of
    values that earlier cases of the same test have are slow, except in ``CROSSED``.

    The default tier draws a third of the examples of a property, at least ten of them; other tiers all.
    """
    first, shown = {}, {}
    if config.getoption("markexpr") == DEFAULT_TIER:
        for test in {id(item.obj): item.obj for item in items if hasattr(item, "obj")}.values():
            if getattr(test, "is_hypothesis_test", False):
                full = test._hypothesis_internal_use_settings
                few = min(full.max_examples, max(10, full.max_examples // 3))
                test._hypothesis_internal_use_settings = settings(full, max_examples=few)
    ids, had = {item.nodeid for item in items}, defaultdict(set)
    for item in items:
        plain = re.sub(r", [^\]-]*(?=[\]-])", "", item.nodeid)
        if item.path.parent.name == "contract" and plain != item.nodeid and plain in ids:
            item.add_marker("slow")
        values = item.callspec.params if hasattr(item, "callspec") else {}
        if {"estimator", "check"} <= values.keys():
            estimator = values["estimator"]
            text = shown.get(id(estimator)) or shown.setdefault(id(estimator), repr(estimator))
            of_fit = first.setdefault(type(estimator).fit, text)
            of_class = first.setdefault(type(estimator), text)
            check = values["check"]
            repeated = check.func.__name__ in REPEATED or check.keywords.get("readonly_memmap")
            if of_class != text:
                item.add_marker("nightly")
            elif of_fit != text or repeated:
                item.add_marker("slow")
        if item.path.relative_to(TESTS).parts[0] in CROSSED or {"slow", "nightly"} & {*item.keywords}:
            continue
        if len(parts := parts_of(item)) > 1:
            seen = had[item.nodeid.partition("[")[0]]
            if parts <= seen:
                item.add_marker("slow")
            seen |= parts


def parts_of(item):
    """The values that each decorator gives to a case."""
    left = dict(item.callspec.params) if hasattr(item, "callspec") else {}
    parts = set()
    for mark in item.iter_markers("parametrize"):
        names = mark.kwargs.get("argnames") or mark.args[0]
        names = re.findall(r"\w+", names) if isinstance(names, str) else names
        parts.add(tuple((name, id(left.pop(name))) for name in names if name in left))
    return parts | {((name, id(value)),) for name, value in left.items()}


def pytest_collection_finish(session):
    """Measure coverage in the first cases of a test, and not in tests of lines that other tests run.

    Measuring doubles the time of a test, and further cases cover few lines that no other test covers.
    """
    if session.config.pluginmanager.hasplugin("_cov"):
        cases = Counter()
        for item in session.items:
            cases[name := item.nodeid.partition("[")[0]] += 1
            room = item.path.relative_to(TESTS).parts[0]
            if cases[name] > (10 if room in LIMITED else 3) or {room, item.path.name} & UNMEASURED:
                item.add_marker("no_cover")


class PickledCalls:
    """A thread pool that pickles calls and results, as for worker processes."""

    def __init__(self, pool):
        self._pool = pool

    def __getattr__(self, name):
        return getattr(self._pool, name)

    def apply_async(self, function, *args, **options):
        """Call a copy of a function."""
        copied = dumps(function)

        def call(*given):
            return pickle.loads(dumps(pickle.loads(copied)(*given)))

        return self._pool.apply_async(call, *args, **options)


class PicklingThreads(joblib.parallel.ThreadingBackend):
    """Threads that share no objects. A worker process takes two seconds to start."""

    # joblib's own backends are local.
    __module__ = joblib.parallel.ThreadingBackend.__module__
    uses_threads = supports_sharedmem = False

    def _get_pool(self):
        return PickledCalls(super()._get_pool())


@pytest.fixture(autouse=True, scope="module")
def kind_of_workers(request):
    """Workers of default tests are threads, except in ``PROCESSES``; ``parallel_config`` overrides this."""
    threads = request.config.getoption("markexpr") == DEFAULT_TIER
    threads = threads and request.path.relative_to(TESTS).parts[0] not in PROCESSES
    if not threads:
        yield
        return
    joblib.register_parallel_backend("pickling threads", PicklingThreads, make_default=True)
    yield
    joblib.register_parallel_backend("loky", joblib.parallel.LokyBackend, make_default=True)


@pytest.fixture(autouse=True)
def closed_figures():
    """No test finds another one's figures."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture(autouse=True, scope="module")
def nothing_left_behind():
    """The tests of a file write into folders of their own, not into the checkout."""
    root = Path(__file__).parents[1]
    before = set(os.listdir(root))
    yield
    left = {name for name in set(os.listdir(root)) - before if name[0] != "."}
    assert not left, f"left in {root.name}: {', '.join(sorted(left))}"
