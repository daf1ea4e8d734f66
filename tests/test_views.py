"""What is a view and what is a copy: writes through either, for everything that gives one or the other.

A function that takes a view for a copy, or a copy for a view, loses or invents derivatives. Each way
of getting at an array is tried with writes before and after, in both modes; it is right, or refused
with a place.
"""

import numpy as np
import pytest

import adcompile as ad
from tests.checks import bits
from tests.programs import some

WAYS = {
    "slice": lambda a: a[:],
    "ellipsis": lambda a: a[...],
    "step": lambda a: a[::2],
    "neg": lambda a: a[::-1],
    "row": lambda a: a[1],
    "col": lambda a: a[:, 0],
    "T": lambda a: a.T,
    "transpose": lambda a: np.transpose(a),
    "transpose_m": lambda a: a.transpose(1, 0),
    "swapaxes": lambda a: np.swapaxes(a, 0, 1),
    "swapaxes_m": lambda a: a.swapaxes(0, 1),
    "moveaxis": lambda a: np.moveaxis(a, 0, 1),
    "rollaxis": lambda a: np.rollaxis(a, 1),
    "flip": lambda a: np.flip(a),
    "flip0": lambda a: np.flip(a, 0),
    "fliplr": lambda a: np.fliplr(a),
    "flipud": lambda a: np.flipud(a),
    "rot90": lambda a: np.rot90(a),
    "reshape": lambda a: a.reshape(-1),
    "reshape2": lambda a: np.reshape(a, (3, 2)),
    "reshapeF": lambda a: a.reshape(-1, order="F"),
    "reshapeA": lambda a: a.reshape(-1, order="A"),
    "reshape_T": lambda a: a.T.reshape(-1),
    "reshape_T2": lambda a: a.T.reshape(3, 2),
    "reshape_neg": lambda a: a[::-1].reshape(-1),
    "ravel": lambda a: a.ravel(),
    "np_ravel": lambda a: np.ravel(a),
    "ravelF": lambda a: a.ravel(order="F"),
    "ravelK": lambda a: a.T.ravel(order="K"),
    "ravel_T": lambda a: a.T.ravel(),
    "flatten": lambda a: a.flatten(),
    "expand": lambda a: np.expand_dims(a, 0),
    "newaxis": lambda a: a[None],
    "newaxis2": lambda a: a[:, None],
    "squeeze": lambda a: np.squeeze(a[None]),
    "squeeze_m": lambda a: a[None].squeeze(0),
    "atleast1": lambda a: np.atleast_1d(a),
    "atleast2": lambda a: np.atleast_2d(a),
    "atleast3": lambda a: np.atleast_3d(a),
    "asarray": lambda a: np.asarray(a),
    "asarray_d": lambda a: np.asarray(a, dtype=float),
    "asanyarray": lambda a: np.asanyarray(a),
    "asarray32": lambda a: np.asarray(a, dtype=np.float32),
    "ascontig": lambda a: np.ascontiguousarray(a),
    "ascontig_T": lambda a: np.ascontiguousarray(a.T),
    "asfortran": lambda a: np.asfortranarray(a),
    "array": lambda a: np.array(a),
    "array_nocopy": lambda a: np.array(a, copy=None),
    "array_false": lambda a: np.array(a, copy=False),
    "copy": lambda a: a.copy(),
    "np_copy": lambda a: np.copy(a),
    "astype": lambda a: a.astype(float),
    "astype_nc": lambda a: a.astype(float, copy=False),
    "astype32nc": lambda a: a.astype(np.float32, copy=False),
    "view": lambda a: a.view(),
    "real": lambda a: a.real,
    "np_real": lambda a: np.real(a),
    "conj": lambda a: a.conj(),
    "np_conj": lambda a: np.conj(a),
    "conjugate": lambda a: np.conjugate(a),
    "positive": lambda a: +a,
    "np_positive": lambda a: np.positive(a),
    "real_if_close": lambda a: np.real_if_close(a),
    "nan_to_num": lambda a: np.nan_to_num(a),
    "nan_to_num_nc": lambda a: np.nan_to_num(a, copy=False),
    "split": lambda a: np.split(a, 2)[0],
    "array_split": lambda a: np.array_split(a, 2)[1],
    "hsplit": lambda a: np.hsplit(a, 3)[1],
    "vsplit": lambda a: np.vsplit(a, 2)[0],
    "diag": lambda a: np.diag(a),
    "diagonal": lambda a: a.diagonal(),
    "einsum_view": lambda a: np.einsum("ij->ji", a),
    "einsum_diag": lambda a: np.einsum("ii->i", a[:, :2]),
    "broadcast_to": lambda a: np.broadcast_to(a, (2, 2, 3)),
    "broadcast_arrays": lambda a: np.broadcast_arrays(a, np.ones(3))[0],
    "fancy": lambda a: a[[0, 1]],
    "bool": lambda a: a[a > -9.0],
    "boolrow": lambda a: a[np.array([True, True])],
    "take": lambda a: np.take(a, [0, 1], axis=0),
    "take_m": lambda a: a.take([0, 1]),
    "compress": lambda a: np.compress([True, False], a, axis=0),
    "where": lambda a: np.where(a > -9, a, 0.0),
    "roll": lambda a: np.roll(a, 1),
    "tile": lambda a: np.tile(a, 1),
    "repeat": lambda a: np.repeat(a, 1, axis=0),
    "triu": lambda a: np.triu(a),
    "clip": lambda a: np.clip(a, -9, 9),
    "maximum": lambda a: np.maximum(a, -9.0),
    "concat": lambda a: np.concatenate([a]),
    "stack": lambda a: np.stack([a]),
    "vstack": lambda a: np.vstack([a]),
    "hstack": lambda a: np.hstack([a]),
    "block": lambda a: np.block(a),
    "sort": lambda a: np.sort(a),
    "cumsum": lambda a: np.cumsum(a, axis=0),
    "pad": lambda a: np.pad(a, 0),
    "delete": lambda a: np.delete(a, 0, axis=0),
    "insert": lambda a: np.insert(a, 0, 1.0, axis=0),
    "append": lambda a: np.append(a, [[1.0, 1.0, 1.0]], axis=0),
    "trim": lambda a: np.trim_zeros(a[0]),
    "resize": lambda a: np.resize(a, (2, 3)),
    "unique": lambda a: np.unique(a),
    "partition": lambda a: np.partition(a, 1),
    "sum_axis": lambda a: np.sum(a, axis=()),
    "mul1": lambda a: a * 1.0,
    "add0": lambda a: a + 0.0,
    "pow1": lambda a: a**1,
    "abs": lambda a: abs(a),
    "float_0d": lambda a: a[0, 0],
    "item": lambda a: a.item(0),
    "zero_d": lambda a: a[0, 0, ...],
    "list": lambda a: np.array([a[0], a[1]]),
    "unpack": lambda a: [*a][0],
    "listrows": lambda a: list(a)[0],
    "tuplerows": lambda a: tuple(a)[1],
    "iter": lambda a: next(iter(a)),
    "zip": lambda a: [r for r in a][1],
    "dict": lambda a: {"k": a}["k"],
    "lambda": lambda a: (lambda q: q)(a),
    "ifexp": lambda a: a if a[0, 0] > -9 else a.copy(),
    "sliding": lambda a: np.lib.stride_tricks.sliding_window_view(a, 2, axis=1),
    "fill_like": lambda a: np.array([*a.flat]),
    "flat_slice": lambda a: a.flat[1:3],
    "tensordot": lambda a: np.tensordot(a, np.eye(3), 1),
    "matmulI": lambda a: a @ np.eye(3),
    "trace_out": lambda a: np.add(a, 0.0),
    "require": lambda a: np.require(a, dtype=float),
    "shape_set": lambda a: np.squeeze(a.reshape(2, 3, 1), axis=-1),
    "getitem_tuple": lambda a: a[(0,)],
    "intarr": lambda a: a[np.int64(1)],
    "np_bool_0d": lambda a: a[True],
    "moveaxis3": lambda a: np.moveaxis(a[None], 0, -1)[..., 0],
    "dsplit": lambda a: np.dsplit(a[:, :, None], 1)[0],
    "matrix_transpose": lambda a: np.matrix_transpose(a),
    "mT": lambda a: a.mT,
    "permute_dims": lambda a: np.permute_dims(a, (1, 0)),
    "unstack": lambda a: np.unstack(a)[0],
    "astype_fn": lambda a: np.astype(a, float, copy=False),
}


