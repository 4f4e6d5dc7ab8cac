"""`hvisa devices`: where programs can run on this machine."""

from __future__ import annotations

import json
from typing import Annotated

import typer


def devices(as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False) -> None:
    """List the devices of this machine, with the configuration that matters for reports.

    Example: `hvisa devices --json`
    """
    from hvisa import config
    found = config.devices()
    if as_json:
        print(json.dumps({"devices": [d._asdict() for d in found],
                          "config": config.show_config("dict")}))
        return
    width = max(len(d.name) for d in found)
    for device in found:
        print(f"{device.name:<{width}}  {'yes' if device.available else 'no '}  {device.summary}")
    print()
    config.show_config()
