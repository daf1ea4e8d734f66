"""Productions of numbers, and of conditions."""

from __future__ import annotations

from tests.fuzz.constructs import register
from tests.fuzz.generator import Generator, Impossible
from tests.fuzz.kinds import ONE, Array, Ex, Number, Whole


@register("arithmetic", "basic", "number", 3)
def arithmetic(g: Generator, depth: int) -> Ex:
    a, b = g.number(depth), g.number(depth)
    op = g.rng.choice("++-**")
    return Ex(f"({a.text} {op} {b.text})", a.bound * b.bound if op == "*" else a.bound + b.bound)


@register("divide", "basic", "number")
def divide(g: Generator, depth: int) -> Ex:
    a, b = g.number(depth), g.number(depth)
    return Ex(f"({a.text} / (1.5 + {b.text} ** 2))", a.bound)


@register("power", "basic", "number")
def power(g: Generator, depth: int) -> Ex:
    a = g.number(depth)
    if g.chance(0.7):
        k = g.rng.choice((2, 3))
        return Ex(f"{a.text} ** {k}", a.bound**k)
    b = g.tame(g.number(0), 2.0)
    return Ex(f"(1.2 + {a.text} * {a.text}) ** {b.text}", (1.2 + a.bound**2) ** b.bound)


@register("negate", "basic", "number", 0.6)
def negate(g: Generator, depth: int) -> Ex:
    a = g.number(depth)
    return Ex(f"(-{a.text})", a.bound)


@register("math", "basic", "number")
def math_call(g: Generator, depth: int) -> Ex:
    a = g.number(depth)
    form, bound = g.rng.choice(
        (
            ("math.sin({})", 1.0),
            ("math.exp(-{0} * {0})", 1.0),
            ("math.tanh({})", 1.0),
            ("math.sqrt(1.0 + {0} ** 2)", 1.0 + a.bound),
            ("math.atan2({}, 2.0)", 1.5),
            ("math.log(2.0 + {0} * {0})", 1.0 + a.bound),
        )
    )
    return Ex(form.format(a.text), bound)


@register("ufunc_number", "basic", "number")
def ufunc_number(g: Generator, depth: int) -> Ex:
    a = g.number(depth)
    return Ex(f"np.{g.rng.choice(('sin', 'cos', 'tanh', 'arctan'))}({a.text})", 1.6)


@register("minmax_number", "basic", "number", 0.6)
def minmax_number(g: Generator, depth: int) -> Ex:
    a, b = g.number(depth), g.number(depth)
    name = g.rng.choice(("max", "min", "np.maximum", "np.minimum"))
    return Ex(f"{name}({a.text}, {b.text})", max(a.bound, b.bound))


@register("abs", "basic", "number", 0.4)
def absolute(g: Generator, depth: int) -> Ex:
    a = g.number(depth)
    return Ex(f"abs({a.text})", a.bound)


@register("conditional_expression", "control", "number")
def conditional_expression(g: Generator, depth: int) -> Ex:
    with g.pure():
        a, b, test = g.number(depth), g.number(depth), condition(g)
    return Ex(f"({a.text} if {test} else {b.text})", max(a.bound, b.bound))


@register("element", "basic", "number", 2)
def element(g: Generator, depth: int) -> Ex:
    v = g.pick(g.arrays(least=1)) if g.frozen else g.need_array(least=1)
    return Ex(g.element(v), v.bound)


@register("sum", "basic", "number", 2)
def sum_all(g: Generator, depth: int) -> Ex:
    shape = g.pick(g.arrays()).kind.shape if g.frozen else g.need_array().kind.shape
    if not shape:
        raise Impossible
    e = g.array(shape, depth)
    bound = e.bound * max(1, g.count(shape))
    if e.text.isidentifier() and g.chance(0.5):
        return Ex(f"{e.text}.sum()", bound)
    return Ex(f"np.sum({e.text})", bound)


