"""What decides how sums are rounded: libraries, their kernels and the processor."""

from __future__ import annotations

import importlib.util
import platform

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
        "machine": platform.machine(),
        "vector instructions": np.show_config(mode="dicts")["SIMD Extensions"].get("found", []),
        "linear algebra": [list(map(str, kernel)) for kernel in sorted(kernels)],
    }
