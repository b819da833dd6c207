"""Reads files in a child process, which can be stopped when a file crashes or hangs its parser.

A message to or from it is its two lengths, a JSON header, and a body of bytes. Nothing is pickled:
what comes back from a process that read a hostile file must not be able to run code here. The child
says once that it is ready. It answers each request with the note or a reason, and before that it
may ask for the text of images, one after the other.
"""

from __future__ import annotations

import logging
import shutil
import signal
import struct
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import cache
from typing import BinaryIO, Literal, TypeVar, cast

from notewell.base.errors import ServerError, UnreadableNoteError
from notewell.base.support.program import reader_command
from notewell.base.types import PropertyValue
from notewell.base.types.frozen import frozen
from notewell.contract.codec import from_json, to_json
from notewell.vault.readers.reader import FileFacts, Ocr, ReadNote

_LENGTHS = struct.Struct(">IQ")  # of the header and the body, in bytes
_MAX_HEADER = 1024 * 1024
MAX_BODY = 512 * 1024 * 1024

Header = TypeVar("Header")
OcrState = Literal["off", "missing", "installed"]
log = logging.getLogger(__name__)
MAX_SECONDS = 60.0  # for one file
IDLE_S = 30.0
_PATIENCE_S = 2.0
OCR_SECONDS = 480.0  # for all images of one file
_PAGE_SECONDS = 60.0
_MAX_LANGUAGES = 4  # each makes it slower
_NO_LANGUAGES = frozenset({"osd", "equ"})  # they find directions and formulas
TOO_SLOW = "too_slow"  # the code of the error, and the rule in the ledger


@frozen
class ReadFileRequest:
    """Asks for the note of a file, whose bytes are the body. The times are those of the file."""

    path: str
    modified: float
    created: float | None
    types: tuple[str, ...]
    ocr: OcrState
    seconds: float  # after which the child ends itself, if nobody did before
    page: int = 0  # of which a picture is wanted in place of the note


@frozen
class ImageText:
    """The text of an image that the child asked for is the body. `stopped`: see `Ocr`."""

    stopped: bool


@frozen
class ReadReply:
    """A message of the child.

    `ready`: it waits for files; `message` says why it is not confined, if it is not. `image`: the
    body is an image. `read`: the body is the note or the picture. `unread`: `code` is
    that of the error.
    """

    state: Literal["ready", "image", "read", "unread"]
    code: str = ""
    message: str = ""


def send(stream: BinaryIO, header: ReadFileRequest | ImageText | ReadReply, body: bytes) -> None:
    """Write a message; raises OSError if nobody reads it."""
    encoded = to_json(header)
    stream.write(_LENGTHS.pack(len(encoded), len(body)))
    stream.write(encoded)
    stream.write(body)
    stream.flush()


def receive(stream: BinaryIO, kind: type[Header]) -> tuple[Header, bytes] | None:
    """Read a message; None if the stream ended, also within a message.

    Raises ServerError for a header of another kind, ValueError for impossible lengths.
    """
    lengths = stream.read(_LENGTHS.size)
    if len(lengths) < _LENGTHS.size:
        return None
    of_header, of_body = _LENGTHS.unpack(lengths)
    if of_header > _MAX_HEADER or of_body > MAX_BODY:
        raise ValueError("the lengths of a message are out of bounds")
    header, body = stream.read(of_header), stream.read(of_body)
    if len(header) < of_header or len(body) < of_body:
        return None
    return from_json(kind, header), body


