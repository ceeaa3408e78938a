"""Multi-label tables as MULAN's pair of files."""

import numpy as np
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from moo_clustering.datasets.multilabel import MultiLabelTable, read_multilabel
from tests.datasets.arff_files import write_multilabel_arff


def table(X, Y, features=None, labels=None, name="demo"):
    X, Y = sp.csr_array(np.array(X, dtype=float)), np.array(Y, dtype=np.int8)
    features = features or [f"f{each}" for each in range(X.shape[1])]
    labels = labels or [f"l{each}" for each in range(Y.shape[1])]
    return MultiLabelTable(name, X, Y, tuple(features), tuple(labels), np.arange(len(Y)))


def test_files(tmp_path):
    made = table(
        [[1, 0.1], [0, 0], [1, -2]], [[0, 1], [-1, -1], [1, 1]], ["a", "b c"], ["u", "v&w"], "set: -C 7.arff"
    )
    write_multilabel_arff(tmp_path / "d.arff", made)
    assert (tmp_path / "d.arff").read_text() == (
        "@relation 'set: -C -2'\n\n@attribute a {0,1}\n@attribute 'b c' numeric\n@attribute u {0,1}\n"
        "@attribute 'v&w' {0,1}\n\n@data\n{0 1, 1 0.1, 3 1}\n{2 ?, 3 ?}\n{0 1, 1 -2, 2 1, 3 1}\n"
    )
    assert '<label name="v&amp;w"/>' in (tmp_path / "d.xml").read_text()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["d.arff", "d.xml"]
    (tmp_path / "d.xml").unlink()
    assert read_multilabel(tmp_path / "d.arff").label_names == ("u", "v&w")


NAMES = st.lists(
    st.text(
        st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="\ufffe\uffff"),
        max_size=8,
    ),
    min_size=4,
    max_size=4,
    unique=True,
)
VALUES = st.one_of(st.just(0.0), st.just(1.0), st.floats(allow_nan=False, allow_infinity=False))
LABELS = st.sampled_from([[0, 0], [0, 1], [1, 0], [1, 1], [-1, -1]])


@settings(max_examples=40, deadline=None)
@given(
    NAMES, st.lists(st.tuples(st.tuples(VALUES, VALUES), LABELS), min_size=1, max_size=5), st.text(max_size=5)
)
def test_tables_come_back_to_the_last_bit(tmp_path_factory, names, rows, name):
    path = tmp_path_factory.mktemp("written") / "d.arff"
    made = table(
        [x for x, _ in rows],
        [y for _, y in rows],
        names[:2],
        names[2:],
        name.encode("utf-8", "replace").decode(),
    )
    write_multilabel_arff(path, made)
    back = read_multilabel(path)
    assert (back.feature_names, back.label_names) == (made.feature_names, made.label_names)
    assert back.X.toarray().tolist() == made.X.toarray().tolist()
    assert back.Y.tolist() == made.Y.tolist()
