"""What classes and functions say, replaced between two calls of a derivative."""

from typing import NamedTuple

import numpy as np
import pytest

import adcompile as ad


class Rule:
    def of(self, x):
        return np.sum(x**2)

    @property
    def weight(self):
        return 2.0

    @staticmethod
    def scaled(x):
        return x * 2.0

    @classmethod
    def shifted(cls, x):
        return x + 1.0

    def __call__(self, x):
        return np.sum(x)


class Special(Rule):
    pass


def with_default(x, k=2.0):
    return x * k


def all_of(x, rule):
    parts = rule.of(x) * rule.weight + np.sum(rule.scaled(x)) + np.sum(Rule.shifted(x) ** 2)
    return parts + rule(x) ** 2 + np.sum(with_default(x) ** 3)


@pytest.mark.parametrize(
    ("owner", "name", "other"),
    [
        (Special, "of", lambda self, x: np.sum(x**3)),
        (Rule, "of", lambda self, x: np.sum(x**3)),
        (Rule, "weight", property(lambda self: 5.0)),
        (Rule, "scaled", staticmethod(lambda x: x * 7.0)),
        (Rule, "shifted", classmethod(lambda cls, x: x - 1.0)),
        (Rule, "__call__", lambda self, x: 3.0 * np.sum(x)),
        (with_default, "__defaults__", (4.0,)),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_what_classes_say_is_replaced(monkeypatch, owner, name, other):
    x, g = np.array([1.2, -0.7]), ad.value_and_grad(all_of)
    before = g(x, Special())[0]
    assert before == all_of(x, Special())
    monkeypatch.setattr(owner, name, other, raising=False)
    after = all_of(x, Special())
    assert after != before and g(x, Special())[0] == after


def to_itself(n, k=2.0):
    return n * k if n < 1 else n * to_itself(n - 1.0)


def in_turn(n, k=2.0):
    return n * k if n < 1 else handed_back(n - 1.0) * n


def handed_back(n):
    return in_turn(n)


@pytest.mark.parametrize("fn", [to_itself, in_turn])
def test_defaults_of_the_function_itself(monkeypatch, fn):
    g = ad.value_and_grad(fn)
    assert g(1.5)[0] == fn(1.5) == 1.5
    monkeypatch.setattr(fn, "__defaults__", (3.0,))
    assert g(1.5)[0] == fn(1.5) == 2.25


class Weighted:
    rate = 2.0

    def __init__(self, w=1.0):
        self.w = w

    def of(self, x):
        return np.sum(x**2) * self.w * self.rate


class Heavy:
    rate = 3.0

    def __init__(self, w=1.0):
        self.w, self.extra = 4.0 * w, 1.0

    def of(self, x):
        return np.sum(x**3) * self.w * self.rate

    def __len__(self):
        return 3


class Plain(Weighted):
    pass


class Louder(Weighted):
    def of(self, x):
        return 1.5 * super().of(x)


class Below(Louder):
    pass


class Counted(Weighted):
    def __len__(self):
        return 2


class Beside(Counted, Weighted):
    pass


def given(x, o):
    return o.of(x)


def made(x):
    return Plain(2.0).of(x)


def looked_at(x, o):
    return np.sum(x) * (2.0 if isinstance(o, Weighted) else 3.0)


def made_and_looked_at(x):
    return np.sum(x) * (2.0 if isinstance(Plain(2.0), (Weighted, int)) else 3.0)


def of_classes(x):
    return np.sum(x) * (2.0 if issubclass(Plain, (int, Weighted)) else 3.0)


def has_length(x, o):
    return np.sum(x) * (2.0 if hasattr(o, "__len__") else 3.0)


def asks_length(x, o):
    return np.sum(x) * len(o)


def can_be_called(x, o):
    return np.sum(x) * (2.0 if callable(o) else 3.0)


class Called(Weighted):
    def __call__(self):
        return 1.0


BASES = [
    (given, Plain, Plain, (Heavy,)),
    (given, Louder, Louder, (Heavy,)),
    (given, Below, Louder, (Heavy,)),
    (made, None, Plain, (Heavy,)),
    (looked_at, Plain, Plain, (Heavy,)),
    (made_and_looked_at, None, Plain, (Heavy,)),
    (of_classes, None, Plain, (Heavy,)),
    (has_length, Plain, Plain, (Heavy,)),
    (asks_length, Beside, Beside, (Heavy, Counted)),
    (can_be_called, Plain, Plain, (Called,)),
]


@pytest.mark.parametrize(("f", "cls", "changed", "bases"), BASES, ids=lambda v: getattr(v, "__name__", ""))
def test_classes_get_other_bases(f, cls, changed, bases):
    x, g = np.array([1.2, -0.7]), ad.value_and_grad(f)
    rest = () if cls is None else (cls(2.0),)
    before, first = g(x, *rest)[0], changed.__bases__
    assert before == f(x, *rest)
    changed.__bases__ = bases
    try:
        after = f(x, *rest)
        assert after != before and g(x, *rest)[0] == after
    finally:
        changed.__bases__ = first


def stored_by_its_class(x):
    o = Setting()
    o.w = x[0] ** 2
    return o.w * o.missing


class Setting:
    def __setattr__(self, name, value):
        object.__setattr__(self, name, 2.0 * value)

    def __getattr__(self, name):
        return 2.0


def weigh(self, w):
    self.w = 11.0 * w


@pytest.mark.parametrize(
    ("f", "owner", "name", "other"),
    [
        (made, Weighted, "__init__", weigh),
        (made, Plain, "__init__", weigh),
        (made, Plain, "__new__", staticmethod(lambda cls, w: Heavy(w))),
        (stored_by_its_class, Setting, "__setattr__", lambda self, name, v: object.__setattr__(self, name, 5.0 * v)),
        (stored_by_its_class, Setting, "__getattr__", lambda self, name: 7.0),
        (lambda x: Louder(2.0).of(x), Weighted, "of", lambda self, x: np.sum(x**3)),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_what_makes_and_keeps_objects_is_replaced(monkeypatch, f, owner, name, other):
    x, g = np.array([1.2, -0.7]), ad.value_and_grad(f)
    before = g(x)[0]
    assert before == f(x)
    monkeypatch.setattr(owner, name, other, raising=False)
    after = f(x)
    assert after != before and g(x)[0] == after


class Slotted:
    __slots__ = ("late", "w")


class Late:
    def of(self, x):
        return 2.0 * x


HELD, SLOTTED, NESTED = Late(), Slotted(), {"of": [Late()]}


def captured():
    held = Late()
    return held, lambda x: x * getattr(held, "late", 2.0) * held.of(1.0)


CAPTURED, reads_captured = captured()


@pytest.mark.parametrize(
    ("f", "owner"),
    [
        (lambda x: x * getattr(HELD, "late", 2.0), HELD),
        (lambda x: x * (5.0 if hasattr(HELD, "late") else 2.0), HELD),
        (lambda x: x * (2.0 if getattr(HELD, "late", None) is None else 3.0), HELD),
        (lambda x: x * getattr(NESTED["of"][0], "late", 2.0), NESTED["of"][0]),
        (lambda x: x * getattr(SLOTTED, "late", 2.0), SLOTTED),
        (lambda x: x * (5.0 if hasattr(SLOTTED, "late") else 2.0), SLOTTED),
        (lambda x: x * getattr(HELD, "late", 2.0), Late),
        (lambda x: x * (5.0 if hasattr(HELD, "late") else 2.0), Late),
        (lambda x: x * (5.0 if hasattr(Late, "late") else 2.0), Late),
        (lambda x: x * (5.0 if hasattr(with_default, "late") else 2.0), with_default),
        (reads_captured, CAPTURED),
        (reads_captured, Late),
        (lambda x, held=HELD: x * getattr(held, "late", 2.0), HELD),
    ],
)
def test_an_attribute_of_an_object_comes_and_goes(monkeypatch, f, owner):
    g = ad.value_and_grad(f)
    first = f(1.5)
    assert g(1.5) == (first, first / 1.5)
    with monkeypatch.context() as change:
        change.setattr(owner, "late", 5.0, raising=False)
        assert f(1.5) != first and g(1.5) == (f(1.5), f(1.5) / 1.5)
    assert g(1.5) == (first, first / 1.5)


def test_an_object_gets_a_method_of_its_own(monkeypatch):
    def f(x, held=None):
        return HELD.of(x) * (1.0 if held is None else held.of(1.0) * getattr(held, "late", 1.0))

    g = ad.value_and_grad(f)
    assert g(1.5) == (3.0, 2.0) and g(1.5, HELD) == (6.0, 4.0)
    monkeypatch.setattr(Late, "late", 3.0, raising=False)
    assert g(1.5, HELD) == (18.0, 12.0)
    monkeypatch.setattr(HELD, "of", lambda x: 3.0 * x, raising=False)
    assert g(1.5) == (4.5, 3.0)
    monkeypatch.undo()
    assert g(1.5) == (3.0, 2.0) and g(1.5, HELD) == (6.0, 4.0)


class Under:
    pass


class Bare(Under):
    def __init__(self, v=2.0):
        self.v = self.a = v


class Record(NamedTuple):
    a: float
    b: float


class RecordBelow(Record):
    pass


BARE = Bare()


def sets(x, o):
    o.a = x * 3.0
    return o.a * x


def adds_in_place(x, o):
    o += x
    return o.v * x


def is_true(x, o):
    return x * 2.0 if o else x * 5.0


def may_call(x, o):
    return o(x) if callable(o) else x


def compares(x, o):
    return x * 2.0 if o == o.__class__(2.0) else x * 5.0


def compares_lists(x, o):
    return x * 2.0 if [o] == [Bare(2.0)] else x * 5.0


def deletes(x, o):
    o.z = x
    del o.z
    return x * 5.0 if hasattr(o, "z") else x * 2.0


def sets_live(x, o):
    BARE.w = x * 3.0
    return BARE.w * (1.0 if BARE else 2.0)


def calls_live(x, o):
    return BARE(x) if callable(BARE) else x


def reads(x, o):
    return x * o.a


def makes(x, o):
    return x * 2.0 if Bare(1.0) else x * 5.0


def reads_field(x, o):
    return x * Record(2.0, 3.0).a * RecordBelow(4.0, 3.0).a


class Doubled:
    def __get__(self, o, cls=None):
        return o.v * 7.0

    def __set__(self, o, value):
        o.v = value


def doubles(self, name, value):
    object.__setattr__(self, name, 2.0 * value)


def adds(self, x):
    self.v = self.v + x
    return self


GAINED = [
    (sets, "__setattr__", doubles),
    (sets, "a", Doubled()),
    (is_true, "__bool__", lambda self: False),
    (is_true, "__len__", lambda self: 0),
    (may_call, "__call__", lambda self, x: 9.0 * x),
    (compares, "__eq__", lambda self, other: True),
    (compares_lists, "__eq__", lambda self, other: True),
    (deletes, "__delattr__", lambda self, name: None),
    (sets_live, "__setattr__", doubles),
    (sets_live, "__bool__", lambda self: False),
    (sets_live, "w", Doubled()),
    (calls_live, "__call__", lambda self, x: 9.0 * x),
    (reads, "a", property(lambda self: self.v * 7.0)),
    (reads, "__getattribute__", lambda self, name: 7.0),
    (makes, "__bool__", lambda self: False),
]


@pytest.mark.parametrize("cls", [Under, Bare])
@pytest.mark.parametrize(("fn", "name", "said"), GAINED)
def test_a_class_gets_what_it_did_not_say(monkeypatch, cls, fn, name, said):
    g, objects = ad.value_and_grad(fn), [Bare() for _ in range(4)]
    before = fn(1.5, objects[0])
    assert g(1.5, objects[1])[0] == before
    monkeypatch.setattr(cls, name, said, raising=False)
    after = fn(1.5, objects[2])
    assert after != before and g(1.5, objects[3])[0] == after


@pytest.mark.parametrize("cls", [Under, Bare])
def test_a_class_gets_an_operator_in_place(monkeypatch, cls):
    g = ad.value_and_grad(adds_in_place)
    with pytest.raises(TypeError):
        g(1.5, Bare())
    monkeypatch.setattr(cls, "__iadd__", adds, raising=False)
    assert g(1.5, Bare()) == (adds_in_place(1.5, Bare()), 5.0)


@pytest.mark.parametrize("cls", [Record, RecordBelow])
def test_a_field_becomes_a_property(monkeypatch, cls):
    g = ad.value_and_grad(reads_field)
    assert g(1.5, None) == (12.0, 8.0)
    monkeypatch.setattr(cls, "a", property(lambda self: self[1] * 10.0))
    assert g(1.5, None)[0] == reads_field(1.5, None) > 12.0


def test_gradients_of_objects_whose_class_computes_what_they_hold(monkeypatch):
    g = ad.grad(reads, (0, 1))
    assert g(1.5, Bare(2.0))[1].a == 1.5
    o = Bare(2.0)
    monkeypatch.setattr(Bare, "a", property(lambda self: self.v * 7.0), raising=False)
    x_bar, o_bar = g(1.5, o)
    assert x_bar == 14.0 and vars(o_bar) == {"v": 10.5, "a": 0.0}
