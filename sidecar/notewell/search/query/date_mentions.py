"""Dates and periods as people mention them in a query.

`minutes march 2024`, `gestern`, `2024年3月`: in English, German, Russian, Chinese and Japanese, by
tables of words. A year alone is one with four digits from 1990 to 2100. Words such as "march" or
"may" alone are no dates: a month needs a year, a day, or a word such as "in" or "last" before it.
"""

# ruff: noqa: RUF001 (Cyrillic letters in the tables on purpose)

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import lru_cache

from notewell.base.types.frozen import frozen
from notewell.index.analyze import words
from notewell.search.facts.periods import Period, days

_YEARS = (1990, 2100)
# Letters that people leave out or write in two ways; one letter for one, so that places stay.
_FOLDED = str.maketrans("äöüё", "aouе")
_MONTHS = (
    "jan(?:uary|uar|ner)?|январ[ьяе]",
    "feb(?:ruary|ruar)?|феврал[ьяе]",
    "mar(?:ch)?|marz|март[ае]?",
    "apr(?:il)?|апрел[ьяе]",
    "may|mai|ма[йяе]",
    "jun[ei]?|июн[ьяе]",
    "jul[yi]?|июл[ьяе]",
    "aug(?:ust)?|август[ае]?",
    "sep(?:t(?:ember)?)?|сентябр[ьяе]",
    "o[ck]t(?:ober)?|октябр[ьяе]",
    "nov(?:ember)?|ноябр[ьяе]",
    "de[cz](?:ember)?|декабр[ьяе]",
)
# The same as they are written most, in the same order.
_MONTH_NAMES = (
    ("january", "januar", "jan", "январь", "января"),
    ("february", "februar", "feb", "февраль", "февраля"),
    ("march", "marz", "mar", "март", "марта"),
    ("april", "apr", "апрель", "апреля"),
    ("may", "mai", "май", "мая"),
    ("june", "juni", "jun", "июнь", "июня"),
    ("july", "juli", "jul", "июль", "июля"),
    ("august", "aug", "август", "августа"),
    ("september", "sep", "sept", "сентябрь", "сентября"),
    ("october", "oktober", "oct", "okt", "октябрь", "октября"),
    ("november", "nov", "ноябрь", "ноября"),
    ("december", "dezember", "dec", "dez", "декабрь", "декабря"),
)
_WEEKDAYS = (
    "monday|montag|понедельник",
    "tuesday|dienstag|вторник",
    "wednesday|mittwoch|сред[уы]",
    "thursday|donnerstag|четверг",
    "friday|freitag|пятниц[уы]",
    "saturday|samstag|sonnabend|суббот[уы]",
    "sunday|sonntag|воскресень[ея]",
)
_SEASONS = (  # the first begins in March
    "spring|fruhling|fruhjahr|весн(?:ой|ы|а|у)|春天?",
    "summer|sommer|лет(?:ом|а|о)|夏天?",
    "autumn|fall|herbst|осен(?:ью|и|ь)|秋天?",
    "winter|зим(?:ой|ы|а|у)|冬天?",
)
_UNITS = (  # from the day on
    "days?|tag(?:en?)?|дн(?:я|ей)|день|天|日",
    "weeks?|wochen?|недел(?:ю|и|е|ь)|周|星期|礼拜|週間?",
    "months?|monat(?:e|en|s)?|месяц(?:а|ев|е)?|个月|か月|ヶ月|月",
    "years?|jahr(?:e|en|es)?|год(?:у|а)?|лет|年",
)
_WHICH = (  # the previous, this, the next
    "last|previous|past|(?:letzt|vorig|vergangen)e[nrsm]?|прошл(?:ый|ой|ом|ая|ого|ым|ую)",
    "this|diese[nrsm]?|эт(?:от|ой|ом|а|ого|им|у)",
    "next|(?:nachst|kommend)e[nrsm]?|следующ(?:ий|ей|ем|ая|его|им|ую)",
)
_NUMBERS = ("a|an|one|eine[rmn]?", "two|zwei|два|две", "three|drei|три")
_SINGLE: Mapping[str, tuple[int, int]] = {  # (unit, how many units from now)
    "heute|today|сегодня|今天|今日": (0, 0),
    "gestern|yesterday|вчера|昨天|昨日": (0, -1),
    "vorgestern|позавчера|前天|一昨日": (0, -2),
    "tomorrow|завтра|明天|明日": (0, 1),
    "上个?(?:周|星期|礼拜)|先週": (1, -1),
    "[这本]个?(?:周|星期|礼拜)|今週": (1, 0),
    "下个?(?:周|星期|礼拜)|来週": (1, 1),
    "上个?月|先月": (2, -1),
    "[这本]个?月|今月": (2, 0),
    "下个?月|来月": (2, 1),
    "去年|昨年": (3, -1),
    "今年": (3, 0),
    "明年|来年": (3, 1),
}


