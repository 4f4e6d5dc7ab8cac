"""From decorated functions to one module, which is verified like any other."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from hvisa.diagnostics import Diagnostic, HvisaError, plural
from hvisa.frontends.python.annotations import AnnotationError, dimension, scalar_of
from hvisa.frontends.python.builder import Builder, constant_dim
from hvisa.frontends.python.calls import Calls
from hvisa.frontends.python.definitions import Header, PythonFunction
from hvisa.frontends.python.leaves import compile_function, compile_leaf
from hvisa.frontends.python.library_calls import LIBRARY_NAMES, library_call
from hvisa.frontends.python.names import LibraryFunction, aliases
from hvisa.frontends.python.values import (
    Array,
    Const,
    Expr,
    Items,
    Known,
    Run,
    known_text,
    type_text,
)
from hvisa.frontends.python.wording import all_in_python, plain
from hvisa.graph.model import Definition, Function, GlobalConstant, GlobalRef, Module
from hvisa.graph.numbering import number_module
from hvisa.spec import types as ty
from hvisa.spec.dimensions import Dim
from hvisa.spec.limits import LIMITS
from hvisa.spec.types import BufferType, ScalarType, Type, VectorType

MOST_CONSTANT_BYTES = 1 << 24
MOST_ITEMS = 1 << 12  # of a tuple from outside


def compile_module(functions: Sequence[PythonFunction], name: str = "") -> Module:
    """The module of some functions and all that they use, verified.

    Raises HvisaError with the first mistake of each function, or what the verifier finds.
    """
    from hvisa.graph.verifier import verify
    module = build_module(functions, name)
    try:
        verify(module)
    except HvisaError as error:
        raise HvisaError(all_in_python(error.diagnostics, module)) from None
    return module


def build_module(functions: Sequence[PythonFunction], name: str = "") -> Module:
    """The same, not verified yet."""
    compiler = Compiler(name)
    errors: list[Diagnostic] = []
    for function in functions:
        try:
            if function.kind == "func":
                if compiler.has_types(function):
                    compiler.function(function, None)
            else:
                compiler.node(function)
        except HvisaError as error:
            errors += [d for d in error.diagnostics if str(d) not in map(str, errors)]
        except RecursionError:
            header = compiler.header(function)
            errors.append(Diagnostic("HV1226", f"`{function.__name__}` has an expression or blocks too "
                                     "deep to be compiled", header.file.span(header.node),
                                     help="compute parts of it in variables or functions of their own"))
    if errors:
        raise HvisaError(errors)
    number_module(compiler.module)
    return compiler.module


def _reserved(function: PythonFunction) -> frozenset[str]:
    """The names that a function can't have; the library itself is compiled under its own."""
    own = function.symbol != function.__name__ or (
        not function.private and str(function.__module__).startswith("hvisa.library."))
    return frozenset() if own else LIBRARY_NAMES


