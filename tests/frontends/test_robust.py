"""Whatever stands in a decorated function, compiling it ends well or in an HvisaError with a place in the
file: kernels are changed at random, with a fixed seed."""

from __future__ import annotations

import linecache
from collections import Counter

import pytest

from hvisa.decorated import Compiled
from hvisa.diagnostics import HvisaError
from hvisa.frontends.python.compiler import compile_module
from hvisa.graph.verifier import verify
from tests.frontends.fragments import HEADER, KERNELS
from tests.frontends.mutations import Mutator

MUTANTS = 350  # of each kernel


def compile_text(text: str, name: str) -> None:
    """Import a text as a file would be, and compile all that it decorates."""
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    try:
        space = {"__name__": "mutant"}
        exec(compile(text, name, "exec"), space)
        for found in list(space.values()):
            if isinstance(found, Compiled):
                verify(found.module)
    finally:
        del linecache.cache[name]


def check_error(error: HvisaError, text: str, name: str) -> None:
    assert error.diagnostics
    for diagnostic in error.diagnostics:
        span = diagnostic.span
        assert span is not None and span.source is not None and span.source.name == name, error
        lines = text.split("\n")
        assert 1 <= span.line <= len(lines), error
        assert 1 <= span.column <= len(lines[span.line - 1]) + 1, error
        assert diagnostic.message and diagnostic.help, error
        assert " at 0x" not in diagnostic.message, error


@pytest.mark.parametrize("number", range(len(KERNELS)))
def test_kernels_are_valid(number: int) -> None:
    compile_text(HEADER + KERNELS[number], f"kernel{number}.py")


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize("number", range(len(KERNELS)))
def test_mutants(number: int) -> None:
    mutator = Mutator(KERNELS[number], number)
    seen: Counter[str] = Counter()
    for count in range(MUTANTS):
        text, name = mutator.mutant(), f"mutant{count}.py"
        try:
            compile_text(text, name)
            seen["good"] += 1
        except HvisaError as error:
            check_error(error, text, name)
            seen[error.codes[0]] += 1
        except (NameError, TypeError, AttributeError, ZeroDivisionError) as error:
            if not evaluated_by_python(error):
                raise AssertionError(f"{error!r} of\n{text}") from error
            seen["python"] += 1
        except Exception as error:
            raise AssertionError(f"{error!r} of\n{text}") from error
    assert seen["good"] >= MUTANTS // 20 and len(seen) >= 8, seen


