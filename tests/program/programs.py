"""Small programs that several tests run."""

SAXPY = """\
leaf @saxpy(%a: f32, in %x: buf<f32>[%n], inout %y: buf<f32>[%n]) grid(%i < %n) {
  %xi = load %x[%i]
  %yi = load %y[%i]
  %p = mul %a, %xi
  %s = add %p, %yi
  store %s, %y[%i]
}
"""

DIVIDE = """\
leaf @divide(in %x: buf<i32>[%m, %n], out %y: buf<i32>[%m, %n]) grid(%i < %m, %j < %n) {
  %v = load %x[%i, %j]
  %d = div 100, %v
  store %d, %y[%i, %j]
}
graph @twice(in %x: buf<i32>[%m, %n], out %y: buf<i32>[%m, %n]) {
  %z = node @divide(%x)
  %w = node @divide(%z)
  yield %w
}
"""

ENDLESS = """\
leaf @spin(%a: i32) -> (%r: i32) {
  %x = while (%k = %a) {
    %c = ge %k, 0
    check %c
  } do {
    %n = and %k, 255
    yield %n
  }
  yield %x
}
"""

SHAPES = """\
leaf @outer(in %u: buf<f64>[%m], in %v: buf<f64>[%n], out %p: buf<f64>[%m, %n + 1]) grid(%i < %m, %j < %n) {
  %a = load %u[%i]
  %b = load %v[%j]
  %c = mul %a, %b
  store %c, %p[%i, %j]
}
leaf @window(%n: index, in %x: buf<i32>[%n], in %y: buf<i32>[floordiv(%n, 2)]) -> (%r: i32) {
  yield 1
}
leaf @fill(%n: index, out %y: buf<u8>[%n * %n]) grid(%i < %n) {
  store 1, %y[%i]
}
leaf @strided(in strided %x: buf<i16>[%m, %n], out %y: buf<i16>[%m, %n]) grid(%i < %m, %j < %n) {
  %v = load %x[%i, %j]
  store %v, %y[%i, %j]
}
leaf @two(inout %a: buf<i64>[%n], inout %b: buf<i64>[%n]) grid(%i < %n) {
  %x = load %a[%i]
  %y = load %b[%i]
  store %y, %a[%i]
  store %x, %b[%i]
}
leaf @scalars(%a: i8, %b: u64, %c: i1, %d: f16, %e: bf16, %f: f64, %g: index, %h: vec<f32, 4>)
    -> (%a1: i8, %b1: u64, %c1: i1, %d1: f16, %e1: bf16, %f1: f64, %g1: index, %h1: vec<f32, 4>) {
  yield %a, %b, %c, %d, %e, %f, %g, %h
}
leaf @zero_d(in %x: buf<i32>[], out %y: buf<i32>[]) {
  %v = load %x[]
  %w = add %v, 1
  store %w, %y[]
}
leaf @half(in %x: buf<bf16>[%n], out %y: buf<bf16>[%n]) grid(%i < %n) {
  %v = load %x[%i]
  store %v, %y[%i]
}
leaf @flags(in %x: buf<i1>[%n], out %y: buf<i1>[%n]) grid(%i < %n) {
  %v = load %x[%i]
  %w = not %v
  store %w, %y[%i]
}
leaf @each(in %x: buf<i32>[%m, %n]) -> (%r: i32) grid(%i < %m, %j < %n) {
  %v = load %x[%i, %j]
  yield %v
}
"""
