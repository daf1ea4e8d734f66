"""What would tell when an object that the code makes is gone is refused."""

import copy
import functools
import weakref

import numpy as np
import pytest

import adcompile as ad

LOG = []


class Params:
    def __init__(self, x):
        self.x = x


def closed(self):
    LOG.append("closed")


class Closed:
    def __init__(self, x):
        self.x = x

    def __del__(self, log=LOG):  # names of modules are gone when Python ends
        log.append("closed")


class Opened(Closed):
    pass


class Partly(Params):
    __del__ = functools.partialmethod(closed)


class Later(Params):
    def __init__(self, x):
        self.x = x
        type(self).__del__ = closed


class Floating(float):
    __del__ = closed


OUTSIDE = Opened(2.0)
BY_KEY, BY_VALUE = weakref.WeakKeyDictionary(), weakref.WeakValueDictionary()
BY_KEY[OUTSIDE] = 3.0


def gone_before_it_is_read(cls):
    def f(x):
        made = cls(x)
        y = x * 2.0
        del made
        return y * len(LOG)

    return f


def gone_without_init(x):
    made = Closed.__new__(Closed)
    made.x = x
    y = made.x * 2.0
    del made
    return y * len(LOG)


def gone_as_copy(x):
    made = copy.copy(OUTSIDE)
    y = x * made.x
    del made
    return y * len(LOG)


def gone_as_deep_copy(x):
    made = copy.deepcopy(OUTSIDE)
    y = x * made.x
    del made
    return y * len(LOG)


def looked_up_weakly(x):
    made = Params(x)
    found = weakref.ref(made)
    y = x * (2.0 if found() is not None else 3.0)
    del made
    return y * (2.0 if found() is not None else 5.0)


def looked_up_array(x):
    made = np.ones(3)
    found = weakref.ref(made)
    del made
    return x * (2.0 if found() is None else 3.0)


def looked_up_function(x):
    def made():
        return 1.0

    found = weakref.ref(made)
    del made
    return x * (2.0 if found() is None else 3.0)


def key_of_a_dictionary(x):
    made = Params(x)
    BY_KEY[made] = 2.0
    n = len(BY_KEY)
    del made
    return x * (n + len(BY_KEY) * 10)


def value_in_a_dictionary(x):
    made = Params(x)
    BY_VALUE["a"] = made
    return BY_VALUE["a"].x * x


@pytest.mark.parametrize(
    ("f", "why"),
    [
        (gone_before_it_is_read(Opened), "__del__"),
        (gone_before_it_is_read(Partly), "__del__"),
        (gone_before_it_is_read(Later), "__del__ that is set"),
        (gone_before_it_is_read(Floating), "__del__"),
        (gone_without_init, "__del__"),
        (gone_as_copy, "__del__"),
        (gone_as_deep_copy, "__del__"),
        (looked_up_weakly, "weak reference"),
        (looked_up_array, "weak reference"),
        (looked_up_function, "weak reference"),
        (key_of_a_dictionary, "weak reference"),
        (value_in_a_dictionary, "weak reference"),
    ],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_when_nobody_has_an_object_any_more_is_not_followed(f, why):
    with pytest.raises(ad.Unsupported, match=why) as caught:
        ad.grad(f)(0.7)
    assert caught.value.remedy


def made_outside(x):
    LOG.append(1.0)
    found = weakref.ref(OUTSIDE)() is OUTSIDE
    return x * len(LOG) * found * BY_KEY[OUTSIDE] * OUTSIDE.x


def test_objects_from_outside_may_have_a_del_and_be_looked_up_weakly():
    LOG.clear()
    assert ad.grad(made_outside)(0.7) == 6.0
