"""Loops being written, and where the code that runs in them is polled."""

from __future__ import annotations

from hvisa.graph.model import Region
from hvisa.translators.llvm.body import Body
from hvisa.translators.llvm.work import BETWEEN_POLLS, SHORT


class Loop:
    """A loop being written: phis of the header are completed when the latch is known."""

    def __init__(self, body: Body, carried: list[tuple[str, str]]):
        """`carried` has (type, initial value); the header is open afterwards."""
        self.body, f = body, body.f
        self.header, self.exit = f.label("loop"), f.label("done")
        self.start = f.block
        f.jump(self.header)
        f.start(self.header)
        self.types = [t for t, _ in carried]
        self.inits = [v for _, v in carried]
        self.names = [f.tmp() for _ in carried]
        self.at = len(f.lines)
        f.lines += [""] * len(carried)

    def leave_unless(self, condition: str) -> None:
        """Go on into the body where the condition holds, else to the exit."""
        inside = self.body.f.label("body")
        self.body.f.branch(condition, inside, self.exit)
        self.body.f.start(inside)

    def close(self, values: list[str]) -> None:
        """End the body with the next values and continue after the loop."""
        f = self.body.f
        latch = f.block
        f.jump(self.header)
        for n, (name, type_) in enumerate(zip(self.names, self.types, strict=True)):
            f.lines[self.at + n] = (f"  {name} = phi {type_} [ {self.inits[n]}, %{self.start} ], "
                                    f"[ {values[n]}, %{latch} ]")
        f.start(self.exit)


class Strips:
    """A long loop of short rounds in strips, with a poll between two, so that the loop itself stays
    simple enough to be made into vectors."""

    def __init__(self, body: Body, type_text: str, rounds: str, inits: list[tuple[str, str]],
                 region: Region | None):
        self.body = body
        self.rounds = rounds
        self.type_text = type_text
        self.types = [t for t, _ in inits]
        self.outer = Loop(body, [(type_text, "0"), *inits])
        f = body.f
        count = self.outer.names[0]
        self.outer.leave_unless(f.op(f"icmp ult {type_text} {count}, {rounds}"))
        longest = BETWEEN_POLLS // most(body, region)
        size = min(max(longest, 1), (1 << (int(type_text[1:]) - 1)) - 1)
        left = f.op(f"sub {type_text} {rounds}, {count}")
        strip = body.floats.intrinsic("umin", type_text, [left, str(size)])
        self.limit = f.op(f"add {type_text} {count}, {strip}")

    def start(self) -> list[tuple[str, str]]:
        """Types and values that the loop over one strip starts with."""
        return list(zip([self.type_text, *self.types], self.outer.names, strict=True))

    def close(self, values: list[str]) -> list[str]:
        """End a strip with the values that its loop left; the carried values after the last one."""
        f = self.body.f
        more, next_ = f.label("more"), f.label("strip")
        f.branch(f.op(f"icmp ult {self.type_text} {values[0]}, {self.rounds}"), more, next_)
        f.start(more)
        self.body.poll()
        f.jump(next_)
        f.start(next_)
        self.outer.close(values)
        return self.outer.names[1:]


def heavy(body: Body, region: Region | None) -> bool:
    """Whether a round may run long enough for a stop check to be cheap."""
    return most(body, region) > SHORT


def most(body: Body, region: Region | None) -> int:
    """The most instructions of a round; those around it are a few more."""
    return 8 + (0 if region is None else body.lowering.work.most(region.body))
