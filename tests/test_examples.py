"""Every example runs as a newcomer would run it: as a program, from anywhere."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
PROGRAMS = sorted(path for path in EXAMPLES.rglob("*.py") if "def main(" in path.read_text(encoding="utf-8"))
NEEDS = {"02_fit_real_data.py": "scipy"}


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.relative_to(EXAMPLES).as_posix())
def test_example_runs(path, tmp_path):
    if path.name in NEEDS:
        pytest.importorskip(NEEDS[path.name])
    environment = dict(os.environ, PYTHONWARNINGS="error", PYTHONPATH=str(EXAMPLES.parent))
    done = subprocess.run(
        [sys.executable, str(path)], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_there_are_examples_in_reading_order():
    names = sorted(path.name for path in EXAMPLES.iterdir() if path.name[0].isdigit())
    assert [name[:2] for name in names] == [f"{i:02}" for i in range(1, len(names) + 1)]
    assert len(names) >= 4


def test_every_example_tells_what_one_learns():
    for path in EXAMPLES.rglob("*.py"):
        if path.name != "model_grad.py":
            assert path.read_text(encoding="utf-8").startswith('"""Learn here: '), path
