"""Several tangents at once: one call equals one jvp for each of them. One program of 23;
`ADCOMPILE_ALL=1` takes all.

The value is the function's bit for bit, and arguments are as the function leaves them. Programs
through which several tangents cannot be taken are skipped; how many these may be is a test.
"""

import numpy as np
import pytest

import adcompile as ad
from adcompile import tangents
from adcompile.tangents import tangent_type
from tests.checks import bits, direction, epsilon
from tests.programs import some
from tests.test_programs import FOLLOWED

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # those of the programs themselves

SEEDS = (1, 2, 3)
SAMPLE = FOLLOWED[::24]
SHARE = 0.88
"""How many programs of the sample are followed, at least."""


def stacked(items):
    """Tangents of one space as a batch."""
    if tangents.is_container(items[0]):
        return tangents.rebuild(items[0], [stacked(parts) for parts in zip(*map(tangents.children, items))])
    return None if tangents.is_absent(items[0]) else np.stack(items)


def has_objects(value):
    return isinstance(tangent_type(value), tangents.Record)


def batch_of(program, args):
    columns = [direction(program.args, seed) for seed in SEEDS]
    return columns, ad.jvp_batched(program.function, args, tuple(map(stacked, zip(*columns))))


@pytest.mark.parametrize("program", some(FOLLOWED, 30), ids=lambda p: p.name)
def test_several_tangents_at_once(program):
    if any(map(has_objects, program.args)):
        pytest.skip("batches of tangents of objects are refused")
    args, used = program.fresh(), program.fresh()
    try:
        columns, (value, found) = batch_of(program, args)
    except (ad.Unsupported, ad.NotDifferentiable) as error:
        pytest.skip(str(error).splitlines()[0])
    assert bits(value) == bits(program.function(*used)) and bits(args) == bits(used)
    expected = stacked([ad.jvp(program.function, program.fresh(), column)[1] for column in columns])
    assert tangent_type(found) == tangent_type(expected)
    tolerance = max(1e-12, 50 * epsilon(program.args, value))
    assert tangents.allclose(found, expected, tolerance, tolerance)


def test_most_programs_are_followed():
    refused = []
    for program in SAMPLE:
        try:
            batch_of(program, program.fresh())
        except (ad.Unsupported, ad.NotDifferentiable) as error:
            refused.append((program.name, str(error).splitlines()[0]))
    followed = len(SAMPLE) - len(refused)
    print(f"{followed} of {len(SAMPLE)} programs take several tangents at once")
    assert followed >= SHARE * len(SAMPLE), refused
