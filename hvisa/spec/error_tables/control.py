"""HV04xx: regions, loops, uniformity."""

from __future__ import annotations

from hvisa.spec.errors import register

register("HV0401", "a condition is an i1", """
Numbers are not truth values.
""", "compare first: `%c = ne %x, 0`", """
leaf @f(%a: i32) {
  if %a {
  }
}
""")

register("HV0402", "`until` names a carried value", """
`loop` stops when a carried i1 is true; it is looked at before each round.
""", "carry the condition: `loop (..., %done = false) until %done`", """
graph @g(%a: f32) {
  %b = loop (%x = %a) until %done {
    yield %x
  }
}
""")

register("HV0403", "branches yield different things", """
Both branches of an `if` yield the same number of values of the same types.
""", "yield the same types from both", """
leaf @f(%c: i1, %a: f32, %b: i32) {
  %r = if %c {
    yield %a
  } else {
    yield %b
  }
}
""")

register("HV0404", "a region yields the wrong values", """
A loop yields its carried values, `reduce` one element, a leaf or function its results, and a graph
the last versions of its written ports and then its results.
""", "yield what the message lists", """
leaf @f(%a: f32) -> (f32) {
  %b = add %a, 1.0
}
""")

register("HV0405", "an instruction can't stand here", """
Leaves and functions compute, graphs join nodes. Barriers, collectives and `set_extent` belong in
leaves only.
""", "put the computation in a leaf and use that as a node", """
graph @g(%a: f32) {
  %b = add %a, 1.0
}
""")

register("HV0406", "a region does not end as it should", """
Every region ends with `yield`, the first one of a `while` with `check`, and neither stands
elsewhere. A `yield` of nothing may be left out.
""", "end the region with its terminator", """
leaf @f(%a: i32) {
  %r = while (%x = %a) {
    %c = lt %x, 10
  } do {
    %y = add %x, 1
    yield %y
  }
}
""")

register("HV0407", "a barrier or collective is not reached by all", """
All instances of the parent get to a barrier or collective, or none. So it stands under conditions,
and in loops with numbers of rounds, that are parent-uniform: the same for all of them. Instance
ids, what is computed from them, and loads from anything written are not.
""", "move it out, or make the condition uniform with `group_any`", """
leaf @f(%n: index) grid(%i < %n) {
  %c = lt %i, 5
  if %c {
    barrier
  }
}
""")

register("HV0408", "a value declared uniform is not", """
A carried value marked `uniform` or `launch` keeps that class: its init and everything yielded for
it are at least as uniform.
""", "remove the mark, or make the value uniform with a collective", """
leaf @f(%n: index) grid(%i < %n) {
  %r = for %k in 0 .. 4 carry (uniform %a = %i) {
    yield %a
  }
}
""")

register("HV0409", "an operand must be uniform", """
`group_broadcast` gives all instances the operand of one, and they agree on which.
""", "use `group_shuffle` for a varying one", """
leaf @f(%n: index) grid(%i < %n) {
  %r = group_broadcast %i, %i
}
""")

register("HV0410", "this can't stand inside `reduce`", """
The rounds of a `reduce` are spread over lanes, threads and devices, so its body neither writes
buffers nor waits for other instances.
""", "yield the value, or use `for`", """
leaf @f(out %y: buf<f32>[1]) -> (f32) {
  %s = reduce.add f32 over (%k in 0 .. 4) {
    store 1.0, %y[0]
    yield 1.0
  }
  yield %s
}
""")

register("HV0411", "a buffer can't be carried or yielded in a leaf", """
A leaf's accesses name their buffer, so that it is known which port each one goes through.
""", "choose an index instead", """
leaf @f(in %x: buf<f32>[8]) {
  %z = for %k in 0 .. 4 carry (%y = %x) {
    yield %y
  }
}
""")
