"""What can be wrong with bytecode: each code with its message and help line, in one place.

Every message gets a detail after a colon; the place is a byte offset and a section.
"""

from __future__ import annotations

from typing import NamedTuple

from hvisa.diagnostics import Diagnostic, HvisaError, Span
from hvisa.spec.errors import register


class Problem(NamedTuple):
    """`message` is followed by a detail; `meaning` is what `hvisa explain` tells of the code."""

    message: str
    meaning: str
    help: str


_DAMAGED = "the file is damaged, or was not written by an hvisa encoder; assemble it again"

PROBLEMS: dict[str, Problem] = {
    "HV0820": Problem("this is not hvisa bytecode",
                      "The file does not begin with the eight bytes of every `.hvbc` file.",
                      "text goes through `hvisa asm` first"),
    "HV0821": Problem("the bytes end too early",
                      "A number, string, section or body reaches beyond what holds it.",
                      "the file was cut off; copy or assemble it again"),
    "HV0822": Problem("this version of the format is not known here",
                      "The file states a version of the format that this hvisa does not read.",
                      "install a version of hvisa that reads it, or assemble the text again"),
    "HV0823": Problem("the module needs a feature that is not known here",
                      "A required feature of the module is none that this hvisa has.",
                      "install a version of hvisa that has the feature"),
    "HV0824": Problem("a section is out of place",
                      "Sections stand at most once and in the order of their numbers, the optional "
                      "ones at the end; none is empty, unknown or missing.", _DAMAGED),
    "HV0825": Problem("a number is not in its shortest form",
                      "Numbers are LEB128 without needless bytes and have at most 64 bits.",
                      _DAMAGED),
    "HV0826": Problem("a count is larger than what follows",
                      "A count of things needs more bytes than are left for them.", _DAMAGED),
    "HV0827": Problem("bytes are left over",
                      "A section or body is longer than what it holds.", _DAMAGED),
    "HV0828": Problem("a table is not sorted, or holds an entry twice",
                      "Tables and lists of attributes stand in rising order.", _DAMAGED),
    "HV0829": Problem("an entry of a table is never used",
                      "A table holds what something refers to and nothing else.", _DAMAGED),
    "HV0830": Problem("a number refers to nothing",
                      "The number of a string, type, constant, definition, port, value or "
                      "instruction is beyond the last one.", _DAMAGED),
    "HV0831": Problem("a string or name is not allowed here",
                      "Strings are UTF-8; names and words are made of the letters that text allows.",
                      _DAMAGED),
    "HV0832": Problem("this is no type",
                      "The code of a type is unknown or reserved, or its parts do not fit it.",
                      _DAMAGED),
    "HV0833": Problem("this is no dimension in normal form",
                      "A dimension can be simplified, is beyond the limits, or is not in order.",
                      _DAMAGED),
    "HV0834": Problem("this is no instruction of this version",
                      "An opcode is unknown, reserved, or newer than the version of the file.",
                      "install a version of hvisa that has the instruction"),
    "HV0835": Problem("a flag, choice or immediate is out of range",
                      "A coded choice has no such position, or a flag no meaning.", _DAMAGED),
    "HV0836": Problem("an operand refers to no value in scope",
                      "An operand stands before the first value, or its value's region has ended.",
                      _DAMAGED),
    "HV0837": Problem("a region or header is not built as its construct wants",
                      "Regions end with the terminator of their construct, functions are called and "
                      "graphs and leaves are nodes, and a function has few results.", _DAMAGED),
    "HV0838": Problem("a constant has bits that its type does not have",
                      "Bits beyond the width of a constant are 0.", _DAMAGED),
    "HV0839": Problem("there is a shorter encoding of the same module",
                      "Something is written out that holds without being written: a default, an "
                      "empty list, a type that is known.", _DAMAGED),
    "HV0840": Problem("a name is taken",
                      "Two values of one scope, or two definitions or constants, have one name.",
                      "give one of them another name, or encode the module without names"),
    "HV0841": Problem("a stated count is wrong",
                      "A body or header states how much it holds, and holds more or less.", _DAMAGED),
    "HV0842": Problem("a dimension refers to a value that is no dimension",
                      "Symbols of dimensions are values of type index in scope, or extents known at "
                      "run time.", _DAMAGED),
    "HV0843": Problem("dimensions are too large when written out",
                      "What the uses of shared types and dimensions come to is limited, so that a "
                      "small file does not become a large module.",
                      "use shorter expressions in the types that many definitions share"),
    "HV0845": Problem("the module can't be encoded",
                      "A module made by a program, not by the parser, breaks the rules of the model.",
                      "`hvisa verify` tells what is wrong with a module"),
}

for _code, _problem in PROBLEMS.items():
    register(_code, _problem.message, _problem.meaning, _problem.help)


def problem(code: str, detail: str, span: Span | None) -> HvisaError:
    """The exception for one problem, to be raised by the caller."""
    found = PROBLEMS[code]
    return HvisaError(Diagnostic(code, f"{found.message}: {detail}", span, help=found.help))


def unencodable(detail: str, span: Span | None) -> HvisaError:
    """The exception for a module that has no encoding."""
    return problem("HV0845", detail, span)
