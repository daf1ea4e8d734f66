"""`with` around code that is followed: `np.errstate(...)`, and managers written in Python."""

import contextlib
import math

import numpy as np
import pytest

import adcompile as ad

X = np.array([-0.5, 0.0, 2.0])


def logarithms(x):
    with np.errstate(all="ignore"):
        y = np.where(x > 0, np.log(x), 0.0)
        for _ in range(2):
            with np.errstate(divide="ignore"):
                y = y * np.where(x > 0, 1.0 / x, x)
    return y


DERIVATIVES = {
    "grad": lambda f: ad.grad(lambda x: np.sum(f(x) * x)),
    "vjp": lambda f: lambda x: ad.vjp(f, x)[1](np.ones(3)),
    "jvp": lambda f: lambda x: ad.jvp(f, (x,), (np.ones(3),)),
    "jacrev": ad.jacrev,
    "jacfwd": ad.jacfwd,
    "hessian": lambda f: ad.hessian(lambda x: np.sum(f(x) * x)),
}


@pytest.mark.parametrize("name", DERIVATIVES)
def test_a_derivative_is_as_quiet_as_its_function(name):
    with np.errstate(all="raise"):
        DERIVATIVES[name](logarithms)(X)
        assert set(np.geterr().values()) == {"raise"}


def test_what_raises_within_leaves_the_settings_as_they_were():
    def reads(x, k):
        with np.errstate(all="ignore"):
            y = np.log(x)
            return y[k] * x[0]

    before = np.geterr()
    with pytest.raises(IndexError):
        ad.grad(reads)(X, 7)
    assert np.geterr() == before


def test_emitted_code_has_it_around_function_and_derivative():
    text = ad.source(ad.grad(lambda x: np.sum(logarithms(x))), X)
    assert text.count("with np.errstate(all='ignore'):") == 2


@pytest.mark.parametrize("settings", [{"divide": "raise"}, {"all": "call"}, {"call": print}])
def test_what_may_raise_or_call_is_refused(settings):
    def function(x):
        with np.errstate(**settings):
            y = np.log(x)
        return np.sum(y)

    def written_out(x):
        with np.errstate(divide="raise"):
            y = np.log(x)
        return np.sum(y)

    for f in (function, written_out):
        with pytest.raises(ad.Unsupported, match="with around"):
            ad.grad(f)(X)


def test_inert_code_under_other_managers_runs_as_written():
    def function(x):
        with np.printoptions(precision=2):
            text = str(np.array([1.23456]))
        return x * x * len(text)

    assert ad.grad(function)(3.0) == 6.0 * len("[1.23]")


class Holds:
    def __init__(self, x):
        self.x = x

    def __enter__(self):
        return self.x

    def __exit__(self, kind, error, traceback):
        self.x = None


LOG = []


class Swallows(Holds):
    def __exit__(self, kind, error, traceback):
        return kind is ValueError


class Chosen(Holds):
    quiet = False

    def __exit__(self, kind, error, traceback):
        return self.quiet


class Shows(Holds):
    def __exit__(self, kind, error, traceback):
        print(kind)


class Logs(Holds):
    def __exit__(self, kind, error, traceback):
        if kind is not None:
            LOG.append(kind)


class Raises(Holds):
    def __exit__(self, kind, error, traceback):
        if kind is not None:
            raise RuntimeError("inside") from error


class Switched(Holds):
    on = False

    def __exit__(self, kind, error, traceback):
        if self.on:
            LOG.append(kind)


class Writes(Holds):
    def __exit__(self, kind, error, traceback):
        A[0] = 1.0


A = np.zeros(2)


def under(manager):
    def function(x):
        with manager(x) as y:
            z = np.sum(y * x)
        return z

    return function


def switched(x):
    manager = Switched(x)
    with manager as y:
        manager.on = True
        z = np.sum(y * x)
        manager.on = False
    return z


@contextlib.contextmanager
def twice(x):
    for _ in range(2):
        yield x


@contextlib.contextmanager
def never(x):
    if x is None:
        yield x


@contextlib.contextmanager
def catches(x):
    try:
        yield x
    except ValueError:
        pass


@contextlib.contextmanager
def logs_at_last(x):
    try:
        yield x
    finally:
        LOG.append(1)


@contextlib.contextmanager
def logs_what_failed(x):
    done = False
    try:
        yield x
        done = True
    finally:
        if not done:
            LOG.append(1)


