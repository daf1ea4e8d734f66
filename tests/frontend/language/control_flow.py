"""Branches, loops and the ways out of them."""
# ruff: noqa: B007

from tests.frontend.language import register_in

CALLS = []
on = register_in(CALLS)


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
