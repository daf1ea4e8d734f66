"""Functions that depend on the path are what the function itself would see, wherever they go.

That they are differentiated is seen by `tests/programs/functions_chosen.py`.
"""

import numpy as np

import adcompile as ad


def act(k):
    return np.sin if k == 0 else np.cos if k == 1 else np.exp


def test_a_chosen_function_may_be_returned_beside_the_value():
    def f(x, k):
        return act(k)(x), {"by": act(k), "both": [act(k), act(0)]}

    for k, expected in enumerate((np.sin, np.cos, np.exp)):
        _, aux = ad.grad(f, has_aux=True)(0.5, k)
        assert aux == {"by": expected, "both": [expected, np.sin]}


def test_the_text_names_the_functions():
    text = ad.source(ad.grad(lambda x, k: act(k)(x)), 0.5, 1)
    assert "np.cos" in text and " is np." in text


def test_branches_without_a_derivative_get_the_function():
    def f(x, k):
        names = [g.__name__ for g in (act(k), act(0))]
        return x * len(names[0])

    assert ad.grad(f)(0.5, 2) == 3.0


def test_one_that_could_not_be_called_so_raises_only_if_it_is_meant():
    def f(x, k):
        return act(k)(*[x, x][: 1 + k // 5])

    assert ad.grad(f)(0.5, 1) == -np.sin(0.5)
