"""Shadows mirror memory: element by element, whatever the views are."""

import sys

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from adcompile.runtime.shadows import check_places, like, mirroring, overlaps_itself, shadows, take_out

# --- views of one array, at random ----------------------------------------------------------------


def slices(n):
    bound = st.one_of(st.none(), st.integers(-n - 1, n + 1))
    return st.builds(slice, bound, bound, st.sampled_from([None, 1, 2, 3, -1, -2]))


@st.composite
def views(draw, base, depth=3):
    """A view of `base` by a chain of slices, transposes, reshapes and broadcasts."""
    a = base
    for _ in range(draw(st.integers(0, depth))):
        kind = draw(st.sampled_from(["slice", "int", "transpose", "ravel", "newaxis", "reshape", "broadcast"]))
        if kind == "slice":
            a = a[(..., *(draw(slices(n)) for n in a.shape))]
        elif kind == "int" and a.ndim and a.shape[0]:
            a = a[draw(st.integers(0, a.shape[0] - 1)), ...]
        elif kind == "transpose":
            a = a.transpose(draw(st.permutations(range(a.ndim))))
        elif kind == "newaxis":
            a = a[None]
        elif kind == "broadcast":
            a = np.broadcast_to(a, (2, *a.shape))
        elif a.flags.c_contiguous:
            a = a.reshape(-1) if kind == "ravel" else a.reshape(a.shape[::-1])
    return a


@st.composite
def bases(draw, dtype=None):
    shape = draw(st.lists(st.integers(0, 5), min_size=0, max_size=3))
    dtype = dtype or draw(st.sampled_from(["f8", "f4", "f2", "c16", "c8", ">f8", "g"]))
    a = np.arange(1.0, 1.0 + np.prod(shape)).reshape(shape).astype(dtype)
    return draw(st.sampled_from([a, np.asfortranarray(a)]))


@st.composite
def families(draw):
    """Arrays over a few bases, with repeats."""
    found = []
    for _ in range(draw(st.integers(1, 2))):
        base = draw(bases())
        found += [draw(views(base)) for _ in range(draw(st.integers(1, 3)))]
        if base.dtype.kind == "c" and draw(st.booleans()):
            found += [draw(views(base.real)), draw(views(base.imag))]
    found += draw(st.lists(st.sampled_from(found), max_size=2))
    return found


def addresses(a):
    """The address of each element."""
    if a.size == 0:
        return np.zeros(a.shape, int)
    steps = [np.arange(n) * s for n, s in zip(a.shape, a.strides)]
    grid = np.zeros(a.shape, int) + a.__array_interface__["data"][0]
    for axis, step in enumerate(steps):
        grid = grid + step.reshape([-1 if k == axis else 1 for k in range(a.ndim)])
    return grid


def mirrors(arrays, found):
    """Whether each element of `found` shares memory with the elements that it should."""
    for a, s in zip(arrays, found):
        assert s.dtype == a.dtype and s.shape == a.shape
        assert a.size == 0 or [p for n, p in zip(a.shape, s.strides) if n > 1] == [
            p for n, p in zip(a.shape, a.strides) if n > 1
        ]
    for a, s in zip(arrays, found):
        for b, t in zip(arrays, found):
            assert np.shares_memory(a, b) == np.shares_memory(s, t)
            if np.shares_memory(a, b):
                expected = addresses(a).reshape(-1, 1) - addresses(b).reshape(1, -1)
                got = addresses(s).reshape(-1, 1) - addresses(t).reshape(1, -1)
                assert np.array_equal(expected, got)


@settings(max_examples=150, deadline=None)
@given(families())
def test_shadows_mirror_memory(arrays):
    found = mirroring(*arrays)
    assert isinstance(found, tuple)
    assert all(not s.any() and s.flags.writeable for s in found)
    mirrors(arrays, found)
    for a, s in zip(arrays, found):
        for b, t in zip(arrays, found):
            assert (s is t) == (a is b)
            assert not np.shares_memory(s, b)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_marks_in_a_shadow_appear_where_marks_in_the_array_do(data):
    """The same thing, tried: what is written into one is read in another."""
    base = data.draw(bases("f8"))
    arrays = [data.draw(views(base)) for _ in range(3)]
    found = mirroring(*arrays)
    a, s = arrays[0], found[0]
    assume(a.size > 0 and a.flags.writeable)
    place = np.unravel_index(data.draw(st.integers(0, a.size - 1)), a.shape)
    before = [b.copy() for b in arrays]
    a[place] = s[place] = -7.0
    for b, t, old in zip(arrays, found, before):
        assert np.array_equal(b != old, t != 0)


