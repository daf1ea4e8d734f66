"""Plain functions, one for each construct of the language, with arguments to call them with."""

import functools
import math
import operator
from collections import namedtuple
from dataclasses import dataclass

import numpy as np

CALLS = []  # (function, arguments)
SCALE = 2.5
LOG = []


def on(*args, **kwargs):
    """Registers the function for a call with these arguments; it stays what it is."""

    def register(fn):
        CALLS.append((fn, args, kwargs))
        return fn

    return register


# Branches and loops


@on(1.0)
@on(-1.0)
@on(0.0)
def if_else(x):
    if x > 0:
        y = x
    elif x < 0:
        y = -x
    else:
        y = None
    return y


@on(3)
@on(0)
def falls_off_the_end(n):
    if n:
        n + 1


@on(1)
@on(2)
@on(3)
@on(4)
def nested_partial_returns(n):
    out = 0
    if n > 1:
        out += 1
        if n > 2:
            out += 10
            if n > 3:
                return "early", out
        out += 100
    out += 1000
    return "late", out


@on(5)
@on(0)
def for_with_everything(n):
    total = 0
    for i in range(n):
        if i == 1:
            continue
        if i > 2:
            if i == 4:
                break
            total += 100
        total += i
    else:
        total = -1
    return total


@on([1, 2, 3], 2)
@on([1, 3], 2)
@on([], 2)
def for_else_search(items, wanted):
    for i, item in enumerate(items):
        if item == wanted:
            found = i
            break
    else:
        return "none"
    return found


