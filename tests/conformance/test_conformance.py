"""Every directive of the conformance programs, on every device."""

from __future__ import annotations

import pytest

from hvisa.assembler.parser import parse
from hvisa.diagnostics import HvisaError
from hvisa.graph.verifier import verify
from hvisa.spec.table import ROWS
from tests.conformance.directives import Directive
from tests.conformance.generated import cases, text_of
from tests.conformance.harness import DEVICES, ROOT, Absent, Declined, all_directives, check, load

DIRECTIVES = all_directives()


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("directive", DIRECTIVES, ids=lambda d: d.name)
def test_directive(directive: Directive, device: str) -> None:
    try:
        check(DEVICES[device], directive)
    except (Absent, Declined) as reason:
        pytest.skip(f"{device}: {reason}")


@pytest.mark.parametrize("mnemonic", [n for n, r in ROWS.items() if not r.reserved])
def test_every_instruction_has_a_program(mnemonic: str) -> None:
    """Named after it, in the folder of its group, with a directive."""
    file = ROOT / ROWS[mnemonic].group / f"{mnemonic}.hvasm"
    assert file.exists() and any(d.file == file for d in DIRECTIVES), f"{file} is missing"


@pytest.mark.parametrize("file", sorted(ROOT.glob("*/*.hvasm")), ids=lambda f: f.stem)
def test_every_entry_runs(file) -> None:
    """No program stands there unused."""
    used = {d.entry for d in DIRECTIVES if d.file == file}
    callees = {i.callee for d in load(file).definitions.values() if d.body is not None
               for i in _instructions(d)}
    unused = [n for n in load(file).definitions if n not in used and n not in callees]
    assert not unused, unused


def _instructions(definition):
    from hvisa.graph.model import instructions
    return instructions(definition.body)


REFUSED: dict[str, str] = {}


@pytest.mark.parametrize("file", sorted(ROOT.glob("*/*.hvasm")), ids=lambda f: f.stem)
def test_the_verifier_accepts_every_program(file) -> None:
    try:
        verify(load(file))
    except HvisaError:
        if file.stem in REFUSED:
            pytest.xfail(REFUSED[file.stem])
        raise
    assert file.stem not in REFUSED, "it is accepted now: strike it off the list"


def test_every_generated_program_is_accepted() -> None:
    for mnemonic in dict.fromkeys(c.row.mnemonic for c in cases()):
        texts = [text_of(c) for c in cases() if c.row.mnemonic == mnemonic]
        verify(parse("\n".join(texts), mnemonic))
