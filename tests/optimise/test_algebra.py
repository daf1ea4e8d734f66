"""Every rule of the table fires where it may, and means what it replaces."""

import operator
import zlib
from dataclasses import replace

import numpy as np
import pytest

from adcompile.ir.types import Array
from adcompile.ir.verify import verify
from adcompile.optimise.algebra import TABLE
from adcompile.optimise.passes import optimise
from tests import stress
from tests.optimise.programs import calls, entry, outcome, run, typed

C, D = 3.0, 0.5
NEGATIVE = -3.0


def written(rule, what):
    """A rule's side as a function of x, y, z, m."""
    text = rule.text.split(" → ")[what]
    text = text.replace("conj(", "np.conj(").replace("real(", "np.real(").replace("where(", "np.where(")
    text = text.replace("quotient(", "rt.quotient(").replace("neg(0)", "-(x * 0.0)").replace("{", "(").replace("}", ")")
    c = NEGATIVE if rule.only == "negative" else C
    head = "import numpy as np\nfrom adcompile import runtime as rt\n\n"
    body = f"{head}def pattern(x, y, z, m):\n    c, d = {c}, {D}\n    return {text}\n"
    return stress.define("pattern", body)


def values(kind, rng):
    """x, y, z of one kind, away from zero, and a mask m."""
    x, y, m = two_and_a_mask(kind, rng)
    return x, y, -y, m


def two_and_a_mask(kind, rng):

    def draw(*shape):
        sign = np.where(rng.random(shape) < 0.5, -1.0, 1.0)
        return sign * rng.uniform(0.5, 2.0, shape)

    match kind:
        case "float":
            return float(draw()), float(draw()), bool(rng.random() < 0.5)
        case "np.float64":
            return np.float64(draw()), np.float64(draw()), np.bool_(True)
        case "np.float32":
            return np.float32(draw()), np.float32(draw()), np.bool_(True)
        case "complex":
            return complex(draw(), draw()), complex(draw(), draw()), True
        case "vector":
            return draw(4), draw(4), rng.random(4) < 0.5
        case "float32":
            return draw(4).astype(np.float32), draw(4).astype(np.float32), rng.random(4) < 0.5
        case "complex array":
            return draw(4) + 1j * draw(4), draw(4) + 1j * draw(4), rng.random(4) < 0.5
        case "row and column":
            return draw(3, 1), draw(1, 4), rng.random((3, 1)) < 0.5
        case "matrix and scalar":
            return draw(3, 4), float(draw()), rng.random((3, 4)) < 0.5
        case "scalar and matrix":
            return float(draw()), draw(3, 4), rng.random((3, 4)) < 0.5
        case "ones":
            return draw(1, 1), draw(1), rng.random((1, 1)) < 0.5
        case "mixed":
            return draw(4).astype(np.float32), draw(4), rng.random(4) < 0.5


KINDS = (
    *("float", "np.float64", "np.float32", "complex", "vector", "float32", "complex array"),
    *("row and column", "matrix and scalar", "scalar and matrix", "ones", "mixed"),
)


