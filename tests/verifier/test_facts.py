"""What `Facts` say about sound modules."""

from __future__ import annotations

from hvisa.assembler.parser import parse
from hvisa.graph.facts import CONSTANT, INEXACT, LAUNCH, NONDETERMINISTIC, PARENT, VARYING, Facts
from hvisa.graph.verifier import verify


def facts_of(text: str) -> Facts:
    return verify(parse(text))


def class_of(facts: Facts, definition: str, name: str) -> int:
    found = facts[definition].uniformity
    return next(c for v, c in found.items() if v.name == name)


LEAF = """
leaf @f(%a: index, in %x: buf<index>[%n], inout %y: buf<index>[%n]) grid(%i < %n) {
  %k = add 1, 2
  %u = add %a, 1
  %l = load.zero %x[%a]
  %v = load.zero %x[%i]
  %w = load.zero %y[%i]
  %g = group_reduce.add %v
  %s = group_scan.add %v
  store %w, %y[%i]
}
"""


def test_uniformity_of_a_leaf_that_is_launched_directly() -> None:
    facts = facts_of(LEAF.replace("add 1, 2", "add index 1, 2"))
    wanted = {"k": CONSTANT, "u": LAUNCH, "l": LAUNCH, "v": VARYING, "w": VARYING, "g": PARENT,
              "s": VARYING, "n": LAUNCH, "i": VARYING}
    assert {n: class_of(facts, "f", n) for n in wanted} == wanted
    assert facts["f"].barriers and facts["f"].collectives


def test_uniformity_inside_a_replicated_graph() -> None:
    facts = facts_of(LEAF.replace("add 1, 2", "add index 1, 2") + """
graph @t(%a: index, in %x: buf<index>[%n], inout %y: buf<index>[%n]) {
  %z = node @f(%a, %x, %y)
  yield %z
}
graph @g(in %x: buf<index>[%n], inout %y: buf<index>[%n]) {
  %z = node @t(%p, %x[4*%p :+ 4], %y[4*%p :+ 4]) grid(%p < ceildiv(%n, 4))
  yield %z
}
""".replace("@t(%p,", "@t(%n,"))
    assert facts["f"].replicated and facts["t"].replicated and not facts["g"].replicated
    assert class_of(facts, "f", "u") == PARENT
    assert facts.order == ("f", "t", "g")
    assert facts.below("t") == ("f", "t")


def test_sums_over_callees() -> None:
    facts = facts_of("""
extern func @host(%a: f32) -> (f32)
func @inner(%a: f32) -> (f32) nondeterministic {
  %t = local buf<f32>[16]
  %b = call @host(%a)
  print "b = {}", %b
  yield %b
}
leaf @f(%a: f32) -> (f32) grid(%i < 6, %j < 7) nondeterministic {
  %t = local buf<f64>[8]
  %b = call @inner(%a)
  yield %b
}
graph @g(%a: f32) -> (f32) nondeterministic {
  %b = node @f(%a) -> (reduce.max)
  yield %b
}
""")
    for name in ("inner", "f", "g"):
        assert facts[name].effect == NONDETERMINISTIC
        assert facts[name].externs == {"host"} and facts[name].prints
    assert facts["inner"].local_bytes == 64 and facts["f"].local_bytes == 128
    assert facts["f"].instances == 42 and facts["g"].depth == 4
    assert facts["g"].callees == ("f",)


def test_a_stated_effect_stays() -> None:
    assert facts_of("leaf @f(%a: f32) inexact {\n}\n")["f"].effect == INEXACT


def test_symbols_that_a_launch_must_check_or_can_not_bind() -> None:
    facts = facts_of("""
leaf @f(%t: index, in %x: buf<f32>[%n], out %y: buf<f32>[%p]) grid(%i < ceildiv(%n, %t)) {
}
""")
    assert facts["f"].positive == {"t"}
    assert facts["f"].from_box == {"p"}


def test_coverage() -> None:
    facts = facts_of("""
leaf @whole(%n: index, out %y: buf<f32>[%n]) grid(%i < %n) {
  store 1.0, %y[%i]
}
leaf @most(%n: index, out %y: buf<f32>[%n]) grid(%i < %n - 1) {
  store 1.0, %y[%i]
}
leaf @sometimes(%n: index, %c: i1, out %y: buf<f32>[%n]) grid(%i < %n) {
  if %c {
    store 1.0, %y[%i]
  }
}
leaf @blocks(%n: index, out %y: buf<f32>[%n]) grid(%i < ceildiv(%n, 4)) {
  for %k in 0 .. 4 {
    store.skip 1.0, %y[4*%i + %k]
  }
}
leaf @gaps(%n: index, out %y: buf<f32>[%n]) grid(%i < ceildiv(%n, 4)) {
  for %k in 0 .. 4 step 2 {
    store.skip 1.0, %y[4*%i + %k]
  }
}
graph @part(%n: index, out %y: buf<f32>[%p]) {
  %z = zeros buf<f32>[%p]
  yield %z
}
graph @tiled(%n: index, out %y: buf<f32>[%n]) {
  %z = node @part(%n) grid(%i < ceildiv(%n, 8)) -> (buf<f32>[%n] at [8*%i :+ 8])
  yield %z
}
""")
    covered = {n: bool(facts[n].covered) for n in ("whole", "most", "sometimes", "blocks", "gaps")}
    assert covered == {"whole": True, "most": False, "sometimes": False, "blocks": True,
                       "gaps": False}
    assert len(facts["tiled"].tiled) == 1


def test_verifying_twice_gives_the_same() -> None:
    module = parse(LEAF.replace("add 1, 2", "add index 1, 2"))
    first, second = verify(module)["f"], verify(module)["f"]
    assert first.uniformity == second.uniformity and first.effect == second.effect
