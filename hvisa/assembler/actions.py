"""What each grammar rule does: the model is built as the parser reduces, so no tree is ever made.

Types are not known here (a callee may stand further down): numbers stay `Literal`, results have type
ERROR, and `hvisa.graph.inference` completes them.
"""

from __future__ import annotations

import difflib
from typing import Any, cast

import numpy as np
from lark import Token

from hvisa.diagnostics import Diagnostic, HvisaError, Source, Span
from hvisa.graph import model
from hvisa.graph.model import (
    Argument,
    Attribute,
    Definition,
    DimValue,
    Function,
    GlobalConstant,
    GlobalRef,
    Instr,
    InternalNode,
    LeafNode,
    Literal,
    Module,
    NodeDetail,
    Operand,
    Output,
    Port,
    Region,
    Value,
)
from hvisa.graph.numbering import header_dims, header_symbols, type_dims
from hvisa.spec import dimensions as dims, literals, operations, types as ty
from hvisa.spec.definitions import Form, ImmediateKind, InstrDef
from hvisa.spec.dimensions import Dim, DimError
from hvisa.spec.limits import LIMITS
from hvisa.spec.table import ROWS
from hvisa.spec.types import ScalarType, Type

KINDS: dict[str, type[Definition]] = {"leaf": LeafNode, "graph": InternalNode, "func": Function}
MAX_ERRORS = 100

# Parts of statements, by the Python class that the callbacks pass around.
Access = tuple[Token, list[Any]]


class Tail:
    """What may follow a header or an operation."""

    __slots__ = ("attributes", "effect", "implements")

    def __init__(self, effect: int = -1, implements: str = "",
                 attributes: tuple[Attribute, ...] = ()):
        self.effect = effect  # -1 where none is written
        self.implements = implements
        self.attributes = attributes


class Frame:
    """A region under construction and the names that it defines."""

    __slots__ = ("holds", "names", "region")

    def __init__(self, region: Region, names: list[str], holds: bool):
        self.region = region
        self.names = names
        self.holds = holds  # names outlive the region: the first region of `while`


class Carry:
    __slots__ = ("init", "token", "type", "uniform")

    def __init__(self, token: Token, type_: Type | None, init: Any, uniform: int):
        self.token = token
        self.type = type_
        self.init = init
        self.uniform = uniform


class State:
    """Everything about the text being parsed."""

    def __init__(self, source: Source):
        self.source = source
        self.module = Module(span=Span(source, 1, 1))
        self.errors: list[Diagnostic] = []
        self.reset()

    def reset(self) -> None:
        """Forget a half-built definition."""
        self.definition: Definition | None = None
        self.scope: dict[str, Value] = {}
        self.frames: list[Frame] = []
        self.pending: tuple[list[Value], list[str], bool] = ([], [], False)
        self.held: list[list[str]] = []
        self.forward: list[tuple[Instr, int, Token, int]] = []
        self.stated_effect = -1
        self.near: Token | None = None  # the last number or name of an expression or type
        self.count = 0
        self.nodes = 0
        self.edges = 0


def _tail(children: list[Any]) -> Tail:
    merged = Tail()
    for part in children:
        if type(part) is Tail:
            merged.effect = max(merged.effect, part.effect)
            merged.implements = part.implements or merged.implements
            merged.attributes += part.attributes
    return merged


