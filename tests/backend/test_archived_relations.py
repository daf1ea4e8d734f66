"""What holds between objects, where none of them is another one, tells entries apart too (`backend/surroundings`)."""

import os
import subprocess
import sys
import textwrap

import pytest

from tests.programs import some

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
    "a module that somebody has put into a library": """
        import cmath, math
        np.backend = math if first else cmath
        def f(x):
            return abs(np.backend.sinh(x * (1.0 + 0.0 * math.pi))) * x + abs(cmath.pi)
        """,
    "a module that is not in the library": """
        import cmath, math
        if not first:
            np.backend = math
        def f(x):
            return math.cosh(x) * (np.backend.pi if hasattr(np, "backend") else cmath.e)
        """,
    "a part of a library in the place of another one's": """
        import numpy.linalg as nl, scipy.linalg as sl
        ad.grad(lambda x: x * x)(1.0)
        if not first:
            np.linalg = sl
        def f(x):
            a = np.array([[2.0, x], [x, 3.0]])
            return np.linalg.cholesky(a)[1, 0] + 0.0 * nl.cholesky(a)[0, 0] + 0.0 * sl.cholesky(a)[0, 0]
        """,
    "what a function has as an attribute": """
        import functools
        def inner(x):
            return x * x
        def other(x):
            return x * x * x
        def wrapped(fn):
            @functools.wraps(fn)
            def wrapper(x):
                return wrapper.__wrapped__(x) * wrapper.scale
            wrapper.scale = 2.0 if first else 3.0
            return wrapper
        f = wrapped(inner if first else other)
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


@pytest.mark.parametrize("what", some(list(RELATIONS), 3))
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


def test_rules_that_are_registered_after_a_derivative_was_loaded(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import math, adcompile as ad\n"
        "from adcompile import rules\n"
        "def g(x): return x * 2.0\n"
        "def f(x): return math.exp(x) * 1.0\n"
        "ad.grad(g)(0.7)\n"
        "rules.elementwise(math.exp)(lambda y, x: 100.0)\n"
        "print(ad.grad(f)(0.7))\n"
    )
    assert [float(printed(script, "1", "1")) for _ in range(2)] == [100.0, 100.0]


def test_the_directory_may_go_while_a_process_runs(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import os, shutil, adcompile as ad\n"
        "print(ad.grad(lambda x: x * x)(0.5))\n"
        "shutil.rmtree(os.environ['ADCOMPILE_CACHE'])\n"
        "os.environ['ADCOMPILE_CACHE_SIZE'] = 'large'\n"
        "for k in range(40):\n"
        "    ad.grad(lambda x: x * k)(0.5)\n"
        "print(ad.grad(lambda x: x * x * x)(0.5))\n"
    )
    environment = {**os.environ, "ADCOMPILE_CACHE": str(tmp_path / "cache"), "ADCOMPILE_KEEP": "1"}
    run = subprocess.run([sys.executable, "-W", "error", str(script)], capture_output=True, text=True, env=environment)
    assert run.stdout.split() == ["1.0", "0.75"], run.stderr
