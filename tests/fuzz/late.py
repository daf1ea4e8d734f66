"""Productions of what is decided, or runs, late: dicts whose keys are met when the code runs, iterators that make
an item as it is asked for, functions that see what a variable is by then, attributes of classes."""

from __future__ import annotations

from tests.fuzz.constructs import register
from tests.fuzz.expressions import condition
from tests.fuzz.generator import Generator, Impossible
from tests.fuzz.kinds import NUMBER, Array, Var

TALLY = """\
class Tally:
    total = 0.0
    scale = 1.0

    def __init__(self, v):
        Tally.total += v * self.scale
"""


HELD = """\
HELD = {"v": 1.0, "w": None}
SEEN = [1.0, 2]


class Kept:
    shared = {"v": 2.0}

    def __init__(self):
        self.v = 0.5


KEPT = Kept()
SAME = {"HELD": HELD, "SEEN": SEEN, "Kept.shared": Kept.shared, "KEPT": KEPT}
HELD_TOO, SEEN_TOO, SHARED_TOO, KEPT_TOO = SAME.values()
"""
TWIN = {"HELD": "HELD_TOO", "SEEN": "SEEN_TOO", "Kept.shared": "SHARED_TOO", "KEPT": "KEPT_TOO"}
STEPPER = """\
class Stepper:
    def __init__(self):
        self.k = 0.5
        self.n = 1
        self.act = self.scaled

    def scaled(self, v):
        return v * self.k

    def counted(self, v):
        self.n += 1
        return v / self.n


STEPPER = Stepper()
SCALED, COUNTED, METHODS = STEPPER.scaled, STEPPER.counted, {"s": STEPPER.scaled, "c": STEPPER.counted}
"""
HELD_AT = (
    ("HELD", "['v']"),
    ("HELD", "['w']"),
    ("Kept.shared", "['v']"),
    ("SEEN", "[0]"),
    ("SEEN", "[-1]"),
    ("KEPT", ".v"),
)
READ_AS = {
    "0.7": "{p} * {e}",
    "np.array([0.3, -0.2])": "np.sum({p} * {e})",
    "None": "(0.4 if {p} is None else 0.9) * {e}",
    "'ab'": "len({p}) * 0.3 * {e}",
}
"""What a module may hold, and how a number is made of it."""


def row(g: Generator) -> Var:
    """An array of one dimension that may be written into, with an element at least."""
    return g.need_array(ndim=1, least=1, writable=True)


def steps_of(g: Generator) -> str:
    return str(g.rng.choice(g.dims()))


@register("dict_of_met_keys", "late", "statement")
def dict_of_met_keys(g: Generator) -> None:
    name, i, k, v = g.fresh("table"), g.fresh("i"), g.fresh("k"), g.fresh("v")
    g.emit(f"{name} = {{}}")
    with g.suite(f"for {i} in range({steps_of(g)}):"):
        if g.chance(0.3):
            with g.suite(f"if {condition(g)}:"):
                g.emit("continue")
        if g.chance(0.5):
            g.emit(f"{name}[{i} % 2] = {name}.get({i} % 2, 0.0) * 0.5 + {g.tame(g.number(1), 1.5).text}")
        else:
            g.emit(f"{name}[{i}] = {g.tame(g.number(1), 1.5).text}")
    change = g.rng.choice(("", "double", "drop", "default", "update"))
    if change == "double":
        with g.suite(f"for {k} in {name}:"):
            g.emit(f"{name}[{k}] *= {g.tame(g.number(0), 1.3).text}")
    elif change == "drop":
        with g.suite(f"if 0 in {name}:"):
            g.emit(f"del {name}[0]")
    elif change == "default":
        g.emit(f"{name}.setdefault(1, {g.tame(g.number(0)).text})")
    elif change == "update":
        g.emit(f"{name}.update({{7: {g.tame(g.number(0)).text}}})")
    if g.chance(0.5):
        g.bind(NUMBER, f"sum({name}.values())", 6.0)
        return
    total = g.bind(NUMBER, "0.0")
    with g.suite(f"for {k}, {v} in {name}.items():"):
        g.emit(f"{total.name} = {total.name} * 0.5 + {v} * ({k} + 1)")