class Compiler:
    """The module under construction."""

    def __init__(self, name: str = ""):
        self.module = Module(name)
        self._names: dict[tuple[Any, ...], str] = {}
        self._open: list[PythonFunction] = []
        self._headers: dict[int, Header] = {}
        self._constants: dict[int, tuple[Any, str]] = {}
        self._aliases = aliases()

    # -- definitions ---------------------------------------------------------------------------

    @property
    def in_progress(self) -> list[PythonFunction]:
        """The functions that are being compiled, outermost first."""
        return self._open

    def header(self, function: PythonFunction) -> Header:
        found = self._headers.get(id(function))
        if found is None:
            found = self._headers[id(function)] = Header(function)
        return found

    def has_types(self, function: PythonFunction) -> bool:
        """Whether each parameter is annotated, so that a `func` can be compiled by itself."""
        return all(a.annotation is not None for a in self.header(function).arguments())

    def free_name(self, name: str, reserved: frozenset[str] = LIBRARY_NAMES) -> str:
        """A name that no definition or constant has, nor a function of the mathematics: those are
        imported by their own names."""
        places = (reserved, self.module.definitions, self.module.constants, self._names.values())
        number, found = 0, name
        while any(found in names for names in places):
            number, found = number + 1, f"{name}.{number + 1}"
        return found

    def node(self, function: PythonFunction) -> Definition:
        """The leaf or graph of a function."""
        key = (id(function),)
        if key not in self._names:
            header = self.header(function)
            self._names[key] = self.free_name(function.symbol, _reserved(function))
            self._enter(function, header)
            try:
                if function.kind == "leaf":
                    made = compile_leaf(self, function, header, self._names[key])
                else:
                    from hvisa.frontends.python.graphs import compile_graph
                    made = compile_graph(self, function, header, self._names[key])
                self.module.definitions[made.name] = made
            except BaseException:
                del self._names[key]
                raise
            finally:
                self._open.pop()
        return self.module.definitions[self._names[key]]

    def function(self, function: PythonFunction, types: tuple[Type, ...] | None) -> Function:
        """The function for arguments of these types; None if its annotations say them all."""
        header = self.header(function)
        key = (id(function), *(types or ())) if not self.has_types(function) else (id(function),)
        if key not in self._names:
            suffix = "" if len(key) == 1 else "." + ".".join(
                str(t.element) if isinstance(t, (BufferType, VectorType)) else str(t) for t in types or ())
            self._names[key] = self.free_name(function.symbol + suffix, _reserved(function))
            self._enter(function, header)
            try:
                made = compile_function(self, function, header, self._names[key], types)
                self.module.definitions[made.name] = made
            except BaseException:
                del self._names[key]
                raise
            finally:
                self._open.pop()
        found = self.module.definitions[self._names[key]]
        assert isinstance(found, Function)
        return found

    def _enter(self, function: PythonFunction, header: Header) -> None:
        if len(self._open) >= LIMITS["call_depth"].value:
            header.refuse(header.node, "HV1218", "functions call each other too deep")
        self._open.append(function)

    # -- what a body names ---------------------------------------------------------------------

    def wrap(self, builder: Builder, node: ast.AST, found: Any) -> Expr:
        """A Python object from outside as a value of the body."""
        import numpy as np
        if found is None or (isinstance(found, (bool, int, float, str, complex)) \
                and not isinstance(found, np.generic)):
            return Const(found)
        if isinstance(found, Dim):
            missing = [s for s in found.symbols() if s not in builder.definition.symbols
                       and builder.definition.port(s) is None]
            if missing:
                builder.refuse(node, "HV1202", f"`{missing[0]}` is no dimension of "
                               f"`{builder.definition.name}`", "name it in the shape of a port")
            return builder.dim_run(found)
        if isinstance(found, np.generic):
            type_ = scalar_of(type(found))
            if type_ is not None:
                run = builder.convert(node, Const(found.item()), type_, explicit=True)
                return Run(run.operand, type_, nonneg=run.nonneg)
        if isinstance(found, np.ndarray):
            return self._array(builder, node, found)
        if isinstance(found, (tuple, list, range)):
            if len(found) > MOST_ITEMS:
                builder.refuse(node, "HV1219",
                               f"a {type(found).__name__} of {len(found)} items is too large",
                               "make it a numpy array, which becomes a constant of the module")
            return Items([self.wrap(builder, node, v) for v in found])
        known = self._aliases.get(id(found))
        return Known(found if known is None else known)

    def _array(self, builder: Builder, node: ast.AST, found: Any) -> Array:
        """A numpy array from outside: a constant of the module."""
        type_ = scalar_of(found.dtype.type)
        if type_ is None:
            builder.refuse(node, "HV1219", f"an array of {found.dtype} can't be a constant",
                           "use one of numpy's number types")
        if found.nbytes > MOST_CONSTANT_BYTES:
            builder.refuse(node, "HV1219", f"a constant of {found.nbytes} bytes is too large",
                           "pass it as an `In` port")
        import numpy as np
        known = self._constants.get(id(found))
        name = node.id if isinstance(node, ast.Name) else "constant"
        if known is None:
            name = self.free_name(name)
            buffer = ty.buffer(type_, tuple(map(dimension, found.shape)))
            data = np.ascontiguousarray(found, dtype=found.dtype.newbyteorder("<"))
            if type_ is ty.BF16:
                data = data.view(np.uint16)
            self.module.constants[name] = GlobalConstant(name, buffer, data.reshape(found.shape).copy(),
                                                         builder.file.span(node))
            known = self._constants[id(found)] = (found, name)
        constant = self.module.constants[known[1]]
        assert isinstance(constant.type, BufferType)
        return Array(known[1], GlobalRef(known[1], constant.type), constant.type, "in")

    # -- calls ---------------------------------------------------------------------------------

    def call(self, builder: Calls, node: ast.Call, found: Any) -> Expr:
        """A call of a decorated function from a leaf or a function."""
        if not isinstance(found, PythonFunction):
            self._refuse_call(builder, node, found)
        if found.kind != "func":
            builder.refuse(node, "HV1203", f"`{found.__name__}` is a {found.kind}: it is launched over a "
                           "grid, not called", "call it in a `@hvisa.graph`, or make it a `@hvisa.func`")
        if found in self._open:
            builder.refuse(node, "HV1218", f"`{found.__name__}` calls itself",
                           "write a loop; kernels have no stack")
        header = self.header(found)
        arguments = header.arguments()
        passed = self._by_position(builder, node, found, [a.arg for a in arguments])
        typed = self.has_types(found)
        callee = self.function(found, None if typed else tuple(
            self._own_type(builder, at, header, a, v)
            for a, (at, v) in zip(arguments, passed, strict=True)))
        operands: list[Any] = []
        for port, (at, value) in zip(callee.ports, passed, strict=True):
            if isinstance(port.type, BufferType):
                if not isinstance(value, Array):
                    builder.refuse(at, "HV1204", f"`{port.name}` of `{found.__name__}` is a buffer, and "
                                   f"this is {type_text(value)}", "pass a buffer without indices")
                if value.type.element is not port.type.element or value.type.rank != port.type.rank:
                    builder.refuse(at, "HV1204", f"`{port.name}` of `{found.__name__}` takes "
                                   f"{plain(str(port.type))}, and this is {type_text(value)}",
                                   "pass a buffer of that type; a parameter without annotation takes any")
                operands.append(value.operand)
                continue
            assert isinstance(port.type, (ScalarType, VectorType))
            number = builder.number(at, value, f"a number for `{port.name}`")
            operands.append(builder.operand(at, number, port.type))
        instr = builder.emit(node, "call", operands, results=callee.results)
        instr.callee = callee.name
        results: list[Expr] = []
        for result in instr.results:
            assert isinstance(result.type, (ScalarType, VectorType))
            results.append(Run(result, result.type, weak=result.type is ty.INDEX))
        return Const(None) if not results else results[0] if len(results) == 1 else Items(results)

    @staticmethod
    def _by_position(builder: Calls, node: ast.Call, found: PythonFunction,
                     names: list[str]) -> list[tuple[ast.AST, Expr]]:
        """The arguments in the order of the parameters, with their places."""
        listed = f"its parameters are {', '.join(names)}" if names else "it has no parameters"
        values: dict[str, tuple[ast.AST, Expr]] = {
            n: (a, builder.expression(a)) for n, a in zip(names, node.args, strict=False)}
        for keyword in node.keywords:
            if keyword.arg is None:
                builder.refuse(keyword, "HV1203", "`**` in a call is not supported",
                               "write the arguments out")
            if keyword.arg not in names or keyword.arg in values:
                builder.refuse(keyword, "HV1211", f"`{found.__name__}` takes no `{keyword.arg}`"
                               + (" here: it is given already" if keyword.arg in values else ""), listed)
            values[keyword.arg] = keyword.value, builder.expression(keyword.value)
        if len(node.args) > len(names) or len(values) < len(names):
            builder.refuse(node, "HV1211", f"`{found.__name__}` takes {plural(len(names), 'argument')}, "
                           f"{len(node.args) + len(node.keywords)} given", listed)
        return [values[n] for n in names]

    def _own_type(self, builder: Calls, node: ast.AST, header: Header, argument: ast.arg,
                  value: Expr) -> Type:
        """The type that a parameter without annotation gets from what is passed."""
        if argument.annotation is not None:
            return header.port(argument).type
        if isinstance(value, Array):
            return ty.buffer(value.type.element, tuple(dimension(f"{argument.arg}_{axis}")
                                                       for axis in range(value.type.rank)))
        return builder.concrete(node, builder.number(node, value)).type

    def _refuse_call(self, builder: Calls, node: ast.Call, found: Any) -> Any:
        name = known_text(found).partition("`")[2].rstrip("`")
        if isinstance(found, type) and "complex" in name:
            builder.refuse(node, "HV1210", "complex numbers are not a type of hvisa", "keep real and "
                           "imaginary parts in two variables or buffers (structure of arrays)")
        if isinstance(found, type):
            builder.refuse(node, "HV1203", f"`{name}` makes an object, and kernels have none",
                           "keep its fields in variables or buffers (structure of arrays)")
        try:
            module = str(getattr(found, "__module__", ""))
        except Exception:  # an object may answer with anything
            module = ""
        if module.split(".")[0] in ("numpy", "math", "builtins") or found.__class__.__name__ == "ufunc":
            builder.refuse(node, "HV1203", f"`{name}` is not known in a kernel",
                           "use the operations of hvisa (`dir(hvisa)`), or write it out")
        builder.refuse(node, "HV1203", f"`{name}` is not compiled by hvisa",
                       "decorate it with `@hvisa.func` to call it here")

    def library(self, builder: Calls, node: ast.AST, found: LibraryFunction, values: list[Expr]) -> Expr:
        """A call of the standard mathematics."""
        return library_call(self.module, builder, node, found, values)

    def buffer_type(self, builder: Calls, node: ast.Call, name: str) -> BufferType:
        """The type that `local(f32, 16)`, `scratch(...)` or `zeros(...)` names."""
        first, *rest = (builder.expression(a) for a in node.args)
        element = scalar_of(first.object) if isinstance(first, Known) else None
        if element is None:
            builder.refuse(node.args[0], "HV1211", f"`{name}` takes an element type first",
                           f"for example `hvisa.{name}(f32, 16)`")
        shape: list[Dim] = []
        for part, value in zip(node.args[1:], rest, strict=True):
            shape.append(self.dimension(builder, part, value))
        return ty.buffer(element, tuple(shape))

    def dimension(self, builder: Builder, node: ast.AST, value: Expr, signed: bool = False) -> Dim:
        """A value as a dimension: a number, a symbol, a text or an expression over them. A bound of a
        loop may be negative: `signed`."""
        try:
            found = dimension(value.value) if isinstance(value, Const) and not (
                signed and type(value.value) is int) else constant_dim(value)
        except AnnotationError as error:
            builder.refuse(node, "HV1221", error.message, error.help)
        if found is None:
            builder.refuse(node, "HV1221", f"a size is known at launch, and this is {type_text(value)}",
                           "sizes are built of numbers, symbols of shapes and parameters of type `index`")
        return found
