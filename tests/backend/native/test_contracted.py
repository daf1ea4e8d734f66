"""Contractions in loops: as products and sums, and what NumPy gives."""

import linecache

import numpy as np
import pytest

from tests.kernels import agree, parts_of

pytest.importorskip("numba")

TWO = "ij,jk->ik ij,jk->ki ij,kj->ik ji,jk->ik ji,kj->ki ij,j->i ji,j->i i,ij->j ij,ij-> ij,ji-> i,i-> i,j->ij i,j->ji"
TWO += " ij,ij->i ij,ij->j ij,ji->i ij,ij->ij ij,ji->ij ij,ji->ji i,ij->ij j,ij->ij j,ij->ji"
TWO += " i,ij->i i,ij-> i,j-> ij,kl->ij"
ONE = "ij->i ij->j ij-> ij->ji ij->ij i->i i->"
AXES = "1 2 ([0],[0]) (0,1) ([1],[1]) ((-1,),(0,)) ([0,1],[1,0]) ([0,1],[0,1]) 0"

A = np.array([[1.0, 0.2, 0.1], [0.3, 1.2, 0.1], [0.1, 0.2, 0.9]])
X = np.array([0.3, 0.7, -0.2])


def made(*calls):
    source = "def f(A, x):\n    total = 0.0\n    for k in range(3):\n        A = A * 1.1 + x\n        B = np.sin(A)\n"
    source += "        y = x * 2.0\n"
    source += "".join(f"        total += np.sum({c} * (k + 1.0)) + np.sum({c} ** 2)\n" for c in calls)
    name = f"<contracted {calls}>"
    source += "    return total\n"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    space = {"np": np, "__name__": "tests.contracted"}
    exec(compile(source, name, "exec"), space)
    return space["f"]


def einsum(spec):
    first, *others = spec.partition("->")[0].split(",")
    given = ["A" if len(first) == 2 else "x", *("B" if len(o) == 2 else "y" for o in others)]
    return f"np.einsum('{spec}', {', '.join(given)})"


SPECS = f"{TWO} {ONE}".split()
LEFT = {"i,j->", "ij,kl->ij", "i,ij->i", "i,ij->", "ij->i", "ij->j", "ij->", "i->"}
"""Here axes of one operand alone are summed over, which the way back fills again as NumPy does."""
CALLS = [*map(einsum, SPECS), *(f"np.tensordot(A, B, {axes})" for axes in AXES.split())]
CALLS += ["np.tensordot(A, x, 1)", "np.tensordot(x, B, axes=1)", "np.tensordot(x, y, axes=1)", "np.tensordot(A, B)"]


@pytest.mark.parametrize("first", range(0, len(CALLS), 8))
def test_they_give_what_numpy_gives(first):
    agree(made(*CALLS[first : first + 8]), A, X)


@pytest.mark.parametrize("call", [einsum(spec) for spec in SPECS if spec not in LEFT] + CALLS[len(SPECS) : -2 : 5])
def test_loops_with_them_are_native(call):
    parts = parts_of(made(call), A, X)
    assert len(parts.kernels) == 1 and not parts.notes, [note.why for note in parts.notes]


def view_read_after_a_write(x, n):
    x, total = x * 1.0, 0.0
    for _ in range(n):
        y, z = np.einsum("ij->ji", x), np.einsum("i->i", x[0])
        x[0, 0] = 7.0 * x[1, 1]
        total += y[0, 0] + z[0] * z[1]
    return total


def written_through_the_view(x, n):
    x = x * 1.0
    for _ in range(n):
        y = np.einsum("ij->ij", x)
        y[0, 0] = 2.0
    return np.sum(x * x)


def written_as_it_lies(x, n):
    total = 0.0
    for _ in range(n):
        for y in (np.einsum("ij,kj->ki", x, x), np.einsum("i,j->ji", x[0], x[1]), np.einsum("ij,jk->ik", x, x)):
            y.reshape(-1)[1] = 5.0
            total += np.sum(y * y)
    return total


@pytest.mark.parametrize("function", [view_read_after_a_write, written_through_the_view, written_as_it_lies])
def test_memory_is_shared_and_lies_as_numpy_has_it(function):
    agree(function, A, 2)
    agree(function, np.asfortranarray(A), 2)
