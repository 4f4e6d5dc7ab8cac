"""Headers of definitions, constants and the module's own lines: everything but bodies.

Later rules rely on it: ports have types that fit their kind and direction, symbols are bound.
"""

from __future__ import annotations

import re
from math import prod

from hvisa.graph.facts import DefinitionFacts
from hvisa.graph.model import Definition, Function, GlobalConstant, Module, Port
from hvisa.graph.rules import attributes
from hvisa.graph.rules.dimensions import check_divisors, check_extents
from hvisa.graph.rules.report import Report, label
from hvisa.spec import types as ty
from hvisa.spec.dimensions import Dim
from hvisa.spec.limits import LIMITS
from hvisa.spec.operations import (
    DIRECTIONS,
    EFFECT_CLASSES,
    MODES,
    STREAM_POLICIES,
    UPDATES,
    update_takes,
)
from hvisa.spec.types import BufferType, GridType, ScalarType, StreamType, Type, VectorType

# Names as the text form can write them.
VALUE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.]*")
GLOBAL_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")
_OPERATOR = re.compile(r"[^@\s]+@\d+")
KNOWN_FEATURES: frozenset[str] = frozenset()
MATH_VERSION = 1
ACCUMULATE = MODES.index("accumulate")
_MAX_COUNT = 1 << 31


def check_module(report: Report, module: Module) -> None:
    """Required features, versions, counts, and names shared by constants and definitions."""
    report.span = module.span
    for feature in module.features:
        if feature not in KNOWN_FEATURES:
            report.add("HV0702", f"the module needs the feature `{feature}`, which is unknown here",
                       help="a newer hvisa may know it")
    if not 0 <= module.math_version <= MATH_VERSION:
        report.add("HV0702", f"the module needs math version {module.math_version}",
                   note=f"this hvisa has version {MATH_VERSION}")
    report.limit("definitions", len(module.definitions) + len(module.constants))
    for name, constant in module.constants.items():
        report.span = constant.span or module.span
        if name != constant.name or not GLOBAL_NAME.fullmatch(name):
            report.add("HV0109", f"{name!r} is not a name")
        if name in module.definitions:
            report.add("HV0103", f"`@{name}` is defined twice", help="rename one of them",
                       labels=label(module.definitions[name], "and here"))
        _check_constant(report, constant)


def _check_constant(report: Report, constant: GlobalConstant) -> None:
    type_, data = constant.type, constant.data
    shape = [d.constant for d in ty.dims_of(type_)]
    element = type_ if isinstance(type_, ScalarType) else getattr(type_, "element", None)
    good = isinstance(type_, (ScalarType, BufferType)) and None not in shape \
        and len(shape) <= LIMITS["rank"].value
    if not good or not isinstance(element, ScalarType) or tuple(data.shape) != tuple(shape) \
            or data.dtype != element.storage_dtype:
        report.add("HV0220", f"the numbers of `@{constant.name}` do not fit {type_}",
                   help="a constant is a scalar or a buffer of constant extents")
    elif element is ty.I1 and data.size and int(data.view("uint8").max()) > 1:
        report.add("HV0220", f"`@{constant.name}` has an i1 that is neither 0 nor 1")


