"""``--json`` of every command: what it prints is what ``docs/api/command.md`` says, and nothing else."""

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from moo_clustering.cli import fit, main
from moo_clustering.cli.folder import json_text
from moo_clustering.estimators._methods import METHODS
from moo_clustering.results import ClusteringResult

PAGE = (Path(__file__).parents[2] / "docs/api/command.md").read_text(encoding="utf-8")
TYPES = {
    "string": str, "integer": int, "number": (int, float), "boolean": bool, "list": list, "object": dict,
    "any": object,
}  # fmt: skip
COMMANDS = (
    "about", "ask", "choose", "compare", "explain", "fit", "methods", "predict", "rename", "report", "update",
)  # fmt: skip
SLICES = (
    "--method", "slices", "-k", 3, "--id-column", "id", "--labels", "kind", "--drop", "some", "--no-report",
)  # fmt: skip


def documented(command, line=None):
    """Key to (type, whether it is optional) in the table of a command; ``line`` is a kind of line of ask."""
    section = re.search(rf"^### JSON of {command}\n(.*?)^##", PAGE, re.MULTILINE | re.DOTALL).group(1)
    found = {}
    for row in re.findall(r"^\| (.*`.*) \|$", section, re.MULTILINE):
        cells = row.split(" | ")
        if line is not None and cells.pop(0) != line:
            continue
        kind = cells[1].removesuffix(", optional")
        for key in re.findall(r"`(.*?)`", cells[0]):
            assert key not in found, key
            found[key] = kind, kind != cells[1]
    assert found
    return found


def check(value, known, prefix=""):
    """Compare an object, or each of a list, with the documented keys, and return those that are printed."""
    found = set()
    children = {re.split(r"\.|\[\]", key.removeprefix(prefix))[0] for key in known if key.startswith(prefix)}
    for each in value if isinstance(value, list) else [value]:
        assert not set(each) - children, f"{set(each) - children} of {prefix or 'the document'}"
        for name in children:
            key = f"{prefix}{name}"
            # Objects without documented keys have keys of data, such as names of methods.
            inner = [other for other in known if other.startswith((f"{key}.", f"{key}[]."))]
            if name not in each:
                assert all(known[other][1] for other in ([key] if key in known else inner)), key
                continue
            if key in known:
                check_type(key, each[name], known[key][0])
                found.add(key)
            if inner and each[name] is not None:
                found |= check(each[name], known, key + ("[]." if isinstance(each[name], list) else "."))
    return found


def check_type(key, value, kind):
    if value is None and kind.endswith(" or null"):
        return
    name = kind.split(" ")[0]
    assert isinstance(value, TYPES[name]), f"{key} is {value!r}, not {kind}"
    assert name in ("boolean", "any") or not isinstance(value, bool), f"{key} is {value!r}, not {kind}"


def strict(result, code=0):
    """The document on stdout."""
    assert result.exit_code == code, result.output
    assert result.stdout.isascii()
    return json.loads(result.stdout, parse_constant=pytest.fail)


def test_about(run):
    document = strict(run("about", "--json"))
    found = check(document, documented("about"))
    assert found == documented("about").keys()


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_with_json_has_a_table(command):
    described = set(re.findall(r"^### JSON of (\w+)$", PAGE, re.MULTILINE))
    names = {name for name, each in main.commands.items() if "as_json" in {p.name for p in each.params}}
    assert names == described == set(COMMANDS)


def test_fit(run, slices, table):
    document = strict(run("fit", "table.csv", *SLICES, "--out", "out", "--json", "--quiet"))
    found = check(document, documented("fit"))
    assert {"clusters[].contrasts[].column", "data.columns", "result.sizes"} <= found
    assert document == {"folder": "out", **json.loads(Path("out/run.json").read_text())}


