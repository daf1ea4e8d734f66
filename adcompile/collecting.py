"""Work without the garbage collector, for what makes no garbage: imports, and loading what another process has made.

A collection looks through every object there is, 40 ms where Numba has been imported.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Generator


@contextlib.contextmanager
def uncollected() -> Generator[None, None, None]:
    """Nothing is collected meanwhile; afterwards as before.

    What was made is looked through once, so that the next allocation does not have the collector look through all.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.collect(0)
            gc.enable()