class ReaderProcess:
    """Reads one file at a time in one child, which is started with the first and then reused.

    Whoever waits for long behind another file gets a child of its own.

    The child is ended when it has had nothing to do for a while, and with this object. It is
    another program, not a fork, so that threads of this process do no harm. May be used by any
    thread.
    """

    def __init__(
        self,
        command: Sequence[str] | None = None,
        seconds: float = MAX_SECONDS,
        idle_s: float = IDLE_S,
    ) -> None:
        """`seconds` is how long one file may take. Nothing is started yet."""
        self._command = reader_command() if command is None else command
        self._seconds = seconds
        self._idle_s = idle_s
        self._idle: threading.Timer | None = None
        self._used = 0.0
        self._lock = threading.Lock()
        self.child: subprocess.Popen[bytes] | None = None
        self._end: Callable[[], object] | None = None  # ends the child, also with this object

    def read(self, raw: bytes, file: FileFacts) -> ReadNote:
        """Read the bytes of a file.

        Raises UnreadableNoteError with the code that the reader gave, with "too_large" if the
        reader takes too much memory, "too_slow" if it takes too long, "unreadable" if it crashes.
        """
        body = self._body(raw, file)
        try:
            return _with_tuples(from_json(ReadNote, body))
        except ServerError as error:
            raise _failure(file, "its reader's answer makes no sense") from error

    def picture(self, raw: bytes, file: FileFacts, page: int) -> bytes:
        """A page of a file, the first is 1, as a PNG; raises as `read`."""
        return self._body(raw, file, page)

    def _body(self, raw: bytes, file: FileFacts, page: int = 0) -> bytes:
        if not self._lock.acquire(timeout=_PATIENCE_S):  # its child reads a file that takes long
            with closing(ReaderProcess(self._command, self._seconds)) as another:
                return another._body(raw, file, page)  # noqa: SLF001 - of the same class
        try:
            reply, body = self._ask(raw, file, page)
        finally:
            self._end_later()
            self._lock.release()
        if reply.state == "unread":
            raise UnreadableNoteError(reply.message, code=reply.code)
        return body

    def close(self) -> None:
        """End the child; the next file starts another."""
        self.child = None
        if self._idle is not None:
            self._idle.cancel()
        if self._end is not None:
            self._end()

    def _ask(self, raw: bytes, file: FileFacts, page: int) -> tuple[ReadReply, bytes]:
        child = self._running(file)
        seconds = self._seconds + (OCR_SECONDS if file.ocr is not None else 0)
        late = threading.Event()

        def stop() -> None:
            late.set()
            child.kill()

        timer = threading.Timer(seconds, stop)
        timer.daemon = True
        timer.start()
        answer, why = None, ""
        try:
            answer = _talk(child, _request(file, seconds, page), raw, file.ocr)
        except OSError:
            pass  # the child ended while something was sent to it
        except (ServerError, ValueError):
            why = "its reader's answer makes no sense"
        finally:
            timer.cancel()
        if answer is not None and not late.is_set():
            return answer
        if not why and not late.is_set():
            child.wait()  # its own exit code says why it ended
        self.close()
        if late.is_set():
            raise too_slow(file.path, seconds)
        raise _failure(file, why or f"its reader crashed ({_how(child.returncode)})")

    def _running(self, file: FileFacts) -> subprocess.Popen[bytes]:
        if self.child is None:
            try:
                self.child = subprocess.Popen(  # noqa: S603 - a fixed command of our own
                    self._command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
                )
            except OSError as error:
                raise UnreadableNoteError(
                    f"{file.path} is unread: no process can be started ({error.strerror}).",
                    code="unreadable",
                ) from error
            self._end = weakref.finalize(self, _end, self.child)
        return self.child

    def _end_later(self) -> None:
        """End the child when it has had nothing to do for a while. Called with the lock held."""
        if self._idle is not None:
            self._idle.cancel()
        if self.child is None:
            return
        self._used = time.monotonic()
        self._idle = threading.Timer(self._idle_s, _end_idle, (weakref.ref(self),))
        self._idle.daemon = True
        self._idle.start()

    def end_if_idle(self) -> None:
        """End the child if it has had nothing to do for a while."""
        if self._lock.acquire(blocking=False):
            if time.monotonic() - self._used >= self._idle_s:
                self.close()
            self._lock.release()


def _request(file: FileFacts, seconds: float, page: int) -> ReadFileRequest:
    ocr: OcrState = "off"
    if file.ocr is not None:
        ocr = "installed" if file.ocr.is_installed else "missing"
    return ReadFileRequest(file.path, file.modified, file.created, file.types, ocr, seconds, page)


