"""Productions of functions: helpers of the module, closures, lambdas, recursion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.fuzz import writes
from tests.fuzz.constructs import register
from tests.fuzz.containers import list_display
from tests.fuzz.expressions import condition
from tests.fuzz.generator import Frame, Generator, Impossible
from tests.fuzz.kinds import NUMBER, Array, Ex, Kind, Number, Shape, Var


@dataclass(frozen=True)
class Helper:
    name: str
    params: tuple[Kind, ...]
    result: Kind | None


Ends = Callable[[list[Var]], None]
"""Writes the body of a function, given its parameters."""


def open_frame(g: Generator, name: str, params: list[Var], result: Kind | None) -> Frame:
    """Start writing a function; sizes are taken from its array parameters."""
    frame = Frame(name, result)
    g.frames.append(frame)
    g.frozen, frame.frozen_outside = 0, g.frozen
    for p in params:
        g.declare(p)
    for p in params:
        if isinstance(p.kind, Array):
            for axis, d in enumerate(p.kind.shape):
                if d.symbol and d.symbol not in frame.symbols:
                    frame.symbols.add(d.symbol)
                    shift = f" {'-' if d.offset > 0 else '+'} {abs(d.offset)}" if d.offset else ""
                    frame.lines.append(f"    {d.symbol} = {p.name}.shape[{axis}]{shift}")
    return frame


def close_frame(g: Generator, params: list[str]) -> None:
    frame = g.frames.pop()
    g.frozen = frame.frozen_outside
    g.globals.append(f"def {frame.name}({', '.join(params)}):\n" + "\n".join(frame.lines))


def _write_helper(g: Generator, kinds: tuple[Kind, ...], result: Kind | None, stem: str, ends: Ends) -> Helper:
    if len(g.frames) > 2 or len(g.helpers) > 4:
        raise Impossible
    name = g.fresh(stem)
    params = [Var(g.fresh("x" if isinstance(k, Array) else "s"), k, 1.5) for k in kinds]
    frame = open_frame(g, name, params, result)
    frame.depth = 1
    g.steps += 4
    ends(params)
    close_frame(g, [p.name for p in params])
    helper = Helper(name, kinds, result)
    g.helpers[name] = helper
    return helper


def arguments_of(g: Generator, helper: Helper) -> str:
    out: list[str] = []
    for kind in helper.params:
        if isinstance(kind, Array):
            found = g.arrays(kind.shape, writable=True)
            out.append(g.pick(found).name if found and g.chance(0.8) else g.tame(g.array(kind.shape, 1)).text)
        else:
            out.append(g.tame(g.number(1)).text)
    return ", ".join(out)


def known(g: Generator, shape: Shape) -> bool:
    """Whether each size has a name where the code is written."""
    return all(not d.symbol or d.symbol in g.frame.symbols for d in shape)


def helper_for(g: Generator, result: Kind, stem: str, ends: Ends) -> Helper:
    found = [
        h
        for h in g.helpers.values()
        if h.result == result
        and h.name.startswith(stem)
        and h.name != g.frame.name
        and all(not isinstance(k, Array) or known(g, k.shape) for k in h.params)
    ]
    if found and g.chance(0.6):
        return g.rng.choice(found)
    kinds: list[Kind] = [result if isinstance(result, Array) else Array(g.shape(1)) if g.chance(0.4) else NUMBER]
    if g.chance(0.6):
        kinds.append(NUMBER)
    return _write_helper(g, tuple(kinds), result, stem, ends)


@register("helper_number", "functions", "number")
def helper_number(g: Generator, depth: int) -> Ex:
    def ends(params: list[Var]) -> None:
        g.body(0, 2)
        if g.chance(0.4):
            with g.suite(f"if {condition(g)}:"):
                g.emit(f"return {g.tame(g.number(1)).text}")
        g.emit(f"return {g.tame(g.number(3), 2.0).text}")

    if g.frozen:
        raise Impossible
    h = helper_for(g, NUMBER, "scalar", ends)
    return Ex(f"{h.name}({arguments_of(g, h)})", 2.0)


@register("helper_array", "functions", "array")
def helper_array(g: Generator, shape: Shape, depth: int) -> Ex:
    def ends(params: list[Var]) -> None:
        g.body(0, 2)
        e = g.tame(g.array(shape, 2), 2.0)
        g.emit(f"return {e.text}")

    if g.frozen or not all(d.offset >= 0 for d in shape):
        raise Impossible
    h = helper_for(g, Array(shape), "field", ends)
    return Ex(f"{h.name}({arguments_of(g, h)}) * 1.0", 2.0)


@register("keyword_call", "functions", "number", 0.6)
def keyword_call(g: Generator, depth: int) -> Ex:
    """Defaults and keywords."""
    name = "blend"
    if name not in g.helpers:
        g.helpers[name] = Helper("-", (), None)
        g.globals.append("def blend(s, t, rate=0.3, *rest, power=2):\n"
                         "    out = s * (1.0 - rate) + t * rate\n"
                         "    for r in rest:\n        out = out + 0.1 * r\n"
                         "    return out ** power if power == 2 else np.sin(out)")  # fmt: skip
    a, b, c = (g.tame(g.number(depth), 1.5).text for _ in range(3))
    form = g.rng.choice(
        ("blend({a}, {b})", "blend({a}, t={b}, rate={c})", "blend({a}, {b}, {c}, {a}, power=1)", "blend(t={a}, s={b})")
    )
    return Ex(form.format(a=a, b=b, c=c), 4.0)


@register("recursion", "functions", "number", 0.4)
def recursion(g: Generator, depth: int) -> Ex:
    if "descend" not in g.helpers:
        g.helpers["descend"] = Helper("-", (), None)
        g.globals.append("def descend(s, k):\n    if k <= 0:\n        return s\n"
                         "    return 0.7 * descend(np.sin(s) + 0.1 * k, k - 1) + 0.2 * s")  # fmt: skip
    return Ex(f"descend({g.number(depth).text}, {g.rng.choice((0, 1, 3))})", 2.0)


@register("closure", "functions", "statement")
def closure(g: Generator) -> None:
    """A nested function that reads names around it."""
    name, x = g.fresh("inner"), g.fresh("x")
    outer = g.need_number()
    with g.suite(f"def {name}({x}):"):
        g.declare(Var(x, NUMBER))
        e = g.tame(g.number(2))
        g.emit(f"return {e.text} * {outer.name} + {x}")
    a, b = g.tame(g.number(1)), g.tame(g.number(1))
    g.bind(NUMBER, f"{name}({a.text}) + {name}({b.text})", 6.0)


@register("lambda", "functions", "statement", 0.7)
def lambda_(g: Generator) -> None:
    name, x = g.fresh("law"), g.fresh("x")
    with g.pure():
        e = g.tame(g.number(1), 1.5)
    g.emit(f"{name} = lambda {x}: np.sin({x}) * {e.text}")
    form = g.rng.choice(("{f}({a})", "sum(map({f}, [{a}, 0.4]))", "{f}({f}({a}))"))
    g.bind(NUMBER, form.format(f=name, a=g.tame(g.number(1)).text), 3.0)


@register("nonlocal", "mutating", "statement", 0.5)
def nonlocal_write(g: Generator) -> None:
    name, x = g.fresh("tally"), g.fresh("x")
    total = g.bind(NUMBER, g.number(0).text)
    with g.suite(f"def {name}({x}):"):
        g.emit(f"nonlocal {total.name}")
        g.emit(f"{total.name} = {total.name} * 0.5 + {x} * {x}")
    with g.suite(f"for {g.fresh('k')} in range({g.rng.choice((1, 2))}):"):
        g.emit(f"{name}({g.tame(g.number(1)).text})")


@register("function_argument", "functions", "statement", 0.6)
def function_argument(g: Generator) -> None:
    if "apply" not in g.helpers:
        g.helpers["apply"] = Helper("-", (), None)
        g.globals.append("def apply(law, x, times):\n    for _ in range(times):\n        x = law(x)\n    return x")
    form = g.rng.choice(("apply(np.sin, {a}, 2)", "apply(lambda q: q * {b}, {a}, 2)", "apply(math.tanh, {a}, 1)"))
    a, b = g.tame(g.number(1)).text, g.tame(g.number(0), 1.3).text
    g.bind(NUMBER, form.format(a=a, b=b), 3.0)


# -- helpers that write into their arguments ----------------------------------------------------


WRITES = (writes.augment_array, writes.set_slice, writes.set_mask, writes.augment_slice, writes.out)


def _mutator(g: Generator, result: bool) -> Helper:
    shape = g.need_array(writable=True).kind.shape
    if not known(g, shape):
        raise Impossible
    stem = "update" if result else "change"
    found = [h for h in g.helpers.values() if h.name.startswith(stem) and h.params[0] == Array(shape)]
    if found and g.chance(0.6):
        return g.rng.choice(found)

    def ends(params: list[Var]) -> None:
        x = params[0]
        for _ in range(g.rng.choice((1, 1, 2))):
            make = g.rng.choice(WRITES)
            if not g.attempt(lambda make=make: make(g)):
                g.emit(f"{x.name} *= 0.5")
        if g.chance(0.4):
            g.body(1, 1)
        if result:
            g.emit(g.rng.choice(("return {x}", "return {x}[::-1]", "return np.sin({x})")).format(x=x.name))

    kinds: tuple[Kind, ...] = (Array(shape), NUMBER) if g.chance(0.7) else (Array(shape), Array(shape))
    return _write_helper(g, kinds, Array(shape) if result else None, stem, ends)


@register("helper_changes", "mutating", "statement", 1.2)
def helper_changes(g: Generator) -> None:
    h = _mutator(g, False)
    g.emit(f"{h.name}({arguments_of(g, h)})")


@register("helper_changes_and_returns", "mutating", "statement", 0.8)
def helper_changes_and_returns(g: Generator) -> None:
    """The result may be the argument, or a view of it."""
    h = _mutator(g, True)
    g.bind(h.result, f"{h.name}({arguments_of(g, h)})", 3.0)


@register("same_argument_twice", "mutating", "statement", 0.8)
def same_argument_twice(g: Generator) -> None:
    """A helper that writes into one of two arguments that are one array, or share some of it."""
    v = g.need_array(1, writable=True)
    if "mix" not in g.helpers:
        g.helpers["mix"] = Helper("-", (), None)
        g.globals.append(
            "def mix(x, y):\n    x *= 0.5\n    x[:len(y)] += y * y\n    return np.sum(x * 0.3) + np.sum(y)"
        )
    args = g.rng.choice(("{v}, {v}", "{v}, {v}[1:]", "{v}[::-1], {v}", "{v}[:-1], {v}[1:]"))
    g.bind(NUMBER, f"mix({args.format(v=v.name)})", 5.0)


@register("helper_returns_view", "functions", "statement", 0.7)
def helper_returns_view(g: Generator) -> None:
    v = g.need_array(writable=True)
    if "part" not in g.helpers:
        g.helpers["part"] = Helper("-", (), None)
        g.globals.append("def part(x, back):\n    if back:\n        return x[::-1]\n    return x")
    g.bind(v.kind, f"part({v.name}, {g.rng.choice(('True', 'False'))})", v.bound)


@register("helper_of_list", "mutating", "statement", 0.7)
def helper_of_list(g: Generator) -> None:
    """A helper that writes into a list."""
    v = list_display(g)
    if not isinstance(v.kind.item, Number):
        raise Impossible
    if "put" not in g.helpers:
        g.helpers["put"] = Helper("-", (), None)
        g.globals.append("def put(items, value):\n    items[0] = items[0] * value\n    items.append(value)")
    g.emit(f"put({v.name}, {g.tame(g.number(1)).text})")
    g.bind(NUMBER, f"sum({v.name})", 4.0)
    for scope in g.frame.scopes:
        scope.pop(v.name, None)
