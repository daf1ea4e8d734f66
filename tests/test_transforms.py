import gc
import pickle
import threading
import weakref

import numpy as np
import pytest

import adcompile as ad
from adcompile.errors import NotDifferentiable

A = np.arange(6.0).reshape(3, 2)
X = np.array([1.0, 2.0])
JACOBIANS = [ad.jacfwd, ad.jacrev, ad.jacobian]


def affine(x):
    return A @ x + 1.0


def cubes(x):
    return np.sum(x * x * x)


@pytest.mark.parametrize("jac", JACOBIANS)
def test_shape_is_result_then_argument(jac):
    assert np.allclose(jac(affine)(X), A, rtol=1e-12)
    assert jac(lambda x: np.outer(x, x))(X).shape == (2, 2, 2)
    assert jac(lambda x: x * x)(3.0) == pytest.approx(6.0)
    assert type(jac(lambda x: x * x)(3.0)) is float
    assert jac(lambda x: x * X)(3.0).shape == (2,)
    assert jac(lambda x: 2.0 * x)(np.zeros(0)).shape == (0, 0)
    assert jac(lambda x: 2.0 * x)(X.astype("f4")).dtype == np.float32


@pytest.mark.parametrize("jac", JACOBIANS)
def test_structures(jac):
    j = jac(lambda x: (x * x, {"s": np.sum(x)}))(X)
    assert np.allclose(j[0], np.diag(2 * X)) and np.allclose(j[1]["s"], 1.0)
    j = jac(lambda d: d["a"] * d["b"])({"a": X, "b": 2.0, "n": 1})
    assert np.allclose(j["a"], 2 * np.eye(2)) and np.allclose(j["b"], X) and j["n"] is None
    one, other = jac(lambda x, y: x * np.sum(y), (0, "y"))(X, np.ones((2, 1)))
    assert one.shape == (2, 2) and other.shape == (2, 2, 1)
    j, aux = jac(lambda x: (x * 2.0, "aux"), has_aux=True)(X)
    assert np.allclose(j, 2 * np.eye(2)) and aux == "aux"
    assert jac(lambda x, n: x * n)(2.0, n=3) == pytest.approx(3.0)
    assert jac(lambda x, *, n: x * n)(2.0, n=3) == pytest.approx(3.0)


@pytest.mark.parametrize("jac, fun", [(ad.jacfwd, lambda z: z * z), (ad.jacrev, lambda x: x * 1j)])
def test_complex_jacobians_are_refused(jac, fun):
    with pytest.raises(NotDifferentiable, match="complex"):
        jac(fun)(np.array([1.0 + (jac is ad.jacfwd) * 1j]) if jac is ad.jacfwd else X)


def test_hessian_and_products_with_it():
    assert np.allclose(ad.hessian(cubes)(X), np.diag(6 * X))
    assert ad.hessian(lambda x: x * x * x)(2.0) == pytest.approx(12.0)
    assert np.allclose(ad.hvp(cubes, (X,), (X,)), 6 * X * X)
    (xx, xy), (yx, yy) = ad.hessian(lambda x, y: np.sum(x * x * y), (0, 1))(X, X)
    assert np.allclose(xx, np.diag(2 * X)) and np.allclose(xy, np.diag(2 * X))
    assert np.allclose(yx, xy.T) and not yy.any()
    h, aux = ad.hessian(lambda x: (x * x, "aux"), has_aux=True)(2.0)
    assert h == pytest.approx(2.0) and aux == "aux"


def test_linearize():
    x = X.copy()
    value, push = ad.linearize(lambda x: np.sin(x), x)
    x += 1.0
    assert np.array_equal(value, np.sin(X))
    for v in (X, np.ones(2)):
        assert np.allclose(push(v), np.cos(X) * v)


def test_elementwise_grad():
    assert np.allclose(ad.elementwise_grad(lambda x: x**3)(X), 3 * X**2)
    assert ad.elementwise_grad(lambda x: x**3)(2.0) == pytest.approx(12.0)
    dx, dy = ad.elementwise_grad(lambda x, y: x * y, (0, 1))(X, X + 1.0)
    assert np.allclose(dx, X + 1.0) and np.allclose(dy, X)


