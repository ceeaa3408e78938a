"""Similarity matrices and their spectra."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering.visualization._blocks import block_means
from moo_clustering.visualization._figures import figure_of, house_style, new_figure, save_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MAX_VECTORS = 6
_MAX_POINTS = 2000


@dataclass(frozen=True, eq=False)
class SimilarityData:
    """What :func:`plot_similarity` shows.

    Parameters
    ----------
    blocks : ndarray of shape (n_blocks, n_blocks)
        Similarities with samples in the order of their labels; means of blocks of samples where
        there are more samples than blocks.
    order : ndarray of shape (n_samples,)
        Sample at each place.
    boundaries : ndarray of shape (n_clusters + 1,)
        Places at which the clusters begin, and n_samples.
    names : tuple of str
        Names of the clusters.
    eigenvalues : ndarray
        As given.
    places : ndarray of shape (n_points,)
        Places whose samples the vectors show.
    vectors : ndarray of shape (n_points, n_vectors)
        Leading eigenvectors at these places.
    """

    blocks: NDArray[np.float64]
    order: NDArray[np.int64]
    boundaries: NDArray[np.int64]
    names: tuple[str, ...]
    eigenvalues: NDArray[np.float64]
    places: NDArray[np.int64]
    vectors: NDArray[np.float64]


def similarity_data(
    similarity: Any,
    labels: ArrayLike,
    eigenvalues: ArrayLike = (),
    embedding: ArrayLike | None = None,
    *,
    max_blocks: int = 600,
) -> SimilarityData:
    """Bring a similarity matrix and its spectrum into the order of the labels.

    Parameters
    ----------
    similarity : sparse array, matrix or array-like of shape (n_samples, n_samples)
    labels : array-like of shape (n_samples,)
        Clusters, or known classes.
    eigenvalues : array-like, default=()
        Smallest eigenvalues of the Laplacian.
    embedding : array-like of shape (n_samples, n_vectors), optional
        Eigenvectors, at most six of which are shown.
    max_blocks : int, default=600
        Samples above which they are put together in blocks.

    Returns
    -------
    SimilarityData

    Raises
    ------
    ValueError
        When the shapes do not fit each other.

    Notes
    -----
    O(nnz + n_samples log n_samples + max_blocks^2) time; the matrix is never made dense.
    """
    from scipy import sparse

    matrix = sparse.csr_array(similarity)
    labels = np.asarray(labels)
    n = len(labels)
    if matrix.shape != (n, n):
        raise ValueError(f"similarity must have shape ({n}, {n}) for {n} labels, got {matrix.shape}")
    if max_blocks < 1:
        raise ValueError(f"max_blocks must be at least 1, got {max_blocks}")
    order = np.argsort(labels, kind="stable")
    names, starts = np.unique(labels[order], return_index=True)
    places = np.unique(np.linspace(0, n - 1, min(n, _MAX_POINTS)).astype(np.int64))
    vectors = np.empty((len(places), 0))
    if embedding is not None:
        embedding = np.asarray(embedding, dtype=np.float64)
        if embedding.ndim != 2 or len(embedding) != n:
            raise ValueError(f"embedding must have shape ({n}, n_vectors), got {embedding.shape}")
        vectors = embedding[order[places], :_MAX_VECTORS]
    return SimilarityData(
        blocks=block_means(matrix, order, min(n, max_blocks)),
        order=order,
        boundaries=np.append(starts, n),
        names=tuple(str(name) for name in names),
        eigenvalues=np.asarray(eigenvalues, dtype=np.float64),
        places=places,
        vectors=vectors,
    )


def plot_similarity(
    similarity: Any,
    labels: ArrayLike,
    eigenvalues: ArrayLike = (),
    embedding: ArrayLike | None = None,
    *,
    title: str = "",
    max_blocks: int = 600,
    ax: Axes | Sequence[Axes] | None = None,
    path: str | PathLike[str] | None = None,
) -> Figure:
    """Similarity matrix in the order of the labels (white is large), eigenvalues and eigenvectors.

    Parameters
    ----------
    similarity, labels, eigenvalues, embedding
        See :func:`similarity_data`.
    title : str, default=""
        Of a new figure.
    max_blocks
        See :func:`similarity_data`.
    ax : matplotlib axes or sequence of up to three of these, optional
        Where to draw the matrix, the eigenvalues and the eigenvectors, as far as there are axes; a new
        figure by default.
    path : path-like, optional
        Also write the figure to this file.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        As of :func:`similarity_data`, and for no axes or more than three.

    References
    ----------
    PESC: "Pareto ensemble-based spectral clustering", Fig. 5.
    """
    data = similarity_data(similarity, labels, eigenvalues, embedding, max_blocks=max_blocks)
    with house_style():
        if ax is None:
            figure = new_figure(10.0, 5.2)
            grid = figure.add_gridspec(2, 2, width_ratios=[1.15, 1.0], height_ratios=[1.0, 1.4])
            axes = [figure.add_subplot(cell) for cell in (grid[:, 0], grid[0, 1], grid[1, 1])]
            figure.suptitle(title)
        else:
            axes = list(np.ravel(np.asarray(ax, dtype=object)))
            if not 1 <= len(axes) <= len(_PANELS):
                raise ValueError(f"ax must be 1 to {len(_PANELS)} axes, got {len(axes)}")
            figure = figure_of(axes[0])
        for panel, draw in zip(axes, _PANELS, strict=False):
            draw(panel, data)
        save_figure(figure, path)
    return figure


def _draw_matrix(ax: Axes, data: SimilarityData) -> None:
    n, exact = len(data.order), len(data.order) == len(data.blocks)
    # A few very large entries would dim all others.
    positive = data.blocks[data.blocks > 0]
    top = float(np.quantile(positive, 0.95)) if len(positive) else 1.0
    ax.imshow(
        data.blocks,
        cmap="gray",
        vmin=0.0,
        vmax=top,
        extent=(-0.5, n - 0.5, n - 0.5, -0.5),
        interpolation="nearest" if exact else "antialiased",
    )
    for spine in ax.spines.values():
        spine.set_visible(True)
    inner = data.boundaries[1:-1] - 0.5
    if len(data.names) <= 30:
        for place in inner:
            ax.axhline(place, color="#ee7733", linewidth=0.6, alpha=0.8)
            ax.axvline(place, color="#ee7733", linewidth=0.6, alpha=0.8)
        middle = (data.boundaries[:-1] + data.boundaries[1:] - 1) / 2
        ax.set_xticks(middle, data.names)
        ax.set_yticks(middle, data.names)
        ax.tick_params(length=0)
    size = "" if exact else f" (dots: means of about {n / len(data.blocks):.0f} x {n / len(data.blocks):.0f})"
    ax.set_xlabel(f"samples in the order of their clusters{size}")
    ax.set_title(f"Similarity of {n} samples")


def _draw_eigenvalues(ax: Axes, data: SimilarityData) -> None:
    numbers = np.arange(1, len(data.eigenvalues) + 1)
    ax.plot(numbers, data.eigenvalues, color="0.7", linewidth=1.0)
    first = numbers <= len(data.names)
    ax.plot(numbers[first], data.eigenvalues[first], "o", color="#4477aa", label="one per cluster")
    if not first.all():
        ax.plot(numbers[~first], data.eigenvalues[~first], "o", mfc="white", color="#4477aa", label="next")
        ax.legend(loc="upper left")
    if len(numbers) <= 20:
        ax.set_xticks(numbers)
    ax.set_title("Smallest eigenvalues of the Laplacian")


def _draw_vectors(ax: Axes, data: SimilarityData) -> None:
    for number, vector in enumerate(data.vectors.T, start=1):
        ax.plot(data.places, vector, ".", markersize=3.0, label=str(number))
    for place in data.boundaries[1:-1] - 0.5:
        ax.axvline(place, color="0.75", linewidth=0.8, zorder=0)
    ax.set_xlim(-0.5, len(data.order) - 0.5)
    ax.set_xlabel("samples in the order of their clusters")
    ax.set_title("Embedding: leading eigenvectors" if data.vectors.shape[1] else "No embedding")
    if data.vectors.shape[1] > 1:
        ax.legend(
            ncols=data.vectors.shape[1], loc="upper center", bbox_to_anchor=(0.5, -0.2), markerscale=3.0
        )


_PANELS = (_draw_matrix, _draw_eigenvalues, _draw_vectors)
