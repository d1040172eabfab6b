"""Pictures: well-formed, escaped, and the same where rules are extreme."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextToPath

from tests.web.journeys import HOSTILE
from welfarist.web.learned.estimates import Estimate
from welfarist.web.pictures.bar import bar
from welfarist.web.pictures.course import course_picture
from welfarist.web.pictures.everybody import Someone, everybody_picture
from welfarist.web.pictures.power import density, power_picture
from welfarist.web.pictures.svg import clipped
from welfarist.web.pictures.weights import weights_picture

WIDE = Estimate(-1.0, -1e300, 1e9)
HALF = Estimate(0.5, 0.0, 1.0)
ROOM = 96.0


def flat():
    return density(np.linspace(-50, 50, 200), np.full(200, 1 / 200))


PICTURES = {
    "power": lambda: power_picture(flat(), WIDE),
    "weights": lambda: weights_picture([HOSTILE] * 40, [HALF] * 40),
    "course": lambda: course_picture([WIDE] * 50),
    "one step": lambda: course_picture([WIDE]),
    "everybody": lambda: everybody_picture([Someone(HOSTILE, WIDE, (HALF,) * 9)] * 50),
}


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_are_well_formed_and_have_words(name):
    drawn = PICTURES[name]()
    found = ElementTree.fromstring(drawn)
    assert found.get("role") == "img"
    assert found.get("aria-label")
    assert "nan" not in drawn
    assert "<script" not in drawn
    assert "style" not in drawn


NAMES = (
    "Grace <b>H</b>", "Änne, O'Brien", "WWWWWWWWWWWWW", "MMMMMMMM", "iiiiiiiiiiiiiiiiiiiiiiiiiiii",
    "mmmmmmmmmmm", "QOGDQOGDQOGDQOGD", "0123456789012345", "zażółć gęślą jaźń", "Ωμέγα Ωμέγα",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_names_stay_inside_their_picture(name):
    shown = clipped(name, ROOM)
    font = FontProperties(family="DejaVu Sans", size=12.5)  # as wide as fonts of pages are
    width, _, _ = TextToPath().get_text_width_height_descent(shown, font, ismath=False)
    assert 0.5 * ROOM < width <= ROOM or shown == name
    assert name.startswith(shown.rstrip("…"))


def test_a_density_is_highest_at_one():
    found = density(np.array([0.0, 0.0, 5.0]), np.array([0.4, 0.4, 0.2]))
    assert found.max() == 1.0
    assert abs(int(found.argmax()) - len(found) // 2) <= 1


@pytest.mark.parametrize(("value", "other", "most"), [(0.0, 0.0, 0.0), (1.0, 2.0, 2.0), (3, 1, 3)])
def test_bars_end_within_their_scale(value, other, most):
    for part in ElementTree.fromstring(bar(value, other, most)):
        ends = float(part.get("x").rstrip("%")) + float(part.get("width").rstrip("%"))
        assert 0 <= ends <= 100.01
