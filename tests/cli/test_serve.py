"""`welfarist serve` as far as it goes without pages; tests/web has the rest."""

from __future__ import annotations

import importlib.util

import pytest
from typer.testing import CliRunner

from welfarist.cli.app import app


@pytest.mark.parametrize("missing", ["django", "waitress", "whitenoise"])
def test_what_is_missing_is_said_in_one_sentence(monkeypatch, missing):
    found = importlib.util.find_spec

    def without(name, *rest):
        return None if name == missing else found(name, *rest)

    monkeypatch.setattr(importlib.util, "find_spec", without)
    done = CliRunner().invoke(app, ["serve"])
    assert done.exit_code == 1
    need = f"Error: pages need the package {missing}; found none."
    assert done.stderr == f'{need} pip install "welfarist[web]"\n'


def test_pages_are_for_this_machine_alone():
    done = CliRunner().invoke(app, ["serve", "--host", "0.0.0.0"])
    assert done.exit_code == 2
    assert "--host must be 127.0.0.1, localhost or ::1" in " ".join(
        done.stderr.replace("│", "").split()
    )
