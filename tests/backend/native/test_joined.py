"""Functions that call kernels, and what they do where these leave early."""

import subprocess
import sys
import warnings

import numpy as np
import pytest

pytest.importorskip("numba")

from adcompile.backend.native.joined import OFTEN, Attached, attach, joined, with_file
from adcompile.backend.native.notes import NativeWarning
from adcompile.backend.native.values import ArrayOf, NotNative, Number, TupleOf
from adcompile.errors import Place

HALVED = """def halved(a, x):
    a[0] = 0.5
    if x < 0.0:
        raise nt.Fault
    return x * 0.5
"""


def made(source=HALVED, **changes):
    about = {"name": "halved", "source": source, "count": 2, "positions": (0, 1), "prepared": (), "saved": (0,)}
    about |= {"natives": (ArrayOf("f8", 1), Number("f8")), "exact": "r"}
    return with_file(Attached(**{**about, **changes}), "libm")


def plain(a, x):
    a[0] += 1.0
    return -x


def test_what_leaves_early_runs_again_from_the_start():
    names = {"plain": plain}
    attach(made(), "plain", names, "libm")
    a = np.array([3.0])
    assert names["plain"](a, 4.0) == 2.0 and a[0] == 0.5
    a = np.array([3.0])
    assert names["plain"](a, -4.0) == 4.0 and a[0] == 4.0


def test_what_is_left_often_is_told_once():
    """What raises behind the kernel has not been left in vain, and does not count."""

    def picky(a, x):
        if x < -1.0:
            raise ValueError
        return -x

    names = {"plain": picky}
    attach(made(place=Place("model.py", 3, 4, 3, 9)), "plain", names, "libm", told=True)
    run, a = names["plain"], np.array([3.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(OFTEN - 1):
            run(a, 1.0), run(a, -1.0)
            with pytest.raises(ValueError):
                run(a, -2.0)
    with pytest.warns(NativeWarning, match=r"halved\(\) \(model.py:3:5\) has been left") as told:
        assert [run(a, -0.5) for _ in range(2 * OFTEN)] == [0.5] * 2 * OFTEN
    assert len(told) == 1 and told[0].filename == __file__


def test_none_is_nothing_for_kernels():
    called = []
    kernel = made(natives=(TupleOf((ArrayOf("f8", 1), Number("f8"))), Number("f8")), saved=())
    run = joined(kernel, lambda *given: called.append(given) or 1.0, lambda *given: 2.0)
    assert run((np.ones(2), None), 3.0) == run((np.ones(2), 1.0), None) == run(None, 3.0) == 2.0 and called == []
    assert run((np.ones(2), 1.0), 3.0) == 1.0 and len(called) == 1


def test_what_numba_does_not_take_stays():
    names = {"plain": plain}
    with pytest.raises(NotNative):
        attach(made("def halved(a, x):\n    return nowhere(x)\n", name="halved"), "plain", names, "libm")
    assert names["plain"](np.array([3.0]), 4.0) == -4.0


def test_a_second_process_finds_the_kernel(tmp_path):
    (tmp_path / "module.py").write_text("def f(x, n):\n    for _ in range(n):\n        x = x * x\n    return x\n")
    code = "import sys; sys.path.insert(0, sys.argv[1]); import module, adcompile as ad\n"
    code += "print(ad.grad(module.f, backend='numba')(0.5, 3))"
    command = [sys.executable, "-c", code, str(tmp_path)]
    first, second = (subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(2))
    assert first == second == f"{8 * 0.5**7}\n"
