"""Streams: nodes fire when their items are there; delay edges put one item before all (semantics
8).

A region's stream nodes form a network. It runs until nobody can fire; since nodes are pure and take
items in order, the items of each stream do not depend on who fires first.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hvisa.graph.interpreter import values
from hvisa.graph.interpreter.graphs import GraphFrame, unverified
from hvisa.graph.interpreter.machine import Task
from hvisa.graph.interpreter.nodes import run_node
from hvisa.graph.interpreter.values import Array, Stream
from hvisa.graph.model import Instr, NodeDetail, Value
from hvisa.spec.types import BufferType, StreamType, Type


def uses_streams(instr: Instr) -> bool:
    return any(isinstance(o.type, StreamType) for o in (*instr.operands, *instr.results))


class Network:
    """The stream nodes of one region, in order."""

    def __init__(self, frame: GraphFrame):
        self.frame = frame
        self.actors: list[Firing | Whole | Delay] = []
        # Streams from outside: what they hold is how often everything runs.
        self.given = {id(v): v for v in frame.values.values() if isinstance(v, Stream)}

    def add(self, instr: Instr) -> None:
        """A node or delay; its result streams exist, empty, from now on."""
        if instr.row.mnemonic == "delay":
            self.actors.append(Delay(self.frame, instr))
            return
        if instr.row.mnemonic != "node":
            raise unverified("HV0510", f"`{instr.row.mnemonic}` does not take streams", instr.span)
        callee = self.frame.machine.module.definitions.get(instr.callee or "")
        if callee is None:
            raise unverified("HV0107", f"`@{instr.callee}` is not defined in this module",
                             instr.span)
        lifted = [n for n, (o, p) in enumerate(zip(instr.operands, callee.taken, strict=True))
                  if isinstance(o.type, StreamType) and not isinstance(p.type, StreamType)]
        self.actors.append(Firing(self.frame, instr, lifted) if lifted else
                           Whole(self.frame, instr))

    def _limit_cycles(self) -> None:
        """A cycle that no outer stream feeds would fire for ever: it fires once a round, that is, as
        often as the outer streams have items."""
        fed = {id(s) for s in self.given.values()}
        growing = True
        while growing:
            growing = False
            for actor in self.actors:
                if id(actor) not in fed and any(id(s) in fed for s in actor.sources()):
                    fed |= {id(actor), *(id(s) for s in actor.made())}
                    growing = True
        rounds = max((len(s.items) for s in self.given.values()), default=0)
        for actor in self.actors:
            if isinstance(actor, Firing) and id(actor) not in fed:
                actor.most = rounds

    def run(self) -> Task:
        self._limit_cycles()
        going = bool(self.actors)
        while going:
            going = False
            for actor in self.actors:
                going = (yield actor.advance()) or going


class Delay:
    """`init`, then the items of `next`."""

    def __init__(self, frame: GraphFrame, instr: Instr):
        self.frame = frame
        self.following = instr.operands[1]
        self.out = Stream([_item(frame.operand(instr.operands[0]))])
        self.taken = 0
        frame.values[instr.results[0]] = self.out

    def sources(self) -> list[Any]:
        return [self.frame.operand(self.following)]

    def made(self) -> list[Any]:
        return [self.out]

    def advance(self) -> Task:
        """Pass on what has come; whether anything had."""
        yield from ()
        source: Stream = self.frame.operand(self.following)
        new = source.items[self.taken:]
        self.taken += len(new)
        self.out.items += new
        return bool(new)


def _item(found: Any) -> Any:
    return found


class Firing:
    """A node lifted over streams: it fires once for `consume` items of each."""

    def __init__(self, frame: GraphFrame, instr: Instr, lifted: list[int]):
        self.frame = frame
        self.instr = instr
        self.detail: NodeDetail = instr.detail
        self.lifted = lifted
        self.taken = dict.fromkeys(lifted, 0)
        self.outs = _new_streams(frame, instr.results)
        self.most: int | None = None
        self.fired = 0

    def sources(self) -> list[Any]:
        return [self.frame.operand(self.instr.operands[n]) for n in self.lifted]

    def made(self) -> list[Any]:
        return list(self.outs)

    def advance(self) -> Task:
        """Fire as often as the items allow; whether it fired."""
        fired = False
        while True:
            operands = self._take() if self.most is None or self.fired < self.most else None
            if operands is None:
                return fired
            fired = True
            self.fired += 1
            results = yield run_node(self.frame, self.instr, operands)
            for out, output, type_, found in zip(self.outs, self.detail.outputs,
                                                 (v.type for v in self.instr.results), results,
                                                 strict=True):
                out.items += self._items(found, output.produce, type_)

    def _take(self) -> list[Any] | None:
        """The operands of the next firing, if all its items are there."""
        operands = [self.frame.operand(o) for o in self.instr.operands]
        for position in self.lifted:
            count = self.detail.arguments[position].consume
            start = self.taken[position]
            items = operands[position].items[start:start + count]
            if len(items) < count:
                return None
            operands[position] = items[0] if count == 1 else _batch(
                items, self.instr.operands[position].type)
        for position in self.lifted:
            self.taken[position] += self.detail.arguments[position].consume
        return operands

    def _items(self, found: Any, count: int, type_: Type) -> list[Any]:
        """The items of one result: itself, or the rows along its leading dimension."""
        if count == 1:
            return [found]
        if len(found) != count:
            raise unverified("HV0511", f"a firing gives {len(found)} items, `by {count}` is written",
                             self.instr.span)
        item = type_.item if isinstance(type_, StreamType) else type_
        if isinstance(item, BufferType):
            return list(found)
        element = values.element_type(item)
        return [values.from_storage(found[n:n + 1], element) for n in range(count)]


def _batch(items: list[Any], type_: Type) -> Array:
    """Several items along a new leading dimension."""
    assert isinstance(type_, StreamType)
    if isinstance(type_.item, BufferType):
        return np.stack(items)
    return np.concatenate([values.to_storage(i, values.element_type(type_.item)) for i in items])


class Whole:
    """A graph that takes streams as they are. It is pure and its outputs only grow with its inputs,
    so it is run again on the longer inputs whenever items have come."""

    def __init__(self, frame: GraphFrame, instr: Instr):
        self.frame = frame
        self.instr = instr
        self.lengths: list[int] | None = None
        self.outs = _new_streams(frame, instr.results)

    def sources(self) -> list[Any]:
        found = [self.frame.operand(o) for o in self.instr.operands]
        return [s for s in found if isinstance(s, Stream)]

    def made(self) -> list[Any]:
        return list(self.outs)

    def advance(self) -> Task:
        """Run if there are more items than last time; whether it ran."""
        operands = [self.frame.operand(o) for o in self.instr.operands]
        lengths = [len(o.items) for o in operands if isinstance(o, Stream)]
        if lengths == self.lengths:
            return False
        self.lengths = lengths
        results = yield run_node(self.frame, self.instr, operands)
        for value, out, found in zip(self.instr.results, self.outs, results, strict=True):
            if isinstance(found, Stream):
                out.items += found.items[len(out.items):]
            else:
                self.frame.define(value, found)
        return True


def _new_streams(frame: GraphFrame, results: list[Value]) -> list[Stream]:
    """An empty stream for each result."""
    outs = [Stream() for _ in results]
    frame.values.update(zip(results, outs, strict=True))
    return outs
