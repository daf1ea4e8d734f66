"""Functions known only when the code runs, against finite differences; more are in tests/programs."""

import functools

import numpy as np
import pytest

import adcompile as ad

X = np.array([0.3, 0.7, 1.1])
W = np.array([[1.0, 2.0, 3.0], [0.0, 1.0, 0.0]])
log = []


class Poly:
    def __init__(self, c):
        self.c = c

    def __call__(self, x):
        return self.c * x**2

    def cubed(self, x):
        return self.c * x**3


class Box:
    def __init__(self, a):
        self.a = a


def looped(a):
    for i in range(3):
        a = np.sin(a) + i
    return a


def recursive(a, n=3):
    return a if n == 0 else recursive(a * 1.1, n - 1)


TABLE = {
    "view": lambda a: a[1:],
    "same": lambda a: a,
    "number": lambda a: float(np.sum(a)),
    "count": len,
    "floor": np.floor,
    "branch": lambda a: a * a if np.sum(a) > 1 else -a,
    "complex": lambda a: np.abs(a * (1 + 2j)) ** 2,
    "loop": looped,
    "recursive": recursive,
    "object": Poly(3.0),
    "object_with_array": Poly(X),
    "method": Poly(2.0).cubed,
    "partial": functools.partial(np.power, 2.0),
    "default": lambda x, y=2.0: x * y * y,
    "matrix": lambda x: W @ x,
    "sum": np.sum,
    "norm": np.linalg.norm,
    "builtin": abs,
    "gradient": ad.grad(lambda x: np.sum(x**3)),
    "tangent": lambda x: ad.jvp(np.sin, (x,), (x,))[1],
}
MORE = {
    "first": lambda xs: xs[0] * xs[1],
    "keys": lambda d: d["a"] * d["b"],
    "attribute": lambda p: p.a**2,
    "make": Box,
    "mul": lambda a, b: a * b,
    "list": list,
    "stack": np.stack,
    "einsum": np.einsum,
    "where": np.where,
    "solve": np.linalg.solve,
    "parts": lambda a: [a[0], {"k": a * 2.0}],
    "square": lambda a: a * a,
}


def get(name):
    """What nothing is known of when a derivative is made."""
    return lookup_table(name)


space = {"table": {**TABLE, **MORE}}
exec("def lookup_table(name): return table[name]", space)
lookup_table = space["lookup_table"]


@pytest.mark.parametrize("name", TABLE)
def test_callables(name):
    order = 1 if name == "floor" else 2
    ad.check_grads(lambda x: np.sum(get(name)(x * 1.5) * x[0]), (X,), order=order)
    ad.check_grads(lambda x: get(name)(x * 1.5) * x[0], (X,), order=1)  # split