def _talk(
    child: subprocess.Popen[bytes], request: ReadFileRequest, raw: bytes, ocr: Ocr | None
) -> tuple[ReadReply, bytes] | None:
    """Send a file, and read images until the answer comes; None if the child ended."""
    requests, replies = cast("BinaryIO", child.stdin), cast("BinaryIO", child.stdout)
    send(requests, request, raw)
    while (answer := receive(replies, ReadReply)) is not None:
        reply, body = answer
        if reply.state == "ready":
            if reply.message and sys.platform.startswith("linux"):
                warn(reply.message)
        elif reply.state == "image" and ocr is not None:
            text = ocr.read(body).encode("utf-8", "replace")
            send(requests, ImageText(ocr.stopped), text)
        else:
            break
    return answer


@cache
def warn(why: str) -> None:
    """Say once that readers are not confined."""
    log.warning("The process that reads files is not confined here: %s.", why)


def _end_idle(ended: weakref.ref[ReaderProcess]) -> None:
    process = ended()
    if process is not None:
        process.end_if_idle()


def _end(child: subprocess.Popen[bytes]) -> None:
    """End a child whatever it does, and wait for its end; nothing if that was done before."""
    child.kill()
    child.wait()
    for stream in (child.stdin, child.stdout):
        if stream is not None:
            try:
                stream.close()
            except OSError:  # unsent bytes of a request
                continue


def too_slow(path: str, seconds: float) -> UnreadableNoteError:
    """The error for a file that took too long to be read, or to be cut into passages."""
    return UnreadableNoteError(
        f"{path} is unread: it took longer than {seconds:.0f} seconds. It is tried again when it"
        " changes, or by `notewell queue retry`.",
        code=TOO_SLOW,
    )


def seconds_for(*, ocr: bool) -> float:
    """The most seconds that one file may take."""
    return MAX_SECONDS + (OCR_SECONDS if ocr else 0)


def _failure(file: FileFacts, why: str) -> UnreadableNoteError:
    return UnreadableNoteError(f"{file.path} is unread: {why}.", code="unreadable")


def _how(returncode: int | None) -> str:
    if returncode is None or returncode >= 0:
        return f"exit code {returncode}"
    try:
        return signal.Signals(-returncode).name
    except ValueError:
        return f"signal {-returncode}"


def _with_tuples(value: ReadNote) -> ReadNote:
    """Make tuples of the lists that JSON has in properties."""
    properties = {name: _value(part) for name, part in value.note.properties.items()}
    return replace(value, note=replace(value.note, properties=properties))


def _value(part: PropertyValue) -> PropertyValue:
    if isinstance(part, Mapping):
        return {name: _value(inner) for name, inner in part.items()}
    return tuple(map(_value, part)) if isinstance(part, (list, tuple)) else part


class Tesseract:
    """The program tesseract, which reads the text of images, where it is installed.

    It is started by this process and never by the one that reads files, which is confined: that
    sends its images here. See https://tesseract-ocr.github.io/tessdoc/Command-Line-Usage.html.
    """

    def __init__(self) -> None:
        """The time begins to run with the first image."""
        self._until: float | None = None
        self._program = shutil.which("tesseract")
        self.stopped = False

    @property
    def is_installed(self) -> bool:
        return self._program is not None

    def read(self, image: bytes) -> str:
        if self._until is None:
            self._until = time.monotonic() + OCR_SECONDS
        left = self._until - time.monotonic()
        if self._program is None or left <= 0:
            self.stopped = self.stopped or left <= 0
            return ""
        command = [self._program, "stdin", "stdout", "-l", _languages(self._program)]
        try:
            done = subprocess.run(  # noqa: S603 - the image goes to its standard input
                command,
                input=image,
                capture_output=True,
                timeout=min(left, _PAGE_SECONDS),
                check=False,
            )
        except (subprocess.TimeoutExpired, OSError):
            return ""
        return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""


@cache
def _languages(program: str) -> str:
    """The installed languages, as the option `-l` has them; English if there are others too."""
    try:
        listed = subprocess.run(  # noqa: S603 - as above
            [program, "--list-langs"], capture_output=True, timeout=_PAGE_SECONDS, check=False
        ).stdout
    except (subprocess.TimeoutExpired, OSError):
        return "eng"
    names = [name for name in listed.decode("utf-8", "replace").split("\n")[1:] if name.strip()]
    known = sorted({name.strip() for name in names} - _NO_LANGUAGES, key=lambda name: name != "eng")
    return "+".join(known[:_MAX_LANGUAGES]) or "eng"
