"""The source of derivatives, word for word. Each golden is a module that runs, and gives what the compiler gives.

To accept a change: ADCOMPILE_UPDATE_GOLDEN=1 pytest tests/test_golden.py; then read what changed.
"""

import ast
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import adcompile as ad
from adcompile import pipeline
from adcompile.ir.abstract import type_of
from adcompile.tangents import has_tangent, zeros_like
from tests.golden import programs

ROOT = Path(__file__).parents[1]
STAGES = {"joint": programs.JOINT, "split": programs.SPLIT, "forward": programs.FORWARD}
CASES = [(stage, name) for stage, named in STAGES.items() for name in named]


def text_of(stage, name):
    fun, argnums, args = STAGES[stage][name]
    if stage == "joint":
        text = ad.source(ad.grad(fun, argnums), *args)
    else:
        wrt = argnums if isinstance(argnums, tuple) else (argnums,)
        text = pipeline.derive(fun, pipeline.Request(stage, wrt), tuple(type_of(a) for a in args)).source
    return text.rstrip("\n") + "\n"


def module_of(stage, name):
    """The golden, imported."""
    path = Path(__file__).parent / "golden" / stage / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"golden_{stage}_{name}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def every_text():
    """All goldens in one text: what the runs in other processes print."""
    return "".join(f"# {stage}/{name}\n{text_of(stage, name)}" for stage, name in CASES)


@pytest.mark.parametrize("stage, name", CASES)
def test_golden(golden, stage, name):
    golden(f"{stage}/{name}.py", text_of(stage, name))


def same(a, b):
    a, b = ((v,) if not isinstance(v, tuple) else v for v in (a, b))
    assert len(a) == len(b)
    for x, y in zip(a, b):
        np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("name", programs.JOINT)
def test_joint_goldens_run(name):
    fun, argnums, args = programs.JOINT[name]
    same(getattr(module_of("joint", name), f"{fun.__name__}_grad")(*args), ad.grad(fun, argnums)(*args))


@pytest.mark.parametrize("name", programs.SPLIT)
def test_split_goldens_run(name):
    fun, argnums, args = programs.SPLIT[name]
    module = module_of("split", name)
    value, kept = getattr(module, f"{fun.__name__}_vjp")(*args)
    assert value == fun(*args)
    pullback = getattr(module, f"{fun.__name__}_vjp_pullback")
    expected = ad.grad(fun, argnums)(*args)
    for _ in range(2):
        got = pullback(kept, 1.0)
        got = got if isinstance(got, tuple) else (got,)
        for g, e in zip(got, expected if isinstance(argnums, tuple) else (expected,)):
            np.testing.assert_allclose(g, e, rtol=1e-14)


@pytest.mark.parametrize("name", programs.FORWARD)
def test_forward_goldens_run(name):
    fun, argnums, args = programs.FORWARD[name]
    wrt = argnums if isinstance(argnums, tuple) else (argnums,)
    dots = {i: np.ones_like(args[i]) if isinstance(args[i], np.ndarray) else 1.0 for i in wrt}
    got = getattr(module_of("forward", name), f"{fun.__name__}_jvp")(*args, *dots.values())
    tangents = tuple(dots.get(i, zeros_like(a) if has_tangent(a) else None) for i, a in enumerate(args))
    np.testing.assert_allclose(got[1], ad.jvp(fun, args, tangents)[1], rtol=1e-14)
    assert got[0] == fun(*args)


@pytest.mark.parametrize("name", programs.JOINT)
def test_no_needless_arithmetic(name):
    text = (Path(__file__).parent / "golden" / "joint" / f"{name}.py").read_text()
    for needless in (" * 1.0", " 1.0 * ", " + 0.0", " 0.0 + ", "(0.0 + ", "np.asarray", ".astype"):
        assert needless not in text, needless


@pytest.mark.parametrize("stage, name", CASES)
def test_every_name_is_read(stage, name):
    """A name that is assigned and never read is a dead line; loop counters are not."""
    path = Path(__file__).parent / "golden" / stage / f"{name}.py"
    for function in ast.parse(path.read_text()).body:
        names = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
        read = {node.id for node in names if isinstance(node.ctx, ast.Load)}
        counters = {n.target.id for n in ast.walk(function) if isinstance(n, ast.For)} | {"_"}
        assert {node.id for node in names if isinstance(node.ctx, ast.Store)} <= read | counters


@pytest.mark.parametrize("seed", ["0", "1", "4242"])
def test_the_same_bytes_under_any_hash_seed(seed):
    script = "from tests.test_golden import every_text; print(every_text(), end='')"
    env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"}
    run = subprocess.run([sys.executable, "-c", script], cwd=ROOT, env=env, capture_output=True, check=True, timeout=60)
    assert run.stdout.decode() == every_text()


def test_the_same_bytes_in_two_runs():
    first = every_text()
    ad.clear()
    assert every_text() == first


# -- what is kept -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["weighted", "squares"])
def test_sums_keep_nothing(name):
    fun, _, args = programs.JOINT[name]
    assert ad.saved(fun, *args) == ()
    text = text_of("joint", name)
    assert "kept" not in text and "append" not in text
    assert text.count("for ") == 1  # the sum itself is not computed again either


def test_an_iteration_keeps_one_scalar():
    fun, _, args = programs.JOINT["iterated_sine"]
    (kept,) = ad.saved(fun, *args)
    assert kept.name.startswith("y") and "one value an iteration" in kept.why
    assert text_of("joint", "iterated_sine").count(".append(") == 1


def test_linear_code_keeps_what_adjoints_read():
    fun, _, args = programs.JOINT["loss"]
    assert len(ad.saved(fun, *args)) == 1  # the residual
