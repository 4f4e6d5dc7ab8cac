"""Early exits as structured control: `break`, `continue` and `return` become flags and nesting.

A branch that always leaves moves what follows into the other branch, without a flag. Where only some
ways leave, a flag is set, and what follows is put under its test. Loops that may end early test the
flag before each round. Names that begin with `$` are ours.
"""

from __future__ import annotations

import ast
from typing import TypeVar

from hvisa.frontends.python.values import Expr, Run

N = TypeVar("N", bound=ast.AST)
BREAK, CONTINUE, RETURN, VALUE = "$break", "$continue", "$return", "$value"


class EarlyLoop(ast.For):
    """A `for` that may end before its range does: `flags` are tested before each round."""

    flags: tuple[str, ...] = ()


def _exits(nodes: list[ast.stmt], in_loop: bool = True) -> set[str]:
    """The kinds of exit that a block may take. Those of loops inside stay there."""
    found: set[str] = set()
    for node in nodes:
        match node:
            case ast.Break() if in_loop:
                found.add(BREAK)
            case ast.Continue() if in_loop:
                found.add(CONTINUE)
            case ast.Return():
                found.add(RETURN)
            case ast.If():
                found |= _exits(node.body, in_loop) | _exits(node.orelse, in_loop)
            case ast.For() | ast.While():
                found |= _exits(node.body, False) | _exits(node.orelse, in_loop)
            case _:
                pass
    return found


def assigned(nodes: list[ast.stmt], env: dict[str, Expr] | None = None) -> list[str]:
    """The names that a block assigns, in the order of `ast.walk`; of `env`, also the vectors whose lanes
    it assigns."""
    found: dict[str, None] = {}
    for node in nodes:
        todo: list[ast.AST] = [node]
        for inner in todo:  # which grows
            match inner:
                case ast.Name():
                    found[inner.id] = None
                case ast.Assign():
                    todo += inner.targets
                case ast.AugAssign() | ast.AnnAssign():
                    todo.append(inner.target)
                case ast.For():
                    todo += (inner.target, *inner.body, *inner.orelse)
                case ast.If() | ast.While():
                    todo += (*inner.body, *inner.orelse)
                case ast.Tuple() | ast.List():
                    todo += inner.elts
                case ast.Subscript() if env is not None and isinstance(inner.value, ast.Name) \
                        and isinstance(env.get(inner.value.id), Run):
                    found[inner.value.id] = None
                case _:
                    pass
    return list(found)


def returning(nodes: list[ast.stmt]) -> list[ast.Return]:
    """The `return`s with a value of a block, in the order of `ast.walk`."""
    found: list[ast.Return] = []
    for node in nodes:
        todo: list[ast.stmt] = [node]
        for inner in todo:  # which grows
            if isinstance(inner, (ast.If, ast.For, ast.While)):
                todo += (*inner.body, *inner.orelse)
            elif isinstance(inner, ast.Return) and inner.value is not None:
                found.append(inner)
    return found


def always(nodes: list[ast.stmt]) -> bool:
    """Whether a block always leaves."""
    for node in nodes:
        if isinstance(node, (ast.Break, ast.Continue, ast.Return)):
            return True
        if isinstance(node, ast.If) and node.orelse and always(node.body) and always(node.orelse):
            return True
        if isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and node.test.value \
                and BREAK not in _exits(node.body):
            return True  # a loop that only a `return` ends
    return False