class Actions:
    """One method for each rule or alias of the grammar; each takes the list of children."""

    state: State

    # -- help ----------------------------------------------------------------------------------

    def span(self, token: Token) -> Span:
        return Span(self.state.source, token.line or 0, token.column or 0, len(token))

    def error(self, code: str, message: str, token: Token | Span, note: str = "",
              help: str = "") -> None:
        span = token if isinstance(token, Span) else self.span(token)
        self.state.errors.append(Diagnostic(code, message, span, note=note, help=help))
        if len(self.state.errors) >= MAX_ERRORS:
            raise HvisaError(self.state.errors)

    def limit(self, name: str, found: int, token: Token) -> None:
        if found > LIMITS[name].value:
            raise HvisaError(LIMITS[name].diagnostic(found, self.span(token)))

    def declare(self, token: Token, type_: Type, names: list[str]) -> Value:
        name = token[1:]
        value = Value(name, type_)
        if name in self.state.scope:
            self.error("HV0102", f"`%{name}` is defined twice", token,
                       "this name is taken here", "give one of them another name")
        else:
            names.append(name)
        self.state.scope[name] = value
        return value

    def lookup(self, token: Token) -> Value:
        value = self.state.scope.get(token[1:])
        if value is None:
            close = difflib.get_close_matches(token[1:], self.state.scope, 1)
            self.error("HV0101", f"`{token}` is not defined here", token, "unknown name",
                       f"did you mean `%{close[0]}`?" if close else
                       "a value can be used after its definition, in the same region or inside it")
            value = self.state.scope[token[1:]] = Value(token[1:], ty.ERROR)
        return value

    def dim(self, part: Any) -> Dim:
        """A parsed expression as a dimension."""
        if isinstance(part, Dim):
            return part
        try:
            if type(part) is Token:
                if part.type == "VALUE":
                    return dims.symbol(part[1:])
                if part.type == "NUMBER":
                    return dims.constant(int(part, 0))
            if isinstance(part, Literal):
                return dims.constant(int(part.text, 0))
        except (ValueError, DimError):
            pass
        text = part.text if isinstance(part, Literal) else str(part)
        self.error("HV0601", f"`{text}` is not a dimension", part if type(part) is Token else self.near,
                   help="a dimension is made of symbols and whole numbers with + - * floordiv mod "
                        "min max ceildiv")
        return dims.constant(0)

    def operand(self, part: Any) -> Operand:
        if type(part) is Token:
            if part.type == "VALUE":
                return self.state.scope.get(part[1:]) or self.lookup(part)
            if part.type == "GLOBAL":
                return GlobalRef(part[1:], ty.ERROR)
            return Literal(str(part))
        if isinstance(part, Dim):
            value = part.constant
            if value is not None:
                return Literal(str(value))
            # `%n + 0` is the value itself, as its canonical text says.
            symbol = part.symbol
            return (self.state.scope.get(symbol) if symbol else None) or DimValue(part)
        assert isinstance(part, Literal), part
        return part

    # -- expressions ---------------------------------------------------------------------------

    @property
    def near(self) -> Token | Span:
        return self.state.near or self.state.module.span or Span(self.state.source)

    def value(self, c: list[Any]) -> Token:
        self.state.near = c[0]
        return c[0]

    number = global_value = value

    def grouped(self, c: list[Any]) -> Any:
        return c[0]

    def _build(self, c: list[Any], build: Any) -> Dim:
        try:
            return build(*(self.dim(p) for p in c))
        except DimError as error:
            token = next((p for p in c if type(p) is Token), None)
            self.error("HV0602", str(error), token or self.near,
                       help="write a shorter expression, or compute it in a node without grid")
            return dims.constant(1)

    def sum(self, c: list[Any]) -> Dim:
        return self._build(c, lambda a, b: a + b)

    def difference(self, c: list[Any]) -> Dim:
        return self._build(c, lambda a, b: a - b)

    def product(self, c: list[Any]) -> Dim:
        return self._build(c, lambda a, b: a * b)

    def negative(self, c: list[Any]) -> Any:
        part = c[0]
        if type(part) is Token and part.type in ("NUMBER", "WORD"):
            return Literal(f"-{part}")
        if isinstance(part, Literal):
            negated = Literal(part.text[1:] if part.text.startswith("-") else f"-{part.text}")
            negated.type = part.type
            return negated
        return self._build(c, lambda a: -a)

    def typed_number(self, c: list[Any]) -> Literal:
        literal = Literal(str(c[0]))
        literal.type = ty.BY_NAME[c[1]]
        return literal

    def dimension_function(self, c: list[Any]) -> Dim:
        name, *parts = c
        if str(name) in ("min", "max"):
            if len(parts) < 2:
                self.error("HV0601", f"`{name}` takes two dimensions or more", name)
                return dims.constant(1)
        elif len(parts) != 2:
            self.error("HV0601", f"`{name}` takes two dimensions, {len(parts)} given", name)
            return dims.constant(1)
        return self._build(parts, dims.FUNCTIONS[str(name)])

    def literal(self, c: list[Any]) -> str:
        return str(c[0])

    def negative_literal(self, c: list[Any]) -> str:
        return f"-{c[0]}"

    # -- types ---------------------------------------------------------------------------------

    def scalar_type(self, c: list[Any]) -> ScalarType:
        self.state.near = c[0]
        return ty.BY_NAME[c[0]]

    def vector_type(self, c: list[Any]) -> Type:
        try:
            lanes = int(c[1], 0)
        except ValueError:
            lanes = 0
        if not 2 <= lanes <= ty.MAX_LANES:
            self.error("HV0218", f"a vector has 2 to {ty.MAX_LANES} lanes", c[1],
                       f"this is {c[1]}")
            lanes = 2
        return ty.vector(ty.BY_NAME[c[0]], lanes)

    def capacity(self, c: list[Any]) -> tuple[Token, Dim]:
        return c[0], self.dim(c[1])

    def buffer_type(self, c: list[Any]) -> Type:
        shape: list[Dim] = []
        bound: Dim | None = None
        for position, part in enumerate(c[1:]):
            if isinstance(part, tuple):
                if position:
                    self.error("HV0603", "only the leading extent may have a capacity", part[0])
                bound = part[1]
                shape.append(dims.symbol(part[0][1:]))
            else:
                shape.append(self.dim(part))
        return ty.buffer(ty.BY_NAME[c[0]], tuple(shape), bound)

    def grid_type(self, c: list[Any]) -> Type:
        element = c[0]
        if ty.element_of(element) is None:
            self.error("HV0219", f"`grid` holds scalars or vectors, not {element}",
                       self.near)
            element = ty.I32
        return ty.grid(element, tuple(self.dim(p) for p in c[1:] if not isinstance(p, tuple)))

    def stream_type(self, c: list[Any]) -> Type:
        if isinstance(c[0], ty.StreamType):
            self.error("HV0219", "a stream does not hold streams", self.near)
            return c[0]
        return ty.stream(c[0])

    # -- module level --------------------------------------------------------------------------

    def _string(self, token: Token) -> str:
        """The text of a string token; escapes are backslash, quote, n, t and xHH (a UTF-8 byte)."""
        body, out, at = token[1:-1], bytearray(), 0
        while at < len(body):
            char = body[at]
            if char != "\\":
                out += char.encode()
                at += 1
                continue
            escape = body[at + 1]
            if escape == "x" and len(body) >= at + 4:
                try:
                    out.append(int(body[at + 2:at + 4], 16))
                    at += 4
                    continue
                except ValueError:
                    pass
            known = {"n": "\n", "t": "\t", '"': '"', "\\": "\\"}.get(escape)
            if known is None:
                self.error("HV0004", f"`\\{escape}` is no escape in a string", token,
                           help='escapes are \\\\ \\" \\n \\t and \\xHH')
                known = ""
            out += known.encode()
            at += 2
        try:
            return out.decode()
        except UnicodeDecodeError:
            self.error("HV0004", "the string is not UTF-8", token)
            return ""

    def module_name(self, c: list[Any]) -> None:
        self.state.module.name = self._string(c[0])

    def math_version(self, c: list[Any]) -> None:
        self.state.module.math_version = self._count(c[0])

    def feature(self, c: list[Any]) -> None:
        self.state.module.features.append(self._string(c[0]))

    def section(self, c: list[Any]) -> None:
        name, payload = self._string(c[0]), c[-1]
        try:
            data = bytes.fromhex(self._string(payload))
        except ValueError:
            self.error("HV0004", "the content of a section is written in hexadecimal", payload)
            return
        self.state.module.sections.append((name, len(c) == 3, data))

    def _count(self, token: Token) -> int:
        try:
            value = int(token, 0)
        except ValueError:
            value = -1
        if not 0 <= value < 1 << 31:
            self.error("HV0003", f"`{token}` is not a whole number below 2^31", token)
            return 1
        return value

    def data_scalar(self, c: list[Any]) -> str:
        return c[0]

    def data_list(self, c: list[Any]) -> list[Any]:
        # Lists flatten as they close: row-major order is the order of the text.
        flat: list[str] = []
        for part in c:
            flat += part if isinstance(part, list) else [part]
        return flat

    def constant(self, c: list[Any]) -> None:
        public = c[0].type == "VISIBILITY" and c.pop(0) == "public"
        token, type_, data = c
        name = self._define(token)
        element = type_ if isinstance(type_, ScalarType) else getattr(type_, "element", None)
        shape = [d.constant for d in type_.shape] if isinstance(type_, ty.BufferType) else []
        if not isinstance(element, ScalarType) or None in shape or isinstance(type_, ty.VectorType):
            self.error("HV0220", f"a constant is a scalar or a buffer of constant extents, not {type_}",
                       token)
            return
        flat = data if isinstance(data, list) else [data]
        wanted = int(np.prod(cast("list[int]", shape), dtype=object))
        if len(flat) != wanted:
            self.error("HV0220", f"`@{name}` needs {wanted} numbers, {len(flat)} given", token)
            return
        try:
            bits = [literals.parse_literal(t, element) for t in flat]
        except literals.LiteralError as error:
            self.error("HV0204", str(error), token)
            return
        raw = np.array(bits, np.dtype(f"uint{element.size_bytes * 8}"))
        found = GlobalConstant(name, type_, raw.view(element.storage_dtype).reshape(
            cast("list[int]", shape)), self.span(token))
        found.public = public
        self.state.module.constants[name] = found

    def _define(self, token: Token) -> str:
        name = token[1:]
        module = self.state.module
        if name in module.definitions or name in module.constants:
            self.error("HV0103", f"`@{name}` is defined twice", token, "this name is taken",
                       "give one of them another name")
        return name

    def attribute_value(self, c: list[Any]) -> Any:
        return c[0]

    def attribute(self, c: list[Any]) -> Attribute:
        kind = operations.ATTRIBUTE_KINDS.index(c[0])
        value: bool | int | float | str = True
        unit = str(c[3]) if len(c) > 3 else ""
        if len(c) > 2:
            part = c[2]
            text = part.text if isinstance(part, Literal) else str(part)
            if type(part) is Token and part.type == "STRING":
                value = self._string(part)
            elif text in ("true", "false"):
                value = text == "true"
            else:
                try:
                    value = int(text, 0)
                except ValueError:
                    try:
                        value = float(text)
                    except ValueError:
                        self.error("HV0704", f"`{text}` is no attribute value", c[1],
                                   help="write a number, true, false or a string")
        return Attribute(kind, str(c[1]), value, unit)

    def attributes(self, c: list[Any]) -> Tail:
        return Tail(attributes=tuple(c))

    def effect(self, c: list[Any]) -> Tail:
        return Tail(effect=operations.EFFECT_CLASSES.index(c[0].strip()))

    def implements(self, c: list[Any]) -> Tail:
        return Tail(implements=self._string(c[0]))

    # -- headers -------------------------------------------------------------------------------

    def mode_own(self, c: list[Any]) -> tuple[int, int]:
        return (1 if c else 0), 0

    def mode_accumulate(self, c: list[Any]) -> tuple[int, int]:
        word = c[0]
        if word not in operations.UPDATES:
            self.error("HV0301", f"`{word}` is no operator of an accumulate port", word,
                       help=f"operators are {' '.join(operations.UPDATES)}")
            return operations.MODES.index("accumulate"), 0
        return operations.MODES.index("accumulate"), operations.UPDATES.index(word)

    def mode_shared(self, c: list[Any]) -> tuple[int, int]:
        return operations.MODES.index("shared"), 0

    def port_from(self, c: list[Any]) -> tuple[str, Token]:
        return "from", c[0]

    def stream_count(self, c: list[Any]) -> tuple[str, Token]:
        return "by", c[0]

    def stream_policy(self, c: list[Any]) -> tuple[str, Token]:
        return "policy", c[0]

    def port(self, c: list[Any]) -> tuple[Port, Token]:
        port = Port(Value(None, ty.ERROR))
        token: Token | None = None
        for part in c:
            if type(part) is Token:
                if part.type == "VALUE":
                    token = part
                elif part.type == "DIRECTION":
                    port.direction = operations.DIRECTIONS.index(part)
                else:
                    port.strided = True
            elif isinstance(part, Type):
                port.value.type = part
            elif part[0] == "from":
                port.source = part[1][1:]
            elif part[0] == "by":
                port.count = max(1, self._count(part[1]))
            elif part[0] == "policy":
                port.policy = operations.STREAM_POLICIES.index(part[1])
            else:
                port.mode, port.operator = part
        assert token is not None
        port.value.name = token[1:]
        port.span = self.span(token)
        return port, token

    def ports(self, c: list[Any]) -> list[tuple[Port, Token]]:
        return c

    def result(self, c: list[Any]) -> tuple[Token | None, Type]:
        return (c[0], c[1]) if len(c) == 2 else (None, c[0])

    def results(self, c: list[Any]) -> tuple[str, list[Any]]:
        return "results", c

    def axis(self, c: list[Any]) -> tuple[Token, Dim]:
        return c[0], self.dim(c[1])

    def grid(self, c: list[Any]) -> tuple[str, list[Any]]:
        return "grid", c

    def head(self, c: list[Any]) -> Definition:
        first: Token = c[0]
        public = not (first.type == "VISIBILITY" and str(first) == "private")
        if first.type == "VISIBILITY":
            c = c[1:]
        kind, name_token, ports, *rest = c
        definition = KINDS[str(kind)](self._define(name_token), self.span(name_token))
        definition.public = public
        state = self.state
        state.reset()
        state.definition = definition
        names: list[str] = []
        for port, token in ports:
            port.value = self.declare(token, port.type, names)
            definition.ports.append(port)
        for part in rest:
            if isinstance(part, tuple):
                self._head_part(definition, part, names)
        tail = _tail(rest)
        definition.effect, definition.implements = max(tail.effect, 0), tail.implements
        state.stated_effect = tail.effect
        definition.attributes = tail.attributes
        self._header_symbols(definition, names)
        state.pending = ([], names, False)
        return definition

    def _head_part(self, definition: Definition, part: tuple[str, list[Any]],
                   names: list[str]) -> None:
        if part[0] == "results":
            for token, type_ in part[1]:
                definition.results.append(type_)
                definition.result_names.append(token[1:] if token is not None else None)
            return
        if definition.kind != "leaf" and part[1]:
            self.error("HV0502", f"a {definition.kind} has no grid of its own", part[1][0][0],
                       help="a graph gets its grid where a `node` uses it")
            return
        definition.grid = tuple(extent for _, extent in part[1])
        definition.ids = [self.declare(token, ty.INDEX, names) for token, _ in part[1]]

    def _header_symbols(self, definition: Definition, names: list[str]) -> None:
        """Symbols are what the shapes of ports name and no port is."""
        ids = {v.name for v in definition.ids}
        place = definition.span
        places = {n: p.span for p in reversed(definition.ports) for d in type_dims(p.type)
                  for n in d.symbols()}
        # In canonical order first, then whatever never stands alone.
        named = [*header_symbols(definition),
                 *(n for d in header_dims(definition) for n in d.symbols())]
        for found in dict.fromkeys(named):
            span = places.get(found, place)
            value = self.state.scope.get(found)
            if value is None:
                value = self.state.scope[found] = Value(found, ty.INDEX)
                names.append(found)
                definition.symbols[found] = value
            elif value.type is not ty.INDEX or found in ids:
                self.error("HV0604", f"`%{found}` is not a dimension: it is {value.type}"
                           if found not in ids else f"the instance id `%{found}` is not a dimension",
                           span or self.near,
                           help="a dimension symbol is free in the shapes, or a port of type index")

    def definition(self, c: list[Any]) -> None:
        definition, region = c
        definition.body = region
        self._add(definition)

    def _add(self, definition: Definition) -> None:
        self.state.module.definitions.setdefault(definition.name, definition)
        self.state.reset()

    def imported(self, c: list[Any]) -> None:
        c[1].source_module = self._string(c[0])
        self._add(c[1])

    def external(self, c: list[Any]) -> None:
        definition = c[0]
        if not isinstance(definition, Function):
            self.error("HV0703", f"a {definition.kind} can't be extern", definition.span,
                       help="declare `extern func @name(...) -> (...)`")
        else:
            definition.external = True
            if self.state.stated_effect < 0:  # semantics 23: nothing is known of a host function
                definition.effect = operations.EFFECT_CLASSES.index("nondeterministic")
            self._add(definition)

    # -- regions and statements ----------------------------------------------------------------

    def open(self, c: list[Any]) -> None:
        state = self.state
        parameters, names, holds = state.pending
        state.pending = ([], [], False)
        if len(state.frames) >= LIMITS["nesting"].value:
            raise HvisaError(LIMITS["nesting"].diagnostic(
                len(state.frames) + 1, state.definition.span if state.definition else None))
        state.frames.append(Frame(Region(parameters), names, holds))

    def block(self, c: list[Any]) -> Region:
        state = self.state
        frame = state.frames.pop()
        depth = len(state.frames)
        body = frame.region.body
        if not frame.holds and not (body and body[-1].row.terminator):
            # The text leaves out a yield of nothing; in the model each region ends in a terminator.
            span = body[-1].span if body else state.definition.span if state.definition else None
            body.append(Instr(ROWS["yield"], [], [], span))
        while state.forward and state.forward[-1][3] == depth + 1:
            instr, position, token, _ = state.forward.pop()
            instr.operands[position] = self.lookup(token)
        if frame.holds:
            state.held.append(frame.names)
            return frame.region
        self._forget(frame.names)
        body = frame.region.body
        if not body or not body[-1].row.terminator:  # an empty `yield` may be left out
            last = body[-1].span if body else None
            body.append(Instr(ROWS["yield"], [], [], last or (
                state.definition.span if state.definition else None)))
        return frame.region

    def _forget(self, names: list[str]) -> None:
        for name in names:
            self.state.scope.pop(name, None)

    def typed_target(self, c: list[Any]) -> tuple[Token, Type]:
        return c[0], c[1]

    def targets(self, c: list[Any]) -> list[Any]:
        return c

    def statement(self, c: list[Any]) -> None:
        state = self.state
        instr = c[-1]
        frame = state.frames[-1]
        frame.region.body.append(instr)
        state.count += 1
        if len(c) == 1:
            return
        for part in c[0]:
            token, type_ = part if type(part) is tuple else (part, ty.ERROR)
            instr.results.append(self.declare(token, type_, frame.names))
        first = c[0][0]
        token = first[0] if type(first) is tuple else first
        instr.span = self.span(token)

    def _row(self, name: Token, form: Form | None = None) -> InstrDef:
        row = ROWS.get(name)
        if row is None or row.reserved:
            close = difflib.get_close_matches(name, [r for r in ROWS if not ROWS[r].reserved], 1)
            why = "is reserved for a later version" if row else "is no instruction"
            self.error("HV0104", f"`{name}` {why}", name,
                       help=f"did you mean `{close[0]}`?" if close else "see docs/spec/instructions.md")
            raise _Skip
        return row

    def _suffixes(self, instr: Instr, suffixes: list[Token]) -> None:
        """`.zero`, `.add`, `.fast(...)`: choices in the row's order, then fast flags."""
        row = instr.row
        values: list[Any] = [i.default for i in row.immediates]
        choices = [n for n, i in enumerate(row.immediates) if i.kind is ImmediateKind.CHOICE]
        for suffix in suffixes:
            word, _, inside = suffix[1:].partition("(")
            if word == "fast" and row.fast:
                instr.fast = self._fast_mask(suffix, inside)
                continue
            slot = next((n for n in choices if word in row.immediates[n].choices), None)
            if slot is None:
                allowed = [w for n in choices for w in row.immediates[n].choices]
                allowed += ["fast"] if row.fast else []
                self.error("HV0105", f"`{row.mnemonic}` has no form `.{word}`", suffix,
                           help=f"forms are .{' .'.join(allowed)}" if allowed else
                           f"write `{row.mnemonic}` alone")
                continue
            values[slot] = row.immediates[slot].choices.index(word)
            choices.remove(slot)
        missing = [row.immediates[n] for n in choices if row.immediates[n].name == "operator"]
        if missing:
            token = suffixes[0] if suffixes else instr.span
            self.error("HV0105", f"`{row.mnemonic}` needs an operator", cast(Any, token),
                       help=f"for example `{row.mnemonic}.{missing[0].choices[0]}`")
        instr.immediates = tuple(values)

    def _fast_mask(self, token: Token, inside: str) -> int:
        if not inside:
            return operations.ALL_FAST
        mask = 0
        for word in inside.rstrip(")").replace(",", " ").split():
            if word not in operations.FAST_FLAGS:
                self.error("HV0105", f"`{word}` is no fast flag", token,
                           help=f"flags are {' '.join(operations.FAST_FLAGS)}")
            else:
                mask |= 1 << operations.FAST_FLAGS.index(word)
        return mask

    def access(self, c: list[Any]) -> Access:
        return c[0], c[1]

    def box(self, c: list[Any]) -> list[Any]:
        return c

    def box_range(self, c: list[Any]) -> tuple[Any, Any]:
        return c[0], c[1]

    def call_argument(self, c: list[Any]) -> tuple[str, Token, list[Any]]:
        return "call", c[0], c[1:]

    def text_argument(self, c: list[Any]) -> tuple[str, str]:
        return "text", self._string(c[0])

    def ints_argument(self, c: list[Any]) -> tuple[str, tuple[int, ...]]:
        return "ints", tuple(self._count(t) for t in c)

    def plain(self, c: list[Any]) -> Instr:
        name = c[0]
        span = self.span(name)
        try:
            row = self._row(name)
        except _Skip:
            return Instr(ROWS["yield"], [], [], span)
        instr = Instr(row, [], [], span)
        at = 1
        while at < len(c) and type(c[at]) is Token and c[at].type == "SUFFIX":
            at += 1
        if at > 1 or row.immediates:
            self._suffixes(instr, c[1:at])
        if at < len(c) and isinstance(c[at], Type):
            instr.type_argument = c[at]
            at += 1
        for part in c[at:]:
            self._add_part(instr, part, name)
        self._check_plain(instr, name)
        return instr

    def _check_plain(self, instr: Instr, name: Token) -> None:
        row = instr.row
        if row.form is Form.CALL and instr.callee is None:
            self.error("HV0106", "`call` needs a function", name,
                       help="for example `%y = call @gelu(%x)`")
            instr.callee = ""
        elif row.form is Form.BOX and instr.detail is None:
            self.error("HV0106", f"`{row.mnemonic}` needs a box", name,
                       help=f"for example `{row.mnemonic} %x[0 :+ 8]`")
            instr.detail = ()
        elif row.form not in (Form.PLAIN, Form.ACCESS, Form.CALL, Form.BOX, Form.BUFFER):
            self.error("HV0106", f"`{row.mnemonic}` is not written like this", name)
        filled = sum(i.kind is not ImmediateKind.CHOICE for i in row.immediates)
        if filled and row.form is Form.PLAIN:
            self._take_ints(instr, name)

    def _take_ints(self, instr: Instr, name: Token) -> None:
        """Integer immediates are written as the last operands."""
        slots = [n for n, i in enumerate(instr.row.immediates) if i.kind is ImmediateKind.INT]
        values = list(instr.immediates)
        for slot in reversed(slots):
            last = instr.operands[-1] if instr.operands else None
            if not isinstance(last, Literal) or not last.text.isdigit():
                what = instr.row.immediates[slot].name
                self.error("HV0106", f"`{instr.row.mnemonic}` ends with a {what} number", name)
                return
            values[slot] = min(int(last.text), (1 << 31) - 1)
            instr.operands.pop()
        instr.immediates = tuple(values)

    def _add_part(self, instr: Instr, part: Any, name: Token) -> None:
        if type(part) is Tail:
            instr.attributes += part.attributes
        elif type(part) is not tuple:
            instr.operands.append(self.operand(part))
        elif part[0] == "call":
            if instr.row.form is not Form.CALL:
                self.error("HV0106", f"`{instr.row.mnemonic}` does not call a function", name)
                return
            instr.callee = part[1][1:]
            instr.operands += [self.operand(p) for p in part[2]]
        elif part[0] in ("text", "ints"):
            kind = ImmediateKind.TEXT if part[0] == "text" else ImmediateKind.INTS
            slot = next((n for n, i in enumerate(instr.row.immediates) if i.kind is kind), None)
            if slot is None:
                self.error("HV0106", f"`{instr.row.mnemonic}` takes no {part[0]} here", name)
                return
            values = list(instr.immediates)
            values[slot] = part[1]
            instr.immediates = tuple(values)
        elif instr.row.form is Form.BOX:
            instr.operands.append(self.operand(part[0]))
            instr.detail = self._box(part[1])
        elif instr.row.form is Form.ACCESS:
            instr.operands.append(self.operand(part[0]))
            self._indices(instr, part[1], name)
        else:
            self.error("HV0106", f"`{instr.row.mnemonic}` takes values, not elements of a buffer",
                       part[0], help=f"load it first: `%e = load {part[0]}[...]`")

    def _indices(self, instr: Instr, parts: list[Any], name: Token) -> None:
        """Indices of an access: a value or constant, and an added constant displacement."""
        offsets: list[int] = []
        for part in parts:
            offset = 0
            if type(part) is tuple:
                self.error("HV0106", "an index is one position, not a range", name)
                part = part[0]
            if isinstance(part, Dim) and part.constant is None:
                rest = part - part.offset()
                if rest.symbol is not None:
                    offset = part.offset()
                    instr.operands.append(self.state.scope.get(rest.symbol)
                                          or self.lookup(Token.new_borrow_pos(
                                              "VALUE", f"%{rest.symbol}", name)))
                else:
                    instr.operands.append(DimValue(part))
            else:
                instr.operands.append(self.operand(part))
            if abs(offset) > LIMITS["displacement"].value:
                self.error("HV0003", f"the displacement {offset} is beyond 2^31", name)
                offset = 0
            offsets.append(offset)
        if any(offsets):
            instr.offsets = tuple(offsets)

    def _box(self, parts: list[Any]) -> model.Box:
        return tuple((self.dim(p[0]), self.dim(p[1])) if type(p) is tuple
                     else (self.dim(p), dims.constant(1)) for p in parts)

    # -- constructs with regions ---------------------------------------------------------------

    def step(self, c: list[Any]) -> tuple[str, Any]:
        return "step", c[0]

    init = step

    def carry(self, c: list[Any]) -> Carry:
        uniform = operations.UNIFORMITY.index("varying")
        if c[0].type == "UNIFORM":
            uniform = operations.UNIFORMITY.index("parent" if c[0] == "uniform" else "launch")
            c = c[1:]
        return Carry(c[0], c[1] if len(c) == 3 else None, c[-1], uniform)

    def carries(self, c: list[Any]) -> list[Carry]:
        return c

    def _begin(self, name: Token, instr: Instr, leading: list[Token], carries: list[Carry],
               holds: bool = False) -> Instr:
        """Inits, then the parameters of the region that opens next."""
        for carry in carries:
            init = self.operand(carry.init)
            if isinstance(init, Literal) and isinstance(carry.type, ScalarType):
                init.type = carry.type
            instr.operands.append(init)
        names: list[str] = []
        parameters = [self.declare(token, ty.ERROR, names) for token in leading]
        parameters += [self.declare(c.token, c.type or ty.ERROR, names) for c in carries]
        instr.uniform = tuple(c.uniform for c in carries)
        self.state.pending = (parameters, names, holds)
        return instr

    def for_head(self, c: list[Any]) -> Instr:
        name, counter, low, high, *rest = c
        token, type_ = counter if type(counter) is tuple else (counter, ty.ERROR)
        instr = Instr(ROWS["for"], [], [], self.span(name))
        step = next((p[1] for p in rest if type(p) is tuple), None)
        carries = next((p for p in rest if type(p) is list), [])
        instr.operands = [self.operand(low), self.operand(high),
                          Literal("1") if step is None else self.operand(step)]
        self._begin(name, instr, [token], carries)
        self.state.pending[0][0].type = type_
        return instr

    def while_head(self, c: list[Any]) -> Instr:
        return self._begin(c[0], Instr(ROWS["while"], [], [], self.span(c[0])), [], c[1:], True)

    def loop_head(self, c: list[Any]) -> Instr:
        name, *carries, until = c
        instr = Instr(ROWS["loop"], [], [], self.span(name))
        position = next((n for n, carry in enumerate(carries) if carry.token == until), None)
        if position is None:
            self.error("HV0402", f"`until {until}` names no carried value", until,
                       help="carry the condition: `loop (..., %done = false) until %done`")
            position = 0
        instr.immediates = (position,)
        return self._begin(name, instr, [], carries)

    def range(self, c: list[Any]) -> list[Any]:
        return c

    def reduce_head(self, c: list[Any]) -> Instr:
        name = c[0]
        instr = Instr(ROWS["reduce"], [], [], self.span(name))
        self._suffixes(instr, [p for p in c[1:] if type(p) is Token])
        instr.type_argument = next(p for p in c if isinstance(p, Type))
        ranges = [p for p in c if type(p) is list]
        for _, low, high in ranges:
            instr.operands += [self.operand(low), self.operand(high)]
        instr.operands += [self.operand(p[1]) for p in c if type(p) is tuple]
        return self._begin(name, instr, [r[0] for r in ranges], [])

    def _finish(self, c: list[Any]) -> Instr:
        instr = c[0]
        instr.attributes = _tail(c).attributes
        instr.regions = tuple(p for p in c if type(p) is Region)
        return instr

    for_op = loop_op = reduce_op = _finish

    def while_op(self, c: list[Any]) -> Instr:
        self._forget(self.state.held.pop())
        return self._finish(c)

    def if_op(self, c: list[Any]) -> Instr:
        instr = Instr(ROWS["if"], [self.operand(c[1])], [], self.span(c[0]))
        instr.attributes = _tail(c).attributes
        regions = [p for p in c if type(p) is Region]
        if len(regions) == 1:
            regions.append(Region([], [Instr(ROWS["yield"], [], [], instr.span)]))
        instr.regions = tuple(regions)
        return instr

    # -- graph constructs ----------------------------------------------------------------------

    def node_argument(self, c: list[Any]) -> tuple[Any, Argument]:
        argument = Argument()
        if type(c[0]) is Token and c[0].type == "ONE":
            argument.edge = operations.EDGE_KINDS.index("one")
            c = c[1:]
        if len(c) == 2:
            argument.consume = max(1, self._count(c[1]))
        part = c[0]
        if type(part) is tuple and type(part[0]) is Token:
            argument.box = self._box(part[1])
            part = part[0]
        return part, argument

    def output_plain(self, c: list[Any]) -> Output:
        return Output(produce=max(1, self._count(c[1])) if len(c) > 1 else 1)

    def output_box(self, c: list[Any]) -> Output:
        return Output(whole=c[0], box=self._box(c[1]))

    def output_collect(self, c: list[Any]) -> Output:
        return Output(form=operations.OUTPUT_FORMS.index("collect"))

    def output_reduce(self, c: list[Any]) -> Output:
        word = c[1][1:]
        if word not in operations.REDUCTIONS or word.startswith("arg"):
            self.error("HV0105", f"`{word}` does not join the results of a grid", c[1],
                       help=f"operators are {' '.join(operations.REDUCTIONS)}")
            word = "add"
        return Output(form=operations.OUTPUT_FORMS.index("reduce"),
                      operator=operations.REDUCTIONS.index(word))

    def outputs(self, c: list[Any]) -> tuple[str, list[Output]]:
        return "outputs", c

    def node_op(self, c: list[Any]) -> Instr:
        name, callee, *rest = c
        state = self.state
        state.nodes += 1
        self.limit("nodes", state.nodes, name)
        instr = Instr(ROWS["node"], [], [], self.span(name))
        instr.callee = callee[1:]
        parts = [p for p in rest if type(p) is tuple]
        axes = next((p[1] for p in parts if p[0] == "grid"), [])
        outputs = next((p[1] for p in parts if p[0] == "outputs"), [])
        names: list[str] = []
        ids = [self.declare(token, ty.INDEX, names) for token, _ in axes]
        tail = _tail(rest)
        detail = NodeDetail(tuple(e for _, e in axes), ids, [], outputs, max(tail.effect, 0))
        for part, argument in (p for p in parts if isinstance(p[1], Argument)):
            if type(part) is tuple:
                self.error("HV0106", "a node takes values, views and numbers", name)
                continue
            instr.operands.append(self.operand(part))
            detail.arguments.append(argument)
        state.edges += len(instr.operands)
        self.limit("edges", state.edges, name)
        self._forget(names)
        instr.detail = detail
        instr.attributes = tail.attributes
        return instr

    def split_op(self, c: list[Any]) -> Instr:
        name, value, axis, *points = c
        instr = Instr(ROWS["split"], [self.operand(value)], [], self.span(name))
        instr.immediates = (self._count(axis),)
        instr.detail = tuple(self.dim(p) for p in points if type(p) is not Tail)
        instr.attributes = _tail(points).attributes
        return instr

    def match_op(self, c: list[Any]) -> Instr:
        name, left, right, *tails = c
        instr = Instr(ROWS["match"], [], [], self.span(name))
        instr.attributes = _tail(tails).attributes
        instr.detail = (self.dim(left), self.dim(right))
        symbol = instr.detail[0].symbol
        if symbol is not None and symbol not in self.state.scope and type(left) is Token:
            # A new symbol: the match defines it.
            instr.results.append(self.declare(left, ty.INDEX, self.state.frames[-1].names))
        return instr

    def delay_op(self, c: list[Any]) -> Instr:
        name, init, following, *tails = c
        placeholder = Value(following[1:], ty.ERROR)
        instr = Instr(ROWS["delay"], [self.operand(init), placeholder], [], self.span(name))
        instr.attributes = _tail(tails).attributes
        self.state.forward.append((instr, 1, following, len(self.state.frames)))
        return instr


class _Skip(Exception):
    """The statement can't be built; its error is recorded."""
