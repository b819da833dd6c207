"""How the text of a note is stored in its file: encoding and byte order mark."""

from __future__ import annotations

from notewell.base.errors import UsageError, WriteError
from notewell.base.types.frozen import frozen
from notewell.vault.readers.reader import MARKS

MAX_BYTES = 16 * 1024 * 1024  # of a note that is written


@frozen
class Form:
    """The encoding and byte order mark of a note."""

    mark: bytes = b""
    encoding: str = "utf-8"

    @classmethod
    def of(cls, path: str, raw: bytes | None) -> Form:
        """Detect the form of a note; WriteError if decoding and encoding would change its bytes."""
        if raw is None:
            return cls()
        marked = next(
            ((mark, name) for mark, name in MARKS if raw.startswith(mark)), (b"", "utf-8")
        )
        form = cls(*marked)
        try:
            if form.encode(path, form.decode(raw)) == raw:
                return form
        except (UnicodeDecodeError, WriteError):
            pass
        raise WriteError(
            f"{path} is not written in UTF-8, so nothing in it is changed. Save it as UTF-8.",
            code="not_utf8",
        )

    def decode(self, raw: bytes | None) -> str:
        """Return the text of a note in this form."""
        return "" if raw is None else raw[len(self.mark) :].decode(self.encoding)

    def encode(self, path: str, text: str) -> bytes:
        """Return the bytes of a text; UsageError if it is too long or not valid Unicode."""
        try:
            raw = self.mark + text.encode(self.encoding)
        except UnicodeEncodeError as error:
            raise UsageError(f"The text for {path} is not valid Unicode.") from error
        if len(raw) > MAX_BYTES:
            raise UsageError(
                f"{path} would have {len(raw) / 1e6:.1f} MB; notes of up to {MAX_BYTES / 1e6:.1f}"
                " MB are written.",
                code="note_too_large",
            )
        return raw