@register("reduce", "basic", "number")
def reduce(g: Generator, depth: int) -> Ex:
    found = [v for v in g.arrays(least=1) if v.kind.ndim]
    e = g.array(g.pick(found).kind.shape, depth)
    name = g.rng.choice(("np.mean", "np.max", "np.min", "np.prod", "np.var", "np.linalg.norm", "sumsq"))
    if name == "sumsq":
        return Ex(f"np.sum({e.text} ** 2)", 6 * e.bound**2)
    if name in ("np.prod", "np.var", "np.linalg.norm"):
        return Ex(f"{name}(1.5 + np.tanh({e.text}))", 30.0 if name == "np.prod" else 4.0)
    return Ex(f"{name}({e.text})", e.bound)


@register("dot", "basic", "number")
def dot(g: Generator, depth: int) -> Ex:
    shape = g.pick(g.arrays(ndim=1)).kind.shape
    a, b = g.array(shape, depth), g.array(shape, depth)
    form = g.rng.choice(("({} @ {})", "np.dot({}, {})", "np.vdot({}, {})", "np.inner({}, {})"))
    return Ex(form.format(a.text, b.text), 4 * a.bound * b.bound)


@register("mask_read", "basic", "number")
def mask_read(g: Generator, depth: int) -> Ex:
    v = g.pick([v for v in g.arrays() if v.kind.ndim])
    return Ex(f"np.sum({v.name}[{mask(g, v.name, v.kind.shape)}])", 4 * v.bound)


@register("zero_d_read", "basic", "number", 0.5)
def zero_d_read(g: Generator, depth: int) -> Ex:
    found = g.arrays(shape=())
    if found and g.chance(0.8):
        v = g.pick(found)
        return Ex(f"({v.name} * {g.constant().text})", 2 * v.bound)
    a = g.number(depth)
    return Ex(f"np.array({a.text})[()]", a.bound)


@register("int_use", "basic", "number", 0.7)
def int_use(g: Generator, depth: int) -> Ex:
    v = g.pick(g.vars_of(Whole))
    a = g.number(depth)
    form, bound = g.rng.choice((("({} * {})", 3.0), ("({0} + 0.1 * {1})", 1.3), ("({} / (1 + {}))", 1.0)))
    return Ex(form.format(a.text, v.name), a.bound * bound)


@register("float_call", "basic", "number", 0.5)
def float_call(g: Generator, depth: int) -> Ex:
    a = g.number(depth)
    return Ex(f"float({a.text})", a.bound)


@register("axis_sum_chain", "basic", "number", 0.6)
def axis_sum_chain(g: Generator, depth: int) -> Ex:
    found = g.arrays(ndim=2)
    e = g.array(g.pick(found).kind.shape, depth)
    axis = g.rng.choice((0, 1, -1))
    return Ex(f"np.sum(np.sin(np.sum({e.text}, axis={axis})))", 4.0)


@register("generator_sum", "control", "number", 0.7)
def generator_sum(g: Generator, depth: int) -> Ex:
    v = g.pick(g.arrays(ndim=1))
    name = g.fresh("e")
    with g.pure():
        other = g.number(0)
    form = g.rng.choice(("sum({0} * {2} for {0} in {1})", "sum([np.sin({0}) * {2} for {0} in {1}])"))
    return Ex(form.format(name, v.name, other.text), 4 * v.bound * other.bound)


@register("flag_factor", "control", "number", 0.6)
def flag_factor(g: Generator, depth: int) -> Ex:
    with g.pure():
        a, test = g.number(depth), condition(g)
    return Ex(f"({a.text} * ({test}))", a.bound)


@register("small_integer", "basic", "number", 0.5)
def small_integer(g: Generator, depth: int) -> Ex:
    """They wrap around."""
    a = g.number(depth)
    forms = ("(0.01 * ({} * np.uint8(200)))", "({} * (-np.array([200], np.uint8))[0] * 0.01)", "({} / np.int8(-100))")
    return Ex(g.rng.choice(forms).format(a.text), 2 * a.bound)


@register("cumsum_flat", "basic", "number", 0.5)
def cumsum_flat(g: Generator, depth: int) -> Ex:
    v = g.pick(g.arrays(least=1))
    return Ex(f"np.sum(np.cumsum({v.name}) * np.linspace(0.5, 1.5, {v.name}.size))", 9 * v.bound)


