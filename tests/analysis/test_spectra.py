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


def added_in_place(x, y):
    w, u = np.linalg.eigvals(x), np.linalg.eigvals(y)
    z = np.where(np.abs(w) > 1.5, w, u)
    z[1] += w[0] * u[1]
    return np.sum(np.abs(z) ** 2)


REAL, COMPLEX = np.array([[1.3, 0.7], [0.2, 2.2]]), np.array([[1.3, 0.7], [-0.9, 1.2]])


@pytest.mark.parametrize("x, y", [(REAL, COMPLEX), (COMPLEX, REAL), (REAL, REAL), (COMPLEX, COMPLEX)])
def test_no_part_of_a_sum_is_lost(x, y):
    """Cotangents and tangents of complex values, which are zeros like real ones where types tell only that both may be
    complex; that of a real one may be given complex numbers. Warnings are errors here."""
    ad.check_grads(added_in_place, (x, y), order=2)
    d, h = np.array([[0.3, -0.2], [0.5, 0.7]]), 1e-6
    for k, (dx, dy) in enumerate([(d, None), (None, d)]):
        ends = [added_in_place(*(a + s * h * d if i == k else a for i, a in enumerate((x, y)))) for s in (1, -1)]
        wanted = (ends[0] - ends[1]) / (2 * h)
        assert np.isclose(ad.jvp(added_in_place, (x, y), (dx, dy))[1], wanted, rtol=1e-6)
        assert np.isclose(np.sum(ad.grad(added_in_place, argnums=k)(x, y) * d), wanted, rtol=1e-6)
