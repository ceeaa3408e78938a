"""Numbers of hundreds of digits in every file that holds numbers: read, or refused in a sentence."""

import pytest

from moo_clustering.constraints import PairwiseConstraints, read_pairs
from moo_clustering.datasets import read_bags, read_documents, read_multilabel, read_table


def _weights(path):
    return PairwiseConstraints.from_csv(path, 3)


ARFF = (
    "@relation r\n@attribute bag {{a,b}}\n@attribute x real [0,{0}]\n@attribute c {{0,1}}\n"
    "@data\na,{0},0\nb,2,1\n"
)
FILES = {
    "table": ("t.csv", "x,y\n{0},1\n2,2\n", read_table),
    "bags": ("b.csv", "bag,x\na,{0}\nb,2\n", read_bags),
    "names of bags": ("b.csv", "bag,x\n{0},1\nb,2\n", read_bags),
    "arff": ("b.arff", ARFF.replace("real [0,{0}]", "numeric"), read_bags),
    "keel": ("b.dat", ARFF, read_bags),
    "labels": ("m.arff", "@relation 'r: -C {0}'\n@attribute c {{0,1}}\n@data\n1\n", read_multilabel),
    "sparse arff": (
        "m.arff",
        "@relation 'r: -C 1'\n@attribute c {{0,1}}\n@attribute x numeric\n@data\n{{0 1, {0} 3}}\n",
        read_multilabel,
    ),
    "svmlight": ("m.svm", "0 1:{0}\n1 1:2\n", read_multilabel),
    "labels of svmlight": ("m.svm", "{0} 1:2\n1 1:2\n", read_multilabel),
    "indices of svmlight": ("m.svm", "0 {0}:2\n1 1:2\n", read_multilabel),
    "json": ("d.jsonl", '{{"text": "a b", "id": {0}}}\n', read_documents),
    "pairs": ("p.csv", "{0},1\n", read_pairs),
    "weights": (
        "w.csv",
        "i,j,kind,weight\n0,1,must_link,{0}\n",
        _weights,
    ),
}


@pytest.mark.parametrize("number", ["1" * 400, "-" + "9" * 400, "1" * 5000, "1e999999999"], ids=len)
@pytest.mark.parametrize("name", FILES)
def test_huge_numbers(tmp_path, name, number):
    file, text, read = FILES[name]
    (tmp_path / file).write_text(text.format(number))
    said = ""
    try:
        read(tmp_path / file)
    except ValueError as error:
        said = str(error)
    assert "\n" not in said
    assert len(said) <= 2100
