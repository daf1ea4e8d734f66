"""Productions of lists, dicts and objects that have one name on some path and two on another, or are held by something
on one path only, and are written under one name and read under the other."""

from __future__ import annotations

from dataclasses import dataclass

from tests.fuzz.constructs import register
from tests.fuzz.expressions import condition
from tests.fuzz.generator import Generator
from tests.fuzz.kinds import NUMBER
from tests.fuzz.late import steps_of

BIN = "class Bin:\n    def __init__(self, v):\n        self.v = v\n        self.items = [v]\n"


@dataclass(frozen=True)
class Form:
    """How a thing of one kind is made of a number, written into, and read."""

    make: str
    writes: tuple[str, ...]
    read: str


FORMS = (
    Form("[{e}]", ("{c}.append({e})", "{c}[0] = {e}", "{c}[-1] *= {e}", "{c} += [{e}]"), "sum({c}) * len({c})"),
    Form("{{'w': {e}}}", ("{c}['w'] = {e}", "{c}['w'] *= {e}", "{c}['n'] = {e}"), "sum({c}.values()) * len({c})"),
    Form("Bin({e})", ("{c}.v = {e}", "{c}.v *= {e}", "{c}.items.append({e})"), "({c}.v + sum({c}.items))"),
)


def thing(g: Generator) -> tuple[str, Form]:
    form = g.rng.choice(FORMS)
    if form is FORMS[-1]:
        g.classes.setdefault("Bin", BIN)
    name = g.fresh("cur")
    g.emit(f"{name} = {made(g, form)}")
    return name, form


def made(g: Generator, form: Form) -> str:
    return form.make.format(e=g.tame(g.number(1), 1.3).text)


def write(g: Generator, form: Form, name: str) -> None:
    text = g.rng.choice(form.writes).format(c=name, e=g.tame(g.number(0), 1.3).text)
    if g.chance(0.25):
        with g.suite(f"if {condition(g)}:"):
            g.emit(text)
    else:
        g.emit(text)


def two_names(g: Generator) -> None:
    """One thing or two, by path."""
    a, form = thing(g)
    b = g.fresh("other")
    way = g.rng.choice(("else", "later", "choose", "and", "swap", "nested", "loop"))
    if way == "else":
        with g.suite(f"if {condition(g)}:"):
            g.emit(f"{b} = {a}")
        with g.suite("else:"):
            g.emit(f"{b} = {made(g, form)}")
    elif way == "later":
        g.emit(f"{b} = {a}")
        with g.suite(f"if {condition(g)}:"):
            g.emit(f"{g.rng.choice((a, b))} = {made(g, form)}")
    elif way == "nested":
        g.emit(f"{b} = {made(g, form)}")
        with g.suite(f"if {condition(g)}:"):
            if g.chance(0.3):
                write(g, form, a)
            with g.suite(f"if {condition(g)}:"):
                g.emit(g.rng.choice((f"{b} = {a}", f"{a} = {b}", f"{a}, {b} = {b}, {a}")))
    elif way == "loop":
        g.emit(f"{b} = {made(g, form)}")
        i = g.fresh("i")
        with g.suite(f"for {i} in range({steps_of(g)}):"):
            with g.suite(f"if {g.rng.choice((condition(g), f'{i} > 0', f'{i} % 2'))}:"):
                g.emit(g.rng.choice((f"{b} = {a}", f"{a} = {made(g, form)}", f"{a}, {b} = {b}, {a}")))
            write(g, form, g.rng.choice((a, b)))
    elif way == "swap":
        g.emit(f"{b} = {made(g, form)}")
        with g.suite(f"if {condition(g)}:"):
            g.emit(f"{a}, {b} = {b}, {a}")
    else:
        second = g.fresh("cur")
        g.emit(f"{second} = {made(g, form)}")
        test = condition(g)
        g.emit(f"{b} = {a} if {test} else {second}" if way == "choose" else f"{b} = ({test}) and {a} or {second}")
        g.bind(NUMBER, form.read.format(c=second) + " * 0.2", 6.0)
    write(g, form, g.rng.choice((a, b)))
    write(g, form, b)
    g.bind(NUMBER, f"{form.read.format(c=a)} * 0.3 + {form.read.format(c=b)} * 0.2", 6.0)


