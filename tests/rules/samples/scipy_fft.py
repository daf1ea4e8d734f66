"""Sample calls of the rules in adcompile/rules/scipy/fft.py."""

from scipy import fft

from tests.rules.samples.numbers import complexes, real

NORMS = [{}, {"norm": "ortho"}, {"norm": "forward"}]
KINDS = [(kind, norm) for kind in (1, 2, 3, 4) for norm in NORMS]


def of_one_axis(make):
    return [
        *[((make(5),), norm) for norm in NORMS],
        ((make(2, 4), 3, 0), {}),
        ((make(3, 4),), {"n": 6, "axis": 1, "norm": "ortho"}),
        ((make(4), 4, -1, "backward"), {"workers": 1}),
    ]


def of_several_axes(make):
    return [
        ((make(2, 3),), {}),
        ((make(2, 3, 4), None, (0, 2)), {"norm": "ortho"}),
        ((make(2, 4), (3, 2), (0, 1), "forward"), {}),
    ]


def of_cosines(make):
    return [
        *[((make(5), kind), norm) for kind, norm in KINDS],
        ((make(2, 4), 2, 3, 0), {"workers": 1}),
        ((make(3, 4), 3), {"n": 6, "norm": "ortho"}),
        *[((make(4), kind), {"norm": "ortho", "orthogonalize": False}) for kind in (1, 2, 3, 4)],
        *[((make(4), kind), {"orthogonalize": True}) for kind in (1, 2, 3, 4)],
        ((complexes(2, 3),), {}),
    ]


def of_cosines_along_axes(make):
    return [((make(3, 4),), {}), ((make(2, 3, 4), 3, (4, 2), (0, 2), "ortho"), {}), ((make(3, 2), 1), {"axes": (1,)})]


SAMPLES = {
    **{key: [*of_one_axis(real), ((complexes(4),), {})] for key in [fft.fft, fft.ifft]},
    **dict.fromkeys([fft.rfft, fft.ihfft], of_one_axis(real)),
    **{key: [*of_one_axis(complexes), ((complexes(3), 5), {})] for key in [fft.irfft, fft.hfft]},
    **{key: [*of_several_axes(real), ((complexes(2, 3),), {})] for key in [fft.fftn, fft.ifftn, fft.fft2, fft.ifft2]},
    **dict.fromkeys([fft.rfftn, fft.rfft2], of_several_axes(real)),
    **dict.fromkeys([fft.irfftn, fft.irfft2], of_several_axes(complexes)),
    **{key: [((real(5),), {}), ((real(2, 3),), {"axes": 1})] for key in [fft.fftshift, fft.ifftshift]},
    fft.fftfreq: [((5, 0.4), {})],
    fft.rfftfreq: [((5, 0.4), {}), ((4,), {"d": 1.5})],
    **dict.fromkeys([fft.dct, fft.idct, fft.dst, fft.idst], of_cosines(real)),
    **dict.fromkeys([fft.dctn, fft.idctn, fft.dstn, fft.idstn], of_cosines_along_axes(real)),
}