def test_stop_gradient():
    assert ad.stop_gradient(X) is X
    assert ad.grad(lambda x: x * ad.stop_gradient(x))(3.0) == pytest.approx(3.0)
    assert ad.jvp(lambda x: x * ad.stop_gradient(x), (3.0,), (1.0,))[1] == pytest.approx(3.0)


DERIVATIVES = [
    ad.jacfwd(affine),
    ad.jacrev(affine, (0,)),
    ad.hessian(cubes),
    ad.elementwise_grad(np.sin),
    ad.jacobian(ad.grad(cubes)),
]


@pytest.mark.parametrize("derivative", DERIVATIVES, ids=repr)
def test_derivatives_can_be_pickled_and_compared(derivative):
    copy = pickle.loads(pickle.dumps(derivative))
    assert copy == derivative and hash(copy) == hash(derivative) and repr(copy) == repr(derivative)
    assert np.array_equal(copy(X), derivative(X))


def test_sixteen_threads_call_a_new_derivative_at_once():
    def f(x):
        return np.sum(np.sin(x) * np.outer(x, x))

    expected, start, found = ad.hessian(f)(X), threading.Barrier(16), []
    ad.clear()

    def call():
        start.wait()
        found.append(ad.hessian(f)(X))

    threads = [threading.Thread(target=call) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 16 and all(np.array_equal(h, expected) for h in found)


def test_functions_and_their_data_are_let_go():
    def make(scale):
        def f(x):
            return np.sum(np.sin(x) * scale)

        return f

    scale = np.ones(2)
    f = make(scale)
    for call in (ad.hessian(f), ad.jacrev(f), ad.grad(f)):
        call(X)
    function, data = weakref.ref(f), weakref.ref(scale)
    del f, call, scale
    gc.collect()
    assert function() is None and data() is None


def test_the_source_of_a_jacobian_is_a_loop_over_batches():
    source = ad.source(ad.hessian(cubes), X)
    assert "for start in range(0, np.size(x), width):" in source and "rt.units(x, start, width)" in source


class Decaying:
    def __init__(self, w):
        self.w = w

    def decay(self, x):
        self.w *= x
        return np.sum(self.w**2)


def test_linearize_of_what_writes():
    """Each push starts from what was there when `linearize` was called."""
    x = np.array([0.5, 0.7])
    m = Decaying(x * 2.0)
    value, push = ad.linearize(m.decay, x)
    left = m.w.copy()
    tangent = 2.0 * np.sum(left * (2.0 * x) * x)
    m.w[0] = 5.0
    assert value == np.sum(left**2) and np.allclose([push(x), push(x)], tangent) and m.w[0] == 5.0

    def changed(m, a, b):
        a *= b
        m.w += a
        return np.sum(a * b * m.w)

    both, other = x * 1.0, Decaying(x * 3.0)
    expected = ad.jvp(changed, (Decaying(x * 3.0), *[x.copy()] * 2), (None, x, x))[1]
    _, push = ad.linearize(changed, other, both, both)
    both[:], other.w[:] = 9.0, 8.0
    assert np.allclose([push(None, x, x), push(None, x, x)], expected) and other.w[0] == 8.0


TOTALS = np.zeros(3)


def adds_to_totals(x):
    TOTALS[:] += x
    return np.sum(TOTALS**2)


def test_linearize_of_what_would_differ_when_run_again_is_refused():
    kept = np.ones(3)

    def scales_what_it_captures(x):
        kept[:] *= x
        return np.sum(kept**2)

    def doubles_its_argument(x):
        x *= 2.0
        return np.sum(x**2)

    x, v = np.array([0.3, 0.7, 1.1]), np.array([1.0, 2.0, 3.0])
    for f in (adds_to_totals, scales_what_it_captures):
        with pytest.raises(ad.Unsupported, match="writes into what it captures"):
            ad.linearize(f, x)
    assert TOTALS.tolist() == [0.0] * 3
    value, push = ad.linearize(doubles_its_argument, x.copy())
    assert push(v) == push(v) == pytest.approx(8 * x @ v)
