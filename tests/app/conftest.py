"""Files of one seeded world, in a folder of their own."""

from __future__ import annotations

import pytest

from welfarist.app.simulating import WorldRequest, simulate


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    asked = WorldRequest(people=2, actions=30, decisions=120, p="-1", tau=8.0, seed=3)
    simulate(asked).write(".")
    return tmp_path
