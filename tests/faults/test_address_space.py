"""Too little memory: how much was needed and what to do, and what was saved is still there."""

import json

import pytest
from small_room import python

METHODS = """
from moo_clustering.estimators import NSGA2Clus, SpectralGraphClustering
from moo_clustering.encodings import MedoidEncoding
from moo_clustering.pool import candidate_pool
from moo_clustering.validity import Silhouette

rng = np.random.default_rng(0)

def rows(n):
    return rng.normal(size=(n, 2)) + np.arange(n)[:, np.newaxis] % 3 * 6

# Quadratic in the samples; within the limits of the methods' own, and not within those of the process.
CALLS = {
    "search": lambda n: NSGA2Clus(metric="euclidean", form="matrix", search="evolve", pop_size=4, n_gen=1,
                                  random_state=0).fit(rows(n)),
    "encoding": lambda n: MedoidEncoding(rows(n), k_max=4, metric="manhattan"),
    "index": lambda n: Silhouette(metric="cityblock").fit(rows(n)),
    "graph": lambda n: SpectralGraphClustering(3, graph="full", random_state=0).fit(rows(n // 2)),
    "pool": lambda n: candidate_pool(rows(n), families=["ward"], n_clusters=2, random_state=0),
}
out = {}
for name in WANTED:
    call = CALLS[name]
    call(60)
    memory_left(400 * 2**20)
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        try:
            call(20_000)
            said = [None, ""]
        except Exception as error:
            said = [type(error).__name__, str(error)]
    more_memory()
    out[name] = said + [[str(each.message) for each in shown]]
print(json.dumps(out))
"""


def told(folder, *wanted):
    """Kind of error, its text, and the warnings, for every call."""
    status, stdout, stderr = python(f"WANTED = {wanted}\n{METHODS}", folder)
    assert status == 0, stderr
    return json.loads(stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def methods(tmp_path_factory):
    return told(tmp_path_factory.mktemp("methods"), "search", "encoding", "index", "graph")


# 8 * 20 000^2 bytes are 2.98 GiB, 40 * 10 000^2 are 3.73 GiB.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "owner", "needed", "advice"),
    [
        ("search", "MedoidProblem", "20000 samples, 2.98 GiB", "use fewer samples"),
        ("encoding", "MedoidEncoding", "20000 samples, 2.98 GiB", "use fewer samples"),
        ("index", "Silhouette", "20000 samples, 2.98 GiB", "use fewer samples"),
        ("graph", "the full graph", "10000 samples requires 3.73 GiB", "use a k-nearest-neighbour graph"),
    ],
)
def test_quadratic_memory(methods, name, owner, needed, advice):
    kind, text, _ = methods[name]
    assert kind == "MemoryError", text
    assert text.startswith(owner)
    assert needed in text
    assert advice in text


@pytest.mark.nightly
def test_a_family_without_memory_is_named(tmp_path):
    _, text, warned = told(tmp_path, "pool")["pool"]
    said = " ".join([text, *warned])
    # Distances of 19 999 * 20 000 / 2 pairs.
    assert "ward: MemoryError: Unable to allocate 1.49 GiB" in said.replace(
        "_ArrayMemoryError", "MemoryError"
    )


