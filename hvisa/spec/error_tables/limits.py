"""HV08xx: published limits, with the numbers of `hvisa.spec.limits`; bytecode has 0820 to 0849."""

from __future__ import annotations

from hvisa.spec.errors import register
from hvisa.spec.limits import LIMITS

_TITLES = {
    "nesting": "regions nest too deep",
    "instructions": "too many instructions",
    "nodes": "too many nodes",
    "edges": "too many edges",
    "definitions": "too many definitions",
    "ports": "too many ports",
    "source_bytes": "the text or bytecode is too long",
    "call_depth": "a chain of calls is too long",
    "local_bytes": "too large private arrays",
    "rank": "too many dimensions",
}
_PROGRAMS = {
    "local_bytes": """
leaf @f(%a: f32) {
  %t = local buf<f64>[10000]
}
""",
    "rank": f"""
leaf @f(in %x: buf<f32>[{', '.join(['2'] * (LIMITS["rank"].value + 1))}]) {{
}}
""",
}

for _name, _title in _TITLES.items():
    _limit = LIMITS[_name]
    register(_limit.code, _title, f"""
    There may be at most {_limit.value} {_limit.doc}. Limits hold for every module on every
    machine, so that no module is accepted here and refused there, and none can exhaust whoever
    reads it.
    """, _limit.help, _PROGRAMS.get(_name, ""))
