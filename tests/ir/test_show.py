"""IR as text."""

from adcompile.frontend.lower import lower_function
from adcompile.ir.show import show


def sample(x, /, n=3, *rest, key, **more):
    y = x
    for i in range(n):
        if i == 2:
            break
        y = y * x
    return (lambda v: v + y)(1)


EXPECTED = """\
function sample(x, /, n, *rest, key, **more):
    range = ops.load_global(@range)
    items = range(n)
    y#1 = for i in items with y = x:
        t = operator.eq(i, 2)
        if t:
            break y
        else:
            y#2 = operator.mul(y, x)
            continue y#2
    t#1 = ops.build_tuple()
    t#2 = ops.build_dict()
    <lambda> = ops.make_function(<<lambda>>, t#1, t#2, y#1)
        function <lambda>(v) captures (y#3):
            result = operator.add(v, y#3)
            return result
    result#1 = <lambda>(1)
    return result#1
"""


def test_show():
    assert show(lower_function(sample)) == EXPECTED