MID_RUN = """
from moo_clustering.estimators import PESC
from moo_clustering.persistence import read_archive
from moo_clustering.problems import NeighborGraphProblem
import moo_clustering.algorithms.search as saver

rng = np.random.default_rng(0)
X = np.concatenate([rng.normal(place, 0.5, (14, 3)) for place in (0, 3, 6)])
np.savetxt("x.csv", X, delimiter=",", header="a,b,c", comments="")
evaluate, save = NeighborGraphProblem._evaluate, saver.save_checkpoint
saves = []

def greedy(self, *arguments, **options):
    if len(saves) == 3:
        np.ones(2**27)
    return evaluate(self, *arguments, **options)

def counted(*arguments):
    save(*arguments)
    saves.append(1)
    if len(saves) == 3:
        memory_left(2**28)

def starved(run):
    saves.clear()
    NeighborGraphProblem._evaluate, saver.save_checkpoint = greedy, counted
    try:
        return run()
    finally:
        more_memory()
        NeighborGraphProblem._evaluate, saver.save_checkpoint = evaluate, save

def model(**options):
    return PESC(3, pop_size=8, n_gen=5, random_state=0, checkpoint="c.npz", checkpoint_every=1, **options)

whole = model().fit(X)
os.unlink("c.npz")
try:
    starved(lambda: model().fit(X))
    said = ""
except MemoryError as error:
    said = str(error)
kept = read_archive("c.npz")[1]["state"]["search"]["generation"]
resumed = model(resume=True).fit(X)
equal = np.array_equal(whole.labels_, resumed.labels_)
equal = equal and np.array_equal(whole.pareto_front_, resumed.pareto_front_)
fit = ["fit", "x.csv", "--method", "pesc", "-k", 3, "--set", "pop_size=8", "--set", "n_gen=5", "--quiet",
       "--no-report", "--checkpoint-every", 1, "--out"]
statuses = [command(*fit, "whole"), starved(lambda: command(*fit, "cut"))]
left = sorted(os.listdir("cut"))
statuses.append(command(*fit, "cut", "--resume"))
pairs = [(Path("cut", name), Path("whole", name)) for name in ("labels.csv", "front.csv")]
alike = [one.read_bytes() == other.read_bytes() for one, other in pairs]
print(json.dumps([said, kept, bool(equal), statuses, left, alike]))
"""


@pytest.mark.slow
def test_mid_run(tmp_path):
    status, stdout, stderr = python(MID_RUN, tmp_path)
    assert status == 0, stderr
    said, kept, equal, statuses, left, alike = json.loads(stdout.splitlines()[-1])
    assert kept == 2, "the initial population and two generations were saved"
    place = "(after generation 2; resume from generation 2 in checkpoint {})"
    assert said.startswith("Unable to allocate 1.00 GiB")
    assert said.endswith(place.format("c.npz"))
    assert equal, "going on gave another result than the run that had enough memory"
    assert statuses == [0, 2, 0]
    (line,) = stderr.splitlines()
    assert line.startswith("Error: not enough memory: Unable to allocate 1.00 GiB")
    assert place.format("cut/checkpoint.npz") in line
    assert "fewer samples" in line
    assert left == ["checkpoint.npz", "run.json"]
    assert alike == [True, True]


NO_ROOM_FOR_PICTURES = """
import moo_clustering.cli.folder as folder
draw = folder.draw_pictures

def greedy(path):
    np.ones(2**27)

# An array that does not fit, in a process that has room for all else: without any, BLAS tries again for ever.
def starved(place, pictures):
    memory_left(2**28)
    return draw(place, dict.fromkeys(pictures, greedy))

folder.draw_pictures = starved
options = ["--set", "pop_size=6", "--set", "n_gen=2", "--quiet"]
fit = ["fit", "iris", "--method", "mock", *options, "--pictures", "--out", "out"]
status = command(*fit)
more_memory()
print(json.dumps([status, json.loads(Path("out/run.json").read_text())["status"], sorted(os.listdir("out"))]))
"""


@pytest.mark.slow
def test_no_memory_for_pictures(tmp_path):
    status, stdout, stderr = python(NO_ROOM_FOR_PICTURES, tmp_path)
    assert status == 0, stderr
    status, said, left = json.loads(stdout.splitlines()[-1])
    assert (status, said) == (0, "complete"), stderr
    assert "Traceback" not in stderr
    assert all(line.startswith("Warning: ") for line in stderr.splitlines())
    assert {"labels.csv", "result.npz", "front.csv", "history.csv", "run.json"} <= {*left}
    assert "front.png and attainment.png and history.png could not be drawn" in stderr
    assert "Unable to allocate 1.00 GiB" in stderr
