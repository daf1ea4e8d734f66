import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

FAULTS = """
import resource
import numpy as np
{first}

def use():
    kept = [np.ones(30_000) for _ in range(40)]
    return sum(a[0] for a in kept)

def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

first = faults()
use(), use()
before = faults()
if {at_first}:
    print(before - first)
    raise SystemExit
for _ in range(10):
    use()
print((faults() - before) / 10)
"""


def faults_of(first, at_first=False, **environment):
    """The pages that 40 arrays of 240 KB fault in at each call, or at the first two."""
    known = {k: v for k, v in os.environ.items() if not k.startswith(("MALLOC_", "GLIBC_TUNABLES"))}
    out = subprocess.run(
        [sys.executable, "-c", FAULTS.format(first=first, at_first=at_first)],
        env={**known, **environment}, capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    return float(out.stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the limits of glibc")
def test_memory_that_is_freed_is_there_for_the_next_call():
    assert faults_of("") > 1000  # else there is nothing to mend
    assert faults_of("import adcompile.runtime") < 10


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the limits of glibc")
def test_limits_that_somebody_has_set_stay():
    assert faults_of("import adcompile.runtime", MALLOC_TRIM_THRESHOLD_="131072") > 1000


HUGE = Path("/sys/kernel/mm/transparent_hugepage/enabled")


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the heap of glibc")
@pytest.mark.skipif(not HUGE.exists() or "[never]" in HUGE.read_text(), reason="no huge pages to be had")
def test_memory_comes_in_huge_pages_at_first():
    assert faults_of("import adcompile.runtime", at_first=True) < 1000  # in front of the first whole one: 512 at most
    if "[madvise]" in HUGE.read_text():
        assert faults_of("import adcompile.runtime", at_first=True, NUMPY_MADVISE_HUGEPAGE="0") > 2000
