"""What a call and its fast path agree on."""

# Keyword arguments of a call that are no ports.
OPTIONS = ("out", "copy", "timeout", "device")
# The answer of a fast path that leaves the arguments to the general one.
UNUSUAL = object()