def write_through(way):
    def f(x, s):
        v = way(x)
        v[...] = s * v * v + s
        return np.sum(x**2) + np.sum(v**3)

    return f


def write_behind(way):
    def f(x, s):
        v = way(x)
        x[...] = s * x + s * s
        return np.sum(v**2) + np.sum(x)

    return f


def both_in_turn(way):
    def f(x, s):
        y = x * 1.5
        v = way(y)
        v *= s
        y += v.sum()
        return np.sum(v**2) + np.sum(y * x)

    return f


def in_a_loop(way):
    def f(x, s):
        t = 0.0
        for i in range(2):
            v = way(x)
            v += s * x[0, 0]
            x[i] *= x[1 - i]
            t = t + np.sum(v * v)
        return t + np.sum(x)

    return f


def on_one_path(way):
    def f(x, s):
        v = way(x) if s > 0.5 else x
        w = v
        w[0] = s * s
        x[1] *= 2.0
        return np.sum(w**2) + np.sum(x * x)

    return f


PATTERNS = [write_through, write_behind, both_in_turn, in_a_loop, on_one_path]

# Refused for now, in some patterns or all.
REFUSED = set(
    "reshapeA ravelK asarray32 astype32nc broadcast_arrays unique nan_to_num_nc".split()
)
# Wrong for now, and why.
OPEN: dict[str, str] = {}

X = np.array([[0.5, 0.7, 0.9], [1.1, 0.35, 0.65]])
S = 0.7
ALONG = np.random.default_rng(1).normal(size=X.shape), 0.3


def slopes(f):
    def at(h):
        return float(f(X + h * ALONG[0], S + h * ALONG[1]))

    return [(8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h) for h in (1e-2, 1e-3, 1e-4)]


