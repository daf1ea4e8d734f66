"""What is said of what is native."""

import numpy as np
import pytest

import adcompile as ad
from adcompile.backend.native.notes import NOTHING, NativeWarning, Note
from adcompile.errors import Place
from tests.kernels import on_numpy


def straight(a):
    return on_numpy(a)[0] * 2.0


def test_nothing_native_is_told():
    pytest.importorskip("numba")
    with pytest.warns(NativeWarning, match=r"straight_grad\(\) .*runs on NumPy: a call of") as told:
        ad.grad(straight, backend="numba")(np.array([3.0, 1.0]))
    assert {w.filename for w in told} == {__file__}  # where the derivative is called


def test_a_note_names_what_and_where():
    place = Place("model.py", 3, 4, 3, 9)
    assert str(Note("f()", place, "a list", None)) == "f() (model.py:3:5) runs on NumPy: a list"
    assert str(Note("f()", None, "a list", place)) == "f() runs on NumPy: a list (model.py:3:5)"


def test_nothing_is_asked_for_nothing_is_told(recwarn):
    NOTHING.tell(straight)
    assert not recwarn.list
