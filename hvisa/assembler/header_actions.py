"""Actions of the module level and of headers."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from lark import Token

from hvisa.assembler.expression_actions import ExpressionActions
from hvisa.assembler.parse_state import KINDS, Tail, merged_tail
from hvisa.diagnostics import plural
from hvisa.graph.model import (
    Attribute,
    Definition,
    Function,
    GlobalConstant,
    Literal,
    Port,
    Value,
)
from hvisa.graph.numbering import header_dims, header_symbols, type_dims
from hvisa.spec import literals, operations, types as ty
from hvisa.spec.dimensions import Dim
from hvisa.spec.types import ScalarType, Type


class HeaderActions(ExpressionActions):
    """Actions of the module level and of headers."""

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
            self.error("HV0220", f"`@{name}` needs {plural(wanted, 'number')}, {len(flat)} given", token)
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
        tail = merged_tail(rest)
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
