"""The device of a stage, whose searches may have been shared among machines."""

from collections import Counter
from typing import Any

from experiments.paper.report.markdown import short_name


def devices(content: dict[str, Any]) -> str:
    """The device of most searches, and those that another one made."""
    default = content["signature"]["device"]
    by_beam = content["result"].get("devices", {})
    made = [
        (f"{short_name(system)} at beam {beam}", device or default)
        for beam, systems in by_beam.items()
        for system, device in systems.items()
    ]
    counts = Counter(device for _, device in made)
    main = counts.most_common(1)[0][0] if counts else default
    others = [device for device in counts if device != main]
    parts = [f"{device}: {', '.join(name for name, on in made if on == device)}" for device in others]
    return "; ".join([main, *parts])
