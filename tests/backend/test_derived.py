"""What the pipeline gives, and what waits for it."""

import subprocess
import sys

import adcompile as ad
from adcompile import pipeline
from adcompile.backend.derived import plain, with_compiler
from adcompile.ir.abstract import type_of


def make(rate):
    def scaled(x):
        return x * rate

    return scaled


def test_cells_of_fresh_closures():
    f = make(2.0)
    derived = pipeline.derive(f, pipeline.Request("joint", (0,), bare=True), (type_of(1.0),))
    assert derived.has_cells and derived.captured(make(3.0)) == (3.0,)
    assert derived.call(1.0, *derived.captured(make(5.0))) == 5.0
    assert derived.whole() is derived and derived.program is not None


def test_the_function_under_transforms():
    f = make(2.0)
    assert plain(ad.grad(ad.grad(f))) is f


def test_the_compiler_comes_when_something_is_derived():
    code = (
        "import sys, adcompile as ad\nimport adcompile.api, adcompile.products, adcompile.transforms\n"
        "print('adcompile.pipeline' in sys.modules, 'gast' in sys.modules)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said == "False False\n"
    met = []
    with_compiler(met.append)
    assert met[0].__name__ == "adcompile.autodiff.nested"
