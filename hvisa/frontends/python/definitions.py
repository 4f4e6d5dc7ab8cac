"""A decorated function, and its header: parameters and annotations become ports and results."""

from __future__ import annotations

import ast
import contextlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from hvisa.diagnostics import HvisaError, Span, fail
from hvisa.frontends.python.annotations import (
    AnnotationError,
    BufferAnnotation,
    StreamAnnotation,
    scalar_of,
)
from hvisa.frontends.python.source import FunctionNode, SourceFile, refuse, source_of
from hvisa.graph.model import Attribute, Definition, Module, Port, Value
from hvisa.graph.numbering import header_dims, header_symbols
from hvisa.spec import types as ty
from hvisa.spec.operations import ALL_FAST, ATTRIBUTE_KINDS, EFFECT_CLASSES, FAST_FLAGS
from hvisa.spec.types import Type, VectorType

KINDS = ("leaf", "graph", "func")
OPTIONS = ("private", "effect", "fast", "implements", "attributes")


class StandardModules:
    """Where the declarations of library nodes come from: a module by name and version; what loads modules
    sets it."""

    find: Callable[[str, int], Module] | None = None


class PythonFunction:
    """A function of Python that is compiled: `kind` is leaf, graph or func.

    The options say what a header of the text form says: `private`, the name where it is not Python's,
    the effect class, what it implements, attributes; `fast` licenses float operations (True, or names
    of flags).
    """

    def __init__(self, kind: str, python: Callable[..., Any], *, private: bool = False,
                 name: str = "", effect: str = "exact", fast: bool | Sequence[str] = False,
                 implements: str = "", attributes: Mapping[str, Mapping[str, Any]] | None = None,
                 **unknown: Any):
        self.kind = kind
        self.python = python
        check_options(python, kind, effect, fast, implements, attributes, unknown)
        self.private = bool(private)
        self.symbol = name or python.__name__
        self.effect = EFFECT_CLASSES.index(effect)
        self.fast = _flags(fast)
        self.implements = implements
        self.attributes = tuple(
            Attribute(ATTRIBUTE_KINDS.index(kind_), name, value)
            for kind_, values in (attributes or {}).items() for name, value in values.items())
        self.__name__ = python.__name__
        self.__qualname__ = python.__qualname__
        self.__doc__ = python.__doc__
        self.__module__ = python.__module__
        self.__wrapped__ = python
        self._source: tuple[SourceFile, FunctionNode] | None = None

    @property
    def source(self) -> tuple[SourceFile, FunctionNode]:
        """File and tree. Raises HvisaError if there is no text."""
        if self._source is None:
            self._source = source_of(self.python.__code__)
        return self._source

    def namespace(self) -> dict[str, Any]:
        """Names from outside: globals and what the function closes over, builtins."""
        import builtins
        found = {**vars(builtins), **self.python.__globals__}
        for name, cell in zip(self.python.__code__.co_freevars, self.python.__closure__ or (),
                              strict=True):
            with contextlib.suppress(ValueError):  # not assigned yet
                found[name] = cell.cell_contents
        return found

    def __repr__(self) -> str:
        return f"<hvisa {self.kind} {self.__name__}>"


