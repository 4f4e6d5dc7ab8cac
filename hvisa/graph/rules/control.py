"""Control in leaves and functions: uniformity, barriers and collectives, loops, `reduce` (semantics
18-20).

Classes are constant < launch < parent < varying. A carried value has the class written on its loop,
which its init and every yield must keep: so one pass is enough. What leaves a loop also varies with
the number of rounds, what leaves an `if` with its condition.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hvisa.diagnostics import plural
from hvisa.graph.facts import CONSTANT, NONDETERMINISTIC, PARENT, VARYING
from hvisa.graph.model import Function, Instr, Value
from hvisa.graph.rules import memory
from hvisa.graph.rules.report import label
from hvisa.spec import types as ty
from hvisa.spec.operations import EFFECT_CLASSES, UNIFORMITY
from hvisa.spec.table import ROWS

if TYPE_CHECKING:
    from hvisa.graph.rules.body import Body

_IF, _FOR, _WHILE, _REDUCE = ROWS["if"], ROWS["for"], ROWS["while"], ROWS["reduce"]
_SCALARS_ONLY = "a leaf carries and yields scalars and vectors, not buffers"


class Frame:
    """An open region of a construct. `control` is what the class was outside, `classes` the classes
    of what it yields so far, `condition` the class of a `while`'s check."""

    __slots__ = ("classes", "condition", "control", "instr", "loop", "number", "outer", "waits")

    def __init__(self, instr: Instr, control_: int):
        self.instr = instr
        self.control = control_
        self.number = 0
        self.classes: list[int] = []
        self.condition = CONSTANT
        self.loop = False
        self.waits: Instr | None = None  # a collective in the first region of this `while`
        self.outer: Frame | None = None


def _enter(body: Body, instr: Instr, class_: int, loop: bool) -> Frame:
    frame = Frame(instr, body.control)
    frame.loop = loop
    body.frames.append(frame)
    body.control = max(body.control, class_)
    body.loops += loop
    body.branches += instr.row is not _FOR
    return frame


def _parameters(body: Body, instr: Instr, start: int, first: int) -> None:
    """Carried values get their declared classes, which the inits keep."""
    values = instr.regions[0].parameters[start:]
    for number, (value, declared) in enumerate(zip(values, instr.uniform, strict=True)):
        _keeps(body, instr, first + number, value, declared, "starts as")
        body.uniformity[value] = declared
        body.in_loop.add(value)
        body.defined[value] = instr
        if type(value.type) is ty.BufferType:
            body.report.at("HV0411", f"`%{value.name}` can't carry a buffer", instr, first + number,
                           note=_SCALARS_ONLY, help="choose an index instead")


def _keeps(body: Body, instr: Instr, position: int, value: Value, declared: int, verb: str) -> None:
    found = body.operand_class(instr, position)
    if found > declared:
        word = {"parent": "uniform"}.get(UNIFORMITY[declared], UNIFORMITY[declared])
        body.report.at("HV0408", f"`%{value.name}` is declared `{word}`, and {verb} something "
                       f"{UNIFORMITY[found]}", instr, position, note=f"this is {UNIFORMITY[found]}",
                       help=f"remove `{word}`, or make the value uniform: "
                       "`%u = group_broadcast %v, 0`")


def enter_if(body: Body, instr: Instr) -> None:
    _enter(body, instr, body.operand_class(instr, 0), False)


def enter_for(body: Body, instr: Instr) -> None:
    bounds = body.join(instr, 0, 3)
    frame = _enter(body, instr, bounds, True)
    frame.condition = bounds
    counter = instr.regions[0].parameters[0]
    body.uniformity[counter] = bounds
    body.in_loop.add(counter)
    body.counters[counter] = instr
    _parameters(body, instr, 1, 3)


def enter_while(body: Body, instr: Instr) -> None:
    frame = _enter(body, instr, CONSTANT, True)
    frame.outer, body.condition_frame = body.condition_frame, frame
    _parameters(body, instr, 0, 0)


def enter_reduce(body: Body, instr: Instr) -> None:
    bounds = body.join(instr)
    frame = _enter(body, instr, bounds, True)
    frame.condition = bounds
    body.reduces += 1
    for number, counter in enumerate(instr.regions[0].parameters):
        body.uniformity[counter] = body.join(instr, 2 * number, 2 * number + 2)
        body.in_loop.add(counter)
        body.counters[counter] = instr


def check(body: Body, instr: Instr) -> None:
    body.frames[-1].condition = body.operand_class(instr, 0)


def second_region(body: Body, frame: Frame) -> None:
    """Between the two regions of `if` or `while`."""
    if frame.instr.row is not _WHILE:
        return
    body.condition_frame = frame.outer
    body.control = max(body.control, frame.condition)
    if frame.waits is not None and frame.condition > PARENT:
        _divergent(body, frame.waits, frame.instr)
    elif frame.waits is not None and frame.outer is not None:
        frame.outer.waits = frame.waits


