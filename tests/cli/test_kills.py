"""Commands that are killed at random moments; `python -m fuzz.kills` does so to all of them."""

from __future__ import annotations

import os

import pytest
from fuzz.kills import COMMANDS, DATA, WORLD, Command, attacks

SIMULATE = COMMANDS[0]
WRITTEN = ("--save", "out/m.json", "--latex", "out/deep/t.tex", "--no-intervals")
FIT = Command(
    "fit", "welfarist",
    (("fit", *DATA, "--p", "0", *WRITTEN), ("fit", *DATA, "--p", "0.5", *WRITTEN)), WORLD,
)  # fmt: skip


@pytest.mark.skipif(os.name == "nt", reason="kills are another matter there")
@pytest.mark.parametrize("command", [SIMULATE, FIT], ids=lambda command: command.name)
def test_three_kills(command, tmp_path):
    for tally in attacks([command], 3, seed=11, folder=tmp_path):
        assert tally.wrong == []
        assert sum(tally.ends.values()) == 3