def test_shadow_of_one_array():
    (s,) = shadows(np.ones((3, 2), "f4"))
    assert s.dtype == np.float32 and s.flags.c_contiguous and s.base is None
    (s,) = shadows(np.ones((3, 2)).T)
    assert s.flags.f_contiguous and s.base is None
    (s,) = shadows(np.ones((6, 4))[::-2, ::3])
    assert s.strides == (-64, 24)
    assert shadows() == ()
    (s,) = shadows(np.array(3.0))
    assert s.shape == () and s == 0.0


def test_arrays_that_only_lie_between_each_other_are_apart():
    a = np.ones(6)
    s, t = shadows(a[::2], a[1::2])
    assert not np.may_share_memory(s, t)
    s, t, u = shadows(a[::2], a[1::2], a)
    s += 1.0
    t += 2.0
    assert u.tolist() == [1.0, 2.0] * 3


@given(st.data())
def test_which_arrays_show_an_element_twice(data):
    a = data.draw(views(data.draw(bases("f8"))))
    places = addresses(a)
    assert overlaps_itself(a) or np.unique(places).size == places.size
    assert not overlaps_itself(a) or np.unique(places).size < places.size


def test_arrays_that_show_an_element_twice():
    """They have shadows of their own where they are only read, and none beside what is written."""
    x, y = np.ones(3), np.ones(3)
    wide = np.broadcast_to(x, (2, 3))
    s, t = shadows(y, wide)
    t += 1.0
    assert t.shape == (2, 3) and not overlaps_itself(t) and not s.any()
    for arrays in ((x, wide), (y, np.lib.stride_tricks.as_strided(x, (2, 2), (8, 8)))):
        with pytest.raises(ValueError, match="several places"):
            shadows(*arrays)


def test_complex_and_its_parts():
    z = np.zeros((2, 3), complex)
    s, re, im = shadows(z, z.real, z.imag[::-1])
    re += 1.0
    im[0] += 2.0
    assert s.tolist() == [[1, 1, 1], [1 + 2j, 1 + 2j, 1 + 2j]]
    z, x = shadows(w := np.zeros(3, complex), w.view(float)[1:3])
    x[...] = 1.0, 2.0
    assert z.tolist() == [1j, 2, 0]


def test_other_dtypes_over_one_memory_are_refused():
    a = np.ones(4)
    for b in (a.view("i8"), a.view("f4"), a.view("c16").view("f4"), a.view(np.uint8)[3:6]):
        with pytest.raises(ValueError, match="share memory"):
            shadows(a, b)
    raw = np.zeros(64, np.uint8)
    with pytest.raises(ValueError, match="whole elements"):
        shadows(raw[:32].view("f8"), raw[4:36].view("f8"))
    with pytest.raises(ValueError, match="whole elements"):
        shadows(np.lib.stride_tricks.as_strided(a, (3,), (4,)))
    shadows(a[:2], a[2:].view("i8"))  # nothing shared


def test_fields_of_records():
    r = np.zeros(4, [("x", "f8"), ("n", "i4")])
    s, t = shadows(r["x"], r["x"][1:])
    t[0] = 1.0
    assert s.tolist() == [0.0, 1.0, 0.0, 0.0] and s.strides == (12,)
    shadows(r["x"], r["n"])


def test_undecided_counts_as_shared(monkeypatch):
    monkeypatch.setattr(sys.modules["adcompile.runtime.shadows"], "MAX_WORK", 0)
    a = np.ones(6)
    s, t = shadows(a[::2], a[1::2])
    assert np.may_share_memory(s, t) and not np.shares_memory(s, t)


def test_memory_is_not_touched_before_it_is_used():
    """Zeros over a wide range cost nothing: pages come when written."""
    a = np.empty((10_000, 10_000), "f4")
    s, t = shadows(a[:, 0], a[0])
    t[0] = 1.0
    assert s[0] == 1.0 and s.strides == (40_000,)


