"""Decorated Python functions: `leaf`, `graph`, `func`. What they make is compiled on first use, or with
all of its file by `compile_file`."""

from __future__ import annotations

import inspect
import linecache
import os
import sys
import threading
import traceback
import types
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

from hvisa.diagnostics import HvisaError, Source, Span, fail
from hvisa.files import read_file, write_whole
from hvisa.frontends.python.definitions import PythonFunction, StandardModules

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
        self._module: Module | None = None
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
                self._module = compile_module([self], self.__name__)
                self._program = Program.from_module(self._module)
            return self._program

    @property
    def module(self) -> Module:
        """The module, verified; imports from the standard library are imports. It may not be changed."""
        _ = self.program
        assert self._module is not None
        return self._module

    @property
    def text(self) -> str:
        """The module as `.hvasm`."""
        from hvisa.assembler.printer import print_module
        return print_module(self.module)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the module as bytecode (`.hvbc`, with the lines of the Python file) or text
        (`.hvasm`)."""
        save_module(self.module, path)

    def graph(self) -> Picture:
        """A picture of the module; notebooks show it, `.save("x.svg")` writes it."""
        from hvisa.graph.drawing import draw
        return Picture(draw(self.module))

    @property
    def entry(self) -> Entry:
        """The node as an entry, for `run` and the signature."""
        with self._lock:
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
        write_whole(os.fspath(path), self.svg.encode())

    def __str__(self) -> str:
        return self.svg


def save_module(module: Module, path: str | os.PathLike[str]) -> None:
    """Write a verified module, whole or not at all: bytecode with the places of its instructions, or
    text. HV1021 for another ending."""
    name = os.fspath(path)
    check_ending(name)
    if name.endswith(".hvbc"):
        from hvisa.assembler.encoder import encode
        data = encode(module, source_map=True)
    else:
        from hvisa.assembler.printer import print_module
        data = print_module(module).encode()
    write_whole(name, data)


def check_ending(path: str) -> None:
    """HV1021 if it does not say how a module is written."""
    if not path.endswith((".hvbc", ".hvasm")):
        raise fail("HV1021", f"`{path}` does not tell what to write",
                   help="end it with .hvbc for bytecode or .hvasm for text")


# -- files -------------------------------------------------------------------------------------

def compile_file(path: str | os.PathLike[str], name: str = "") -> Module:
    """One module of all decorated functions that a Python file defines, in the order in which it does,
    and of what they use. The file is imported, without what stands under
    `if __name__ == "__main__"`; `name` is the module's (default: the file's, without ending).
    """
    found = os.fspath(path)
    stem, suffix = os.path.splitext(os.path.basename(found))
    if suffix != ".py":
        raise fail("HV1230", f"`{found}` is no Python file", help="give a file that ends in .py; "
                   "`hvisa asm` takes .hvasm")
    if not os.path.isfile(found):
        raise fail("HV1020", f"`{found}` can't be read: there is no such file",
                   help="give the path of a .py file")
    names = _imported(found, stem)
    own = dict.fromkeys(f for f in names.values() if isinstance(f, Compiled)
                        and f.__module__ == names["__name__"])
    if not own:
        raise fail("HV1231", f"`{found}` defines no decorated function",
                   help="write `@hvisa.leaf` or `@hvisa.graph` above a `def`")
    from hvisa.frontends.python.compiler import compile_module
    return compile_module(list(own), name or stem)


def _imported(path: str, stem: str) -> dict[str, Any]:
    """What a file defines. It sees its folder first in `sys.path`, as a script does; no compiled copy
    is read or written, so that the text is what is run."""
    full = os.path.abspath(path)
    text = read_file(path)
    linecache.cache.pop(full, None)  # another text of the same size and time would go unnoticed
    # The name that others import it by, if that is free.
    module = types.ModuleType(stem if stem not in sys.modules else f"{stem}.__compiled__")
    module.__file__ = full
    folder = os.path.dirname(full)
    sys.modules[module.__name__] = module
    sys.path.insert(0, folder)
    try:
        exec(compile(text, full, "exec", dont_inherit=True), vars(module))
    except HvisaError as error:
        place = _place(error, full)
        for diagnostic in error.diagnostics:
            diagnostic.span = diagnostic.span or place
        raise
    except (Exception, SystemExit) as error:
        raise fail("HV1232", f"`{path}` can't be imported: {type(error).__name__}: {error}",
                   _place(error, full), help=getattr(error, "help", "") or
                   f"`python {path}` shows the same; what only a script does belongs under "
                   "`if __name__ == \"__main__\":`") from error
    finally:
        if folder in sys.path:
            sys.path.remove(folder)
        if sys.modules.get(module.__name__) is module:
            del sys.modules[module.__name__]
    return vars(module)


def _place(error: BaseException, path: str) -> Span | None:
    """The last line of a file that an exception came through."""
    line = error.lineno if isinstance(error, SyntaxError) and error.filename == path else None
    for frame, number in traceback.walk_tb(error.__traceback__):
        if frame.f_code.co_filename == path:
            line = number
    if line is None:
        return None
    source = Source(os.path.basename(path), "".join(linecache.getlines(path)), language="python")
    text = source.line(line)
    column = len(text) - len(text.lstrip())
    return Span(source, line, column + 1, max(1, len(text.strip())))


# -- decorators --------------------------------------------------------------------------------

def _decorator(kind: str, python: Callable[..., Any] | None, options: dict[str, Any]) -> Any:
    if python is None:
        return lambda function: _decorator(kind, function, options)
    if isinstance(python, PythonFunction) or not inspect.isfunction(python):
        raise fail("HV1224", f"`@hvisa.{kind}` decorates a function, and this is {python!r}",
                   help="write it right above a `def`")
    parts = python.__qualname__.split(".")
    first = python.__code__.co_varnames[:python.__code__.co_argcount][:1]
    if len(parts) > 1 and parts[-2] != "<locals>" and first in (("self",), ("cls",)):
        raise fail("HV1224", f"`{python.__qualname__}` is a method, and a {kind} has no `{first[0]}`",
                   help="define it outside of the class and pass what it needs")
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


def _standard_module(name: str, version: int) -> Module:
    from hvisa.library.standard import standard_module
    return standard_module(name, version)


StandardModules.find = _standard_module