def yield_(body: Body, instr: Instr) -> None:
    frame = body.frames[-1] if body.frames else None
    if frame is None:
        return
    owner = frame.instr
    if owner.row is _FOR or owner.row is _WHILE:
        carried = owner.regions[0].parameters[1 if owner.row is _FOR else 0:]
        for number, (value, declared) in enumerate(zip(carried, owner.uniform, strict=True)):
            if number < len(instr.operands):
                _keeps(body, instr, number, value, declared, "gets")
        return
    for number, operand in enumerate(instr.operands):
        if type(operand.type) is ty.BufferType:
            body.report.at("HV0411", "a buffer can't be yielded in a leaf", instr, number,
                           note=_SCALARS_ONLY, help="choose an index instead")
    found = [body.operand_class(instr, n) for n in range(len(instr.operands))]
    frame.classes = [max(a, b) for a, b in zip(found, frame.classes, strict=True)] \
        if len(frame.classes) == len(found) else found


def leave(body: Body, frame: Frame) -> None:
    """Results of a construct."""
    instr = frame.instr
    body.control = frame.control
    body.loops -= frame.loop
    body.branches -= instr.row is not _FOR
    if instr.row is _IF:
        condition = body.operand_class(instr, 0)
        classes = [max(condition, c) for c in frame.classes]
    elif instr.row is _REDUCE:
        body.reduces -= 1
        classes = [max([frame.condition, *frame.classes])] * len(instr.results)
    else:
        classes = [max(frame.condition, declared) for declared in instr.uniform]
    for value, class_ in zip(instr.results, classes, strict=False):
        body.uniformity[value] = class_
        body.defined[value] = instr
        if body.loops:
            body.in_loop.add(value)


# -- between instances -----------------------------------------------------------------------------

def collective(body: Body, instr: Instr) -> None:
    """A barrier or collective: all instances of the parent get there, or none."""
    name = instr.row.mnemonic
    body.mine.barriers = True
    body.mine.collectives = body.mine.collectives or name != "barrier"
    if body.reduces:
        body.report.at("HV0410", f"`{name}` can't stand inside `reduce`", instr,
                       note="its rounds are spread over lanes and threads", help="use `for`")
    elif body.control > PARENT:
        culprit = next((f.instr for f in body.frames
                        if max(f.condition, _entry_class(body, f.instr)) > PARENT), None)
        _divergent(body, instr, culprit)
    elif body.condition_frame is not None and body.condition_frame.waits is None:
        body.condition_frame.waits = instr
    if name == "group_broadcast" and body.operand_class(instr, 1) > PARENT:
        body.report.at("HV0409", "the instance of `group_broadcast` must be uniform", instr, 1,
                       note="this is varying", help="`group_shuffle` takes a varying one")
    varying = name in ("group_scan", "group_shuffle")
    body.give(instr, VARYING if varying else PARENT)


def _entry_class(body: Body, instr: Instr) -> int:
    return body.operand_class(instr, 0) if instr.row is _IF else CONSTANT


def _divergent(body: Body, instr: Instr, culprit: Instr | None) -> None:
    body.report.at("HV0407", f"`{instr.row.mnemonic}` may be reached by some instances and not by "
                   "others", instr, note="all instances of the parent must get here, or none",
                   labels=label(culprit, "this varies between instances"),
                   help="move it out of the region, or make the condition uniform: "
                   "`%c = group_any %d`")


# -- calls and output ------------------------------------------------------------------------------

def call(body: Body, instr: Instr) -> None:
    """A call's results vary as its arguments do; effects and host functions are the caller's
    too."""
    found = memory.arguments(body, instr)
    callee = body.module.definitions[instr.callee or ""]
    facts = body.facts[callee.name]
    if isinstance(callee, Function) and callee.external:
        body.externs.add(callee.name)
    body.externs |= facts.externs
    body.mine.prints |= facts.prints
    body.callee_bytes = max(body.callee_bytes, facts.local_bytes)
    if facts.effect:
        body.raise_effect(facts.effect, instr,
                          f"`@{callee.name}` is {EFFECT_CLASSES[facts.effect]}")
    body.give(instr, VARYING if facts.effect == NONDETERMINISTIC else found)


def print_(body: Body, instr: Instr) -> None:
    body.mine.prints = True
    places = str(instr.immediates[0]).count("{}")
    if places != len(instr.operands):
        body.report.at("HV0223", f"`print` has {plural(places, 'place')} `{{}}` and "
                       f"{plural(len(instr.operands), 'operand')}", instr,
                       help="write one `{}` for each operand")
    for position, operand in enumerate(instr.operands):
        if ty.element_of(operand.type) is None:
            body.report.at("HV0202", f"`print` does not take {operand.type}", instr, position,
                           note=f"this is {operand.type}", help="load an element and print that")


HANDLERS = {ROWS["if"]: enter_if, ROWS["for"]: enter_for, ROWS["while"]: enter_while,
            ROWS["reduce"]: enter_reduce, ROWS["check"]: check, ROWS["yield"]: yield_,
            ROWS["call"]: call, ROWS["print"]: print_,
            **{row: collective for row in ROWS.values() if row.collective}}
