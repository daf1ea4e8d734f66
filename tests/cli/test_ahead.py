import importlib
import linecache
import os
import subprocess
import sys

import numpy as np
import pytest

import adcompile as ad
from adcompile.cli.ahead import Target, build, configured, staleness
from adcompile.errors import AdcompileError, Outdated, SignatureMismatch

LOSS = "float64[:], float64[:,:], float64[:]"
ARGS = np.array([1.0, -2.0]), np.array([[1.0, 2.0], [0.5, 3.0], [0.0, 1.0]]), np.array([1.0, 0.0, 2.0])


def module(target):
    target.path.write_text(build(target))
    sys.modules.pop(target.path.stem, None)
    importlib.invalidate_caches()
    return importlib.import_module(target.path.stem)


def same(a, b):
    if isinstance(a, tuple):
        return type(b) is tuple and len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and np.array_equal(a, b)


def primal(name="loss"):
    return getattr(sys.modules["model"], name)


@pytest.mark.parametrize(
    "options, name, transform, argnums",
    [
        ({"argnums": ("w",)}, "loss_grad", ad.grad, 0),
        ({"argnums": ("w", "y")}, "loss_grad", ad.grad, (0, 2)),
        ({"argnums": ("x",), "value": True}, "loss_value_and_grad", ad.value_and_grad, 1),
        ({"argnums": ("w", "x"), "value": True}, "loss_value_and_grad", ad.value_and_grad, (0, 1)),
    ],
)
def test_the_module_gives_what_the_transform_gives(folder, options, name, transform, argnums):
    made = module(Target("model.py:loss", "made.py", folder, signatures=(LOSS,), **options))
    assert same(getattr(made, name)(*ARGS), transform(primal(), argnums)(*ARGS))


def test_forward_mode(folder):
    made = module(Target("model.py:loss", "made.py", folder, ("w",), (LOSS,), mode="forward"))
    assert same(made.loss_jvp(*ARGS, np.ones(2)), ad.jvp(primal(), ARGS, (np.ones(2), None, None)))
    with pytest.raises(TypeError, match="w_dot"):
        made.loss_jvp(*ARGS, np.ones(3))


def test_defaults_and_keywords_are_the_primals(folder):
    made = module(Target("model.py:typed", "made.py", folder))
    assert made.typed_grad(0.5) == made.typed_grad(x=0.5, n=3) == ad.grad(primal("typed"))(0.5)
    assert made.typed_grad(0.5, 4) == ad.grad(primal("typed"))(0.5, 4)


def test_module_data_is_read_live(folder):
    made = module(Target("model.py:typed", "made.py", folder))
    once = made.typed_grad(0.5)
    sys.modules["model"].SCALE = 5.0
    assert made.typed_grad(0.5) == 2.0 * once


def test_other_types_are_refused_with_the_signature_to_add(folder):
    target = Target("model.py:loss", "made.py", folder, ("w",), (LOSS,))
    made = module(target)
    given = (*(a.astype("f4") for a in ARGS[:2]), ARGS[2])
    with pytest.raises(SignatureMismatch) as caught:
        made.loss_grad(*given)
    text = str(caught.value)
    assert f"{folder / 'model.py'}:13:1: loss_grad() was called with" in text and "def loss(w, x, y):" in text
    wanted = "float32[:], float32[:,:], float64[:]"
    assert f'--signature "{wanted}"' in text
    more = module(Target("model.py:loss", "made.py", folder, ("w",), (LOSS, wanted)))
    assert more.loss_grad(*given).dtype == np.float32 and more.loss_grad(*ARGS).dtype == np.float64


LIVE = """\
import numpy as np

WEIGHTS = [0.5, 2.0]
LIMITS = {"low": -1.0, "table": (1.0, np.ones(2))}
SQUARED = True


def scaled(x, by=(2.0, 3.0)):
    return x * by[0]


def f(x: float):
    y = sum([w * x for w in WEIGHTS]) + scaled(x) * LIMITS["low"] * LIMITS["table"][1][0]
    return y * y if SQUARED else y
"""