def check_options(python: Callable[..., Any], kind: str, effect: Any, fast: Any, implements: Any,
                  attributes: Any, unknown: Mapping[str, Any]) -> None:
    """HV1233 for an option that a decorator does not have, or a value that it can't have."""
    def listed(words: Sequence[str]) -> str:
        return ", ".join(f"\"{w}\"" for w in words)

    def wrong(name: str, message: str, help: str) -> NoReturn:
        raise fail("HV1233", message, place_of_option(python, name), help=help)
    given = {"fast": fast is not False, "implements": implements != ""}
    known = [o for o in OPTIONS if o != {"graph": "fast", "func": "implements"}.get(kind)]
    for name in [*unknown, *(n for n, there in given.items() if there)]:
        if name not in known:
            wrong(name, f"`@hvisa.{kind}` has no option `{name}`", f"it takes {', '.join(known)}")
    if not isinstance(effect, str) or effect not in EFFECT_CLASSES:
        wrong("effect", f"{effect!r} is no effect class", f"it is one of {listed(EFFECT_CLASSES)}")
    flags = () if isinstance(fast, bool) else fast if isinstance(fast, (tuple, list)) else (fast,)
    for flag in flags:
        if flag not in FAST_FLAGS:
            wrong("fast", f"{flag!r} is no flag of fast arithmetic",
                  f"`fast=True` sets all; flags are {listed(FAST_FLAGS)}, in a tuple")
    if not isinstance(implements, str):
        wrong("implements", f"{implements!r} names no operator", "write `implements=\"MatMul@13\"`")
    if attributes is None:
        return
    if not isinstance(attributes, Mapping) or not all(isinstance(v, Mapping) for v in attributes.values()):
        wrong("attributes", "attributes are a dictionary of dictionaries", "write "
              "`attributes={\"hint\": {\"unroll\": 4}}`")
    for word, values in attributes.items():
        if word not in ATTRIBUTE_KINDS:
            wrong("attributes", f"{word!r} is no kind of attribute", f"kinds are {listed(ATTRIBUTE_KINDS)}")
        for name, value in values.items():
            if not isinstance(name, str) or not isinstance(value, (bool, int, float, str)):
                wrong("attributes", f"the attribute {name!r} has the value {value!r}",
                      "names are texts; values are numbers, truth values and texts")


def place_of_option(python: Callable[..., Any], name: str) -> Span | None:
    """Where the decorator of a function gives an option."""
    try:
        file, node = source_of(python.__code__)
    except HvisaError:
        return None
    for decorator in node.decorator_list:
        for keyword in decorator.keywords if isinstance(decorator, ast.Call) else ():
            if keyword.arg == name:
                return file.span(keyword)
    return file.span(node)


def _flags(fast: bool | Sequence[str]) -> int:
    if isinstance(fast, bool):
        return ALL_FAST if fast else 0
    words = (fast,) if isinstance(fast, str) else fast
    return sum({1 << FAST_FLAGS.index(word) for word in words})


