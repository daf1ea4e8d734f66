"""Derivatives of what modules written ahead of time offer their users."""

import importlib.util

import numpy as np
import pytest

import adcompile as ad
from adcompile.cli.ahead import Target, build

SOURCE = '''import numpy as np


def energy(a):
    a[1:] *= a[:-1]
    a[0] = np.sin(a[2])
    return a @ a


def cubed(v):
    return v**3 * np.sin(v)
'''
X = np.array([1.3, 0.7, 0.4])


def load(path, name, monkeypatch):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(__import__("sys").modules, name, module)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def modules(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "written_model.py").write_text(SOURCE, encoding="utf-8")
    model = load(tmp_path / "written_model.py", "written_model", monkeypatch)

    def derivative(function, signature):
        target = Target(f"written_model.py:{function}", f"{function}_made.py", tmp_path, ("0",), (signature,))
        (tmp_path / f"{function}_made.py").write_text(build(target), encoding="utf-8")
        return load(tmp_path / f"{function}_made.py", f"{function}_made", monkeypatch)

    return model, derivative


def test_second_derivatives_by_the_function_for_users(modules):
    model, derivative = modules
    made = derivative("energy", "float64[:]").energy_grad
    wanted = ad.hessian(model.energy)(X)
    for jacobian in (ad.jacrev, ad.jacfwd):
        np.testing.assert_allclose(jacobian(made)(X), wanted, atol=1e-12)
    w = np.array([0.3, 0.2, 0.9])
    np.testing.assert_allclose(ad.grad(lambda a: made(a) @ w)(X), w @ wanted, atol=1e-12)


def test_gradients_that_are_numbers(modules):
    model, derivative = modules
    made = derivative("cubed", "float").cubed_grad
    assert np.isclose(ad.grad(lambda v: made(v) * v)(0.7), ad.grad(lambda v: ad.grad(model.cubed)(v) * v)(0.7))
