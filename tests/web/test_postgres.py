"""Answers, tabs at the same time and migrations on a real PostgreSQL, which tests start."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.temporary_postgres import temporary_postgres, why_not

from welfarist.web.databases import database_of

pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not() or "there is one")
ROOT = Path(__file__).parents[2]
# What stores something, and whether migrations are what models say there too.
CORE = (
    "asking",
    "accounts",
    "studies/test_pages.py",
    "test_thin_path.py",
    "test_deployment.py::test_migrations_are_what_models_say",
)


@pytest.fixture(scope="module")
def database():
    """The address of an empty database."""
    with temporary_postgres() as address:
        yield address


def _run(address, folder, *command):
    ours = ("PYTEST_", "DJANGO_", "WELFARIST_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return subprocess.run(
        [sys.executable, "-m", *command],
        cwd=ROOT, env={**kept, "WELFARIST_DATABASE": address, "WELFARIST_DATA": str(folder)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def _asked(address, name, query):
    import psycopg

    told = database_of(address)
    with psycopg.connect(host=told["HOST"], user=told["USER"], dbname=name) as connection:
        return connection.execute(query).fetchall()


def test_what_holds_on_sqlite_holds_on_postgres(database, tmp_path):
    paths = [f"tests/web/{name}" for name in CORE]
    # What is made up is stored in the same way beside actions of the table, and alone.
    options = ("-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--reuse-db", "-k", "not only")
    done = _run(database, tmp_path, "pytest", *options, *paths)
    assert done.returncode == 0, done.stdout
    applied = _asked(database, "test_postgres", "select app, name from django_migrations")
    assert ("web", "0001_initial") in applied
