"""Character classes of the world's scripts, as the analyzer needs them.

`re` has no Unicode properties, so the classes are written out. Ranges follow the block charts of
Unicode 15; a character that is missing here is merely indexed as part of an ordinary word.
"""

from __future__ import annotations

# Combining marks belong to the word they stand in: an Indic vowel sign is not a word break.
MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    "\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed"
    "\u0711\u0730-\u074a\u07a6-\u07b0\u07eb-\u07f3\u0816-\u082d\u0859-\u085b\u08d3-\u08e1"
    "\u08e3-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc-\u09cd\u09d7"
    "\u09e2\u09e3\u0a01-\u0a03\u0a3c-\u0a51\u0a70\u0a71\u0a75\u0a81-\u0a83\u0abc-\u0acd"
    "\u0ae2\u0ae3\u0b01-\u0b03\u0b3c-\u0b57\u0b62\u0b63\u0b82\u0bbe-\u0bcd\u0bd7"
    "\u0c00-\u0c04\u0c3e-\u0c56\u0c62\u0c63\u0c81-\u0c83\u0cbc-\u0cd6\u0ce2\u0ce3"
    "\u0d00-\u0d03\u0d3b-\u0d4d\u0d57\u0d62\u0d63\u0d81-\u0d83\u0dca-\u0ddf\u0df2\u0df3"
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd\u0f18\u0f19\u0f35\u0f37"
    "\u0f39\u0f3e\u0f3f\u0f71-\u0f84\u0f86\u0f87\u0f8d-\u0fbc\u102b-\u103e\u1056-\u1059"
    "\u105e-\u1060\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d\u135d-\u135f"
    "\u1712-\u1714\u1732-\u1734\u17b4-\u17d3\u17dd\u180b-\u180d\u18a9\u1920-\u193b"
    "\u1a17-\u1a1b\u1a55-\u1a7f\u1ab0-\u1aff\u1b00-\u1b04\u1b34-\u1b44\u1dc0-\u1dff"
    "\u200c\u200d\u20d0-\u20f0\u302a-\u302f\u3099\u309a\ua802\ua806\ua80b\ua823-\ua827"
    "\ua8b4-\ua8c5\ufe20-\ufe2f\uff9e\uff9f"
)

# Written without spaces between words: indexed as overlapping pairs.
HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
HANGUL = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7fb\uffa1-\uffdc"
KANA = "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9d"
SOUTH_EAST_ASIAN = (
    "\u0e01-\u0e30\u0e32\u0e33\u0e40-\u0e46"  # Thai
    "\u0e81-\u0eb0\u0eb2\u0eb3\u0ebd-\u0ec6\u0edc-\u0edf"  # Lao
    "\u1000-\u102a\u103f\u1050-\u1055\u105a-\u105d\u1061\u1065\u1066\u106e-\u1070\u1075-\u1081"
    "\u108e\uaa60-\uaa76\uaa7a"  # Myanmar
    "\u1780-\u17b3\u17d7\u17dc"  # Khmer
)
SPACELESS = HAN + HANGUL + KANA + SOUTH_EAST_ASIAN

# One character of these is a word people search for.
LONE = HAN + HANGUL

EMOJI = (
    "\u203c\u2049\u2139\u2190-\u21ff\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"
)
EMOJI_TAIL = "\ufe0f\u20e3\U0001f3fb-\U0001f3ff"

# Folding drops marks on these only: a Latin or Greek accent, Hebrew points and Arabic vowel signs
# are left out by people who type; Cyrillic short i, Kana voicing and Indic vowels are letters.
FOLDED = "A-Za-z\u0370-\u03ff\u1f00-\u1fff\u0590-\u05ff\u0600-\u06ff\u0750-\u077f"
