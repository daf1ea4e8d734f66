# What of Numba is used: it is an optional dependency, and has no types of its own.
from typing import Any

def __getattr__(name: str) -> Any: ...
