"""The command that takes all programs through Jacobians of Jacobians: it says what it should of a few."""

import numpy as np
import pytest

import adcompile as ad
from tests import second_order
from tests.programs import Program
from tests.second_order import check, chosen, main


def cubes(x):
    x *= x[0]
    return np.sum(x**2)


def bent(x):
    return max(x - 1.0, 0.0) ** 2


def text(x):
    return float(str(x)) ** 2


PROGRAM = Program("cubes", cubes, (np.array([0.5, 1.5]),))


def test_a_program_of_each_kind(capsys):
    assert main(["identity", "sum_of_cubes"]) == 0
    assert capsys.readouterr().out.startswith("2 programs: 2 right, 0 refused, 0 wrong, 0 crash")


def test_one_sample_of_each_program_is_chosen():
    found = chosen()
    assert len(found) == len({p.function for p in found}) > 1400
    assert len(chosen(samples=9)) > len(found)


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ({"jacfwd of jacrev": lambda f, wrt: lambda x: (2.0 * ad.hessian(f)(x),)}, "differs from jacrev of jacrev"),
        ({"hessian": lambda f, wrt: lambda x: (x.fill(1.0), ad.hessian(f)(x))[1]}, "arguments are not as before"),
        ({"jacrev of jacrev": lambda f, wrt: lambda x: (2.0 * ad.hessian(f)(x),)}, "of the first Jacobian differ"),
    ],
)
def test_what_is_wrong_is_found(broken, reason, monkeypatch):
    kept = {"jacrev of jacrev": second_order.MODES["jacrev of jacrev"]} if "jacrev of jacrev" not in broken else {}
    monkeypatch.setattr(second_order, "MODES", {**kept, **broken})
    verdict = check(PROGRAM)
    assert (verdict.kind, verdict.reason) == ("wrong", reason)


def test_a_kink_is_told_from_an_error():
    assert check(Program("bent", bent, (1.0,))).kinks == 1
    assert check(Program("bent", bent, (3.0,))).compared == 1


def test_refusals_have_a_place():
    verdict = check(Program("text", text, (2.0,)))
    assert verdict.kind == "refused" and __file__ in verdict.detail
