"""How much freed memory the process keeps for its next arrays.

The C library of Linux gives memory back to the system when twice the largest block that was ever freed lies free at the
end of the heap. A process whose largest array has 240 KB so gives back all but half a megabyte of what a derivative has
kept, after each call, and the next call faults it in again page by page: that takes several times as long as what is
computed. One block of 32 MB, the largest that counts, makes it 64 MB, which is where a process is anyway once it has
freed an array of that size. Whoever has set these limits (`MALLOC_TRIM_THRESHOLD_`, `mallopt`) keeps what was set.

The first call still faults it in, two thousand times for 8 MB. NumPy asks Linux for huge pages, of 2 MB, where an array
has 4 MB or more, and an array that lies in the heap leaves that said of the place where it was: so two are made there
and freed, and what is allocated in their place afterwards, small arrays too, comes in huge pages, which takes less than
half of the time. `NUMPY_MADVISE_HUGEPAGE=0` says no, as it does for all arrays.
"""

from __future__ import annotations

import numpy as np

LARGEST = 2**25 - 2**16
"""Bytes; blocks of 32 MiB, their heads included, are the largest that the C library takes for an example."""


def widen() -> None:
    """Have the process keep up to 64 MB of what is freed, in huge pages. Takes microseconds: no page is touched."""
    np.empty(LARGEST, np.uint8)
    _ = [np.empty(LARGEST - 2**21, np.uint8) for _ in range(2)]  # smaller than what was freed: in the heap
