"""Lists and dicts that are there before the program, of which it puts other things into the places it reads."""

import numpy as np
import pytest

import adcompile as ad
from adcompile import pipeline
from tests.stress import define

BODIES = {
    "none for a number": "{D}['m'] = None\nreturn x * (3.0 if {D}['m'] is None else 4.0)",
    "an array for a number": "{D}['n'] = np.arange(3.0)\nreturn np.sum(x * {D}['n'])",
    "a product with an array": "for i in range(3):\n    {D}['n'] = {D}['n'] * np.ones(2)\nreturn np.sum(x * {D}['n'])",
    "under another name": "d = {D}\nd['m'] = None\nreturn x * (3.0 if {D}['m'] is None else 4.0)",
    "as it is written": "try:\n    {D}['m'] = None\nexcept KeyError:\n    pass\nreturn x * ({D}['m'] or 4.0)",
    "at a position": "{L}[1] = None\nreturn x * (3.0 if {L}[1] is None else 4.0)",
    "moved": "{L}.insert(0, None)\nreturn x * (3.0 if {L}[1] == 1.0 else 4.0) * len({L})",
    "turned": "{L}.reverse()\nreturn x * (3.0 if isinstance({L}[0], int) else 4.0)",
    "by a helper": "def put(d):\n    d['m'] = np.ones(2)\nput({D})\nreturn np.sum(x * {D}['m'])",
    "on a path": "if x > 0:\n    {D}['m'] = np.ones(2)\nreturn np.sum(x * {D}['m'])",
    "under a key that is met": "k = 'm' if x > 0 else 'n'\n{D}[k] = np.ones(2)\nreturn np.sum(x * {D}['m'])",
    "by update": "{D}.update(m=np.ones(2))\nreturn np.sum({D}['m'] * x)",
    "all of it": "{L}[:] = [np.ones(2)]\nreturn np.sum({L}[0] * x)",
    "in the next round": "s = x\nfor i in range(4):\n    s = s + x * ({D}['m'] or 4.0)\n    {D}['m'] = None\nreturn s",
    "after it was read": "y = x * {L}[0]\n{L}[0] = None\nreturn y * (2.0 if {L}[0] is None else 3.0)",
    "by a bound method": "put = {D}.__setitem__\nput('m', None)\nreturn x * (3.0 if {D}['m'] is None else 4.0)",
    "in a function that is mapped": "list(map(lambda k: {D}.update({k: None}), ['m']))\nreturn x * ({D}['m'] or 4.0)",
    "taken out": "{D}.pop('m')\nreturn x * {D}.get('m', 5.0) * len({D})",
    "a counter": "{D}['m'] += 1\n{L}.append(3.0)\nreturn x * {D}['m'] * len({L})",
    "a new key": "{D}['q'] = {D}.get('q', 0.0) + 0.5\nreturn x * {D}['q']",
}  # fmt: skip
REFUSED = ("in the next round", "after it was read")  # as arrays are that are written after they have been read
HOLDERS = {
    "module": ("D = {'n': 1.0, 'm': 2}\nL = [1.0, 2]\n", "D", "L"),
    "object": ("class C: pass\nO = C()\nO.d, O.l = {'n': 1.0, 'm': 2}, [1.0, 2]\n", "O.d", "O.l"),
    "class": ("class C:\n    d, l = {'n': 1.0, 'm': 2}, [1.0, 2]\n", "C.d", "C.l"),
    "large": ("D = {'n': 1.0, 'm': 2, **{str(i): float(i) for i in range(40)}}\nL = [1.0, 2] + [3.0] * 40\n", "D", "L"),
    "nested": ("T = [{'n': 1.0, 'm': 2}, [1.0, 2]]\n", "T[0]", "T[1]"),
}


def made(holder, body):
    """The function, and its value at the state of the beginning, which it may write into."""
    before, d, l = HOLDERS[holder]
    text = body.replace("{D}", d).replace("{L}", l)
    return define("f", "import numpy as np\n" + before + "def f(x):\n    " + text.replace("\n", "\n    ") + "\n")


@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize("name", BODIES)
def test_what_is_read_may_be_of_another_type_than_before(holder, name):
    body = BODIES[name]
    slope = (made(holder, body)(1.5 + 1e-6) - made(holder, body)(1.5 - 1e-6)) / 2e-6
    for derive in (ad.value_and_grad, lambda f: lambda x: ad.jvp(f, (x,), (1.0,))):
        try:
            found = derive(made(holder, body))(1.5)
        except ad.AdcompileError as refused:
            assert refused.place is not None and (holder == "nested" or name in REFUSED)
        else:
            assert found[0] == made(holder, body)(1.5)
            np.testing.assert_allclose(found[1], slope, rtol=1e-6)


COUNTS, SEEN, TABLE, ROWS = {"calls": 0}, [], [0.5 + i for i in range(40)], [(0.5, i) for i in range(40)]
BY_NAME = {str(i): float(i) for i in range(40)}


def counts(x):
    COUNTS["calls"] += 1
    SEEN.append(1.0)
    return x * x


def reads_tables(x, k):
    s = 0.0
    for v in TABLE:
        s += v * x
    for a, b in ROWS:
        s += a * x**2 * b
    return s + TABLE[k] * BY_NAME[str(k)] * x