@register("told_apart", "basic", "number", 0.4)
def told_apart(g: Generator, depth: int) -> Ex:
    """Two objects of the same value."""
    v = g.pick([v for v in g.arrays(least=1) if v.kind.ndim])
    form = g.rng.choice(("({0} * 2.0) is ({0} * 2.0)", "np.shares_memory({0} + 1.0, {0} + 1.0)"))
    return Ex(f"(np.sum({v.name}) if {form.format(v.name)} else 0.5 * np.sum({v.name}))", 6 * v.bound)


# -- conditions ---------------------------------------------------------------------------------


def mask(g: Generator, name: str, shape: object) -> str:
    """Booleans of the shape of an array."""
    form = g.rng.choice(("{0} > {1}", "{0} < {1}", "np.abs({0}) > {1}", "({0} > -0.4) & ({0} < {1})", "~({0} > {1})"))
    return form.format(name, g.rng.choice((0.1, 0.35, -0.2)))


def _comparison(g: Generator) -> str:
    whole = g.vars_of(Whole)
    if whole and g.chance(0.4):
        v = g.pick(whole).name
        return g.rng.choice((f"{v} % 2 == 0", f"{v} > 0", f"{v} != 1", f"{v} == 1"))
    arrays = [v for v in g.vars_of(Array) if v.kind.ndim]
    if arrays and g.chance(0.3):
        return f"np.sum({g.pick(arrays).name}) {g.rng.choice('<>')} {g.rng.choice((0.13, -0.4, 0.6))}"
    numbers = g.vars_of(Number)
    left = g.pick(numbers).name if numbers else g.number(1).text
    return f"{left} {g.rng.choice(('<', '>', '<=', '>='))} {g.rng.choice((0.11, -0.35, 0.62))}"


def condition(g: Generator) -> str:
    """A test; on data, on numbers of iterations, on sizes."""
    kind = g.rng.random()
    if kind < 0.15 and g.has("bool_op"):
        g.mark("bool_op")
        return f"({_comparison(g)} {g.rng.choice(('and', 'or'))} {_comparison(g)})"
    if kind < 0.25 and g.has("compare_chain") and g.vars_of(Number):
        g.mark("compare_chain")
        return f"-0.3 < {g.pick(g.vars_of(Number)).name} < 0.7"
    if kind < 0.32:
        return f"not {_comparison(g)}"
    arrays = [v for v in g.vars_of(Array) if v.kind.ndim]
    if kind < 0.4 and arrays:
        return f"len({g.pick(arrays).name}) > {g.rng.choice((0, 1, 2))}"
    return _comparison(g)


@register("bool_op", "control", "mark")
def bool_op(g: Generator) -> None:
    _branch_on(g, f"({_comparison(g)} {g.rng.choice(('and', 'or'))} {_comparison(g)})")


@register("compare_chain", "control", "mark")
def compare_chain(g: Generator) -> None:
    _branch_on(g, f"-0.3 < {g.need_number().name} < 0.7")


def _branch_on(g: Generator, test: str) -> None:
    v = g.need_number()
    e = g.number(1)
    with g.suite(f"if {test}:"):
        g.emit(f"{v.name} = {g.tame(e).text}")


@register("broadcast", "basic", "mark")
def broadcast(g: Generator) -> None:
    shape = g.shape(2)
    part = g.rng.choice((shape[1:], (shape[0], ONE), (ONE, shape[1])))
    a, b = g.array(shape, 1), g.array(part, 1)
    g.bind(Array(shape), f"{a.text} {g.rng.choice('+-*')} {b.text}", a.bound + b.bound)


@register("complex_number", "basic", "number", 0.4)
def complex_number(g: Generator, depth: int) -> Ex:
    """Through the complex numbers and back."""
    a, b = g.tame(g.number(depth), 1.5), g.tame(g.number(depth), 1.5)
    form = g.rng.choice(
        (
            "np.real(({a} + 1j * {b}) ** 2 * (0.5 - 0.3j))",
            "abs(complex({a}, {b}) + 2.5)",
            "np.imag(np.exp(1j * {a}) * (0.4 + {b}))",
            "(({a} + 2j) / (3.0 + 1j * {b})).real",
        )
    )
    return Ex(form.format(a=a.text, b=b.text), 4.0)