@register("map_late", "late", "statement")
def map_late(g: Generator) -> None:
    """A map of an array that is written into before the last item is asked for."""
    a = row(g)
    e, i = g.fresh("e"), g.fresh("i")
    with g.pure():
        factor = g.tame(g.number(1), 1.3).text
    total = g.bind(NUMBER, g.number(0).text)
    source = f"map(lambda {i}: {a.name}[{i}] * {factor}, range({a.name}.shape[0]))"
    if g.chance(0.5):
        held = g.fresh("late")
        g.emit(f"{held} = {source}")
        g.emit(f"{a.name}[-1] = {g.tame(g.number(1), 1.5).text}")
        g.emit(f"{total.name} = {total.name} + sum({held})")
        return
    with g.suite(f"for {e} in {source}:"):
        g.emit(f"{a.name}[-1] = {g.tame(g.number(0), 1.3).text} * {e}")
        g.emit(f"{total.name} = {total.name} * 0.5 + {e}")


@register("generator_late", "late", "statement")
def generator_late(g: Generator) -> None:
    """A generator that sees a variable as it is by then, beside a comprehension that has another one of that name."""
    a, v, held = row(g), g.fresh("v"), g.fresh("late")
    c = g.bind(NUMBER, g.tame(g.number(1), 1.3).text)
    aside = f"sum([{c.name} * 0.3 for {c.name} in {a.name}])"
    total = g.bind(NUMBER, aside if g.chance(0.5) else g.number(0).text)
    source = f"({c.name} * {v} for {v} in {a.name})"
    if g.chance(0.5):
        g.emit(f"{held} = {source}")
        g.emit(f"{c.name} = {g.tame(g.number(0), 1.3).text}")
        g.emit(f"{total.name} = {total.name} + sum({held})")
    else:
        with g.suite(f"for {held} in {source}:"):
            g.emit(f"{c.name} = {c.name} * 0.5 + 0.1")
            g.emit(f"{total.name} = {total.name} * 0.5 + {held}")
    if g.chance(0.5):
        g.emit(f"{total.name} = {total.name} + {aside}")


@register("filter_late", "late", "statement", 0.7)
def filter_late(g: Generator) -> None:
    a = row(g)
    i, j = g.fresh("i"), g.fresh("j")
    total = g.bind(NUMBER, g.number(0).text)
    with g.suite(f"for {i} in filter(lambda {j}: {a.name}[{j}] > 0.1, range({a.name}.shape[0])):"):
        g.emit(f"{total.name} = {total.name} * 0.5 + {a.name}[{i}] * {g.tame(g.number(0)).text}")
        if g.chance(0.5):
            g.emit(f"{a.name}[-1] *= {g.tame(g.number(0), 1.3).text}")


@register("rebound_late", "late", "statement")
def rebound_late(g: Generator) -> None:
    """A function that is kept, and whose variable is bound again before it is called."""
    scale, fn, v, held = g.bind(NUMBER, g.tame(g.number(1)).text), g.fresh("later"), g.fresh("v"), g.fresh("held")
    with g.suite(f"def {fn}({v}):"):
        g.emit(f"return {v} * {scale.name} + 0.1")
    form = g.rng.choice(("[{0}]", "({0}, 1.0)", "[lambda e: {0}(e)]"))
    g.emit(f"{held} = {form.format(fn)}")
    if g.chance(0.5):
        g.emit(f"{scale.name} = {g.tame(g.number(1), 1.5).text}")
    g.bind(NUMBER, f"{held}[0]({g.tame(g.number(1), 1.5).text})", 3.0)
    g.emit(f"{scale.name} = {scale.name} * 0.5")
    g.bind(NUMBER, f"{held}[0]({g.tame(g.number(0), 1.5).text}) * {scale.name}", 3.0)


@register("tuple_augmented", "late", "statement", 0.7)
def tuple_augmented(g: Generator) -> None:
    name, other = g.fresh("pair"), g.fresh("pair")
    g.emit(f"{name} = ({g.tame(g.number(1)).text},)")
    g.emit(f"{other} = {name}")
    g.emit(f"{name} += ({g.tame(g.number(1)).text}, 0.5)")
    g.bind(NUMBER, f"{name}[0] * {name}[1] * {name}[2] + {other}[0] * len({other})", 6.0)


