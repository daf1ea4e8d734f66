"""What a program takes and what it returns."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.fuzz.constructs import register
from tests.fuzz.generator import Generator, Impossible
from tests.fuzz.kinds import NUMBER, ONE, Array, Dict, Dim, Kind, List, Number, Object, Tuple, Var, Whole
from tests.fuzz.objects import need_class

WEIGHTS = (0.5, 0.8, -0.3, 1.1, 0.6, -0.9)
"""Factors of the leaves of a result in `total`."""


@dataclass
class Arguments:
    """The parameters of `main`, and the lines of `arguments` that make them."""

    params: list[Var] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    values: list[str] = field(default_factory=list)
    seed: int = 0

    def draw(self, shape: str = "") -> str:
        self.seed += 1
        return f"sample(seed + {self.seed}{', ' + shape if shape else ''})"

    def add(self, name: str, kind: Kind, value: str) -> None:
        self.params.append(Var(name, kind))
        self.values.append(value)


def _name(args: Arguments, stem: str) -> str:
    return f"{stem}{len(args.params)}"


def add_array(args: Arguments, shape: tuple[Dim, ...], stem: str = "a") -> str:
    name = _name(args, stem)
    args.lines.append(f"{name} = {args.draw(', '.join(map(str, shape)))}")
    args.add(name, Array(shape), name)
    return name


N, M = Dim("n"), Dim("m")


@register("number_argument", "arguments", "argument", 3)
def number_argument(g: Generator, args: Arguments) -> None:
    args.add(_name(args, "s"), NUMBER, f"float({args.draw()})")


@register("vector_argument", "arguments", "argument", 4)
def vector_argument(g: Generator, args: Arguments) -> None:
    add_array(args, (g.rng.choice((N, N, N, M)),))


@register("matrix_argument", "arguments", "argument", 2)
def matrix_argument(g: Generator, args: Arguments) -> None:
    add_array(args, g.rng.choice(((N, M), (N, M), (N, N), (M, N))))


@register("size_one", "arguments", "argument")
def size_one(g: Generator, args: Arguments) -> None:
    """A dimension of one, by the type of the program or by chance of the sizes."""
    if g.chance(0.4):
        g.sizes["n"] = 1
        add_array(args, (N,))
    else:
        add_array(args, g.rng.choice(((ONE,), (N, ONE), (ONE, N), (ONE, ONE))))


@register("empty", "arguments", "argument", 0.5)
def empty(g: Generator, args: Arguments) -> None:
    g.sizes["m"] = 0
    add_array(args, g.rng.choice(((M,), (N, M), (M, N))))


@register("zero_d_argument", "arguments", "argument", 0.6)
def zero_d_argument(g: Generator, args: Arguments) -> None:
    args.add(_name(args, "z"), Array(()), f"np.array({args.draw()})")


@register("float32_argument", "arguments", "argument", 0.4)
def float32_argument(g: Generator, args: Arguments) -> None:
    name = _name(args, "f")
    args.lines.append(f"{name} = {args.draw('n')}.astype(np.float32)")
    args.add(name, Array((N,), "float32"), name)


@register("int_argument", "arguments", "argument")
def int_argument(g: Generator, args: Arguments) -> None:
    args.add(_name(args, "steps"), Whole(Dim("", 99)), g.rng.choice(("2", "3", "1")))


@register("list_argument", "containers", "argument", 0.7)
def list_argument(g: Generator, args: Arguments) -> None:
    name = _name(args, "items")
    kind: Kind = Array((N,)) if g.chance(0.4) else NUMBER
    parts = [args.draw("n") if kind is not NUMBER else f"float({args.draw()})" for _ in range(2)]
    args.lines.append(f"{name} = [{', '.join(parts)}]")
    args.add(name, List(kind, 2), name)


@register("tuple_argument", "containers", "argument", 0.6)
def tuple_argument(g: Generator, args: Arguments) -> None:
    args.add(_name(args, "pair"), Tuple((NUMBER, Array((N,)))), f"(float({args.draw()}), {args.draw('n')})")


@register("dict_argument", "containers", "argument", 0.7)
def dict_argument(g: Generator, args: Arguments) -> None:
    kind = Dict((("w", Array((N,))), ("b", NUMBER)))
    args.add(_name(args, "table"), kind, f"{{'w': {args.draw('n')}, 'b': float({args.draw()})}}")


@register("object_argument", "objects", "argument", 0.7)
def object_argument(g: Generator, args: Arguments) -> None:
    name = need_class(g)
    args.add(_name(args, "box"), Object(name, (N,)), f"{name}({args.draw('n')}, float({args.draw()}))")


def _earlier(g: Generator, args: Arguments) -> Var:
    found = [p for p in args.params if isinstance(p.kind, Array) and p.kind.shape and p.name in args.values]
    return g.rng.choice(found) if found else args.params[-1 - 0 * len(add_array(args, (N,)))]


@register("same_array_twice", "aliased", "argument", 0.5)
def same_array_twice(g: Generator, args: Arguments) -> None:
    v = _earlier(g, args)
    args.add(_name(args, "a"), v.kind, v.name)


@register("overlapping_arguments", "aliased", "argument", 0.5)
def overlapping_arguments(g: Generator, args: Arguments) -> None:
    v = _earlier(g, args)
    first, *rest = v.kind.shape
    if g.size(first) < 1:
        raise Impossible
    cut, kind = g.rng.choice(
        (
            ("[1:]", Array((first.plus(-1), *rest))),
            ("[:-1]", Array((first.plus(-1), *rest))),
            ("[::-1]", v.kind),
            (".T", Array(v.kind.shape[::-1])),
        )
    )
    args.add(_name(args, "a"), kind, f"{v.name}{cut}")


# -- results ------------------------------------------------------------------------------------


def summary(g: Generator, v: Var) -> list[str]:
    """Numbers in which all of a variable shows."""
    kind, name = v.kind, v.name
    if isinstance(kind, Number):
        return [g.rng.choice(("{}", "{}", "np.sin({})", "{0} * {0}")).format(name)]
    if isinstance(kind, Array):
        forms = ["np.sum({})", "np.sum({0} * {0})", "np.sum(np.sin({}))"] + (["({0} @ {0})"] if kind.ndim == 1 else [])
        return [g.rng.choice(forms if kind.shape else ("{} * 1.0",)).format(name)]
    if isinstance(kind, List):
        return [f"sum({name})" if isinstance(kind.item, Number) else f"sum([np.sum(e * e) for e in {name}])"]
    if isinstance(kind, Tuple):
        return [f"np.sum({name}[{i}])" for i in range(len(kind.items))]
    if isinstance(kind, Dict):
        return [f"np.sum({name}[{k!r}])" for k, _ in kind.items]
    return [f"{name}.energy()"] if isinstance(kind, Object) else []


def combination(g: Generator, most: int) -> str:
    found = g.variables(lambda v: not isinstance(v.kind, Whole))
    chosen = found if len(found) <= most else sorted(g.rng.sample(found, most), key=found.index)
    parts = [f"{g.rng.choice((0.3, 0.5, 0.7, 1.1))} * {t}" for v in chosen for t in summary(g, v)]
    return " + ".join(parts) or "0.5"


def result_text(g: Generator, kind: Kind, short: bool = False) -> str:
    if isinstance(kind, Number):
        return combination(g, 2 if short else 12)
    if isinstance(kind, Array):
        e = g.array(kind.shape, 1 if short else 2)
        return f"{e.text} * ({combination(g, 2 if short else 4)})"
    if isinstance(kind, Tuple):
        return f"({', '.join(result_text(g, k, short) for k in kind.items)})"
    if isinstance(kind, List):
        return f"[{', '.join(result_text(g, kind.item, short) for _ in range(kind.count or 1))}]"
    assert isinstance(kind, Dict)
    return "{" + ", ".join(f"{k!r}: {result_text(g, item, short)}" for k, item in kind.items) + "}"


@register("number_result", "results", "result", 6)
def number_result(g: Generator) -> Kind:
    return NUMBER


@register("array_result", "results", "result", 2)
def array_result(g: Generator) -> Kind:
    return Array(g.shape())


@register("tuple_result", "results", "result")
def tuple_result(g: Generator) -> Kind:
    return Tuple((NUMBER, Array(g.shape(1))))


@register("dict_result", "containers", "result", 0.5)
def dict_result(g: Generator) -> Kind:
    return Dict((("loss", NUMBER), ("field", Array(g.shape(1)))))


@register("list_result", "containers", "result", 0.5)
def list_result(g: Generator) -> Kind:
    return List(NUMBER, 2)


@register("returned_argument", "results", "result", 0.6)
def returned_argument(g: Generator) -> Kind:
    """The memory of an argument, or of something made, beside a number."""
    found = [v for v in g.frame.scopes[0].values() if isinstance(v.kind, Array) and v.kind.shape]
    if not found:
        raise Impossible
    return Tuple((NUMBER, g.rng.choice(found).kind))


def total_text(kind: Kind, name: str = "r", start: int = 0) -> list[str]:
    """Terms of one number made of a result, a factor for each leaf."""
    if isinstance(kind, Number):
        return [f"{WEIGHTS[start]} * {name}"]
    if isinstance(kind, Array):
        return [f"{WEIGHTS[start]} * np.sum({name})"]
    if isinstance(kind, Tuple):
        parts = [(k, f"{name}[{i}]") for i, k in enumerate(kind.items)]
    elif isinstance(kind, List):
        parts = [(kind.item, f"{name}[{i}]") for i in range(kind.count or 1)]
    else:
        parts = [(item, f"{name}[{k!r}]") for k, item in kind.items]
    return [t for i, (k, place) in enumerate(parts) for t in total_text(k, place, start + i)]
