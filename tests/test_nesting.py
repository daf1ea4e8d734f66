"""Every transform on top of every other: derivatives of derivatives against differences of the inner one."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import adcompile as ad
from tests.programs import some


def by_value_and_grad(f):
    def derivative(x):
        return ad.value_and_grad(f)(x)[1]

    return derivative


def by_jvp(f):
    def derivative(x):
        return ad.jvp(f, (x,), (1.0,))[1]

    return derivative


def by_vjp(f):
    def derivative(x):
        value, pullback = ad.vjp(f, x)
        return pullback(1.0)[0]

    return derivative


def by_linearize(f):
    def derivative(x):
        value, push = ad.linearize(f, x)
        return push(1.0)

    return derivative


FIRST = {
    "grad": ad.grad,
    "value_and_grad": by_value_and_grad,
    "jvp": by_jvp,
    "vjp": by_vjp,
    "jacfwd": ad.jacfwd,
    "jacrev": ad.jacrev,
    "jacobian": ad.jacobian,
    "linearize": by_linearize,
    "elementwise_grad": ad.elementwise_grad,
}
"""Derivatives of a function of one number."""


def by_hvp(f):
    def derivative(x):
        return ad.hvp(f, (x,), (1.0,))

    return derivative


SECOND = {"hessian": ad.hessian, "hvp": by_hvp}
"""Second derivatives of a function of one number."""

PAIRS = list(itertools.product({**FIRST, **SECOND}, repeat=2))


def central(f, x, h=1e-4):
    return (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h)


def twice(f):
    return lambda x: central(f, x, 1e-3)


def wave(x):
    y = x
    for k in range(2):
        y = math.sin(y) * x if y > -5.0 else y * k
    return y * x


@pytest.mark.parametrize("outer, inner", some(PAIRS, 4))
def test_pairs_of_numbers(outer, inner):
    all_of = {**FIRST, **SECOND}
    derivative = all_of[inner](wave)
    found = all_of[outer](derivative)(0.7)
    expected = central(derivative if outer in FIRST else twice(derivative), 0.7, 1e-4 if outer in FIRST else 1e-3)
    assert type(found) is float
    assert found == pytest.approx(expected, rel=1e-6 if outer in FIRST else 1e-4)


@pytest.mark.parametrize("outer, inner", list(itertools.product(FIRST, repeat=2)))
def test_inside_a_function_and_without_confusion(outer, inner):
    """d/dx (x · d/dy (x + y)) = 1: the inner derivative holds the outer variable constant."""
    transform = FIRST[inner]

    def product(x):
        def shifted(y):
            return x + y

        return x * transform(shifted)(1.0)

    def mixed(x):
        return x * transform(lambda y: math.sin(x * y) * y)(x * x)

    assert FIRST[outer](product)(3.0) == 1.0
    assert FIRST[outer](mixed)(0.8) == pytest.approx(central(mixed, 0.8), rel=1e-8)


@pytest.mark.parametrize("names", list(itertools.product(("grad", "jvp", "jacfwd", "jacrev"), repeat=3)))
def test_three_deep(names):
    a, b, c = (FIRST[n] for n in names)
    second = b(c(wave))
    assert a(second)(0.7) == pytest.approx(central(second, 0.7), rel=1e-6)


# -- arrays -------------------------------------------------------------------------------------

JACOBIANS = {"jacfwd": ad.jacfwd, "jacrev": ad.jacrev, "jacobian": ad.jacobian}
X = np.array([0.3, -0.8, 1.1])


def field(x):
    y = np.sin(x) * x[::-1]
    for k in range(2):
        y = y * x + np.sum(y) if k == 0 else np.cos(y) + x
    return y


def energy(x):
    return np.sum(field(x) * x)


def pair(x):
    return {"s": np.sum(x * x), "v": x[:2] * x[1:]}


def steps(x, h=1e-4):
    return [h * e for e in np.eye(x.size)]


def difference(f, x, h=1e-4):
    """The derivative of an array-valued function; its last axis is that of the argument."""
    moved = [(8 * (f(x + e) - f(x - e)) - (f(x + 2 * e) - f(x - 2 * e))) / (12 * h) for e in steps(x, h)]
    return np.stack(moved, axis=-1)


@pytest.mark.parametrize("outer, inner", list(itertools.product(JACOBIANS, repeat=2)))
def test_jacobians_of_jacobians(outer, inner):
    matrix = JACOBIANS[inner](field)
    assert np.allclose(matrix(X), difference(field, X), rtol=1e-8, atol=1e-8)
    second = JACOBIANS[outer](matrix)
    assert second(X).shape == (3, 3, 3)
    assert np.allclose(second(X), difference(matrix, X), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("outer, inner", list(itertools.product(JACOBIANS, repeat=2)))
def test_jacobians_of_structures(outer, inner):
    both = JACOBIANS[outer](JACOBIANS[inner](pair))(X)
    assert np.allclose(both["s"], difference(lambda x: JACOBIANS[inner](pair)(x)["s"], X), atol=1e-8)
    assert np.allclose(both["v"], difference(lambda x: JACOBIANS[inner](pair)(x)["v"], X), atol=1e-8)


@pytest.mark.parametrize("jac", JACOBIANS.values(), ids=JACOBIANS)
def test_with_gradients_and_products(jac):
    gradient = ad.grad(energy)
    matrix = jac(gradient)(X)
    assert np.allclose(matrix, difference(gradient, X), rtol=1e-7, atol=1e-8)
    assert np.allclose(matrix, ad.hessian(energy)(X), rtol=1e-12)
    assert np.allclose(matrix @ X, ad.hvp(energy, (X,), (X,)), rtol=1e-12)

    def weighted(x):
        return np.sum(jac(field)(x) * np.cos(jac(field)(x)))

    assert np.allclose(ad.grad(weighted)(X), difference(weighted, X), rtol=1e-7)
    assert ad.jvp(weighted, (X,), (X,))[1] == pytest.approx(difference(weighted, X) @ X, rel=1e-7)

    def curved(x):
        return np.sum(ad.hessian(energy)(x)) + ad.hvp(energy, (x,), (x,))[0]

    assert np.allclose(jac(curved)(X), difference(curved, X), rtol=1e-6)

    def stretched(x):
        value, push = ad.linearize(field, x)
        _, pullback = ad.vjp(field, x)
        return push(x) + pullback(value)[0] * ad.elementwise_grad(np.sin)(x)

    assert np.allclose(jac(stretched)(X), difference(stretched, X), rtol=1e-7, atol=1e-8)


def test_newton_step_inside_a_differentiated_function():
    """Code that users write: a step of Newton's method with Jacobian and Hessian inside."""

    def step(x):
        return x - np.linalg.solve(ad.hessian(lambda z: energy(z) + 20.0 * np.sum(z * z))(x), ad.grad(energy)(x))

    assert np.allclose(ad.jacobian(step)(X), difference(step, X), rtol=1e-6, atol=1e-8)


