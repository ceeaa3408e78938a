"""Files made to do harm: XML that expands, names that lead elsewhere, pickles, and promises of size."""

import gzip
import io
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fuzz_limits import bounded
from fuzz_run import outcome
from fuzz_tree_mutations import declared, npy_bytes, packed
from readers import READERS

from moo_clustering.datasets import DataError, read_documents, read_multilabel

NPZ = {name: next(iter(READERS[name].seeds()[0])) for name in READERS if name.endswith("npz")} | {
    name: next(iter(READERS[name].seeds()[0])) for name in ("bags-saved", "archive", "checkpoint", "report")
}
SECRET = "a text that no reader has any business to show"


class Marker:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (Path(self.path),)


@pytest.fixture
def no_pickles(monkeypatch):
    """Unpickling of whatever kind is an error that no reader catches."""

    def refuse(*_, **__):
        raise SystemExit("something was unpickled")

    monkeypatch.setattr(pickle, "loads", refuse)
    monkeypatch.setattr(pickle, "load", refuse)
    monkeypatch.setattr(pickle, "Unpickler", refuse)
    load = np.load
    monkeypatch.setattr(
        np, "load", lambda *a, allow_pickle=False, **k: refuse() if allow_pickle else load(*a, **k)
    )


def members_of(files, name):
    with zipfile.ZipFile(io.BytesIO(files[name])) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist()}


@pytest.mark.parametrize("name", NPZ)
def test_arrays_of_objects_are_never_unpickled(name, tmp_path, no_pickles):
    reader, file = READERS[name], NPZ[name]
    marker = tmp_path / "marker"
    array = npy_bytes(np.array([[Marker(marker)]], dtype=object))
    files = reader.seeds()[0]
    for member in members_of(files, file):
        for content in (array, pickle.dumps(Marker(marker))):
            bad = packed(members_of(files, file) | {member: content})
            assert outcome(reader, files | {file: bad}, tmp_path / "input").kind == "refused"
    assert outcome(reader, files | {file: pickle.dumps(Marker(marker))}, tmp_path / "input").kind == "refused"
    assert outcome(reader, files | {file: array}, tmp_path / "input").kind == "refused"
    assert not marker.exists()


@pytest.mark.parametrize("name", ["table-parquet", "prepared-parquet", "bags-parquet"])
def test_parquet_is_never_unpickled(name, tmp_path, no_pickles):
    reader = READERS[name]
    marker = tmp_path / "marker"
    file, data = next(iter(reader.seeds()[0].items()))
    table = pq.read_table(io.BytesIO(data))
    poison = pickle.dumps(Marker(marker))
    for metadata in (b"{", b'{"index_columns": [{"kind": "x"}]}', b"[]", poison):
        changed = io.BytesIO()
        pq.write_table(table.replace_schema_metadata({b"pandas": metadata, b"ARROW:schema": poison}), changed)
        assert outcome(reader, {file: changed.getvalue()}, tmp_path / "input").kind != "failure"
    extended = io.BytesIO()
    field = pa.field(
        "extra",
        pa.binary(),
        metadata={"ARROW:extension:name": "arrow.py_extension_type", "ARROW:extension:metadata": poison},
    )
    pq.write_table(table.append_column(field, pa.array([poison] * len(table), pa.binary())), extended)
    assert outcome(reader, {file: extended.getvalue()}, tmp_path / "input").kind != "failure"
    assert not marker.exists()