def held_by_path(g: Generator) -> None:
    """What something holds on one path only, or holds beside more on one path."""
    a, form = thing(g)
    h, e = g.fresh("held"), g.fresh("e")
    kind = g.rng.choice(("list", "dict", "extra", "object"))
    if kind == "object":
        g.classes.setdefault("Bin", BIN)
        g.emit(f"{h} = Bin(0.5)")
        g.emit(f"{h}.one = {a}")
        with g.suite(f"if {condition(g)}:"):
            g.emit(f"{h}.extra = {g.tame(g.number(0)).text}")
        write(g, form, g.rng.choice((a, f"{h}.one")))
        g.bind(NUMBER, f"{form.read.format(c=a)} * 0.3 + {form.read.format(c=h + '.one')} * 0.2", 6.0)
        return
    if kind == "extra":
        g.emit(f"{h} = [{a}, {made(g, form)}]")
        with g.suite(f"if {condition(g)}:"):
            g.emit(g.rng.choice((f"{h}.pop()", f"{h}.append({made(g, form)})", f"{h}[0] = {made(g, form)}")))
        write(g, form, g.rng.choice((a, f"{h}[0]")))
        g.bind(NUMBER, f"{form.read.format(c=a)} * 0.3 + {form.read.format(c=h + '[0]')} * 0.2", 6.0)
        return
    g.emit(f"{h} = {'[]' if kind == 'list' else '{}'}")
    with g.suite(f"if {condition(g)}:"):
        g.emit(f"{h}.append({a})" if kind == "list" else f"{h}['a'] = {a}")
    write(g, form, a)
    total = g.bind(NUMBER, form.read.format(c=a) + " * 0.3", 6.0)
    with g.suite(f"for {e} in {h}{'' if kind == 'list' else '.values()'}:"):
        g.emit(f"{total.name} = {total.name} + {form.read.format(c=e)} * 0.2")


def grouped(g: Generator) -> None:
    """Groups that are put into a list and go on growing."""
    a, form = thing(g)
    groups, i, e = g.fresh("groups"), g.fresh("i"), g.fresh("e")
    g.emit(f"{groups} = {g.rng.choice(('[]', f'[{a}]'))}")
    with g.suite(f"for {i} in range({steps_of(g)} + 1):"):
        with g.suite(f"if {g.rng.choice((condition(g), f'{i} % 2 == 0', f'{i} % 2 == 1'))}:"):
            if g.chance(0.5):
                g.emit(f"{groups}.append({a})")
                g.emit(f"{a} = {made(g, form)}")
            else:
                g.emit(f"{a} = {made(g, form)}")
                g.emit(f"{groups}.append({a})")
        write(g, form, a)
        if g.chance(0.3):
            with g.suite(f"if {groups}:"):
                write(g, form, f"{groups}[-1]")
    write(g, form, a)
    total = g.bind(NUMBER, form.read.format(c=a) + " * 0.3", 6.0)
    with g.suite(f"for {e} in {groups}:"):
        g.emit(f"{total.name} = {total.name} * 0.7 + {form.read.format(c=e)} * 0.2")


def copied_state(g: Generator) -> None:
    """A state that an iteration writes into and replaces by a copy; who holds the old one sees what was written."""
    a, form = thing(g)
    state, old, i = g.fresh("state"), g.fresh("old"), g.fresh("i")
    g.emit(f"{state} = {{'k': {a}, 's': {g.tame(g.number(0)).text}}}")
    keep = g.chance(0.5)
    if keep:
        g.emit(f"{old} = {state}")
    with g.suite(f"for {i} in range({steps_of(g)}):"):
        if g.chance(0.5):
            g.emit(f"{state}['k'] = {made(g, form)}")
        copy = g.rng.choice(("dict({0})", "{{**{0}}}", "{0}.copy()", "{{**{0}, 's': {0}['s'] * 0.5}}"))
        g.emit(f"{state} = {copy.format(state)}")
        write(g, form, f"{state}['k']")
    one, two = form.read.format(c=f"{state}['k']"), form.read.format(c=f"{old if keep else state}['k']")
    g.bind(NUMBER, f"{one} * 0.3 + {two} * 0.2 + {form.read.format(c=a)} * 0.1 + {state}['s']", 6.0)


@register("sides", "sides", "statement", 0.7)
def sides(g: Generator) -> None:
    g.rng.choice((two_names, two_names, held_by_path, grouped, copied_state))(g)
