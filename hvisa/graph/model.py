"""The module in memory: plain classes that carry a place. Nothing here checks; the verifier does.

Bodies are regions of instructions in SSA form. Regions nest; walk them with `walk`, which never
recurses. In a graph's body, a use of a value *is* an edge (or a bind, if the value is a port's), so
edges are not stored twice; `hvisa.graph.views` lists them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from hvisa.diagnostics import Span
from hvisa.spec import types as ty
from hvisa.spec.definitions import InstrDef
from hvisa.spec.dimensions import Dim
from hvisa.spec.types import ScalarType, Type

if TYPE_CHECKING:
    import numpy as np


class Value:
    """Something defined once: a port, a symbol, an instance id, a carried value or a result.

    `name` is without its `%`; None or digits only means unnamed. `index` is scratch space of passes
    (the encoder's numbering).
    """

    __slots__ = ("index", "name", "type")

    def __init__(self, name: str | None, type_: Type):
        self.name = name
        self.type = type_
        self.index = -1

    def __repr__(self) -> str:
        return f"%{self.name or '?'}: {self.type}"


class Constant:
    """A scalar literal. `bits` is its pattern as an unsigned integer of the type's width."""

    __slots__ = ("bits", "type")

    def __init__(self, type_: ScalarType, bits: int):
        self.type = type_
        self.bits = bits

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Constant) and self.type is other.type and self.bits == other.bits

    def __hash__(self) -> int:
        return hash((self.type.code, self.bits))

    def __repr__(self) -> str:
        return f"Constant({self.type}, {self.bits:#x})"


class Literal:
    """A number as written, before its type is known; only between parser and inference."""

    __slots__ = ("text", "type")

    def __init__(self, text: str):
        self.text = text
        self.type: Type = ty.ERROR

    def __repr__(self) -> str:
        return f"Literal({self.text})"


class DimValue:
    """A dimension expression as an operand of type `index`: `ceildiv(%n, 32)`."""

    __slots__ = ("dim",)
    type: ScalarType = ty.INDEX

    def __init__(self, dim: Dim):
        self.dim = dim

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DimValue) and self.dim == other.dim

    def __hash__(self) -> int:
        return hash(self.dim)

    def __repr__(self) -> str:
        return f"DimValue({self.dim})"


class GlobalRef:
    """A module constant as an operand: `@taps`."""

    __slots__ = ("name", "type")

    def __init__(self, name: str, type_: Type):
        self.name = name
        self.type = type_

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GlobalRef) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"@{self.name}: {self.type}"


Operand = Value | Constant | DimValue | GlobalRef | Literal
Box = tuple[tuple[Dim, Dim], ...]  # (offset, length) for each dimension


class Region:
    """Instructions in order, the last one a terminator; `parameters` are defined on entry.

    `start_line` and `end_line` are those of the braces in a text, 0 where there is none.
    """

    __slots__ = ("body", "end_line", "parameters", "start_line")

    def __init__(self, parameters: list[Value] | None = None, body: list[Instr] | None = None):
        self.parameters = parameters if parameters is not None else []
        self.body = body if body is not None else []
        self.start_line = 0
        self.end_line = 0


class Instr:
    """One instruction.

    `immediates` are in the row's order (choices by number). `offsets` are the constant displacements
    of the indices of an access, () if all are zero. `callee` names a function or node. `uniform` has a
    uniformity code for each carried value of a loop. `detail` is what a graph construct has besides
    (`NodeDetail`, or a tuple of `Dim`s or a `Box`).
    """

    __slots__ = ("attributes", "callee", "detail", "fast", "immediates", "offsets", "operands",
                 "regions", "results", "row", "span", "type_argument", "uniform")

    def __init__(self, row: InstrDef, operands: list[Operand], results: list[Value],
                 span: Span | None = None):
        self.row = row
        self.operands = operands
        self.results = results
        self.span = span
        self.type_argument: Type | None = None
        self.immediates: tuple[Any, ...] = ()
        self.offsets: tuple[int, ...] = ()
        self.fast = 0
        self.regions: tuple[Region, ...] = ()
        self.callee: str | None = None
        self.uniform: tuple[int, ...] = ()
        self.detail: Any = None
        self.attributes: tuple[Attribute, ...] = ()

    def __repr__(self) -> str:
        return f"<{self.row.mnemonic} {self.operands} -> {self.results}>"