class Header:
    """Reads the header of one function into a definition."""

    def __init__(self, function: PythonFunction):
        self.function = function
        self.file, self.node = function.source
        self.namespace = function.namespace()

    def refuse(self, node: ast.AST, code: str, message: str, help: str = "") -> Any:
        refuse(self.file, node, code, message, help)

    def arguments(self) -> list[ast.arg]:
        """The parameters, all of one kind."""
        found = self.node.args
        for unusual, text in ((found.vararg, "*"), (found.kwarg, "**")):
            if unusual is not None:
                self.refuse(unusual, "HV1203", f"`{text}{unusual.arg}` is no port",
                            "name each parameter")
        for value in [*found.defaults, *(d for d in found.kw_defaults if d is not None)]:
            self.refuse(value, "HV1203", "a port has no default value",
                        "use a constant of the module, or pass the value")
        return [*found.posonlyargs, *found.args, *found.kwonlyargs]

    def annotation(self, node: ast.expr, owner: ast.AST) -> Any:
        """What an annotation stands for. Python has evaluated it where it stands, unless it is a text:
        there it may name what the function itself does not close over."""
        name = owner.arg if isinstance(owner, ast.arg) else "return"
        with contextlib.suppress(Exception):  # texts of Python 3.14 are evaluated late
            known = self.function.python.__annotations__.get(name, "")
            if not isinstance(known, str):
                return known
        inner = node
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                inner = ast.parse(node.value.strip(), mode="eval").body
            except SyntaxError:
                self.refuse(node, "HV1217", f"the annotation {node.value!r} can't be read")
        try:
            code = compile(ast.fix_missing_locations(ast.Expression(inner)), "<annotation>", "eval")
            return eval(code, self.namespace)
        except AnnotationError as error:
            return self.refuse(node, error.code, error.message, error.help)
        except NameError as error:
            return self.refuse(node, "HV1217", f"the annotation names something unknown: {error}",
                               "import it: `from hvisa import In, Out, InOut, f32`")
        except Exception as error:
            return self.refuse(node, "HV1217", f"the annotation can't be evaluated: {error}",
                               "for example `x: In[f32, \"n\"]` or `a: f32`")

    def port(self, argument: ast.arg, given: Type | None = None) -> Port:
        """A parameter as a port. `given` is the type of what a `func` without annotations gets."""
        if argument.annotation is None:
            if given is None:
                self.refuse(argument, "HV1217", f"`{argument.arg}` has no type",
                            f"write `{argument.arg}: f32` for a number, `{argument.arg}: "
                            "In[f32, \"n\"]` for a buffer that is read, `Out[...]` or `InOut[...]` "
                            "for one that is written")
            return self._plain(argument, given)
        found = self.annotation(argument.annotation, argument)
        if isinstance(found, BufferAnnotation):
            port = self._plain(argument, found.type)
            port.direction, port.mode, port.operator = found.direction, found.mode, found.operator
            port.strided, port.source = found.strided, found.source
            return port
        if isinstance(found, StreamAnnotation):
            return self._plain(argument, found.type)
        type_ = self._number_type(found)
        if type_ is None:
            self.refuse(argument.annotation, "HV1217", f"{_shown(found)} is no type of a port",
                        "a number is `f32`, `i32`, ...; a buffer `In[f32, \"n\"]`, `Out[...]` or "
                        "`InOut[...]`")
        return self._plain(argument, type_)

    def _plain(self, argument: ast.arg, type_: Any) -> Port:
        port = Port(Value(argument.arg, type_), span=self.file.span(argument))
        if isinstance(type_.item if isinstance(type_, ty.StreamType) else type_, ty.BufferType):
            port.direction = 1
        return port

    @staticmethod
    def _number_type(found: Any) -> Type | None:
        return found if isinstance(found, VectorType) else scalar_of(found)

    def results(self) -> list[Any] | None:
        """What stands behind `->`: types and annotations, None if nothing does."""
        node = self.node.returns
        if node is None:
            return None
        found = self.annotation(node, self.node)
        if found is None or found is type(None):
            return []
        parts = getattr(found, "__args__", None) if getattr(found, "__origin__", None) is tuple \
            else found if isinstance(found, tuple) else (found,)
        out: list[Any] = []
        for part in parts or ():
            if isinstance(part, (BufferAnnotation, StreamAnnotation)):
                out.append(part)
                continue
            type_ = self._number_type(part)
            if type_ is None:
                self.refuse(node, "HV1217", f"{_shown(part)} is no type of a result",
                            "for example `-> f32` or `-> tuple[f32, index]`")
            out.append(type_)
        return out


def set_symbols(definition: Definition) -> None:
    """The header's symbols: what shapes name and no port is."""
    ports = {p.name for p in definition.ports} | {v.name for v in definition.ids}
    named = [*header_symbols(definition), *(n for d in header_dims(definition) for n in d.symbols())]
    for name in dict.fromkeys(named):
        if name not in ports and name not in definition.symbols:
            definition.symbols[name] = Value(name, ty.INDEX)
    order = [n for n in dict.fromkeys(named) if n in definition.symbols]
    definition.symbols = {n: definition.symbols[n] for n in order}


def check_sizes(header: Header, definition: Definition) -> None:
    """A size of a shape is a name of its own, or a parameter of type `index`."""
    others = {p.name for p in definition.ports if p.type is not ty.INDEX}
    for argument, port in zip(header.arguments(), definition.ports, strict=True):
        for dim in ty.dims_of(port.type):
            for name in dim.symbols():
                if name in others:
                    header.refuse(argument.annotation or argument, "HV1217",
                                  f"`{name}` is a size here, and "
                                  "a parameter too", "give one of them another name, or make the parameter "
                                  f"a number: `{name}: index`")


def _shown(found: Any) -> str:
    if isinstance(found, type) or inspect.isfunction(found):
        return f"`{found.__name__}`"
    return f"`{found!r}`"
