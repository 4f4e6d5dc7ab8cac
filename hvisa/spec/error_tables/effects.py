"""HV07xx: effects, host functions, attributes, modules."""

from __future__ import annotations

from hvisa.spec.errors import register

register("HV0701", "an effect class is not stated", """
The class of a definition is computed: `inexact` with fast flags or licences, `nondeterministic`
with plain stores to a `shared` port, atomics that give the old value, a floating `update.add`, or a
host function not declared exact. What is above `exact` is stated, and inherited by whoever uses it.
""", "write the class at the end of the header", """
leaf @f(%a: f32) -> (f32) {
  %b = add.fast %a, 1.0
  yield %b
}
""")

register("HV0702", "a feature or version is unknown", """
The module needs something that this version of hvisa does not know.
""", "use a newer hvisa", """
feature "telepathy"
""")

register("HV0703", "an extern that the host does not provide", """
The host provides functions, and of these only what it allows by name when it loads the program; nodes are
always defined in the instruction set.
""", "declare `extern func @name(...) -> (...)`", """
extern leaf @f(%a: f32)
""")

register("HV0704", "not an attribute value", """
Attribute values are numbers, truth values and strings.
""", "write a number, true, false or a string", """
leaf @f(%n: index) with (hint depth = %n) {
}
""")

register("HV0705", "an attribute is not known", """
Requirements are known by name and have units, since a scheduler is held to them. Hints may have any
name and are dropped by whoever does not know them.
""", "use a known name and unit, for example `requirement deadline = 5 ms`", """
leaf @f(%a: f32) with (requirement deadline = 5) {
}
""")

register("HV0706", "`implements` names no operator", """
An operator is a name and a version, for example `MatMul@13`.
""", "write `name@version`", """
leaf @f(%a: f32) implements "MatMul" {
}
""")

register("HV0707", "a definition has no body", """
A leaf or graph without a body is an import and says from where.
""", "give it a body, or import it")

register("HV0708", "a function does not write buffers", """
Functions take scalars, vectors and `in` buffers, and give back scalars and vectors.
""", "return the value, or make it a leaf", """
func @f(out %y: buf<f32>[8]) {
}
""")

register("HV0709", "a type that a port or result can't have", """
Buffers are given back through `out` ports. Results of leaves and functions are scalars and vectors;
a graph may also give streams and per-instance values.
""", "use an `out` port", """
leaf @f(in %x: buf<f32>[8]) -> (buf<f32>[8]) {
  yield %x
}
""")

register("HV0720", "an imported module is not at hand", """
A module that imports others is linked when it is loaded, and the others are passed then.
""", "pass it: `hvisa.load(..., modules={\"name\": ...})`")

register("HV0721", "a module lacks what is imported from it", """
Only public definitions with a body can be imported.
""", "import one of the names that the message lists")

register("HV0722", "an import is declared otherwise in its module", """
Ports, directions, access modes, types, results and grid of the declaration and of the definition are
equal, but for the names of symbols; the declaration is not more exact than the definition.
""", "copy the header from the module")

register("HV0723", "the version of the standard library is not said", """
A module that imports from the standard library (`math`, `sort.f32`, ...) says which version it was written
for, so that its results keep their bits for ever.
""", "write `math 1` at the top of the module")