# -- argnums, aux, structures -------------------------------------------------------------------


def many(a, b=2.0, *, c=0.5, flag=True):
    return a * a * b + math.exp(a * c) * b if flag else a


ALL = {**{k: v for k, v in FIRST.items() if isinstance(v(wave), type(ad.grad(wave)))}, "hessian": ad.hessian}


@pytest.mark.parametrize("name", ["grad", "jacfwd", "jacrev", "jacobian", "elementwise_grad"])
@pytest.mark.parametrize(
    "argnums, wrt", [(0, "a"), (1, "b"), (-1, "b"), (-2, "a"), ("a", "a"), ("b", "b"), ("c", "c")]
)
def test_argnums(name, argnums, wrt):
    at = {"a": 1.3, "b": 0.7, "c": 0.4}
    transform = ALL[name]
    expected = central(lambda v: many(**{**at, wrt: v}), at[wrt])
    assert transform(many, argnums)(1.3, 0.7, c=0.4) == pytest.approx(expected, rel=1e-9)
    (alone,) = transform(many, (argnums,))(1.3, 0.7, c=0.4)
    assert alone == pytest.approx(expected, rel=1e-9)

    one, two = transform(many, argnums), transform(many, (argnums, argnums))

    def inside(x):
        return x * one(1.3, 0.7, c=0.4) + two(1.3, 0.7, c=0.4)[1]

    assert ad.grad(inside)(2.0) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("name", ["grad", "jacfwd", "jacrev"])
def test_argnums_of_defaults_and_keywords(name):
    transform = ALL[name]
    by_default = central(lambda c: many(1.3, c=c), 0.5)
    assert transform(many, "c")(1.3) == pytest.approx(by_default, rel=1e-9)
    assert transform(many, ("b", "c"))(1.3)[1] == pytest.approx(by_default, rel=1e-9)
    assert transform(many, "b")(a=1.3) == pytest.approx(central(lambda b: many(1.3, b), 2.0), rel=1e-9)
    assert transform(many, 1)(b=0.7, a=1.3) == pytest.approx(central(lambda b: many(1.3, b), 0.7), rel=1e-9)

    def inside(x):
        return x * (transform(many, "c")(1.3) + transform(many, ("b", "c"))(x)[0] + transform(many, 1)(b=x, a=1.3))

    assert ad.grad(inside)(2.0) == pytest.approx(central(inside, 2.0), rel=1e-8)
    assert ad.jacfwd(inside)(2.0) == pytest.approx(central(inside, 2.0), rel=1e-8)


