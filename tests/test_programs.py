"""First derivatives of every program: forward, reverse in one body or split, from program to program; of every tenth as
they are before they are optimised, too; by all arguments together and by one of them alone, another one from program to
program (`ADCOMPILE_ALL=1` takes all modes, programs and arguments).

Against the function itself: its value bit for bit, differences along random directions, and the
duality ⟨ȳ, J ẋ⟩ = ⟨Jᵀ ȳ, ẋ⟩. Gradients have the type, shape and dtype of their arguments, which are
as before once the pullback has run; after `jvp`, and between `vjp` and its pullback, they are as the
function leaves them.
"""

import copy

import numpy as np
import pytest

import adcompile as ad
from adcompile.api import Derivative
from adcompile.optimise.passes import PASSES
from adcompile.tangents import leaves, randn_like, tangent_type
from adcompile.testing import scalar_function
from tests.checks import (
    active,
    agrees_with_differences,
    bits,
    direction,
    duality_bound,
    epsilon,
    inner,
    passes,
    size,
    specialised_once,
)
from tests.programs import collect, some

# Refused today: the name, and the reason. An entry whose program is followed by now fails.
EXPECTED_REFUSALS: dict[str, str] = {}
PROGRAMS = collect()
FOLLOWED = [p for p in PROGRAMS if p.name not in EXPECTED_REFUSALS]
REFUSED = [p for p in PROGRAMS if p.name in EXPECTED_REFUSALS]
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # those of the programs themselves


class Check:
    """One program, compiled once for each mode."""

    def __init__(self, program):
        self.f, self.args, self.fresh = program.function, program.fresh(), program.fresh
        self.before = bits(self.args)
        used = program.fresh()
        self.value = self.f(*used)
        self.after = bits(used)
        self.wrt = active(self.args)
        self.ct = randn_like(self.value, np.random.default_rng(2))
        self.eps = epsilon(self.args, self.value)
        self.scalar = isinstance(self.value, (float, np.floating))
        self.total = self.f if self.scalar else scalar_function(self.f, self.args, self.ct)
        self.specialised = []  # the optimiser works on what is the same in both modes

    def untouched(self):
        assert bits(self.args) == self.before, "arguments were modified"

    def pure(self, *args):
        """The function on copies, for differences."""
        return self.f(*copy.deepcopy(args))

    def same_space(self, got, like, what):
        assert tangent_type(got) == tangent_type(like), f"{what}: {tangent_type(got)} for {tangent_type(like)}"

    def forward(self, only=None):
        along = direction(self.args, 1, only)
        args = self.fresh()
        value, tangent = ad.jvp(self.f, args, along)
        assert bits(args) == self.after, "the arguments are not as the function leaves them"
        again = ad.jvp(self.f, self.fresh(), along)
        assert bits(value) == bits(self.value) == bits(again[0])
        assert bits(tangent) == bits(again[1])
        self.same_space(tangent, self.value, "tangent of the result")
        return along, tangent

    def split(self):
        value, pullback = ad.vjp(self.f, *self.args)
        assert bits(value) == bits(self.value)
        assert bits(self.args) == self.after, "the arguments are not as the function leaves them"
        ct_before = bits(self.ct)
        bars = pullback(self.ct)
        self.untouched()
        assert bits(value) == bits(self.value), "the pullback writes into the result"
        assert bits(pullback(self.ct)) == bits(bars), "a second run of the pullback differs"
        assert bits(ad.vjp(self.f, *self.args)[1](self.ct)) == bits(bars), "a second vjp differs"
        assert bits(self.ct) == ct_before
        for i, bar in enumerate(bars):
            self.same_space(bar, self.args[i], f"cotangent of argument {i}")
        self.untouched()
        return bars

    def joint(self, choices):
        """Cotangents of the arguments from the gradients of ⟨ct, f⟩ by those of each choice, one or a tuple of them."""
        expected, bars = self.total(*self.fresh()), {}
        factor = float(self.ct) if self.scalar else 1.0
        for argnums in choices:
            g = Derivative(self.total, "value_and_grad", argnums)
            value, grads = g(*self.args)
            again = g(*self.args)
            assert bits(value) == bits(expected)
            assert bits(again) == bits((value, grads)), "a second run differs"
            for i, grad in zip(self.wrt, grads) if argnums == self.wrt else [(argnums, grads)]:
                self.same_space(grad, self.args[i], f"gradient for argument {i}")
                bar = ad.tangents.scale(factor, grad)
                self.alike(bar, bars.setdefault(i, bar), i)
            self.untouched()
        return bars

    def alike(self, bar, other, i):
        limit = max(1e-11, 50 * self.eps)
        for a, b in zip(leaves(bar), leaves(other), strict=True):
            scale_of = float(np.max(np.abs(b), initial=0.0))
            assert np.allclose(a, b, rtol=limit, atol=limit * scale_of), f"argument {i}: {a}, {b}"

    def slope(self, way, slope, terms, what):
        found = agrees_with_differences(self.pure, self.args, way, self.ct, slope, terms)
        assert found is True, f"{what}: {found}"

    def dual(self, bars, along, tangent):
        left, right = inner(self.ct, tangent), sum(inner(bars[i], along[i]) for i in self.wrt)
        terms = size(self.ct, tangent) + sum(size(bars[i], along[i]) for i in self.wrt)
        apart = f"forward {left}, reverse {right}, terms of size {terms}"
        assert abs(left - right) <= duality_bound(self.args, self.value) * terms, apart


