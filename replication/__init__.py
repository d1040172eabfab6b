"""The experiments of the paper, run again: one module per figure.

``python -m replication`` runs them all; see docs/replication.md for what came out.
"""

import os

# Before NumPy is loaded: each process keeps to one core, and sums come out the same anywhere.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
