"""What tests of the numba backend share: kernels as text, and derivatives that must agree with those on NumPy."""

import copy
import importlib
import warnings

import numpy as np
import pytest

import adcompile as ad
from adcompile import pipeline
from adcompile.backend.native.regions import native_parts
from adcompile.ir.abstract import type_of
from adcompile.ir.types import differentiable


def active(args):
    types = tuple(type_of(a, objects=True) for a in args)
    return tuple(i for i, t in enumerate(types) if differentiable(t)), types


def on_numpy(x):
    """What is computed of a vector in no kernel."""
    return np.real(np.fft.fft(x))


def parts_of(f, *args, backend="numba", value=False):
    """What is native of the gradient of `f` at these arguments; nothing is compiled."""
    wrt, types = active(args)
    program = pipeline.derive(f, pipeline.Request("joint", wrt, value, backend="numpy"), types).program
    return native_parts(program, backend, value)


def text_of(f, *args, value=False):
    """The text of the one kernel that is the whole gradient."""
    parts = parts_of(f, *args, value=value)
    assert not parts.notes, [str(n) for n in parts.notes]
    (kernel,) = parts.kernels.values()
    return kernel.source


def fresh(args):
    """The arguments, unshared; what is not to be written is neither in the copy."""
    own = copy.deepcopy(args)
    for a, b in zip(args, own):
        if isinstance(a, np.ndarray):
            b.flags.writeable = a.flags.writeable
    return own


def outcome(f, args, value, backend):
    """The derivative or the exception, and the arguments afterwards."""
    args = fresh(args)
    transform = ad.value_and_grad if value else ad.grad
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            got = transform(f, argnums=active(args)[0], backend=backend)(*args)
        except Exception as error:
            return type(error), str(error), args
    return None, got, args


def flat(x):
    if isinstance(x, dict):
        x = list(x.values())
    if isinstance(x, (tuple, list)):
        return [leaf for item in x for leaf in flat(item)]
    return [x]


def agree(f, *args, value=True):
    """The derivative on both backends is the same: values, classes, exceptions, arguments afterwards. Gives the class
    of the exception, if there is one."""
    pytest.importorskip("numba")
    wrong, plain, after = outcome(f, args, value, "numpy")
    error, native, behind = outcome(f, args, value, "numba")
    assert error is wrong, (error, wrong, native)
    if error is not None:
        assert native == plain
    else:
        same(plain, native, args)
    same(after, behind, args)
    return error


def pulled(f, args, backend):
    """What the pullback gives, twice, for a cotangent of every part of the result; or the exception."""
    args = fresh(args)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            y, pullback = ad.vjp(f, *args, backend=backend)
            y_bar = cotangent(copy.deepcopy(y))
            return flat([pullback(y_bar), pullback(y_bar)])
        except Exception as error:
            return [type(error).__name__]


def pushed(f, args, backend):
    """The tangent of the result along one direction; or the exception."""
    args = fresh(args)
    along = [cotangent(a) if k in active(args)[0] else None for k, a in enumerate(args)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return flat(list(ad.jvp(f, args, along, backend=backend)))
        except Exception as error:
            return [type(error).__name__]


def cotangent(y):
    if isinstance(y, dict):
        return {k: cotangent(v) for k, v in y.items()}
    if type(y) in (list, tuple):
        return type(y)(map(cotangent, y))
    if isinstance(y, np.ndarray) and y.dtype.kind in "fc":
        return np.cos(np.arange(y.size)).reshape(y.shape).astype(y.dtype)
    return type(y)(1.5) if isinstance(y, (float, complex, np.inexact)) else y


def agree_pulled(f, *args):
    """The pullbacks on both backends give the same."""
    same_leaves(*(pulled(f, args, backend) for backend in ("numpy", "numba")))


def agree_pushed(f, *args):
    """The tangents on both backends are the same."""
    same_leaves(*(pushed(f, args, backend) for backend in ("numpy", "numba")))


def same_leaves(mine, its):
    pytest.importorskip("numba")
    assert len(mine) == len(its)
    for a, b in zip(mine, its):
        if isinstance(a, (np.ndarray, np.inexact, float, complex)):
            near = 1e-5 if is_single(a) else 1e-11
            np.testing.assert_allclose(b, a, rtol=near, atol=near * (1.0 + np.max(np.abs(a), initial=0.0)))
        elif hasattr(a, "__dict__"):
            same_leaves(flat(vars(a)), flat(vars(b)))
        else:
            assert a == b


def stays(f, *args):
    """The same, and no kernel is left where nothing is raised."""
    pytest.importorskip("numba")
    joined, left = importlib.import_module("adcompile.backend.native.joined"), []

    def counting(kernel, native, plain, *about):
        return made(kernel, native, lambda *given: left.append(kernel.name) or plain(*given), *about)

    made = joined.joined
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(joined, "joined", counting)
        raised = agree(f, *args)
    assert raised or left == []
    untaken = [n.why for n in kernels_of(f, *args, value=True)[1] if "Numba does not take" in n.why]
    assert not untaken, untaken


def wholly(f, *args):
    """The same, all of it native, and no kernel is left."""
    notes = parts_of(f, *args).notes
    assert notes == (), [str(n) for n in notes]
    stays(f, *args)


def is_single(x):
    return isinstance(x, (np.ndarray, np.generic)) and x.dtype in (np.float32, np.complex64)


def same(a, b, args=()):
    """The same classes, and numbers up to rounding: that of single precision where anything is in it."""
    single = any(map(is_single, flat((a, args))))
    for x, y in zip(flat(a), flat(b), strict=True):
        assert type(x) is type(y), (x, y)
        if isinstance(x, (np.ndarray, float, complex, np.generic)):
            small = 1e-5 if single else 1e-12
            scale = 1.0 + np.max(np.abs(x[np.isfinite(x)]), initial=0) if isinstance(x, np.ndarray) else 1.0
            np.testing.assert_allclose(y, x, rtol=small, atol=small * scale)
        elif isinstance(x, (int, str, bool, type(None))):
            assert x == y


def kernels_of(f, *args, value=False):
    """How many kernels the derivative runs, and its notes."""
    transform = ad.value_and_grad if value else ad.grad
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        entry, _ = transform(f, argnums=active(args)[0], backend="numba").specialise(args, {})
    native = entry.made.derived.native
    return len(native.kernels), native.notes


def by_differences(f, *args, h=1e-6, rtol=1e-6):
    """The compiled gradient is what differences of the function's own values along a direction say."""
    pytest.importorskip("numba")
    wrt, _ = active(args)
    along = {k: cotangent(args[k]) for k in wrt}

    def at(step):
        return float(f(*[copy.deepcopy(a + step * along[k]) if k in along else a for k, a in enumerate(args)]))

    _, found, _ = outcome(f, args, False, "numba")
    found = found if isinstance(found, tuple) else (found,)
    wanted = (at(h) - at(-h)) / (2 * h)
    np.testing.assert_allclose(sum(np.sum(a * d) for a, d in zip(found, along.values())), wanted, rtol, rtol)
