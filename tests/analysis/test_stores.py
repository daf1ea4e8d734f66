"""What opaque code may write into, directly or through the functions it calls."""

import functools
import logging

import gast
import numpy as np
import pytest

import adcompile as ad
from adcompile.analysis.mutation import positions_written
from adcompile.analysis.stores import stored_atoms
from adcompile.frontend.opaque import make_opaque
from adcompile.ir.nodes import Call, Const, Var
from adcompile.ir.types import UNKNOWN
from tests.compiled import check

GLOBAL = np.zeros(2)


def fill(w, v):
    w[0] = v


def fill_later(v, *, w):
    fill(w, v)


def fill_global(v):
    GLOBAL[0] = v


def look(w, k=0):
    return np.asarray(w)[k]


def recursive(w, n):
    if n:
        recursive(w, n - 1)
    else:
        w[0] = 1.0


class Box:
    def __init__(self):
        self.value = np.zeros(2)

    def fill(self, v):
        self.value[0] = v


def written(text, names="abcdefgh"):
    code = make_opaque(gast.parse(text).body, list(names), [], {}, False, globals(), "test", "", None)
    inputs = {name: Var(name) for name in names}
    call = Call(Var("out"), Const(code), tuple(inputs.values()))
    atoms = stored_atoms(call, code, dict.fromkeys(inputs.values(), UNKNOWN), {}, positions_written)
    return {a.name if isinstance(a, Var) else a.value.name for a in atoms}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a[0] = 1; b.append(2); c.x.y = 3; d += 1; look(f, out=e); g = h[0]", "abcde"),
        ("fill(a, b)", "a"),
        ("fill(v=b, w=a)", "a"),
        ("fill(*a)", "a"),
        ("fill_later(b, w=a)", "a"),
        ("recursive(a, b)", "a"),
        ("x = a; y = x; fill(y, b)", "axy"),
        ("for x in a: fill(x, b)", "ax"),
        ("look(a, b); np.sum(a); len(a); str(a); print(a)", ""),
        ("a.max(); a.copy(); a.keys()", ""),
        ("a.update_all(b)", "ab"),
        ("a(b)", "ab"),
        ("np.copyto(a, b)", "a"),
        ("logging.getLogger('x').debug('%s', a)", ""),
        ("raise ValueError(a)", ""),
    ],
)
def test_names_written(text, names):
    assert written(text) & set("abcdefgh") == set(names) & set("abcdefgh")


def test_globals_written():
    assert written("fill_global(a)") == {"GLOBAL"}
    assert written("GLOBAL[0] = 1") == {"GLOBAL"}


def attempt(x):
    w = np.zeros(2)
    try:
        fill(w, x)
    except ValueError:
        pass
    return w[0] * x


def keyword(x):
    w = np.zeros(2)
    try:
        fill_later(x, w=w)
    except ValueError:
        pass
    return w[0] * x


def overwrites(x):
    w = np.sin(x)
    total = np.sum(w * w)
    try:
        fill(w, 3.0)
    except ValueError:
        pass
    return total


def through_a_closure(x):
    w = np.zeros(2)

    def store():
        w[0] = x

    try:
        store()
    except ValueError:
        pass
    return w[0] * x


def through_a_partial(x):
    w = np.zeros(2)
    store = functools.partial(fill, w)
    try:
        store(x)
    except ValueError:
        pass
    return w[0] * x


def through_a_global(x):
    try:
        fill_global(x)
    except ValueError:
        pass
    return GLOBAL[0] * x


def through_a_method(x):
    box = Box()
    try:
        box.fill(x)
    except ValueError:
        pass
    return box.value[0] * x


def in_with(x):
    w = np.zeros(2)
    with np.printoptions(precision=3):
        fill(w, x)
    return w[0] * x


WRITERS = [attempt, keyword, through_a_closure, through_a_partial, through_a_global, through_a_method, in_with]


@pytest.mark.parametrize("f", WRITERS)
def test_active_writes_of_helpers_are_refused(f):
    for derivative in (lambda: ad.grad(f)(2.0), lambda: ad.jvp(f, (2.0,), (1.0,))):
        with pytest.raises(ad.AdcompileError) as caught:
            derivative()
        assert caught.value.place is not None


def test_overwriting_what_was_read_is_refused():
    with pytest.raises(ad.Unsupported):
        ad.grad(overwrites)(np.ones(3))


def inert(x):
    w = np.zeros(2)
    try:
        fill(w, 3.0)
        logging.getLogger("quiet").debug("filled")
    except ValueError:
        pass
    return w[0] * x


def test_inert_writes_of_helpers_run():
    check(inert, 2.0)
