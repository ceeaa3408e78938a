"""Reports of runs of every family: what is pressed, drawn and downloaded is what the estimator has."""

import numpy as np
import pytest
from family_checks import check_report, keep_whole_page
from family_data import SCRIPT
from family_runs import PAIRS, Run, fit
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

from moo_clustering.visualization.report import report_content, write_report

pytestmark = pytest.mark.nightly

TABLE = [f"s{row:02d}" for row in range(45)]
DOCUMENTS = [f"d{row:02d}" for row in range(36)]
BAGS = [f"bag {row}" for row in range(24)]
POOL = "Share of the pool that joins two samples"


@pytest.fixture
def open_run(open_report, tmp_path, request):
    """Function that fits, opens the report and checks what every report must show."""

    def open_it(data, names, *arguments, rules=()):
        run = fit(tmp_path, data, *arguments)
        page = open_report(run.page)
        check_report(page, run, names, rules)
        keep_whole_page(page, request.node.name)
        return page, run

    return open_it


def figure_of(page, title):
    """Number of the further figure with a title."""
    return f"panel-{page.texts('.panel h2').index(title)}-figure"


def columns_of(page):
    return page.texts("#table thead button")


@pytest.mark.parametrize(
    ("arguments", "rules", "column"),
    [
        (("--drop", "some"), {"auto", "select", "knee", "alternative-0"}, "score"),
        (("--partial-labels", "some"), {"select", "label_evidence"}, "must-links satisfied"),
        (("--drop", "some", *PAIRS), {"select", "pair_evidence"}, "constraints satisfied"),
        (
            ("--drop", "some", "-k", 3, "--set", "n_gen=2", "--set", "pop_size=20"),
            {"control", "random-control"},
            "score",
        ),
    ],
    ids=["alone", "labels", "pairs", "evolved"],
)
def test_pareto_clustering(open_run, arguments, rules, column):
    page, run = open_run("table", TABLE, *arguments, rules=rules)
    assert any(name.startswith(column) for name in columns_of(page))
    z = page.figure(figure_of(page, POOL), "return data[0].z.map(row => [...row])")
    assert np.shape(z) == (45, 45)
    assert page.find("#history-figure").is_displayed() == hasattr(run.estimator, "control_labels_")
    assert "the run and its chosen solution" in page.text("#panels-note")
    assert page.texts("#table thead button").count("clusters") == 1


def test_pareto_bag_clustering(open_run):
    page, _ = open_run("bags", BAGS, "-k", 3, rules={"select", "knee"})
    assert page.text("#map-title") == "Map of the bags"
    assert {POOL, "Hausdorff distances between bags"} <= set(page.texts(".panel h2"))


def test_nsga2_clus_of_documents_with_pairs(open_run):
    page, run = open_run(
        "documents",
        DOCUMENTS,
        *(*PAIRS, "--method", "nsga2-clus", "--set", "k_max=5", "--set", "pop_size=20", "--set", "n_gen=8"),
        rules={"constraints", "balanced", "knee", "xie_beni", "i_index"},
    )
    chosen = run.chosen_by("constraints")
    page.press("#rules button[data-solution]:nth-of-type(3)")
    labels = np.array(page.js("return report.labels(report.selected)"))
    text = page.text("#constraint-counts")
    satisfied = [
        sum((labels[a] == labels[b]) == together for a, b in pairs)
        for pairs, together in zip(given_pairs(run), (True, False), strict=True)
    ]
    for n in satisfied:
        assert f"{n} satisfied" in text
    assert chosen.shape == labels.shape
    assert SCRIPT in page.text('#samples-table tr[data-sample="0"] .text')
    assert page.figure(figure_of(page, page.texts(".panel h2")[0]), "return data[0].type") == "bar"


def given_pairs(run):
    """Rows of the pairs in the files."""
    for name in ("must.csv", "cannot.csv"):
        lines = (run.folder.parent / name).read_text().splitlines()[1:]
        yield [tuple(DOCUMENTS.index(each) for each in line.split(",")) for line in lines]


def test_pesc(open_run):
    page, run = open_run(
        "table",
        TABLE,
        *("--drop", "some", "--method", "pesc", "-k", 3, "--set", "pop_size=8", "--set", "n_gen=3"),
        rules={"es1", "es2", "es3", "knee"},
    )
    z = page.figure(figure_of(page, "Similarity of samples"), "return data[0].z.map(row => [...row])")
    order = np.argsort(run.estimator.labels_, kind="stable")
    similarity = run.estimator.similarity_
    similarity = similarity.toarray() if hasattr(similarity, "toarray") else np.asarray(similarity)
    np.testing.assert_allclose(z, similarity[np.ix_(order, order)], atol=1e-6)
    values = page.figure(figure_of(page, "Smallest eigenvalues of the Laplacian"), "return data[0].y")
    assert values == sorted(values)
    assert len(values) > 3


