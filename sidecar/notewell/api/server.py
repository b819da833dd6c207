"""Functions of the HTTP server that answer what no vault can answer alone."""

from notewell.doors.web.auth import CALLER
from notewell.doors.web.site import Encoded, Handler, Site

__all__ = ["CALLER", "Encoded", "Handler", "Site"]
