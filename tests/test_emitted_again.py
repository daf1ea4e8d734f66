"""Generated code is code like any other: the frontend accepts it again.

The gradient's text, differentiated as a function of its own, gives the second derivative that the
compiler takes on its IR. Every sixty-second program; `ADCOMPILE_ALL=1` takes all.
"""

import numpy as np
import pytest

import adcompile as ad
from adcompile import pipeline
from adcompile.api import Derivative
from adcompile.ir.abstract import type_of
from adcompile.pipeline import Request
from adcompile.tangents import leaves
from tests.checks import active, direction, epsilon, inner, size
from tests.programs import some
from tests.test_programs import FOLLOWED

REFUSED = 0.07
"""At most this share of the sample is refused (2 % of all, but the sample moves with the programs there are): arrays
and shadows written in place that are None on some paths; lists of the program beside lists that are chosen when the
code runs; numbers of no known class; and chains that a recursive function hands on, whose cotangents nest in
arguments; and functions of SciPy that are given functions."""

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # those of the programs themselves


def outcome(program):
    """"right", "refused", or how the two differ; None where there is no such text."""
    args, value = program.fresh(), program.function(*program.fresh())
    if not isinstance(value, (float, np.floating)):
        return None
    wrt, v = active(args), direction(args, 3)
    types = tuple(type_of(a, objects=True) for a in args)
    made = pipeline.derive(program.function, Request("joint", wrt), types)
    if made.has_cells:
        return None
    on_the_ir = ad.jvp(Derivative(program.function, "grad", wrt), args, v)[1]
    try:
        on_the_text = ad.jvp(made.call, program.fresh(), v)[1]
    except ad.AdcompileError as error:
        assert error.place is not None and error.remedy, error
        return "refused"
    if any(np.iscomplexobj(leaf) for leaf in leaves(on_the_text)):
        return None  # the text gives cotangents, which the interface conjugates
    seed = tuple(direction(args, 4)[i] for i in wrt)
    wanted, found = inner(seed, on_the_ir), inner(seed, on_the_text)
    limit = max(1e-9, 100 * epsilon(args, value)) * (size(seed, on_the_ir) + 1e-2)
    return "right" if abs(wanted - found) <= limit else f"{found}, on the IR {wanted}"


def test_the_text_differentiated_is_the_second_derivative():
    found = {p.name: outcome(p) for p in some(FOLLOWED, 61)}
    wrong = {name: o for name, o in found.items() if o not in (None, "right", "refused")}
    assert wrong == {}
    judged = [o for o in found.values() if o is not None]
    assert judged.count("refused") <= REFUSED * len(judged), [n for n, o in found.items() if o == "refused"]