def test_fit_of_the_recommended_method(people):
    record = json.loads((people / "run.json").read_text(), parse_constant=lambda _: None)
    found = check({"folder": str(people), **record}, documented("fit"))
    assert {"verdict", "confidence", "alternatives", "sorted_by", "method_taken"} <= found


@pytest.mark.slow
def test_fits_print_every_documented_key(run, table, tmp_path):
    known, found = documented("fit"), set()
    rng = np.random.default_rng(0)
    instances = [f"b{row // 3},{value:.3f}" for row, value in enumerate(rng.normal(size=60))]
    (tmp_path / "bags.csv").write_text("bag,x\n" + "\n".join(instances))
    lines = [f"{row % 2},{row % 3 and 2} 1:{row % 2} {3 + row % 5}:1" for row in range(40)]
    (tmp_path / "sets.svm").write_text("\n".join(lines))
    words = np.array([["heart blood", "lung breath"][row % 2] for row in range(40)])
    documents = [{"text": f"{word} {row % 7} a", "y": word[:4]} for row, word in enumerate(words)]
    (tmp_path / "notes.jsonl").write_text("".join(json.dumps(line) + "\n" for line in documents))
    squares = [
        {
            "type": "Feature",
            "properties": {"load": 1 + row % 2, "last": row // 5, "x": row % 3},
            "geometry": {
                "type": "Polygon",
                "coordinates": [[[row, 0], [row + 1, 0], [row + 1, 1], [row, 1], [row, 0]]],
            },
        }
        for row in range(10)
    ]
    areas = {"type": "FeatureCollection", "features": squares}
    (tmp_path / "areas.geojson").write_text(json.dumps(areas))
    regions = ("--method", "regions", "-k", 2, "--weight", "load", "--start", "last", "--tolerance", "30%")
    pd.DataFrame(np.random.default_rng(0).normal(size=(60, 2)), columns=["x", "y"]).to_parquet("part.parquet")
    own = ("--id-column", "id", "--labels", "kind")
    evolved = ("--set", "k_range=[2,3,4]", "--set", "n_gen=2")
    small = ("--set", "n_gen=2", "--set", "pop_size=6")
    for arguments in (
        ("table.csv", *own, "--drop", "some", *evolved),
        ("table.csv", *own, "--partial-labels", "some", "--set", "k_range=[2,3,4]"),
        ("bags.csv", "--bag", "bag", "--method", "bamic", "-k", 2),
        ("sets.svm", "--method", "scad2", "-k", 2, "--hold-out", 0.4),
        ("notes.jsonl", "--partial-labels", "y", "--method", "nsga2-sisc", *small, "--hold-out", 0.4),
        ("iris", "--method", "mock", *small),
        ("iris", "--method", "memetic-kmeans", "-k", 3),
        ("iris", "--method", "constrained-kmeans", "-k", 3),
        ("areas.geojson", *regions, "--set", "n_gen=2"),
        ("part.parquet", "--workers", 0, "--method", "memetic-kmeans", "-k", 3),
    ):
        out = f"out{len(list(tmp_path.glob('out*')))}"
        found |= check(strict(run("fit", *arguments, "--out", out, "--json", "--no-report")), known)
    figures = {"n_iter": 1, "n_components": 1}
    rare = fit._summary(
        ClusteringResult(np.array([0, -1]), figures=figures, neighbor_recall=1.0), np.array([1])
    )
    assert found | {f"result.{name}" for name in rare} == set(known)


def test_predict(people, run):
    known = documented("predict")
    text = (people.parent / "people.csv").read_text(encoding="utf-8")
    (people.parent / "moved.csv").write_text(text.replace("Oslo", "Paris", 3), encoding="utf-8")
    result = run("predict", people, people.parent / "moved.csv", "--out", "new.csv", "--json")
    assert check(strict(result), known) == set(known) - {"clusters[].class"}
    assert json.loads(result.stdout)["columns"] == [
        {"column": "town", "kind": "new category", "n_rows": 3, "values": ["Paris"], "rows": [0, 3, 6]}
    ]
    assert result.stderr == ""
    assert Path("new.csv").exists()


@pytest.mark.slow
def test_predict_after_a_fit_with_labels(run, table):
    known = documented("predict")
    options = ("--id-column", "id", "--drop", "kind", "--partial-labels", "some", "--set", "k_range=[2,3,4]")
    assert run("fit", "table.csv", *options, "--out", "out", "--no-report", "--quiet").exit_code == 0
    columns = {key for key in known if key.startswith("columns[]")}  # absent if all values occur in the fit
    assert check(strict(run("predict", "out", "table.csv", "--json")), known) == set(known) - columns


def test_explain(run, people):
    known = documented("explain")
    document = strict(run("explain", people, "--json"))
    assert check(document, known) == set(known)
    assert document["rule_sets"][document["chosen"]]["fidelity"] >= 0.95


def test_rename(run, slices, table):
    known = documented("rename")
    assert run("fit", "table.csv", *SLICES, "--out", "out").exit_code == 0
    document = strict(run("rename", "out", "1=one", "--json"))
    assert check(document, known) == set(known)
    assert [each["name"] for each in document["clusters"] if each["given"]] == ["one"]
    record = json.loads(Path("out/run.json").read_text())
    assert record["cluster_names"] == {"1": "one"}
    assert record["clusters"][1]["name"] == "one"


def test_update_and_choose(run, people, tmp_path):
    shutil.copytree(people, tmp_path / "out")
    frame = pd.read_csv(people.parent / "people.csv")
    frame.assign(height=frame["height"] + 500).to_csv("new.csv", index=False)
    document = strict(run("update", "out", "new.csv", "--json"))
    known = documented("update")
    found = check(document, known)
    assert {key for key, (_, is_optional) in known.items() if not is_optional} <= found
    inner = documented("predict")
    del inner["file"], inner["clusters[].class"]
    check(document["drift"], inner)
    assert document["files"] == json.loads(Path("out/run.json").read_text())["files"]
    document = strict(run("choose", "out", "alternative-0", "--json"))
    known = documented("choose")
    assert check(document, known) == set(known)


def test_report(run, slices, table):
    known, options = documented("report"), [option for option in SLICES if option != "--no-report"]
    assert run("fit", "table.csv", *options, "--out", "out").exit_code == 0
    document = strict(run("report", "out", "--json"))
    assert check(document, known) == set(known)
    assert document["file"] == "out/report.html"
    assert document["runs"][0]["scores"] == json.loads(Path("out/run.json").read_text())["scores"] != {}


def test_report_of_several_runs(run, slices, table, tmp_path):
    common = ("table.csv", "--method", "slices", "--drop", "some", "--drop", "kind")
    for k, out in ((3, "one/out"), (4, "two/out")):
        (tmp_path / out).parent.mkdir()
        assert run("fit", *common, "-k", k, "--drop", "id", "--out", out).exit_code == 0
    result = run("report", "one/out", "two/out", "--out", "both.html", "--json")
    document = strict(result)
    assert document["file"] == "both.html"
    assert [each["name"] for each in document["runs"]] == ["out", "out (2)"]
    assert [each["folder"] for each in document["runs"]] == ["one/out", "two/out"]
    assert [each["n_clusters"] for each in document["runs"]] == [3, 4]
    assert [each["values"]["clusters"] for each in document["runs"]] == [3, 4]
    assert result.stderr.count("Note: ") == len(document["notes"])


@pytest.mark.parametrize("methods", ["a,b", "a,b,c"])
def test_compare(run, tmp_path, methods):
    rows = ["d1,1,2,3", "d2,1,2,3", "d3,1,2,3"]
    width = methods.count(",") + 2
    lines = [f"data,{methods}", *(",".join(row.split(",")[:width]) for row in rows)]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    known = documented("compare")
    document = strict(run("compare", "t.csv", "--json"))
    absent = {key for key in known if key.startswith("friedman.")} if width == 3 else set()
    assert check(document, known) == set(known) - absent
    assert document["methods"] == methods.split(",")
    assert document["results"][1]["dataset"] == "d2"
    assert document["results"][1]["values"]["b"] == 2
    assert document["results"][1]["ranks"]["a"] == width - 1
    assert document["figure"] is None


def test_compare_averages_repeats(run, tmp_path):
    rows = [f"{data},{method},{value}" for data in "xy" for method in "ab" for value in (1, 2)]
    (tmp_path / "t.csv").write_text("dataset,method,value\n" + "\n".join(rows))
    document = strict(run("compare", "t.csv", "--json"))
    assert document["results"][0] == {
        "dataset": "x", "values": {"a": 1.5, "b": 1.5}, "ranks": {"a": 1.5, "b": 1.5},
    }  # fmt: skip


def test_methods(run):
    known = documented("methods")
    documents = strict(run("methods", "--json"))
    of_one = {key for key in known if key.startswith("parameters")}
    assert check(documents, known) == set(known) - of_one
    assert [each["name"] for each in documents] == list(METHODS)
    for each in documents:
        method = METHODS[each["name"]]
        assert set(each["aliases"]) == set(method.aliases)
        assert each["supervision"] == list(method.supervision)
        assert ("bags" in each["data"]) == method.bags


def test_parameters_of_a_method(run, slices):
    known = documented("methods")
    document = strict(run("methods", "slices", "--json"))
    assert check(document, known) == set(known)
    parameters = {each.pop("name"): each for each in document["parameters"]}
    assert parameters["n_clusters"] == {
        "required": True, "default": None, "flag": "-k", "type": "int", "description": "How many slices.",
    }  # fmt: skip
    assert parameters["mode"]["type"] == '{"plain", "warn", "cut", "cut_early", "fail"}'
    assert parameters["mode"]["description"] == "What happens in fit; see Else. A second paragraph."
    assert (parameters["high"]["default"], parameters["high"]["flag"]) == (1.0, None)
    [*_, high] = [
        each
        for each in strict(run("methods", "fine-slices", "--json"))["parameters"]
        if each["name"] == "high"
    ]
    assert high["default"] == 5.0


def test_names_of_files_that_are_not_utf8():
    name = b"caf\xe9".decode("utf-8", "surrogateescape")
    assert json.loads(json_text({"folder": name})) == {"folder": name}


@pytest.mark.parametrize("name", list(METHODS))
def test_every_method_is_strict_json_in_plain_text(run, name):
    for each in strict(run("methods", name, "--json"))["parameters"]:
        assert not re.search(r"`|:[a-z]+:", each["description"])
        assert each["type"]
        assert "default=" not in each["type"]


def test_defaults_that_json_lacks(run, slices, monkeypatch):
    def __init__(self, a=float("inf"), b=len, c=frozenset({2, 1}), d=(1, 2)):
        pass

    monkeypatch.setattr(slices, "__init__", __init__)
    defaults = [each["default"] for each in strict(run("methods", "slices", "--json"))["parameters"]]
    assert defaults == [None, "<built-in function len>", [1, 2], [1, 2]]


@pytest.mark.parametrize("mode", ["pairs", "names"])
def test_ask(asked_run, mode):
    answers = '{"answer": "unknown"}\nno answer\n{"answer": "quit"}\n'
    result = CliRunner().invoke(main, ["ask", str(asked_run), "--json", "--mode", mode], input=answers)
    assert result.exit_code == 0, result.output
    question, error, *_, last = (documented("ask", line) for line in ("question", "error", "last"))
    lines = [json.loads(line, parse_constant=pytest.fail) for line in result.stdout.splitlines()]
    kinds = ["error" if "error" in line else "last" if "saved" in line else "question" for line in lines]
    assert kinds == ["question", "question", "error", "question", "last"]
    for line, kind in zip(lines, kinds, strict=True):
        known = {"question": question, "error": error, "last": last}[kind]
        # These samples have no text.
        assert check(line, known) == set(known) - {"samples[].text"}


def test_a_question_about_documents_has_their_text(asked_run, monkeypatch):
    from moo_clustering.interactive.shown import ShownSamples

    found = ShownSamples.beside
    monkeypatch.setattr(
        ShownSamples, "beside", lambda *options: found(*options)._replace(texts=("one", "two"))
    )
    result = CliRunner().invoke(main, ["ask", str(asked_run), "--json"], input="")
    known = documented("ask", "question")
    assert check(json.loads(result.stdout.splitlines()[0]), known) == set(known)


def test_endless_lines_are_reported_on_stderr(asked_run):
    result = CliRunner().invoke(main, ["ask", str(asked_run), "--json"], input="x" * 10_000)
    assert [set(json.loads(line)) & {"question", "saved"} for line in result.stdout.splitlines()]
    assert "10000 or more characters" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fit", "none.csv", "--out", "out"], "file none.csv does not exist"),
        (["predict", "none", "none.csv"], "none does not exist"),
        (["ask", "none"], "none does not exist"),
        (["methods", "psec"], "did you mean 'pesc'"),
        (["methods", "--bibtex"], "--bibtex and --json are mutually exclusive"),
        (["compare", "none.csv"], "file none.csv does not exist"),
        (["explain", "none"], "none does not exist"),
        (["report", "none"], "none does not exist"),
        (["report", ".", "."], "requires --out FILE"),
    ],
)
def test_errors_are_a_line_on_stderr(fails, arguments, message):
    assert message in fails(*arguments, "--json")


