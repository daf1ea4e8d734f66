"""The harness at tiny sizes: what it times is compared first, and the table says what did not run."""

import gc
import json
import subprocess
import sys

import numpy as np
import pytest

import adcompile as ad
from benchmarks import acceptance, child, plot, report, run
from benchmarks.harness import Disagreement, Under, compare, measure, medians, primal
from benchmarks.rows import ROWS


@pytest.fixture(scope="module", autouse=True)
def _settled():
    """What other tests have left is no garbage here: it is looked at before each measurement."""
    gc.freeze()


def small(name):
    return ROWS[name].workload(ROWS[name].small)


def test_loop_of_the_acceptance():
    got = ad.grad(acceptance.loop_400, argnums=(0, 1))(0.3, 0.4)
    compare("loop", got, acceptance.loop_400_by_hand(0.3, 0.4), 1e-12)


def test_run_writes_table_record_and_page(tmp_path, capsys):
    file, page = tmp_path / "times.json", tmp_path / "performance.md"
    options = [
        "--small",
        "--budget",
        "0.01",
        "--peers",
        "",
        "--workload",
        "gmm",
        "--json",
        str(file),
        "--doc",
        str(page),
    ]
    assert run.main(options) == 0
    assert "gmm" in capsys.readouterr().out
    kept = json.loads(file.read_text())
    assert set(kept["rows"]["gmm"]["seconds"]) >= {"primal", "hand", "adcompile numpy"}
    assert kept["versions"]["numpy"] == np.__version__
    assert "| gmm |" in page.read_text()


def test_unknown_peers_are_refused(capsys):
    with pytest.raises(SystemExit):
        run.main(["--peers", "jacks"])
    assert "unknown peers jacks" in capsys.readouterr().err


def test_one_thread_and_one_core():
    code = (
        "import os, benchmarks\nfrom benchmarks.child import pin\npin()\n"
        "print(os.environ['OPENBLAS_NUM_THREADS'], len(os.sched_getaffinity(0)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1", "1"]


def test_a_process_that_dies_is_a_row_that_failed(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/bin/false")
    assert child.apart(child.Job("gmm"))["failed"] == {"all": "exit status 1: "}


def test_wrong_gradients_are_not_timed():
    timing = measure(small("logsumexp"), {"wrong": lambda w: lambda: 2.0 * w.hand(*w.args)}, budget=0.01)
    assert set(timing.seconds) == {"primal"} and timing.failed["wrong"].startswith("wrong: wrong: gradient 0 is off")
    with pytest.raises(Disagreement, match="shape"):
        compare("wrong", np.zeros(3), np.zeros(4), 1e-9)


def test_missing_tool_is_said():
    def absent(workload):
        raise ImportError("no such tool", name="absent")

    timing = measure(small("call_scalar"), {"absent": absent}, budget=0.01)
    assert timing.failed == {"absent": "not installed: absent"}


def test_primal_sees_the_arguments_as_they_were():
    workload = small("jacobi_1d")
    call = primal(workload)
    assert call() == call() == workload.function(*workload.fresh())


def test_medians():
    for clock in ("wall", "cpu"):
        runs = {"a": lambda: sum(range(10)), "b": lambda: sum(range(10_000))}
        times = medians(runs, budget=0.02, clock=clock)
        assert times["b"] > 3 * times["a"]


def test_settings_are_made_outside_of_the_time():
    entered = []

    class Settings:
        def __enter__(self):
            entered.append("in")

        def __exit__(self, *_):
            entered.append("out")

    calls = []
    medians({"a": Under(lambda: calls.append(len(entered)), Settings)}, budget=0.001)
    assert len(calls) > len(entered) and all(k % 2 for k in calls)


def test_growth_is_an_exponent():
    times = {"sizes": [10.0, 100.0], "primal": [1.0, 10.0], "adcompile numpy": [3.0, 300.0]}
    head, line = report.growth({"gmm": {"growing": times}})
    assert line[head.index("primal: exponent")] == "1.00"
    assert line[head.index("adcompile numpy: exponent")] == "2.00"
    assert line[-1] == "3.0, 30"


def test_sizes_are_gone_through():
    times = child.run(child.Job("call_vector", growing=True, budget=0.001))["growing"]
    assert times["sizes"] == list(map(float, ROWS["call_vector"].growing))
    assert len(times["primal"]) == len(times["adcompile numpy"]) == 3


def test_growth_is_compared_with_the_function_that_the_same_backend_compiles():
    pytest.importorskip("numba")
    times = child.run(child.Job("call_vector", backends=("numba",), growing=True, budget=0.001))["growing"]
    assert len(times["primal numba"]) == len(times["adcompile numba"]) == 3
    times |= {"primal numba": [1.0, 2.0, 100.0], "adcompile numba": [2.0, 4.0, 300.0]}
    head, line = report.growth({"call_vector": {"growing": times}})
    assert line[head.index("primal numba: exponent")] == "1.00"
    assert line[head.index("adcompile numba: / primal numba")] == "2.0, 2.0, 3.0"


def test_a_compiled_function_is_the_function():
    pytest.importorskip("numba")
    workload = ROWS["jacobi_1d"].workload(8)
    args, native = workload.fresh(), workload.fresh()
    assert child.compiled(workload, "numba").function(*native) == pytest.approx(workload.function(*args), rel=1e-12)
    for a, b in zip(args, native):
        np.testing.assert_allclose(b, a, rtol=1e-12)  # what it writes, too


def test_quotients():
    seconds = {"primal": 1.0, "adcompile numpy": 2.0, "jax": 8.0, "autograd": 4.0}
    results = {"gmm": {"seconds": seconds, "failed": {}}, "mlp": {"seconds": {**seconds, "jax": 1.0}, "failed": {}}}
    assert report.quotient(ROWS["gmm"], results["gmm"], "adcompile numpy / best peer") == 0.5
    assert report.quotient(ROWS["gmm"], results["gmm"], "adcompile numpy / reference") == pytest.approx(2 / (3.6 / 2.9))
    assert report.mean_speed(results, "adcompile numpy") == pytest.approx(2.0)  # mlp is bound by BLAS


def test_plot(tmp_path):
    pytest.importorskip("matplotlib")
    seconds = {"primal": 1.0, "adcompile numpy": 2.0, "jax": 8.0}
    plot.draw({"gmm": {"seconds": seconds}}, str(tmp_path / "ratios.png"))
    assert (tmp_path / "ratios.png").stat().st_size > 1000
