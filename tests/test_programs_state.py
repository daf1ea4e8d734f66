"""Programs that write into their arguments: derivatives of the state they leave; Jacobians, which leave none."""

import copy

import numpy as np
import pytest

import adcompile as ad
from adcompile.tangents import leaves, randn_like
from tests.checks import agrees_with_differences, bits, epsilon, inner, size
from tests.programs import some
from tests.test_programs_inplace import OPEN, PROGRAMS, Primal, limit, one

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # those of the programs themselves

WRITING = [p for p in some(PROGRAMS, 3) if p.name not in OPEN and bits(p.args) != Primal(p).after and Primal(p).wrt]


writing = pytest.mark.parametrize("program", WRITING, ids=lambda p: p.name, scope="module")  # one by one
BY_TURNS = {p.name: k % 2 for k, p in enumerate(WRITING)}


@writing
def test_tangents_and_cotangents_of_the_state(program):
    primal, args, fresh = Primal(program), program.fresh(), program.fresh()
    value, tangent, after = ad.jvp(primal.f, args, primal.along, mutated=True)
    assert bits(value) == bits(primal.value) and bits(args) == primal.after
    _, pullback = ad.vjp(primal.f, *fresh)
    assert set(pullback.mutated) == set(after)
    rng = np.random.default_rng(5)
    bars = {name: randn_like(t, rng) for name, t in after.items()}
    pulled = pullback(one(value), mutated=bars)
    assert bits(fresh) == primal.before
    assert bits(pullback(one(value), mutated=bars)) == bits(pulled), "a second run differs"
    left = inner(one(value), tangent) + sum(inner(bars[name], t) for name, t in after.items())
    right = sum(inner(pulled[i], primal.along[i]) for i in primal.wrt)
    terms = size(one(value), tangent) + sum(size(bars[name], t) for name, t in after.items())
    assert abs(left - right) <= limit(program.args, terms)

    own = {name: i for i, name in enumerate(primal.f.__code__.co_varnames) if i < len(args)}
    shown = [name for name in after if own.get(name, name) in range(len(args))]

    def state(*args):
        args = copy.deepcopy(args)
        primal.f(*args)
        return [args[own.get(name, name)] for name in shown]

    slope = sum(inner(bars[name], after[name]) for name in shown)
    found = agrees_with_differences(state, program.args, primal.along, [bars[name] for name in shown], slope, terms)
    assert found is True, found


@writing
def test_jacobians_put_arguments_back(program):
    primal, args = Primal(program), program.fresh()
    jac = ad.jacrev if BY_TURNS[program.name] or any(np.iscomplexobj(leaf) for leaf in leaves(args)) else ad.jacfwd
    rows = jac(primal.f, primal.wrt)(*args)
    assert bits(args) == primal.before
    pulled = ad.vjp(primal.f, *args)[1](one(primal.value))
    rtol = 1e-9 if epsilon(args) < 1e-10 else 1e-3
    for row, i in zip(rows, primal.wrt):
        for got, expected in zip(leaves(row), leaves(pulled[i]), strict=True):
            assert np.shape(got) == np.shape(expected) and np.allclose(got, expected, rtol=rtol, atol=rtol)