class Exits:
    """Rewrites one function."""

    def __init__(self) -> None:
        self.count = 0
        self.returns = False  # whether the flag of RETURN is used

    def function(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """The body of a function without early exits."""
        out = self._block(body, {}, tail=True)
        if not self.returns:
            return out
        # What is returned in a loop is carried out of it, so it has a value before: false meets any type.
        counts = [len(_parts(n)) for s in body for n in ast.walk(s) if isinstance(n, ast.Return)]
        names = [RETURN, *(f"{VALUE}{n}" for n in range(max(counts)))]
        return [*(_set(name, False, body[0]) for name in names), *out]

    def _block(self, nodes: list[ast.stmt], flags: dict[str, str], tail: bool) -> list[ast.stmt]:
        """The block without exits. `flags` maps a kind of exit to the flag that it sets; `tail` says
        that nothing follows the block where it ends."""
        out: list[ast.stmt] = []
        for number, node in enumerate(nodes):
            rest = nodes[number + 1:]
            if isinstance(node, (ast.Break, ast.Continue, ast.Return)):
                return out + self._leave(node, flags, tail)
            kinds = _exits([node])
            if isinstance(node, ast.If) and kinds and rest and (always(node.body)
                                                                or always(node.orelse)):
                first = always(node.body)
                body = node.body if first else [*node.body, *rest]
                orelse = [*node.orelse, *rest] if first else node.orelse
                return [*out, self._if(node, body, orelse, flags, tail)]
            if kinds and rest:
                flags = {**flags, **{k: k for k in kinds if k not in flags}}
                self.returns |= RETURN in kinds
            if isinstance(node, ast.If):
                out.append(self._if(node, node.body, node.orelse, flags, tail and not rest)
                           if kinds else self._if(node, node.body, node.orelse, {}, True))
            elif isinstance(node, (ast.For, ast.While)):
                out += self._loop(node, flags)
            else:
                out.append(node)
            if kinds and rest:
                test = _none_set(node, [flags[k] for k in sorted(kinds)])
                return [*out, _at(ast.If(test, self._block(rest, flags, tail), []), rest[0])]
        return out

    def _if(self, node: ast.If, body: list[ast.stmt], orelse: list[ast.stmt], flags: dict[str, str],
            tail: bool) -> ast.If:
        return _at(ast.If(node.test, self._block(body, flags, tail) or [_at(ast.Pass(), node)],
                          self._block(orelse, flags, tail)), node)

    def _leave(self, node: ast.stmt, flags: dict[str, str], tail: bool) -> list[ast.stmt]:
        kind = {ast.Break: BREAK, ast.Continue: CONTINUE}.get(type(node), RETURN)  # type: ignore[arg-type]
        out: list[ast.stmt] = []
        if isinstance(node, ast.Return) and node.value is not None:
            parts = _parts(node)
            names: list[ast.expr] = [ast.Name(f"{VALUE}{n}", ast.Store()) for n in range(len(parts))]
            out.append(_at(ast.Assign([ast.Tuple(names, ast.Store())], ast.Tuple(parts, ast.Load())),
                           node))
        if kind in flags and not (kind == CONTINUE and tail):
            out.append(_set(flags[kind], True, node))
        return out or [_at(ast.Pass(), node)]

    def _loop(self, node: ast.For | ast.While, flags: dict[str, str]) -> list[ast.stmt]:
        """A loop: its own exits get flags of their own, false before it."""
        kinds = _exits(node.body)
        self.count += 1
        own = {k: f"{k}{self.count}" for k in (BREAK, CONTINUE) if k in kinds}
        if RETURN in kinds:
            own[RETURN] = flags.get(RETURN, RETURN)
            self.returns = True
        inner = self._block(node.body, own, True)
        if CONTINUE in own:
            inner.insert(0, _set(own[CONTINUE], False, node))
        ending = [own[k] for k in (BREAK, RETURN) if k in own]
        out: list[ast.stmt] = [_set(own[BREAK], False, node)] if BREAK in own else []
        out.append(_early(node, inner, ending))
        if node.orelse:
            orelse = self._block(node.orelse, flags, False)
            out += [_at(ast.If(_none_set(node, ending), orelse, []), node.orelse[0])] if ending \
                else orelse
        return out


def _parts(node: ast.Return) -> list[ast.expr]:
    """The values that are returned."""
    if node.value is None:
        return []
    return node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]


def _none_set(node: ast.stmt, flags: list[str]) -> ast.expr:
    tests: list[ast.expr] = [ast.UnaryOp(ast.Not(), ast.Name(f, ast.Load())) for f in flags]
    return _at(tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests), node)


def _at(new: N, old: ast.AST) -> N:
    """The new node at the place of the old one."""
    todo: list[ast.AST] = [new]
    for node in todo:  # which grows by what is new too
        if not hasattr(node, "lineno"):
            if "lineno" in node._attributes:
                ast.copy_location(node, old)
            todo += ast.iter_child_nodes(node)
    return new


def _set(name: str, value: bool, node: ast.AST) -> ast.stmt:
    return _at(ast.Assign([ast.Name(name, ast.Store())], ast.Constant(value)), node)


def _early(node: ast.For | ast.While, body: list[ast.stmt], flags: list[str]) -> ast.stmt:
    """The loop with another body, which ends when a flag is set."""
    if isinstance(node, ast.For):
        new = EarlyLoop(node.target, node.iter, body, [])
        new.flags = tuple(flags)
        return _at(new, node)
    test = node.test
    for flag in reversed(flags):
        stop = ast.UnaryOp(ast.Not(), ast.Name(flag, ast.Load()))
        test = ast.BoolOp(ast.And(), [stop, test])
    return _at(ast.While(test, body, []), node)
