import subprocess
import sys

import numpy as np
import pytest

from adcompile.cli.rules import KINDS, covered, name_of
from adcompile.rules.registry import registered


def test_everything_registered_is_listed():
    assert {c.name for c in covered()} == {name_of(fn) for fn in registered()}
    assert {c.kind for c in covered()} & set(KINDS)


def test_patterns():
    assert {"numpy.sin", "math.sin", "numpy.arcsin"} <= {c.name for c in covered("SIN")}
    assert all(c.name.startswith("numpy.fft.") for c in covered("numpy.fft.*")) and covered("numpy.fft.*")
    assert {c.kind for c in covered("bilinear")} == {"bilinear"}
    assert covered("nothing of that name") == []


def test_names():
    assert name_of(np.linalg.solve) == "numpy.linalg.solve"
    assert name_of(np.ndarray.sum) == "ndarray.sum"


def test_scipy_is_listed_whether_it_is_imported_or_not():
    pytest.importorskip("scipy")
    code = "from adcompile.cli.rules import covered\n"
    code += "print([c.name for c in covered('expit')], len(covered('scipy.*')) > 50)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "['scipy.special.expit', 'scipy.special.log_expit'] True\n"
