"""HV02xx: types of operands and results."""

from __future__ import annotations

from hvisa.spec.errors import register

register("HV0201", "wrong number of operands", """
The instruction or function takes another number of operands. An access needs a buffer with its
indices: `%b[%i]`.
""", "give as many as its manual entry lists", """
leaf @f(%a: f32) {
  %b = add %a
}
""")

register("HV0202", "an instruction does not take this type", """
Each instruction is defined on some scalar types, and most on vectors of them. Nothing is converted
silently.
""", "convert the value first, or use another instruction", """
leaf @f(%a: f32) {
  %b = popcount %a
}
""")

register("HV0203", "types differ", """
Two operands that must have one type have two, or a value does not have the type that is wanted
where it goes.
""", "convert one of them: `%c = convert f32 %i`", """
leaf @f(%a: f32, %b: i32) {
  %c = add %a, %b
}
""")

register("HV0204", "a number does not fit its type", """
A literal takes the type of what stands beside it. It is out of that type's range, is no number of
that kind, or nothing tells its type.
""", "write the type after the mnemonic, or another number", """
leaf @f(%a: i8) {
  %b = add %a, 300
}
""")

register("HV0205", "a type is missing", """
The instruction makes a type that its operands do not tell: conversions, `splat`, private arrays.
""", "write it after the mnemonic: `convert f32 %i`", """
leaf @f(%a: i32) {
  %b = convert %a
}
""")

register("HV0206", "a vector is needed", """
The instruction works on the lanes of a vector and was given a scalar.
""", "make one with `splat` or `pack`", """
leaf @f(%a: f32) {
  %b = extract %a, 0
}
""")

register("HV0207", "conversions keep the number of lanes", """
`convert` and `bitcast` work on each lane by itself, so operand and result have equal lanes.
""", "write a vector type with as many lanes", """
leaf @f(%a: f32) {
  %b = convert vec<i32, 4> %a
}
""")

register("HV0208", "`bitcast` keeps the number of bits", """
The bits of a value can only be seen as a type of the same width.
""", "use `convert` to change the width", """
leaf @f(%a: f32) {
  %b = bitcast i64 %a
}
""")

register("HV0209", "no such lane", """
Lanes are numbered from 0 to one below the number of lanes.
""", "use a lane number within the vector", """
leaf @f(%v: vec<f32, 4>) {
  %b = extract %v, 4
}
""")

register("HV0210", "an operator is not defined on this type", """
`and`, `or`, `xor` join integers, `any` and `all` join i1, the others numbers.
""", "use another operator, or convert first", """
leaf @f(%v: vec<f32, 4>) {
  %b = fold_lanes.xor %v
}
""")

register("HV0211", "a buffer is needed", """
The instruction accesses, cuts or measures a buffer and was given something else.
""", "name a buffer port, a private array or a constant", """
leaf @f(%a: f32) {
  %n = extent %a, 0
}
""")

register("HV0212", "wrong number of indices", """
An access, a box or a dimension number does not fit the number of dimensions of the buffer.
""", "write one index for each dimension", """
leaf @f(in %x: buf<f32>[%m, %n]) grid(%i < %m) {
  %a = load %x[%i]
}
""")

register("HV0213", "an index has type `index`", """
Buffer indices and the bounds of `reduce` are of type `index`, a signed 64-bit number.
""", "convert it first: `%k = convert index %j`", """
leaf @f(in %x: buf<f32>[%n], %j: i32) {
  %a = load %x[%j]
}
""")

register("HV0214", "this extent can't be set", """
Only a leading extent written `?f <= %n` is known after a run; `set_extent` gives it.
""", "write the port's type as `buf<f32>[?f <= %n]`", """
leaf @f(%c: index, %n: index, out %y: buf<f32>[%n]) {
  set_extent %y, %c
}
""")

register("HV0215", "a private array has constant extents", """
The private arrays of an instance have a size known when the module is made.
""", "use `scratch` in the graph for sizes known at a launch", """
leaf @f(%n: index) {
  %t = local buf<f32>[%n]
}
""")

register("HV0216", "`argmin` and `argmax` take no init", """
They give a value and its position, and an init has no position. An empty range gives position -1.
""", "compare with the init afterwards", """
leaf @f(in %x: buf<f32>[%n]) {
  %v, %p = reduce.argmax f32 over (%k in 0 .. %n) init 0.0 {
    %a = load %x[%k]
    yield %a
  }
}
""")

register("HV0217", "parts to join differ", """
`join` puts buffers one after another along one dimension; they agree in type and all other extents.
""", "slice them to equal extents first", """
graph @g(in %a: buf<f32>[%n, 2], in %b: buf<f32>[%m, 3]) {
  %c = join %a, %b, 0
}
""")

register("HV0218", "a vector has 2 to 64 lanes", """
Vectors are short and fixed; longer work is a grid, a loop or a buffer.
""", "use fewer lanes", """
leaf @f(%a: vec<f32, 128>) {
}
""")

register("HV0219", "a type can't hold this type", """
Streams do not hold streams, and `grid` types hold scalars and vectors only.
""", "use a buffer, or several ports", """
graph @g(%a: stream<stream<f32>>) {
}
""")

register("HV0220", "a constant does not fit its type", """
A constant is a scalar, or a buffer of constant extents with as many numbers as it has elements.
""", "count the numbers", """
const @t: buf<f32>[3] = [1.0, 2.0]
""")

register("HV0221", "wrong number of results", """
The names before `=` are as many as the instruction gives results.
""", "name every result", """
leaf @f(%a: f32) {
  %b, %c = add %a, 1.0
}
""")

register("HV0222", "an instruction is not well formed", """
A builder or a decoder made an instruction without the parts that its row asks for: immediates out
of range, regions or their parameters missing, a constant beyond its type. Text never gives this
error.
""", "report it to the tool that made the module")

register("HV0223", "`print` has other places than operands", """
Each `{}` of the text of `print` stands for one operand, in order.
""", "write one `{}` for each operand", """
func @f(%a: f32) {
  print "a = {}, twice {}", %a
}
""")
