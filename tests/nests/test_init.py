"""All array programs with loop nests, as slow plain Python, against what they are without.

A part of them; `ADCOMPILE_ALL=1` takes all, and split derivatives too.
"""

import os

import numpy as np
import pytest

from adcompile.errors import AdcompileError
from tests.nests.lowered import both
from tests.programs import some
from tests.test_programs import FOLLOWED

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # those of the programs themselves
KINDS = ("joint", "forward", "split") if os.environ.get("ADCOMPILE_ALL") == "1" else ("joint",)


def outcome(program, kind):
    """Whether lowering changed anything, and whether the lowered program ran to its end."""
    args = program.fresh()
    if kind == "joint" and not isinstance(program.function(*program.fresh()), (float, np.floating)):
        return None
    try:
        made = both(program.function, *args, kind=kind)
    except AdcompileError:
        return None
    if made is None or not made.changed:
        return None
    along = tuple(np.ones_like(a) if isinstance(a, np.ndarray) else 1.0 for a in args) if kind == "forward" else ()
    if kind == "forward" and not all(type(a) in (float, np.ndarray) for a in args):
        return None
    return "same" if made.agree(*args, *along) else "left"


@pytest.mark.parametrize("kind", KINDS)
def test_programs_do_the_same(kind):
    found = {p.name: outcome(p, kind) for p in some(FOLLOWED, 30)}
    judged = [o for o in found.values() if o is not None]
    assert judged.count("same") > 10
    assert judged.count("left") <= max(4, len(judged) // 12), [n for n, o in found.items() if o == "left"]
