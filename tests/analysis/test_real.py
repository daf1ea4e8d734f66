"""Callables of the specialiser, given to code that is not followed: made real, or refused with a place."""

import functools
import operator

import numpy as np
import pytest

import adcompile as ad

X = np.array([1.1, 2.3])


def square(v):
    return v * v


def in_a_set(x):
    return x[0] * len(set(map(functools.partial(operator.mul, 2.0), [1.0, 2.0])))


def in_a_tuple(x):
    text = str((1, functools.partial(operator.mul, 2.0)))
    return x[0] * ("functools.partial" in text)


def checkpointed(x):
    return x[0] * (1 + (4.0 in map(ad.checkpoint(square), [1.0, 2.0])))


def of_a_derivative(x):
    return x[0] * (1 + (2.0 in map(ad.grad(square), [1.0, 2.0])))


def of_a_pullback(x):
    return x[0] * len(set(map(ad.vjp(square, 2.0)[1], [1.0, 2.0])))


@pytest.mark.parametrize("f", [in_a_set, in_a_tuple, checkpointed])
def test_they_are_what_they_are_without_a_derivative(f):
    value, gradient = ad.value_and_grad(f)(X)
    assert value == f(X)
    np.testing.assert_allclose(gradient, [f(X) / X[0], 0.0])


@pytest.mark.parametrize("f", [of_a_derivative, of_a_pullback])
def test_derivatives_are_refused_where_nothing_differentiates(f):
    with pytest.raises(ad.Unsupported, match="given to code that is not followed") as caught:
        ad.grad(f)(X)
    assert caught.value.place is not None


def _bound(x):
    return x * x, functools.partial(operator.mul, x)


def test_partials_that_are_handed_out_can_be_called():
    jointly = ad.value_and_grad(_bound, has_aux=True)(3.0)[0]
    for value in (jointly, ad.vjp(_bound, 3.0)[0], ad.jvp(_bound, (3.0,), (1.0,))[0]):
        assert value[0] == 9.0 and value[1](5.0) == 15.0
    assert ad.vjp(_bound, 3.0)[1]((1.0, None)) == (6.0,)
    assert ad.vjp(lambda x: ([lambda y: x * y, x * x], x), 3.0)[1](([None, 1.0], 1.0)) == (7.0,)


def test_partials_that_are_left_behind_can_be_called():
    def kept(d):
        d["times"] = functools.partial(operator.mul, d["a"])
        d["b"] = d["times"](3.0)
        return d["b"]

    given = {"a": 2.0}
    value, pullback = ad.vjp(kept, given)
    assert value == given["b"] == 6.0 and given["times"](5.0) == 10.0
    assert pullback(1.0) == ({"a": 3.0},)
    assert pullback(1.0, mutated={"d": {"a": 1.0, "times": None, "b": 2.0}}) == ({"a": 10.0},)
    assert given == {"a": 2.0}


def cube(v):
    return v**3


def derived_in_a_branch(x, k):
    f = cube
    if k > 1:
        f = ad.grad(f)
    return f(x)


def derived_in_a_loop(x, k):
    f = cube
    for _ in range(k):
        f = ad.grad(f)
    return f(x)


def derived_while(x, k):
    f = cube
    while k > 0:
        f, k = ad.grad(f), k - 1
    return f(x)


def derived_by_a_function(x, k):
    def pick():
        if k > 1:
            return ad.grad(cube)
        return cube

    return pick()(x)


def derived_or_none(x, k):
    g = None
    if k > 1:
        g = ad.grad(cube)
    return cube(x) if g is None else g(x)


def derived_of_an_attribute(x, k):
    holder = Holder()
    if k > 1:
        holder.f = ad.grad(holder.f)
    return holder.f(x)


class Holder:
    def __init__(self):
        self.f = cube


def derived_in_a_list(x, k):
    fs = [cube]
    if k > 1:
        fs.append(ad.grad(cube))
    return fs[-1](x)


def derived_in_a_dict(x, k):
    return {1: cube, 2: ad.grad(cube)}[k](x)


def one_of_two_derivatives(x, k):
    g = ad.jacfwd(cube) if k > 1 else ad.jacrev(cube)
    return g(x)


def one_of_two_pullbacks(x, k):
    _, first = ad.vjp(cube, x)
    _, second = ad.vjp(np.sin, x)
    return (first if k > 1 else second)(1.0)[0]


@pytest.mark.parametrize("f", [
    derived_in_a_branch, derived_in_a_loop, derived_while, derived_by_a_function, derived_or_none,
    derived_of_an_attribute, derived_in_a_list, derived_in_a_dict, one_of_two_derivatives, one_of_two_pullbacks,
])  # fmt: skip
@pytest.mark.parametrize("derive", [ad.grad, lambda f: lambda *args: ad.jvp(f, args, (1.0, None))])
def test_what_grad_makes_on_one_path_only_is_refused(f, derive):
    for k in (1, 2):
        with pytest.raises(ad.Unsupported, match=r"on one path|given to code that is not followed") as caught:
            derive(f)(0.7, k)
        assert caught.value.place.file == __file__ and caught.value.remedy


def partial_in_a_branch(x, k):
    f = cube
    if k > 1:
        f = functools.partial(operator.mul, 2.0)
    return x * f(3.0)


def test_a_partial_on_one_path_is_a_real_one():
    assert [ad.grad(partial_in_a_branch)(0.7, k) for k in (1, 2)] == [27.0, 6.0]
