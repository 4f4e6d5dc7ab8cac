"""Random changes of Python kernels, for the test that none of them makes the compiler fail in a way of
its own."""

from __future__ import annotations

import ast
import copy
import random

from tests.frontends.fragments import ANNOTATIONS, EXPRESSIONS, HEADER, OPTIONS, STATEMENTS

_BINARY = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.LShift, ast.RShift,
           ast.BitAnd, ast.BitOr, ast.BitXor, ast.MatMult)
_COMPARE = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Is, ast.IsNot, ast.In, ast.NotIn)
_UNARY = (ast.Not, ast.USub, ast.UAdd, ast.Invert)


class Mutator:
    """Makes mutants of one program: one to three random changes each."""

    def __init__(self, text: str, seed: int):
        self.tree = ast.parse(HEADER + text)
        self.random = random.Random(seed)

    def mutant(self) -> str:
        """The text of a mutant; changed again until Python can read it."""
        while True:
            tree = copy.deepcopy(self.tree)
            for _ in range(self.random.choice((1, 1, 1, 2, 3))):
                self._change(tree)
            try:
                text = ast.unparse(ast.fix_missing_locations(tree))
                compile(text, "<mutant>", "exec")
            except (SyntaxError, ValueError):
                continue
            return text

    def _change(self, tree: ast.Module) -> None:
        functions = [n for n in tree.body if isinstance(n, ast.FunctionDef)]
        function = self.random.choice(functions)
        self.random.choice((self._operator, self._drop, self._insert, self._insert, self._replace,
                            self._replace, self._replace, self._replace, self._annotation, self._subscript,
                            self._swap, self._option, self._rename))(function)

    def _pick(self, found: list) -> ast.AST | None:
        return self.random.choice(found) if found else None

    def _operator(self, function: ast.FunctionDef) -> None:
        node = self._pick([n for n in ast.walk(function) if isinstance(
            n, (ast.BinOp, ast.AugAssign, ast.Compare, ast.UnaryOp, ast.BoolOp))])
        if isinstance(node, (ast.BinOp, ast.AugAssign)):
            node.op = self.random.choice(_BINARY)()
        elif isinstance(node, ast.Compare):
            node.ops[self.random.randrange(len(node.ops))] = self.random.choice(_COMPARE)()
        elif isinstance(node, ast.UnaryOp):
            node.op = self.random.choice(_UNARY)()
        elif isinstance(node, ast.BoolOp):
            node.op = self.random.choice((ast.And, ast.Or))()

    def _block(self, function: ast.FunctionDef) -> list[ast.stmt]:
        return self.random.choice([b for n in ast.walk(function) for name in ("body", "orelse")
                                   if isinstance(b := getattr(n, name, None), list) and b])

    def _drop(self, function: ast.FunctionDef) -> None:
        block = self._block(function)
        block[self.random.randrange(len(block))] = ast.Pass()

    def _insert(self, function: ast.FunctionDef) -> None:
        block = self._block(function)
        at = self.random.randint(0, len(block))
        block[at:at] = ast.parse(self.random.choice(STATEMENTS)).body

    def _swap(self, function: ast.FunctionDef) -> None:
        block = self._block(function)
        a, b = (self.random.randrange(len(block)) for _ in range(2))
        block[a], block[b] = block[b], block[a]

    def _expression(self, texts: tuple[str, ...] = EXPRESSIONS) -> ast.expr:
        return ast.parse(self.random.choice(texts), mode="eval").body

    def _replace(self, function: ast.FunctionDef) -> None:
        """Put something else where an expression stands in a body."""
        places = [(n, field, None if item is None else number)
                  for statement in function.body for n in ast.walk(statement)
                  for field, value in ast.iter_fields(n)
                  for number, item in (enumerate(value) if isinstance(value, list) else [(0, None)])
                  if isinstance(item if item is not None else value, ast.expr)]
        if not places:
            return
        node, field, number = self.random.choice(places)
        if number is None:
            setattr(node, field, self._expression())
        else:
            getattr(node, field)[number] = self._expression()

    def _annotation(self, function: ast.FunctionDef) -> None:
        arguments = function.args.args
        if not arguments or self.random.random() < 0.25:
            function.returns = None if self.random.random() < 0.3 else self._expression(ANNOTATIONS)
            return
        argument = self.random.choice(arguments)
        choice = self.random.random()
        if choice < 0.2:
            argument.annotation = None
        elif choice < 0.25:
            arguments.remove(argument)
        elif choice < 0.3:
            function.args.vararg = argument
            arguments.remove(argument)
        elif choice < 0.35:
            function.args.defaults = [ast.Constant(1)]
        else:
            argument.annotation = self._expression(ANNOTATIONS)

    def _subscript(self, function: ast.FunctionDef) -> None:
        node = self._pick([n for s in function.body for n in ast.walk(s) if isinstance(n, ast.Subscript)])
        if isinstance(node, ast.Subscript):
            parts = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
            if not parts or self.random.random() < 0.5:
                parts.append(self._expression())
            elif self.random.random() < 0.5:
                parts[self.random.randrange(len(parts))] = ast.Slice()
            else:
                parts.pop()
            node.slice = ast.Tuple(parts, ast.Load()) if len(parts) != 1 else parts[0]

    def _option(self, function: ast.FunctionDef) -> None:
        decorator = function.decorator_list[0]
        keyword = ast.parse(f"f({self.random.choice(OPTIONS)})", mode="eval").body
        assert isinstance(keyword, ast.Call)
        function.decorator_list = [ast.Call(
            decorator.func if isinstance(decorator, ast.Call) else decorator, [], keyword.keywords)]
        if self.random.random() < 0.3:
            kind = function.decorator_list[0].func
            assert isinstance(kind, ast.Attribute)
            kind.attr = "leaf" if kind.attr == "func" else "func"

    def _rename(self, function: ast.FunctionDef) -> None:
        names = [n for n in ast.walk(function) if isinstance(n, ast.Name)]
        if names:
            self.random.choice(names).id = self.random.choice(names).id
