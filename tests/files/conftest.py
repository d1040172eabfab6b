"""Files of tests are small, and would all be read in the way that is meant for small ones."""

from __future__ import annotations

import pytest

from welfarist.files import delimited


@pytest.fixture(autouse=True)
def _read_as_if_large(monkeypatch):
    monkeypatch.setattr(delimited, "SMALL", 0)
