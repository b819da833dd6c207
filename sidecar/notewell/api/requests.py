"""Declaring requests, from which routes, schemas, options and tools are made."""

from notewell.contract.fields import Doc, Limit, NotePath, Pattern, SearchText, iso
from notewell.contract.request import Endpoint, Example, Request, request_to

__all__ = [
    "Doc",
    "Endpoint",
    "Example",
    "Limit",
    "NotePath",
    "Pattern",
    "Request",
    "SearchText",
    "iso",
    "request_to",
]
