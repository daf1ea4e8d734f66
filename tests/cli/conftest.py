"""A model file to work on, and the command line in this process."""

import sys

import pytest
from click.testing import CliRunner

from adcompile.cli import main

MODEL = """\
import math

import numpy as np

SCALE = 2.5
TABLE = np.arange(3.0)


def helper(x):
    return math.sin(x) * SCALE


def loss(w, x, y):
    r = x @ w - y
    return np.sum(r**2)


def typed(x: float, n: int = 3) -> float:
    s = 0.0
    for i in range(n):
        s = s + helper(x) * TABLE[i % 3]
    return s


def pieces(x: float):
    return x * int(x) + math.floor(x)


def power(x: float, n: int):
    return x if n == 0 else x * power(x, n - 1)


def guarded(x: float):
    try:
        n = int("3")
    except ValueError:
        n = 0
    return x * n


def outer(x: float):
    def inner(v):
        return v * x

    return inner(x)


def failing(x: float):
    raise ValueError(f"no {x}")


def leaving(x: float):
    raise SystemExit(0)


def refused(x: float):
    g = (w := v for v in [x, x])
    return sum(g)


class Model:
    @staticmethod
    def square(x: float):
        return x * x
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current directory, holding model.py; what is imported from it is forgotten afterwards."""
    (tmp_path / "model.py").write_text(MODEL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if str(tmp_path) in (getattr(sys.modules[name], "__file__", None) or ""):
            del sys.modules[name]


@pytest.fixture
def run(folder):
    """`run("show", "model.py:loss")` → (exit code, standard output, standard error)."""

    def call(*args):
        result = CliRunner().invoke(main, args)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return result.exit_code, result.stdout, result.stderr

    return call