def test_warnings_and_progress_go_to_stderr(run, slices, table):
    result = run("fit", "table.csv", *SLICES, "--set", "mode=warn", "--out", "out", "--json")
    assert strict(result)["warnings"] == ["first thing", "second thing"]
    assert "Warning: second thing" in result.stderr


def test_any_stdout_accepts_the_text(run, slices, table):
    assert strict(run("fit", "table.csv", *SLICES, "--out", "\N{SNOWMAN}", "--json"))["folder"] == "☃"


def exit_codes():
    """Codes in the table of the page."""
    section = re.search(r"^## How it ends\n(.*?)^##", PAGE, re.MULTILINE | re.DOTALL).group(1)
    return [int(code) for codes in re.findall(r"^\| ([\d, ]+) \|", section, re.MULTILINE)
            for code in codes.split(",")]  # fmt: skip


def test_documented_exit_codes():
    # Defects and the signals of other numbers are tested with processes, in test_endings.py.
    assert exit_codes() == [0, 1, 2, 3, 130, 143, 129]


@pytest.mark.parametrize("code", [0, 2, 3, 130])
def test_exit_codes(run, slices, table, monkeypatch, code):
    extra = {
        0: ("--fail-on", "no-structure"),
        2: ("--set", "mode=fail"),
        3: ("--fail-on", "no-structure"),
        130: ("--set", "mode=cut"),
    }[code]
    done = fit.run_job

    def without_structure(*arguments, **options):
        record, *rest = done(*arguments, **options)
        return record | {"verdict": "no structure beyond noise"}, *rest

    if code == 3:
        monkeypatch.setattr(fit, "run_job", without_structure)
    result = run("fit", "table.csv", *SLICES, *extra, "--out", "out", "--json")
    if code == 2:
        assert (result.exit_code, result.stdout) == (2, "")
        return
    document = strict(result, code)
    assert document["status"] == ("interrupted" if code == 130 else "complete")
    check(document, documented("fit"))


def test_interrupted_without_a_result(run, slices, table):
    document = strict(
        run("fit", "table.csv", *SLICES, "--set", "mode=cut_early", "--out", "out", "--json"), 130
    )
    check(document, documented("fit"))
    assert document["status"] == "interrupted"
    assert "result" not in document
