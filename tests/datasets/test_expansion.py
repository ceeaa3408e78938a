"""Compressed text: every reader bounds what it expands to, and the bound can be raised."""

import gzip

import pytest

from moo_clustering.datasets import DataError, read_bags, read_documents, read_multilabel, read_table

ARFF = b"@relation r\n@attribute bag {a,b}\n@attribute x numeric\n@attribute c {0,1}\n@data\n"
LABELLED = b"@relation 'r: -C 1'\n@attribute c {0,1}\n@attribute x numeric\n@data\n1,2\n"
# Name, first and last bytes, reader.
FILES = {
    "table": ("t.csv.gz", b"x,y\n1,2\n", b"3,4\n", read_table),
    "tabs": ("t.tsv.gz", b"x\ty\n1\t2\n", b"3\t4\n", read_table),
    "bags of a table": ("b.csv.gz", b"bag,x\na,2\n", b"b,4\n", read_bags),
    "bags of arff": ("b.arff.gz", ARFF + b"a,2,0\n", b"b,4,1\n", read_bags),
    "bags of keel": ("b.dat.gz", ARFF + b"a,2,0\n", b"b,4,1\n", read_bags),
    "label sets of arff": ("m.arff.gz", LABELLED, b"0,4\n", read_multilabel),
    "label sets of svmlight": ("m.svm.gz", b"0 1:2\n", b"1 1:3\n", read_multilabel),
    "documents": ("d.jsonl.gz", b'{"text": "a b"}\n', b'{"text": "c d"}\n', read_documents),
    "documents of a table": ("d.csv.gz", b"id,text\n1,a b\n", b"2,c d\n", read_documents),
}


@pytest.mark.parametrize("name", FILES)
def test_what_expands_without_measure_is_refused_at_once(tmp_path, name):
    """17 MiB of empty lines take some 17 kB compressed."""
    file, first, last, read = FILES[name]
    path = tmp_path / file
    path.write_bytes(gzip.compress(first + b"\n" * (17 * 2**20) + last))
    assert path.stat().st_size < 2**17
    with pytest.raises(DataError, match=r"expands from .* limit of 100 times its size.*unpack it first"):
        read(path)


@pytest.mark.parametrize("name", FILES)
def test_the_bound_can_be_raised(tmp_path, monkeypatch, name):
    monkeypatch.setattr("moo_clustering.datasets.files._ALWAYS", 1000)
    file, first, last, read = FILES[name]
    path = tmp_path / file
    path.write_bytes(gzip.compress(first + b"\n" * 50_000 + last))
    with pytest.raises(DataError, match=r"expansion=\.\.\."):
        read(path)
    found = read(path, expansion=10_000)
    samples = getattr(found, "bags", getattr(found, "X", getattr(found, "texts", ())))
    assert getattr(samples, "shape", (len(samples),) if not hasattr(samples, "shape") else ())[0] == 2