def check(f, single):
    """Right in both modes, or an error with a place; whether it was refused."""
    x = X.copy()
    expected, after = f(x, S), bits(x)
    found = slopes(f)
    refused = 0
    for run in (forward, split, joint):
        x = X.copy()
        try:
            value, slope = run(f, x)
        except ad.AdcompileError as error:
            assert error.place is not None, error
            refused += 1
            continue
        assert bits(value) == bits(expected), run.__name__
        assert bits(x) == (after if run is forward else bits(X)), f"{run.__name__}: state"
        tolerance = 3e-3 if single else 1e-6
        assert any(abs(slope - s) <= tolerance * (1 + abs(s)) for s in found), (run.__name__, slope, found)
    return refused > 0


def forward(f, x):
    return ad.jvp(f, (x, S), ALONG)


def split(f, x):
    value, pullback = ad.vjp(f, x, S)
    bars = pullback(type(value)(1.0))
    assert bits(pullback(type(value)(1.0))) == bits(bars)
    return value, np.sum(bars[0] * ALONG[0]) + bars[1] * ALONG[1]


def joint(f, x):
    value, grads = ad.value_and_grad(f, (0, 1))(x, S)
    return value, np.sum(grads[0] * ALONG[0]) + grads[1] * ALONG[1]


def marked():
    for name in WAYS:
        marks = [pytest.mark.xfail(strict=True, reason=OPEN[name])] if name in OPEN else []
        yield pytest.param(name, marks=marks)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", some(list(marked()), 6))
def test_views_and_copies(name):
    ad.clear()  # the patterns are one code for all ways: more specialisations than one function may have
    refused = False
    for pattern in PATTERNS:
        f = pattern(WAYS[name])
        try:
            f(X.copy(), S)
        except (ValueError, TypeError, AttributeError, IndexError):
            continue  # NumPy's own refusal: a read-only view, a number
        refused |= check(f, "32" in name)
    assert refused == (name in REFUSED)


def split_or_whole(x, n):
    parts = np.split(x, [n]) if n < 4 else [x]
    for p in parts:
        p *= 2
    return x @ x


def split_again_and_again(x, n):
    parts = [x]
    for i in range(n):
        parts = np.array_split(x, i + 1)
    q = parts[-1]
    q += q[0] ** 2
    return x @ x


def split_in_a_dict(x, n):
    d = {"parts": np.hsplit(x, 2)}
    if n < 4:
        d["parts"] = d["parts"][:1]
    d["parts"][0][:] = x[-1] * 3.0
    return x @ x


def several_at_least_2d(x, n):
    rows = np.atleast_2d(x[:2], x[2:]) if n < 4 else (x[None], x[None])
    rows[0][0, 0] *= x[3]
    return x @ x


@pytest.mark.parametrize("f", [split_or_whole, split_again_and_again, split_in_a_dict, several_at_least_2d])
@pytest.mark.parametrize("n", [1, 3, 4])
def test_views_in_lists_that_branches_choose(f, n):
    ad.check_grads(f, (np.array([0.7, 1.3, -0.4, 0.9]), n), order=1)


def index_read(x, at):
    return np.sum((x * x)[at] * x[at])


def index_written(x, at):
    a = x * 2.0
    a[at] = x[at] * x[0, 0]
    return np.sum(a * a)


def index_written_by_a_number(x, at):
    a = x * 2.0
    a[at] = x[0, 0] * 3.0
    return np.sum(a * a * x)


def index_multiplied(x, at):
    a = x * 2.0
    a[at] *= x[at]
    return np.sum(a * a * x)


def index_copied_and_written(x, at):
    a = x * 2.0
    b = a[at]
    b *= x[0, 0]
    return np.sum(a * a * x) + np.sum(b * b)


def index_added_at(x, at):
    a = x * 2.0
    np.add.at(a, at, x[0, 1])
    return np.sum(a * a * x)


TUPLES = [
    ((0, 1), (2, 3)), ((0, 0), (1, 1)), (0, (1, 1)), ((0, 1), slice(1, None)), (Ellipsis, (0, 0)), ([0, 0], (1, 1)),
    ((0, 1), np.array([1, 1])), ((0, 1),), ((0, 1), (1, 2)), ((0, 1),) * 2, (((0, 1),), 2),
]  # fmt: skip


@pytest.mark.parametrize("at", TUPLES, ids=str)
@pytest.mark.parametrize(
    "f",
    [index_read, index_written, index_written_by_a_number, index_multiplied, index_copied_and_written, index_added_at],
)
def test_a_tuple_among_the_parts_of_an_index_is_a_list_of_positions(f, at):
    x = np.random.default_rng(1).uniform(0.5, 1.5, (3, 4))
    ad.check_grads(f, (x, at), order=1)


@pytest.mark.parametrize("f", [index_written, index_multiplied, index_added_at])
def test_the_same_to_second_order(f):
    x = np.random.default_rng(1).uniform(0.5, 1.5, (3, 4))
    for at in (((0, 0), (1, 1)), ((0, 1), 2)):
        ad.check_grads(f, (x, at), order=2)
