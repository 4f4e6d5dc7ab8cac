"""What can be wrong with bytecode: each code with its message and help line, in one place.

Every message gets a detail after a colon; the place is a byte offset and a section.
"""

from __future__ import annotations

from typing import NamedTuple

from hvisa.diagnostics import Diagnostic, HvisaError, Span


class Problem(NamedTuple):
    message: str
    help: str


_DAMAGED = "the file is damaged, or was not written by an hvisa encoder; assemble it again"

PROBLEMS: dict[str, Problem] = {
    "HV0820": Problem("this is not hvisa bytecode",
                      "text goes through `hvisa assemble` first"),
    "HV0821": Problem("the bytes end too early", "the file was cut off; copy or assemble it again"),
    "HV0822": Problem("this version of the format is not known here",
                      "install a version of hvisa that reads it, or assemble the text again"),
    "HV0823": Problem("the module needs a feature that is not known here",
                      "install a version of hvisa that has the feature"),
    "HV0824": Problem("a section is out of place", _DAMAGED),
    "HV0825": Problem("a number is not in its shortest form", _DAMAGED),
    "HV0826": Problem("a count is larger than what follows", _DAMAGED),
    "HV0827": Problem("bytes are left over", _DAMAGED),
    "HV0828": Problem("a table is not sorted, or holds an entry twice", _DAMAGED),
    "HV0829": Problem("an entry of a table is never used", _DAMAGED),
    "HV0830": Problem("a number refers to nothing", _DAMAGED),
    "HV0831": Problem("a string or name is not allowed here", _DAMAGED),
    "HV0832": Problem("this is no type", _DAMAGED),
    "HV0833": Problem("this is no dimension in normal form", _DAMAGED),
    "HV0834": Problem("this is no instruction of this version",
                      "install a version of hvisa that has the instruction"),
    "HV0835": Problem("a flag, choice or immediate is out of range", _DAMAGED),
    "HV0836": Problem("an operand refers to no value in scope", _DAMAGED),
    "HV0837": Problem("a region or header is not built as its construct wants", _DAMAGED),
    "HV0838": Problem("a constant has bits that its type does not have", _DAMAGED),
    "HV0839": Problem("there is a shorter encoding of the same module", _DAMAGED),
    "HV0840": Problem("a name is taken",
                      "drop the section `names`: `hvisa strip` gives the module without it"),
    "HV0841": Problem("a stated count is wrong", _DAMAGED),
    "HV0842": Problem("a dimension refers to a value that is no dimension", _DAMAGED),
    "HV0843": Problem("dimensions are too large when written out",
                      "use shorter expressions in the types that many definitions share"),
    "HV0845": Problem("the module can't be encoded",
                      "`hvisa verify` tells what is wrong with a module"),
}


def problem(code: str, detail: str, span: Span | None) -> HvisaError:
    """The exception for one problem, to be raised by the caller."""
    found = PROBLEMS[code]
    return HvisaError(Diagnostic(code, f"{found.message}: {detail}", span, help=found.help))


def unencodable(detail: str, span: Span | None) -> HvisaError:
    """The exception for a module that has no encoding."""
    return problem("HV0845", detail, span)