def test_a_program_that_writes_into_what_a_module_has_is_made_once(monkeypatch):
    made_before = []
    monkeypatch.setattr(pipeline, "specialised", spied(pipeline.specialised, made_before))
    gradient, by_tables = ad.grad(counts), ad.grad(reads_tables)
    for times in range(4):
        assert gradient(1.5) == 3.0
        assert by_tables(1.5, 3 + times) == pytest.approx(
            (reads_tables(1.5 + 1e-6, 3 + times) - reads_tables(1.5 - 1e-6, 3 + times)) / 2e-6
        )
    assert len(made_before) == 2
    monkeypatch.setattr("tests.analysis.test_live.TABLE", [*TABLE[:-1], "a name"])
    with pytest.raises((TypeError, ad.AdcompileError)):
        by_tables(1.5, 3)


def spied(fn, calls):
    def run(*args):
        calls.append(args)
        return fn(*args)

    return run


ARRAYS = [np.ones(2)] + [np.arange(4.0).reshape(2, 2) + i for i in range(40)]


def test_an_item_of_a_long_list_is_of_no_other_kind_than_the_others():
    def f(x, k):
        return np.sum(x @ ARRAYS[k])

    x = np.array([0.3, 0.7])
    for k in (0, 3, 1):
        expected = ARRAYS[k] if ARRAYS[k].ndim == 1 else ARRAYS[k].sum(axis=1)
        np.testing.assert_allclose(ad.grad(f)(x, k), expected)


OBJECTS = """import numpy as np
class C:
    k = 2.0
    def __init__(self):
        self.v = 2.0
    def get(self):
        return self.v
O, OTHER = C(), C()
def put(w):
    O.v = w
def f(x):
    BODY
    return READ
"""
WRITES = {
    "deleted": "del O.v",
    "by its dict": "O.__dict__['v'] = None",
    "under a name that is chosen": "o = O if x > 1 else C()\no.v = None",
    "of an object or a class": "o = C if x > 9 else O\no.v = None",
    "in a list": "[O, OTHER][int(x) - 1].v = None",
    "as it is written": "try:\n    O.v = None\nexcept KeyError:\n    pass",
    "in a with": "with np.errstate(all='ignore'):\n    O.v = None",
    "by a function as it is written": "try:\n    put(None)\nexcept KeyError:\n    pass",
    "by a name that is met": "setattr(O, 'v' if x > 1 else 'w', None)",
}
READS = (
    "x * (3.0 if O.v is None else 4.0)",
    "x * (3.0 if O.get() is None else 4.0)",
    "x * (3.0 if hasattr(O, 'v') else 4.0)",
    "x * (3.0 if getattr(O, 'v', 5.0) is None else 4.0)",
)


@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize("write", WRITES.values(), ids=list(WRITES))
def test_an_attribute_of_a_live_object_that_code_sets_unseen(write, read):
    def again():
        return define("f", OBJECTS.replace("BODY", write.replace("\n", "\n    ")).replace("READ", read))

    for derive in (ad.value_and_grad, lambda f: lambda x: ad.jvp(f, (x,), (1.0,))):
        try:
            value = again()(1.5)
        except AttributeError:
            with pytest.raises(AttributeError):
                derive(again())(1.5)
        else:
            assert derive(again())(1.5) == (value, value / 1.5)


def begin():
    return {"a": np.array([1.0, 2.0]), "n": 0}, [np.array([1.0, 2.0]), 3.0], {}


STATE, LIST, MEMO = begin()


def nodes(n):
    if n not in MEMO:
        MEMO[n] = np.arange(1.0, n + 1)
    return MEMO[n]


def replaced_in_a_loop(x):
    y = x * np.ones(2)
    for _ in range(3):
        y = np.sin(y * STATE["a"]) * LIST[1]
        STATE["a"], LIST[1] = STATE["a"] + 1.0, LIST[1] * 0.5
    return np.sum(y)


def counted_beside_arrays(x):
    y = np.sum(x * STATE["a"]) ** 2
    STATE["n"] += 1
    LIST.append(np.zeros(2))
    return y * y * len(LIST)


def memoised_nodes(x):
    s = 0.0
    for n in (2, 3, 2):
        s = s + np.sum(np.exp(x * nodes(n)))
    return s


def under_two_names(x):
    MEMO["l"] = LIST
    y = x * MEMO["l"][0]
    LIST[0] = np.zeros(2)
    return np.sum(y * y)


def a_list_as_an_operand(x):
    MEMO["l"] = [1.0, 2.0]
    y = np.dot(x * np.ones(2), MEMO["l"])
    MEMO["l"] = [5.0, 6.0]
    return y * y


@pytest.mark.parametrize(
    "f", [replaced_in_a_loop, counted_beside_arrays, memoised_nodes, under_two_names, a_list_as_an_operand]
)
def test_what_is_put_into_a_container_leaves_what_was_read_before(f, monkeypatch):
    def at(x, run=f):
        for name, value in zip(("STATE", "LIST", "MEMO"), begin()):
            monkeypatch.setattr(f"tests.analysis.test_live.{name}", value)
        return run(x)

    slope = (at(0.7 + 1e-6) - at(0.7 - 1e-6)) / 2e-6
    value, gradient = at(0.7, ad.value_and_grad(f))
    assert value == pytest.approx(at(0.7))
    assert gradient == pytest.approx(slope, rel=1e-6)
    _, pullback = at(0.7, lambda x: ad.vjp(f, x))
    STATE["a"] = LIST[0] = np.zeros(2)
    assert pullback(1.0) == pullback(1.0) == (gradient,)
    assert at(0.7, lambda x: ad.jvp(f, (x,), (1.0,)))[1] == pytest.approx(gradient)
