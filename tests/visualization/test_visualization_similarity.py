"""Similarity matrices in label order, exact or as means of blocks."""

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from moo_clustering.visualization import convergence_data, plot_convergence, plot_similarity, similarity_data


def naive_block_means(matrix, n_blocks):
    n = len(matrix)
    block = [place * n_blocks // n for place in range(n)]
    cells = {}
    for i in range(n):
        for j in range(n):
            cells.setdefault((block[i], block[j]), []).append(matrix[i, j])
    return [[np.mean(cells[a, b]) for b in range(n_blocks)] for a in range(n_blocks)]


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 25), st.integers(1, 30), st.integers(0, 2**32 - 1))
def test_blocks_against_a_loop(n, max_blocks, seed):
    rng = np.random.default_rng(seed)
    dense = rng.random((n, n)) * (rng.random((n, n)) < 0.3)
    labels = rng.integers(3, size=n)
    data = similarity_data(sparse.csr_matrix(dense), labels, max_blocks=max_blocks)
    order = sorted(range(n), key=lambda i: labels[i])
    assert data.order.tolist() == order
    expected = naive_block_means(dense[np.ix_(order, order)], min(n, max_blocks))
    np.testing.assert_allclose(data.blocks, expected, atol=1e-12)


def test_boundaries_and_vectors():
    embedding = np.arange(10.0).reshape(5, 2)
    data = similarity_data(np.eye(5), [2, 0, 2, 0, 7], [0.0, 0.1, 0.5], embedding)
    assert data.names == ("0", "2", "7")
    assert data.boundaries.tolist() == [0, 2, 4, 5]
    assert data.vectors.tolist() == embedding[[1, 3, 0, 2, 4]].tolist()
    assert data.eigenvalues.tolist() == [0.0, 0.1, 0.5]


def test_large_matrix_stays_sparse():
    n = 200_000
    rng = np.random.default_rng(0)
    rows = np.repeat(np.arange(n), 8)
    columns = rng.integers(n, size=8 * n)
    matrix = sparse.csr_array((np.ones(8 * n), (rows, columns)), shape=(n, n))
    data = similarity_data(matrix, rng.integers(4, size=n), embedding=np.zeros((n, 2)), max_blocks=100)
    assert data.blocks.shape == (100, 100)
    assert data.blocks.mean() * n**2 == pytest.approx(8 * n)
    assert len(data.places) <= 2000


@pytest.mark.parametrize(
    ("similarity", "options", "message"),
    [
        (np.eye(3), {}, r"must have shape \(2, 2\) for 2 labels, got \(3, 3\)"),
        (np.eye(2), {"embedding": np.ones((3, 1))}, "embedding must have shape"),
        (np.eye(2), {"max_blocks": 0}, "max_blocks must be an integer of at least 1"),
    ],
)
def test_refused(similarity, options, message):
    with pytest.raises(ValueError, match=message):
        similarity_data(similarity, [0, 1], **options)


@pytest.mark.parametrize("n_clusters", [1, 3, 40])
def test_plot(tmp_path, n_clusters):
    n, rng = 90, np.random.default_rng(0)
    labels = np.arange(n) % n_clusters
    matrix = sparse.csr_array((labels[:, None] == labels) * rng.random((n, n)))
    before = mpl.rcParams.copy()
    figure = plot_similarity(
        matrix, labels, np.arange(n_clusters + 1.0), rng.random((n, n_clusters)), path=tmp_path / "s.png"
    )
    assert plt.imread(tmp_path / "s.png").shape[1] > 1000
    assert mpl.rcParams == before
    assert not plt.get_fignums()
    image = figure.axes[0].images[0]
    assert image.get_array().argmax() == similarity_data(matrix, labels).blocks.argmax()
    assert image.get_cmap()(1.0)[:3] == (1.0, 1.0, 1.0)
    assert image.get_cmap()(0.0)[:3] == (0.0, 0.0, 0.0)
    # Lines between the blocks of the clusters, unless there are too many.
    size = n // n_clusters
    places = [k * size - 0.5 for k in range(1, n_clusters) if n_clusters <= 30]
    assert [line.get_ydata()[0] for line in figure.axes[0].lines[::2]] == places
    assert [line.get_xdata()[0] for line in figure.axes[0].lines[1::2]] == places


def test_plot_without_entries_or_spectrum(tmp_path):
    plot_similarity(sparse.csr_array((4, 4)), [0, 0, 1, 1], path=tmp_path / "s.png")
    assert (tmp_path / "s.png").stat().st_size > 1000


def test_history(tmp_path):
    frame = pd.DataFrame(
        {
            "generation": [0, 1, 2],
            "seconds": [0.1, 0.2, 0.3],
            "front_size": [3, 4, 5],
            "best_f1": [1.0, 0.5, 0.4],
        }
    )
    figure = plot_convergence(frame, path=tmp_path / "h.png")
    assert [ax.lines[0].get_ydata().tolist() for ax in figure.axes] == [[3, 4, 5], [1.0, 0.5, 0.4]]
    assert (tmp_path / "h.png").exists()
    with pytest.raises(ValueError, match="column 'generation'"):
        convergence_data(frame.drop(columns="generation"))
    with pytest.raises(ValueError, match="no numeric columns to plot"):
        convergence_data(frame[["generation", "seconds"]])
