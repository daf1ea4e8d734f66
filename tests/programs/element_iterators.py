"""np.ndenumerate and np.nditer: the elements of an array as the loop finds them, written or not."""

import numpy as np


def sums_over_pixels(img):
    total = 0
    for idx, v in np.ndenumerate(img):
        total += v * v * (idx[0] + 1)
    return total + 0.0 * np.sum(img)


def fills_another(img):
    out = np.zeros_like(img)
    for (i, j), v in np.ndenumerate(img):
        out[i, j] = v * v
    return np.sum(out**2)


def first_item_by_itself(img):
    items = np.ndenumerate(img)
    _, first = next(items)
    s = first
    for (_, j), v in items:
        s = s * v + j * first
    return s


def pairs_of_elements(img):
    s = 0.0
    for (i, _), v in np.ndenumerate(img):
        for (k, m), w in np.ndenumerate(img[: i + 1]):
            s += v * w * (k + m)
    return s


def in_the_order_of_memory(img):
    s = 0.0
    for part in (img, img[::-1], img[:, ::-1].T, img[::-1, ::-2], np.asfortranarray(img)[::-1], img[None, :, 1:]):
        for v in np.nditer(part):
            s = s * v + v
    for v in np.nditer(img, order="F"):
        s = s * v + v
    return s


def beside_iterators_without_derivatives(img):
    w = np.array([[1.0, 2.0], [3.0, 4.0]])
    s = 0.0
    steps = np.nditer(w, flags=["multi_index"])
    while not steps.finished:
        s += float(steps[0]) * steps.multi_index[1]
        steps.iternext()
    for a, b in np.nditer([w, w.T]):
        s += a * b
    with np.nditer(w, op_flags=["readwrite"]) as steps:
        for x in steps:
            x[...] = 2 * x
    return np.sum(img) * s * np.nditer(w).itersize + w[1, 1] * img[0, 0]


A = np.array([[0.75, 0.28, 1.0], [0.78, 1.06, 0.5]])

SAMPLES = {
    "sums_over_pixels": [(A,), (A.T,), (A[:, ::-1],), (np.zeros((0, 3)),)],
    "fills_another": [(A,)],
    "first_item_by_itself": [(A,)],
    "pairs_of_elements": [(A,)],
    "in_the_order_of_memory": [(A,), (np.asfortranarray(A),)],
    "beside_iterators_without_derivatives": [(A,)],
}
