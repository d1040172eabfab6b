"""A file to oneself: refused to others, given back however its holder ends."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from welfarist import InputError
from welfarist.base.alone import alone_with

HOLD = (
    "import sys, time\nfrom welfarist.base.alone import alone_with\n"
    "with alone_with(sys.argv[1]):\n    print('held', flush=True)\n    time.sleep(60)\n"
)


def test_it_is_refused_while_somebody_has_it_and_leaves_nothing(tmp_path):
    path = tmp_path / "answers.csv"
    with alone_with(path):
        with pytest.raises(InputError, match="somebody else is at work on it"), alone_with(path):
            pass
        with alone_with(tmp_path / "others.csv"):
            pass
    with alone_with(path):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="kills are another matter there")
def test_a_killed_holder_keeps_nobody_away(tmp_path):
    path = tmp_path / "answers.csv"
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(InputError, match="somebody else"), alone_with(path):
            pass
        holder.kill()
    with alone_with(path):
        pass


def test_a_link_is_the_file_itself(tmp_path):
    (tmp_path / "answers.csv").touch()
    os.symlink(tmp_path / "answers.csv", tmp_path / "link.csv")
    with (
        alone_with(tmp_path / "answers.csv"),
        pytest.raises(InputError, match="somebody else"),
        alone_with(tmp_path / "link.csv"),
    ):
        pass