class Argument:
    """How a node takes one operand.

    `box` narrows a buffer; `edge` is the position in EDGE_KINDS; `consume` is how many stream items one
    firing takes.
    """

    __slots__ = ("box", "consume", "edge")

    def __init__(self, box: Box | None = None, edge: int = 0, consume: int = 1):
        self.box = box
        self.edge = edge
        self.consume = consume


class Output:
    """How a node gives one result.

    `form` is the position in OUTPUT_FORMS, `operator` that in REDUCTIONS for `reduce`. `whole` and
    `box` stand on an `out` port of a replicated graph: the type of the whole buffer, and the part that
    each instance makes. `produce` is how many stream items one firing gives.
    """

    __slots__ = ("box", "form", "operator", "produce", "whole")

    def __init__(self, form: int = 0, operator: int = 0, whole: Type | None = None,
                 box: Box | None = None, produce: int = 1):
        self.form = form
        self.operator = operator
        self.whole = whole
        self.box = box
        self.produce = produce


class NodeDetail:
    """The parts of a `node` besides callee and operands: one Argument an operand, one Output a result.

    `grid` and `ids` replicate an internal node; a leaf has its grid in its own header.
    """

    __slots__ = ("arguments", "effect", "grid", "ids", "outputs")

    def __init__(self, grid: tuple[Dim, ...], ids: list[Value], arguments: list[Argument],
                 outputs: list[Output], effect: int = 0):
        self.grid = grid
        self.ids = ids
        self.arguments = arguments
        self.outputs = outputs
        self.effect = effect


class Attribute:
    """A hint, licence or requirement: `kind` is the position in ATTRIBUTE_KINDS; `unit` may be ""."""

    __slots__ = ("kind", "name", "unit", "value")

    def __init__(self, kind: int, name: str, value: bool | int | float | str, unit: str = ""):
        self.kind = kind
        self.name = name
        self.value = value
        self.unit = unit

    def key(self) -> tuple[object, ...]:
        return (self.kind, self.name, type(self.value).__name__, self.value, self.unit)


class Port:
    """A parameter of a node or function.

    `direction` is the position in DIRECTIONS; `mode` that in MODES and `operator` that in UPDATES, for
    written buffers. `source` names the port that an `out` starts as a copy of. `policy` and `count` are
    the overflow policy and items per firing of a stream.
    """

    __slots__ = ("count", "direction", "mode", "operator", "policy", "source", "span", "strided",
                 "value")

    def __init__(self, value: Value, direction: int = 0, span: Span | None = None):
        self.value = value
        self.direction = direction
        self.span = span
        self.mode = 0
        self.operator = 0
        self.strided = False
        self.source: str | None = None
        self.policy = 0
        self.count = 1

    @property
    def name(self) -> str:
        return self.value.name or "?"

    @property
    def type(self) -> Type:
        return self.value.type

    @property
    def written(self) -> bool:
        return self.direction >= 2

    @property
    def taken(self) -> bool:
        """Whether a caller passes something for it (`out` ports are only given back)."""
        return self.direction != 2


