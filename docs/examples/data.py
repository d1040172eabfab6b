"""Where the real decisions are; the files themselves are not part of the project."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).resolve().parents[2]


def folder() -> Path:
    """Return the folder named by WELFARIST_DATA, `../shared/data` if that is not set."""
    return (ROOT / os.environ.get("WELFARIST_DATA", "../shared/data")).resolve()


def read(name: str) -> pd.DataFrame:
    """Read a file such as "hdi/hdi.csv", or end with one line that says what is missing."""
    path = folder() / name
    if not path.is_file():
        sys.exit(f"No file {name} in {folder()}. Set WELFARIST_DATA to the folder that holds it.")
    return pd.read_csv(path)
