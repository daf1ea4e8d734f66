"""Which arrays are kept from call to call, and which of them are one."""

import numpy as np

import adcompile as ad
from adcompile.backend.buffers import Slot, buffered, shared
from adcompile.ir.abstract import type_of
from adcompile.pipeline import Request, derive

X = np.linspace(0.1, 1.0, 6).reshape(2, 3)


def slots_of(f, *args, holding=()):
    derived = derive(f, Request("joint", (0,), bare=True), tuple(type_of(a) for a in args))
    return len(buffered(derived.program, holding)[1])


def test_slots_that_are_never_in_use_at_once_share_an_array():
    spare = [np.zeros(2), np.ones(2), np.full(2, 2.0), np.zeros(3), None]
    shared([Slot(1, 3), Slot(2, 9), Slot(3, 5), Slot(4, 5), Slot(6, 7)], spare)
    assert spare[0] is spare[2] and len({id(a) for a in spare}) == 4
    assert spare[1].tolist() == [1.0, 1.0] and spare[4] is None


def test_what_is_kept():
    assert slots_of(lambda x: np.sum(np.exp(x) * x), X) >= 2
    assert slots_of(lambda x: np.sum(np.exp(x[1:] @ x.T) * x.shape[0]), X) >= 2


def test_what_is_not_kept():
    assert slots_of(lambda x, n: np.sum(x[:n] * x[:n]), X, 1) == 0  # its shape is n's
    assert slots_of(lambda x: np.sum(x[x > 0.5]), X) <= 1  # the mask alone
    assert slots_of(lambda x, n: sum(np.sum(np.zeros(n)) for _ in range(2)) * x[0, 0], X, 1) == 0


def test_what_a_loop_keeps_is_new_in_each_iteration():
    def f(x):
        for _ in range(3):
            x = np.sin(x)
        return np.sum(x)

    assert slots_of(f, X) == 0


def test_parts_of_the_result_that_are_handed_out():
    def f(x):
        return np.sum(x * x)

    g = ad.prepare(ad.grad(f), X)
    assert g(X, copy=False) is g(X, copy=False)
    derived = ad.value_and_grad(f).specialise((X,), {})[0].made.derived
    one, none = (len(buffered(derived.program, holding)[1]) for holding in ((0,), (0, 1)))
    assert (one, none) == (2, 1)  # what is squared is needed in any case
