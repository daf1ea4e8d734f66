"""How many items a call with * takes, and what it says where there are others."""

import functools

import numpy as np
import pytest

import adcompile as ad
from adcompile.analysis.splats import by_signature
from adcompile.ir.nodes import Signature

X = np.array([0.5, 1.5, 2.5])


def product(a, b, c=2.0):
    return a * b * c


@pytest.mark.parametrize(
    ("defaults", "keywords", "least", "most"),
    [(0, (), 3, 3), (1, (), 2, 3), (1, ("c",), 2, 2), (2, ("b",), 1, 1), (3, ("a",), 0, 0)],
)
def test_bounds(defaults, keywords, least, most):
    arity = by_signature(Signature(("a", "b", "c")), defaults, keywords, "f")
    assert (arity.least, arity.most) == (least, most)


def test_varargs_have_no_bound_unless_a_parameter_is_named():
    signature = Signature(("a", "b"), vararg="rest")
    assert by_signature(signature, 0, (), "f").most is None
    assert by_signature(signature, 0, ("b",), "f").most == 1


@pytest.mark.parametrize("n", [2, 3])
def test_defaults_decide_by_the_length(n):
    gradient = ad.grad(lambda x: product(*x))(X[:n])
    expected = [np.prod(np.delete(np.append(X[:n], [2.0] * (3 - n)), i)) for i in range(n)]
    assert np.allclose(gradient, expected)


@pytest.mark.parametrize("f", [lambda x: product(*x), lambda x: product(*x, c=x[0]), lambda x: product(1.0, *x)])
@pytest.mark.parametrize("n", [0, 1, 4])
def test_wrong_numbers_of_items_are_type_errors(f, n):
    x = np.arange(1.0, n + 1.0)
    try:
        f(x)
    except (TypeError, IndexError) as error:
        with pytest.raises(type(error)):
            ad.grad(f)(x)
    else:
        assert ad.grad(f)(x).shape == (n,)


class Scaled:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def __call__(self, c, d):
        return self.a * c + self.b * d


@pytest.mark.parametrize(
    "f",
    [
        lambda x: functools.partial(product, x[0])(*x[:2]),
        lambda x: Scaled(*x[:2])(*x[1:]),
        lambda x: np.hypot(*x[:2]) * pow(*x[1:]),
        lambda x: (lambda *a, **k: sum(a) * k["s"])(*x, s=x[0]),
    ],
)
def test_callees(f):
    ad.check_grads(f, (X,), order=1)


def test_what_is_written_between_is_refused():
    def written(x):
        def clear():
            x[0] = 7.0
            return 2.0

        return product(*x, c=clear())

    with pytest.raises(ad.Unsupported, match="keyword arguments that are computed"):
        ad.grad(written)(X[:2].copy())


def test_less_elements_than_names_are_refused():
    def named(x):
        p = dict(zip("abc", x))
        return p["a"] * p["b"]

    assert np.array_equal(ad.grad(named)(X), [1.5, 0.5, 0.0])
    with pytest.raises(ad.Unsupported, match="zip of names with less items than names"):
        ad.grad(named)(X[:2])


def test_zip_of_no_rows_is_refused_when_the_code_runs():
    def f(x):
        s = x[0]
        for column in zip(*[(a, a * a) for a in x if a > 5]):
            s += sum(column)
        return s

    assert ad.grad(f)(10 * X).tolist() == [1.0, 2 * 15 + 1, 2 * 25 + 1]
    with pytest.raises(ad.Unsupported, match="of no rows"):
        ad.grad(f)(X)
