"""HV00xx and HV01xx: text and names."""

from __future__ import annotations

from hvisa.spec.errors import register

register("HV0001", "unexpected character", """
The text holds a character that no token starts with at this place. The parser goes on with the next
definition, so later errors may be missing until this one is mended.
""", "remove the character, or look for a missing quote or bracket before it", """
leaf @f(%a: f32) {
  %b = add %a, $
}
""")

register("HV0002", "unexpected token", """
The words are known, but not in this order. The message lists what could have stood here. Statements
end at a line end or `;`; line ends inside brackets and after a comma do not count.
""", "write one of the expected things", """
leaf @f(%a: f32) {
  %b = = add %a, 1.0
}
""")

register("HV0003", "a number is too large here", """
Counts, lane numbers and the like are whole numbers below 2^31, and so is the constant displacement
of an access. Values of the program itself have the range of their type (HV0204).
""", "use a smaller number", """
leaf @f(in %x: buf<f32>[%n]) grid(%i < %n) {
  %a = load %x[%i + 9999999999]
}
""")

register("HV0004", "a string is not well formed", r"""
Strings are UTF-8 and know the escapes \\ \" \n \t and \xHH. The content of an optional section is
written in hexadecimal.
""", r"write `\\` for a backslash", """
section "notes" "xyz"
""")

register("HV0101", "unknown name", """
A value is used where it is not defined: it does not exist, it stands further down, or its region
has ended. A region gives values outward only through `yield`. The one use that may come before its
definition is the `next` of a `delay`.
""", "define it before, in the same region or around it", """
leaf @f(%a: f32) -> (f32) {
  yield %b
}
""")

register("HV0102", "a name is used twice", """
Names of values are unique in a region and the regions around it; regions side by side may use a
name again. A fresh leading extent such as `%front.f` is a name as well.
""", "give one of them another name", """
leaf @f(%a: f32) {
  %b = add %a, 1.0
  %b = add %a, 2.0
}
""")

register("HV0103", "a definition or constant is defined twice", """
Definitions and constants of a module share one space of names.
""", "rename one of them", """
const @f: f32 = 1.0
leaf @f(%a: f32) {
}
""")

register("HV0104", "no such instruction", """
The word is no mnemonic, or one that is reserved for a later version: reserved instructions have a
number and no meaning yet, and no module may use them.
""", "see the list of instructions", """
leaf @f(%a: f32) {
  %b = plus %a, 1.0
}
""")

register("HV0105", "no such form of an instruction", """
The words after the dots of a mnemonic are operators, bounds forms or fast flags, and each
instruction has its own. Some need an operator: `reduce.add`, `update.max`.
""", "write one of the forms listed", """
leaf @f(%a: f32) {
  %b = add.zero %a, 1.0
}
""")

register("HV0106", "an instruction is not written like this", """
The parts of the statement do not fit the instruction: an element of a buffer where a value is
wanted, a call without a function, a box without lengths, a missing number at the end.
""", "compare with the example in the instruction's manual entry", """
leaf @f(in %x: buf<f32>[%n]) grid(%i < %n) {
  %b = add %x[%i], 1.0
}
""")

register("HV0107", "no such definition or constant", """
The module defines nothing of this name, and imports nothing of this name.
""", "define it, or import it", """
graph @g(%a: f32) {
  node @f(%a)
}
""")

register("HV0108", "the wrong kind of definition", """
Nodes are leaves and graphs; functions are called from leaves and other functions with `call`.
""", "use `call` in a leaf for a function, `node` in a graph for the others", """
func @h(%a: f32) -> (f32) {
  yield %a
}
graph @g(%a: f32) {
  node @h(%a)
}
""")

register("HV0109", "a name can't be written in text", """
A name made by a builder or a decoder holds characters that the text form does not allow. Names are
made of letters, digits, `_` and `.`; those of definitions do not start with a digit.
""", "choose another name")

register("HV0110", "a definition uses itself", """
Calls and nodes may not form a cycle, directly or through others. The message names the whole cycle.
Without recursion the depth of a program, its memory and its static size are known before it runs.
""", "repeat with `for`, `while` or `loop`", """
func @f(%a: f32) -> (f32) {
  %b = call @f(%a)
  yield %b
}
""")
