"""⟨ȳ, J ẋ⟩ = ⟨Jᵀ ȳ, ẋ⟩ to 1e-12, relative to the size of what is summed, over all programs.

`tests/test_programs.py` holds all programs that it compiles to the same bound; here is every ninth of those that
write in place, and with `ADCOMPILE_ALL=1` every program.
"""

import numpy as np
import pytest

import adcompile as ad
from adcompile.tangents import randn_like
from tests.checks import active, direction, duality_bound, inner, size
from tests.programs import collect, some
from tests.programs_inplace import collect as collect_inplace

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # those of the programs themselves

FIRST = {p.function: p for p in reversed([*collect(), *collect_inplace()])}  # one sample of each
ALL = sorted(FIRST.values(), key=lambda p: p.name)
IN_PLACE = {p.function for p in collect_inplace()}
PROGRAMS = ALL if some(ALL, 9) is ALL else [p for p in ALL if p.function in IN_PLACE][::9]
REFUSED = 0.03  # of the programs, at most: those that wait for what is not followed yet


def gap(program):
    """The difference of the two products by the size of their terms, and what is allowed."""
    f, args = program.function, program.args
    value, pullback = ad.vjp(f, *program.fresh())
    ct, along = randn_like(value, np.random.default_rng(2)), direction(args, 1)
    bars = pullback(ct)
    tangent = ad.jvp(f, program.fresh(), along)[1]
    wrt = active(args)
    left, right = inner(ct, tangent), sum(inner(bars[i], along[i]) for i in wrt)
    terms = size(ct, tangent) + sum(size(bars[i], along[i]) for i in wrt)
    return abs(left - right), duality_bound(args, value) * terms


def test_duality_over_all_programs():
    wrong, refused = [], []
    for program in PROGRAMS:
        try:
            found, allowed = gap(program)
        except ad.AdcompileError:
            refused.append(program.name)
            continue
        if not found <= allowed:
            wrong.append(f"{program.name}: {found:.3g}, allowed {allowed:.3g}")
    assert not wrong, "\n".join(wrong)
    assert len(refused) <= REFUSED * len(PROGRAMS) + 1, refused
    print(f"{len(PROGRAMS) - len(refused)} of {len(ALL)} programs, {len(refused)} refused")
    assert len(ALL) >= 500
