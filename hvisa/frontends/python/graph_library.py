"""Calls of library nodes in a graph: scans, sorting, histograms, compaction."""

from __future__ import annotations

import ast
from typing import Any

from hvisa.frontends.python.arrays import Emitter, Index, Lazy, Wire
from hvisa.frontends.python.definitions import StandardModules
from hvisa.frontends.python.graph_arrays import GraphArrays
from hvisa.frontends.python.names import MATH_VERSION
from hvisa.frontends.python.values import Array, Const, Items, Number
from hvisa.graph.copying import copy_definition
from hvisa.graph.model import Argument, Definition, Operand, Output
from hvisa.spec import numerics, types as ty
from hvisa.spec.families import FAMILIES, SCANS
from hvisa.spec.types import ScalarType

# What a type that a family lacks is computed in.
_WIDER = {ty.I8: ty.I64, ty.I16: ty.I64, ty.U8: ty.U64, ty.U16: ty.U64, ty.I1: ty.I64, ty.INDEX: ty.I64,
          ty.F16: ty.F32, ty.BF16: ty.F32}
_KINDS = (None, "stable", "mergesort", "quicksort", "heapsort")


class GraphLibrary(GraphArrays):
    """One method for each library node; the declarations are copied from the library."""

    def _call_scan(self, node: ast.Call) -> Any:
        self._count(node, "scan", 2)
        op, given = self.expression(node.args[0]), self._option(node, "exclusive")
        exclusive = Const(False) if given is None else self.expression(given)
        if not isinstance(op, Const) or op.value not in SCANS:
            self.refuse(node.args[0], "HV1211", "`scan` takes its operator first",
                        f"one of {', '.join(SCANS)}, as a text: `hvisa.scan(\"add\", x)`")
        if not isinstance(exclusive, Const) or type(exclusive.value) is not bool:
            self.refuse(given or node, "HV1211", "`exclusive` is True or False")
        return self._scanned(node, op.value, node.args[1], exclusive.value)

    def _call_cumsum(self, node: ast.Call) -> Any:
        self._count(node, "cumsum", 1)
        self._plain_order(node)
        return self._scanned(node, "add", node.args[0], False, True)

    def _call_cumprod(self, node: ast.Call) -> Any:
        self._count(node, "cumprod", 1)
        self._plain_order(node)
        return self._scanned(node, "mul", node.args[0], False, True)

    def _scanned(self, node: ast.Call, op: str, given: ast.expr, exclusive: bool,
                 counted: bool = False) -> Any:
        """A scan in the array's own type; narrow ones by way of a wide one. Sums and products as numpy
        has them are `counted` in 64 bits."""
        array, type_ = self._row(node, given, "scan")
        inner = _WIDER.get(type_, type_)
        if counted and inner in (ty.I32, ty.U32):
            inner = ty.I64 if inner is ty.I32 else ty.U64
        keep = inner if counted and not type_.is_float else ty.I64 if type_ is ty.INDEX else type_
        found: Any = self._library(node, "scan", f"scan_{op}" + "_exclusive" * exclusive, inner,
                                   self._as(node, array, inner))[0]
        if exclusive and op in ("min", "max") and inner is not keep and not keep.is_float:
            # What stands first is the wide type's limit.
            for join in ("max", "min"):
                found = self.function(node, join, [found, Const(int(numerics.identity(join, keep)))])
        return found if inner is keep else self.converted(node, keep, found)

    def _call_sort(self, node: ast.Call) -> Any:
        self._count(node, "sort", 1)
        self._plain_order(node)
        array, type_ = self._sortable(node, node.args[0], "sort")
        return self._library(node, "sort", "sort", type_, array)[0]

    def _call_argsort(self, node: ast.Call) -> Any:
        self._count(node, "argsort", 1)
        self._plain_order(node)
        array, type_ = self._sortable(node, node.args[0], "argsort")
        return self._library(node, "sort", "argsort", type_, array)[0]

    def _call_sort_pairs(self, node: ast.Call) -> Any:
        """Keys and what belongs to them, of any type: fetched from where `argsort` says."""
        self._count(node, "sort_pairs", 2)
        array, type_ = self._sortable(node, node.args[0], "sort_pairs")
        values, _ = self._row(node, node.args[1], "sort_pairs")
        if not self.inference.same(self.lazy(node, array).shape[0], values.shape[0]):
            self.refuse(node, "HV1225", "keys and values have different lengths", "if they are equal, say "
                        "so: `hvisa.match(keys.shape[0], values.shape[0])`")
        places = self._library(node, "sort", "argsort", type_, array)[0]
        return Items([self._fetched(node, self.lazy(node, v), places) for v in (array, values)])

    def _call_take(self, node: ast.Call) -> Any:
        self._count(node, "take", 2)
        source, _ = self._row(node, node.args[0], "take")
        return self._fetched(node, source, self.expression(node.args[1]))

    def _fetched(self, node: ast.AST, source: Lazy, places: Any) -> Lazy:
        """The elements at some places; one outside is a trap."""
        source, found = self.materialised(source), self.lazy(node, places)
        if self.type_of(found).is_float or self.type_of(found) is ty.I1:
            self.refuse(node, "HV1204", f"places are whole numbers, and these are {self.type_of(found)}",
                        "convert them: `i64(p)`")

        def emit(emitter: Emitter, index: Index) -> Number:
            place = emitter.convert(node, emitter.at(found, index), ty.INDEX, explicit=True)
            return emitter.at(source, [place])
        return Lazy(node, found.shape, emit, [source, found], source.cost + found.cost + 2)

    def _call_compact(self, node: ast.Call) -> Any:
        self._count(node, "compact", 2)
        return self._compacted(node, *node.args)

    def _call_compress(self, node: ast.Call) -> Any:
        self._count(node, "compress", 2)
        return self._compacted(node, node.args[1], node.args[0])

    def _compacted(self, node: ast.expr, given: ast.expr, condition: ast.expr) -> Any:
        array, type_ = self._row(node, given, "compact")
        type_ = ty.I64 if type_ is ty.INDEX else type_
        return self._library(node, "compact", "compact", type_, self._as(node, array, type_),
                             self._condition(node, condition, "compact"))[0]

    def _call_flatnonzero(self, node: ast.Call) -> Any:
        self._count(node, "flatnonzero", 1)
        keep = self._condition(node, node.args[0], "flatnonzero")
        return self._library(node, "compact", "nonzero", ty.I1, keep)[0]

    def _call_bincount(self, node: ast.Call) -> Any:
        self._count(node, "bincount", 2)
        array, type_ = self._row(node, node.args[0], "bincount")
        if type_.is_float:
            self.refuse(node.args[0], "HV1204", f"`bincount` counts whole numbers, and this is {type_}",
                        "use `hvisa.histogram(x, bins, low, high)`, or convert it: `i32(x)`")
        inner = type_ if type_ in FAMILIES["histogram"].types else ty.I64
        bins = self._bins(node.args[1])
        return self._library(node, "histogram", "bincount", inner, self._as(node, array, inner), bins)[0]

    def _call_histogram(self, node: ast.Call) -> Any:
        self._count(node, "histogram", 4)
        array, type_ = self._row(node, node.args[0], "histogram")
        inner = _WIDER[type_] if type_ in (ty.F16, ty.BF16) else type_ if type_.is_float else ty.F64
        bins = self._bins(node.args[1])
        ends = [self.wire(a, self.expression(a), inner, "end") for a in node.args[2:]]
        return self._library(node, "histogram", "histogram", inner, self._as(node, array, inner), *ends,
                             bins)[0]

    def chosen(self, node: ast.Subscript, owner: Any) -> Any:
        """`x[x > 0]` and `x[places]`; None if the brackets hold no array, or the arrays have more axes."""
        if isinstance(node.slice, (ast.Slice, ast.Tuple, ast.Constant, ast.UnaryOp)) \
                or not isinstance(owner, (Wire, Lazy, Array)):
            return None
        given = self.expression(node.slice)
        if not isinstance(given, (Wire, Lazy, Array)):
            return None
        place, source = self.lazy(node.slice, given), self.lazy(node.value, owner)
        if len(place.shape) != 1 or len(source.shape) != 1:
            return None
        return self._compacted(node, node.value, node.slice) if self.type_of(place) is ty.I1 \
            else self._fetched(node, source, place)

    def _bins(self, given: ast.expr) -> Wire:
        value = self.expression(given)
        if isinstance(value, Const) and type(value.value) is not int:
            self.refuse(given, "HV1204", "the number of classes is a whole number", "for example 256")
        return self.wire(given, value, ty.INDEX, "bins")

    # -- arguments -----------------------------------------------------------------------------

    def _plain_order(self, node: ast.Call) -> None:
        """`axis` names the only axis; `kind` is one of numpy's, all of which a stable sort is."""
        kind = self._option(node, "kind")
        wanted = None if kind is None else self.expression(kind)
        if wanted is not None and not (isinstance(wanted, Const) and wanted.value in _KINDS):
            self.refuse(kind or node, "HV1211", "this is no kind of sort", "leave `kind` out: it is stable")
        given = self._option(node, "axis")
        axis = Const(-1) if given is None else self.expression(given)
        if not isinstance(axis, Const) or axis.value not in (0, -1, None):
            self.refuse(given or node, "HV1212", "these arrays have one axis", "leave `axis` out")

    def _row(self, node: ast.AST, given: ast.expr, name: str) -> tuple[Any, ScalarType]:
        """An array of one axis, and its element type."""
        lazy = self.lazy(given, self.expression(given))
        if len(lazy.shape) != 1:
            self.refuse(given, "HV1204", f"`{name}` takes an array of one axis, and this "
                        + (f"has {len(lazy.shape)}" if lazy.shape else "is a number"),
                        "launch it once for each row" if lazy.shape else f"pass `{name}` a buffer")
        return lazy, self.type_of(lazy)

    def _sortable(self, node: ast.Call, given: ast.expr, name: str) -> tuple[Wire, ScalarType]:
        array, type_ = self._row(node, given, name)
        inner = ty.I64 if type_ is ty.INDEX else type_
        if inner not in FAMILIES["sort"].types:
            self.refuse(given, "HV1204", f"`{name}` takes numbers, and this is {type_}",
                        "convert it: `u8(x)`")
        return self._as(node, array, inner), inner

    def _condition(self, node: ast.AST, given: ast.expr, name: str) -> Wire:
        keep, type_ = self._row(node, given, name)
        if type_ is not ty.I1:
            self.refuse(given, "HV1204", f"a condition is an array of i1, and this is one of {type_}",
                        "compare it: `x != 0`")
        return self.wire(given, keep)

    def _as(self, node: ast.AST, array: Any, type_: ScalarType) -> Wire:
        """A buffer of this element type."""
        own = self.type_of(array)
        return self.wire(node, array if own is type_ else self.converted(node, type_, array))

    # -- the library ---------------------------------------------------------------------------

    def _library(self, node: ast.AST, family: str, name: str, type_: ScalarType,
                 *given: Wire) -> list[Wire]:
        """The results of a library node."""
        callee = self._imported(node, f"{family}.{type_}", f"{name}.{type_}")
        operands: list[Operand] = [w.operand for w in given]
        return self.launch_all(node, callee, operands, [Argument() for _ in operands],
                               [Output() for _ in (*callee.written, *callee.results)], name)

    def _imported(self, node: ast.AST, source: str, name: str) -> Definition:
        """The import of a library node."""
        module = self.compiler.module
        known = module.definitions.get(name)
        if known is not None and known.source_module == source:
            return known
        if known is not None:
            self.refuse(node, "HV0103", f"`{name}` is a node of the library, and one of this module too",
                        "give yours another name")
        assert StandardModules.find is not None, "set by `hvisa`"
        found = StandardModules.find(source, MATH_VERSION).definitions[name]
        made = copy_definition(found, name, {})
        made.body, made.source_module, made.public, made.span = None, source, False, None
        module.definitions[name] = made
        module.math_version = MATH_VERSION
        return made

