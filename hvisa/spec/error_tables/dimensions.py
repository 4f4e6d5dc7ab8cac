"""HV06xx: dimensions."""

from __future__ import annotations

from hvisa.spec.errors import register

register("HV0601", "not a dimension", """
Dimensions are made of symbols and whole numbers with + - * and floordiv, mod, min, max, ceildiv.
""", "compute anything else in a node, and bind it with `match`", """
leaf @f(in %x: buf<f32>[1.5]) {
}
""")

register("HV0602", "a dimension is too complicated", """
A dimension is kept in a normal form with bounded terms, degree, nesting and size.
""", "write a shorter expression, or compute it in a node without grid", """
leaf @f(in %x: buf<f32>[%n], in %y: buf<f32>[%n*%n*%n*%n*%n*%n*%n*%n*%n]) {
}
""")

register("HV0603", "a capacity does not fit", """
Only the leading extent may be known after a run, it is a symbol of its own, and its capacity does
not depend on it.
""", "write `buf<f32>[?f <= %n]`", """
leaf @f(%n: index, out %y: buf<f32>[4, ?f <= %n]) {
}
""")

register("HV0604", "this name is not a dimension", """
Dimensions of a header use symbols that are free in the shapes, and ports of type index. Instance
ids and other ports are none.
""", "make it a port of type index", """
leaf @f(%a: f32, in %x: buf<f32>[%a]) {
}
""")

register("HV0605", "dimensions differ", """
Extents are equal when their normal forms are. What else is true must be said with `match`, which a
launch checks.
""", "say that they are equal: `match %a == %b`", """
leaf @f(in %x: buf<f32>[%n], in %y: buf<f32>[%n]) grid(%i < %n) {
}
graph @g(in %x: buf<f32>[%n], in %y: buf<f32>[%m]) {
  node @f(%x, %y)
}
""")

register("HV0606", "nothing binds a symbol", """
A symbol gets its value by standing alone as an extent of an `in` or `inout` buffer, as a port of
type index, by a `match`, or by the box of an `out` port of a replicated graph.
""", "make it a port: `%n: index`", """
leaf @f(in %x: buf<f32>[2*%n]) {
}
""")

register("HV0607", "a divisor may be zero", """
Divisors in dimensions are positive constants, or one symbol alone, which a launch then checks to be
at least 1. Instance ids start at 0 and are none.
""", "divide by a constant or a symbol", """
leaf @f(%m: index, in %x: buf<f32>[%n]) grid(%i < floordiv(%n, %m + 1)) {
}
""")

register("HV0608", "an extent is negative", """
Extents are 0 or more. Those that depend on symbols are checked at a launch.
""", "use 0 or more", """
leaf @f(in %x: buf<f32>[-4]) {
}
""")

register("HV0609", "a name is no dimension here", """
Inside a graph, dimensions use its header symbols, index ports, and index values in scope. The ids
of a replicated node are seen by its boxes only.
""", "bind it: `match %n == ...`", """
graph @g(in %x: buf<f32>[%n]) {
  %z = zeros buf<f32>[%m]
}
""")