REFUSED = {
    "Swallows": (under(Swallows), "swallow"),
    **{cls.__name__: (under(cls), "may be seen") for cls in (Shows, Logs, Raises, Writes)},
    **{f.__name__: (under(f), "may be seen") for f in (logs_at_last, logs_what_failed)},
    "switched": (switched, "may be seen"),
    "twice": (under(twice), "more than once"),
    "never": (under(never), "does not yield"),
    "catches": (under(catches), "yield is not followed"),
    "suppress": (under(lambda x: contextlib.suppress(ValueError)), "not written in Python"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_generated_code_cannot_do_where_the_code_inside_raises_is_refused(name):
    function, why = REFUSED[name]
    with pytest.raises(ad.Unsupported, match=f"with around.*(?s:.*){why}"):
        ad.grad(function)(X)


def test_what_is_false_for_certain_lets_exceptions_through():
    assert np.array_equal(ad.grad(under(Chosen))(X), 2.0 * X)
    Chosen.quiet = True
    try:
        with pytest.raises(ad.Unsupported, match="swallow"):
            ad.grad(under(Chosen))(X)
    finally:
        Chosen.quiet = False


def test_exceptions_come_through_a_manager():
    def function(x, k):
        with Holds(x) as y:
            return y[k] * x[0]

    with pytest.raises(IndexError):
        ad.grad(function)(X, 7)
    with pytest.raises(IndexError):
        ad.jvp(function, (X, 7), (X, None))


def test_the_method_that_is_called_is_that_of_the_class_by_now():
    class Other:
        def __init__(self, x):
            self.x = x

        def __enter__(self):
            return self.x

        def __exit__(self, *raised):
            return None

    gradient = ad.grad(lambda x: under(Other)(x))
    assert np.array_equal(gradient(X), 2.0 * X)
    Other.__enter__ = lambda self: 3.0 * self.x
    assert np.array_equal(gradient(X), 6.0 * X)
    Other.__exit__ = lambda self, *raised: True
    with pytest.raises(ad.Unsupported, match="swallow"):
        gradient(X)


def test_a_generator_that_is_left_inside_of_its_with_is_refused():
    def items(x):
        with Holds(x) as y:
            yield y[0]
            yield y[2]

    def function(x):
        for item in items(x):
            if item * item > 0.1:
                break
        return item * x[0]

    with pytest.raises(ad.Unsupported, match="left inside"):
        ad.grad(function)(X)


class Scale:
    def __init__(self):
        self.scale = 2.0


class Set(Holds):
    def __enter__(self):
        self.before, self.x.scale = self.x.scale, 5.0

    def __exit__(self, kind, error, traceback):
        self.x.scale = self.before


def test_what_is_put_back_at_the_end_is_so_where_the_code_inside_raises():
    def function(scale, x):
        with Set(scale):
            if x < 0.0:
                raise ValueError("negative")
            return scale.scale * x

    scale = Scale()
    assert ad.grad(function, argnums=1)(scale, 1.0) == 5.0
    with pytest.raises(ValueError, match="negative"):
        ad.grad(function, argnums=1)(scale, -1.0)
    assert scale.scale == 2.0
    with pytest.raises(ValueError, match="negative"):
        ad.jvp(function, (scale, -1.0), (None, 1.0))
    assert scale.scale == 2.0


def test_what_is_written_before_a_manager_that_writes_nothing_stays_where_the_code_inside_raises():
    def function(scale, x):
        scale.scale = 3.0
        with Holds(x) as y:
            if x < 0.0:
                raise ValueError("negative")
            return scale.scale * y

    scale = Scale()
    with pytest.raises(ValueError, match="negative"):
        ad.jvp(function, (scale, -1.0), (None, 1.0))
    assert scale.scale == 3.0


class Noted(Holds):
    failed = False

    def __exit__(self, kind, error, traceback):
        if kind is not None:
            self.failed = True


def test_what_a_manager_notes_where_the_code_inside_raises_is_not_lost():
    def function(x):
        manager = Noted(x)
        try:
            with manager as y:
                z = math.log(y)
        except ValueError:
            z = x
        return z * (3.0 if manager.failed else 5.0)

    for x in (0.5, -0.5):
        with pytest.raises(ad.Unsupported, match="try around"):
            ad.grad(function)(x)
