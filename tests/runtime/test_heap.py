import os
import platform
import subprocess
import sys

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

use(), use()
before = faults()
for _ in range(10):
    use()
print((faults() - before) / 10)
"""


def faults_of(first, **environment):
    """The pages that 40 arrays of 240 KB fault in at each call."""
    known = {k: v for k, v in os.environ.items() if not k.startswith(("MALLOC_", "GLIBC_TUNABLES"))}
    out = subprocess.run(
        [sys.executable, "-c", FAULTS.format(first=first)],
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
