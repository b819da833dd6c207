"""Further forms of what is written with digits and signs, by which people look for it.

A number is typed with or without its separators (`10,000`, `10 000`, `10000`), a quantity with or
without a space (`5 kg`, `5kg`), a release with or without its `v`, a telephone number, an ISBN or
an IBAN with or without its groups; a sign may be a part of a name (`C++17`, `.NET`, `notepad++`,
`100%`). The words of such a text stay what they are; these forms are indexed beside them, without
a place in the order of words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_UNITS = (
    "km|cm|mm|nm|m|mi|ft|yd|kg|g|mg|lbs?|oz|t|l|ml|cl|dl|[gmtk]i?b|[gmk]?hz|[km]?wh?|m?v|mah?|hrs?|h"
    "|mins?|s|sec|ms|am|pm|px|pt|em|rem|fps|dpi|mph|kmh|bpm|ppm|eur|usd|gbp|chf"
)
_SPACE = "\u00a0\u2009\u202f "
_NUMBER = r"[0-9]+(?:[.,][0-9]+)?"
# The signs of a name belong to its last word; digits may follow, as in C++17.
SIGNED = r"[A-Za-z][A-Za-z0-9]*(?:\+\+|\#)[0-9]*(?![\w+#])"
WIDE = "|".join(
    (
        r"(?<![\w.])\.[A-Za-z][A-Za-z0-9]*(?![\w.])",  # .NET
        rf"(?<![\w.,])[0-9]{{1,3}}(?:[,{_SPACE}'\u2019][0-9]{{3}})+(?![\w,.]?[0-9])(?!\w)",
        r"(?<![\w:.-])[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5}(?![\w:.-])",  # address of a network card
        r"\b[A-Z]{2}[0-9]{2}(?: [A-Z0-9]{4}){2,7}(?: [A-Z0-9]{1,3})?(?!\w)",  # IBAN
        r"\+[0-9]{1,3}(?:[ .-]?\(?[0-9]{1,4}\)?){2,6}(?!\w)",  # telephone
        r"(?<![\w.,-])[0-9]{2,4}(?: [0-9]{2,4}){2,6}(?![\w.,-])",
        rf"(?<![\w.,]){_NUMBER}%",
        rf"(?<![\w.,-]){_NUMBER}[{_SPACE}]?(?i:{_UNITS})(?!\w)",
    )
)
_MEASURE = re.compile(rf"({_NUMBER})[{_SPACE}]?([A-Za-z]+)")
_RELEASE = re.compile(r"[vV]([0-9]+)((?:\.[0-9]+)+)")
_DOTTED = re.compile(r"[0-9]+(?:\.[0-9]+)+")
_GROUPS_OF_THREE = re.compile(r"[0-9]{1,3}(?:[._'\u2019][0-9]{3})+")
_LONG_ID = 7  # digits of a number whose groups are only for the eye, such as a date or an ISBN
_MOST_PARTS = 4  # of a release, whose beginnings are forms of it


def wide_forms(text: str) -> Iterator[str]:
    """Yield the forms, folded, of a text that `WIDE` matches."""
    low = text.lower()
    measure = _MEASURE.fullmatch(low)
    if measure is not None:
        number, unit = measure.groups()
        yield number + unit
        yield unit
        yield number
    elif text[0] == "." or text[-1] == "%":
        yield low
    else:
        groups = re.findall(r"[a-z0-9]+", low)
        yield "".join(groups)
        if text[0] == "+" and len(groups) > 1:
            yield "".join(groups[1:])  # without the country
        if "(0)" in text:  # which is only dialled without the country
            yield re.sub("[^0-9]", "", text.replace("(0)", ""))


def compound_forms(compound: str) -> Iterator[str]:
    """Yield further forms of a compound of ASCII that has digits: `v2.0.1`, `2024-03-05`."""
    release = _RELEASE.fullmatch(compound)
    if release is not None:
        yield f"v{release[1]}"
        yield from _beginnings(compound[1:])
        yield compound[1:]
    elif _DOTTED.fullmatch(compound):
        yield from _beginnings(compound)
    digits = re.sub(r"[-._'\u2019]", "", compound)
    if digits.isdigit() and (len(digits) >= _LONG_ID or _GROUPS_OF_THREE.fullmatch(compound)):
        yield digits


def is_release(compound: str) -> bool:
    """True for a number of a release with its `v`."""
    return _RELEASE.fullmatch(compound) is not None


def _beginnings(dotted: str) -> Iterator[str]:
    """Yield `2.0` of `2.0.1`."""
    parts = dotted.split(".")
    for count in range(2, min(len(parts), _MOST_PARTS)):
        yield ".".join(parts[:count])
