"""What Python has and bodies of leaves and functions have not: its name, and what to write instead."""

from __future__ import annotations

import ast

# Statements.
NOT_HERE: dict[type[ast.stmt], tuple[str, str]] = {
    ast.Try: ("`try`", "test before: nothing is raised in a kernel, faults are traps"),
    ast.Raise: ("`raise`", "use `assert condition, \"message\"`, which traps"),
    ast.With: ("`with`", "write its body alone: a kernel opens and closes nothing"),
    ast.Delete: ("`del`", "a name needs no deleting"),
    ast.Global: ("`global`", "pass the value in, or write it to a buffer"),
    ast.Nonlocal: ("`nonlocal`", "pass the value in, or write it to a buffer"),
    ast.FunctionDef: ("a function inside a function", "define it outside with `@hvisa.func`"),
    ast.ClassDef: ("a class", "keep its fields in variables or buffers (structure of arrays)"),
    ast.Import: ("`import`", "import at the top of the file"),
    ast.ImportFrom: ("`import`", "import at the top of the file"),
    ast.Match: ("`match`", "write `if` and `elif`"),
    ast.Break: ("`break` in a graph", "carry a flag: `while not done: ... done = condition`"),
    ast.Continue: ("`continue` in a graph", "put what follows under an `if`"),
    ast.AsyncFor: ("`async`", "use streams in a graph"),
    ast.AsyncWith: ("`async`", "use streams in a graph"),
    ast.AsyncFunctionDef: ("`async`", "use streams in a graph")}

# Expressions, with their verb.
INSTEAD: dict[type[ast.AST], tuple[str, str]] = {
    ast.List: ("lists are", "use a tuple for a fixed number of values, a buffer or `hvisa.local` for more"),
    ast.Dict: ("dictionaries are", "use separate variables or buffers"),
    ast.Set: ("sets are", "use separate variables or buffers"),
    ast.ListComp: ("list comprehensions are", "write a `for` loop over a buffer or `hvisa.local`"),
    ast.SetComp: ("set comprehensions are", "write a `for` loop"),
    ast.DictComp: ("dictionary comprehensions are", "write a `for` loop"),
    ast.GeneratorExp: ("generators on their own are", "use one inside `sum`, `max`, `min`, `any` or `all`"),
    ast.Lambda: ("lambdas are", "define a function with `@hvisa.func`"),
    ast.JoinedStr: ("formatted strings are", "pass the values: `hvisa.print(\"x = {}\", x)`"),
    ast.NamedExpr: ("`:=` is", "assign on a line of its own"),
    ast.Await: ("`await` is", "kernels do not wait; use streams in a graph"),
    ast.Yield: ("`yield` is", "write the result to a buffer; use `Stream` ports in a graph"),
    ast.YieldFrom: ("`yield from` is", "write the result to a buffer"),
    ast.Starred: ("`*` is", "write the values out"),
    ast.Slice: ("slices are", "index single elements, or take a vector: `x.vec(4)[i]`"),
}
