"""Devices of a server's own: links that let one in, the list of those with access, the audit log.

The devices themselves are in `access`, which the server asks at every request.
"""

from notewell.api import Feature

DEVICES = Feature(
    name="devices",
    requests="notewell.features.devices.requests:REQUESTS",
    handlers="notewell.features.devices.handlers:HANDLERS",
    commands={"devices": {"pair": "notewell.features.devices.commands:pair"}},
)
