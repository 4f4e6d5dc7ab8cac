"""HV12xx: Python functions."""

from __future__ import annotations

from hvisa.spec.errors import register

register("HV1201", "no source text", """
A decorated function is compiled from its text, which Python keeps for files and notebooks only.
""", "define it in a file")
register("HV1202", "a name without a value", """
The name is not defined here, or only on some of the ways that lead here.
""", "assign it before the branch or loop")
register("HV1203", "not supported in a kernel", """
The body of a leaf or function is compiled, not run: it holds numbers, vectors, buffers, tuples,
`if`, `for`, `while` and calls of operations and of functions that are compiled too.
""", "write it as the message says")
register("HV1204", "the wrong kind of value", """
A number, a vector, a buffer or a tuple stands where another one of them is expected.
""", "look at what the value is: the message names its type")
register("HV1205", "a number is not converted by itself", """
A value takes the type of what it is stored in only if its kind stays: truth values to integers to
floats, and within a kind.
""", "convert it: `i32(x)`")
register("HV1206", "a number out of range", """
A constant does not fit the type that it meets.
""", "use a wider type")
register("HV1207", "an operator that the type does not have", """
Bits of floats, arithmetic of truth values and the like are not defined.
""", "convert the operands first")
register("HV1208", "a constant expression fails", """
Python can't compute an expression of constants: a division by zero, for example.
""", "mend the expression")
register("HV1209", "a power that is not an instruction", """
`x ** 2` is a product, whole powers of integers are; others are functions of the standard mathematics.
""", "write `hvisa.pow(x, y)` or products")
register("HV1210", "no complex numbers", """
hvisa has no complex type. Real and imaginary parts are kept apart, which is also what vectorises best.
""", "keep two buffers (structure of arrays)")
register("HV1211", "wrong arguments of an operation", """
An operation is called with too few or too many arguments, or with ones that it does not take.
""", "compare with its page: `help(hvisa.select)`")
register("HV1212", "an index that can't be", """
Each dimension is indexed by one integer, counted from 0. Slices, negative constants and whole rows are
not values of a kernel; items of tuples and lanes of vectors are numbered by constants.
""", "index every dimension")
register("HV1213", "an access that the port does not allow", """
`In` ports are only read, `Accumulate` ports only joined into; `.skip` is a way of writing, `.clamp` and
`.zero` are ways of reading.
""", "change the port's annotation or the access")
register("HV1214", "no such attribute", """
Values of a kernel have few attributes: buffers have their shape and their ways of access.
""", "use one that the message names")
register("HV1215", "a value whose type depends on the run", """
After a branch or in a loop a name has one type. Buffers, tuples and texts can't depend on a condition.
""", "give the name a type before: `s: f32 = 0.0`")
register("HV1216", "a loop that can't be unrolled", """
Loops over tuples and `static_range` are written out, so their items are constants, and not too many.
""", "use `range`")
register("HV1217", "a header that can't be", """
Each parameter of a node has a type that says how it is passed.
""", "for example `x: In[f32, \"n\"]`, `y: Out[f32, \"n\"]`, `a: f32`")
register("HV1218", "recursion", """
Definitions never call themselves, directly or through others: kernels have no stack.
""", "write a loop")
register("HV1219", "an array that can't be a constant", """
Arrays from outside a function become constants of the module, if they are small and of numbers.
""", "pass it as an `In` port")
register("HV1221", "a size that is not known at launch", """
Grids, buffers and boxes have sizes built of constants, symbols of shapes and `index` parameters.
""", "pass the size as a parameter of type `index`")
register("HV1222", "returns do not fit", """
Each way through a function returns equally many values, as many as its header says.
""", "end it with a `return`")
register("HV1223", "a function is not launched", """
`@hvisa.func` makes a function that leaves call; only leaves and graphs are nodes.
""", "call a leaf or a graph")
register("HV1224", "a decorator in the wrong place", """
The decorators take a function defined with `def`.
""", "write it above a `def`")
register("HV1225", "shapes that do not fit", """
Extents of arrays that meet are equal by normal form, or the constant 1 (numpy's broadcasting).
""", "say that they are equal: `hvisa.match(a.shape[0], b.shape[0])`")
register("HV1226", "too deep to be compiled", """
Expressions and blocks inside each other are compiled one in the other, as deep as Python's own stack
allows.
""", "compute parts in variables or functions of their own")
register("HV1230", "not a Python file", """
`hvisa compile` takes a file of Python, which it imports.
""", "give a file that ends in .py")
register("HV1231", "nothing to compile", """
The file defines no function that is decorated. Those that it imports from other files are compiled where
they are used, and with their own file.
""", "write `@hvisa.leaf` or `@hvisa.graph` above a `def`")
register("HV1232", "a file can't be imported", """
Python raises an exception while it runs the file, which it does up to the decorators and all that stands
outside of functions.
""", "put what only a script does under `if __name__ == \"__main__\":`")
register("HV1233", "an option that a decorator does not have", """
Decorators take what a header of the text form says: `private`, `effect`, `implements`, `attributes`, and
`fast`.
""", "compare with `help(hvisa.leaf)`")
