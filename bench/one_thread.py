"""Keeps the linear algebra of this process on one core; import it before anything loads numpy.

A Lambda of this size has one core, and threads that wait for each other would count as CPU.
"""

import os

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
