"""HV09xx to HV11xx: traps, launches, devices. No module is refused for these."""

from __future__ import annotations

from hvisa.spec.errors import register

register("HV0901", "division by zero", """
An integer was divided by zero. Floating division never traps.
""", "test the divisor, or use `select` to replace it")
register("HV0902", "out of bounds", """
An access without a bounds form left its buffer.
""", "use `load.zero`, `load.clamp` or `store.skip` for borders")
register("HV0903", "an assertion failed", """
An `assert` found its condition false; the message is the program's own.
""")
register("HV0904", "the step of a loop is below 1", """
`for` counts upward.
""", "use a positive step")
register("HV0905", "an extent is out of range", """
`set_extent` was given a negative number, or more than the capacity.
""", "clamp the count to the capacity")
register("HV0906", "an instance left its own elements", """
Two instances reached one element through an `own checked` port.
""", "mend the indices, or make the port `shared`")
register("HV0907", "a box lies outside its buffer", """
The offset of a box is below 0 or beyond the extent. Only the far end of a box is clipped.
""", "keep offsets within 0 and the extent")
register("HV0908", "a host function failed", """
An extern function reported an error; the message is its own.
""", "look at the host function and what it is given")

register("HV1001", "an argument is missing or unknown", """
A launch passes every port that is taken, by position or by name.
""", "compare with the header of the entry")
register("HV1002", "an argument has the wrong element type", """
Nothing is converted at a launch.
""", "convert it: `x.astype(numpy.float32)`")
register("HV1003", "an argument has the wrong rank or shape", """
The shape does not fit the port's type.
""", "reshape it")
register("HV1004", "dimensions do not match", """
Two arguments give one symbol two values, or a `match` does not hold.
""", "pass arguments of fitting shapes")
register("HV1005", "an extent is out of range", """
An extent, a grid or a buffer is negative or beyond the limit, or a divisor is not at least 1.
""", "pass smaller arguments")
register("HV1006", "a written argument overlaps", """
Written arguments share no element with others, and have no two elements in one place.
""", "pass a copy")
register("HV1007", "a written argument is read-only", """
The array can't be written.
""", "pass a writable array, or `copy=True`")
register("HV1008", "a launch took too long", """
The launch was stopped because its time ran out; written arguments are unspecified.
""", "allow more time, or look for a loop that does not end")
register("HV1009", "no such entry", """
The module has no public leaf or graph of this name that can be launched. One whose symbols only a
box binds can't be.
""", "use one of the names listed")
register("HV1010", "a version was lost", """
The buffer was changed in place by a launch that failed, so its old content is gone.
""", "make it again, or launch with `recover=True`")
register("HV1011", "there is no such instance to follow", """
An instance is followed by the ids of a leaf's grid, as many as the grid has and each within its extent.
""", "write `NODE:I,J` with ids from 0")

register("HV1020", "a file can't be read", """
There is no such file, it may not be read, or it holds neither text nor bytecode nor a known kind of data.
""", "check the path")
register("HV1021", "a file's kind is not known", """
The end of a file's name tells what is in it: `.hvasm`, `.hvbc`, `.npy`, `.npz`, `.png`, `.gif`.
""", "give the file one of the known endings")
register("HV1022", "a file can't be written", """
The folder does not exist, is full, or may not be written to. Nothing is left behind.
""", "choose another place")

register("HV1101", "no such device", """
No translator is known by this name.
""", "see `hvisa devices`")
register("HV1102", "the device is not present", """
The device is known, but this machine does not have it.
""", "choose another device")
register("HV1103", "the device declines the node", """
The device can't run something in the node exactly as it is defined; the message names each thing.
""", "choose another device")
register("HV1106", "the translation failed", """
Code that was made for a node was refused. This is a fault of hvisa, not of the program.
""", "report it, with the module")
register("HV1107", "translated code calls something unknown", """
Cached code is self-contained; this one is not.
""", "report it, with the module")
register("HV1108", "object code can't be loaded", """
The code does not fit this process or its memory.
""", "clear the cache and try again")
register("HV1109", "native code is not possible here", """
The machine, the system or a setting does not allow native code.
""", "use the device `reference`")

register("HV0910", "out of memory", """
A graph needs memory for a buffer between its nodes, and the system has none to give. Nothing was
published.
""", "use smaller inputs, or tiles")