@pytest.mark.parametrize("outer", [ad.grad, ad.jacfwd, ad.jacrev])
def test_mixed_partials_by_name(outer):
    for first, second in itertools.permutations("abc", 2):
        at = {"a": 1.3, "b": 0.7, "c": 0.4}
        inner = ad.grad(many, first)
        expected = central(lambda v: inner(**{**at, second: v}), at[second])
        assert outer(inner, second)(1.3, 0.7, c=0.4) == pytest.approx(expected, rel=1e-8)


def test_aux_at_every_depth():
    def f(x):
        return x**3, {"seen": x}

    hessian, aux = ad.hessian(f, has_aux=True)(2.0)
    assert hessian == pytest.approx(12.0) and aux == {"seen": 2.0}

    def inside(x):
        g, aux = ad.grad(f, has_aux=True)(x)
        (v, more), h = ad.value_and_grad(f, has_aux=True)(x)
        j, _ = ad.jacfwd(f, has_aux=True)(x)
        value, dot, other = ad.jvp(f, (x,), (1.0,), has_aux=True)
        _, pullback, last = ad.vjp(f, x, has_aux=True)
        return g * aux["seen"] + v * h * more["seen"] + j * dot * other["seen"] + pullback(value)[0] * last["seen"]

    for outer in (ad.grad, ad.jacfwd, ad.jacrev):
        assert outer(inside)(1.2) == pytest.approx(central(inside, 1.2), rel=1e-8)


def model(params, batch):
    hidden = np.tanh(params["w"] @ batch["x"] + params["b"][0])
    return (np.sum(hidden), [hidden * params["b"][1], (params["b"][0],)])


PARAMS = {"w": np.array([[0.2, -0.3], [0.5, 0.1]]), "b": [np.array([0.1, 0.4]), 0.3], "n": 3}
BATCH = {"x": np.array([1.0, -2.0])}


@pytest.mark.parametrize("jac", JACOBIANS.values(), ids=JACOBIANS)
def test_structured_arguments_and_results(jac):
    total, (scaled, (bias,)) = jac(model)(PARAMS, BATCH)
    assert total["n"] is None and type(total) is dict and type(total["b"]) is list
    assert total["w"].shape == (2, 2) and scaled["w"].shape == (2, 2, 2) and scaled["b"][1].shape == (2,)
    assert np.array_equal(bias["b"][0], np.eye(2)) and not bias["w"].any()

    def at(w):
        return model({**PARAMS, "w": w}, BATCH)[1][0]

    flat = difference(lambda v: at(v.reshape(2, 2)), PARAMS["w"].ravel()).reshape(2, 2, 2)
    assert np.allclose(scaled["w"], flat, atol=1e-9)
    first, second = jac(model, ("params", "batch"))(PARAMS, BATCH)[0]
    assert np.allclose(first["w"], total["w"]) and second["x"].shape == (2,)

    def inside(w):
        return np.sum(jac(model)({"w": w, "b": [np.array([0.1, 0.4]), 0.3]}, BATCH)[1][0]["w"])

    difference_ = difference(lambda v: inside(v.reshape(2, 2)), PARAMS["w"].ravel()).reshape(2, 2)
    assert np.allclose(ad.grad(inside)(PARAMS["w"]), difference_, atol=1e-8)


@pytest.mark.parametrize("jac", JACOBIANS.values(), ids=JACOBIANS)
@pytest.mark.parametrize("shape", [(0,), (1,), (2, 3), ()])
def test_shapes(jac, shape):
    x = np.arange(1.0, 1.0 + math.prod(shape)).reshape(shape)
    matrix = jac(lambda x: x * x)(x)
    assert isinstance(matrix, (np.ndarray, np.float64)) and matrix.shape == shape + shape
    assert np.allclose(matrix, np.reshape(np.diag(2.0 * x.ravel()), shape + shape))
    second = jac(jac(lambda x: x * x))(x)
    assert second.shape == shape + shape + shape and second.sum() == 2.0 * x.size


def test_results_share_no_memory():
    w = np.array([1.0, 2.0])

    def f(x):
        return x * w, x * w

    first, second = ad.jacfwd(f)(2.0)
    first += 1.0
    assert np.array_equal(second, w) and np.array_equal(w, [1.0, 2.0])
    first, second = ad.jacrev(f)(np.array([1.0, 1.0]))
    assert not np.shares_memory(first, second)


def test_methods_and_partial_objects():
    class Line:
        def __init__(self, slope):
            self.slope = slope

        def at(self, x, y):
            return self.slope * x * x * y

    line = Line(3.0)
    inner = ad.grad(line.at)
    assert inner(2.0, 1.0) == pytest.approx(12.0)
    assert ad.jacfwd(inner, 1)(2.0, 1.0) == pytest.approx(12.0)

    def inside(x):
        return inner(x, x) + ad.jacrev(line.at, 1)(x, x)

    assert ad.grad(inside)(2.0) == pytest.approx(central(inside, 2.0), rel=1e-9)