LAST = {}


def check_of(program):
    """The check of a program, which the tests of its two modes share."""
    if program.name not in LAST:
        LAST.clear()
        LAST[program.name] = Check(program)
    return LAST[program.name]


OF_KNOTS = ("interpolating_spline",)
"""Their text as it comes asks for a derivative by knots, which there is not; the passes drop it, as nobody reads it."""
PLAIN = some([p for p in FOLLOWED if p.name not in OF_KNOTS], 10)
TURN = {p.name: k for k, p in enumerate(FOLLOWED)}
CASES = [(p, chosen) for p in FOLLOWED for chosen in ((PASSES, ()) if p in PLAIN else (PASSES,))]


def tried_alone(program, wrt):
    """Those of the arguments that are active by themselves, too."""
    turn = TURN[program.name] % max(len(wrt), 1)
    return some((*wrt[turn:], *wrt[:turn]), max(len(wrt), 1))


MODES = ("split", "joint", "forward")


def modes_of(program):
    """One mode, another one from program to program, or all of them."""
    turn = TURN[program.name] % len(MODES)
    return some((*MODES[turn:], *MODES[:turn]), len(MODES))


@pytest.mark.parametrize("program, chosen", CASES, ids=[f"{p.name}-{'optimised' if c else 'plain'}" for p, c in CASES])
def test_first_derivatives(program, chosen):
    """With single arguments active the optimised code alone: who is active is settled before there are passes."""
    check, modes = check_of(program), modes_of(program)
    alone = tried_alone(program, check.wrt) if chosen else ()
    with passes(chosen), specialised_once(check.specialised):
        bars = check.split() if "split" in modes else ()
        if "joint" in modes:
            found = check.joint([*alone, *([check.wrt] if not chosen or len(check.wrt) != 1 else [])])
            for i in check.wrt if bars else ():
                check.alike(found[i], bars[i], i)
            bars = bars or found
        for i in check.wrt if bars else ():
            way = direction(check.args, 1, (i,))
            check.slope(way, inner(bars[i], way[i]), size(bars[i], way[i]), f"argument {i}")
        for only in (None, *((i,) for i in alone if len(check.wrt) > 1)) if "forward" in modes else ():
            way, tangent = check.forward(only)
            if bars and only is None:
                check.dual(bars, way, tangent)
            coarse = 1.0 if check.eps > 1e-5 else 0.0  # differences of float16 are
            check.slope(way, inner(check.ct, tangent), size(check.ct, tangent) + coarse, f"forward by {only}")


@pytest.mark.parametrize("program", REFUSED, ids=lambda p: p.name)
def test_refused_programs_say_where(program):
    args = program.fresh()
    attempts = (lambda: ad.vjp(program.function, *args), lambda: ad.jvp(program.function, args, direction(args, 1)))
    for attempt in attempts:
        with pytest.raises(ad.AdcompileError) as caught:
            attempt()
        assert caught.value.place is not None, caught.value
        assert caught.value.remedy


def test_expected_refusals_exist():
    assert set(EXPECTED_REFUSALS) <= {p.name for p in PROGRAMS}
    assert len(FOLLOWED) >= 500
