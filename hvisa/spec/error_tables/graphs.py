"""HV05xx: nodes, edges, streams."""

from __future__ import annotations

from hvisa.spec.errors import register

register("HV0501", "wrong number of arguments or results of a node", """
A node takes the value, `in` and `inout` ports in order, and gives the written ports and then the
results. `out` ports are given, not passed.
""", "compare with the header of the definition", """
leaf @f(%a: f32) {
}
graph @g(%a: f32) {
  node @f(%a, %a)
}
""")

register("HV0502", "a grid stands in the wrong place", """
A leaf has its grid in its header; a graph gets one where a `node` uses it.
""", "move it", """
graph @g(%n: index) grid(%i < %n) {
}
""")

register("HV0503", "`collect` or `reduce` does not fit", """
They join scalars that each instance of a grid gives: into a buffer of the grid's shape, or into
one.
""", "write `_` for a result that is not joined", """
leaf @f(%a: f32) -> (f32) {
  yield %a
}
graph @g(%a: f32) -> (f32) {
  %b = node @f(%a) -> (reduce.add)
  yield %b
}
""")

register("HV0504", "a one-to-one edge needs equal grids", """
Instance i of the consumer sees what instance i of the producer made, so the grids are equal by
normal form.
""", "join at the producer: `-> (collect)` or `-> (reduce.add)`", """
leaf @p(%n: index) -> (f32) grid(%i < %n) {
  yield 1.0
}
leaf @c(%n: index, %a: f32) grid(%i < %n) {
}
graph @g(%n: index) {
  %a = node @p(%n)
  node @c(8, %a)
}
""")

register("HV0505", "`delay` and what follows carry different items", """
The items that come one firing later have the type of the initial value.
""", "start from a value of the same type", """
leaf @f(%a: f32, %b: i32) -> (f32) {
  yield %a
}
graph @g(%s: stream<f32>) -> (stream<f32>) {
  %d: stream<i32> = delay 0, next %t
  %t = node @f(%s, %d)
  yield %t
}
""")

register("HV0506", "every instance would write the whole buffer", """
A replicated graph hands each instance a box of each written `own` buffer; the box is all the child
can reach.
""", "write a box after the buffer: `%c[32*%i :+ 32]`", """
graph @t(inout %c: buf<f32>[%n]) {
  yield %c
}
graph @g(inout %c: buf<f32>[%n]) {
  %d = node @t(%c) grid(%i < 4)
  yield %d
}
""")

register("HV0507", "a grid has too many axes", """
A grid has up to three axes, each with a name for its id.
""", "flatten two axes, and use `div` and `rem`", """
leaf @f(%n: index) grid(%a < %n, %b < %n, %c < %n, %d < %n) {
}
""")

register("HV0508", "a written box stands where none belongs", """
Only a replicated node binds boxes of written buffers: an `inout` argument, or an `out` result with
its whole type. Other written parts come from `split`.
""", "use `split` and `join`", """
graph @t(inout %c: buf<f32>[%p]) {
  yield %c
}
graph @g(inout %c: buf<f32>[%n]) {
  %d = node @t(%c[0 :+ 8])
  yield %d
}
""")

register("HV0509", "`one` does not hold", """
`one` states that each instance reads only what the same instance of the producing leaf wrote. The
grids must be equal, and the reads must be shown to lie in the producer's footprint.
""", "remove `one`", """
leaf @p(%n: index, out %y: buf<f32>[%n]) grid(%i < %n) {
  store 1.0, %y[%i]
}
leaf @c(in %x: buf<f32>[%n]) grid(%i < %n) {
  %a = load.zero %x[%i + 1]
}
graph @g(%n: index) {
  %y = node @p(%n)
  node @c(one %y)
}
""")

register("HV0510", "a stream stands where none can", """
Streams flow at the top of a graph, through nodes and delays. Loops and branches work on single
items, inside the nodes.
""", "pass it to a node, which runs once for each item", """
leaf @f(%a: f32) {
}
graph @g(%s: stream<f32>) {
  for %k in 0 .. 4 {
    node @f(%s)
  }
}
""")

register("HV0511", "item counts do not agree", """
Each firing takes and gives constant numbers of items. Where paths meet they must carry equally
many, and a graph gives as many as its ports state.
""", "state counts: `%s by 4`, `-> (_ by 4)`", """
leaf @f(in %a: buf<f32>[4]) -> (f32) {
  yield 1.0
}
leaf @h(%a: f32, %b: f32) {
}
graph @g(%s: stream<f32> by 4) {
  %t = node @f(%s by 4)
  node @h(%s, %t)
}
""")

register("HV0512", "a stream policy or count stands where none can", """
Items may be dropped only where a whole program takes or gives them: inside a graph, paths that meet
again would no longer fit. Counts and policies stand on stream ports.
""", "remove the policy", """
leaf @f(%a: f32 by 4) {
}
""")

register("HV0513", "only a graph has stream ports", """
A leaf or function takes one item. A graph that passes it a stream runs it once for each item.
""", "take one item", """
leaf @f(%s: stream<f32>) {
}
""")

register("HV0514", "cut points are not in order", """
The cut points of `split` rise, from 0 to the extent.
""", "write them from low to high", """
graph @g(in %x: buf<f32>[8]) {
  %a, %b, %c = split %x axis 0 at (6, 2)
}
""")

register("HV0515", "an `out` port has no value in a graph", """
A graph yields what its `out` ports give; until then there is nothing to use.
""", "make a buffer with `zeros`, or take the result of a node", """
leaf @f(inout %x: buf<f32>[8]) grid(%i < 8) {
  store 1.0, %x[%i]
}
graph @g(out %y: buf<f32>[8]) {
  %z = node @f(%y)
  yield %z
}
""")

register("HV0516", "a shared port is yielded out of place", """
All instances of a replicated graph change a `shared` or `accumulate` buffer in place, so the last
version of that very buffer is what is yielded for it.
""", "yield what the nodes made of the port", """
graph @g(in %x: buf<i32>[8], inout shared %y: buf<i32>[8]) {
  yield %x
}
""")
