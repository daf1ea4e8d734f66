"""The boundary without checks: what is made is what it would be if there were none."""

import numpy as np

import adcompile as ad
from adcompile.analysis.calls import new_context
from adcompile.autodiff.boundary import Boundary
from adcompile.autodiff.composite import install
from adcompile.autodiff.watched import Watched


def writes(x):
    y = np.zeros(3)
    for i in range(3):
        y[i] = np.sin(x[i])
    return np.sum(y)


def test_it_is_what_a_context_gets():
    context = new_context()
    install(context)
    assert type(context.boundary) is Boundary
    watched = Watched()
    install(context, watched)
    assert context.boundary is watched


def test_it_adds_nothing():
    x = np.array([0.3, -0.7, 1.1])
    source = ad.source(ad.grad(writes), x)
    assert "check_" not in source and "alias" not in source
    with ad.config(debug=True):
        watched = ad.source(ad.grad(writes), x)
    assert all(f"rt.{name}(" in watched for name in ("check_cotangent", "check_shadow", "check_kept", "alias_map"))
