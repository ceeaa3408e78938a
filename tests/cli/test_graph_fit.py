"""`fit` of graphs by the stochastic block model."""

import json

import networkx as nx
import pandas as pd
import pytest

from moo_clustering import ICLClustering

QUICK = ("--set", "pop_size=4", "--set", "k_max=8", "--set", "n_gen=2")


@pytest.fixture
def karate(tmp_path):
    graph = nx.karate_club_graph()
    graph = nx.relabel_nodes(graph, {node: f"member {node + 1}" for node in graph})
    nx.write_gml(graph, tmp_path / "karate.gml")
    rows = "".join(f"{a},{b}\n" for a, b in graph.edges)
    (tmp_path / "karate.csv").write_text(f"from,to\n{rows}")
    return graph


@pytest.mark.slow
def test_gml_with_report_and_no_prediction(run, fails, karate, tmp_path):
    run.pictures = False
    fit = ("fit", "karate.gml", "--method", "icl", "--labels", "club", *QUICK)
    result = run(*fit, "--checkpoint-every", 1, "--out", "out")
    assert result.exit_code == 0, result.output
    assert "karate.gml, 34 nodes, 78 edges" in result.stdout
    adjacency = nx.to_numpy_array(karate, weight=None)
    options = {"pop_size": 4, "k_max": 8, "n_gen": 2, "random_state": 0}
    labels = pd.read_csv(tmp_path / "out" / "labels.csv")
    assert labels["row"].tolist() == [f"member {i + 1}" for i in range(34)]
    assert labels["label"].tolist() == ICLClustering(model="sbm", **options).fit(adjacency).labels_.tolist()
    record = json.loads((tmp_path / "out" / "run.json").read_text())
    assert record["data"]["graph"] == "78 edges"
    assert record["parameters"]["model"] == "sbm"
    assert 0 < record["scores"]["adjusted_rand"] < 1
    page = (tmp_path / "out" / "report.html").read_text()
    assert "link to member 34" in page
    assert "spring layout 1" in page
    assert "is a fit of a graph, whose clusters cannot be explained, changed or assigned to new" in fails(
        "predict", "out", "karate.csv"
    )


def test_edge_lists_by_the_alias(run, fails, karate, tmp_path):
    fit = ("fit", "karate.csv", *QUICK, "--quiet", "--no-report")
    for name, method in (("one", "icl-graph"), ("two", "icl")):
        model = () if method == "icl-graph" else ("--set", "model=sbm")
        assert run(*fit, "--method", method, *model, "--out", name).exit_code == 0
    one, two = (pd.read_csv(tmp_path / name / "labels.csv") for name in ("one", "two"))
    assert one.equals(two)
    assert sorted(one["row"]) == sorted(karate)
    message = "karate.gml is a graph, which method mock does not accept; methods that do are icl"
    assert message in fails("fit", "karate.gml", "--method", "mock", "--out", "three")
    assert "--drop does not apply to karate.gml" in fails(
        "fit", "karate.gml", "--method", "icl", "--drop", "club", "--out", "three"
    )
    assert "--header or --no-header does not apply to karate.gml" in fails(
        "fit", "karate.gml", "--method", "icl", "--no-header", "--out", "three"
    )
    message = "karate.gml is a graph, which requires model=sbm, got model=gaussian"
    assert message in fails(
        "fit", "karate.gml", "--method", "icl", "--set", "model=gaussian", "--out", "three"
    )
