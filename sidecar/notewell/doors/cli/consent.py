"""Asks, before notes are first sent to a service, whether they may be; says what that costs."""

from __future__ import annotations

import sys

import click

from notewell.contract.manage import ServiceCost
from notewell.doors.cli.options import Invocation


def cost_text(service: ServiceCost) -> str:
    """What is sent where, and what embedding the whole vault takes and costs."""
    price = "unknown" if service.dollars is None else f"${service.dollars:,.2f}"
    return (
        f"{service.sent}\nEmbedding all {service.passages:,} passages takes about"
        f" {service.tokens:,} tokens; price: {price} (prices of {service.prices_of})."
    )


def allow_service(invocation: Invocation, service: ServiceCost) -> bool:
    """Ask a person at a terminal whether notes may be sent; stores and returns a yes."""
    if invocation.json or not sys.stdin.isatty():
        return False
    click.echo(cost_text(service), err=True)
    if not click.confirm(f"May they be sent to {service.host}?", err=True):
        invocation.say(f"Nothing is sent. To allow it later: notewell models allow {service.host}")
        return False
    invocation.configuration().consent(service.host, allowed=True)
    return True
