"""Every kind of loop can be stopped: innermost ones, reductions, graphs, synchronising leaves."""

from __future__ import annotations

import time

import pytest

import hvisa
from tests.program.test_program import needs_native

PROGRAM = """
leaf @serial(%n: index) -> (%s: f32) {
  %s = for %k in 0 .. %n carry (%a: f32 = 0.0) {
    %b = add %a, 1.0
    yield %b
  }
  yield %s
}
leaf @reduction(%n: index) -> (%s: f32) {
  %s = reduce.min f32 over (%k in 0 .. %n) {
    %b = convert f32 %k
    yield %b
  }
  yield %s
}
leaf @ordered(%n: index) -> (%s: f32) {
  %s = reduce.add f32 over (%k in 0 .. %n) {
    %b = convert f32 %k
    yield %b
  }
  yield %s
}
leaf @endless(%n: index) -> (%s: index) {
  %s = while (%x = %n) {
    %c = ge %x, 0
    check %c
  } do {
    %y = xor %x, 1
    yield %y
  }
  yield %s
}
leaf @barriers(%n: index) -> (%s: index) grid(%i < 4) {
  %s = for %k in 0 .. %n carry (%a = %i) {
    barrier
    %b = xor %a, %k
    yield %b
  }
  yield %s
}
func @long(%a: f64) -> (f64) {
  %r = for %k in 0 .. 2000000 carry (%b: f64 = %a) {
    %d = add %b, 1.5
    yield %d
  }
  yield %r
}
leaf @heavy_while(%n: index) -> (%s: f64) {
  %i, %s = while (%x: index = 0, %a: f64 = 0.0) {
    %c = lt %x, %n
    check %c
  } do {
    %r = call @long(%a)
    %y = add %x, 1
    yield %y, %r
  }
  yield %s
}
leaf @heavy_ordered(%n: index) -> (%s: f64) {
  %s = reduce.add f64 over (%i in 0 .. %n) {
    %z = convert f64 %i
    %r = call @long(%z)
    yield %r
  }
  yield %s
}
leaf @heavy_best(%n: index) -> (%s: f64, %at: index) {
  %s, %at = reduce.argmax f64 over (%i in 0 .. %n) {
    %z = convert f64 %i
    %r = call @long(%z)
    yield %r
  }
  yield %s, %at
}
func @some(%n: index) -> (index) {
  %s = while (%x = %n) {
    %c = gt %x, 0
    check %c
  } do {
    %y = sub %x, 1
    yield %y
  }
  yield %s
}
leaf @nested(%n: index) -> (%s: index) {
  %s = while (%x = %n) {
    %c = gt %x, 0
    check %c
  } do {
    %z = call @some(60000)
    %w = sub %x, 1
    %y = add %w, %z
    yield %y
  }
  yield %s
}
private leaf @never(%x: index) -> (%y: i1) {
  yield false
}
graph @rounds(%n: index) -> (%d: i1) {
  %d = loop (%a = false) until %a {
    %b = node @never(%n)
    yield %b
  }
  yield %d
}
"""


@needs_native
@pytest.mark.parametrize("device", ["x86", "multicore"])
@pytest.mark.parametrize("entry", ["serial", "reduction", "ordered", "endless", "barriers", "rounds",
                                   "heavy_while", "heavy_ordered", "heavy_best", "nested"])
def test_a_timeout_stops_it(entry: str, device: str) -> None:
    call = hvisa.load(PROGRAM, device=device).entry(entry)
    start = time.monotonic()
    with pytest.raises(hvisa.LaunchTimeout):
        call(1 << 45, timeout=0.1)
    assert time.monotonic() - start < 20  # a hang guard, no timing
