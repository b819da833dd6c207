"""`notewell tune`: fits the weights of the ranking to what you judged and opened."""

from __future__ import annotations

import click

from notewell.cli.backend import answer
from notewell.cli.options import Command, current_invocation, json_option, vault_option
from notewell.cli.output import print_table
from notewell.cli.request_options import request_options
from notewell.contract.log import TuneOutcome, TuneReply, TuneRequest

_SAYS: dict[TuneOutcome, str] = {
    "no_sure_gain": "Nothing is changed: no other weights are surely better.",
    "better": "Nothing is changed yet; `notewell tune --apply` uses these weights.",
    "applied": "The next search uses these weights; `notewell tune --reset` goes back.",
    "reset": "The next search uses the default weights.",
}


@click.command(cls=Command)
@vault_option
@request_options(TuneRequest, "apply", "reset")
@json_option
def tune(*, vault: str | None, apply: bool, reset: bool, as_json: bool) -> None:
    """Fit the ranking to your verdicts and opened results.

    Needs 30 queries with an answer (`notewell verdict`, or results that you opened). Without
    --apply nothing is changed, and with it only if the gain is sure. Judged queries are searched
    on this computer alone.
    """
    if apply and reset:
        raise click.UsageError("Give --apply or --reset, not both.")
    answer(vault, TuneRequest(apply=apply, reset=reset), _show, as_json=as_json)


def _show(reply: TuneReply) -> None:
    say = current_invocation().say
    if reply.outcome == "too_few":
        say(
            f"{reply.vault}: {reply.queries} judged queries; {reply.missing} more are needed. Say"
            " what was found with `notewell verdict QUERY NOTE --yes`, or open results in Obsidian"
            " or the browser."
        )
        return
    rows = [(name, f"{one.before:.2f}", f"{one.after:.2f}") for name, one in reply.weights.items()]
    print_table(("weight of", "before", "after"), rows, right=("before", "after"))
    if reply.gain is not None:
        gain = reply.gain
        say(
            f"nDCG@10 on {reply.queries} judged queries: {gain.before:.4f} before, {gain.after:.4f}"
            f" after ({gain.low:+.4f} .. {gain.high:+.4f})"
        )
    say(_SAYS[reply.outcome])
