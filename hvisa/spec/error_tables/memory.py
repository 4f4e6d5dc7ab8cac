"""HV03xx: buffers, ports and access modes."""

from __future__ import annotations

from hvisa.spec.errors import register

register("HV0301", "this operator does not accumulate here", """
An `accumulate` port joins values by add, min, max, and, or, xor, so that the order does not matter.
Floating addition depends on the order and is not among them; floating min and max are.
""", "use a `shared` port and state `nondeterministic`, or collect and use `reduce`", """
leaf @f(in %x: buf<f32>[%n], inout accumulate(add) %s: buf<f32>[1]) grid(%i < %n) {
  %a = load %x[%i]
  update.add %a, %s[0]
}
""")

register("HV0302", "a direction stands on buffers only", """
`in`, `out` and `inout` say what happens to the elements of a buffer. Scalars and vectors are passed
by value and given back as results.
""", "remove the direction, or use a result: `-> (%s: f32)`", """
leaf @f(in %a: f32) {
}
""")

register("HV0303", "a buffer port needs a direction", """
A buffer is read (`in`), made (`out`) or changed into a new version (`inout`).
""", "write the direction before the name", """
leaf @f(%x: buf<f32>[%n]) grid(%i < %n) {
}
""")

register("HV0304", "an access mode stands on written ports only", """
`own`, `accumulate` and `shared` say how instances share the elements they write. An `in` port is
read by all and needs none.
""", "remove the mode, or write `inout`", """
leaf @f(in shared %x: buf<f32>[%n]) grid(%i < %n) {
}
""")

register("HV0305", "`from` does not fit", """
`out %v: T from %u` starts as a copy of an `in` or `inout` port of the same type.
""", "name a port of the same type", """
leaf @f(in %u: buf<f32>[%n], out %v: buf<i32>[%n] from %u) grid(%i < %n) {
  store 1, %v[%i]
}
""")

register("HV0306", "a read-only buffer is written", """
`in` ports and constants are never written. What a launch writes is a new version, seen by the nodes
that take it next.
""", "make the port `inout` or `out`", """
leaf @f(in %x: buf<f32>[%n]) grid(%i < %n) {
  store 1.0, %x[%i]
}
""")

register("HV0307", "an `accumulate` port only joins values", """
Such a port is changed by `update` with its one operator and is never read or stored to, so that a
device may use private copies and merge them.
""", "use `update`, or make the port `shared`", """
leaf @f(inout accumulate(add) %s: buf<i32>[%n]) grid(%i < %n) {
  %a = load %s[%i]
}
""")

register("HV0308", "an `own` port takes no updates or atomics", """
An instance has its elements of an `own` port to itself, so it loads and stores them. `update` and
atomics are for elements that instances share.
""", "write `accumulate(add)` or `shared`, or load and store", """
leaf @f(inout %s: buf<i32>[%n]) grid(%i < %n) {
  update.add 1, %s[%i]
}
""")

register("HV0309", "a private array takes no updates or atomics", """
Nobody else sees a private array, so it is only loaded and stored.
""", "load, compute and store", """
leaf @f(%a: i32) {
  %t = local buf<i32>[4]
  update.add %a, %t[0]
}
""")

register("HV0310", "instances are not shown to keep to their own elements", """
Through an `own` port each instance reaches elements that no other instance reaches. A fixed
procedure decides, so that every tool accepts the same programs: indices are affine in the instance
ids, with uniform additions, bounded loop counters, and quotient and remainder of an id by the same
number. It is written down in docs/spec/own.md.
""", "write `shared` if they may meet, or `own checked` to have it checked at run time", """
leaf @f(out %y: buf<f32>[%n]) grid(%i < %n) {
  store 1.0, %y[0]
}
""")

register("HV0311", "boxes of instances may meet", """
A replicated node gives each instance its box of a written buffer, and boxes of different instances
have no element in common. An offset must grow by at least the length: `[32*%i :+ 32]`.
""", "use the length as the factor of the id", """
graph @t(inout %c: buf<f32>[%p]) {
  yield %c
}
graph @g(inout %c: buf<f32>[%n]) {
  %d = node @t(%c[16*%i :+ 32]) grid(%i < ceildiv(%n, 32))
  yield %d
}
""")

register("HV0312", "a read-only view is written", """
`slice` gives a view to read. Parts that are written come from `split`, which `join` puts together
again, or from the box of a replicated node.
""", "use `split` and `join`", """
leaf @f(inout %x: buf<f32>[%n]) grid(%i < %n) {
  store 1.0, %x[%i]
}
graph @g(inout %x: buf<f32>[%n]) {
  %s = slice %x[0 :+ 8]
  %t = node @f(%s)
  yield %x
}
""")

register("HV0313", "an old version of a buffer that exists once", """
Scratch, and the `shared` and `accumulate` ports of a graph, are changed in place: there is no copy
of an old version. Nothing may use it after the node that made the next one; a loop that changes
such a buffer carries it.
""", "use the newest version, or move the use before the change", """
leaf @f(inout %x: buf<f32>[8]) grid(%i < 8) {
  store 1.0, %x[%i]
}
leaf @r(in %x: buf<f32>[8]) grid(%i < 8) {
  %a = load %x[%i]
}
graph @g() {
  %s = scratch buf<f32>[8]
  %t = node @f(%s)
  node @r(%s)
}
""")

register("HV0314", "scratch leaves its graph", """
Scratch belongs to one instance of a graph and ends with it, so it is neither yielded nor carried
over items of a stream.
""", "write the result into a buffer that the graph yields", """
leaf @f(inout %x: buf<f32>[8]) grid(%i < 8) {
  store 1.0, %x[%i]
}
graph @g(out %y: buf<f32>[8]) {
  %s = scratch buf<f32>[8]
  %t = node @f(%s)
  yield %t
}
""")

register("HV0315", "modes or buffers do not fit", """
A graph's `accumulate` or `shared` port goes on to ports of the same mode. Where ways meet, a buffer
that is changed in place must be the same one on every way.
""", "give the child's port the mode of the graph's", """
leaf @f(inout shared %x: buf<i32>[8]) grid(%i < 8) {
  update.add 1, %x[%i]
}
graph @g(inout accumulate(add) %x: buf<i32>[8]) {
  %y = node @f(%x)
  yield %y
}
""")

register("HV0316", "`set_extent` stands where it can't", """
The extent of an `out` buffer is set once for the whole launch: in a leaf without grid, outside
loops and conditions.
""", "set it at the end of a leaf without grid", """
leaf @f(%n: index, out %y: buf<f32>[?f <= %n]) grid(%i < %n) {
  set_extent %y, %i
}
""")

register("HV0317", "read before any write", """
Scratch or a private array is read where nothing was written into it yet, whatever way the program
goes. It would give zeros, which is hardly meant.
""", "write first, or use `zeros`", """
leaf @f() -> (f32) {
  %t = local buf<f32>[4]
  %a = load %t[0]
  yield %a
}
""")

register("HV0318", "only a buffer is strided", """
`strided` lets the elements of a buffer port lie at any distances.
""", "remove `strided`", """
leaf @f(strided %a: f32) {
}
""")

register("HV0320", "instances race", """
Found while running, by `check-races`: two instances of one launch reached one element without a
barrier between them, one of them with a plain store.
""", "use atomics, a barrier, or separate elements")
