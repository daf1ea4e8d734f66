"""The commands as a user types them; tests/cli tests what is behind them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from adcompile.cli import main
from tests.cli.conftest import folder, run  # noqa: F401

ROOT = Path(__file__).parent.parent
LOSS = "float64[:], float64[:,:], float64[:]"
BUILD = ("build", "model.py:loss", "--argnums", "w", "--signature", LOSS, "-o", "model_grad.py")


def test_show(run):
    code, out, err = run("show", "model.py:loss", "--stage", "python", "--signature", LOSS, "--plain")
    assert code == 0 and out.startswith("def loss_grad(w, x, y):") and not err
    assert "import model\n\n\ndef typed_grad(x, n):" in run("show", "model.py:typed")[1]


@pytest.mark.parametrize("stage", ["typed", "facts", "forward", "reverse", "python"])
def test_a_function_that_always_raises(run, stage):
    code, out, _ = run("show", "model.py:failing", "--stage", stage)
    assert code == 0 and "ValueError" in out
    assert run("explain", "model.py:failing")[0] == 0


def test_nothing_is_written_where_one_target_fails(run, folder):
    (folder / "pyproject.toml").write_text(
        '[[tool.adcompile.build]]\nfunction = "model.py:typed"\noutput = "a.py"\n'
        '[[tool.adcompile.build]]\nfunction = "model.py:nothing"\noutput = "b.py"\n'
    )
    assert run("build")[0] == 2 and not (folder / "a.py").exists()


def test_build_and_check(run, folder):
    assert run(*BUILD) == (0, "model_grad.py: written\n", "")
    assert run(*BUILD) == (0, "model_grad.py: unchanged\n", "")
    assert run(*BUILD, "--check") == (0, "model_grad.py: fresh\n", "")
    (folder / "model_grad.py").write_text("# edited\n")
    code, out, err = run(*BUILD, "--check")
    assert code == 1 and "model_grad.py: stale" in err and "adcompile build model.py:loss" in err
    assert (folder / "model_grad.py").read_text() == "# edited\n"


def test_build_overwrites_only_its_own(run, folder):
    before = (folder / "model.py").read_text()
    code, _, err = run(*BUILD[:-1], "model.py")
    assert code == 2 and "was not written by adcompile" in err
    assert (folder / "model.py").read_text() == before


def test_build_all_of_pyproject(run, folder):
    (folder / "pyproject.toml").write_text(
        f'[[tool.adcompile.build]]\nfunction = "model.py:loss"\noutput = "a.py"\nsignature = "{LOSS}"\n'
        '[[tool.adcompile.build]]\nfunction = "model.py:typed"\noutput = "b.py"\n'
    )
    assert run("build") == (0, "a.py: written\nb.py: written\n", "")
    assert run("build", "--check")[0] == 0


def test_rules(run):
    code, out, _ = run("rules", "hypot")
    assert code == 0 and "elementwise" in out and "numpy.hypot" in out
    lines = run("rules", "hypot", "--plain")[1].splitlines()
    assert lines[:2] == ["math.hypot  elementwise", "numpy.hypot  elementwise"]
    assert all("hypot" in line for line in lines)
    assert run("rules", "nothing of that name")[0] == 1


def test_explain_and_check(run):
    assert "helper(x)  inlined" in run("explain", "model.py:typed")[1]
    assert run("check", "model.py:typed", "--at", "0.5")[0] == 0


@pytest.mark.parametrize(
    "args, message",
    [
        (["show", "model.py:nothing"], "has no 'nothing'"),
        (["show", "model.py:refused"], "model.py:57:9: this generator expression is not followed"),
        (["show", "model.py:loss"], "give --signature"),
        (["show", "model.py:loss", "--stage", "nonsense"], "Invalid value for '--stage'"),
        (["check", "model.py:failing", "--at", "1.0"], "raised ValueError"),
        (["check", "model.py:typed"], "Missing option '--at'"),
        (["build", "model.py:typed"], "Give -o FILE"),
        (["build", "model.py:typed", "-o", "no/such/folder.py"], "No such file or directory"),
        (["build"], "no pyproject.toml"),
        (["build", "--mode", "forward"], "belong to one FILE:FUNCTION"),
        (["show", "model.py:typed", "--example", "exit()"], "SystemExit"),
        (["check", "model.py:typed", "--at", "exit(0)"], "SystemExit"),
        (["check", "model.py:leaving", "--at", "1.0"], "raised SystemExit"),
        (["check", "model.py:typed", "--at", "1.0", "--order", "0"], "is not in the range"),
        (["show", "model.py:SCALE"], "model.py:1:1: model.py:SCALE is no Python function but a float"),
        (["build", "--value"], "belong to one FILE:FUNCTION"),
        (["nonsense"], "No such command"),
    ],
)
def test_errors_are_a_message_and_code_2(run, args, message):
    code, out, err = run(*args)
    assert code == 2 and message in err and "Traceback" not in err and not out


def test_defects_of_ours_are_no_traceback_either(run, monkeypatch):
    monkeypatch.setattr("adcompile.cli.stages.stage", lambda asked, name: 1 // 0)
    code, _, err = run("show", "model.py:typed")
    assert code == 2 and err.startswith("error: the compiler failed: ZeroDivisionError") and "Traceback" not in err


def test_same_bytes_whatever_the_hash_seed(folder):
    texts = []
    for seed in ("0", "1", "77"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-m", "adcompile", "build", "model.py:typed", "-o", f"made_{seed}.py"]
        subprocess.run(command, env=environment, check=True, capture_output=True, cwd=folder, timeout=120)
        texts.append((folder / f"made_{seed}.py").read_text().replace(f"made_{seed}.py", "made.py"))
    assert texts[0] == texts[1] == texts[2]


def test_help_does_not_load_the_compiler():
    code = "import sys\nfrom adcompile.cli import main\ntry:\n main(['--help'])\nexcept SystemExit:\n pass\n"
    code += "print('numpy' in sys.modules, 'adcompile.pipeline' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True
    )
    assert done.stdout.endswith("False False\n"), done.stderr


def test_the_example_is_fresh(monkeypatch):
    monkeypatch.chdir(ROOT / "examples" / "03_ahead_of_time")
    result = CliRunner().invoke(main, [*BUILD, "--check"])
    assert result.exit_code == 0, result.stderr
