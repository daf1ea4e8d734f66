"""Programs that write in place: value, derivative and state, forward and reverse.

Forward mode leaves arguments in the state the primal leaves them in, reverse mode as they were
before the call; both give the primal's value bit for bit. Derivatives are compared with differences
of the function itself, and with each other.
"""

import copy

import numpy as np
import pytest

import adcompile as ad
from adcompile.tangents import leaves, randn_like, tangent_type
from tests.checks import active, agrees_with_differences, bits, direction, epsilon, inner, size
from tests.programs import collect as collect_others
from tests.programs import some
from tests.programs_inplace import collect, modules

PROGRAMS = collect()
EVERY = "forward split joint"
# Not right yet: the modes, and the reason. An entry that has become right fails.
OPEN: dict[str, tuple[str, str]] = {}
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # those of the programs themselves


def in_mode(mode, every, first):
    """Some of the programs, from one of the first on; those that are open in this mode are marked so."""
    found = []
    for p in some((*PROGRAMS[first:], *PROGRAMS[:first]), every):
        modes, reason = OPEN.get(p.name, ("", ""))
        marks = [pytest.mark.xfail(strict=True, reason=reason)] if mode in modes.split() else []
        found.append(pytest.param(p, id=p.name, marks=marks))
    return pytest.mark.parametrize("program", found, scope="module")  # one by one: what is compiled serves all tests


class Primal:
    """A program run once: what it returns, and what it leaves behind."""

    def __init__(self, program):
        self.f = program.function
        self.before = bits(program.args)
        self.args = program.fresh()
        self.value = self.f(*self.args)
        self.after = bits(self.args)
        self.wrt = active(program.args)
        self.along = direction(program.args, 1)

    def pure(self, *args):
        """The function on copies, for differences."""
        return self.f(*copy.deepcopy(args))

    def agrees(self, args, along, slope, terms=0.0):
        found = agrees_with_differences(self.pure, args, along, one(self.value), slope, terms)
        assert found is True, found


def one(value):
    return np.ones_like(value) if isinstance(value, np.ndarray) else type(value)(1.0)


def limit(args, terms):
    return max(1e-11, 100 * epsilon(args)) * (terms + 1e-2)


@in_mode("forward", 2, 1)
def test_forward(program):
    primal, args = Primal(program), program.fresh()
    value, tangent = ad.jvp(primal.f, args, primal.along)
    assert bits(value) == bits(primal.value)
    assert bits(args) == primal.after, "the state is not the primal's"
    assert tangent_type(tangent) == tangent_type(value)
    again = ad.jvp(primal.f, program.fresh(), primal.along)
    assert bits(again) == bits((value, tangent)), "a second run differs"
    primal.agrees(program.args, primal.along, inner(one(value), tangent), float(np.abs(tangent)))


@in_mode("split", 3, 1)
def test_split(program):
    primal, args = Primal(program), program.fresh()
    value, pullback = ad.vjp(primal.f, *args)
    assert bits(value) == bits(primal.value)
    bars = pullback(one(value))
    assert bits(args) == primal.before, "the pullback does not put back what was written"
    assert bits(pullback(one(value))) == bits(bars), "a second run of the pullback differs"
    for i in primal.wrt:
        assert tangent_type(bars[i]) == tangent_type(program.args[i])
        assert not any(np.shares_memory(bars[i], a) for a in leaves(args) if isinstance(a, np.ndarray))
    terms = sum(size(bars[i], primal.along[i]) for i in primal.wrt)
    primal.agrees(program.args, primal.along, sum(inner(bars[i], primal.along[i]) for i in primal.wrt), terms)


@in_mode("joint", 2, 0)
def test_joint(program):
    primal = Primal(program)
    turn = PROGRAMS.index(program) % 2
    for argnums in some((primal.wrt[0], primal.wrt)[turn:], 2):
        args = program.fresh()
        value, grads = ad.value_and_grad(primal.f, argnums)(*args)
        assert bits(value) == bits(primal.value)
        assert bits(args) == primal.before, "an argument is not as it was before the call"
        pairs = zip(primal.wrt, grads) if argnums == primal.wrt else [(argnums, grads)]
        bars = dict(pairs)
        along = tuple(t if i in bars else None for i, t in enumerate(primal.along))
        slope, terms = sum(inner(g, along[i]) for i, g in bars.items()), sum(size(g, along[i]) for i, g in bars.items())
        primal.agrees(program.args, along, slope, terms)
        if program.name not in OPEN:
            tangent = ad.jvp(primal.f, program.fresh(), along)[1]
            assert abs(float(np.real(tangent)) - slope) <= limit(program.args, terms), (tangent, slope)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_programs_run(program):
    """They run twice alike, have scalar results, and smooth slopes at their sample points."""
    primal = Primal(program)
    assert bits(Primal(program).value) == bits(primal.value)
    assert np.shape(primal.value) == () and np.isfinite(primal.value)
    if epsilon(program.args) > 1e-10:
        return
    slope = [(primal.pure(*moved(program, h)) - primal.pure(*moved(program, -h))) / (2 * h) for h in (1e-4, 1e-5)]
    np.testing.assert_allclose(*slope, rtol=1e-4, atol=1e-6)


def moved(program, h):
    along = [randn_like(a, np.random.default_rng(0)) for a in program.args]
    return [ad.tangents.add_to_primal(a, ad.tangents.scale(h, t)) for a, t in zip(program.fresh(), along)]


def test_every_function_has_samples_and_names_are_distinct():
    names = [name for module in modules() for name in module.SAMPLES]
    assert len(names) == len(set(names))
    assert not {p.name for p in PROGRAMS} & {p.name for p in collect_others()}
    for module in modules():
        own = [n for n, v in vars(module).items() if getattr(v, "__module__", "") == module.__name__ and n[0] != "_"]
        assert set(own) == set(module.SAMPLES), module.__name__
    assert set(OPEN) <= {p.name for p in PROGRAMS}
