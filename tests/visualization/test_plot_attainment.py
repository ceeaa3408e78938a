"""The front of MOCK before control fronts: data, drawing, and which numbers are written."""

import numpy as np
import pytest

from moo_clustering.fronts import attainment_scores
from moo_clustering.visualization.fronts import attainment_plot_data, plot_attainment

FRONT, NUMBERS = [(10, 0), (4, 1), (3, 4), (1, 16)], [1, 2, 3, 4]
CONTROL = ([(10, 0), (9, 2), (6, 6), (2, 14), (0, 30)], [1, 2, 3, 4, 5])


@pytest.fixture
def scores():
    return attainment_scores(FRONT, NUMBERS, [CONTROL])


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_data(scores):
    data = attainment_plot_data(scores)
    assert data.chosen == 1
    assert data.distance == pytest.approx(scores.scores[1])
    # The corner below and left of the second and third control solution is nearest.
    np.testing.assert_allclose(data.foot, (0.935414, 0.377964), atol=1e-6)
    assert data.numbers.tolist() == [1, 2, 3, 4]
    np.testing.assert_allclose(data.scores, scores.scores)
    assert data.promising.tolist() == [False, True, False, False]
    assert data.controls[0].shape == (6, 2)
    assert (data.controls[0][1:-1] == scores.controls[0]).all()


@pytest.mark.parametrize("seed", range(4))
def test_the_foot_is_as_far_as_the_score(seed):
    rng = np.random.default_rng(seed)
    F, C = (np.column_stack([np.sort(rng.random(9)), np.sort(rng.random(9))[::-1]]) for _ in "ab")
    numbers = np.arange(9)[::-1] + 1
    found = attainment_scores(F, numbers, [(C, numbers), (C**2, numbers)])
    for row in range(9):
        assert attainment_plot_data(found, row).distance == pytest.approx(found.scores[row], abs=1e-12)


def test_solutions_without_a_score_are_not_shown():
    found = attainment_scores(FRONT, NUMBERS, [CONTROL], k_user=3)
    data = attainment_plot_data(found, 3)
    assert data.front.shape == (3, 2)
    assert (data.chosen, data.foot, data.distance) == (None, None, None)
    left, right = plot_attainment(found, 3).axes
    assert "chosen" not in " ".join(
        text.get_text() for ax in (left, right) for text in ax.get_legend().get_texts()
    )


def test_numbers_are_written_apart_and_the_chosen_first():
    t = np.linspace(0, 1, 60)
    F = np.column_stack([t, (1 - t) ** 2])
    numbers = np.repeat(np.arange(20, 0, -1), 3)
    found = attainment_scores(F, numbers, [(np.column_stack([t, 1 - t]), numbers)])
    data = attainment_plot_data(found, 30)
    assert data.annotated[0] == 30
    places = data.front[data.annotated]
    gaps = np.hypot(*(places[:, None] - places).transpose(2, 0, 1))
    assert gaps[np.triu_indices(len(places), 1)].min() >= 0.06
    assert 5 < len(places) < 20
    # Nothing else could be written, and what is not promising gives way to what is.
    left_out = np.setdiff1d(np.arange(60), data.annotated)
    best = [row for row in left_out if row in found.promising()]
    gap = np.hypot(*(data.front[best] - data.front[30]).T)
    assert (gap < 0.06).all()
    order = attainment_plot_data(found).annotated
    assert order[0] == found.best()


def test_drawing(scores, tmp_path):
    figure = plot_attainment(scores, 2, ["deviation", "connectivity"], path=tmp_path / "attainment.png")
    assert (tmp_path / "attainment.png").stat().st_size > 10_000
    left, right = figure.axes
    assert left.get_xlabel() == "scaled deviation (square root)"
    assert texts(left)[0] == "3"
    assert sorted(texts(left)) == ["1", "2", "3", "4"]
    assert "chosen (score 0.282)" in [text.get_text() for text in left.get_legend().get_texts()]
    line = right.lines[0]
    np.testing.assert_allclose(line.get_ydata(), scores.scores)
    # A staircase: every piece of the control front is level or upright.
    assert left.lines[0].get_drawstyle() == "steps-post"
    assert (np.diff(left.lines[0].get_xydata(), axis=0) * [1, -1] >= 0).all()
    dominated = left.lines[0].get_xydata()[:, None] - scores.controls[0]
    assert (dominated >= -1e-12).all(axis=2).any(axis=1).all()


def test_one_solution():
    found = attainment_scores([(0, 0)], [1], [([(0, 0)], [1])])
    assert attainment_plot_data(found).distance == 0
    plot_attainment(found)


def test_refused(scores):
    with pytest.raises(ValueError, match="chosen=4 is outside the front, which has 4"):
        attainment_plot_data(scores, 4)
    with pytest.raises(ValueError, match="names must have one name per objective"):
        plot_attainment(scores, names=["a"])


def test_only_scores_are_plotted():
    with pytest.raises(TypeError, match=r"must be AttainmentScores.*got dict"):
        plot_attainment({})
