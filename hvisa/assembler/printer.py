"""Module to text, in the canonical form; with the comments of a source for `hvisa fmt`.

`parse(print_module(m))` gives m again, names and bits included. Types of literals are written only
where nothing else tells them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import cast

from hvisa.assembler.comments import Comments
from hvisa.graph.model import (
    ENTER,
    Attribute,
    Box,
    Constant,
    Definition,
    DimValue,
    Function,
    GlobalConstant,
    GlobalRef,
    Instr,
    Literal,
    Module,
    NodeDetail,
    Operand,
    Port,
    Region,
    Value,
    walk,
)
from hvisa.graph.numbering import number_module
from hvisa.spec import operations, types as ty
from hvisa.spec.definitions import Form, ImmediateKind
from hvisa.spec.dimensions import Dim
from hvisa.spec.literals import format_literal, integer_value
from hvisa.spec.types import ScalarType, Type

INDENT = "  "
WIDTH = 100


class Piece:
    """A printed statement, header or brace, with the lines that it takes in the source."""

    __slots__ = ("closes", "depth", "first", "last", "text")

    def __init__(self, text: str, depth: int, first: int, last: int, closes: bool):
        self.text = text
        self.depth = depth
        self.first = first
        self.last = last
        self.closes = closes


def quote(text: str) -> str:
    """A string literal."""
    out = ['"']
    for char in text:
        if char in '"\\':
            out.append("\\" + char)
        elif char in "\n\t":
            out.append("\\n" if char == "\n" else "\\t")
        elif ord(char) < 32 or ord(char) == 127 or 0x80 <= ord(char) < 0xA0 or char in "\u2028\u2029":
            out += [f"\\x{b:02x}" for b in char.encode()]
        else:
            out.append(char)
    return "".join(out) + '"'


# Strings, brackets, and the blanks that may become line ends: the lexer takes no notice of those.
_PARTS = re.compile(r'"(?:[^"\\]|\\.)*"|\.fast\([^)]*\)|(?P<open>grid\(|[(\[])|(?P<close>[)\]])'
                    r"|(?P<comma>(?<=,) )|(?P<word> (?=grid\(|-> \(|with \())")


def _cuts(text: str) -> list[int]:
    """Where a line may be broken: between ports, arguments or results, and before what follows them."""
    cuts: list[int] = []
    stack: list[str] = []
    for match in _PARTS.finditer(text):
        if match["open"]:
            stack.append(match["open"])
        elif match["close"]:
            stack.pop()
        elif (match["word"] and not stack) or (match["comma"] and stack == ["("]):
            cuts.append(match.start())
    return cuts


def wrap(text: str, indent: str) -> list[str]:
    """A statement in lines of at most WIDTH columns where that is possible."""
    if len(text) <= WIDTH:
        return [text]
    out: list[str] = []
    start, last, lead = 0, -1, ""
    for cut in [*_cuts(text), len(text)]:
        if last > start and len(lead) + cut - start > WIDTH:
            out.append(lead + text[start:last])
            start, lead = last + 1, indent
        last = cut
    out.append(lead + text[start:])
    return out


class Printer:
    def __init__(self, comments: Comments | None = None):
        self.pieces: list[Piece] = []
        self.comments = comments
        self.depth = 0

    def line(self, text: str, first: int = 0, last: int = 0) -> None:
        """One statement, header or brace; it stands in the lines `first` to `last` of the source."""
        if self.comments is not None:
            before = self.pieces[-1].last if self.pieces else 0
            first = max(first, self.pieces[-1].first if self.pieces else 0) if first else before
            last = max(first, last or self.comments.last(first))
        self.pieces.append(Piece(text, self.depth, first, last, text.startswith("}")))

    def blank(self) -> None:
        if self.pieces and self.comments is None:
            self.pieces.append(Piece("", 0, 0, 0, False))

    def text(self) -> str:
        """Everything, with each comment beside what it stands at: a comment after the end of a piece
        stays there, one inside it goes above, and a whole line stays between its neighbours."""
        out: list[str] = []
        comments = self.comments
        above: list[tuple[int, str]] = []
        at = 1
        for number, piece in enumerate(self.pieces):
            pad = INDENT * piece.depth
            tail = ""
            if comments is not None:
                above, at = self._until(at, piece.last), max(at, piece.last)
                following = self.pieces[number + 1].first if number + 1 < len(self.pieces) else 0
                if following != piece.last and piece.last in comments.trailing:
                    tail, at = f"  {comments.trailing[piece.last]}", piece.last + 1
                self._put(out, above, piece)
            wrapped = wrap(f"{pad}{piece.text}", f"{pad}{INDENT}{INDENT}") if piece.text else [""]
            wrapped[-1] += tail
            out += wrapped
        if comments is not None:
            for _, comment in self._until(at, len(comments.code)):
                if comment or (out and out[-1]):
                    out.append(comment)
            while out and not out[-1]:
                out.pop()
        return "\n".join(out) + "\n"

    def _until(self, first: int, last: int) -> list[tuple[int, str]]:
        """The comments of the lines from `first` up to but without `last`."""
        assert self.comments is not None
        own, trailing = self.comments.own, self.comments.trailing
        return [(n, trailing.get(n) or own.get(n, "")) for n in range(first, last)
                if n in own or n in trailing]

    def _put(self, out: list[str], above: list[tuple[int, str]], piece: Piece) -> None:
        """Comment lines above a piece, and the blank lines around them: one at most, none before a
        closing brace or out of the inside of a statement."""
        pad = INDENT * (piece.depth + piece.closes)
        for line, comment in above:
            if comment:
                out.append(f"{pad}{comment}")
            elif out and out[-1] and line < piece.first:
                out.append("")
        while piece.closes and out and not out[-1]:
            out.pop()

    # -- module --------------------------------------------------------------------------------

    def module(self, module: Module) -> str:
        comments = self.comments

        def place(word: str) -> int:
            return comments.line_of(word) if comments is not None else 0
        things: list[tuple[tuple[int, int], str | GlobalConstant | Definition]] = []
        if module.name:
            things.append(((place("module"), 0), f"module {quote(module.name)}"))
        features = {f: (place("feature"), 0) for f in module.features}
        things += [(features[f], f"feature {quote(f)}") for f in sorted(features)]
        if module.math_version:
            things.append(((place("math"), 0), f"math {module.math_version}"))
        for thing in (*module.constants.values(), *module.definitions.values()):
            things.append(((_line_of(thing), thing.span.column if thing.span else 0), thing))
        for name, safe, payload in module.sections:
            things.append(((place("section"), 0), f"section {quote(name)}{' safe' if safe else ''} "
                           f"\"{payload.hex()}\""))
        if comments is not None:  # keep the order of the text, which the comments belong to
            things.sort(key=lambda t: t[0])
        for (line, _), thing in things:
            if isinstance(thing, Definition):
                self.blank()
                self.definition(thing)
            elif isinstance(thing, GlobalConstant):
                self.line(_constant(thing), line)
            else:
                if thing.startswith("section"):
                    self.blank()
                self.line(thing, line)
        return self.text()

    def definition(self, definition: Definition) -> None:
        head = _head(definition)
        body = definition.body
        if body is None:
            external = isinstance(definition, Function) and definition.external
            start = "extern" if external else f"import {quote(definition.source_module or '')}"
            self.line(f"{start} {head}", _line_of(definition))
            return
        self.line(f"{head} {{", _line_of(definition), body.start_line)
        self.depth += 1
        self.region(body)
        self.depth -= 1
        self.line("}", body.end_line)

    def region(self, region: Region) -> None:
        for event, instr, inner in walk(region):
            if event == 0:
                if _is_nothing(instr):
                    continue  # an empty yield is what a region without one means
                self.line(statement(instr), instr.span.line if instr.span else 0,
                          instr.regions[0].start_line if instr.regions else 0)
            elif event == ENTER:
                assert inner is not None
                if inner is instr.regions[0]:
                    self.depth += 1
                elif instr.row.mnemonic != "if" or not self._left_out(inner):
                    self._between(instr.regions[0], inner, instr.row.mnemonic == "if")
            elif inner is not None and inner is instr.regions[-1]:
                self.depth -= 1
                self.line("}", inner.end_line or instr.regions[0].end_line)

    def _between(self, first: Region, second: Region, branch: bool) -> None:
        self.depth -= 1
        self.line(f"}} {'else' if branch else 'do'} {{", first.end_line, second.start_line)
        self.depth += 1

    def _left_out(self, region: Region) -> bool:
        """Whether an `else` says nothing, not even in comments."""
        return len(region.body) == 1 and _is_nothing(region.body[0]) and not (
            self.comments is not None and self.comments.any_in(region.start_line, region.end_line))


def _is_nothing(instr: Instr) -> bool:
    return instr.row.mnemonic == "yield" and not instr.operands and not instr.attributes


def _line_of(thing: Definition | GlobalConstant) -> int:
    return thing.span.line if thing.span else 0


def _constant(constant: GlobalConstant) -> str:
    element = constant.type if isinstance(constant.type, ScalarType) \
        else cast(ty.BufferType, constant.type).element
    raw = constant.data.reshape(-1).view(f"uint{element.size_bytes * 8}")
    texts = [format_literal(int(b), element) for b in raw]
    data = texts[0] if isinstance(constant.type, ScalarType) else f"[{', '.join(texts)}]"
    public = "public " if constant.public else ""
    return f"{public}const @{constant.name}: {constant.type} = {data}"


# -- headers -----------------------------------------------------------------------------------------

def _port(port: Port, definition: Definition) -> str:
    words: list[str] = []
    if port.direction:
        words.append(operations.DIRECTIONS[port.direction])
    mode = operations.MODES[port.mode]
    if mode == "accumulate":
        words.append(f"accumulate({operations.UPDATES[port.operator]})")
    elif mode != "own":
        words.append(mode)
    if port.strided:
        words.append("strided")
    words.append(f"%{port.name}: {port.type}")
    if port.source:
        words.append(f"from %{port.source}")
    if port.count != 1:
        words.append(f"by {port.count}")
    if port.policy:
        words.append(operations.STREAM_POLICIES[port.policy])
    return " ".join(words)


def _grid(ids: Sequence[Value], extents: Sequence[Dim]) -> str:
    return f"grid({', '.join(f'%{v.name} < {d}' for v, d in zip(ids, extents, strict=True))})"


def _attribute(attribute: Attribute) -> str:
    text = f"{operations.ATTRIBUTE_KINDS[attribute.kind]} {attribute.name}"
    value = attribute.value
    if value is True and not attribute.unit:
        return text
    shown = quote(value) if isinstance(value, str) else str(value).lower() \
        if isinstance(value, bool) else repr(value)
    return f"{text} = {shown}{' ' + attribute.unit if attribute.unit else ''}"


def _tail(effect: int, implements: str, attributes: Sequence[Attribute]) -> str:
    out = f" {operations.EFFECT_CLASSES[effect]}" if effect else ""
    if implements:
        out += f" implements {quote(implements)}"
    if attributes:
        # Attributes are a set: hints live apart from the others in bytecode.
        out += f" with ({', '.join(map(_attribute, sorted(attributes, key=Attribute.key)))})"
    return out


def _head(definition: Definition) -> str:
    ports = ", ".join(_port(p, definition) for p in definition.ports)
    text = f"{'' if definition.public else 'private '}{definition.kind} @{definition.name}({ports})"
    if definition.results:
        results = [f"%{n}: {t}" if n else str(t) for n, t in
                   zip(definition.result_names, definition.results, strict=True)]
        text += f" -> ({', '.join(results)})"
    if definition.ids:
        text += f" {_grid(definition.ids, definition.grid)}"
    if isinstance(definition, Function) and definition.external and not definition.effect:
        text += " exact"  # a host function is nondeterministic unless it says otherwise
    return text + _tail(definition.effect, definition.implements, definition.attributes)


# -- statements --------------------------------------------------------------------------------------

def operand(value: Operand) -> str:
    if isinstance(value, Value):
        return f"%{value.name}"
    if isinstance(value, Constant):
        return format_literal(value.bits, value.type)
    if isinstance(value, DimValue):
        return str(value.dim)
    return f"@{value.name}" if isinstance(value, GlobalRef) else value.text


def typed_operand(value: Operand) -> str:
    """An operand whose type nothing beside it tells: a number is followed by it."""
    return operand(value) + (f":{value.type}" if isinstance(value, Constant) else "")


def box_text(box: Box) -> str:
    return "[" + ", ".join(f"{a} :+ {b}" for a, b in box) + "]"


def _access(instr: Instr, at: int) -> str:
    indices: list[str] = []
    offsets = instr.offsets or (0,) * len(instr.operands)
    for value, offset in zip(instr.operands[at + 1:], offsets, strict=False):
        shift = f" {'-' if offset < 0 else '+'} {abs(offset)}" if offset else ""
        indices.append(operand(value) + shift)
    return f"{operand(instr.operands[at])}[{', '.join(indices)}]"


def _suffixes(instr: Instr) -> str:
    out = ""
    for row, value in zip(instr.row.immediates, instr.immediates, strict=True):
        if row.kind is ImmediateKind.CHOICE and (value or row.name == "operator"):
            out += f".{row.choices[value]}"
    return out + operations.fast_words(instr.fast)


def _needs_type(instr: Instr) -> Type | None:
    """The type to write after the mnemonic: the argument, or what constants alone leave open."""
    if instr.type_argument is not None:
        return instr.type_argument
    row = instr.row
    if row.type_argument != "none" or row.form not in (Form.PLAIN,):
        return None
    typed = [v for v, r in zip(instr.operands, row.signature.operands, strict=False)
             if r.pattern.word in ("T", "vector")]
    if row.mnemonic == "pack":
        typed = list(instr.operands)
    if not typed or any(not isinstance(v, (Constant, Literal)) for v in typed):
        return None
    return typed[0].type


def _plain(instr: Instr) -> str:
    row = instr.row
    written = _needs_type(instr)
    text = f"{row.mnemonic}{_suffixes(instr)}" + (f" {written}" if written else "")
    if row.form is Form.ACCESS:
        at = next(n for n, o in enumerate(row.signature.operands) if o.name == "buffer")
        parts = [operand(v) for v in instr.operands[:at]] + [_access(instr, at)]
    elif row.form is Form.CALL:
        parts = [f"@{instr.callee}({', '.join(map(operand, instr.operands))})"]
    elif row.form is Form.BOX:
        parts = [operand(instr.operands[0]) + box_text(instr.detail)]
    elif row.mnemonic in ("convert", "bitcast", "print"):
        parts = [typed_operand(v) for v in instr.operands]
    else:
        parts = [operand(v) for v in instr.operands]
    for slot, value in zip(row.immediates, instr.immediates, strict=True):
        if slot.kind is ImmediateKind.INT:
            parts.append(str(value))
        elif slot.kind is ImmediateKind.INTS:
            parts.append(f"[{', '.join(map(str, value))}]")
        elif slot.kind is ImmediateKind.TEXT:
            parts.insert(0 if row.mnemonic == "print" else len(parts), quote(value))
    return text + (f" {', '.join(parts)}" if parts else "")


def _carries(instr: Instr, parameters: Sequence[Value], inits: Sequence[Operand]) -> str:
    out: list[str] = []
    for value, init, uniform in zip(parameters, inits, instr.uniform, strict=True):
        word = {"parent": "uniform ", "launch": "launch "}.get(operations.UNIFORMITY[uniform], "")
        plain = isinstance(init, (Value, GlobalRef)) or init.type is ty.I1  # true and false need none
        typed = not plain or init.type is not value.type
        out.append(f"{word}%{value.name}{f': {value.type}' if typed else ''} = {operand(init)}")
    return f"({', '.join(out)})"


def _for(instr: Instr) -> str:
    low, high, step, *inits = instr.operands
    counter, *carried = instr.regions[0].parameters
    typed = counter.type is not ty.INDEX and all(isinstance(v, Constant) for v in (low, high, step))
    kind = f": {counter.type}" if typed else ""
    text = f"for %{counter.name}{kind} in {operand(low)} .. {operand(high)}"
    if not (isinstance(step, Constant) and integer_value(step.bits, step.type) == 1):
        text += f" step {operand(step)}"
    if carried:
        text += f" carry {_carries(instr, carried, inits)}"
    return text


def _reduce(instr: Instr) -> str:
    bounds = instr.operands
    pairs = zip(bounds[0::2], bounds[1::2], strict=False)
    axes = ", ".join(f"%{v.name} in {operand(a)} .. {operand(b)}" for v, (a, b) in
                     zip(instr.regions[0].parameters, pairs, strict=True))
    init = f" init {operand(bounds[-1])}" if len(bounds) % 2 else ""
    return f"reduce{_suffixes(instr)} {instr.type_argument} over ({axes}){init}"


def _loop(instr: Instr) -> str:
    parameters = instr.regions[0].parameters
    until = parameters[instr.immediates[0]].name
    return f"loop {_carries(instr, parameters, instr.operands)} until %{until}"


def _node(instr: Instr) -> str:
    detail: NodeDetail = instr.detail
    parts: list[str] = []
    for value, argument in zip(instr.operands, detail.arguments, strict=True):
        text = "one " if argument.edge else ""
        text += operand(value) + (box_text(argument.box) if argument.box is not None else "")
        parts.append(text + (f" by {argument.consume}" if argument.consume != 1 else ""))
    text = f"node @{instr.callee}({', '.join(parts)})"
    if detail.ids:
        text += f" {_grid(detail.ids, detail.grid)}"
    outputs: list[str] = []
    for output in detail.outputs:
        if output.box is not None:
            outputs.append(f"{output.whole} at {box_text(output.box)}")
        elif output.form:
            word = operations.OUTPUT_FORMS[output.form]
            outputs.append(f"reduce.{operations.REDUCTIONS[output.operator]}"
                           if word == "reduce" else word)
        else:
            outputs.append("_" + (f" by {output.produce}" if output.produce != 1 else ""))
    if any(o != "_" for o in outputs):
        text += f" -> ({', '.join(outputs)})"
    return text + _tail(detail.effect, "", instr.attributes)


def _split(instr: Instr) -> str:
    points = ", ".join(map(str, instr.detail))
    return f"split {operand(instr.operands[0])} axis {instr.immediates[0]} at ({points})"


_FORMS: dict[Form, Callable[[Instr], str]] = {
    Form.IF: lambda i: f"if {operand(i.operands[0])}", Form.FOR: _for,
    Form.WHILE: lambda i: f"while {_carries(i, i.regions[0].parameters, i.operands)}",
    Form.LOOP: _loop, Form.REDUCE: _reduce, Form.NODE: _node, Form.PARTS: _split,
    Form.MATCH: lambda i: f"match {i.detail[0]} == {i.detail[1]}",
    Form.DELAY: lambda i: f"delay {operand(i.operands[0])}, next {operand(i.operands[1])}"}


def _target(instr: Instr, number: int, value: Value) -> str:
    """`%x`, or `%x: f32` where an `if` yields constants only."""
    if instr.row.form is Form.IF:
        yields = [r.body[-1].operands for r in instr.regions if r.body]
        if all(number < len(y) and isinstance(y[number], (Constant, Literal)) for y in yields):
            return f"%{value.name}: {value.type}"
    if instr.row.form is Form.DELAY and isinstance(instr.operands[0], Constant):
        return f"%{value.name}: {value.type}"
    return f"%{value.name}"


def statement(instr: Instr) -> str:
    """One instruction; for a construct with regions, up to its first brace."""
    text = _FORMS.get(instr.row.form, _plain)(instr)
    if instr.row.form is not Form.NODE:  # a node prints its own, with the effect class
        text += _tail(0, "", instr.attributes)
    if instr.regions:
        text += " {"
    if instr.results and instr.row.form is not Form.MATCH:
        names = ", ".join(_target(instr, n, v) for n, v in enumerate(instr.results))
        text = f"{names} = {text}"
    return text


def print_module(module: Module) -> str:
    """The canonical text of a module."""
    number_module(module)
    return Printer().module(module)


def format_text(text: str, module: Module) -> str:
    """The canonical text with the comments and blank lines of `text`, which `module` was parsed from."""
    return Printer(Comments(text.removeprefix("\ufeff"))).module(module)


__all__ = ["format_text", "print_module", "statement"]