# --- like -----------------------------------------------------------------------------------------


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_like_is_the_same_view_or_zeros(data):
    base = data.draw(views(data.draw(bases())))
    (shadow,) = mirroring(base)
    operations = [np.ravel, np.asarray, np.copy, np.transpose, np.atleast_2d, lambda a: a.reshape(-1), np.real, np.imag]
    operations += [lambda a: a[..., ::-1] if a.ndim else a, np.ascontiguousarray, np.squeeze, lambda a: a.flatten()]
    view = data.draw(st.sampled_from(operations))(base)
    found = like(view, base, shadow)
    mirrors([base, view], [shadow, found])
    if np.shares_memory(view, base):
        found[...] = 1
        assert shadow.any()


def test_like_keeps_memory_alive():
    base = np.ones((4, 3))
    found = like(base.reshape(-1)[::-1], base, shadows(base)[0])
    found += 1.0
    assert found.sum() == 12.0
    assert like(base, base, found) is found


def test_like_refuses_what_does_not_mirror():
    base = np.ones((4, 4))[:, ::2]
    with pytest.raises(ValueError, match="mirror"):
        like(base.T, base, np.zeros((4, 2)))
    with pytest.raises(ValueError, match="beyond"):
        like(base.base, base, shadows(base)[0])
    with pytest.raises(ValueError, match="share memory"):
        like(base.view("i8"), base, shadows(base)[0])


# --- take_out ---------------------------------------------------------------------------------------

INDICES = [
    1,
    -1,
    np.int64(2),
    slice(None),
    slice(None, None, -2),
    ...,
    (),
    None,
    (1, 2),
    (..., 0),
    (slice(1, 3), None, 1),
    [0, 2, 0],
    np.array([3, 3, -1, 3]),
    np.array([[0, 1], [1, 0]]),
    (slice(None), [2, 2, 0]),
    ([1, 1, 0], [2, 2, 0]),
    ([0, 1, 0], slice(None, None, -1)),
    (None, [1, -3, 1], ...),
    ([0, 0], None, [1, 1]),
    (np.array([[0], [0]]), np.array([1, 1, 2])),
    np.array([True, False, True, True]),
    (np.array([True, False, True, True]), 1),
    (np.array([True, False, True, True]), [0, 0, 1]),
    np.arange(12).reshape(4, 3) % 2 == 0,
    True,
    np.array([], int),
    (0, [1, 1]),
    ([1, 1], 0),
]


def written(shape, index, value):
    """The Jacobian of `a[index] = value` for zeros `a`, one element of the value at a time."""
    columns = []
    for k in range(value.size):
        unit = np.zeros(value.shape)
        unit.reshape(-1)[k] = 1.0
        a = np.zeros(shape)
        a[index] = unit
        columns.append(a.ravel())
    return np.array(columns).reshape(value.size, np.prod(shape))


def accepts(a, index, value):
    """Whether NumPy takes the write: not every array of one element goes into an element."""
    try:
        a.copy()[index] = value
    except (ValueError, TypeError, DeprecationWarning):
        return False
    return True


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_take_out_is_the_adjoint_of_writing(index):
    rng = np.random.default_rng(0)
    shadow = rng.normal(size=(4, 3))
    shape = shadow[index].shape
    values = [np.zeros(shape), np.zeros((1, *shape)), np.array(0.0), np.zeros((1, 1))]
    values += [np.zeros((1,) * len(shape)), np.zeros(shape[1:])]
    for value in values:
        if not accepts(shadow, index, value):
            continue
        before = shadow.copy()
        taken = take_out(before, index, value)
        expected = written(shadow.shape, index, value) @ shadow.ravel()
        assert taken.shape == value.shape and taken.dtype == value.dtype
        np.testing.assert_allclose(taken.ravel(), expected)
        assert not np.shares_memory(taken, before)
        untouched = np.ones(shadow.shape)
        untouched[index] = 0.0
        assert np.array_equal(before, shadow * untouched)


def laid_out(a, kind):
    if kind == "F":
        return np.asfortranarray(a)
    if kind == "reversed":
        back = (slice(None, None, -1),) * a.ndim
        return a[back].copy()[back]
    if kind == "strided":
        wide = np.zeros(tuple(2 * n for n in a.shape), a.dtype)
        inner = wide[(slice(None, None, 2),) * a.ndim]
        inner[...] = a
        return inner
    return np.ascontiguousarray(a)


