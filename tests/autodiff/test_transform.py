"""Whole functions: which arguments, auxiliary results, results that are no numbers."""

import numpy as np
import pytest

import adcompile as ad


def f(x, a, n):
    return x * np.sum(a * a) * n


def with_aux(x):
    return x * x, {"x": x, "name": "aux"}


def constant(x):
    return 3.0


def identity(x):
    return x


ARGS = (0.5, np.array([1.0, 2.0]), 3)


def test_argnums():
    both = ad.grad(f, (0, 1))(*ARGS)
    assert ad.grad(f)(*ARGS) == both[0]
    assert np.array_equal(ad.grad(f, 1)(*ARGS), both[1])
    assert np.array_equal(ad.grad(f, (1, 0))(*ARGS)[0], both[1])
    ad.check_grads(f, ARGS, order=2)


def test_aux_comes_through():
    gradient, aux = ad.grad(with_aux, has_aux=True)(0.5)
    assert aux == with_aux(0.5)[1]
    assert gradient == ad.grad(lambda x: with_aux(x)[0])(0.5)


def test_no_influence_gives_zeros():
    assert ad.grad(constant)(0.5) == 0.0
    assert ad.jvp(constant, (0.5,), (1.0,)) == (constant(0.5), 0.0)


def test_the_identity():
    a = np.ones(2)
    value, pullback = ad.vjp(identity, a)
    g = np.array([1.0, 2.0])
    (a_bar,) = pullback(g)
    assert np.array_equal(a_bar, g)
    assert not np.shares_memory(a_bar, g)


@pytest.mark.parametrize("result", [lambda x: np.ones(2) * x, lambda x: (x, x), lambda x: 1j * x, lambda x: round(x)])
def test_gradients_are_of_numbers(result):
    with pytest.raises(TypeError):
        ad.grad(result)(0.5)


def test_integers_have_no_gradient():
    with pytest.raises(TypeError, match=r"3\.0"):
        ad.grad(f)(3, *ARGS[1:])


# -- results that are arguments ------------------------------------------------------------------


class Held:
    def __init__(self, inside):
        self.inside = inside


class Other(Held):
    pass


def itself(a):
    return a


def inside(a):
    return a.inside


def first(a):
    return a[0]


def twice(a):
    return a.inside, [a.inside]


def changed(a):
    a[0] = a[0] * a[1]
    return a


def beside(a):
    return {"whole": a, "product": a[0] * a[1]}


RETURNED = [
    (itself, [0.3, 0.7]),
    (itself, {"k": 0.3, "rows": [np.array([0.3, 0.7])]}),
    (itself, Held(0.3)),
    (itself, Held(Held([0.3, np.array([0.7, 0.2])]))),
    (inside, Held({"k": 0.3})),
    (inside, Held([0.3, 0.7])),
    (inside, Held(Held(0.3))),
    (first, ([0.3, 0.7], 1.1)),
    (first, [[0.3], [0.7]]),
    (twice, Held([0.3, 0.7])),
    (changed, [0.3, 0.7]),
    (beside, [0.3, 0.7]),
]


@pytest.mark.parametrize("f, a", RETURNED, ids=lambda v: getattr(v, "__name__", ""))
def test_results_that_are_arguments(f, a):
    ad.check_grads(f, (a,), order=1)
    if f is itself:
        assert ad.vjp(f, a)[0] is a, "it is handed out itself"


def test_objects_in_a_value_of_no_known_type():
    """What a loop carries, once None and once an object, is read as it is met when the code runs."""

    def f(x):
        box = None
        k = 0
        while x[0] > k:
            k += 1
            box = Held({"v": x[0] * x[1]})
        return np.sum(x) + box.inside["v"]

    def other_class(x):
        box, k = Other(x[1]), 0
        while x[0] > k:
            k += 1
            box = Held(x[0] ** 2)
        return np.sum(x) * box.inside

    for g in (f, other_class):
        for x in (np.array([1.1, 0.7]), np.array([2.5, 0.7])):
            ad.check_grads(g, (x,), order=1)


def grows(a, b):
    a.append(1.0)
    return b[-1] * a[0]


def of_one_list(x):
    items = [x]
    return ad.grad(grows)(items, items)[0] * 1.0


def of_two_lists(x):
    return ad.grad(grows)([x], [x])[0] * x


def test_one_list_given_twice_is_refused_wherever_a_derivative_is_taken():
    one = [2.0]
    for derivative in (ad.grad(grows), ad.jacfwd(grows), ad.jacrev(grows)):
        with pytest.raises(ad.Unsupported, match="passed twice"):
            derivative(one, one)
    with pytest.raises(ad.Unsupported, match="passed twice"):
        ad.grad(of_one_list)(2.0)
    assert ad.grad(of_two_lists)(2.0) == 4.0
    assert ad.jacfwd(grows)([2.0], [3.0]) == [3.0]


class Kept:
    def __init__(self):
        self.total = 1.5


KEPT = Kept()


def writes_into_its_default(x, kept=KEPT):
    kept.total = kept.total + x
    return x * KEPT.total


def reads_its_default(x, kept=KEPT):
    KEPT.total = KEPT.total + x
    return x * kept.total


@pytest.mark.parametrize("f", [writes_into_its_default, reads_its_default])
@pytest.mark.parametrize("derive", [ad.grad, ad.jacrev, ad.jacfwd, lambda f: lambda x: ad.jvp(f, (x,), (1.0,))[1]])
def test_a_default_that_is_an_object_of_the_module_too(f, derive):
    KEPT.total = 1.5
    with pytest.raises(ad.Unsupported, match="passed twice"):
        derive(f)(2.0)
    assert KEPT.total == 1.5