class Header:
    """The rules over one header. `check` says whether later rules can rely on it."""

    def __init__(self, report: Report, definition: Definition, facts: DefinitionFacts):
        self.report = report
        self.definition = definition
        self.facts = facts
        self.kind = definition.kind

    def check(self, key: str) -> bool:
        report, definition = self.report, self.definition
        before = report.failed
        report.span = definition.span
        self._names(key)
        report.limit("ports", len(definition.ports) + len(definition.results))
        if definition.body is None and not isinstance(definition, Function) \
                and not definition.source_module:
            report.add("HV0707", f"`@{definition.name}` has no body",
                       help="give it one, or import it")
        self._grid()
        for port in definition.ports:
            report.span = port.span or definition.span
            self._port(port)
        report.span = definition.span
        self._results()
        if not 0 <= definition.effect < len(EFFECT_CLASSES):
            report.add("HV0701", f"effect class {definition.effect} is unknown")
        if definition.implements and not _OPERATOR.fullmatch(definition.implements):
            report.add("HV0706", f"`{definition.implements}` is no operator",
                       help='write `implements "name@version"`, for example "MatMul@13"')
        attributes.check(report, definition.attributes)
        if report.failed == before:
            self._symbols()
        self._facts()
        return report.failed == before

    def _names(self, key: str) -> None:
        report, definition = self.report, self.definition
        if key != definition.name or not GLOBAL_NAME.fullmatch(definition.name):
            report.add("HV0109", f"{definition.name!r} is not a name of a definition",
                       help="names are made of letters, digits, `_` and `.`")
        taken: set[str] = set()
        values = [*definition.symbols.values(), *(p.value for p in definition.ports),
                  *definition.ids]
        for value in values:
            name = value.name
            if name is None or not VALUE_NAME.fullmatch(name):
                report.add("HV0109", f"{name!r} is not a name of a port, symbol or id",
                           help="names are made of letters, digits, `_` and `.`")
            elif name in taken:
                report.add("HV0102", f"`%{name}` is defined twice", help="rename one of them")
            taken.add(name or "")
        if len(set(values)) != len(values):
            report.add("HV0102", "one value stands for two ports, symbols or ids")
        if any(v.type is not ty.INDEX for v in definition.ids) or any(
                v.type is not ty.INDEX or v.name != n for n, v in definition.symbols.items()):
            report.add("HV0604", "instance ids and dimension symbols have type `index`")

    def _grid(self) -> None:
        report, definition = self.report, self.definition
        if self.kind != "leaf" and (definition.grid or definition.ids):
            report.add("HV0502", f"a {self.kind} has no grid of its own",
                       help="a graph gets its grid where a `node` uses it")
        elif len(definition.grid) != len(definition.ids):
            report.add("HV0507", "a grid has one id for each extent")
        elif len(definition.grid) > 3:
            report.add("HV0507", f"a grid has at most 3 axes, {len(definition.grid)} given",
                       help="flatten some: `grid(%ij < %m*%n)`, then `div` and `rem` by %n")

    # -- ports -------------------------------------------------------------------------------------

    def _port(self, port: Port) -> None:
        report = self.report
        if not (0 <= port.direction < len(DIRECTIONS) and 0 <= port.mode < len(MODES)
                and 0 <= port.operator < len(UPDATES) and 0 <= port.policy < len(STREAM_POLICIES)
                and 1 <= port.count < _MAX_COUNT):
            report.add("HV0302", f"`%{port.name}` has a part out of range")
            return
        item = port.type.item if isinstance(port.type, StreamType) else port.type
        if not _is_value(item) and not (isinstance(item, GridType) and self.kind == "graph"
                                        and item is port.type):
            report.add("HV0709", f"`%{port.name}` can't have the type {port.type}",
                       note=f"a {self.kind} does not take it")
            return
        self._item(port, item)
        if isinstance(port.type, StreamType):
            if self.kind != "graph":
                report.add("HV0513", f"a {self.kind} has no stream ports",
                           note=f"this is {port.type}",
                           help=f"take one item, `%{port.name}: {item}`; a graph passes it the "
                                "stream")
        elif port.policy or port.count != 1:
            report.add("HV0512", f"`%{port.name}` is no stream and takes no "
                       f"{'policy' if port.policy else 'count'}", help="remove it")

    def _item(self, port: Port, item: Type) -> None:
        report = self.report
        buffer = isinstance(item, BufferType)
        word = DIRECTIONS[port.direction]
        if buffer and not port.direction:
            report.add("HV0303", f"the buffer `%{port.name}` needs a direction",
                       help=f"write `in %{port.name}: {port.type}`, or `out`, or `inout`")
        elif not buffer and port.direction:
            self._directed_scalar(port, word)
        elif self.kind == "func" and port.written:
            report.add("HV0708", f"a function does not write buffers: `{word} %{port.name}`",
                       help="return a scalar or vector, or make it a leaf")
        if port.written and buffer:
            self._mode(port, item)
        elif port.mode or port.operator:
            report.add("HV0304", f"`%{port.name}` is not written and takes no access mode",
                       help=f"remove `{MODES[port.mode]}`, or make the port `inout` or `out`")
        if port.strided and not buffer:
            report.add("HV0318", f"`%{port.name}` is no buffer, and only buffers are `strided`",
                       help="remove `strided`")
        if isinstance(item, BufferType):
            self._capacity(port, item)
            report.limit("rank", item.rank)
        check_extents(report, port.type, report.span)
        if port.source is not None:
            self._source(port)

    def _directed_scalar(self, port: Port, word: str) -> None:
        help_ = f"write `%{port.name}: {port.type}`"
        if port.written:
            help_ = f"give it back as a result: `-> (%{port.name}: {port.type})`"
        self.report.add("HV0302", f"`{word}` stands on buffers, and `%{port.name}` is none",
                        note=f"this is {port.type}", help=help_)

    def _mode(self, port: Port, item: BufferType) -> None:
        if port.mode != ACCUMULATE:
            if port.operator:
                self.report.add("HV0304", f"only `accumulate` has an operator: `%{port.name}`")
            return
        op = UPDATES[port.operator]
        if not update_takes(op, item.element) or (item.element.is_float and op == "add"):
            self.report.add(
                "HV0301", f"`accumulate({op})` does not join elements of type {item.element}",
                note="a floating sum depends on the order" if item.element.is_float else "",
                help=f"write `{DIRECTIONS[port.direction]} shared %{port.name}` and declare the "
                     "leaf "
                "`nondeterministic`" if item.element.is_float else "")

    def _capacity(self, port: Port, item: BufferType) -> None:
        if item.capacity is None:
            return
        symbol = item.shape[0].symbol if item.shape else None
        if symbol is None or symbol not in self.definition.symbols or any(
                symbol in d.symbols() for d in (*item.shape[1:], item.capacity)):
            self.report.add("HV0603", f"the capacity of `%{port.name}` bounds a fresh symbol",
                            note=f"this is {item}", help="write `[?f <= %n]`")

    def _source(self, port: Port) -> None:
        source = self.definition.port(port.source or "")
        if port.direction != 2:
            self.report.add("HV0305", "only an `out` port starts `from` another",
                            note=f"`%{port.name}` is {DIRECTIONS[port.direction]}",
                            help="an `inout` port starts as what is passed for it")
        elif source is None or source.direction not in (1, 3):
            self.report.add("HV0305", f"`from %{port.source}` names no `in` or `inout` port",
                            help="name a buffer port of this definition")
        elif source.type is not port.type:
            self.report.add("HV0305", f"`%{port.name}` and `%{port.source}` have different types",
                            note=f"they are {port.type} and {source.type}",
                            help=f"write `out %{port.name}: {source.type} from %{port.source}`")

    def _results(self) -> None:
        definition = self.definition
        if len(definition.result_names) != len(definition.results):
            self.report.add("HV0709", "there is one name, or none, for each result")
        for type_ in definition.results:
            item = type_.item if isinstance(type_, StreamType) else type_
            scalar = isinstance(item, (ScalarType, VectorType))
            allowed = (scalar and item is type_) or (self.kind == "graph" and (
                scalar or isinstance(type_, GridType)))
            if not allowed:
                buffer = isinstance(item, BufferType)
                self.report.add("HV0709", f"a {self.kind} can't give back {type_} as a result",
                                help=f"use a port: `out %r: {type_}`" if buffer else
                                "results are scalars and vectors")
            check_extents(self.report, type_, self.report.span)

    # -- symbols -----------------------------------------------------------------------------------

    def _symbols(self) -> None:
        """Every symbol is bound; divisors are fit to be checked at a launch."""
        definition = self.definition
        ports = {p.name for p in definition.ports if p.type is ty.INDEX}
        bound, boxed = set(ports), set[str]()
        for port in definition.ports:
            alone = {d.symbol for d in _shape(port.type) if d.symbol is not None}
            (boxed if port.direction == 2 else bound).update(alone)
            if isinstance(port.type, BufferType) and port.type.capacity is not None:
                bound |= set(port.type.shape[0].symbols())
        bound |= _matched(definition)
        known = set(definition.symbols) | ports
        for type_ in [p.type for p in definition.ports] + definition.results:
            self._known(known, [n for d in ty.dims_of(type_) for n in d.symbols()], str(type_))
            for dim in ty.dims_of(type_):
                self.facts.positive |= check_divisors(self.report, dim, definition.span,
                                                      lambda s: s in known)
        for dim in definition.grid:
            self._known(known, list(dim.symbols()), f"grid extent {dim}")
            self.facts.positive |= check_divisors(self.report, dim, definition.span,
                                                  lambda s: s in known)
        for symbol in definition.symbols:
            if symbol not in bound | boxed:
                user = next((p.span for p in definition.ports
                             if any(symbol in d.symbols() for d in ty.dims_of(p.type))), None)
                self.report.add("HV0606", f"nothing binds `%{symbol}`", user, help=(
                    f"use it alone as an extent of an `in` buffer, or make it a port: `%{symbol}: "
                    "index`"))
        self.facts.from_box = frozenset(boxed - bound) & frozenset(definition.symbols)

    def _known(self, known: set[str], symbols: list[str], where: str) -> None:
        for symbol in symbols:
            if symbol not in known:
                ids = {v.name for v in self.definition.ids}
                self.report.add("HV0604", f"the instance id `%{symbol}` is not a dimension"
                                if symbol in ids else f"`%{symbol}` is not a dimension",
                                note=f"in {where}", help="a dimension is a symbol free in the "
                                                         "shapes "
                                "of ports, or a port of type index")

    def _facts(self) -> None:
        definition = self.definition
        extents = [d.constant for d in definition.grid]
        if None not in extents and self.kind == "leaf":
            self.facts.instances = prod(e for e in extents if e is not None)


def _is_value(type_: Type) -> bool:
    return isinstance(type_, (ScalarType, VectorType, BufferType))


def _shape(type_: Type) -> tuple[ty.Dim, ...]:
    item = type_.item if isinstance(type_, StreamType) else type_
    if isinstance(item, GridType):
        return item.extents
    return item.shape if isinstance(item, BufferType) else ()


def _matched(definition: Definition) -> set[str]:
    """Header symbols that a `match` at the top of a graph's body binds to the rest."""
    if definition.kind != "graph" or definition.body is None:
        return set()
    found: set[str] = set()
    for instr in definition.body.body:
        if instr.row.mnemonic == "match" and isinstance(instr.detail, tuple):
            found |= {d.symbol for d in instr.detail if isinstance(d, Dim) and d.symbol is not None}
    return found & set(definition.symbols)
