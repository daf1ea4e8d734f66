"""What runs as it is written: try, with, match."""

import numpy as np

from tests.frontend.language import register_in

CALLS = []
on = register_in(CALLS)


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
