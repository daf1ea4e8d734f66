"""What holds between objects, where none of them is another one, tells entries apart too (`backend/surroundings`)."""

import os
import subprocess
import sys
import textwrap

import pytest

RELATIONS = {  # what the second process has otherwise, without any object being another one
    "arrays that share memory": """
        A = np.zeros(3)
        B = np.zeros(3) if first else A[:]
        def g(k):
            return B[k] * 2.0
        FUNCTIONS, PLACES = [g, len], np.array([0])
        def f(x):
            A[0] = x
            return FUNCTIONS[PLACES[0]](0) * x
        """,
    "a module of the same name": """
        def made(k):
            plug = types.ModuleType("plug")
            sys.modules["plug"] = plug
            (here / "plug.py").write_text("K = 0.0\\ndef g(x):\\n    return x * K\\n")
            exec(compile((here / "plug.py").read_text(), str(here / "plug.py"), "exec"), vars(plug))
            plug.K = k
            return plug
        plug = made(2.0)
        if not first:
            made(7.0)
        f = plug.g
        """,
    "a module that no import gives": """
        sys.path.insert(0, str(here))
        (here / "alone.py").write_text("K = 2.0\\ndef g(x):\\n    return x * x * K\\n")
        if first:
            import alone as plug
        else:
            spec = importlib.util.spec_from_file_location("alone", here / "alone.py")
            plug = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(plug)
        plug.K = 5.0
        f = plug.g
        """,
}
BEGIN = """
import importlib.util, sys, types
from pathlib import Path
import numpy as np
import adcompile as ad
first, here = sys.argv[1] == "1", Path(__file__).parent
"""
END = """
for backend in ("numpy",):
    try:
        print(ad.grad(f, backend=backend)(0.7))
    except ad.AdcompileError as error:
        print(type(error).__name__)
"""


def printed(script, number, keep):
    environment = {**os.environ, "ADCOMPILE_CACHE": str(script.parent / "cache"), "ADCOMPILE_KEEP": keep}
    command = [sys.executable, "-W", "ignore", str(script), number]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout


@pytest.mark.parametrize("what", RELATIONS)
def test_relations_between_objects(what, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(BEGIN + textwrap.dedent(RELATIONS[what]).replace("\\\\", "\\") + END)
    printed(script, "1", "1")
    assert printed(script, "2", "1") == printed(script, "2", "0")


def test_a_file_cannot_be_written_where_warnings_are_errors(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import os, sys, shutil, adcompile as ad\n"
        "from pathlib import Path\n"
        "here = Path(__file__).parent\n"
        "os.chdir(here)\n"
        "(here / 'a').mkdir(exist_ok=True)\n"
        "print(ad.grad(lambda x: x * x)(1.0))\n"
        "os.chdir(here / 'a')\n"
        "print(ad.grad(lambda x: x * x * x)(1.0))\n"
    )
    environment = {**os.environ, "ADCOMPILE_CACHE": "cache", "ADCOMPILE_KEEP": "1"}
    command = [sys.executable, "-W", "error", str(script)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert done.stdout == "2.0\n3.0\n"
