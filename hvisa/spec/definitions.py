"""The row classes: what an instruction is, described once (house style: everything else derives from it).

A row holds mnemonic, operands, type rule, immediates, effects, traps, its manual text (the docstring of
its reference semantics) and the semantics itself. Parser, printer, encoder, decoder, verifier,
interpreter, builder, manual and fuzz generators read rows; none repeats them.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from hvisa.diagnostics import plural
from hvisa.spec import types as ty
from hvisa.spec.types import ScalarType, Type, VectorType


class Effect(enum.Flag):
    """What an instruction does besides computing its results."""

    NONE = 0
    READ = enum.auto()  # reads a buffer
    WRITE = enum.auto()  # writes a buffer
    ATOMIC = enum.auto()  # reads and writes one element as one step
    SYNC = enum.auto()  # waits for, or exchanges values with, the other instances of the parent
    CALL = enum.auto()  # effects of the callee
    PRINT = enum.auto()  # host output
    CONTROL = enum.auto()  # has regions or ends one


class Level(enum.Flag):
    """Where an instruction may stand."""

    LEAF = enum.auto()
    FUNCTION = enum.auto()
    GRAPH = enum.auto()
    BODY = LEAF | FUNCTION
    ANY = LEAF | FUNCTION | GRAPH


class Form(enum.Enum):
    """Layout of an instruction in text and bytecode."""

    PLAIN = "plain"  # [results =] mnemonic [type] operands and immediates
    ACCESS = "access"  # the operands after `buffer` are its indices: %b[%i, %j + 1]
    CALL = "call"  # @callee(operands)
    IF = "if"
    FOR = "for"
    WHILE = "while"
    LOOP = "loop"
    REDUCE = "reduce"
    NODE = "node"
    BUFFER = "buffer"  # a buffer type is the type argument
    BOX = "box"  # %b[offset :+ length, ...]
    PARTS = "parts"  # %b axis at (%k, ...)
    MATCH = "match"
    DELAY = "delay"


class ImmediateKind(enum.Enum):
    CHOICE = "choice"  # one word of a list; written as a suffix of the mnemonic
    INT = "int"  # a non-negative integer
    INTS = "ints"  # a list of non-negative integers
    TEXT = "text"  # a quoted string


class Immediate:
    """A constant part of an instruction. The position of a word in `choices` is its code: append only."""

    __slots__ = ("choices", "kind", "name")

    def __init__(self, name: str, kind: ImmediateKind, choices: tuple[str, ...] = ()):
        self.name = name
        self.kind = kind
        self.choices = choices

    @property
    def default(self) -> int | tuple[int, ...] | str:
        """What stands where the text says nothing."""
        return {ImmediateKind.INTS: (), ImmediateKind.TEXT: ""}.get(self.kind, 0)


class TypeRuleError(Exception):
    """The operand types do not fit. `operand` is the position of the one to point at, -1 for none."""

    def __init__(self, code: str, message: str, operand: int = -1, note: str = "", help: str = ""):
        super().__init__(message)
        self.code = code
        self.message = message
        self.operand = operand
        self.note = note
        self.help = help


# Classes of element types that a type variable may stand for.
ELEMENT_CLASSES: dict[str, tuple[ScalarType, ...]] = {
    "bool": (ty.I1,),
    "int": tuple(t for t in ty.SCALARS if t.is_integer),
    "signed": tuple(t for t in ty.SCALARS if t.kind == "signed"),
    "unsigned": tuple(t for t in ty.SCALARS if t.kind == "unsigned"),
    "float": tuple(t for t in ty.SCALARS if t.is_float),
}


def element_class(words: str) -> tuple[ScalarType, ...]:
    """The scalar types named by words such as `int float`, in table order."""
    wanted = {t for word in words.split() for t in ELEMENT_CLASSES.get(word, ())}
    wanted |= {ty.BY_NAME[w] for w in words.split() if w in ty.BY_NAME}
    return tuple(t for t in ty.SCALARS if t in wanted)


class Pattern:
    """The type pattern of an operand or result.

    `T` a scalar or vector from the row's class; `mask` i1 in as many lanes as T; `element` T's element
    type; `vector` T, which must be a vector; `U` the written type argument; else a concrete type name.
    """

    __slots__ = ("concrete", "word")

    def __init__(self, word: str):
        self.word = word
        self.concrete: ScalarType | None = ty.BY_NAME.get(word)

    def fill(self, variable: Type, argument: Type | None) -> Type:
        if self.concrete is not None:
            return self.concrete
        if self.word == "mask":
            return ty.like(ty.I1, variable)
        if self.word == "element":
            return ty.element_of(variable) or ty.ERROR
        if self.word == "U":
            assert argument is not None
            return argument
        return variable


class Operand:
    __slots__ = ("name", "pattern", "variadic")

    def __init__(self, name: str, pattern: Pattern, variadic: bool):
        self.name = name
        self.pattern = pattern
        self.variadic = variadic


class Signature:
    """`a: T, b: T -> T`, parsed. A `*` after a name takes the rest of the operands."""

    __slots__ = ("operands", "results", "text")

    def __init__(self, text: str):
        self.text = text
        left, _, right = text.partition("->")
        self.operands: tuple[Operand, ...] = tuple(self._operands(left))
        self.results = tuple(Pattern(w.strip()) for w in right.split(",") if w.strip())

    @staticmethod
    def _operands(text: str) -> Iterator[Operand]:
        for part in filter(None, (p.strip() for p in text.split(","))):
            name, _, pattern = part.partition(":")
            yield Operand(name.strip("* "), Pattern(pattern.strip()), name.strip().endswith("*"))

    @property
    def variadic(self) -> bool:
        return bool(self.operands) and self.operands[-1].variadic


TypeRule = Callable[["InstrDef", Sequence[Type], "Type | None", tuple[Any, ...]], tuple[Type, ...]]
TrapTest = Callable[..., Any]


class InstrDef:
    """One row of the instruction table.

    `semantics(*operands, *immediates)` takes and returns numpy arrays whose first axis is instances
    (vectors have a second axis of lanes); rows with regions, memory or graph effects have their
    meaning in the interpreter and `semantics` is None for them. `traps` maps a trap code to the test,
    over the operands, of which instances trap. `tolerance` is the allowed difference in ULP between
    devices: 0 everywhere in strict mode.
    """

    __slots__ = ("_cache", "classes", "collective", "commutative", "doc", "effect", "explicit_classes",
                 "fast", "form", "group", "immediates", "level", "mnemonic", "opcode", "regions",
                 "reserved", "scalar_mask", "semantics", "signature", "since", "terminator",
                 "tolerance", "traps", "type_argument", "type_rule", "typed", "vectors")

    def __init__(self, mnemonic: str, group: str, signature: str, doc: str):
        self.mnemonic = mnemonic
        self.group = group
        self.signature = Signature(signature)
        self.doc = doc
        self.classes: tuple[ScalarType, ...] = ()
        self.explicit_classes: tuple[ScalarType, ...] = ()
        self.vectors = True
        self.form = Form.PLAIN
        self.level = Level.BODY
        self.effect = Effect.NONE
        self.immediates: tuple[Immediate, ...] = ()
        self.traps: dict[str, TrapTest | None] = {}
        self.fast = False
        self.typed = False  # semantics take `element=`, T's scalar type
        self.scalar_mask = False  # one i1 may stand for a mask
        self.commutative = False
        self.collective = False
        self.terminator = False
        self.regions = 0
        self.reserved = False
        self.tolerance = 0
        self.type_argument = "none"  # none, needed, optional
        self.semantics: Callable[..., Any] | None = None
        self.type_rule: TypeRule | None = None
        self.opcode = -1
        self.since: tuple[int, int] = (0, 1)
        self._cache: dict[tuple[object, ...], tuple[Type, ...]] = {}

    def __repr__(self) -> str:
        return f"<row {self.mnemonic}>"

    @property
    def summary(self) -> str:
        return self.doc.split("\n", 1)[0]

    def infer(self, operands: Sequence[Type], argument: Type | None,
              immediates: tuple[Any, ...]) -> tuple[Type, ...]:
        """The result types. Raises TypeRuleError. Answers (ERROR,) where an operand is ERROR."""
        key = (*operands, argument)
        found = self._cache.get(key)
        if found is not None:
            return found
        if any(t is ty.ERROR for t in operands):
            return (ty.ERROR,) * max(1, len(self.signature.results))
        if self.type_rule is not None:
            return self.type_rule(self, operands, argument, immediates)
        found = self._check(operands, argument)
        if len(self._cache) > 4096:
            self._cache.clear()
        self._cache[key] = found
        return found

    def _check(self, operands: Sequence[Type], argument: Type | None) -> tuple[Type, ...]:
        check_count(self, len(operands))
        if self.type_argument == "needed" and argument is None:
            raise TypeRuleError("HV0205", f"`{self.mnemonic}` needs a type after its name",
                                help=f"for example `{self.mnemonic} f32 ...`")
        variable = self._variable(operands)
        if argument is not None and self.explicit_classes:
            check_element(self, argument, self.explicit_classes, -1)
        patterns = self.signature.operands
        for position, found in enumerate(operands):
            row = patterns[min(position, len(patterns) - 1)]
            wanted = row.pattern.fill(variable, argument)
            if found is not wanted and not (self.scalar_mask and found is ty.I1
                                            and row.pattern.word == "mask"):
                raise TypeRuleError(
                    "HV0203", f"operand types of `{self.mnemonic}` differ", position,
                    f"this is {found}, `{self.mnemonic} {variable}` takes {wanted}"
                    if variable is not ty.ERROR else f"this is {found}, expected {wanted}",
                    convert_help(found, wanted))
        return tuple(p.fill(variable, argument) for p in self.signature.results)

    def _variable(self, operands: Sequence[Type]) -> Type:
        for position, row in enumerate(self.signature.operands):
            if position < len(operands) and row.pattern.word in ("T", "vector"):
                found = operands[position]
                check_element(self, found, self.classes, position)
                if row.pattern.word == "vector" and type(found) is not VectorType:
                    raise TypeRuleError("HV0206", f"`{self.mnemonic}` needs a vector", position,
                                        f"this is {found}")
                return found
        return ty.ERROR


def convert_help(found: Type, wanted: Type) -> str:
    """How to make one type of the other, if a `convert` does it."""
    if type(found) is ScalarType and type(wanted) is ScalarType:
        return f"convert it first: `%c = convert {wanted} ...`"
    if type(found) is ScalarType and type(wanted) is VectorType:
        return f"spread it over the lanes first: `%v = splat {wanted} ...`"
    return ""


def check_count(row: InstrDef, count: int) -> None:
    patterns = row.signature.operands
    least = len(patterns) - row.signature.variadic
    if count < least or (count > len(patterns) and not row.signature.variadic):
        wanted = f"{least} or more operands" if row.signature.variadic else plural(least, "operand")
        names = ", ".join(o.name for o in patterns)
        raise TypeRuleError("HV0201", f"`{row.mnemonic}` takes {wanted}, {count} given",
                            note=f"operands are ({names})")


def check_element(row: InstrDef, found: Type, classes: tuple[ScalarType, ...], operand: int) -> None:
    """Raise unless `found` is a scalar, or a vector where allowed, of one of the classes."""
    element = ty.element_of(found)
    if element is None or element not in classes or (not row.vectors and found is not element):
        names = " ".join(t.name for t in classes)
        vectors = " and vectors of them" if row.vectors else ""
        raise TypeRuleError("HV0202", f"`{row.mnemonic}` does not take {found}", operand,
                            f"this is {found}", f"`{row.mnemonic}` takes {names}{vectors}")


# -- the table ---------------------------------------------------------------------------------------

ROWS: dict[str, InstrDef] = {}


def instruction(mnemonic: str, signature: str, *, on: str = "", to: str = "", group: str = "",
                **options: Any) -> Callable[[Callable[..., Any]], InstrDef]:
    """Make a row of the decorated function: its docstring is the manual entry, the function the
    reference semantics. `on` names T's element classes, `to` those of the written type.
    """
    def build(function: Callable[..., Any]) -> InstrDef:
        name = group or function.__module__.rsplit(".", 1)[-1]
        doc = "\n".join(line.strip() for line in (function.__doc__ or "").strip().split("\n"))
        row = InstrDef(mnemonic, name, signature, doc)
        row.classes = element_class(on)
        row.explicit_classes = element_class(to)
        row.semantics = function
        for key, value in options.items():
            setattr(row, key, value)
        assert mnemonic not in ROWS, mnemonic
        ROWS[mnemonic] = row
        return row
    return build


def construct(mnemonic: str, signature: str, doc: str, *, on: str = "", **options: Any) -> InstrDef:
    """Make a row whose meaning is the interpreter's: memory, control, graph constructs."""
    def meaning() -> None: ...
    meaning.__doc__ = doc
    merged: dict[str, Any] = {"semantics": None, **options}
    return instruction(mnemonic, signature, on=on, **merged)(meaning)


def choice(name: str, *words: str) -> Immediate:
    return Immediate(name, ImmediateKind.CHOICE, words)