@frozen
class DateMention:
    """A period [start, end) in POSIX seconds, and the words of the query that said it."""

    start: float
    end: float
    words: tuple[str, ...]


def find_date(text: str, now: float) -> DateMention | None:
    """The first date that `text` mentions, the most exact kind first; None if there is none."""
    today = datetime.fromtimestamp(now).date()  # noqa: DTZ006 (users mean local days)
    return _find_mention(text, today)


@lru_cache(maxsize=64)  # a search asks twice: what is searched, and what its time is worth
def _find_mention(text: str, today: date) -> DateMention | None:
    folded = text.lower()
    if len(folded) != len(text):  # a capital letter of two small ones; places would not fit
        folded = text
    folded = folded.translate(_FOLDED)
    for pattern, read in _KINDS:
        for match in pattern.finditer(folded):
            try:
                period = read(match, today)
            except (ValueError, OverflowError, OSError):  # no such day, or out of range
                continue
            if period is not None:
                said = tuple(words(text[match.start() : match.end()]))
                return DateMention(period.start, period.end, said)
    return None


def month_names(month: int) -> tuple[str, ...]:
    """The names of a month (1 to 12) and their short forms, as words of an index."""
    return _MONTH_NAMES[month - 1]


def is_date_word(word: str) -> bool:
    """Tell whether a word is one that dates are written with, in any of the languages."""
    return _DATE_WORD.fullmatch(word.lower().translate(_FOLDED)) is not None


def _unit(unit: int, count: int, today: date) -> Period:
    """The day, week (from Monday), month or year that is `count` of them from today."""
    if unit == 0:
        day = today + timedelta(days=count)
        return days(day, day + timedelta(days=1))
    if unit == 1:
        first = today + timedelta(days=7 * count - today.weekday())
        return days(first, first + timedelta(days=7))
    if unit == 2:
        return _months(today.year * 12 + today.month - 1 + count, 1)
    return _months((today.year + count) * 12, 12)