@pytest.mark.parametrize(
    "change, what",
    [
        ("WEIGHTS.append(1.0)", r"built with live.WEIGHTS as \[float, float\]; now it is \[float, float, float\]"),
        ("WEIGHTS = (0.5, 2.0)", r"now it is \(float, float\)"),
        ("WEIGHTS[0] = 1", r"now it is \[int, float\]"),
        ("LIMITS['low'] = np.ones(3)", r"live.LIMITS"),
        ("LIMITS['table'] = (1.0, np.ones((2, 2)))", "live.LIMITS"),
        ("del LIMITS['low']", "live.LIMITS"),
        ("SQUARED = False", "built with live.SQUARED as True; now it is False"),
        ("scaled.__defaults__ = ((2, 3.0),)", "__defaults__"),
        ("def scaled(x): return 3.0 * x", "live.scaled as the function it was; now its source is another"),
        ("del scaled", "now it is not there"),
    ],
)
def test_what_a_module_assumes_is_guarded(folder, change, what):
    (folder / "live.py").write_text(LIVE)
    made = module(Target("live.py:f", "made.py", folder))
    live = sys.modules["live"]
    assert made.f_grad(1.5) == ad.grad(live.f)(1.5)
    live.WEIGHTS[0] = 0.25  # numbers may change
    assert made.f_grad(1.5) == ad.grad(live.f)(1.5)
    name = f"<change {change}>"
    linecache.cache[name] = (len(change), None, [change], name)
    exec(compile(change, name, "exec"), vars(live))
    with pytest.raises(Outdated, match=what) as caught:
        made.f_grad(1.5)
    text = str(caught.value)
    assert f"{folder / 'live.py'}:12:1" in text and "run the command at the top of made.py" in text


def test_a_source_that_was_edited_is_noticed_where_it_is_loaded(folder):
    text = LIVE.replace("WEIGHTS = [0.5, 2.0]", "WEIGHTS = np.array([0.5, 2.0])")
    (folder / "live.py").write_text(text)
    (folder / "made.py").write_text(build(Target("live.py:f", "made.py", folder)))
    (folder / "live.py").write_text(text.replace("x * by[0]", "x * by[1]"))
    code = "import live, made\ntry: made.f_grad(1.5)\nexcept RuntimeError as e: print(type(e).__name__, e)"
    path = os.pathsep.join([str(folder), os.path.dirname(os.path.dirname(ad.__file__))])
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("Outdated") and "live.scaled" in done.stdout


FIRST = """\
import enum

K = 2.0


class Cfg:
    k = 2.0

    @property
    def twice(self):
        return 2.0 * self.k

    @staticmethod
    def least(x):
        return x * 0.5


class Color(enum.Enum):
    RED = 3


def act(x):
    return K * x


"""

SECOND = FIRST.replace("2.0", "5.0")

REBOUND = """\
import functools
import math

import first as whole
from first import Cfg, Color, act

POWER, FACTOR = 2, 2.0
CHOSEN = act
TABLE = {"f": act, (1, 2): 2.0}
TIMES = lambda x: 2.0 * x
PARTIAL = functools.partial(pow, exp=2)


class Base:
    w = 2.0

    def go(self, x):
        return x * self.w


class Below(Base):
    pass


def closed(f):
    @functools.wraps(f)
    def inner(x):
        return 3.0 * f(x)

    return inner


def twice(x):
    return 2.0 * x


@closed
def wrapped(x):
    return x * x


@functools.lru_cache
def cached(n):
    return float(n)


OBJECT, OTHER, CONFIG = Below(), Below(), Cfg()


def f_function(x: float): return act(x)
def f_class(x: float): return x * Cfg.k
def f_module(x: float): return x * whole.K
def f_of_module(x: float): return whole.act(x)
def f_name(x: float): return CHOSEN(x)
def f_table(x: float): return TABLE["f"](x) * TABLE[1, 2]
def f_lambda(x: float): return TIMES(x)
def f_partial(x: float): return PARTIAL(x)
def f_default(x: float, p=FACTOR): return x * p
def f_power(x: float, p=POWER): return x**p
def f_keyword(x: float, *, p=FACTOR): return x * p
def f_method(x: float): return OBJECT.go(x)
def f_property(x: float): return x * CONFIG.twice
def f_static(x: float): return CONFIG.least(x)
def f_static_of_class(x: float): return Cfg.least(x)
def f_closure(x: float): return wrapped(x)
def f_enum(x: float): return x * Color.RED.value
def f_library(x: float): return math.sin(x)
def f_builtin(x: float): return abs(x)
def f_cached(x: float): return x * cached(2)


def f_written(x: float):
    OBJECT.w = x
    OTHER.w = 3.0 * x
    return OBJECT.w * OTHER.w
"""

