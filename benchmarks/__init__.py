"""Workloads from published benchmarks, timed beside other tools; see README.md.

One thread for everybody: the libraries read these when they are first imported.
"""

import os

for _name in (
    "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "NUMBA_NUM_THREADS"
):  # fmt: skip
    os.environ[_name] = "1"
_one = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
if _one not in os.environ.get("XLA_FLAGS", ""):
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {_one}".strip()
os.environ.setdefault("JAX_PLATFORMS", "cpu")