def evaluated_by_python(error: BaseException) -> bool:
    """Whether Python itself raised it, in an annotation or a decorator of the file."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and trace.tb_frame.f_globals.get("__name__") == "mutant"


# What a body may find outside of itself: objects that answer with exceptions, that contain themselves,
# that are too large, arrays of all kinds.
OUTSIDE = '''
import collections, decimal, enum, functools, types
class Odd:
    def __getattr__(self, name): raise RuntimeError(name)
    def __getitem__(self, key): raise RuntimeError(key)
    def __repr__(self): raise RuntimeError("repr")
    def __eq__(self, other): raise RuntimeError("eq")
    def __len__(self): raise RuntimeError("len")
    def __bool__(self): raise RuntimeError("bool")
    def __call__(self, *a): raise RuntimeError("call")
class Color(enum.IntEnum):
    RED = 1
ODD, LOOP, DEEP = Odd(), [1], ()
LOOP.append(LOOP)
for _ in range(5000): DEEP = (DEEP,)
POINT = collections.namedtuple("Point", "x y")(1, 2.5)
MAP = {"a": 1, 2: 3.5, "t": (1, 2)}
LONG = list(range(100000))
SPACE = types.SimpleNamespace(a=1, b=(1, 2), c=None)
EMPTY, SCALAR, NAMES = np.zeros((0, 3), np.float32), np.array(3.5, np.float32), np.array(["a"])
STRUCT, OBJECTS, COMPLEX = np.zeros(3, [("a", "f4")]), np.array([None]), np.ones(3, np.complex64)
BIG, STRIDED, RANKS = np.ones(3, ">f4"), np.ones((4, 4))[::2, ::2], np.ones(17 * [1], np.float32)
n = hvisa.dims("n")
'''
ASKED = (
    "ODD", "ODD.a", "ODD[0]", "ODD()", "ODD + 1", "ODD == 1", "-ODD", "len(ODD)", "ODD and 1", "LOOP[1][0]",
    "DEEP", "Color.RED", "Color", "POINT.x", "POINT[1]", "MAP['a']", "MAP['b']", "MAP[i]", "MAP[x]",
    "MAP['t'][0]", "LONG[5]", "SPACE.b[0]", "SPACE.c", "SPACE.d", "EMPTY[0, 0]", "SCALAR[()]", "SCALAR[0]",
    "NAMES[0]", "STRUCT[0]", "OBJECTS[0]", "COMPLEX[0]", "BIG[1]", "STRIDED[1, 1]", "RANKS[0]",
    "[ODD(k) for k in range(3)]", "hvisa.collect(ODD(1))", "i << -1",
    "np.float64(1.5)", "np.complex64(1)", "np.str_('a')", "decimal.Decimal(1)",
    "functools.partial(max, 1)(2)", "f.module", "f.text", "f(x, y)", "f", "hvisa.load('x')",
    "__import__('os')", "vec[f32, 0](1)", "n ** 30", "i + 2 ** 70", "x[2 ** 70]", "x[i + 2 ** 70]",
    "2.0 ** 2000", "f32(10 ** 400)", "vec(vec(1, 2), 3)",
    "sum(x[k] for k in range(1.5))", "hvisa.permute(vec(1, 2), -1, 0)", "min(LOOP)", "max(k for k in LONG)",
    " + ".join(["x[i]"] * 500), "-" * 150 + "1")
ASKED_BLOCKS = (
    "for k in range(2 ** 70): y[i] = k", "for k in range(5, 0, -2 ** 70): y[i] = k",
    "for k in LONG: y[i] = k", "for k in ODD: pass", "for k in MAP: pass",
    "for k in hvisa.static_range(2 ** 70): y[i] = k",
    "for k in hvisa.grid(n): y[k] = ODD(x)", "for k in hvisa.grid(n): y[k] = ODD", "ODD.next = x",
    "for a in (x, y): y[i] = a[i]", "t = hvisa.local(f32, 2 ** 70)", "t = hvisa.local(f32, ODD)",
    "a: vec[f32, 2] = 1; y[i] = a[0]", "a: ODD = 1", "hvisa = 5", "for y in range(3): pass")


@pytest.mark.parametrize("asked", [*(f"y[i] = {e}" for e in ASKED), *ASKED_BLOCKS],
                         ids=[*ASKED[:-2], "long", "nested", *ASKED_BLOCKS])
def test_what_stands_outside(asked: str) -> None:
    text = f"{HEADER}{OUTSIDE}\n@hvisa.leaf\ndef f(x: In[f32, n], y: Out[f32, n]):\n" \
        f"    i = hvisa.grid(n)\n    {asked}\n"
    try:
        compile_text(text, "outside.py")
    except HvisaError as error:
        check_error(error, text, "outside.py")


@pytest.mark.parametrize("asked", [*(f"y = {a}{e}" for a in ("", "x + ") for e in ASKED), *ASKED_BLOCKS],
                         ids=lambda asked: asked[:40])
def test_what_stands_outside_of_a_graph(asked: str) -> None:
    text = f"{HEADER}{OUTSIDE}\n@hvisa.graph\ndef f(x: In[f32, n], k: index) -> Out[f32, n]:\n" \
        f"    i, y = k, x + 0\n    {asked}\n    return y\n"
    try:
        compile_text(text, "outside.py")
    except HvisaError as error:
        check_error(error, text, "outside.py")


def test_each_function_gives_its_mistake() -> None:
    """Several functions compiled at once are told their mistakes at once."""
    text = f"{HEADER}" + "".join(f'''
@hvisa.leaf
def f{n}(x: In[f32, "n"], y: Out[f32, "n"]):
    i = hvisa.grid("n")
    y[i] = {what}
''' for n, what in enumerate(("missing", "x[i]", "x", "'text'")))
    name = "several.py"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    space: dict[str, object] = {"__name__": "mutant"}
    exec(compile(text, name, "exec"), space)
    with pytest.raises(HvisaError) as raised:
        compile_module([f for f in space.values() if isinstance(f, Compiled)])
    assert raised.value.codes == ["HV1202", "HV1204", "HV1204"]
    check_error(raised.value, text, name)