def test_decorators_inside_and_out():
    @ad.jacfwd(argnums=1)
    def f(x, y):
        return x * y * y

    assert f(2.0, 3.0) == pytest.approx(12.0)

    def g(x):
        @ad.grad
        def inner(y):
            return x * y * y

        return ad.jacrev(argnums=(0,))(inner)(x)[0]

    assert ad.grad(g)(2.0) == pytest.approx(central(g, 2.0), rel=1e-9)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda x: x * ad.grad(many, 5)(x), "argnums names argument 5"),
        (lambda x: x * ad.grad(many, "z")(x), "argnums names a parameter 'z'"),
        (lambda x: x * ad.grad(many)(3), "write 3.0"),
        (lambda x: x * ad.jvp(many, x, x)[0], "primals of jvp.* not a tuple"),
        (lambda x: x * ad.jvp(many, (x,), (x, x))[0], "1 primals and 2 tangents"),
        (lambda x: ad.jacfwd(lambda z: z * z)(x * 1j).real, "complex argument"),
        (lambda x: ad.jacrev(lambda z: z * 1j)(x).imag, "complex result"),
    ],
)
def test_wrong_calls_inside_are_located(call, message):
    with pytest.raises(ad.AdcompileError, match=message) as error:
        ad.grad(call)(2.0)
    assert "test_nesting.py" in str(error.value)


class Plain:
    def __init__(self, a):
        self.a = a


def test_a_captured_tangent_is_an_object_or_refused():
    dot = Plain(1.0)

    def along(p):
        return ad.jvp(lambda q: q.a**2, (p,), (dot,))[1]

    assert ad.grad(along)(Plain(2.0)).a == 2.0
    with pytest.raises(ad.Unsupported, match="a tangent of another structure"):
        ad.grad(lambda x: ad.jvp(lambda q: q[0] * q[1], ([x, x],), (dot,))[1])(2.0)


def stored_and_read(x, y):
    x.put([1], x[2] * 3.0)
    return x @ y


def test_third_derivatives_through_values_of_unknown_type():
    x, y = np.array([0.3, 0.4, 0.5]), np.array([0.2, 0.5, 0.6])
    first = ad.grad(lambda x, y: ad.grad(stored_and_read)(x, y) @ (y * y))
    second = ad.grad(lambda x, y: first(x, y) @ y, 1)
    third = ad.grad(lambda x, y: second(x, y) @ y, 1)
    assert not np.any(first(x, y)) and not np.any(second(x, y)) and not np.any(third(x, y))
    by_y = ad.grad(lambda x, y: ad.grad(stored_and_read)(x, y) @ (y * y), 1)
    assert np.allclose(by_y(x, y), difference(lambda y: ad.grad(stored_and_read)(x, y) @ (y * y), y))


def power_of_entries(a, k):
    return a[0] if k == 0 else a[k] * power_of_entries(a, k - 1)


def scaled_in_place(a, k):
    if k == 0:
        return a[0]
    a[k - 1] *= a[k]
    return a[k] * scaled_in_place(a, k - 1)


def counted(a, k, seen):
    if k < 0:
        return 0.0
    seen[k] += 1
    return a[k] ** 3 * seen[k] + counted(a, k - 1, seen)


def result_dropped(a):
    scaled_in_place(a, 2)
    return a @ a


RECURSIVE = {
    "reads": lambda a: power_of_entries(a, 2),
    "writes": lambda a: scaled_in_place(a, 2),
    "writes_a_copy": lambda a: scaled_in_place(a * 2.0, 2),
    "inert_memory": lambda a: counted(a, 2, np.zeros(3, int)),
    "result_dropped": result_dropped,
}


@pytest.mark.parametrize("name", RECURSIVE)
def test_jacobians_of_gradients_of_recursive_functions(name):
    f, x = RECURSIVE[name], np.array([1.3, 0.7, 0.4])
    rows = []
    for e in np.eye(3) * 1e-4:
        ahead, behind = ad.grad(f)(x + e), ad.grad(f)(x - e)
        rows.append((ahead - behind) / 2e-4)
    wanted = np.array(rows)
    slopes = [(f(x + e) - f(x - e)) / 2e-6 for e in np.eye(3) * 1e-6]
    np.testing.assert_allclose(ad.grad(f)(x), slopes, atol=1e-7)
    for outer in (ad.jacrev, ad.jacfwd):
        for inner in (ad.jacrev, ad.jacfwd, ad.grad):
            np.testing.assert_allclose(outer(inner(f))(x), wanted, atol=1e-6)
    np.testing.assert_allclose(ad.hessian(f)(x), wanted, atol=1e-6)
