"""Without Numba, which runs these functions, or mpmath, which they are compared with, nothing is collected."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("numba") and find_spec("mpmath") else ["test_*.py"]
