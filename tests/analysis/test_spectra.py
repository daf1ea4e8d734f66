"""Whether the eigenvalues of a real matrix are complex: asked when the code runs, in every way of asking."""

import numpy as np
import pytest

import adcompile as ad


def asked_of_the_array(x):
    w, v = np.linalg.eig(np.array([[x[0], x[1]], [x[2], x[0]]]))
    factor = 2.0 if np.iscomplexobj(w) else 3.0
    if np.isrealobj(v):
        factor += 1.0
    return factor * np.sum(np.abs(w) ** 2)


def asked_of_its_dtype(x):
    w = np.linalg.eigvals(np.array([[x[0], x[1]], [x[2], x[0]]]))
    factor = 2.0 if w.dtype == complex else 3.0
    factor += 1.0 if np.issubdtype(w.dtype, np.floating) else 0.0
    factor *= 2.0 if np.result_type(w * 2.0, 1.0).kind == "c" else 5.0
    return factor * np.sum(np.abs(w) ** 2) + w.itemsize


def asked_of_its_elements(x):
    w = np.linalg.eigvals(np.array([[x[0], x[1]], [x[2], x[0]]]))
    total = 0.0
    for v in w:
        total = total + (np.abs(v) if isinstance(v, complex) else np.abs(v) ** 2)
    return total * (2.0 if type(w[0]) is np.complex128 else 3.0)


@pytest.mark.parametrize("x", [np.array([1.2, 0.7, 0.3]), np.array([1.2, 0.7, -0.3])], ids=["real", "complex"])
@pytest.mark.parametrize("f", [asked_of_the_array, asked_of_its_dtype, asked_of_its_elements])
def test_the_answer_is_that_of_the_run_time(f, x):
    assert ad.value_and_grad(f)(x)[0] == f(x)
    ad.check_grads(f, (x,), order=1)