REBINDING = [
    ("function", "act = second.act"),
    ("function", "act = math.sin"),
    ("class", "Cfg = second.Cfg"),
    ("module", "whole = second"),
    ("of_module", "whole = second"),
    ("of_module", "whole.act = second.act"),
    ("name", "CHOSEN = second.act"),
    ("name", "CHOSEN = twice"),
    ("table", "TABLE = {'f': second.act, (1, 2): 2.0}"),
    ("table", "TABLE['f'] = math.sin"),
    ("lambda", "TIMES = lambda x: 5.0 * x"),
    ("partial", "PARTIAL = functools.partial(pow, exp=3)"),
    ("partial", "PARTIAL = functools.partial(round, ndigits=3)"),
    ("default", "f_default.__defaults__ = (5.0,)"),
    ("default", "f_default.__defaults__ = (2.0, 2.0)"),
    ("power", "f_power.__defaults__ = (3,)"),
    ("keyword", "f_keyword.__kwdefaults__ = {'p': 5.0}"),
    ("method", "OBJECT = Base()"),
    ("method", "Below.go = lambda self, x: 5.0 * x"),
    ("method", "Base.go = lambda self, x: 5.0 * x"),
    ("method", "Below.w = property(lambda self: 5.0)"),
    ("method", "OBJECT.go = twice"),
    ("property", "Cfg.twice = second.Cfg.twice"),
    ("property", "Cfg.twice = 3.0"),
    ("static", "Cfg.least = staticmethod(twice)"),
    ("static_of_class", "Cfg.least = staticmethod(twice)"),
    ("closure", "wrapped = closed(twice)"),
    ("enum", "Color = second.Color"),
    ("library", "import cmath as math"),
    ("builtin", "abs = twice"),
    ("cached", "cached = lambda n: 5.0"),
    ("written", "OTHER = OBJECT"),
    ("written", "Below.__setattr__ = lambda self, name, value: None"),
    ("written", "Base.w = property(lambda self: 5.0, lambda self, value: None)"),
    ("written", "CHOSEN = act"),
]


def load_rebound(folder, target):
    (folder / "first.py").write_text(FIRST)
    (folder / "second.py").write_text(SECOND)
    (folder / "rebound.py").write_text(REBOUND + "\n\nimport second\n")
    made = module(Target(f"rebound.py:f_{target}", "made.py", folder))
    return getattr(made, f"f_{target}_grad"), sys.modules["rebound"]


@pytest.mark.parametrize("target, change", REBINDING)
def test_what_names_lead_to_is_compared(folder, target, change):
    made, rebound = load_rebound(folder, target)
    expected = ad.grad(vars(rebound)[f"f_{target}"])
    assert made(1.5) == expected(1.5)
    exec(change, vars(rebound))
    if change == "CHOSEN = act":  # nothing has changed
        assert made(1.5) == expected(1.5)
        return
    with pytest.raises(Outdated):
        made(1.5)


@pytest.mark.parametrize(
    "target, old, new",
    [
        ("function", "from first", "from second"),
        ("class", "from first", "from second"),
        ("module", "import first", "import second"),
        ("name", "CHOSEN = act", "CHOSEN = lambda x: 3.0 * x"),
        ("default", "FACTOR = 2, 2.0", "FACTOR = 2, 5.0"),
        ("power", "FACTOR = 2, 2.0", "FACTOR = 3, 2.0"),
        ("method", "class Below(Base):", "class Below(Base):\n    go = lambda self, x: 5.0 * x\n"),
    ],
)
def test_edits_outside_of_functions_are_noticed(folder, target, old, new):
    load_rebound(folder, target)
    text = build(Target(f"rebound.py:f_{target}", "made.py", folder))
    (folder / "made.py").write_text(text)
    assert old in REBOUND
    (folder / "rebound.py").write_text(REBOUND.replace(old, new))
    code = f"import rebound, made\ntry: made.f_{target}_grad(1.5)\nexcept RuntimeError as e: print(type(e).__name__, e)"
    path = os.pathsep.join([str(folder), os.path.dirname(os.path.dirname(ad.__file__))])
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("Outdated")


def test_what_no_other_process_can_compare_is_refused(folder):
    (folder / "keyed.py").write_text(
        "class Key: pass\n\n\nKEY = Key()\nTABLE = {KEY: abs}\n\n\ndef f(x: float):\n    return TABLE[KEY](x)\n"
    )
    with pytest.raises(AdcompileError, match="which another process cannot compare"):
        build(Target("keyed.py:f", "made.py", folder))


