"""Derivatives that another process has made: found where nothing has changed, and only there.

The next process is played by new modules of the same name and file, so that the content alone tells them apart.
"""

import importlib
import os
import subprocess
import sys

import numpy as np
import pytest

import adcompile as ad
from adcompile import rules
from adcompile.backend import archive
from adcompile.rules import registry
from adcompile.rules.registry import unregister
from adcompile.runtime import structure
from adcompile.tangents import randn_like
from benchmarks import peers
from benchmarks.rows import ROWS
from tests.checks import bits, direction
from tests.programs import collect, some

HELPER = "import numpy as np\nimport math\nK = 3\ndef helper(x):\n    return x * 2.0\nTABLE = {'k': 2}\n"


@pytest.fixture
def world(tmp_path, monkeypatch):
    """Modules in a folder of their own, a cache of their own, and files that look as if they never changed."""
    monkeypatch.setenv("ADCOMPILE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("ADCOMPILE_KEEP", "1")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(archive, "_stamp", lambda file: "the same")
    monkeypatch.setattr(registry, "others", {})  # what other tests have registered
    monkeypatch.setattr(structure, "registered", {})
    yield World(tmp_path)
    for name in ("subject", "beside"):
        sys.modules.pop(name, None)


class World:
    def __init__(self, folder):
        self.folder = folder

    def process(self, subject, beside=HELPER, then=""):
        """The module `subject` as a new process has it, which then runs the statements `then`."""
        ad.clear()
        sys.dont_write_bytecode = True
        for name, text in (("beside", beside), ("subject", subject)):
            (self.folder / f"{name}.py").write_text(text, encoding="utf-8")
            sys.modules.pop(name, None)
            importlib.invalidate_caches()
            sys.modules[name] = importlib.import_module(name)
        exec(then, {"subject": sys.modules["subject"], "beside": sys.modules["beside"], "np": np})
        return sys.modules["subject"]

    @property
    def entries(self):
        return len(list((self.folder / "cache").glob("derived/*.bin")))


def found(monkeypatch, run):
    """What `run()` gives, and whether the compiler had no part in it."""
    made = []
    pipeline = importlib.import_module("adcompile.pipeline")
    with monkeypatch.context() as patch:
        derive = pipeline.derive
        patch.setattr(pipeline, "derive", lambda *args: made.append(args) or derive(*args))
        return run(), not made


BASE = """
import functools
import math
import operator
from dataclasses import dataclass
from collections import namedtuple

import numpy as np

import beside
from beside import helper

N, W, NAME, FLAG, NONE = 2, 0.5, "a", True, None
PAIR = (2, 3.0)
LIST = [1.0, 2.0]
MODES = {"a": 2.0, "b": 3.0}
ARRAY = np.array([1.0, 2.0])
FUNCTIONS = {"f": math.sin, "g": lambda x: x * 2.0}
POWER = functools.partial(pow, exp=2)

def own(x, k=2, *, scale=1.0):
    return x * k * scale

def other(x):
    return x * 13.0

class Other:
    factor = 1.0

    def weigh(self, x):
        return x * 21.0

class Base:
    factor = 2.0

    def weigh(self, x):
        return x * 2.0

class Model(Base):
    __slots__ = ("rate",)

    def __init__(self):
        self.rate = 3

    @property
    def twice(self):
        return 2.0

    @staticmethod
    def still(x):
        return x * 3.0

    def __call__(self, x):
        return self.weigh(x) * self.factor

@dataclass
class Options:
    power: int = 2

MODEL, MODEL2 = Model(), Base()
OPTIONS = Options()
Point = namedtuple("Point", "x y", defaults=(2.0,))

def make(n):
    def inner(x):
        return x ** n
    return inner

SQUARE = make(2)

def wrapped(f):
    @functools.wraps(f)
    def wrapper(x):
        return f(x) * 2.0
    return wrapper

@wrapped
def decorated(x):
    return x * x

def f(x):
    return BODY
"""

CHANGES = {  # what f computes, and what is another in the next process: a piece of text and its place, or a statement
    "helper": ("helper(x)", "beside", ("x * 2.0", "x * 5.0")),
    "int of a module": ("x ** N", "subject", ("= 2, 0.5", "= 3, 0.5")),
    "float of a module": ("x * W", "subject", ("= 2, 0.5", "= 2, 0.25")),
    "text": ("x * MODES[NAME]", "subject", ('"a", True', '"b", True')),
    "flag": ("x * x if FLAG else x", "subject", ("True, None", "False, None")),
    "none": ("x * x if NONE is None else x", "subject", ("True, None", "True, 1")),
    "tuple": ("x ** PAIR[0]", "subject", ("(2, 3.0)", "(4, 3.0)")),
    "list": ("x * LIST[0] * len(LIST)", "subject", ("[1.0, 2.0]", "[1.0, 2.0, 3.0]")),
    "dict": ("sum([x * v for v in MODES.values()])", "subject", ('"b": 3.0', '"c": 4.0, "d": 1.0')),
    "dimensions": ("np.sum(x * ARRAY)", "subject", ("np.array([1.0, 2.0])", "np.array([[1.0, 2.0], [3.0, 4.0]])")),
    "function in a table": ('FUNCTIONS["f"](x)', "subject", ('"f": math.sin', '"f": math.cos')),
    "lambda in a table": ('FUNCTIONS["g"](x)', "subject", ("lambda x: x * 2.0", "lambda x: x * 4.0")),
    "partial": ("POWER(x)", "subject", ("exp=2", "exp=3")),
    "default": ("own(x)", "subject", ("k=2", "k=3")),
    "keyword default": ("own(x)", "subject", ("scale=1.0", "scale=2.0")),
    "attribute of a class": ("MODEL(x)", "subject", ("factor = 2.0", "factor = 4.0")),
    "method of a base": ("MODEL(x)", "subject", ("return x * 2.0\n\nclass Model", "return x * 7.0\n\nclass Model")),
    "bases": ("MODEL.weigh(x)", "subject", ("class Model(Base)", "class Model(Other)")),
    "call": ("MODEL(x)", "subject", ("self.weigh(x) * self.factor", "self.weigh(x) + self.factor")),
    "slot": ("x ** MODEL.rate", "subject", ("self.rate = 3", "self.rate = 4")),
    "property": ("x * MODEL.twice", "subject", ("return 2.0\n", "return 6.0\n")),
    "static method": ("Model.still(x)", "subject", ("x * 3.0", "x * 8.0")),
    "field": ("x ** OPTIONS.power", "subject", ("power: int = 2", "power: int = 5")),
    "field made here": ("x ** Options().power", "subject", ("power: int = 2", "power: int = 5")),
    "default of a tuple": ("x * Point(1.0).y", "subject", ("(2.0,)", "(9.0,)")),
    "cell": ("SQUARE(x)", "subject", ("make(2)", "make(3)")),
    "decorator": ("decorated(x)", "subject", ("f(x) * 2.0", "f(x) * 11.0")),
    "what is decorated": ("decorated(x)", "subject", ("    return x * x", "    return x * x * x")),
    "name of another module": ("x ** beside.K", "beside", ("K = 3", "K = 4")),
    "by a text": ('x ** getattr(beside, "K")', "beside", ("K = 3", "K = 4")),
    "by a computed name": ('x ** getattr(beside, "k".upper())', "beside", ("K = 3", "K = 4")),
    "item of another module": ('x ** beside.TABLE["k"]', "beside", ("'k': 2", "'k': 5")),
    "own builtin": ("abs(x)", "subject", ("N, W, NAME", "abs = math.exp\nN, W, NAME")),
    "constant of the code": ("x * 2.0", "subject", ("return x * 2.0\n", "return x * 2.5\n")),
    "set later": ("x ** N", "", "subject.N = 5"),
    "attribute set later": ("x ** MODEL.rate", "", "subject.MODEL.rate = 5"),
    "method set later": ("MODEL(x)", "", "subject.Base.weigh = subject.Other.weigh"),
    "function set later": ("helper(x)", "", "subject.helper = subject.other"),
    "code set later": ("helper(x)", "", "subject.helper.__code__ = subject.other.__code__"),
    "defaults set later": ("own(x)", "", "subject.own.__defaults__ = (17,)"),
    "own attribute that hides a method": ("MODEL2.weigh(x)", "", "subject.MODEL2.weigh = subject.other"),
}


@pytest.mark.parametrize("case", CHANGES)
def test_what_has_changed_is_derived_again(case, world, monkeypatch):
    body, where, change = CHANGES[case]
    texts = {"subject": BASE.replace("BODY", body), "beside": HELPER}
    before = world.process(**texts)
    x = np.array([0.7, 1.3]) if case == "dimensions" else 0.7
    first = ad.grad(before.f)(x)
    same, by_archive = found(monkeypatch, lambda: ad.grad(world.process(**texts).f)(x))
    assert np.array_equal(same, first)
    assert by_archive or not world.entries
    if where:
        assert change[0] in texts[where], "the change changes nothing"
        texts[where] = texts[where].replace(*change)
        after = world.process(**texts)
    else:
        after = world.process(**texts, then=change)
    changed = ad.grad(after.f)(x)
    monkeypatch.setenv("ADCOMPILE_KEEP", "0")
    ad.clear()
    wanted = ad.grad(after.f)(x)
    assert np.array_equal(changed, wanted)
    assert not np.array_equal(wanted, first), "the change changes no gradient"


def run_twice(script):
    """What a script prints in two processes, one after the other, with a cache beside it."""
    environment = {**os.environ, "ADCOMPILE_CACHE": str(script.parent / "cache"), "ADCOMPILE_KEEP": "1"}
    command = [sys.executable, str(script)]
    return [
        subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout for _ in range(2)
    ]


def test_two_processes(tmp_path):
    """The second has the derivative without the compiler, of a function of the script itself."""
    script = tmp_path / "script.py"
    script.write_text(
        "import sys, numpy as np, adcompile as ad\n"
        "K = 3\n"
        "def f(x, n):\n    s = x\n    for _ in range(n):\n        s = s * np.sin(x) + K\n    return s\n"
        "print(ad.grad(f)(0.5, 4), ad.vjp(f, 0.5, 4)[1](1.0), ad.jacobian(f)(0.5, 4))\n"
        "print('adcompile.pipeline' in sys.modules)\n"
    )
    first, second = run_twice(script)
    assert first.endswith("True\n") and second == first.replace("True", "False")


SUBJECT = BASE.replace("BODY", "x ** N + helper(x)")


def test_what_is_changed_after_it_was_found_is_noticed(world, monkeypatch):
    ad.grad(world.process(SUBJECT).f)(0.7)
    subject = world.process(SUBJECT)
    g = ad.grad(subject.f)
    value, by_archive = found(monkeypatch, lambda: g(0.7))
    assert by_archive and value == 2 * 0.7 + 2.0
    subject.N = 3
    assert g(0.7) == pytest.approx(3 * 0.7**2 + 2.0, rel=1e-15)
    subject.helper = subject.other
    assert g(0.7) == pytest.approx(3 * 0.7**2 + 13.0, rel=1e-15)


def test_entries_that_are_not_whole_are_made_again(world, monkeypatch):
    want = ad.grad(world.process(SUBJECT).f)(0.7)
    (entry,) = (world.folder / "cache" / "derived").glob("*.bin")
    whole = entry.read_bytes()
    for broken in (whole[:-20], b"", whole[:60], whole[:-1] + b"x"):
        entry.write_bytes(broken)
        value, by_archive = found(monkeypatch, lambda: ad.grad(world.process(SUBJECT).f)(0.7))
        assert value == want and not by_archive
        assert entry.read_bytes() == whole


def test_a_directory_of_others_is_left_alone(world, monkeypatch):
    ad.grad(world.process(SUBJECT).f)(0.7)
    archive.disk.folder_or_none.cache_clear()
    os.chmod(world.folder / "cache" / "derived", 0o777)
    _, by_archive = found(monkeypatch, lambda: ad.grad(world.process(SUBJECT).f)(0.7))
    assert not by_archive
    archive.disk.folder_or_none.cache_clear()


def test_rules_of_others(world, monkeypatch):
    subject = BASE.replace("BODY", "beside.outside(x) * 1.0")
    beside = HELPER + "def outside(x):\n    return float(str(x))\n"

    def gradient(slope):
        module = world.process(subject, beside)
        rules.frule(module.beside.outside)(rule_of(slope))
        rules.rrule(module.beside.outside)(pullback_of(slope))
        try:
            return found(monkeypatch, lambda: ad.grad(module.f)(0.7))
        finally:
            unregister(module.beside.outside)

    assert gradient(2.0) == (2.0, False)
    assert gradient(3.0) == (3.0, False)


def rule_of(slope):
    return lambda x, x_dot: (float(str(x)), x_dot * slope)


def pullback_of(slope):
    return lambda x: (float(str(x)), lambda y_bar: (y_bar * slope,))


def test_ints_by_value(world, monkeypatch):
    subject = BASE.replace("def f(x):", "def f(x, n=3):").replace("BODY", "sum([x ** k for k in (1, 2, 3, 4)[:n]])")
    want = [ad.grad(world.process(subject).f)(0.7, n) for n in (2, 3)]
    module = world.process(subject)
    value, by_archive = found(monkeypatch, lambda: [ad.grad(module.f)(0.7, n) for n in (2, 3)])
    assert value == want and by_archive


def test_what_is_asked_about_a_kept_derivative(world, monkeypatch):
    text = ad.source(ad.grad(world.process(SUBJECT).f), 0.7)
    kept = [str(k) for k in ad.saved(sys.modules["subject"].f, 0.7)]
    subject = world.process(SUBJECT)
    same, by_archive = found(monkeypatch, lambda: ad.source(ad.grad(subject.f), 0.7))
    assert by_archive and same == text
    assert [str(k) for k in ad.saved(subject.f, 0.7)] == kept
    assert ad.prepare(ad.grad(subject.f), 0.7)(0.7) == ad.grad(subject.f)(0.7)


def test_transforms_of_transforms(world, monkeypatch):
    def all_of(f):
        grads = ad.grad(ad.grad(f))(0.7), ad.hessian(f)(0.7), ad.jvp(f, (0.7,), (1.0,)), ad.jacfwd(f)(0.7)
        return (*grads, ad.value_and_grad(f)(0.7), ad.hvp(f, (0.7,), (1.0,)))

    want = all_of(world.process(SUBJECT).f)
    same, by_archive = found(monkeypatch, lambda: all_of(world.process(SUBJECT).f))
    assert same == want and by_archive


def test_kernels(world, monkeypatch):
    pytest.importorskip("numba")
    loop = SUBJECT.replace(
        "    return x ** N", "    for k in range(5):\n        x = x * 0.5 + helper(x)\n    return x ** N"
    )

    def run():
        module = world.process(loop)
        return [ad.grad(module.f, backend="numba")(0.7), ad.vjp(module.f, 0.7, backend="numba")[1](2.0)]

    want = run()
    same, by_archive = found(monkeypatch, run)
    assert same == want and by_archive
    assert ad.grad(sys.modules["subject"].f)(0.7) == pytest.approx(want[0], rel=1e-12)


def outcome(program, mode):
    """What a derivative gives, in bits."""
    args = program.fresh()
    if mode == "vjp":
        value, pullback = ad.vjp(program.function, *args)
        return bits((value, pullback(randn_like(value, np.random.default_rng(2))), args))
    return bits((ad.jvp(program.function, args, direction(args, 3)), args))


@pytest.mark.parametrize("program", some(collect(), 70), ids=lambda p: p.name)
@pytest.mark.parametrize("mode", ["vjp", "jvp"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_programs(program, mode, tmp_path, monkeypatch):
    monkeypatch.setenv("ADCOMPILE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("ADCOMPILE_KEEP", "1")
    want = outcome(program, mode)
    ad.clear()
    assert outcome(program, mode) == want


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_workloads(name, backend, world, monkeypatch):
    if backend == "numba":
        pytest.importorskip("numba")
    call = peers.adcompile(backend)(ROWS[name].workload(ROWS[name].small))
    want = bits(call())
    ad.clear()
    assert found(monkeypatch, lambda: bits(call())) == (want, True)


def test_what_is_put_in_the_place_of_a_librarys_function_meanwhile(tmp_path):
    """The second process loads a derivative, then replaces functions, and only then imports the compiler."""
    script = tmp_path / "script.py"
    script.write_text(
        "import math, functools, numpy as np, adcompile as ad\n"
        "from functools import reduce\n"
        "print(ad.grad(lambda x: x * x)(1.0))\n"
        "def either(f, items, *more):\n    return reduce(f, items, *more) if more else items[0] * 5.0\n"
        "def h(x):\n    return functools.reduce(max, (x, x)) * Scale.k\n"
        "def cube(x):\n    return x ** 3\n"
        "def mean(x):\n    return np.sum(x) / 10.0\n"
        "math.sin, np.mean, functools.reduce = cube, mean, either\n"
        "class Scale:\n    k = 2.0\n"
        "def f(x):\n    return math.sin(x) * Scale.k\n"
        "def g(x):\n    return np.mean(x) * Scale.k\n"
        "print(ad.grad(f)(0.5), ad.grad(g)(np.ones(2)), ad.grad(h)(0.5))\n"
    )
    for out in run_twice(script):
        assert out == "2.0\n1.5 [0.2 0.2] 10.0\n"


def test_an_entry_under_another_name_is_none(world):
    ad.clear()
    assert [ad.grad(archived_square)(3.0), ad.grad(archived_cube)(3.0)] == [6.0, 27.0]
    first, second = sorted((world.folder / "cache" / "derived").glob("*.bin"))
    one, other = first.read_bytes(), second.read_bytes()
    first.write_bytes(other)
    second.write_bytes(one)
    ad.clear()
    assert [ad.grad(archived_square)(3.0), ad.grad(archived_cube)(3.0)] == [6.0, 27.0]


def archived_square(x):
    return x * x


def archived_cube(x):
    return x * x * x
