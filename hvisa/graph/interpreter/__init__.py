"""The reference interpreter: the device `reference`, the judge of all others; clear before fast.

A leaf's instances are lanes of numpy arrays and take each step together, under a mask (`lanes`,
`machine`). Rows of the instruction table bring their own meaning (`plain`); memory, control,
reductions and collectives have theirs here. Graphs hold immutable arrays and launch leaves
(`graphs`, `nodes`, `streams`). Read `api` for what a caller sees, `launch` for what one launch
does.
"""

from hvisa.graph.interpreter.api import Interpreter

__all__ = ["Interpreter"]