def test_code_that_runs_as_written_comes_along(folder):
    (folder / "logged.py").write_text(
        "LOG = []\n\n\ndef note(x):\n    with open(__file__) as f:\n        LOG.append(len(f.read()))\n\n\n"
        "def f(x: float):\n    note(1)\n    return x * x\n"
    )
    made = module(Target("logged.py:f", "made.py", folder))
    assert made.f_grad(3.0) == 6.0 and len(sys.modules["logged"].LOG) == 1


def test_it_needs_numpy_and_the_runtime_alone(folder):
    Target("model.py:loss", "made.py", folder, ("w",), (LOSS,)).path.write_text(
        build(Target("model.py:loss", "made.py", folder, ("w",), (LOSS,)))
    )
    code = "import made, sys; print(sorted(m for m in sys.modules if m.startswith(('adcompile', 'model', 'gast'))))"
    path = os.pathsep.join([str(folder), os.path.dirname(os.path.dirname(ad.__file__))])
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=True
    )
    loaded = [m for m in eval(done.stdout) if not m.startswith("adcompile.runtime")]
    assert loaded == ["adcompile", "adcompile.collecting", "adcompile.errors", "adcompile.frozen"]


def test_stale_and_fresh(folder):
    target = Target("model.py:typed", "made.py", folder)
    text = build(target)
    assert staleness(target, text) == "it does not exist"
    target.path.write_text(text)
    assert staleness(target, build(target)) == ""
    other = Target("model.py:typed", "made.py", folder, signatures=("float, int", "float64, int"))
    assert "signature" in staleness(other, build(other))
    model = folder / "model.py"
    model.write_text(model.read_text().replace("* SCALE", "* SCALE * 2.0"))  # in a function that is followed
    del sys.modules["model"]
    assert staleness(target, build(target)) == "the source has changed since"


def test_targets_in_pyproject(folder):
    (folder / "pyproject.toml").write_text(
        '[[tool.adcompile.build]]\nfunction = "model.py:loss"\noutput = "out.py"\nargnums = "w"\n'
        f'signature = "{LOSS}"\nvalue = true\n'
    )
    (folder / "inner").mkdir()
    assert configured(folder / "inner") == [Target("model.py:loss", "out.py", folder, ("w",), (LOSS,), value=True)]


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "names no targets"),
        ("[", "does not parse"),
        ('[[tool.adcompile.build]]\nfunction = "a:b"\n', "a target has the keys"),
        ('[[tool.adcompile.build]]\nfunction = "a:b"\noutput = "c"\nmode = "up"\n', "mode is forward or reverse"),
        ("tool = 3", "names no targets"),
        ("[tool]\nadcompile = 3", "names no targets"),
        ('[tool.adcompile.build]\nfunction = "a:b"\noutput = "c"\n', "names no targets"),
        ('[[tool.adcompile.build]]\nfunction = 3\noutput = "c"\n', "function is a string, not 3"),
        ('[[tool.adcompile.build]]\nfunction = "a:b"\noutput = ""\n', "output is a string, not ''"),
        ('[[tool.adcompile.build]]\nfunction = "a:b"\noutput = "c"\nvalue = "no"\n', "value is true or false"),
        ('[[tool.adcompile.build]]\nfunction = "a:b"\noutput = "c"\nsignature = 3\n', "signature is a string or"),
        ('[[tool.adcompile.build]]\nfunction = "a:b"\noutput = "c"\nargnums = {a = 1}\n', "argnums is a string or"),
        (2 * '[[tool.adcompile.build]]\nfunction = "a:b"\noutput = "c"\n', "two targets are written to c"),
        ("# \udce9", "does not parse"),
    ],
)
def test_pyproject_that_is_wrong(folder, text, message):
    (folder / "pyproject.toml").write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(AdcompileError, match=r"pyproject\.toml") as caught:
        configured(folder)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "source, message",
    [
        ("def f(x, *rest):\n    return x\n", r"takes \*rest"),
        (
            "def make(k):\n    def f(x: float):\n        return x * k\n    return f\n\n\nf = make(2.0)\n",
            "captures variables",
        ),
        ("class M:\n    def f(self, x: float):\n        return x\n\n\nf = M().f\n", "bound to an object"),
        ("import numpy as np\n\n\ndef f(x: float, w=np.ones(2)):\n    return x * w[0]\n", "cannot be written"),
    ],
)
def test_functions_that_cannot_be_built(folder, source, message):
    (folder / "odd.py").write_text(source)
    with pytest.raises(AdcompileError, match=message) as caught:
        build(Target("odd.py:f", "made.py", folder))
    assert "odd.py:" in str(caught.value)