def close(a, b):
    """One type, dtype and shape, and equal up to a few roundings."""
    assert type(a) is type(b)
    if not isinstance(a, (float, complex, np.generic, np.ndarray)):
        return a == b
    assert np.asarray(a).dtype == np.asarray(b).dtype
    assert np.shape(a) == np.shape(b)
    single = np.asarray(a).dtype in (np.float32, np.complex64)
    return np.allclose(a, b, rtol=5e-7 if single else 1e-15 * 4, atol=0.0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rule", TABLE, ids=lambda r: r.text)
def test_rules_mean_what_they_replace(rule, kind):
    args = values(kind, np.random.default_rng(zlib.crc32((rule.text + kind).encode())))
    before = typed(written(rule, 0), *args, role="adjoint")
    after = optimise(before)
    verify(entry(after))
    expected, found = run(before, *args), run(after, *args)
    if "→ 0" in rule.text:
        assert close(found, expected + 0.0)
    else:
        assert close(found, expected)


@pytest.mark.parametrize("rule", TABLE, ids=lambda r: r.text)
def test_rules_fire_on_floats_and_vectors(rule):
    for kind in ("float", "vector"):
        args = values(kind, np.random.default_rng(1))
        if kind == "float" and ("conj" in rule.text or "real" in rule.text or "where" in rule.text):
            continue  # NumPy's functions turn floats into NumPy's scalars
        if kind == "float" and rule.only == "array":
            continue
        before = typed(written(rule, 0), *args, role="adjoint")
        plain = optimise(typed(written(rule, 0), *args))
        after = optimise(before)
        wanted = optimise(typed(written(rule, 1), *args, role="adjoint"))
        assert len(calls(after)) <= max(len(calls(wanted)), 1)
        assert len(calls(after)) <= len(calls(plain))


@pytest.mark.parametrize("rule", TABLE, ids=lambda r: r.text)
def test_primal_statements_keep_their_bits(rule):
    for kind in ("float", "vector", "complex"):
        args = values(kind, np.random.default_rng(2))
        before = typed(written(rule, 0), *args)
        assert outcome(optimise(before), args) == outcome(before, args)


def adjoint(fn, *args):
    program = typed(fn, *args, role="adjoint")
    after = optimise(program)
    verify(entry(after))
    assert close(run(after, *args), run(program, *args))
    return calls(after)


V = np.array([1.5, -2.0, 0.25])
M = np.arange(6.0).reshape(2, 3) + 1


def test_a_seed_of_one_vanishes():
    assert adjoint(lambda x, y: 1.0 * (y * 1.0) * x, V, V) == [operator.mul]


def test_a_returned_argument_is_copied():
    def f(x):
        return x * 1.0

    program = typed(f, V, role="adjoint")
    after = optimise(program)
    assert calls(after) == [np.copy]
    assert not np.shares_memory(run(after, V), V)


def test_two_results_share_no_memory():
    def f(x):
        y = np.exp(x)
        return y * 1.0, y + 0.0, y

    after = optimise(typed(f, V, role="adjoint"))
    a, b, c = run(after, V)
    assert not np.shares_memory(a, b) and not np.shares_memory(a, c) and not np.shares_memory(b, c)


def test_zeros_that_broadcast_are_kept():
    def f(x, y):
        return x + np.zeros_like(y)

    assert operator.add in adjoint(f, V, M)
    assert adjoint(f, V, V) == [np.copy]


def test_zero_times_an_array_is_zeros_of_its_shape():
    assert adjoint(lambda x, y: 0.0 * x + 2.0 * y, V, V) == [operator.mul]
    assert adjoint(lambda x, y: 0.0 * x, M, M) == [np.zeros_like]


def test_ones_disappear_where_shapes_agree():
    assert adjoint(lambda x, g: np.ones_like(x) * np.exp(g), V, V) == [np.exp]
    assert operator.mul in adjoint(lambda x, g: np.ones_like(x) * np.exp(g), M, V)


def test_run_time_sizes_are_not_taken_for_proved():
    def f(x, y):
        return np.ones_like(x) * y, (y + 0.0 * x) * 1.0

    program = typed(f, V, V[:1], role="adjoint")
    unknown = {v: Array(t.dtype, ("any",)) if isinstance(t, Array) else t for v, t in program.types.items()}
    after = optimise(replace(program, types=unknown))
    # y may have one element where x has many
    assert calls(after).count(operator.mul) + calls(after).count(operator.add) >= 2
    for found, expected in zip(run(after, V, V[:1]), run(program, V, V[:1])):
        assert close(found, expected)


def test_an_operation_that_others_read_is_not_copied():
    def f(x, y):
        n = -x
        return n * y, n

    assert adjoint_tuple(f, V, V).count(operator.neg) == 1


def adjoint_tuple(fn, *args):
    return calls(optimise(typed(fn, *args, role="adjoint")))


def test_float32_is_preserved():
    x = V.astype(np.float32)

    def f(x, y):
        return 2.0 * (0.5 * (x * 2)) * y

    after = optimise(typed(f, x, x, role="adjoint"))
    assert run(after, x, x).dtype == np.float32


def test_powers_of_one():
    assert adjoint(lambda x, g: 2.0 * x**1.0 * g, 1.5, 2.0) == [operator.mul, operator.mul]
