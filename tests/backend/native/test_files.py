"""The files that kernels are written to, and what they were compiled to."""

import os
import pickle
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

from adcompile.backend import disk
from adcompile.backend.native.files import Entries, alone, loaded, named, place, write

numba = pytest.importorskip("numba")
dumps = pytest.importorskip("numba.core.serialize").dumps


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("ADCOMPILE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_a_file_is_named_by_what_it_depends_on(home):
    name = named("x = 1\n", "k", "salt")
    assert name == named("x = 1\n", "k", "salt") != named("x = 1\n", "k", "other")
    path = place(name)
    assert path.parent == home / "native" and not path.exists()
    write(path, "x = 1\n")
    assert path.read_text() == "x = 1\n"
    path.write_text("something else")
    write(path, "x = 1\n")
    assert path.read_text() == "x = 1\n"


class Whole(Entries):
    """Keeps all that it is given."""

    def kept(self, data):
        return data


def test_entries(home):
    entries = Whole(place("k_1.py"), "versions", lambda: None)
    assert entries.load(("a", 1)) is None
    entries.save(("a", 1), {"code": 2})
    assert entries.load(("a", 1)) == {"code": 2} and entries.load(("b", 1)) is None
    assert Whole(entries.path, "other versions", lambda: None).load(("a", 1)) is None
    data = entries.place(("a", 1)).read_bytes()
    entries.place(("b", 1)).write_bytes(data)  # whole, but of something else
    assert entries.load(("b", 1)) is None
    entries.place(("a", 1)).write_bytes(data[:-5])
    assert entries.load(("a", 1)) is None


RUN = """
    import sys
    import numpy as np
    import adcompile as ad
    from adcompile.backend.native import files

    made = []
    save = files.Entries.save
    files.Entries.save = lambda self, key, data: (made.append(self.path.stem), save(self, key, data))

    def f(x, n):
        s = 0.0
        for i in range(n):
            s += np.sin(x[i]) * x[i]
        return s

    g = ad.grad(f, backend="numba")
    x = np.linspace(0.0, 1.0, 40)
    wanted = np.cos(x[:20]) * x[:20] + np.sin(x[:20])
    assert np.allclose(g(x[:20].copy(), 20), wanted, rtol=1e-14)
    y = np.repeat(x[:20], 2)[::2]
    assert np.allclose(g(y, 20), wanted, rtol=1e-14)
    print(sum(not name.startswith("helper_") for name in made))
"""


def compiled(home):
    """How many entries a process makes that compiles a kernel for two layouts of arrays."""
    path = home.parent / "run.py"
    path.write_text(textwrap.dedent(RUN))
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def test_the_next_process_loads_and_spoilt_entries_are_made_anew(home):
    assert compiled(home) == 2
    assert compiled(home) == 0
    first, second = sorted(Path(home, "native").glob("f_grad*.bin"))
    first.write_bytes(first.read_bytes()[:1000])
    second.write_bytes(b"")
    assert compiled(home) == 2
    (kernel,) = Path(home, "native").glob("*.py")
    kernel.write_text("raise SystemExit('foreign')\n")
    assert compiled(home) == 0
    assert disk.fetch(first) is not None


def test_a_directory_that_has_been_removed_is_made_anew(tmp_path, monkeypatch):
    monkeypatch.setenv("ADCOMPILE_CACHE", str(tmp_path / "cache"))
    for _ in range(2):
        write(place("k_1.py"), "x = 1\n")
        assert place("k_1.py").read_text() == "x = 1\n"
        shutil.rmtree(tmp_path / "cache")


def test_of_kernels_the_machine_code_is_kept():
    function = numba.njit("float64(float64)")(lambda x: x * x + 1.0)
    made = function.overloads[function.signatures[0]]
    data = made._reduce()
    kept, about, *others = alone(data)
    assert about is made.fndesc and others[:4] == list(data[2:6]) and others[5] == data[7]
    assert "arg(0" in data[6] and others[4] == "", "what says the types of values is most of it"
    assert kept == (data[0][0], data[0][2][0])
    with pytest.raises(pickle.PicklingError):
        alone(("other", 1))


def test_what_is_laid_out_otherwise_is_not_kept(home):
    entries = Entries(place("k_1.py"), "versions", lambda: None)
    entries.save("a", ("other", 1))
    assert not entries.place("a").exists()


def test_machine_code_is_loaded_as_often_as_it_is_wanted():
    """Each time it is a function of its own, whose constants are its own too."""
    function = numba.njit("float64[:](float64[:])")(lambda x: x * np.array([1.0, 2.0]) + 1.0)
    made = function.overloads[function.signatures[0]]
    context = function.targetctx
    kept = dumps(alone(made._reduce()))
    first, second = (loaded(context, *pickle.loads(kept)) for _ in range(2))
    assert first.entry_point is not second.entry_point
    for each in (first, second):
        assert each.entry_point(np.array([3.0, 4.0])).tolist() == [4.0, 9.0]
        assert each.signature == made.signature


class Environment:
    def __init__(self, *consts):
        self.consts = consts


def test_environments_that_hold_something_are_kept():
    function = numba.njit("float64(float64)")(lambda x: x * x + 1.0)
    *data, _ = function.overloads[function.signatures[0]]._reduce()
    empty, full = Environment(), Environment(1)
    assert [kept.environment for kept in alone((*data, (empty, full)))[-1]] == [full]


RAISING = """
import numpy as np, adcompile as ad
def f(x, w):
    k = np.zeros(4)
    k += w
    return np.sum(x * k)
try:
    print(ad.grad(f, backend="numba")(np.ones(4), np.zeros((2, 4))))
except Exception as error:
    print(type(error).__name__, error)
"""


def test_a_kernel_that_is_found_compiled_raises_what_numpy_raises(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(RAISING)
    environment = {**os.environ, "ADCOMPILE_CACHE": str(tmp_path / "cache"), "ADCOMPILE_KEEP": "0"}
    command = [sys.executable, "-W", "ignore", str(script)]
    said = [subprocess.run(command, capture_output=True, text=True, check=True, env=environment) for _ in range(2)]
    assert "ValueError non-broadcastable" in said[0].stdout == said[1].stdout


LISTS = """
    import sys
    import numpy as np, adcompile as ad
    def f(x, n):
        kept = []
        for i in range(n):
            x = np.sin(x) * x
            kept.append(x)
        return sum(np.sum(k) for k in kept)
    x, h = np.linspace(0.1, 1.0, 4), 1e-6
    x_bar = ad.grad(f, backend="numba")(x, 3)
    assert abs((f(x + h, 3) - f(x - h, 3)) / (2.0 * h) - np.sum(x_bar)) < 1e-8
    print("adcompile.backend.native.support" in sys.modules)
"""


def test_what_helpers_hold_is_read_without_them(home):
    """The second process reads constants of helpers; it does not import them."""
    path = home.parent / "lists.py"
    path.write_text(textwrap.dedent(LISTS))
    command = [sys.executable, path]
    said = [subprocess.run(command, check=True, capture_output=True, text=True).stdout.split() for _ in range(2)]
    assert said == [["True"], ["False"]]


def test_of_what_another_kernel_has_saved_nothing_is_made(home):
    """An entry under another name names modules that are not there."""
    one, other = (Whole(place(f"k_{k}.py"), "versions", lambda: None) for k in (1, 2))
    one.save("a", {"code": 2})
    text = one.place("a").read_bytes()
    other.place("a").write_bytes(text)
    assert other.load("a") is None and one.load("a") == {"code": 2}
    disk.store(other.place("a"), pickle.dumps((one.name("a"), b"no pickle at all")))
    assert other.load("a") is None


SHARING = """
    import numpy as np
    import adcompile as ad
    from adcompile.backend.native import files

    made = []
    save = files.Entries.save
    files.Entries.save = lambda self, key, data: (made.append(self.path.stem), save(self, key, data))

    def f(x, A, n):
        for i in range(n):
            x = np.sin(A @ x) * {factor}
        return np.sum(x)

    x, A = np.linspace(0.1, 1.0, 4), np.full((4, 4), 0.2)
    x_bar = ad.grad(f, backend="numba")(x, A, 3)
    h = 1e-6
    assert abs((f(x + h, A, 3) - f(x - h, A, 3)) / (2.0 * h) - np.sum(x_bar)) < 1e-8
    print(*(name for name in made if name.startswith("helper_")))
"""


def test_what_kernels_call_is_compiled_once_for_all_processes(home):
    """Another kernel of another process finds it; an entry that is cut short is made anew."""

    def compiled_by(factor):
        path = home.parent / f"shared_{factor}.py"
        path.write_text(textwrap.dedent(SHARING.format(factor=factor)))
        return subprocess.run([sys.executable, path], check=True, capture_output=True, text=True).stdout.split()

    assert "helper_times_vector" in compiled_by(0.5)
    assert compiled_by(0.25) == []
    spoilt = sorted((home / "native").glob("helper_times_vector*.bin"))[0]
    spoilt.write_bytes(spoilt.read_bytes()[:-20])
    assert compiled_by(0.75) == ["helper_times_vector"]
