"""Other ways to write the day that a query names: who types 5.3.2024 also means 2024-03-05.

A day is written in words (`5 March 2024`, `March 5th, 2024`) or in numbers. Of numbers, those are
taken whose order is no matter of the country: year first, or day first with dots. `03/05/2024` is
two days.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime

from notewell.search.query.date_mentions import DateMention, month_names

_LONGEST_DAY_S = 25.5 * 3600  # when clocks are put back
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}


def day_of(mention: DateMention) -> date | None:
    """The day that is mentioned; None if it is a longer time."""
    if mention.end - mention.start > _LONGEST_DAY_S:
        return None
    return datetime.fromtimestamp(mention.start).date()  # noqa: DTZ006 (users mean local days)


def other_writings(mention: DateMention) -> Mapping[str, Sequence[str]]:
    """The tokens that stand for each word of a day that is written out, as synonyms do.

    The day in numbers stands for its month, so that a note that has the words as they are typed
    says more of them; names of the month stand for its number. Empty for other times, and for a day
    named by how long ago it was. Some are of tokens that the query may have beside its words:
    5.3.2024 is three words and a whole.
    """
    day = day_of(mention)
    if day is None:
        return {}
    names, numbers = month_names(day.month), (str(day.day), f"{day.day}{_ending(day.day)}")
    whole = _as_one_token(day)
    typed = {*mention.words}
    if not {str(day.year), *names, *whole} & typed:
        return {}
    others: dict[str, Sequence[str]] = dict.fromkeys(whole, whole)
    for word in typed.intersection((*names, str(day.month), f"{day.month:02}")):
        others[word] = (*names, *whole)
    for word in typed.intersection((*numbers, f"{day.day:02}")):
        others[word] = (*others.get(word, ()), *numbers)  # 5.5. has one word for both
    return others


def _as_one_token(day: date) -> tuple[str, ...]:
    """The tokens of the day in numbers, as the analyzer makes them."""
    year, month, number = day.year, day.month, day.day
    return (
        day.strftime("%Y%m%d"),  # of 2024-03-05 and 2024.03.05
        f"{year}-{month}-{number}",
        f"{number}.{month}.{year}",
        f"{number:02}.{month:02}.{year}",
        day.strftime("%d%m%Y"),
    )


def _ending(number: int) -> str:
    return "th" if number in {11, 12, 13} else _ENDINGS.get(number % 10, "th")
