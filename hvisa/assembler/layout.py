"""The numbers of the bytecode that no row holds: magic, version, sections; and a plan for each row.

A *plan* is what encoder and decoder need to know of a row, taken from it once. The written
specification is docs/spec/bytecode.md; its tables are generated from here and from the rows.
"""

from __future__ import annotations

import enum
from typing import NamedTuple

from hvisa.spec.definitions import Form, ImmediateKind, InstrDef
from hvisa.spec.limits import Limit
from hvisa.spec.table import ROWS

# The first byte is no ASCII and no UTF-8; the line ends show a transfer as text.
MAGIC = b"\x89HVB\r\n\x1a\n"
VERSION = (0, 1)
# The version of a module without any instruction.
BASE_VERSION = (0, 1)

# Required features that this version knows, with what each means. A module may need no other.
FEATURES: dict[str, str] = {}


class Section(enum.IntEnum):
    """Section numbers: the order in a file. Numbers up to 31 are semantic, 32 is optional."""

    STRINGS = 1
    REQUIREMENTS = 2
    TYPES = 3
    DATA = 4
    CONSTANTS = 5
    DECLARATIONS = 6
    BODIES = 7
    OPTIONAL = 32

    @property
    def label(self) -> str:
        return self.name.lower()


SECTION_DOC: dict[Section, str] = {
    Section.STRINGS: "strings of the other semantic sections, sorted",
    Section.REQUIREMENTS: "version of the mathematical library, required features",
    Section.TYPES: "the types that are written anywhere, sorted by depth and bytes",
    Section.DATA: "module constants with their contents",
    Section.CONSTANTS: "operands that are no values: numbers, dimensions, module constants",
    Section.DECLARATIONS: "the header of each definition",
    Section.BODIES: "the body of each definition that has one, each with its size",
    Section.OPTIONAL: "a name, whether it is safe to keep, and anything; may be repeated",
}

# Optional sections that the decoder reads, in the order in which they stand. All go stale when a
# semantic section changes, so that none is safe to keep.
NAMES, HINTS, SOURCE_MAP = "names", "hints", "source_map"
INTERPRETED = (NAMES, HINTS, SOURCE_MAP)
PRODUCER = "producer"

KINDS = ("leaf", "graph", "func")
# Where the body of a definition is: here, in another module, on the host.
BODY, IMPORT, EXTERN = 0, 1, 2

# Constants: numbers below 32 are the code of a scalar type, whose bits follow.
POOL_DIMENSION, POOL_DATA = 32, 33

# Integer types of widths that have no code of their own: a width from 1 to 128 follows.
RESERVED_INTEGERS: dict[int, str] = {48: "i", 49: "u"}
MAX_WIDTH = 128

# Values of attributes.
ATTRIBUTE_VALUES = ("false", "true", "integer", "float", "string")

# Parts of dimensions that shared types and constants may come to when each use is written out.
BUDGET, BUDGET_PER_BYTE = 1 << 18, 16

# Each result of a call makes a value, and no byte of the call stands for it.
MAX_RESULTS = Limit("results", 64, "HV0837", "results of one function")



class OutputKind(enum.IntEnum):
    """How a node gives one result; what follows the number."""

    PLAIN = 0
    COLLECT = 1
    REDUCE = 2  # the operator
    BOX = 3  # the type of the whole, the box of each instance
    SEVERAL = 4  # items per firing, at least 2


SIMPLE, GENERIC, SPECIAL = 0, 1, 2
_SPECIAL_FORMS = frozenset({Form.CALL, Form.IF, Form.FOR, Form.WHILE, Form.LOOP, Form.REDUCE,
                            Form.NODE, Form.BOX, Form.PARTS, Form.MATCH, Form.DELAY})
# Forms whose operands are not those of the signature.
_OWN_OPERANDS = frozenset({Form.CALL, Form.NODE, Form.MATCH})
_TYPE_ARGUMENT = {"none": 0, "needed": 1, "optional": 2}

# Immediates as encoder and decoder see them: the number of choices, or one of these.
INT, INTS, TEXT = -1, -2, -3
_KIND_CODE = {ImmediateKind.INT: INT, ImmediateKind.INTS: INTS, ImmediateKind.TEXT: TEXT}


class Plan(NamedTuple):
    """How an instruction of one row is encoded.

    `kind` tells how much there is: SIMPLE has a fixed number of operands and maybe a fast mask,
    GENERIC anything that a row can say, SPECIAL a form with parts of its own. `fixed` operands come
    before the variadic ones. `results` is their number, or -1 where the construct tells;
    `by_choice` has it for each choice of the first immediate instead, if that matters.
    """

    row: InstrDef
    kind: int
    fast: bool
    fixed: int
    results: int
    variadic: bool
    access: bool
    type_argument: int
    immediates: tuple[int, ...]
    by_choice: tuple[int, ...]
    form: Form


def _results(row: InstrDef) -> tuple[int, tuple[int, ...]]:
    """Results of a row, and for each choice of its first immediate if they differ."""
    if row.form in (Form.CALL, Form.IF, Form.FOR, Form.WHILE, Form.LOOP, Form.NODE, Form.PARTS,
                    Form.MATCH):
        return -1, ()
    count = 1 if row.form is Form.REDUCE else len(row.signature.results)
    if row.immediates and row.immediates[0].name == "operator":
        # argmin and argmax give a value and its place.
        counts = tuple(count + w.startswith("arg") for w in row.immediates[0].choices)
        if len(set(counts)) > 1:
            return count, counts
    return count, ()


def make_plan(row: InstrDef) -> Plan:
    """The plan of a row that is not reserved."""
    results, by_choice = _results(row)
    variadic = row.signature.variadic and row.form not in _OWN_OPERANDS
    fixed = 0 if row.form in _OWN_OPERANDS else len(row.signature.operands) - variadic
    access = row.form is Form.ACCESS
    immediates = tuple(_KIND_CODE.get(i.kind, len(i.choices)) for i in row.immediates)
    plain = not (variadic or access or immediates or row.type_argument != "none" or row.terminator)
    kind = SPECIAL if row.form in _SPECIAL_FORMS else SIMPLE if plain else GENERIC
    return Plan(row, kind, row.fast, fixed, results, variadic, access,
                _TYPE_ARGUMENT[row.type_argument], immediates, by_choice, row.form)


PLANS: dict[InstrDef, Plan] = {r: make_plan(r) for r in ROWS.values() if not r.reserved}
YIELD, CHECK = ROWS["yield"], ROWS["check"]


def loop_inits(form: Form) -> int:
    """Operands of a loop before the inits of its carried values; -1 for what carries nothing."""
    return {Form.FOR: 3, Form.WHILE: 0, Form.LOOP: 0}.get(form, -1)


def parameter_counts(form: Form, operands: int) -> tuple[int, ...]:
    """The number of parameters of each region of a construct with so many operands."""
    if form is Form.IF:
        return (0, 0)
    if form is Form.FOR:
        return (operands - 2,)
    if form is Form.WHILE:
        return (operands, 0)
    return (operands,) if form is Form.LOOP else (operands // 2,)


def terminator(form: Form | None, position: int) -> InstrDef:
    """The row that ends a region of a construct, or the body of a definition (form None)."""
    return CHECK if form is Form.WHILE and position == 0 else YIELD
