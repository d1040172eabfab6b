"""What decides how sums are rounded: libraries, their kernels and the processor."""

from __future__ import annotations

import importlib.util
import platform
import re
from importlib.metadata import version
from pathlib import Path

import numpy as np
import scipy.linalg
from threadpoolctl import threadpool_info


def fingerprint():
    """Return what must be the same for the same digits."""
    # SciPy's own library is among them, for it was imported.
    pools = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
    kernels = {(pool["prefix"], pool["version"], pool.get("architecture", "")) for pool in pools}
    return {
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "numba": importlib.util.find_spec("numba") is not None,
        "daqp": version("daqp"),
        "machine": platform.machine(),
        "processor": _processor(),
        "vector instructions": np.show_config(mode="dicts")["SIMD Extensions"].get("found", []),
        "linear algebra": [list(map(str, kernel)) for kernel in sorted(kernels)],
    }


def _processor():
    """The model: compilers and mathematical libraries choose instructions by it."""
    described = Path("/proc/cpuinfo")
    text = described.read_text(encoding="utf-8") if described.exists() else ""
    named = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return named[1] if named else platform.processor()
