"""Arrays of objects that the function makes: they hold the very lists, dicts, objects and arrays."""

import numpy as np
import pytest

import adcompile as ad


class Held:
    def __init__(self, v):
        self.v = v


def of_list(x):
    held = [x]
    boxes = np.array([held, None], dtype=object)
    held[0] = 3 * x
    return boxes[0][0] * x


def of_dict(x):
    held = {"a": x}
    boxes = np.array([held, None], dtype=object)
    held["a"] = 3 * x
    return boxes[0]["a"] * x


def of_object(x):
    held = Held(x)
    boxes = np.array([held, held])
    held.v = 3 * x
    return boxes[0].v * x


def of_array(x):
    held = np.ones(2)
    boxes = np.concatenate([np.array([None, None]), np.array([held, None], dtype=object)])
    held[0] = 3 * x
    return boxes[2][0] * x


def chosen(x):
    held = Held(1.0)
    boxes = np.where([True, False], held, None)
    held.v = 5.0
    return boxes[0].v * x


def chosen_and_written(x):
    held = Held(1.0)
    boxes = np.where([True, False], held, None)
    boxes[0].v = 5.0
    return held.v * x


def written_through(x):
    held = np.ones(2) * x
    boxes = np.concatenate([np.array([None, None]), np.array([held, None], dtype=object)])
    boxes[2][0] = 5.0 * x
    return held[0] * x


def in_records(x):
    held = [x]
    rows = np.array([(1, held)], dtype=[("a", int), ("b", object)])
    held[0] = 3 * x
    return rows[0]["b"][0] * x


def joined(x):
    held = [x]
    boxes = np.concatenate([np.array([None, None]), np.array([held, None], dtype=object)])
    held[0] = 3 * x
    return boxes[2][0] * x


def mapped(x):
    held = [1.0]
    boxes = np.vectorize(lambda i: held, otypes=[object])([0, 1])
    held[0] = 5.0
    return boxes[1][0] * x


def constant_list(x):
    held = [1.0]
    boxes = np.array([held, None], dtype=object)
    held[0] = 5.0
    return boxes[0][0] * x


def constant_object(x):
    held = Held(1.0)
    boxes = np.array([held, None])
    held.v = 5.0
    return boxes[0].v * x


ALL = (
    of_list, of_dict, of_object, of_array, chosen, chosen_and_written, written_through, in_records, joined,
    constant_list, constant_object,
)  # fmt: skip


@pytest.mark.parametrize("derivative", [ad.grad, ad.jacfwd])
@pytest.mark.parametrize("f", ALL)
def test_right_or_refused(f, derivative):
    slope = (f(2.0 + 1e-6) - f(2.0 - 1e-6)) / 2e-6
    try:
        got = derivative(f)(2.0)
    except ad.Unsupported as error:
        assert f not in (constant_list, constant_object), error
    else:
        assert np.allclose(got, slope)


def test_what_np_vectorize_is_given_gives_numbers():
    with pytest.raises(ValueError, match="gives lists"):
        ad.grad(mapped)(2.0)


def test_a_pass_of_a_jacobian_checks_what_a_gradient_does():
    """The function is called again for each column: it is the user's code there, too."""

    def written(x):
        out = np.zeros(2)
        boxes = np.array([[x], None], dtype=object)
        out[0] = boxes[0][0] * x
        return out

    with pytest.raises(ad.Unsupported, match="array of objects"):
        ad.jacfwd(written)(2.0)
