"""The `recollect` command: its groups, and the one place where errors become exit codes."""

from __future__ import annotations

import errno
import sys
import traceback
from typing import NoReturn

import click

from recollect import __version__
from recollect.cli.config import config
from recollect.cli.doctor import doctor
from recollect.cli.evaluate import evaluate
from recollect.cli.index import index
from recollect.cli.models import models
from recollect.cli.options import JSON_FLAG, Group, expect_json, invocation
from recollect.cli.output import complain, emit_object
from recollect.cli.reference import reference
from recollect.cli.search import search, similar
from recollect.cli.serve import demo, serve
from recollect.cli.status import ledger, status
from recollect.cli.tokens import token
from recollect.cli.vaults import vaults
from recollect.errors import RecollectError

_INTERRUPTED = 130  # 128 + SIGINT, as shells count


class Root(Group):
    """The outermost group. Whatever a command raises ends here as one line and an exit code."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse, having noted whether the caller reads JSON."""
        options = args[: args.index("--")] if "--" in args else args
        expect_json(ctx, wanted=JSON_FLAG in options)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; turn its errors into messages and exit codes."""
        try:
            return super().invoke(ctx)
        except RecollectError as error:
            _fail(ctx, error.code, error.message, error.exit_code)
        except click.ClickException as error:
            if invocation(ctx).json:
                emit_object({"error": "bad_request", "detail": error.format_message()})
            raise
        except (click.exceptions.Exit, click.Abort):
            raise
        except KeyboardInterrupt:
            complain("interrupted")
            ctx.exit(_INTERRUPTED)
        except OSError as error:
            if error.errno == errno.EPIPE:
                raise  # click ends quietly where the reader of a pipe has gone
            _fail(ctx, "os_error", _os_message(error), 1)
        except Exception as error:  # noqa: BLE001 - the outermost boundary; nothing is swallowed
            traceback.print_exc()
            _fail(ctx, "bug", f"this is a bug, please report it: {error!r}", 1)


def _fail(ctx: click.Context, code: str, message: str, exit_code: int) -> NoReturn:
    if invocation(ctx).json:
        emit_object({"error": code, "detail": message})
    complain(message)
    ctx.exit(exit_code)


def _os_message(error: OSError) -> str:
    reason = error.strerror or str(error)
    return f"{error.filename}: {reason}" if error.filename else reason


@click.group(
    cls=Root,
    name="recollect",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, message="%(prog)s %(version)s", prog_name="recollect")
def cli() -> None:
    """Find what you already know, in your own notes.

    Recollect indexes an Obsidian vault and answers by meaning and by keyword, on this computer
    alone. Start with `recollect demo`, or with `recollect index FOLDER` and `recollect search`.
    """


for command in (
    demo,
    index,
    search,
    similar,
    serve,
    status,
    ledger,
    vaults,
    models,
    config,
    token,
    doctor,
    evaluate,
    reference,
):
    cli.add_command(command)


def main() -> NoReturn:
    """Run the command line and exit with its code."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:  # a note in another script must not end a terminal's output
            reconfigure(errors="backslashreplace")
    cli(prog_name="recollect")
    raise SystemExit(0)