PROGRAMS = {
    "list": lambda x: get("first")([x, x * 2.0])[0],
    "tuple": lambda x: np.sum(get("first")((x, 3.0, "s"))),
    "numbers": lambda x: get("first")([x[0], x[1], 2]),
    "dict": lambda x: np.sum(get("keys")({"a": x, "b": x[0]})),
    "object": lambda x: np.sum(get("attribute")(Box(x * 2))),
    "makes_an_object": lambda x: np.sum(get("make")(x * 2).a),
    "stack": lambda x: np.sum(get("stack")([x, x**2], axis=1)[:, 1]),
    "parts": lambda x: np.sum(get("parts")(x)[1]["k"] * get("parts")(x)[0]),
    "einsum": lambda x: get("einsum")("i,i->", x, x * x),
    "solve": lambda x: np.sum(get("solve")(np.diag(x), x * x)),
    "where": lambda x: np.sum(get("where")(x > 0.5, x * x, x)),
    "nested": lambda x: np.sum(get("mul")(get("same")(x), get("square")(x))),
    "passed_on": lambda x: np.sum((lambda f, v: f(v) * v)(get("square"), x)),
    "keywords": lambda x: np.sum(get("mul")(**{"a": x, "b": x[0]})),
    "splat": lambda x: np.sum(get("mul")(*[x, x[0]])),
    "matrix_products": lambda x: np.sum(W @ get("same")(np.outer(x, x) @ get("square")(x))),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_arguments_and_results(name):
    ad.check_grads(PROGRAMS[name], (X,), order=2)


def read_again(make, read):
    def f(x):
        held = make(x)
        return np.sum(get(read)(held)) * np.sum(held[1] if read == "first" else held["b"] if read == "keys" else held.a)

    return f


@pytest.mark.parametrize(
    ("make", "read"),
    [
        (lambda x: [x, x * 3], "first"),
        (lambda x: {"a": x * 2.0, "b": x[0]}, "keys"),
        (lambda x: Box(x * 2), "attribute"),
    ],
    ids=["list", "dict", "object"],
)
def test_containers_are_read_again(make, read):
    ad.check_grads(read_again(make, read), (X,), order=2)


def test_hessians_and_jacobians():
    def f(z):
        return get("loop")(z) * z

    both = ad.jacfwd(f)(X), ad.jacrev(f)(X)
    assert np.allclose(*both, rtol=1e-12)
    total = ad.hessian(lambda z: np.sum(f(z)))(X)
    known = ad.hessian(lambda z: np.sum(looped(z) * z))(X)
    assert np.allclose(total, known, rtol=1e-12)


def test_third_derivatives():
    def f(x):
        return get("square")(get("loop")(x))

    def first(x):
        return ad.jvp(f, (x,), (1.0,))[1]

    def second(x):
        return ad.jvp(first, (x,), (1.0,))[1]

    known = ad.grad(ad.grad(ad.grad(lambda x: looped(x) ** 2)))(0.4)
    assert ad.grad(second)(0.4) == pytest.approx(known, rel=1e-10)
    assert ad.jvp(second, (0.4,), (1.0,))[1] == pytest.approx(known, rel=1e-10)
    with pytest.raises(ad.NotDifferentiable, match="a third derivative through a call") as caught:
        ad.grad(ad.grad(ad.grad(f)))(0.4)
    assert caught.value.place.file == __file__


def test_the_pullback_is_kept_for_each_iteration():
    def f(x, names):
        for name in names:
            x = get(name)(x) * 1.1
        return np.sum(x)

    ad.check_grads(lambda x: f(x, ["loop", "square", "same", "square"]), (X,), order=2)
    value, pullback = ad.vjp(lambda x: f(x, ["square", "loop"]), X)
    assert np.array_equal(pullback(1.0)[0], pullback(1.0)[0])


def of_a_closure(x):
    moves = [lambda z: z * x, lambda z: z + x]
    return moves[int(np.sum(X) < 0.0)](x)


def written_result(x):
    y = get("view")(x)
    y[0] = 3.0
    return np.sum(y * x[0])


def written_argument(x):
    y = x * 2.0
    z = get("same")(y)
    y[0] = 5.0
    return np.sum(y * z)


def reused_buffer(x):
    b = np.zeros(3)
    for i in range(3):
        b[:] = i + 1
        x = get("mul")(x, b)
    return np.sum(x)


@pytest.mark.parametrize("f", [of_a_closure, written_result, written_argument, reused_buffer])
def test_refused(f):
    x = 0.7 if f is of_a_closure else X
    for run in (lambda: ad.grad(f)(x), lambda: ad.jvp(f, (x,), (x,)), lambda: ad.vjp(f, x)):
        with pytest.raises((ad.Unsupported, ad.NotDifferentiable)) as caught:
            run()
        assert caught.value.place is not None and caught.value.remedy


def test_inert_calls_run_as_they_are():
    def f(x):
        n = get("count")([1, 2, 3])
        return x * n + get("square")(2.0)

    assert ad.grad(f)(1.5) == 3.0 and ad.jvp(f, (1.5,), (1.0,)) == (8.5, 3.0)


def test_the_source_shows_the_look_up():
    def f(x):
        return get("square")(x) * x

    text = ad.source(ad.grad(f), 2.0)
    assert "rt.vjp_of(" in text and "rt.pull(" in text
    assert ad.grad(f)(2.0) == 12.0
