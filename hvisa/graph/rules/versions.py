"""Buffers that exist once: scratch, and ports that all instances of a replicated graph share.

Most buffers are values: an old version may be used after a node made a new one, and the runtime
copies if it must. Scratch, and the `shared` and `accumulate` ports of a graph, are changed in
place. A version of theirs is used up by the node that makes the next one; nothing may use it
afterwards. So the order in the text is an order of edges, and a reader before that node counts as
joined to it (semantics 9).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hvisa.graph.model import Instr, Operand, Port, Value
from hvisa.graph.rules.report import label
from hvisa.spec.operations import MODES, UPDATES

if TYPE_CHECKING:
    from hvisa.graph.rules.graphs import Frame, Graph

ACCUMULATE, SHARED = MODES.index("accumulate"), MODES.index("shared")


class Root:
    """A buffer that exists once: scratch (`port` None), or a port of the graph."""

    __slots__ = ("name", "port", "value")

    def __init__(self, value: Value, port: Port | None):
        self.value = value
        self.name = f"%{value.name}"
        self.port = port

    @property
    def word(self) -> str:
        return f"the scratch `{self.name}`" if self.port is None else f"`{self.name}`"


class Versions:
    """Versions of such buffers: whose they are, and which are used up."""

    def __init__(self, graph: Graph):
        self.graph = graph
        self.root: dict[Value, Root] = {}
        self.view_of: dict[Value, Value] = {}
        self.taken: dict[Value, Instr] = {}
        self.depth: dict[Value, int] = {}
        self.unwritten: set[Value] = set()
        for port in graph.definition.ports:
            if port.direction == 3 and port.mode in (ACCUMULATE, SHARED):
                self._add(port.value, Root(port.value, port))

    def _add(self, value: Value, root: Root) -> None:
        self.root[value] = root
        self.depth[value] = self.graph.loops

    def scratch(self, instr: Instr) -> None:
        self._add(instr.results[0], Root(instr.results[0], None))
        self.unwritten.add(instr.results[0])

    def of(self, operand: Operand) -> Root | None:
        return self.root.get(operand) if type(operand) is Value else None

    # -- uses --------------------------------------------------------------------------------------

    def uses(self, instr: Instr) -> None:
        """No operand is a version that is used up."""
        if not self.root:
            return
        for position, operand in enumerate(instr.operands):
            if type(operand) is Value:
                self._use(instr, position, operand)

    def _use(self, instr: Instr, position: int, operand: Value) -> None:
        version = self.view_of.get(operand, operand)
        taker = self.taken.get(version)
        if taker is None:
            return
        self.graph.report.at(
            "HV0313", f"`%{operand.name}` is an old version of {self.root[version].word}", instr,
            position, note="it was changed in place", labels=label(taker, "changed here"),
            help="use the version that this gave, or move the use before it")

    def take(self, instr: Instr, position: int) -> Root | None:
        """An operand's version is used up here; its buffer, if it is one that exists once."""
        operand = instr.operands[position]
        root = self.of(operand)
        if root is None or not isinstance(operand, Value):
            return None
        report = self.graph.report
        if self.depth[operand] < self.graph.loops:
            report.at("HV0313", f"{root.word} is changed in a loop, and not carried by it", instr,
                      position, note="the next round would use an old version",
                      help=f"carry it: `carry (%v = %{operand.name})`, and yield the new version")
        others = [n for n, o in enumerate(instr.operands) if n != position and isinstance(o, Value)
                  and self.view_of.get(o, o) is operand]
        if others and operand not in self.taken:
            report.at("HV0313", f"{root.word} is read and changed by one instruction", instr,
                      others[0], note="it exists once, so there is no old version to read",
                      help="use two buffers")
        self._mark(operand, instr)
        return root

    def _mark(self, version: Value, instr: Instr) -> None:
        if version not in self.taken:
            self.taken[version] = instr
            if self.graph.frames:
                self.graph.frames[-1].taken.append(version)

    # -- constructs --------------------------------------------------------------------------------

    def view(self, instr: Instr) -> None:
        operand = instr.operands[0]
        if type(operand) is not Value:
            return
        base = self.view_of.get(operand, operand)
        if base in self.root:
            self.view_of[instr.results[0]] = base

    def split(self, instr: Instr) -> None:
        root = self.take(instr, 0)
        if root is not None:
            for value in instr.results:
                self._add(value, root)

    def join(self, instr: Instr) -> None:
        roots = [self.take(instr, n) for n in range(len(instr.operands))]
        if roots and roots[0] is not None and all(r is roots[0] for r in roots):
            self._add(instr.results[0], roots[0])
        elif any(r is not None for r in roots):
            self.graph.report.at("HV0315", "parts of different buffers are joined", instr,
                                 note="one of them exists once and is changed in place",
                                 help="join the parts that one `split` gave")

    def node(self, instr: Instr, ports: Sequence[Port], written: Sequence[Port]) -> None:
        """Arguments of a node against what their buffers allow; the versions that it gives."""
        if not self.root:
            return
        for position, port in enumerate(ports):
            operand = instr.operands[position]
            base = self.view_of.get(operand, operand) if isinstance(operand, Value) else operand
            root = self.of(base)
            if root is None:
                continue
            if port.written:
                self._fits(instr, position, port, root)
                if self.take(instr, position) is not None:
                    number = next(n for n, p in enumerate(written) if p is port)
                    self._add(instr.results[number], root)
            else:
                self._read(instr, position, root, base)

    def _fits(self, instr: Instr, position: int, port: Port, root: Root) -> None:
        if root.port is None or (root.port.mode, port.mode) == (SHARED, ACCUMULATE):
            return
        if (port.mode, port.operator) == (root.port.mode, root.port.operator):
            return
        self.graph.report.at("HV0315", f"`%{port.name}` of `@{instr.callee}` is {_mode(port)}, "
                             f"and {root.word} is {_mode(root.port)}", instr, position,
                             help=f"make the port `inout {_mode(root.port)[1:-1]} %{port.name}`")

    def _read(self, instr: Instr, position: int, root: Root, version: Operand) -> None:
        report = self.graph.report
        if root.port is not None and root.port.mode == ACCUMULATE:
            report.at("HV0307", f"{root.word} is read, and it is "
                                f"{_mode(root.port)}", instr, position,
                      note="other instances are still joining into it",
                      help=f"make it `inout shared {root.name}`, or read it in a later node")
        elif version in self.unwritten and version not in self.taken:
            report.at("HV0317", f"{root.word} is read before any write", instr, position,
                      note="nothing was written into it yet", help="use `zeros` for a buffer of "
                                                                   "zeros")

    # -- regions -----------------------------------------------------------------------------------

    def carry(self, instr: Instr, parameters: Sequence[Value], inits: Sequence[Operand]) -> None:
        """A loop takes its inits; the parameters are versions of the same buffers."""
        first = len(instr.operands) - len(inits)
        loops, self.graph.loops = self.graph.loops, self.graph.loops - 1
        frame = self.graph.frames.pop()
        for number, (value, init) in enumerate(zip(parameters, inits, strict=True)):
            if isinstance(init, Value):
                self._use(instr, first + number, init)
            root = self.take(instr, first + number)
            if root is not None:
                self.root[value] = root
                self.depth[value] = loops
        self.graph.loops = loops
        self.graph.frames.append(frame)

    def other_branch(self, frame: Frame) -> None:
        """The second branch does not see what the first used up."""
        frame.stash = frame.taken
        frame.taken = []
        for version in frame.stash:
            self.taken.pop(version, None)

    def leave(self, frame: Frame) -> None:
        instr = frame.instr
        for version in [*frame.stash, *frame.taken]:
            self.taken.setdefault(version, instr)
            if self.graph.frames:
                self.graph.frames[-1].taken.append(version)
        for number, value in enumerate(instr.results):
            given = [y.operands[number] for y in frame.yields if number < len(y.operands)]
            roots = [self.of(o) for o in given]
            carried = instr.regions[0].parameters[len(instr.regions[0].parameters)
                                                  - len(instr.results):]
            if carried:
                roots.append(self.root.get(carried[number]))
            if any(r is not roots[0] for r in roots):
                self.graph.report.at("HV0315", f"`%{value.name}` is one buffer or another", instr,
                                     note="one of them exists once and is changed in place",
                                     help="let each way give a version of the same buffer")
            elif roots and roots[0] is not None:
                self._add(value, roots[0])

    def yielded(self, instr: Instr) -> None:
        frames = self.graph.frames
        if frames:
            for position in range(len(instr.operands)):
                if self.of(instr.operands[position]) is not None:
                    self._mark_moved(instr, position)
            return
        ports = self.graph.definition.written
        for position, operand in enumerate(instr.operands):
            base = self.view_of.get(operand, operand) if isinstance(operand, Value) else operand
            root = self.of(base)
            port = ports[position] if position < len(ports) else None
            if self.leaves(instr, position):
                continue
            if port is not None and port.direction == 3 and port.mode in (ACCUMULATE, SHARED) and (
                    root is None or root.port is not port):
                self.graph.report.at("HV0516", f"`%{port.name}` is {_mode(port)}: its last version "
                                     "is yielded for it", instr, position,
                                     note="instances change this buffer in place",
                                     help=f"yield what the nodes made of `%{port.name}`")
            elif root is not None and (port is None or root.port is not port):
                self.graph.report.at("HV0516", f"{root.word} is yielded for another port", instr,
                                     position, help="yield it in its own place")

    def leaves(self, instr: Instr, position: int) -> bool:
        """Whether an operand is scratch, which can't leave its graph here."""
        operand = instr.operands[position]
        root = self.of(self.view_of.get(operand, operand)) if isinstance(operand, Value) else None
        if root is None or root.port is not None:
            return False
        self.graph.report.at("HV0314", f"{root.word} leaves its graph", instr, position,
                             note="it belongs to one instance of the graph and ends with it",
                             help="write the result into an `out` port of a node instead")
        return True

    def _mark_moved(self, instr: Instr, position: int) -> None:
        operand = instr.operands[position]
        if isinstance(operand, Value) and self.depth[operand] >= self.graph.loops:
            self._mark(operand, instr)


def _mode(port: Port) -> str:
    word = MODES[port.mode]
    return f"`{word}({UPDATES[port.operator]})`" if port.mode == ACCUMULATE else f"`{word}`"

