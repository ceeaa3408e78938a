"""Colours of clusters are different, also for the colour-blind, and stand out from the page."""

import re
from importlib.resources import files
from itertools import combinations

import numpy as np
import pytest

from moo_clustering.visualization.figures import look_of

CSS = files("moo_clustering.visualization.report").joinpath("assets", "report.css").read_text("utf-8")
# From linear sRGB to cone responses and on to OKLab (Ottosson, 2020).
CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)
# Machado, Oliveira and Fernandes (2009), complete loss of a kind of cones.
SEEN_WITH = {
    "all cones": np.eye(3),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
}


def channels(color):
    return np.array([int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)])


def linear(rgb):
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def oklab(rgb, kind):
    return LAB @ np.cbrt(CONES @ np.clip(SEEN_WITH[kind] @ linear(rgb), 0, 1))


def luminance(rgb):
    return linear(rgb) @ [0.2126, 0.7152, 0.0722]


def contrast(first, second):
    dark, light = sorted([luminance(first), luminance(second)])
    return (light + 0.05) / (dark + 0.05)


def variable(name, *, is_dark):
    dark = CSS.index('data-theme="dark"')
    return re.search(rf"{name}: ([^;]+);", CSS[dark:] if is_dark else CSS[:dark])[1]


def shown(n_clusters, *, is_dark):
    """Colours of the page, with white mixed in on a dark ground."""
    lift = float(variable("--lift", is_dark=is_dark).rstrip("%")) / 100
    return [(1 - lift) * channels(look_of(cluster).color) + lift for cluster in range(n_clusters)]


def test_black_and_white_are_as_far_apart_as_they_can_be():
    assert contrast(np.zeros(3), np.ones(3)) == pytest.approx(21)
    white = oklab(np.ones(3), "all cones")
    np.testing.assert_allclose(white, [1, 0, 0], atol=1e-3)
    red, green = channels("#c00000"), channels("#6b5f00")
    apart = {kind: np.linalg.norm(oklab(red, kind) - oklab(green, kind)) for kind in SEEN_WITH}
    assert apart["protanopia"] < apart["all cones"] / 2


@pytest.mark.parametrize(
    ("n_clusters", "is_dark", "least"),
    [
        (8, False, {"all cones": 15.0, "deuteranopia": 7.5, "protanopia": 9.0}),
        (8, True, {"all cones": 12.0, "deuteranopia": 6.0, "protanopia": 6.5}),
        (20, False, {"all cones": 8.5, "deuteranopia": 5.5, "protanopia": 6.0}),
        (20, True, {"all cones": 7.0, "deuteranopia": 4.5, "protanopia": 4.5}),
        (32, False, {"all cones": 6.5, "deuteranopia": 4.0, "protanopia": 4.0}),
    ],
)
def test_every_two_colours_differ(n_clusters, is_dark, least):
    # Distances in OKLab are multiplied by 100; a difference of 2 is just visible.
    colors = shown(n_clusters, is_dark=is_dark)
    for kind, wanted in least.items():
        places = [oklab(color, kind) for color in colors]
        assert min(100 * np.linalg.norm(a - b) for a, b in combinations(places, 2)) >= wanted


@pytest.mark.parametrize("is_dark", [False, True])
def test_markers_stand_out_from_the_page(is_dark):
    ground = variable("--paper", is_dark=is_dark)
    ground = channels(ground if len(ground) == 7 else "#ffffff")
    for color, edge in zip(shown(32, is_dark=is_dark), shown(32, is_dark=False), strict=True):
        # The edge of a marker has 60% of the luminance of its colour.
        assert max(contrast(color, ground), contrast(0.6 * edge, ground)) >= 3.0


def test_looks_beyond_the_colours():
    looks = [look_of(cluster) for cluster in range(256)]
    assert len({look.color for look in looks}) == 32
    assert len(set(looks)) == 256
    assert look_of(256) == look_of(0)
