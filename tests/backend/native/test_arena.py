"""Memory that a kernel's next call uses again: nothing that a call gave may change, whatever comes after it."""

import copy
import threading

import numpy as np
import pytest

import adcompile as ad

numba = pytest.importorskip("numba")

from adcompile.backend.native import arena  # noqa: E402


def random(*shape, seed=3):
    return np.random.default_rng(seed).uniform(0.2, 1.2, shape)


def wave(u, steps):
    for _ in range(steps):
        u[1:-1] = u[1:-1] - 0.2 * u[1:-1] * (u[1:-1] - u[:-2])
    return np.sum(u * u)


def kept_is_the_gradient(x, w, steps):
    total = 0.0
    for _ in range(steps):
        y = np.sin(x) * x
        total += np.sum(y * w)
    return total


def kept_is_given(x, steps):
    total, y = 0.0, x * 1.0
    for _ in range(steps):
        y = np.sin(y) * x
        total += np.sum(y * y)
    return total, y


def numbers(x, steps):
    s = x[0]
    for _ in range(steps):
        s = s * np.cos(s) + x[1] * s
    return s * s


def several_kinds(x, steps):
    s = 0.0
    for k in range(steps):
        y = np.where(x > 0.3 + 0.1 * k, x * x, np.sin(x))
        z = (y * x).astype(np.float32)
        s += np.sum(z * y) * x[k % len(x)]
    return s


def lengths_that_differ(x):
    s = 0.0
    for k in range(1, len(x)):
        part = x[:k] * np.sin(s) + np.sin(x[:k])
        s += np.dot(part, x[:k][::-1]) / k
    return s


PROGRAMS = [
    (wave, lambda n: (random(n), n)),
    (kept_is_the_gradient, lambda n: (random(n), random(n, seed=4), n)),
    (numbers, lambda n: (random(2), n)),
    (several_kinds, lambda n: (random(n), n)),
    (lengths_that_differ, lambda n: (random(n),)),
]


def both(f, wrt=0, **more):
    return (ad.value_and_grad(f, wrt, backend=b, **more) for b in ("numpy", "numba"))


@pytest.mark.parametrize("f, given", PROGRAMS, ids=lambda p: getattr(p, "__name__", ""))
def test_calls_of_many_sizes_leave_each_other_alone(f, given):
    plain, native = both(f)
    results = []
    for n in (3, 9, 40, 2, 41, 9, 300, 3, 40):
        mine, its = given(n), given(n)
        found, wanted = native(*mine), plain(*its)
        results.append((found, copy.deepcopy(found)))
        assert np.isclose(found[0], wanted[0], rtol=1e-10) and np.allclose(found[1], wanted[1], rtol=1e-9, atol=1e-12)
    for found, before in results:
        assert found[0] == before[0] and np.array_equal(found[1], before[1])


def test_what_is_given_beside_the_gradient_stays():
    plain, native = both(kept_is_given, has_aux=True)
    x = random(6)
    found = native(x, 4)
    before, wanted = copy.deepcopy(found), plain(x, 4)
    for n in (4, 7, 4):
        native(random(6, seed=9) * 2.0, n)
    for mine, its in zip((found[0][1], found[1]), (wanted[0][1], wanted[1])):
        assert np.allclose(mine, its)
    assert np.array_equal(found[0][1], before[0][1]) and np.array_equal(found[1], before[1])


def test_both_arguments_of_what_keeps_them():
    plain, native = both(kept_is_the_gradient, (0, 1))
    x, w = random(5), random(5, seed=8)
    found = native(x, w, 3)
    before = copy.deepcopy(found)
    native(x * 0.5, w * 0.5, 3)
    native(x * 0.5, w * 0.5, 6)
    assert all(np.array_equal(a, b) for a, b in zip(found[1], before[1]))
    assert all(np.allclose(a, b) for a, b in zip(found[1], plain(x, w, 3)[1]))


@pytest.mark.filterwarnings("ignore::adcompile.backend.native.notes.NativeWarning")
def test_pullbacks_of_several_calls():
    x, y = random(6), random(6, seed=7)
    with ad.config(backend="numba"):
        _, first = ad.vjp(wave, x.copy(), 5)
        _, second = ad.vjp(wave, y.copy(), 5)
        mine, its = first(1.0)[0], second(1.0)[0]
    assert np.allclose(mine, ad.grad(wave)(x.copy(), 5)) and np.allclose(its, ad.grad(wave)(y.copy(), 5))


def test_threads():
    gradient = ad.grad(wave, backend="numba")
    wanted = {n: ad.grad(wave)(random(n), n) for n in (5, 60, 200)}
    for n in wanted:
        gradient(random(n), n)
    wrong = []

    def work(n):
        for _ in range(200):
            if not np.allclose(gradient(random(n), n), wanted[n]):
                wrong.append(n)

    threads = [threading.Thread(target=work, args=(n,)) for n in wanted for _ in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_a_call_that_raises_is_followed_by_others():
    def root(x, n):
        s = x[0]
        for k in range(n):
            s = s + x[k] / (s - 1.0)
        return s

    gradient = ad.grad(root, backend="numba")
    wanted = gradient(random(4), 4)
    with pytest.raises(IndexError):
        gradient(random(4), 9)
    assert np.array_equal(gradient(random(4), 4), wanted)


def test_an_arena_lends_what_has_been_wanted():
    made = arena.fresh(2)
    words = made.view(np.int64)
    words[2], words[3], words[4] = 7, 5, 1
    larger = arena.enlarged(made, 2)
    head = larger.view(np.int64)
    assert list(head[:5]) == [8, 8, 7, 5, 0] and len(larger) == 8 + 16
    assert arena.enlarged(larger, 2) is larger
    assert larger.ctypes.data % 64 == 0, "each of the arrays begins with a line of the cache"


def test_an_arena_has_a_limit(monkeypatch):
    monkeypatch.setattr(arena, "LIMIT", 100)
    plain, native = both(wave)
    for n in (4, 40, 40, 4):
        assert np.allclose(native(random(n), n)[1], plain(random(n), n)[1])
    made = arena.fresh(2)
    made.view(np.int64)[2:5] = 90, 20, 1
    assert list(arena.enlarged(made, 2).view(np.int64)[:2]) == [96, 0]
