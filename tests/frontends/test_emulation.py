"""`Compiled.emulate`: what it gives back, and how its faults are told."""

from __future__ import annotations

import numpy as np
import pytest

import hvisa
from hvisa import Accumulate, In, InOut, Out, Shared, bf16, f32, i32
from hvisa.diagnostics import HvisaError, HvisaTrap

n = hvisa.dims("n")
X = np.array([4, 2, 0], np.int32)


@hvisa.func
def quotient(a, b):
    return a // b


@hvisa.leaf
def divides(x: In[i32, n], y: Out[i32, n]):
    i = hvisa.grid(n)
    y[i] = quotient(100, x[i])


@hvisa.leaf
def several(a: f32, y: InOut[f32, n], z: Out[f32, n]) -> i32:
    i = hvisa.grid(n)
    z[i] = y[i]
    y[i] *= a
    return i32(y[i])


@hvisa.leaf(effect="nondeterministic")
def slots(x: In[i32, n], count: Shared[i32, 1], y: Out[i32, n]):
    i = hvisa.grid(n)
    y[i] = hvisa.atomic("add", count[0], x[i])


@hvisa.leaf
def halves(x: In[bf16, n], y: Out[bf16, n]):
    i = hvisa.grid(n)
    y[i] = x[i] / x[0] + 1


@hvisa.leaf
def waits(y: Out[i32, n], x: In[i32, n]):
    i = hvisa.grid(n)
    hvisa.barrier()
    y[i] = x[i]


@hvisa.leaf
def narrow(x: In[hvisa.i8, n], y: Out[i32, n]):
    i = hvisa.grid(n)
    y[i] = x[i] + i * 100


@hvisa.leaf
def printed(x: In[i32, n], h: Accumulate["add", i32, 1]):
    i = hvisa.grid(n)
    if i == 1:
        print("x = {}", x[i])
    h[0] += x[i]


def test_a_trap_has_its_place_and_instance() -> None:
    with pytest.raises(HvisaTrap) as raised:
        divides.emulate(X)
    trap = raised.value
    assert (trap.code, trap.path, trap.instance) == ("HV0901", ("divides",), (2,))
    span = trap.diagnostics[0].span
    assert span is not None and span.source is not None
    assert span.source.name == "test_emulation.py"
    assert span.source.line(span.line)[span.column - 1:][:span.length] == "a // b"


def test_it_gives_what_a_call_gives() -> None:
    y = np.array([1.5, -2], np.float32)
    kept = y.copy()
    called = several(3.0, y.copy())
    found = several.emulate(3.0, y, copy=True)
    assert found._fields == called._fields and np.array_equal(y, kept)
    assert all(np.array_equal(a, b) and a.dtype == b.dtype for a, b in zip(found, called, strict=True))
    assert several.emulate(a=3.0, y=y).y is y and np.array_equal(y, called.y)


def test_a_trap_leaves_what_is_written_as_it_was() -> None:
    given = np.full(3, 7, np.int32)
    with pytest.raises(HvisaTrap):
        divides.emulate(X, out={"y": given})
    assert given.tolist() == [7, 7, 7]


def test_atomics_know_their_element() -> None:
    count = np.zeros(1, np.int32)
    found = slots.emulate(X, count)
    assert found.y.tolist() == [0, 4, 6] and count.tolist() == [6]


def test_bfloat16_is_that_of_ml_dtypes() -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = np.array([3, 1, 10], ml_dtypes.bfloat16)
    found, called = halves.emulate(x), halves(x)
    assert found.dtype == called.dtype and found.tobytes() == called.tobytes()


def test_printing_goes_to_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed.emulate(X, np.zeros(1, np.int32)).tolist() == [6]
    assert capsys.readouterr().out == "x = 2\n"


@pytest.mark.parametrize(("leaf", "value", "code"), [(waits, X, "HV1203"),
                                                     (narrow, np.zeros(3, np.int8), "HV1206")])
def test_what_python_can_not_run_is_refused(leaf: hvisa.decorated.Compiled, value: np.ndarray,
                                            code: str) -> None:
    with pytest.raises(HvisaError) as raised:
        leaf.emulate(value)
    assert not isinstance(raised.value, HvisaTrap)
    diagnostic = raised.value.diagnostics[0]
    assert diagnostic.code == code and diagnostic.help and diagnostic.span is not None


def test_operations_act_on_numbers_of_plain_python() -> None:
    assert hvisa.popcount(np.uint8(7)) == 3 and hvisa.max(2, 5, 3) == 5
    assert hvisa.fma(2.0, 3.0, 1.0) == 7.0 and hvisa.sqrt(np.float32(4)).dtype == np.float32
    assert hvisa.sum(k * k for k in range(4)) == 14
    with pytest.raises(HvisaError):
        hvisa.grid(4)
