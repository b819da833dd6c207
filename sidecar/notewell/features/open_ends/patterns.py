"""The looks of sentences that leave something open, in English and German.

In a pattern, `'` is either apostrophe, and a space any white space.
"""

from __future__ import annotations

import re


def _any(*patterns: str) -> re.Pattern[str]:
    """One pattern of several, whatever the case."""
    joined = "|".join(patterns).replace("'", "['\N{RIGHT SINGLE QUOTATION MARK}]")
    return re.compile(joined.replace(" ", r"\s"), re.IGNORECASE)


_SOON = (
    r"(?:tomorrow|tonight|soon|later|next (?:week|month|year|time|\w+day)"
    r"|this (?:week(?:end)?|summer|winter|spring|autumn|fall)|from now on)"
)
_BETWEEN = r"(?: really| still| also| probably| definitely| just| finally| have to| try to)*"
_AUXILIARY = r"(?:will|'ll|gonna|going to|should|must|need to|have to)"

PROMISED = _any(
    # What a person says that he or she will do.
    rf"\bI{_BETWEEN} (?:should|must|ought to|need to|have to|plan to|promised? to){_BETWEEN}"
    r" (?!have\b)\w+",
    rf"\bI(?:'ll| will|'m (?:going to|gonna)| am going to){_BETWEEN} (?!have\b)\w+",
    rf"\bI(?:'m| am){_BETWEEN} planning (?:to|on)\b",
    rf"\bwe (?:still |also )*(?:should|must|need to|have to|will)\b.*\b{_SOON}\b",
    rf"\bwe'll\b.*\b{_SOON}\b",
    # Reminders to oneself.
    r"^(?:remind me|(?-i:TODO)\b(?! items?\b)|to do:|follow up (?:on|with))",
    r"^find out (?:whether|if|how|what|why|who|when|where)\b",
    r"\bstill needs? to be (?:done|written|fixed|checked|decided|added)\b",
    # The same in German.
    r"\bich (?:\w+ ){0,2}?(?:sollte|muss|werde|will)\b(?! nicht\b)",
    r"\b(?:sollte|muss|werde|will) ich\b",
    r"\bnicht vergessen\b",
    r"\bnoch (?:zu )?(?:klären|erledigen|kaufen|anrufen|fragen|prüfen|besorgen)\b",
    r"^(?:noch )?\w+ fragen, (?:ob|wie|was|wann|wer|wo)\b",
)
# Reminders that stand for themselves, as a line of their own: in prose they are for a reader.
REMINDER = _any(
    r"^(?:remember to|don't forget|do not forget|need to|have to|figure out)\b",
    r"^check (?:with|whether|if)\b",
    r"^(?:ask|call|email|write to|talk to|tell) (?!me\b|us\b)\w+\b"
    r".*\b(?:whether|if|about|for|to|when|how|what|who|where|why)\b",
)
TO_A_READER = _any(
    r"\byou(?:r|rself)?\b",
    r"\b(?:click|select|paste|press|restart|install|enable|plugin|settings?)\b",
)
NOT_PROMISED = _any(
    # What was or would be, and what only may be.
    r"\b(?:I|we)(?:'d| would| could| wouldn't| couldn't)\b",
    r"\bif (?:I|we|you)\b|^(?:if|falls)\b",
    r"\b(?:maybe|perhaps|who knows|vielleicht|hätte|würde|musste)\b",
    r"\b(?:never|ever|always|not|nicht mehr|used to|when I was|as a child|had to)\b|\bwon't\b",
    # Resolve, feelings, and what happens by itself.
    rf"\b{_AUXILIARY}(?: definitely| just| make sure to)? (?:keep|continue|stay|be|miss|love"
    r"|cherish|enjoy|support|see|stick|do (?:my|our) best|try my best"
    r"|make (?:it|this|that|them)|get 'em|need (?!to\b)"
    r"|have (?:fun|a (?:blast|safe|good|great|nice)))",
    r"\bgoing to (?:a|an|the|my|our|this)\b|\b(?:best|dreams?)\b",
    # Phrases of speech, and what is done while it is said.
    r"\bI(?:'ll| will| should| must| need to| have to) (?:say|admit|confess|note|mention|bet)\b",
    r"\b(?:show|tell|teach|walk|take|give) (?:you|everyone)\b|\bin a (?:second|moment|minute)\b",
    r"\b(?:demonstrate|explain|describe|discuss|cover|explore|introduce|present)\b",
    r"\b(?:what|all|thing) (?:I|we)(?:'m| am| are|'ll| will)?\b.*\b(?:do|is)\b",
    r"\b(?:said|says|told me|asked me|thought|think) (?:that )?(?:I|he|she|they)\b",
)
KEEPS_INFORMED = _any(r"\bkeep (?:you|ya|\w+) (?:updated|posted|informed|in the loop)\b")
DECIDED = _any(
    r"^(?:decision|decided|agreed|beschluss|entscheidung|beschlossen|entschieden|vereinbart) ?:"
    r" ?(?!rejected\b|verworfen\b)\w+",
    r"\b(?:I|we)(?:'ve| have)? (?:just |finally |also )*(?:decided|agreed|resolved)"
    rf" (?:to|that|on)\b.*\b(?:{_SOON}|will|going to)\b",
    r"\b(?:wir|ich) haben? (?:\w+ ){0,4}?(?:beschlossen|entschieden|vereinbart)\b",
    r"^(?:from now on|ab jetzt|künftig),? (?:I|we|ich|wir)\b",
)
OWN_QUESTION = _any(
    r"\b(?:should|shall|do|did|can|could|must|may|am|will|have) (?:I|we)\b",
    r"\b(?:soll(?:te)?|muss|kann|darf|will|habe|sollen|sollten|müssen|können) (?:ich|wir)\b",
    r"\b(?:my|our|mein\w*|unser\w*)\b",
)
HOW_TO = _any(
    r"^how (?:do|can|should) (?:I|we)\b", r"^wie (?:kann|können) (?:ich|wir)\b", r"^\[\[.*\]\]$"
)
QUESTIONS_BELOW = _any(  # headings
    r"\b(?:open )?questions?\b(?! and answers)",
    r"\bto (?:ask|find out|decide|clarify)\b|\bunclear\b",
    r"\boffene? fragen?\b|\bzu klären\b|\bunklar\b",
)
ANSWERS_BELOW = _any(r"\bFAQ\b|\bfrequently\b|\bQ ?(?:&|and) ?A\b|\bhäufige fragen\b")
ASKED_MARK = _any(r"(?:^| )#(?:question|frage|open)\b", r"^(?:Q|Question|Frage|\?) ?:")
ANSWER = _any(
    r"^(?:A|Answer|Antwort) ?:", r"^(?:→|->|=>|⇒)", r"^(?:yes|no|ja|nein|probably|wohl)\b"
)
