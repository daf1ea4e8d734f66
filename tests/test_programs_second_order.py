"""Second derivatives of every program in all four nestings: wᵀ H v of ⟨ct, f⟩.

Forward over reverse is compared with differences of the gradient, the other three with it. Every
thirty-fifth program; `ADCOMPILE_ALL=1` takes all.
"""

import copy

import numpy as np
import pytest

import adcompile as ad
from adcompile.api import Derivative
from adcompile.tangents import randn_like
from adcompile.testing import scalar_function, tangent_function
from tests.checks import active, agrees_with_differences, bits, direction, epsilon, inner, size
from tests.programs import some
from tests.test_programs import FOLLOWED

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # those of the programs themselves


ALWAYS = {"factors_written", "numbers_beside", "through_diff", "partials_in_code_not_followed-0"}
"""Programs that have been wrong, or refused, at second order alone."""
TAKEN = [*some(FOLLOWED, 70), *(p for p in FOLLOWED if p.name in ALWAYS and p not in some(FOLLOWED, 70))]


@pytest.mark.parametrize("program", TAKEN, ids=lambda p: p.name)
def test_second_derivatives(program):
    args, value = program.fresh(), program.function(*program.fresh())
    before, wrt, eps = bits(args), active(args), epsilon(args, value)
    if isinstance(value, (float, np.floating)):
        f = program.function
    else:
        f = scalar_function(program.function, args, randn_like(value, np.random.default_rng(2)))
    gradient = Derivative(f, "grad", wrt)
    v, w = direction(args, 3), direction(args, 4)
    seed = tuple(w[i] for i in wrt)
    along = tangent_function(f, args, v)  # x ↦ f'(x)·v, which leaves arguments as f leaves them

    forward_over_reverse = ad.jvp(gradient, args, v)[1]
    found = {"forward over reverse": inner(seed, forward_over_reverse)}
    bars = ad.vjp(gradient, *args)[1](seed)
    found["reverse over reverse"] = sum(inner(bars[i], v[i]) for i in wrt)
    found["forward over forward"] = inner(1.0, ad.jvp(along, program.fresh(), w)[1])
    pulled = Derivative(along, "grad", wrt)(*args)
    found["reverse over forward"] = sum(inner(g, t) for g, t in zip(pulled, seed))

    assert bits(args) == before, "arguments were modified"
    reference = found["forward over reverse"]
    terms = size(seed, forward_over_reverse) + sum(size(bars[i], v[i]) for i in wrt)
    for name, number in found.items():
        limit = max(1e-9, 100 * eps) * (terms + 1e-2)
        assert abs(number - reference) <= limit, f"{name}: {number}, not {reference}; all: {found}"
    agrees = agrees_with_differences(lambda *a: gradient(*copy.deepcopy(a)), args, v, seed, reference, terms)
    assert agrees is True, agrees