@on(7)
@on(100)
def while_else(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
        if steps > 20:
            break
    else:
        return "one", steps
    return "many", n


@on([[1, 2], [3, -1, 4], [5]])
@on([[1], [2]])
@on([])
def return_from_nested_loops(rows):
    seen = 0
    for row in rows:
        for item in row:
            if item < 0:
                return item, seen
            seen += 1
        else:
            seen += 100
    return None, seen


@on(3)
@on(20)
def endless_while_with_return(n):
    i = 0
    while True:
        i += n
        if i % 7 == 0:
            return i
        if i > 50:
            return -i


@on(4)
@on(9)
def endless_while_with_break_and_return(n):
    while 1:
        n += 1
        if n == 8:
            return "eight"
        if n > 12:
            break
    return n


@on(10)
def loop_variable_survives(n):
    for i in range(n):
        if i == 3:
            break
    return i


@on([])
@on([1])
def loop_variable_unbound(items):
    for i in items:
        pass
    return i


@on(True)
@on(False)
def unbound_on_one_path(flag):
    if flag:
        y = 1
    return y


@on(6)
def continue_in_nested_ifs(n):
    out = []
    for i in range(n):
        if i % 2:
            if i == 3:
                continue
            out.append(i)
        elif i == 4:
            break
        out.append(-i)
    return out


@on(5)
def nested_loops_with_breaks(n):
    out = 0
    for i in range(n):
        j = 0
        while j < n:
            j += 1
            if j == i:
                continue
            if j > 3:
                break
            out += i * j
        if out > 20:
            break
        out += 1
    return out, i, j


@on(8)
def mixed_exits(n):
    for i in range(n):
        if i > 1:
            if i == 2:
                continue
            if i == 5:
                break
            if i == 6:
                return "never"
            if i == 4:
                n += 1
        n += 10
    return n, i


@on(1)
@on(2)
@on(3)
def three_way_exits(n):
    for i in range(4):
        if i > 0:
            if n == 1:
                break
            elif n == 2:
                return "returned", i
            elif i == 2:
                continue
            n += 5
        n += 100
    return n


@on(3)
def dead_code_after_return(n):
    return n
    n = undefined_name  # noqa: F821


@on(-1)
@on(1)
def raising_branch(n):
    if n < 0:
        raise ValueError(f"negative: {n}")
    elif n == 0:
        raise ZeroDivisionError
    return n


@on(1)
def raise_from(n):
    if n:
        raise KeyError("outer") from ValueError("inner")


@on(0)
@on(1)
def all_paths_raise(n):
    if n:
        raise ValueError("one")
    else:
        raise KeyError("two")


@on(3)
@on(-3)
def asserting(n):
    assert n > 0, f"not {n}"
    assert n
    return n


@on(4)
def while_with_condition(n):
    out = 1
    while n > 0 and out < 100:
        out *= n
        n -= 1
    return out, n


# Expressions


@on(0)
@on(1)
@on(7)
def short_circuits(n):
    return (n and "yes"), (n or "no"), (n and n - 1 and "both"), not n, (n or n or 5)


@on(2)
@on(9)
@on(-1)
def chained_comparison(n):
    return 0 < n < 5, 0 < n < n + 1 < 8, 1 <= n != 9, n in (1, 2) in [True]


@on(1)
@on(0)
def effects_in_order(n):
    seen = []

    def note(v):
        seen.append(v)
        return v

    r = note(1) + note(2) * note(3), note(n) and note(4), note(5) < note(0) < note(6)
    note(7) if n else note(8)
    return r, seen


@on(3.0, 2)
def operators(x, n):
    return x + n, x - n, x * n, x / n, x // n, x % n, x**n, -x, +x, n << 2, n >> 1, n & 3, n | 4, n ^ 1, ~n, abs(x)


@on(np.arange(6.0).reshape(2, 3))
def indexing(a):
    return a[0], a[:, 1], a[..., None], a[1, 2], a[::-1, :2], a[a > 2], a[[0, 1], [1, 2]], a[-1, -1]


@on(5)
def conditional_expressions(n):
    return 1 if n > 3 else 2 if n > 1 else 3


@on("né", 3.14159)
def strings(name, x):
    width = 10
    return f"{name!r:>{width}}|{x:.2f}|{x!s}|{{}}|{name}", f"plain", "a" "b", f"{x=}"  # noqa: F541


@on(3)
@on(-3)
def walrus(n):
    if (m := n * 2) > 0 and (k := m + 1):
        return m, k
    return m


@on([1, 2, 3, 4])
def walrus_in_comprehension(items):
    squares = [last := i * i for i in items if (half := i / 2) > 0.5]
    return squares, last, half


@on([1, 2, 3])
@on([])
def walrus_in_while(items):
    items = list(items)
    total = 0
    while (n := len(items)) > 0:
        total += n * items.pop()
    return total, n


@on({"a": 1}, 2)
def displays(d, n):
    return (n, n + 1), [n, [n]], {n, n}, {"k": n, **d, "a": 3}, (*[1, 2], n, *(3,)), [*range(n), n], {*"ab"}, (), []


@on(1j, None, ...)
def constants(z, none, dots):
    return -1, +2.0, -0.0, 1j, -1j, b"x", None, True, ..., z, none, dots


# Comprehensions


@on([1, 2, 3, 4, 5])
def comprehensions(items):
    i = "kept"
    a = [i * 2 for i in items if i % 2 if i > 1]
    b = {i % 3 for i in items}
    c = {i: j for i, j in zip(items, a)}
    d = [(i, j) for i in items for j in range(i) if j != 1]
    e = [[j for j in range(i)] for i in items]
    f = [x + y for x, (y, *_) in [(1, (2, 3)), (4, (5,))]]
    return a, b, c, d, e, f, i


@on([3, 1, 2])
@on([])
def generator_arguments(items):
    total = sum(i * i for i in items), list(i for i in items), sorted(-i for i in items), tuple(i for i in items)
    total += (sum((i / 2 for i in items), 10), math.fsum(i for i in items))
    return total, max((i for i in items), default=0), "".join(str(i) for i in items), dict((i, i) for i in items)


@on([3, 1, 2])
@on([])
@on([0, 5])
def any_and_all(items):
    seen = []

    def test(v):
        seen.append(v)
        return v > 1

    return any(test(i) for i in items), all(test(i) for i in items if i), any(i > j for i in items for j in items), seen


# Assignment


@on(1, 2)
def swaps(a, b):
    a, b = b, a
    c, (d, e) = a, (b, a + b)
    (f, g), h = (a, c), b
    [p, q] = [h, g]
    return a, b, c, d, e, f, g, h, p, q


@on((1, 2, 3, 4))
@on("abc")
@on((1,))
def stars(items):
    first, *middle, last = items
    head, *tail = items
    *start, end = items
    return first, middle, last, head, tail, start, end


@on((1, 2, 3))
@on((1,))
@on(5)
def unpacking_errors(items):
    a, b = items
    return a, b


@on(2)
def chained_and_annotated(n):
    a = b = [n]
    a.append(1)
    c: int = n * 2
    d: int
    x, y = z = (n, n)
    return a, b, a is b, c, x, y, z


@on(4.0)
def augmented(x):
    x += 1
    x -= 2
    x *= 3
    x /= 2
    x **= 2
    x //= 3
    x %= 5
    n = 5
    n <<= 2
    n >>= 1
    n |= 1
    n &= 7
    n ^= 2
    m = np.eye(2)
    m @= m
    return x, n, m


@on()
def augmented_places():
    a = [1, 2, 3]
    alias = a
    a += [4]
    d = {"k": [1]}
    d["k"] += [2]
    d["k"][0] *= 5
    v = np.arange(3.0)
    v[1] += 10
    v[1:] *= 2
    return a, alias, a is alias, d, v


@on()
def deletes():
    a = [1, 2, 3, 4]
    b = a
    del a[0], a[1:]
    d = {"x": 1, "y": 2}
    e = d
    del d["x"]
    t = 5
    del t
    t = 6
    return a, b, d, e, t


@on()
def deleted_name():
    t = 1
    del t
    return t


# Local containers


@on(4)
def list_building(n):
    out = []
    squares = [0] * n
    for i in range(n):
        out.append(i)
        squares[i] = i * i
        squares[i] += 1
    out[0] = "first"
    out.extend(squares)
    return out, squares, len(out), 3 in out


@on(4)
def rows(n):
    table = []
    for i in range(n):
        row = []
        for j in range(i):
            row.append(i * j)
        table.append(row)
    return table


@on(4)
def shared_row(n):
    table = []
    row = []
    for i in range(n):
        row.append(i)
        table.append(row)
    return table


@on(3)
def stack(n):
    todo = [n]
    seen = []
    while todo:
        k = todo.pop()
        seen.append(k)
        if k > 0:
            todo.append(k - 1)
            todo.extend([k - 2])
    return seen, todo


@on()
def pop_from_empty():
    items = [1]
    items.pop()
    items.pop()
    return items


@on()
def aliased_list():
    a = [1]
    b = a
    a.append(2)
    b.append(3)
    a[0] = 9
    return a, b


@on()
def list_in_closure():
    a = []

    def add(v):
        a.append(v)
        return len(a)

    return add(1), add(2), a


@on("hello")
def dict_building(text):
    counts = {}
    for c in text:
        counts[c] = counts.get(c, 0) + 1
    if "z" not in counts:
        counts["z"] = len(counts)
    doubled = {k: v * 2 for k, v in counts.items()}
    doubled["h"] += 1
    return counts, doubled


@on()
def dict_methods():
    d = dict(a=1)
    d["b"] = 2
    d.setdefault("c", []).append(3)
    d.update({"e": 5})
    x = d.pop("a")
    return d, x, list(d), sorted(d.items())


@on(3)
def list_used_while_building(n):
    fib = [1, 1]
    for i in range(n):
        fib.append(fib[-1] + fib[-2])
        if len(fib) > 4 and fib:
            print(fib)
    return max(fib), fib[::2]


@on()
def mutating_what_is_iterated():
    items = [1, 2, 3]
    for i in items:
        if len(items) < 6:
            items.append(i * 10)
    return items


@on(True)
@on(False)
def conditional_mutation(flag):
    out = []
    if flag:
        out.append(1)
    else:
        out = [5]
        out.append(2)
    out.append(3)
    return out


@on()
def container_escapes_then_mutates():
    inner = []
    outer = {"k": inner}
    inner.append(1)
    return outer


# Functions


def default_arguments(a, b=2, *rest, c, d=4, **more):
    return a, b, rest, c, d, more


CALLS.append((default_arguments, (1,), {"c": 3}))
CALLS.append((default_arguments, (1, 5, 6, 7), {"c": 3, "e": 9}))
CALLS.append((default_arguments, (), {"c": 3}))


@on(1)
def positional_only(a, /, b=3, *, c=4):
    return a, b, c


@on((1, 2), {"c": 3})
def splats(args, kwargs):
    return (
        default_arguments(*args, **kwargs),
        default_arguments(0, *args, 9, **kwargs, z=1),
        default_arguments(*args, *args, c=1),
        print(*args, sep="-"),
    )


@on((1,), {"c": 3})
def keyword_clash(args, kwargs):
    return dict(*[], hint=1, node=2, fn=3), default_arguments(*args, **kwargs, c=4)


@on(3)
def nested_functions(n):
    def add(a, b=n, *, c=1):
        return a + b + c + n

    def twice(f, *args, **kwargs):
        return f(f(*args, **kwargs))

    def make(k):
        return lambda v: v * k + n

    return add(1), add(1, 2, c=3), twice(add, 4), make(5)(6), (lambda: n)(), (lambda a, *b: (a, b))(1, 2, 3)


@on(5)
def nested_recursion(n):
    def fact(k):
        return 1 if k <= 1 else k * fact(k - 1)

    fib = lambda k: k if k < 2 else fib(k - 1) + fib(k - 2)
    return fact(n), fib(n)


@on(3)
def closure_in_loop(n):
    out = []
    for i in range(n):

        def shifted(v):
            return v + i

        out.append(shifted(10))
        out.append((lambda v: v * i)(2))
        out.append(sorted([3, 1, 2], key=lambda v: -v * i))
    return out


@on(5)
def captured_variable_changes(n):
    y = n

    def f(a):
        return a * y

    out = [f(2)]
    y = y + 1
    out.append(f(2))
    for y in range(3):
        out.append(f(y))
    return out, f(1), (lambda: f(3))()


@on(6)
def functions_that_call_each_other(n):
    def even(k):
        return k == 0 or odd(k - 1)

    def odd(k):
        return k != 0 and even(k - 1)

    def base():
        return shift + later()

    shift = n

    def later():
        return shift * 10

    return even(n), odd(n), base(), [even(k) for k in range(4)], list(map(odd, range(3)))


@on(3)
def three_that_call_each_other(n):
    log = []

    def a(k):
        log.append(("a", k))
        return b(k - 1) if k > 0 else 0

    def b(k):
        return c(k - 1) + a(k - 2) if k > 0 else 1

    def c(k):
        return a(k - 1) + b(k) + c(k - 2) if k > 0 else 2

    return a(n + 3), b(n), c(n), log


@on(2)
def late_in_a_try(n):
    def f():
        return k + n

    try:
        k = 1
        r = f()
    except ValueError:
        return None
    return r, f()


@on(2)
def late_closure_returned(n):
    def f():
        return k + n

    k = 5
    return f


@on(4)
def lambda_in_comprehension(n):
    return [(lambda v: v + i)(1) for i in range(n)], list(map(lambda v: v**2, range(n)))


@on(4)
def captured_before_the_def(n):
    if n > 2:
        k = 10
    else:
        k = 20

    def f(v):
        return v + k

    return f(1)


@on(3)
def decorated_inner(n):
    def twice(f):
        def wrapper(v):
            return f(f(v))

        return wrapper

    @twice
    @functools.lru_cache(maxsize=None)
    def inc(v):
        return v + n

    return inc(1)


@on(3)
def deep_closures(n):
    a = n

    def outer(b):
        c = a + b

        def inner(d):
            return a, b, c, d, n

        return inner

    return outer(2)(5)


@on(2.0)
def higher_order(x):
    return functools.reduce(operator.mul, [x, 3, 4]), functools.partial(pow, x)(3), math.sin(x), SCALE * x


@on(1)
def default_evaluated_once(n):
    def f(a=[]):  # noqa: B006
        a.append(n)
        return a

    f()
    return f()


# Globals, imports, objects


@on(2)
def globals_and_builtins(n):
    return SCALE * n, len([n]), missing_name if n > 5 else None  # noqa: F821


@on(2)
def missing_global(n):
    return missing_name + n  # noqa: F821


@on(2)
def reads_global_statement(n):
    global SCALE
    return SCALE * n


@on()
def imports():
    import math as m
    import os.path
    from collections import OrderedDict, deque
    from os import path as p
    from xml import etree

    return m.pi, os.path.join("a", "b"), OrderedDict, deque, p is os.path, etree.__name__


@on()
def failing_import():
    from math import no_such_name

    return no_such_name


Pair = namedtuple("Pair", "left right")


@dataclass
class Point:
    x: float
    y: float = 1.0

    def norm(self):
        return math.hypot(self.x, self.y)


class Base:
    def __init__(self, w):
        self.w = w
        self.__secret = w * 2

    def scaled(self, x):
        return self.w * x

    def secret(self):
        return self.__secret


class Derived(Base):
    def __init__(self, w):
        super().__init__(w + 1)
        self.extra = w

    def scaled(self, x):
        return super().scaled(x) + self.extra

    @property
    def double(self):
        return self.w * 2

    @classmethod
    def make(cls, w):
        return cls(w)

    @staticmethod
    def plus(a, b):
        return a + b

    def __getitem__(self, i):
        return self.w + i

    def __call__(self, x):
        return x - self.w


@on(3.0)
def objects(w):
    d = Derived(w)
    d.extra += 1
    d.new = 5
    del d.new
    p = Point(w)
    p.y = 4.0
    pair = Pair(1, right=2)
    left, right = pair
    return d.scaled(2), d.double, d[3], d(1), Derived.plus(1, 2), d.secret(), p, p.norm(), pair.right, left, hasattr(d, "new")


CALLS += [(Derived(2.0).scaled, (3.0,), {}), (Base(1.0).secret, (), {}), (Derived(2.0).__call__, (5,), {})]
CALLS += [(Derived.make, (2.0,), {}), (Derived.plus, (2.0, 3.0), {})]
CALLS[-2] = (lambda: Derived.make(2.0).w, (), {})


def factory(k):
    offset = k * 2

    def inner(x):
        return x * k + offset

    return inner


CALLS += [(factory(3), (4,), {}), (lambda x: x + SCALE, (1,), {}), (lambda *a, k=2: (a, k), (1, 2), {"k": 5})]


@on(2)
def prints(n):
    """A docstring is no statement."""
    print("n", n, sep="=")
    "another string"
    ...
    pass
    return n


# What runs as written


@on("3")
@on("x")
@on(None)
def try_except(text):
    try:
        value = int(text)
        kind = "good"
    except ValueError as error:
        value, kind = -1, str(error)
    except TypeError:
        return "type"
    else:
        value += 1
    finally:
        print("done")
    return value, kind


@on(0)
@on(2)
def try_in_loop(n):
    out = []
    total = 0
    for i in range(3):
        try:
            total += 1 / (i - n)
        except ZeroDivisionError:
            out.append(i)
    return out, total


@on([1, 2])
@on([0])
def try_with_return_in_loop(items):
    for i in items:
        try:
            if 1 / i > 0.9:
                return "big", i
        except ZeroDivisionError:
            return "zero"
    return "none"


@on(["1", "x", "3", "", "5", "6"])
@on(["1", "stop"])
def try_with_break_and_continue(items):
    out = []
    for item in items:
        try:
            if not item:
                continue
            n = int(item)
            for k in range(9):
                if k == n:
                    break
            else:
                continue
            if n == 5:
                break
        except ValueError:
            if item == "stop":
                return "stopped", out
            continue
        finally:
            out.append(item)
        out.append(n)
    return out, k


@on(3)
def with_break(n):
    while True:
        with np.errstate(all="ignore"):
            n += 1
            if n > 5:
                break
        n += 1
    return n


@on(1)
def try_raises(n):
    try:
        raise ValueError("inner")
    except KeyError:
        n = 2
    return n


@on(1)
@on(0)
def try_reraises(n):
    try:
        return 1 // n
    except ZeroDivisionError:
        raise ValueError("zero") from None


@on(1)
@on(0)
def try_unbinds(n):
    try:
        1 // n
        y = 1
    except ZeroDivisionError:
        pass
    return y


@on(3.0)
def with_blocks(x):
    with np.errstate(all="ignore") as state, np.printoptions(precision=3):
        y = np.float64(x) / 0.0
        if y > 3:
            z = 1
    return y, state is None, z


@on(3.0)
def with_return(x):
    with np.errstate(divide="ignore"):
        return np.float64(x) / 0.0


@on((1, 2))
@on([5])
@on({"k": 3})
@on("s")
@on(4)
def match_statement(v):
    match v:
        case (a, b):
            out = a + b
        case [x, *rest]:
            out = x, rest
        case {"k": k}:
            return "dict", k
        case str() as s:
            out = s
        case _ if v > 3:
            out = "big"
    return out


@on(3)
def comprehension_in_try(n):
    try:
        a = [i * n for i in range(n)]
        f = lambda v: v + n
    except ValueError:
        return None
    return a, f(1)


@on(2)
@on(0)
def try_inside_nested_if(n):
    if n >= 0:
        try:
            k = 10 // n
            if k == 5:
                return "five"
        except ZeroDivisionError:
            k = -1
        k += 1
    return k


@on(7)
def loop_with_print(n):
    k = 0
    for k in range(n):
        print(k, end=" ")
        if k > 3:
            print("stop")
            break
    return k


@on(2.0)
def shadowed_builtins(max):
    sum = max * 2
    abs = lambda v: -v
    return sum, abs(max)
