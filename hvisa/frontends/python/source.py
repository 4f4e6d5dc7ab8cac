"""Where the text of a Python function is found, and how a node of its tree becomes a place in it."""

from __future__ import annotations

import ast
import functools
import linecache
import os
import sys
import types
from typing import NoReturn

from hvisa.diagnostics import Diagnostic, HvisaError, Source, Span, fail
from hvisa.spec.errors import explain

FunctionNode = ast.FunctionDef


class SourceFile:
    """A file of Python and its tree. `source` is named after the file without its folders, so that
    what is compiled from it does not depend on where it lies."""

    def __init__(self, name: str, text: str):
        self.source = Source(os.path.basename(name), text, language="python")
        self.tree = ast.parse(text)
        self._functions: dict[int, FunctionNode] = {}
        self.waiting: dict[int, ast.AsyncFunctionDef] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
                for line in (first, node.lineno):
                    if isinstance(node, ast.FunctionDef):
                        self._functions[line] = node
                    else:
                        self.waiting[line] = node

    def function(self, line: int) -> FunctionNode | None:
        return self._functions.get(line)

    def span(self, node: ast.AST) -> Span:
        """The place of a node; of one over several lines, its first line."""
        line = getattr(node, "lineno", 1)
        text = self.source.line(line)
        first = _characters(text, getattr(node, "col_offset", 0))
        last = len(text)
        if getattr(node, "end_lineno", line) == line:
            last = _characters(text, getattr(node, "end_col_offset", None) or 0)
        elif "#" not in text:
            last = len(text.rstrip())
        return Span(self.source, line, first + 1, max(1, last - first))


def _characters(text: str, bytes_: int) -> int:
    """A column counted in UTF-8 bytes, as the tree has it, in characters."""
    return bytes_ if text.isascii() else len(text.encode()[:bytes_].decode("utf-8", "replace"))


@functools.lru_cache(maxsize=32)
def _read(name: str, text: str) -> SourceFile:
    return SourceFile(name, text)


def source_of(code: types.CodeType) -> tuple[SourceFile, FunctionNode]:
    """The file and the tree of a function. Raises HV1201 where Python has no text of it."""
    linecache.checkcache(code.co_filename)
    text = "".join(linecache.getlines(code.co_filename))
    node = file = None
    if text:
        try:
            file = _read(code.co_filename, text)
        except SyntaxError:
            pass  # the file changed since it was imported
        else:
            node = file.function(code.co_firstlineno)
            waiting = file.waiting.get(code.co_firstlineno)
            if node is None and waiting is not None and waiting.name == code.co_name:
                refuse(file, waiting, "HV1203", "an `async` function is not supported",
                       "write `def`; kernels do not wait, and graphs take `Stream` ports")
    if file is None or node is None or node.name != code.co_name:
        raise fail("HV1201", f"the source text of `{code.co_name}` is not there",
                   help="define it in a file or a notebook; text given to `exec`, `python -c` and "
                   "lambdas have no source that can be read")
    return file, node


class PythonError(HvisaError):
    """A mistake in a Python function, at a node of its tree."""


def refuse(file: SourceFile, node: ast.AST, code: str, message: str, help: str = "",
           note: str = "") -> NoReturn:
    known = explain(code)
    found = Diagnostic(code, message, file.span(node), note=note,
                       help=help or (known.help if known is not None else ""))
    if not code.startswith("HV12"):  # said by a rule about instructions
        from hvisa.frontends.python.wording import in_python
        from hvisa.graph.model import Module
        found = in_python(found, Module())
    raise PythonError(found)


def place_of_caller() -> Span | None:
    """The place in a file that Python runs now, outside of this package; None if it has no text."""
    frame = sys._getframe(1)
    while frame is not None and str(frame.f_globals.get("__name__", "")).split(".")[0] == "hvisa":
        frame = frame.f_back
    if frame is None:
        return None
    name = frame.f_code.co_filename
    text = "".join(linecache.getlines(name))
    found = list(frame.f_code.co_positions())[frame.f_lasti // 2] if frame.f_lasti >= 0 else None
    if not text or found is None:
        return None
    line, end, first, last = found
    if line is None:
        return None
    source = Source(os.path.basename(name), text, language="python")
    shown = source.line(line)
    column = _characters(shown, first or 0)
    until = _characters(shown, last) if end == line and last is not None else len(shown.rstrip())
    return Span(source, line, column + 1, max(1, until - column))