layouts = st.sampled_from(["C", "F", "reversed", "strided"])


@settings(max_examples=150, deadline=None)
@given(st.data(), st.integers(0, 10**6))
def test_the_last_write_has_the_cotangent(data, seed):
    """NumPy's order depends on layouts: it is the one that counts."""
    rng = np.random.default_rng(seed)
    shape = data.draw(st.sampled_from([(5,), (4, 3), (3, 4, 2)]))
    of_index = data.draw(st.sampled_from([(4,), (2, 3), (3, 1), (1, 3)]))
    count = data.draw(st.integers(1, len(shape)))
    kind = data.draw(st.sampled_from([np.int64, np.int64, np.int32, np.uint8]))
    index = tuple(
        laid_out(rng.integers(0, min(n, 3), of_index).astype(kind), data.draw(layouts)) for n in shape[:count]
    )
    if data.draw(st.booleans()) and count < len(shape):
        index = (slice(None), *(i % shape[1 + k] for k, i in enumerate(index)))[: len(shape)]
    target = laid_out(np.zeros(shape, data.draw(st.sampled_from(["f8", "f4"]))), data.draw(layouts))
    selected = target[index].shape
    dims = tuple(1 if data.draw(st.integers(0, 5)) == 0 else n for n in selected)
    value = laid_out(rng.normal(size=dims[data.draw(st.integers(0, len(dims) - 1)) :]), data.draw(layouts))
    if data.draw(st.booleans()):
        value = np.broadcast_to(value, selected)

    target[index] = value
    (shadow,) = mirroring(target)
    shadow[...] = rng.normal(size=shape)
    before = shadow.copy()
    taken = take_out(shadow, index, value)

    # every written element has passed on its cotangent once, to a part of the value that it now holds
    mask = np.zeros(shape, bool)
    mask[index] = True
    assert taken.shape == value.shape
    assert not shadow[mask].any() and np.array_equal(shadow[~mask], before[~mask])
    assert np.sum(taken * value) == pytest.approx(np.sum(before * target, where=mask), rel=1e-4, abs=1e-5)


def test_scalars():
    s = np.array([1.0, 2.0, 3.0])
    for value, cls in ((0.5, float), (np.float32(1), np.float32), (np.float64(1), np.float64)):
        got = take_out(s, 1, value)
        assert type(got) is cls and got == 2.0 and s[1] == 0.0
        s[1] = 2.0
    assert take_out(s, 1, 7) == 2.0  # an int has no derivative; nothing is cast
    assert type(take_out(s, slice(None), 0.5)) is float
    z = np.array([1 + 2j])
    assert take_out(z, 0, 0.5) == 1.0
    assert take_out(np.array([1 + 2j]), 0, 0.5j) == 1 + 2j
    assert take_out(np.ones(3), [0, 0], 1.0) == 1.0
    assert take_out(np.ones(3), slice(None), [1.0, 2.0, 3.0]).tolist() == [1.0, 1.0, 1.0]


def test_single_precision_and_zero_dimensions():
    s = np.array([1.0, 2.0], "f4")
    got = take_out(s, slice(None), np.zeros(2))
    assert got.dtype == np.float64 and not s.any()
    s = np.array(5.0)
    got = take_out(s, ..., np.array(1.0))
    assert got.shape == () and isinstance(got, np.ndarray) and got == 5.0 and s == 0.0
    s[()] = 2.0
    assert take_out(s, (), 1.0) == 2.0 and s == 0.0


def test_infinite_cotangents_of_lost_writes_leave_no_nan():
    s = np.array([np.inf, 1.0])
    assert take_out(s, [0, 0, 1], np.zeros(3)).tolist() == [0.0, np.inf, 1.0]


# --- memory that an array shows at several places -----------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "strides", "several"),
    [
        ((3, 3), (8, 8), True),
        ((2, 3), (0, 8), True),
        ((2, 2), (16, 8), False),
        ((2, 2), (8, 24), False),
        ((0, 3), (8, 8), False),
    ],
)
def test_an_array_to_be_written_shows_each_element_once(shape, strides, several):
    a = np.lib.stride_tricks.as_strided(np.zeros(9), shape, strides)
    if several:
        with pytest.raises(ValueError, match="several places"):
            check_places(a)
    else:
        check_places(a)
