"""Checkpointed calls: the gradient of the function itself, and less memory between the two sweeps."""

import numpy as np
import pytest

import adcompile as ad
from tests.autodiff.test_checkpointed import peak, seed_of
from tests.programs import collect, some

X = np.array([[0.3, 0.7]])
W = np.array([[0.4, -0.2, 0.1], [0.6, 0.3, -0.5]])
rng = np.random.default_rng(0)


def block(x, w):
    hidden = np.tanh(x @ w)
    decayed = np.exp(-hidden) * hidden
    return decayed @ w.T


def stacked(call):
    def net(x, w):
        for _ in range(4):
            x = call(x, w)
        return np.sum(x**2)

    return net


POLICIES = [ad.save_nothing, ad.save_all, ad.save_only("hidden"), ad.save_only("hidden", "decayed"), ad.save_only()]


@pytest.mark.parametrize("policy", POLICIES)
def test_every_policy_gives_the_gradient_of_the_function(policy):
    plain, net = stacked(block), stacked(ad.checkpoint(block, policy))
    wanted = ad.grad(plain, argnums=(0, 1))(X, W)
    for found in (ad.grad(net, argnums=(0, 1))(X, W), ad.vjp(net, X, W)[1](1.0)):
        assert all(map(np.array_equal, found, wanted))
    assert net(X, W) == plain(X, W)
    assert np.array_equal(ad.hessian(net)(X, W), ad.hessian(plain)(X, W))
    assert np.array_equal(ad.jvp(net, (X, W), (X, None))[1], ad.jvp(plain, (X, W), (X, None))[1])


def test_what_is_kept():
    source = ad.source(ad.grad(stacked(ad.checkpoint(block))), X, W)
    forward, reverse = source.split("def net_grad")[1].split("reversed(")
    assert forward.count("_kept = []") == 1 and "block(x, w)" in forward and "recorded_block(" in reverse
    source = ad.source(ad.grad(stacked(ad.checkpoint(block, ad.save_only("hidden")))), X, W)
    forward = source.split("def net_grad")[1].split("reversed(")[0]
    assert "hidden_kept = []" in forward and "np.tanh" not in source.split("def recorded_block")[1].split("def ")[0]


def test_memory():
    def wide(x):
        y = np.sin(x)
        for _ in range(10):
            y = np.cos(y) * y
        return np.sum(y)

    def net(call):
        def f(x):
            total = 0.0
            for k in range(6):
                total += call(x + k)
            return total

        return f

    x = np.linspace(0.0, 1.0, 20_000)
    plain, less = ad.grad(net(wide)), ad.grad(net(ad.checkpoint(wide)))
    assert np.array_equal(plain(x), less(x))
    assert peak(less, x) < 0.45 * peak(plain, x)


def in_place(x):
    y = x.copy()
    y[0] *= y[1]
    return np.sum(y * y)


def test_a_pullback_may_be_called_again_after_arguments_have_changed():
    x = np.array([2.0, 3.0])
    _, pullback = ad.vjp(ad.checkpoint(in_place), x)
    first = pullback(1.0)[0]
    x[...] = 100.0
    assert np.array_equal(pullback(1.0)[0], first) and np.array_equal(first, ad.grad(in_place)(np.array([2.0, 3.0])))


def ravelled(x):
    y = np.tanh(x.T)
    w = y.ravel()  # a view or a copy, as the layout of x has it
    w[0] = 1.0
    return np.sum(y * y)


@pytest.mark.parametrize(
    "x", [np.ones((2, 3)), np.asfortranarray(np.ones((2, 3))), np.ones((4, 3))[::2], np.ones((2, 6))[:, ::2]]
)
def test_layouts_are_those_of_the_arguments(x):
    found = ad.vjp(ad.checkpoint(ravelled), x)[1](1.0)[0]
    assert np.array_equal(found, ad.grad(ravelled)(x)) and np.array_equal(found, ad.grad(ad.checkpoint(ravelled))(x))


def drawn(x):
    return np.sum(x * rng.normal())


def test_refused_with_the_place():
    with pytest.raises(ad.Unsupported, match="when a checkpointed loop or call runs it again") as caught:
        ad.grad(ad.checkpoint(drawn))(X)
    assert caught.value.place.file == __file__ and caught.value.remedy
    with pytest.raises(ad.Unsupported, match="no value of this call is named missing"):
        ad.grad(stacked(ad.checkpoint(block, ad.save_only("missing"))))(X, W)
    with pytest.raises(ValueError, match="'most' is no policy"):
        ad.checkpoint(block, "most")
    with pytest.raises(ValueError, match="'a b' is no name"):
        ad.save_only("a b")


def test_exceptions_come_through():
    def fails(x):
        return x[0] / x[5]

    with pytest.raises(IndexError, match="index 5"):
        ad.grad(ad.checkpoint(fails))(np.ones(3))


@pytest.mark.filterwarnings("ignore")  # one code of all functions wrapped; and programs may warn
@pytest.mark.parametrize("program", some(collect(), 23), ids=lambda p: p.name)
def test_programs_as_checkpointed_calls(program):
    """Whole programs as one call: the same, or refused."""
    args = program.fresh()
    try:
        value, pullback = ad.vjp(program.function, *args)
    except ad.AdcompileError as error:
        pytest.skip(str(error).splitlines()[0])
    seed = seed_of(value)
    wanted = pullback(seed)
    try:
        again, found = ad.vjp(ad.checkpoint(program.function), *program.fresh())
    except ad.AdcompileError as error:
        assert error.place is not None
        pytest.skip(str(error).splitlines()[0])
    assert repr(again) == repr(value)
    for bars in (found(seed), found(seed)):
        assert close(bars, wanted)


def close(a, b):
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(close, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(close(a[k], b[k]) for k in a)
    if hasattr(a, "__dict__"):
        return close(vars(a), vars(b))
    return a is b or np.allclose(a, b, rtol=1e-12, atol=0.0, equal_nan=True)
