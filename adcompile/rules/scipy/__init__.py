"""SciPy's rules, a file or two for each SciPy module. None imports SciPy before the user has: a rule is
keyed by the function itself, and a function that is called has been imported."""

from __future__ import annotations

import importlib
import importlib.util
import sys

TOPICS = {
    "scipy.special": "special",
    "scipy.linalg": "linalg factor",
    "scipy.interpolate": "interpolate piecewise",
    "scipy.fft": "fft",
    "scipy.signal": "signal",
    "scipy.sparse": "sparse",
    "scipy.sparse.linalg": "sparse_linalg",
    "scipy.stats": "stats",
    "scipy.spatial.distance": "distance",
    "scipy.optimize": "optimize",
    "scipy.integrate": "integrate",
}
_done: set[str] = set()


def register_for(module_name: str) -> bool:
    """Register the rules for an imported module of SciPy; whether that was new."""
    if module_name in _done or module_name not in TOPICS or module_name not in sys.modules:
        return False
    _done.add(module_name)
    for topic in TOPICS[module_name].split():
        importlib.import_module(f"{__name__}.{topic}")
    return True


def register_imported() -> bool:
    """Register the rules for every module of SciPy that has been imported since the last call."""
    return sum(map(register_for, TOPICS)) > 0


def import_all() -> None:
    """Import the modules of SciPy that have rules, for a list of them all; nothing without SciPy."""
    if importlib.util.find_spec("scipy") is not None:
        for module_name in TOPICS:
            importlib.import_module(module_name)
    register_imported()


register_imported()
