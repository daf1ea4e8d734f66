"""Rules that `check_rule` cannot call as they are: those of methods, whose object carries no derivative, and those of
functions whose result is not determined everywhere."""

import pytest

import adcompile as ad
from tests.programs import some
from tests.rules.test_registry import collected, name_of


def bound(fn, owner, settings):
    def call(*args):
        return fn(owner, *args, **settings)

    return call


def cases():
    for fn, calls in collected("METHODS").items():
        for k, ((owner, *args), settings) in enumerate(calls):
            yield pytest.param(bound(fn, owner, settings), args, id=f"{name_of(fn)}-{k}")
    for fn, calls in collected("WRAPPED").items():
        for k, (call, args) in enumerate(calls):
            yield pytest.param(call, args, id=f"{name_of(fn)}-{k}")


CASES = some(list(cases()), 3)
TWICE = {id(case) for case in some(CASES, 9)}
ORDERS = [pytest.param(*case.values, 2 if id(case) in TWICE else 1, id=case.id) for case in CASES]


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.filterwarnings("ignore::adcompile.backend.cache.SpecialisationWarning")
@pytest.mark.parametrize("call, args, order", ORDERS)
def test_gradients(call, args, order):
    ad.check_grads(call, tuple(args), order=order)
