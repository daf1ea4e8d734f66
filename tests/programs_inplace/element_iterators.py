"""np.ndenumerate and np.nditer of arrays that are written into while, or before, they are gone through."""

import numpy as np


def writes_into_what_it_goes_through(img):
    for (i, j), v in np.ndenumerate(img):
        img[i, j] = v * v
        if i + 1 < img.shape[0]:
            img[i + 1, j] += v * img[i, j]
    return np.sum(img**2)


def made_before_a_write_through_a_view(img):
    items = np.ndenumerate(img)
    turned = img.T
    turned[0, 1] = img[0, 0] * 3.0
    s = 0.0
    for (i, j), v in items:
        if v < 0.0:
            continue
        if i == 1 and j == 1:
            break
        turned[-1] *= v
        s = s * v + v
    return s * turned[2, 1]


def listed_largest_and_zipped(img):
    items = list(np.ndenumerate(img))
    img[0, 0] *= 3.0
    where, largest = max(np.ndenumerate(img), key=lambda item: item[1])
    s = items[0][1] * items[-1][1] * items[3][0][0] * largest * (where[0] + 2) + img[where]
    for (k, ((i, j), v)), w in zip(enumerate(np.ndenumerate(img), 1), img.T.flat):
        s += v * w * (k + i - j)
    return s


def of_a_list(xs):
    s = 0.0
    for (i,), v in np.ndenumerate(xs):
        s += v**2 * (i + 1)
        xs[i] = 3.0 * xs[i]
    return s * xs[0]


def sees_what_is_written_meanwhile(img):
    s = 0.0
    for v in np.nditer(img.T):
        img *= v
        s += v
    return s


def views_that_are_kept(img):
    items = list(np.nditer(img))
    img[0, 0] = img[1, 1]
    return items[0] * items[1] * items[-1]


def writes_through_the_iterator(img):
    out = np.empty_like(img)
    for x, y in zip(np.nditer(img, op_flags=["readwrite"]), np.nditer(out, op_flags=[["writeonly"]])):
        y[...] = x**3
        x *= 2.0
    return np.sum(out) * img[0, 1]


def loops_that_are_left(img, n):
    s = 0.0
    for k in range(n):
        img[k % 2] *= 1.1
        for (i, _), v in np.ndenumerate(img):
            if v > 0.8:
                break
            for x in np.nditer(img[i], op_flags=["readwrite"]):
                x += v * 0.1
            s += v * i
        else:
            s += 1.0
    return s + np.sum(img**2)


A = np.array([[0.75, 0.28, 1.0], [0.78, 1.06, 0.5]])

SAMPLES = {
    "writes_into_what_it_goes_through": [(A,)],
    "made_before_a_write_through_a_view": [(A,), (A - 0.6,)],
    "listed_largest_and_zipped": [(A,)],
    "of_a_list": [([1.0, 2.0, 3.0],)],
    "sees_what_is_written_meanwhile": [(A,)],
    "views_that_are_kept": [(A,)],
    "writes_through_the_iterator": [(A,)],
    "loops_that_are_left": [(A, 3)],
}