def test_srmosc(open_run):
    page, _ = open_run(
        "table",
        TABLE,
        "--drop",
        "some",
        "--method",
        "srmosc",
        "-k",
        3,
        "--set",
        "n_candidates=2",
        rules={"rcut", "consensus"},
    )
    assert "Similarity of samples" in page.texts(".panel h2")


def test_mock(open_run):
    page, _ = open_run(
        "table",
        TABLE,
        *("--drop", "some", "--method", "mock", "--set", "pop_size=20", "--set", "n_gen=5"),
        rules={"attainment", "variance", "knee"},
    )
    assert any(name.startswith("attainment") for name in columns_of(page))
    assert page.find("#history-figure").is_displayed()


def test_ensemble_nmf_of_documents(open_run):
    page, run = open_run("documents", DOCUMENTS, "--method", "ensemble-nmf", "-k", 3, "--set", "n_runs=4")
    assert not page.find("#front").is_displayed()
    assert "There is no front" in page.text(".missing")
    assert len(page.texts(".panel h2")) == len(set(run.estimator.labels_))
    terms = page.texts('#clusters-table tr[data-cluster="0"] .features .feature')
    page.press_row(0)
    assert len(terms) == 10
    assert SCRIPT in page.text('#samples-table tr[data-sample="0"] .text')


@pytest.mark.parametrize("method", ["chcmic", "migka"])
def test_bags(open_run, method):
    page, _ = open_run("bags", BAGS, "--method", method, "-k", 3, "--set", "pop_size=12", "--set", "n_gen=4")
    z, names = page.figure(
        figure_of(page, "Hausdorff distances between bags"),
        "return [data[0].z.map(row => [...row]), layout.xaxis.ticktext]",
    )
    assert np.shape(z) == (24, 24)
    assert not np.diag(z).any()
    assert set(names) <= set(BAGS)
    assert page.find("#history-figure").is_displayed()


@pytest.mark.parametrize(
    ("method", "rules"),
    [(("sisc",), ()), (("nsga2-sisc", "--set", "pop_size=6", "--set", "n_gen=2"), {"impurity", "random"})],
    ids=["sisc", "nsga2-sisc"],
)
def test_several_labels(open_run, method, rules):
    page, _ = open_run(
        "documents",
        DOCUMENTS,
        *("--partial-labels", "topics", "--hold-out", 0.3, "-k", 4, "--method", *method),
        rules=rules,
    )
    curves = page.figure(
        figure_of(page, "ROC curves"), "return data.map(trace => [trace.name, [...trace.x], [...trace.y]])"
    )
    assert curves[-1] == ["chance", [0, 1], [0, 1]]
    for name, x, y in curves[:-1]:
        assert f"(area {np.trapezoid(y, x):.3f})" in name or "mean" in name
    shown = "leading terms" if method[0] == "nsga2-sisc" else "distinctive"
    assert any(shown in title for title in page.texts(".panel h2"))


def test_modes_of_categories(open_run):
    page, _ = open_run(
        "categories",
        [str(row) for row in range(40)],
        *("--method", "fuzzy-modes-moga", "-k", 2, "--set", "pop_size=10", "--set", "n_gen=4"),
        rules={"vote", "cspa", "pi", "sep"},
    )
    assert columns_of(page)[:2] == ["solution", "pi"]


def test_memetic_kmeans(open_run):
    page, _ = open_run("table", TABLE, "--drop", "some", "--method", "memetic-kmeans", "-k", 3)
    names = page.figure("history-figure", "return data.map(trace => trace.name)")
    assert "inertia" in names


def test_clusterer_of_another_library(open_report, tmp_path):
    X, _ = make_blobs(45, 3, centers=3, random_state=0)
    model = KMeans(3, n_init=1, random_state=0).fit(X)
    write_report(report_content(model, X, sample_names=TABLE), tmp_path / "report.html")
    np.savetxt(tmp_path / "labels.csv", model.labels_, "%d", header="label", comments="")
    page = open_report(tmp_path / "report.html")
    check_report(page, Run(tmp_path, model), TABLE)
    assert page.text("h1") == "KMeans"
    assert page.find("#compare-with").get_attribute("disabled") == "true"