def _months(first: int, count: int) -> Period:
    """`count` months from a month on, which is counted from year 0."""
    end = first + count
    return days(
        date(first // 12, first % 12 + 1, 1),
        date(end // 12, end % 12 + 1, 1),
    )


def _month(year: int, month: int) -> Period | None:
    return _months(year * 12 + month - 1, 1) if _is_year(year) and 1 <= month <= 12 else None


def _day(year: int, month: int, day: int) -> Period | None:
    first = date(year, month, day)
    return days(first, first + timedelta(days=1)) if _is_year(year) else None


def _season(year: int, season: int) -> Period:
    return _months(year * 12 + 2 + 3 * season, 3)


def _is_year(year: int) -> bool:
    return _YEARS[0] <= year <= _YEARS[1]


def _recent(today: date, month: int, day: int | None = None) -> Period | None:
    year = today.year - (date(today.year, month, day or 1) > today)
    return _month(year, month) if day is None else _day(year, month, day)


_Read = Callable[[re.Match[str], date], Period | None]


def _which(table: Sequence[str], text: str) -> int:
    return next(at for at, row in enumerate(table) if re.fullmatch(row, text))


def _read_written(match: re.Match[str], _: date) -> Period | None:
    """Year, month and day in groups of these names; the month may be a word."""
    parts = match.groupdict()
    month = parts["month"]
    number = int(month) if month.isdecimal() else _which(_MONTHS, month) + 1
    day = next((parts[name] for name in ("day", "day_after") if parts.get(name)), None)
    year = int(parts["year"])
    return _month(year, number) if day is None else _day(year, number, int(day))


def _without_year(match: re.Match[str], today: date) -> Period | None:
    parts = match.groupdict()
    month = parts["month"]
    number = int(month) if month.isdecimal() else _which(_MONTHS, month) + 1
    return _recent(today, number, int(parts["day"]) if parts.get("day") else None)


def _relative(match: re.Match[str], today: date) -> Period | None:
    """`last week`, `this summer`, `letzten Montag`, `в прошлом марте`."""
    offset = _which(_WHICH, match["which"]) - 1
    if match["unit"]:
        return _unit(_which(_UNITS, match["unit"]), offset, today)
    if match["month"]:
        month = _which(_MONTHS, match["month"]) + 1
        past = month < today.month or (month == today.month and offset == 0)
        year = today.year + (offset if offset != -1 else 0) - (offset == -1 and not past)
        return _month(year if offset != 1 else today.year + past, month)
    if match["weekday"]:
        days = _which(_WEEKDAYS, match["weekday"]) - today.weekday()
        if offset == -1 and days >= 0:
            days -= 7
        return _unit(0, days + 7 * (offset == 1), today)
    return _relative_season(_which(_SEASONS, match["season"]), offset, today)


def _relative_season(season: int, offset: int, today: date) -> Period:
    """The last one has ended, the next one has not begun; "this" is that of this year."""
    year = today.year
    midnight = days(today, today + timedelta(days=1))
    while offset == -1 and _season(year, season).end > midnight.start:
        year -= 1
    while offset == 1 and _season(year, season).start < midnight.end:
        year += 1
    return _season(year, season)


def _season_of_year(match: re.Match[str], _: date) -> Period | None:
    year = int(match["year"])
    return _season(year, _which(_SEASONS, match["season"])) if _is_year(year) else None


def _quarter(match: re.Match[str], _: date) -> Period | None:
    year = int(match["year"] or match["year_before"])
    return _months(year * 12 + 3 * (int(match["quarter"]) - 1), 3) if _is_year(year) else None


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else _which(_NUMBERS, text) + 1


def _ago(match: re.Match[str], today: date) -> Period | None:
    return _unit(_which(_UNITS, match["unit"]), -_number(match["count"]), today)


def _lately(match: re.Match[str], today: date) -> Period | None:
    """From so many units ago until today."""
    unit = _which(_UNITS, match["unit"])
    start = _unit(unit, -_number(match["count"]), today)
    spent = (1, 7, 30, 365)[unit] * _number(match["count"])
    first = today - timedelta(days=spent)
    return Period(max(start.start, days(first, today).start), _unit(0, 0, today).end)


def _single(match: re.Match[str], today: date) -> Period | None:
    return _unit(*next(_SINGLE[row] for row in _SINGLE if re.fullmatch(row, match[0])), today)


def _year(match: re.Match[str], _: date) -> Period | None:
    year = int(match[0])
    return _months(year * 12, 12) if _is_year(year) else None


def _cjk_year(match: re.Match[str], today: date) -> Period | None:
    """`2024年`, `去年夏天`, `2024年の夏`."""
    year = int(match["year"]) if match["year"] else today.year - (match["last"] != "今年")
    if not _is_year(year):
        return None
    season = match["season"]
    return _season(year, _which(_SEASONS, season)) if season else _months(year * 12, 12)


def _any(rows: Sequence[str]) -> str:
    return "|".join(rows)


_DATE_WORD = re.compile(_any((*_MONTHS, *_WEEKDAYS, *_SEASONS, *_UNITS, *_WHICH, *_SINGLE)))
_MONTH, _SEASON, _UNIT = _any(_MONTHS), _any(_SEASONS), _any(_UNITS)
_TH = r"(?:st|nd|rd|th|\.)?"
_COUNT = rf"(?P<count>\d{{1,3}}|{_any(_NUMBERS)})"
_DAY_AND_YEAR = (
    rf"\b(?:(?P<day>\d{{1,2}}){_TH}\s+(?:of\s+)?)?(?P<month>{_MONTH})\.?,?\s+"
    rf"(?:(?P<day_after>\d{{1,2}})(?:st|nd|rd|th)?,?\s+)?(?P<year>\d{{4}})\b"
)
_RELATIVE = (
    rf"\b(?P<which>{_any(_WHICH)})\s+(?:(?P<unit>{_UNIT})|(?P<month>{_MONTH})"
    rf"|(?P<weekday>{_any(_WEEKDAYS)})|(?P<season>{_SEASON}))\b"
)
_LATELY = (
    rf"\b(?:last|past|letzte[nr]?|vergangene[nr]?|последни[ех])\s+{_COUNT}"
    rf"\s+(?P<unit>{_UNIT})\b"
)
_KINDS: tuple[tuple[re.Pattern[str], _Read], ...] = tuple(
    (re.compile(pattern), read)
    for pattern, read in (
        (
            r"(?<![\d.-])(?P<year>\d{4})([-/.])(?P<month>\d{1,2})\2(?P<day>\d{1,2})(?!\d)",
            _read_written,
        ),
        (r"(?<![\w-])(?P<year>\d{4})[-/](?P<month>\d{1,2})(?![\d-])", _read_written),
        (r"(?<![\d.])(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4})(?!\d)", _read_written),
        (r"(?<!\d)(?P<year>(?:19|20)\d\d)(?P<month>[01]\d)(?P<day>[0-3]\d)(?!\d)", _read_written),
        (r"(?P<year>\d{4})年(?P<month>\d{1,2})月(?:(?P<day>\d{1,2})[日号])?", _read_written),
        (r"(?<!\d)(?P<month>\d{1,2})月(?:(?P<day>\d{1,2})[日号])?", _without_year),
        (
            _DAY_AND_YEAR,
            _read_written,
        ),
        (r"\bq(?P<quarter>[1-4])\s+(?P<year>\d{4})\b(?P<year_before>)", _quarter),
        (r"\b(?P<year_before>\d{4})\s*q(?P<quarter>[1-4])\b(?P<year>)", _quarter),
        (rf"\b(?P<season>{_SEASON})\s+(?:of\s+)?(?P<year>\d{{4}})\b", _season_of_year),
        (rf"\b(?P<day>\d{{1,2}}){_TH}\s+(?:of\s+)?(?P<month>{_MONTH})\b", _without_year),
        (rf"\b(?P<month>{_MONTH})\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b", _without_year),
        (
            _RELATIVE,
            _relative,
        ),
        (rf"\b{_COUNT}\s+(?P<unit>{_UNIT})\s+(?:ago|назад)\b", _ago),
        (rf"\bvor\s+{_COUNT}\s+(?P<unit>{_UNIT})\b", _ago),
        (rf"(?P<count>\d{{1,3}})\s*(?P<unit>{_UNIT})前", _ago),
        (
            _LATELY,
            _lately,
        ),
        (rf"(?:过去|最近|過去|ここ)\s*(?P<count>\d{{1,3}})\s*(?P<unit>{_UNIT})", _lately),
        (
            rf"(?:(?P<year>\d{{4}})年|(?P<last>去年|昨年|今年))の?(?P<season>{_SEASON})?",
            _cjk_year,
        ),
        (
            "|".join(
                rf"\b(?:{row})\b" if row[0].isascii() and row[0].isalpha() else row
                for row in _SINGLE
            ),
            _single,
        ),
        (rf"\b(?:in|im|since|seit|during|во?|с)\s+(?P<month>{_MONTH})\b", _without_year),
        (r"(?<![\w.,:/-])\d{4}(?![\w:/-]|[.,]\d)", _year),
    )
)