class Definition:
    """Base of everything with a name that runs: `LeafNode`, `InternalNode`, `Function`.

    `symbols` maps each dimension symbol of the header to its value, in order of appearance; symbols
    that a graph's body defines are values of type index and join `symbols` as they are used in
    dimensions. `results` are the types given per instance, `result_names` their names. `body` is None
    for a declaration: an import (`source_module` says whence) or an extern.
    """

    __slots__ = ("attributes", "body", "effect", "grid", "ids", "implements", "name", "ports",
                 "public", "result_names", "results", "source_module", "span", "symbols")
    kind = ""

    def __init__(self, name: str, span: Span | None = None):
        self.name = name
        self.span = span
        self.public = True
        self.ports: list[Port] = []
        self.results: list[Type] = []
        self.result_names: list[str | None] = []
        self.symbols: dict[str, Value] = {}
        self.grid: tuple[Dim, ...] = ()
        self.ids: list[Value] = []
        self.effect = 0
        self.attributes: tuple[Attribute, ...] = ()
        self.implements = ""
        self.body: Region | None = None
        self.source_module: str | None = None

    def port(self, name: str) -> Port | None:
        return next((p for p in self.ports if p.name == name), None)

    @property
    def written(self) -> list[Port]:
        return [p for p in self.ports if p.written]

    @property
    def result_keys(self) -> list[str]:
        """The results' names; one without gets a name that no port has."""
        ports = {p.name for p in self.ports}
        keys: list[str] = []
        for number, name in enumerate(self.result_names):
            key = name or f"result{number}"
            while not name and key in ports:
                key += "_"
            keys.append(key)
        return keys

    @property
    def taken(self) -> list[Port]:
        return [p for p in self.ports if p.taken]


class LeafNode(Definition):
    """A computation, replicated over `grid` (0 to 3 extents), whose instance ids are `ids`."""

    __slots__ = ()
    kind = "leaf"


class InternalNode(Definition):
    """A child graph. Its body holds graph constructs only and ends with a `yield` of the written
    ports' last versions and the results."""

    __slots__ = ()
    kind = "graph"


class Function(Definition):
    """Called from leaves. `external` functions run on the host and have no body; their `effect` is
    nondeterministic unless declared otherwise (semantics 23)."""

    __slots__ = ("external",)
    kind = "func"

    def __init__(self, name: str, span: Span | None = None):
        super().__init__(name, span)
        self.external = False


class GlobalConstant:
    """A named constant: a scalar or a buffer with constant extents. `data` is a C-ordered array of the
    type's storage dtype."""

    __slots__ = ("data", "name", "public", "span", "type")

    def __init__(self, name: str, type_: Type, data: np.ndarray, span: Span | None = None):
        self.name = name
        self.type = type_
        self.data = data
        self.span = span
        self.public = False


class Module:
    """A program: constants and definitions by name, in order.

    `features` are required feature names; `sections` are unknown optional sections kept as
    (name, safe_to_keep, payload).
    """

    __slots__ = ("constants", "definitions", "features", "math_version", "name", "sections", "span")

    def __init__(self, name: str = "", span: Span | None = None):
        self.name = name
        self.span = span
        self.constants: dict[str, GlobalConstant] = {}
        self.definitions: dict[str, Definition] = {}
        self.features: list[str] = []
        self.math_version = 0
        self.sections: list[tuple[str, bool, bytes]] = []


ENTER, LEAVE = 1, 2


def walk(region: Region) -> Iterator[tuple[int, Instr, Region | None]]:
    """Every instruction in order, without recursion: (0, instr, None), and around each region of an
    instruction (ENTER, instr, region) and (LEAVE, instr, region)."""
    stack: list[tuple[Instr | None, Region, Iterator[Instr], Iterator[Region]]] = [
        (None, region, iter(region.body), iter(()))]
    while stack:
        owner, current, body, regions = stack[-1]
        instr = next(body, None)
        if instr is not None:
            yield 0, instr, None
            if not instr.regions:
                continue
            owner, regions = instr, iter(instr.regions)
        else:
            stack.pop()
            if owner is None:
                return
            yield LEAVE, owner, current
        following = next(regions, None)
        if following is not None:
            yield ENTER, owner, following
            stack.append((owner, following, iter(following.body), regions))


def instructions(region: Region) -> Iterator[Instr]:
    """Every instruction of a region and the regions inside it, in order."""
    stack: list[Iterator[Instr]] = [iter(region.body)]
    while stack:
        instr = next(stack[-1], None)
        if instr is None:
            stack.pop()
            continue
        yield instr
        for inner in reversed(instr.regions):
            stack.append(iter(inner.body))
