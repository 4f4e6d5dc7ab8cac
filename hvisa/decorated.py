"""Decorated Python functions: `leaf`, `graph`, `func`. What they make is compiled on first use."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

from hvisa.diagnostics import fail
from hvisa.frontends.python.definitions import PythonFunction

if TYPE_CHECKING:
    from hvisa.graph.model import Module
    from hvisa.program import Entry, Program

Decorator = Callable[[Callable[..., Any]], "Compiled"]


class Compiled(PythonFunction):
    """A decorated function: a module like any other, called at once on numpy arrays.

    It is called as the node that it makes: with the values of its `in` and `inout` ports and its
    numbers, `out` ports come back. `python` is the function as Python has it.
    """

    def __init__(self, kind: str, python: Callable[..., Any], **options: Any):
        super().__init__(kind, python, **options)
        self._lock = threading.RLock()
        self._program: Program | None = None
        self._entry: Entry | None = None

    @property
    def program(self) -> Program:
        """The module of this function and all that it uses, ready to run. Raises HvisaError with the
        mistakes in them."""
        with self._lock:
            if self._program is None:
                from hvisa.frontends.python.compiler import compile_module
                from hvisa.program import Program
                self._program = Program.from_module(compile_module([self], self.__name__))
            return self._program

    @property
    def module(self) -> Module:
        """The module, verified. It may not be changed."""
        return self.program.module

    @property
    def text(self) -> str:
        """The module as `.hvasm`."""
        from hvisa.assembler.printer import print_module
        return print_module(self.module)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the module as bytecode (`.hvbc`) or text (`.hvasm`)."""
        self.program.save(path)

    def graph(self) -> Picture:
        """A picture of the module; notebooks show it, `.save("x.svg")` writes it."""
        from hvisa.graph.drawing import draw
        return Picture(draw(self.module))

    @property
    def entry(self) -> Entry:
        """The node as an entry, for `run` and the signature."""
        if self._entry is None:
            if self.kind == "func":
                raise fail("HV1223", f"`{self.__name__}` is a function that leaves call, not a node",
                           help="decorate a node with `@hvisa.leaf` or `@hvisa.graph` and call that; "
                           f"`{self.__name__}.python(...)` is the plain Python function")
            self._entry = self.program.entry(self.__name__)
        return self._entry

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Launch the node: `saxpy(2.0, x, y)`; options as for `Entry`."""
        return (self._entry or self.entry)(*arguments, **named)

    def emulate(self, *arguments: Any, **named: Any) -> Any:
        """What a call of the leaf gives, by running its Python body once for each instance.

        Takes what a call takes, but options other than `out=` and `copy=`. Nothing is translated, so
        a debugger's breakpoints stop in the body, where ids are ints, numbers numpy scalars, and
        buffers show their elements: `x`, `x.array`. Slow, and as exact as a call where Python has the
        types of the leaf; `hvisa.frontends.python.emulation` says where it has not. Raises HvisaTrap
        with the instance.
        """
        from hvisa.frontends.python.emulation import run_leaf
        from hvisa.graph.model import LeafNode
        from hvisa.program import _by_name
        from hvisa.runtime.arguments import bind
        from hvisa.runtime.host_values import scalar_value
        signature = self.entry.signature
        leaf = self.module.definitions[signature.entry]
        if not isinstance(leaf, LeafNode):
            raise fail("HV1203", f"`{self.__name__}` is a graph, and only leaves run under plain Python",
                       help="emulate the leaves that it launches")
        passed = _by_name(signature.entry, [p.name for p in signature.taken], arguments, named)
        options = {n: passed.pop(n) for n in ("out", "copy") if n in passed}
        bound = bind(signature, passed, options.get("out"), options.get("copy", False))
        values = {p.name: scalar_value(bound.values[p.name], p) if p.kind == "scalar"
                  else bound.values[p.name] for p in signature.ports}
        made = run_leaf(self, leaf, values, bound.symbols)
        for name, array in made.written.items():
            bound.values[name][...] = array
        found = bound.publish(made.counts) + [
            a.view(bound.bfloat16) if r.element.name == "bf16" and bound.bfloat16 is not None else a
            for a, r in zip(made.results, signature.results, strict=True)]
        found = [a if getattr(a, "ndim", 0) else a[()] for a in found]
        if len(found) < 2:
            return found[0] if found else None
        return signature.returned_type(*found)


class Picture:
    """An SVG text that notebooks show inline."""

    def __init__(self, svg: str):
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | os.PathLike[str]) -> None:
        from hvisa.files import write_whole
        write_whole(os.fspath(path), self.svg.encode())

    def __str__(self) -> str:
        return self.svg


def _decorator(kind: str, python: Callable[..., Any] | None, options: dict[str, Any]) -> Any:
    if python is None:
        return lambda function: Compiled(kind, function, **options)
    if isinstance(python, PythonFunction) or not hasattr(python, "__code__"):
        raise fail("HV1224", f"`@hvisa.{kind}` decorates a function, and this is {python!r}",
                   help="write it right above a `def`")
    return Compiled(kind, python, **options)


@overload
def leaf(python: Callable[..., Any], /) -> Compiled: ...
@overload
def leaf(python: None = None, /, *, private: bool = ..., effect: str = ...,
         fast: bool | Sequence[str] = ..., implements: str = ...,
         attributes: Mapping[str, Mapping[str, Any]] | None = ...) -> Decorator: ...
def leaf(python: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Make a leaf of a function: its body is one instance of a grid.

    `effect` states what is above `exact`: "inexact" or "nondeterministic". `fast` licenses float
    operations: True, or names of flags. `attributes` are {"hint": {...}, "licence": {...}, ...}.
    """
    return _decorator("leaf", python, options)


@overload
def graph(python: Callable[..., Any], /) -> Compiled: ...
@overload
def graph(python: None = None, /, *, private: bool = ..., effect: str = ..., implements: str = ...,
          attributes: Mapping[str, Mapping[str, Any]] | None = ...) -> Decorator: ...
def graph(python: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Make a graph of a function: its calls are nodes, its values edges."""
    return _decorator("graph", python, options)


@overload
def func(python: Callable[..., Any], /) -> Compiled: ...
@overload
def func(python: None = None, /, *, private: bool = ..., effect: str = ...,
         fast: bool | Sequence[str] = ...) -> Decorator: ...
def func(python: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Make a function that leaves call. Parameters without annotation take the type of what is
    passed."""
    return _decorator("func", python, options)
