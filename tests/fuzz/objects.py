"""Productions of classes and objects."""

from __future__ import annotations

from tests.fuzz.constructs import register
from tests.fuzz.generator import Generator
from tests.fuzz.kinds import NUMBER, Ex, Object, Shape, Var

INIT = """\
    def __init__(self, a, s):
        self.a = a
        self.s = s
"""
METHODS = """
    def energy(self):
        return np.sum(self.a * self.a) * self.s

    def scale(self, k):
        self.s = self.s * k
        return self.s

    def move(self, step):
        self.a = self.a + step
"""
WRITES = """
    def shift(self, step):
        self.a += step

    def put(self, value):
        self.a[0] = value
"""

CLASSES = {
    "Plain": "class Plain:\n" + INIT + METHODS,
    "Slotted": "class Slotted:\n    __slots__ = ('a', 's')\n\n" + INIT + METHODS,
    "Data": "@dataclass\nclass Data:\n    a: np.ndarray\n    s: float\n" + METHODS,
    "Derived": "class Base:\n" + INIT + METHODS + "\n\nclass Derived(Base):\n    rate = 0.5\n\n"
    "    def __init__(self, a, s):\n        super().__init__(a, s * self.rate)\n\n"
    "    def energy(self):\n        return super().energy() + self.s\n",
    "Wrapped": "class Wrapped:\n" + INIT + METHODS + "\n    @property\n    def double(self):\n"
    "        return self.s * 2.0\n\n"
    "    def __getitem__(self, i):\n        return self.a[i] * self.s\n\n"
    "    def __add__(self, other):\n        return Wrapped(self.a + other, self.s)\n",
}


def need_class(g: Generator, writes: bool = False) -> str:
    name = g.rng.choice(list(CLASSES))
    if name not in g.classes:
        g.classes[name] = CLASSES[name] + WRITES
    return name


def need_object(g: Generator) -> Var:
    found = g.vars_of(Object)
    return g.pick(found) if found and g.chance(0.85) else make_object(g)


def array_value(g: Generator, shape: Shape) -> str:
    e = g.tame(g.array(shape, 1))
    return f"np.array({e.text})"


@register("object", "objects", "statement")
def make_object(g: Generator) -> Var:
    name = need_class(g)
    shape = g.shape(1, 1)
    return g.bind(Object(name, shape), f"{name}({array_value(g, shape)}, {g.tame(g.number(1)).text})", stem="box")


def _read(name: str, text: str) -> None:
    @register(name, "objects", "number", 0.7)
    def read(g: Generator, depth: int) -> Ex:
        v = g.pick(g.vars_of(Object)) if g.frozen else need_object(g)
        return Ex(text.format(v.name), 3.0)


_read("attribute", "({0}.s * {0}.a[0])")
_read("method", "{}.energy()")


@register("attribute_set", "objects", "statement")
def attribute_set(g: Generator) -> None:
    v = need_object(g)
    kind: Object = v.kind
    if g.chance(0.4):
        g.emit(f"{v.name}.s {g.rng.choice(('+=', '*=', '-='))} {g.tame(g.number(1), 1.3).text}")
    elif g.chance(0.5):
        g.emit(f"{v.name}.s = {g.tame(g.number(2)).text}")
    else:
        g.emit(f"{v.name}.a = {array_value(g, kind.shape)}")


@register("attribute_write", "objects", "statement", 0.8)
def attribute_write(g: Generator) -> None:
    """Into the array that an object holds."""
    v = need_object(g)
    e = g.tame(g.number(1), 1.2).text
    form = g.rng.choice(("{v}.a[0] = {e}", "{v}.a += {e}", "{v}.a[-1] *= {e}", "{v}.shift({e})", "{v}.put({e})"))
    g.emit(form.format(v=v.name, e=e))


@register("method_changes", "objects", "statement", 0.8)
def method_changes(g: Generator) -> None:
    v = need_object(g)
    e = g.tame(g.number(1), 1.2).text
    if g.chance(0.5):
        g.bind(NUMBER, f"{v.name}.scale({e})", 3.0)
    else:
        g.emit(f"{v.name}.{g.rng.choice(('move', 'scale'))}({e})")


@register("object_alias", "objects", "statement", 0.5)
def object_alias(g: Generator) -> None:
    v = need_object(g)
    w = g.bind(v.kind, v.name, stem="box")
    g.emit(f"{w.name}.s = {g.tame(g.number(1)).text}")


@register("object_in_list", "objects", "statement", 0.5)
def object_in_list(g: Generator) -> None:
    v = need_object(g)
    name, e = g.fresh("boxes"), g.fresh("box")
    g.emit(f"{name} = [{v.name}, {v.kind.name}({v.name}.a * 0.5, {g.tame(g.number(1)).text})]")
    total = g.bind(NUMBER, g.number(0).text)
    with g.suite(f"for {e} in {name}:"):
        g.emit(f"{total.name} = {total.name} * 0.5 + {e}.energy()")
        if g.chance(0.5):
            g.emit(f"{e}.s = {e}.s * {g.tame(g.number(0), 1.2).text}")
