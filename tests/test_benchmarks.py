"""The benchmarks run at tiny sizes, and what they time is right."""

import json

import numpy as np
import pytest

import adcompile as ad
from benchmarks import acceptance, run
from benchmarks.harness import Disagreement, compare, measure, medians

WORKLOADS = {w.name: w for w in run.chosen(list(run.MODULES), small=True)}


@pytest.mark.parametrize("name", WORKLOADS)
def test_gradient_is_the_hand_written_one(name):
    workload = WORKLOADS[name]
    got = ad.grad(workload.function, argnums=workload.argnums)(*workload.args)
    compare(name, got, workload.hand(*workload.args), 1e-10)


@pytest.mark.parametrize("name", WORKLOADS)
def test_hand_written_adjoint_fits_the_primal(name):
    workload = WORKLOADS[name]
    at = workload.argnums if isinstance(workload.argnums, tuple) else (workload.argnums,)
    got = workload.hand(*workload.args)
    got = got if isinstance(got, tuple) else (got,)
    rng, step = np.random.default_rng(0), 1e-6
    directions = {i: rng.standard_normal(np.shape(workload.args[i])) for i in at}

    def moved(t):
        return [a + t * directions[i] if i in directions else a for i, a in enumerate(workload.args)]

    slope = (workload.function(*moved(step)) - workload.function(*moved(-step))) / (2 * step)
    assert sum(np.sum(g * directions[i]) for g, i in zip(got, at)) == pytest.approx(slope, rel=1e-6)


def test_loop_of_the_acceptance():
    got = ad.grad(acceptance.loop_400, argnums=(0, 1))(0.3, 0.4)
    compare("loop", got, acceptance.loop_400_by_hand(0.3, 0.4), 1e-12)


def test_table_and_record(tmp_path, capsys):
    file = tmp_path / "times.json"
    options = ["--small", "--budget", "0.01", "--peers", "", "--workload", "gmm", "--json", str(file)]
    assert run.main(options) == 0
    assert "gmm" in capsys.readouterr().out
    assert set(json.loads(file.read_text())["seconds"]["gmm"]) == {"primal", "hand", "adcompile"}


def test_wrong_gradients_are_not_timed():
    workload = WORKLOADS["logsumexp"]
    with pytest.raises(Disagreement, match="wrong: gradient 0 is off"):
        measure(workload, {"wrong": lambda w: lambda x: 2.0 * w.hand(x)}, budget=0.01)
    with pytest.raises(Disagreement, match="shape"):
        compare("wrong", np.zeros(3), np.zeros(4), 1e-9)


def test_missing_tool_is_said():
    def absent(workload):
        raise ImportError("no such tool", name="absent")

    timing = measure(WORKLOADS["call_scalar"], {"absent": absent}, budget=0.01)
    assert timing.failed == {"absent": "not installed: absent"}


def test_medians():
    times = medians({"a": lambda: sum(range(10)), "b": lambda: sum(range(10_000))}, budget=0.02)
    assert times["b"] > 3 * times["a"]