@register("class_attribute", "late", "statement", 0.7)
def class_attribute(g: Generator) -> None:
    g.classes.setdefault("Tally", TALLY)
    g.emit(f"Tally.total = {g.tame(g.number(1)).text}")
    if g.chance(0.5):
        g.emit(f"Tally.scale = {g.tame(g.number(0)).text}")
    else:
        g.emit("Tally.scale = 1.0")
    if g.chance(0.5):
        i = g.fresh("i")
        with g.suite(f"for {i} in range({steps_of(g)}):"):
            g.emit(f"Tally({g.tame(g.number(1), 1.3).text})")
    else:
        g.emit(f"Tally({g.tame(g.number(1), 1.3).text})")
    g.bind(NUMBER, "Tally.total * 0.3", 3.0)


@register("key_of_extreme", "late", "statement", 0.7)
def key_of_extreme(g: Generator) -> None:
    a, e = row(g), g.fresh("e")
    log = g.fresh("log")
    if g.chance(0.5):
        g.bind(NUMBER, f"{g.rng.choice(('max', 'min'))}({a.name}, key=lambda {e}: {e} * {e} + 0.3 * {e})", a.bound)
        return
    fn = g.fresh("key")
    g.emit(f"{log} = []")
    with g.suite(f"def {fn}({e}):"):
        g.emit(f"{log}.append({e} * 0.5)")
        g.emit(f"return -{e}")
    best = g.bind(NUMBER, f"{g.rng.choice(('max', 'min'))}({a.name}, key={fn})", a.bound)
    g.bind(NUMBER, f"sum({log}) * 0.2 + {best.name}", 3.0)


@register("out_none", "late", "statement", 0.5)
def out_none(g: Generator) -> None:
    found = [v for v in g.arrays(ndim=1) if isinstance(v.kind, Array)]
    if not found:
        raise Impossible
    a = g.pick(found)
    b = g.bind(a.kind, f"np.multiply({a.name}, {g.tame(g.number(0)).text}, out=None)", 3.0)
    g.emit(f"{b.name} *= {g.tame(g.number(0), 1.3).text}")


@register("module_methods", "late", "statement", 0.5)
def module_methods(g: Generator) -> None:
    """Methods that a module has bound to an object, which is written in between."""
    g.classes.setdefault("STEPPER", STEPPER)
    g.emit("STEPPER.n = 1")
    total = g.bind(NUMBER, g.number(0).text, 6.0)
    for _ in range(2):
        if g.rng.random() < 0.4:
            g.emit(f"STEPPER.k = {g.tame(g.number(1), 1.3).text}")
        method = g.rng.choice(("SCALED", "COUNTED", "METHODS['s']", "METHODS['c']", "STEPPER.act", "STEPPER.counted"))
        g.emit(f"{total.name} = {total.name} * 0.5 + {method}({g.tame(g.number(1), 1.3).text})")
    g.emit("STEPPER.k = 0.5")


@register("module_containers", "late", "statement")
def module_containers(g: Generator) -> None:
    """What a module, a class or an object of it holds becomes of another kind, and is read before and after."""
    g.classes.setdefault("HELD", HELD)
    owner, key = g.rng.choice(HELD_AT)
    place, total = owner + key, g.bind(NUMBER, g.number(0).text, 6.0)
    for value in g.rng.sample(list(READ_AS), 2):
        way = g.rng.choice(("plain", "alias", "helper", "try", "loop", "twin"))
        name = g.fresh("kept")
        if way == "plain":
            g.emit(f"{place} = {value}")
        elif way == "alias":
            g.emit(f"{name} = {owner}")
            g.emit(f"{name}{key} = {value}")
        elif way == "twin":
            g.emit(f"{TWIN[owner]}{key} = {value}")
        elif way == "helper":
            with g.suite(f"def {name}(owner):"):
                g.emit(f"owner{key} = {value}")
            g.emit(f"{name}({owner})")
        elif way == "try":
            with g.suite("try:"):
                g.emit(f"{place} = {value}")
            with g.suite("except KeyError:"):
                g.emit("pass")
        else:
            with g.suite(f"for {name} in range(2):"):
                g.emit(f"{place} = {value}")
        read = READ_AS[value].format(p=place, e=g.tame(g.number(1), 1.3).text)
        g.emit(f"{total.name} = {total.name} * 0.5 + {read}")
    g.emit(f"{place} = 1.0")