@pytest.mark.parametrize(
    ("shape", "descr"),
    [
        ((10**12,), "<f8"), ((10**12,), "|S0"), ((10**12,), "<U0"), ((10**12,), "|V0"), ((10**9, 10**3),
        "<U8"),
        ((0, 10**12), "<f8"), ((10**12, 0), "<i8"), ((2**40, 2**40), "<f8"), ((2**32, 2**32), "|i1"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", NPZ)
def test_headers_cannot_have_memory_for_nothing(name, shape, descr, tmp_path):
    reader, file = READERS[name], NPZ[name]
    files = reader.seeds()[0]
    members = members_of(files, file)
    for member in list(members)[:2]:
        bad = packed(members | {member: declared(shape, descr, b"\0" * 64)})
        assert outcome(reader, files | {file: bad}, tmp_path / "input", memory=2**28).kind == "refused"


@pytest.mark.parametrize("name", ["table-npz", "bags-saved", "report"])
def test_zip_bombs(name, tmp_path):
    reader, file = READERS[name], NPZ[name]
    files = reader.seeds()[0]
    bad = io.BytesIO()
    with zipfile.ZipFile(bad, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for member, content in members_of(files, file).items():
            archive.writestr(member, content)
        with archive.open("bomb.npy", "w", force_zip64=True) as member:
            member.write(declared((5 * 2**26,), "|u1"))
            for _ in range(5):
                member.write(bytes(2**26))
    assert outcome(reader, files | {file: bad.getvalue()}, tmp_path / "input", memory=2**28).kind == "refused"


@pytest.mark.parametrize(
    "index", ["1000000000", "1000000000000", "9223372036854775807", "99999999999999999999"]
)
def test_svmlight_indices_that_no_file_has(index, tmp_path):
    files = {"set.svmlight": f"1 1:1 {index}:1\n".encode()}
    assert outcome(READERS["svmlight"], files, tmp_path / "input", memory=2**28).kind == "refused"


def test_sparse_matrices_of_few_values_and_many_rows(tmp_path):
    for form, shape in (
        ("csr", (1, 10**15)),
        ("csc", (10**15, 1)),
        ("csr", (10**15, 1)),
        ("csr", (1, -1)),
        ("csc", (1,)),
    ):
        parts = {
            "data": np.ones(1),
            "indices": np.zeros(1, int),
            "indptr": np.array([0, 1]),
            "shape": np.array(shape),
        }
        content = io.BytesIO()
        np.savez(content, format=np.array(form.encode()), **parts)
        for name, file in (("sparse-npz", "table.npz"), ("multilabel-npz", "t_X.npz")):
            found = outcome(READERS[name], {file: content.getvalue()}, tmp_path / "input", memory=2**28)
            assert found.kind == "refused", (form, shape, name)


def test_labels_of_a_sparse_matrix_that_no_sample_has(tmp_path):
    content = io.BytesIO()
    indptr, shape = np.array([0, 0, 0, 0, 0]), np.array([4, 10**7])
    parts = {"data": np.zeros(0), "indices": np.zeros(0, int), "indptr": indptr, "shape": shape}
    np.savez(content, format=np.array(b"csr"), **parts)
    files = READERS["multilabel-npz"].seeds()[1] | {"t_Y.npz": content.getvalue()}
    found = outcome(READERS["multilabel-npz"], files, tmp_path / "input", memory=2**28)
    assert found.kind == "refused"
    assert "10,000,000 labels" in found.message


XML = {
    "laughs": '<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]>'
    '<labels><label name="&c;"/></labels>',
    "external": '<!DOCTYPE l [<!ENTITY x SYSTEM "file://{secret}">]><labels><label name="u"/>&x;</labels>',
    "parameter": '<!DOCTYPE l [<!ENTITY % x SYSTEM "file://{secret}"> %x;]>'
    '<labels><label name="u"/></labels>',
    "subset": '<!DOCTYPE labels SYSTEM "file://{secret}"><labels><label name="u"/><label name="v"/></labels>',
    "public": '<!DOCTYPE labels PUBLIC "-//x" "http://localhost:9/x"><labels><label name="u"/></labels>',
    "attribute": '<!DOCTYPE l [<!ATTLIST label name CDATA "u">]><labels><label/></labels>',
}


@pytest.mark.parametrize("kind", XML)
def test_xml_is_never_expanded_or_fetched(kind, tmp_path):
    (tmp_path / "secret").write_text(SECRET)
    arff = READERS["multilabel"].seeds()[-1]
    arff = next(files for files in READERS["multilabel"].seeds() if "set.xml" in files) or arff
    for name, data in arff.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "set.xml").write_text(XML[kind].replace("{secret}", str(tmp_path / "secret")))
    with (
        pytest.raises(DataError, match="document types and entities are not supported") as error,
        bounded(10, 2**28),
    ):
        read_multilabel(next(path for path in tmp_path.iterdir() if ".arff" in path.name))
    assert SECRET not in str(error.value)


@pytest.mark.parametrize(
    "xml", ["<labels>" * 100_000, '<labels><label name="u">' + '<label name="v">' * 50_000]
)
def test_deep_xml(xml, tmp_path):
    files = next(files for files in READERS["multilabel"].seeds() if "set.xml" in files)
    assert (
        outcome(READERS["multilabel"], files | {"set.xml": xml.encode()}, tmp_path / "input").kind
        == "refused"
    )


PLACES = ["../secret", "../../secret", "/etc/passwd", "{absolute}", "..\\secret", "labels.csv/../../secret"]


@pytest.mark.parametrize("place", PLACES)
def test_records_cannot_name_files_elsewhere(place, tmp_path):
    """Whatever a run says its files are, nothing outside its folder is read."""
    (tmp_path / "secret").write_text(SECRET)
    place = place.replace("{absolute}", str(tmp_path / "secret"))
    for files in READERS["run"].seeds():
        record = files["run.json"].replace(b"some.csv", place.encode().replace(b"\\", b"\\\\"))
        record = record.replace(b'"labels.csv"', b'"' + place.encode().replace(b"\\", b"\\\\") + b'"')
        changed = files | {"run.json": record}
        opened = opened_files(
            lambda: READERS["run"].call(tmp_path / "input"), READERS["run"], changed, tmp_path
        )
        assert not opened & {str(tmp_path / "secret"), "/etc/passwd"}
        assert SECRET not in repr(READERS["run"].call(tmp_path / "input"))


def opened_files(call, reader, files, tmp_path):
    """Resolved paths of the files that a call opens."""
    import sys

    assert outcome(reader, files, tmp_path / "input").kind == "accepted"
    opened, listening = set(), [True]

    def hook(event, arguments):
        if listening and event == "open" and isinstance(arguments[0], str | bytes | Path):
            opened.add(str(Path(str(arguments[0])).resolve()))

    sys.addaudithook(hook)  # can never be removed, and is deaf from the end of the call on
    try:
        call()
    finally:
        listening.clear()
    assert any(path.startswith(str(tmp_path.resolve())) for path in opened)
    return opened


@pytest.mark.parametrize("name", NPZ)
def test_members_are_never_extracted(name, tmp_path):
    reader, file = READERS[name], NPZ[name]
    files = reader.seeds()[0]
    extra = {
        f"{place}.npy": npy_bytes(np.arange(3))
        for place in ("../escaped", "/tmp/escaped-fuzz", "a/../../escaped")
    }
    bad = packed(members_of(files, file) | extra)
    before = {path for path in tmp_path.rglob("*") if "escaped" in path.name}
    assert outcome(reader, files | {file: bad}, tmp_path / "input").kind != "failure"
    assert {path for path in tmp_path.rglob("*") if "escaped" in path.name} == before == set()
    assert not Path("/tmp/escaped-fuzz.npy").exists()


def test_documents_that_name_files_are_texts(tmp_path):
    (tmp_path / "secret.txt").write_text(SECRET)
    (tmp_path / "texts.jsonl").write_text(f'{{"id": "a", "text": "{tmp_path}/secret.txt"}}\n')
    assert read_documents(tmp_path / "texts.jsonl").texts == [f"{tmp_path}/secret.txt"]


def test_gzip_that_is_damaged_within(tmp_path):
    data = gzip.compress(b'{"id": 1, "text": "x"}\n' * 50, mtime=0)
    for files in ({"texts.jsonl.gz": data[:-9]}, {"texts.jsonl.gz": data[:20] + b"\xff\xff" + data[22:]}):
        assert outcome(READERS["documents-gz"], files, tmp_path / "input").kind == "refused"


def test_columns_of_lists_in_every_role(tmp_path):
    for column in ("a", "id", "kind"):
        frame = pd.DataFrame({"a": [1.0, 2], "id": ["p", "q"], "kind": ["u", "v"]})
        frame[column] = [[1], [2, 3]]
        file = io.BytesIO()
        frame.to_parquet(file)
        assert (
            outcome(READERS["table-parquet"], {"t.parquet": file.getvalue()}, tmp_path / "i").kind
            == "refused"
        )


def test_identifiers_of_any_length(tmp_path):
    """An array of text has room for the longest everywhere: here 5,000 times 120,000 letters."""
    text = "id,size,class\n" + "x" * 120_000 + ",1,u\n" + "".join(f"{row},1,u\n" for row in range(5000))
    found = outcome(READERS["table"], {"table.csv": text.encode()}, tmp_path / "input", memory=2**29)
    assert found.kind == "refused"
    assert "120,000 characters" in found.message


def test_tables_of_runs_with_very_many_columns(tmp_path):
    files = READERS["run"].seeds()[0]
    wide = files["labels.csv"].replace(b"class", b"," * 150_000, 1)
    found = outcome(READERS["run"], files | {"labels.csv": wide}, tmp_path / "input")
    assert found.kind == "refused"
    assert "more than 1000 columns" in found.message
    # One more than a thousand is one too many.
    header, rows = files["labels.csv"].split(b"\n", 1)
    table = header + b"," * (1000 - header.count(b",")) + b"\n" + rows
    found = outcome(READERS["run"], files | {"labels.csv": table}, tmp_path / "again")
    assert "more than 1000 columns" in found.message


def test_tables_of_experiments_with_very_many_columns(tmp_path):
    table = b"id,size,class" + b"," * 150_000 + b"\na,1,u\nb,2,v\n"
    found = outcome(READERS["experiment-table"], {"table.csv": table}, tmp_path / "input", seconds=60)
    assert found == ("refused", "more than 100,000 columns", "")


@pytest.mark.parametrize("name", ["constraints", "pairs", "pairs-by-row"])
def test_cells_of_constraints_that_are_very_long(name, tmp_path):
    (file, data), *_ = READERS[name].seeds()[0].items()
    for length in (20_000, 150_000):
        changed = data + b"x" * length + b",1\n"
        assert outcome(READERS[name], {file: changed}, tmp_path / "input").kind == "refused"


def test_messages_do_not_quote_a_cell_of_any_length(tmp_path):
    relational = next(
        files for files in READERS["bags"].seeds() if b"relational" in next(iter(files.values()))
    )
    (file, data), *_ = relational.items()
    found = outcome(READERS["bags"], {file: data.replace(b"2.5", b"(" * 100_000)}, tmp_path / "input")
    assert found.kind == "refused"
    assert len(found.message) < 2100


def test_names_that_are_alike_and_very_long():
    """The comparison takes the product of both lengths."""
    from moo_clustering._arrays import did_you_mean

    with bounded(10):
        assert did_you_mean("ab" * 50_000, ["ab" * 50_000 + "c", "ac" * 50_000]) == ""
    assert did_you_mean("wien", ["wine"]) == "; did you mean 'wine'?"
