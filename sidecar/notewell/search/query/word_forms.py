"""English forms of a word that its stem does not tell: irregular ones, and other spellings.

The stemmer cuts endings, so *mice* and *mouse*, *bought* and *buy*, or *colour* and *color*, are
different words for it. Here are the plurals and the verbs that English forms in a way of its own,
and the patterns by which British and American spelling differ. A form only counts where the vault
has it, so a pattern may give words that do not exist.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

_PLURALS = """
mouse mice, louse lice, goose geese, foot feet, tooth teeth, man men, woman women, child children,
person people, ox oxen, die dice, penny pence, leaf leaves, knife knives, life lives, wife wives,
half halves, shelf shelves, self selves, wolf wolves, calf calves, loaf loaves, thief thieves,
scarf scarves, elf elves, hoof hooves, sheaf sheaves, cactus cacti, fungus fungi, nucleus nuclei,
radius radii, alumnus alumni, stimulus stimuli, focus foci, syllabus syllabi, locus loci,
terminus termini, bacillus bacilli, analysis analyses, basis bases, crisis crises, thesis theses,
hypothesis hypotheses, diagnosis diagnoses, synthesis syntheses, oasis oases, axis axes,
parenthesis parentheses, index indices, appendix appendices, matrix matrices, vertex vertices,
vortex vortices, codex codices, datum data, medium media, criterion criteria,
phenomenon phenomena, bacterium bacteria, curriculum curricula, memorandum memoranda,
stratum strata, spectrum spectra, symposium symposia, larva larvae, formula formulae,
antenna antennae, alga algae, vertebra vertebrae, nebula nebulae, genus genera, corpus corpora,
opus opera, schema schemata, stigma stigmata, quiz quizzes,
alias aliases, atlas atlases, bias biases, canvas canvases, chrysalis chrysalises,
christmas christmases, clematis clematises, cosmos cosmoses, ibis ibises, iris irises, lens lenses,
mantis mantises, metropolis metropolises, pancreas pancreases, pelvis pelvises,
portcullis portcullises, rhinoceros rhinoceroses, summons summonses, thermos thermoses,
trellis trellises
"""  # the last ones: the stemmer takes the s of the singular for that of a plural
# Not those whose past is another word as well (*left sidebar*, *a saw*, *a bit of ground*), nor
# those that say as little as *get* and *make*.
_VERBS = """
arise arose arisen, awake awoke awoken, beat beaten, become became, begin began begun, bend bent,
bid bade bidden, bite bitten, bleed bled, blow blew blown, break broke broken, breed bred,
bring brought, build built, burn burnt, buy bought, catch caught, choose chose chosen, cling clung,
come came, creep crept, deal dealt, dig dug, dive dove, draw drew drawn, dream dreamt,
drink drank drunk, drive drove driven, eat ate eaten, fall fallen, feed fed, feel felt,
fight fought, find found, flee fled, fling flung, fly flew flown, forbid forbade forbidden,
forget forgot forgotten, forgive forgave forgiven, freeze froze frozen, give gave given,
go goes went gone, grow grew grown,
hang hung, hear heard, hide hid hidden, hold held, kneel knelt, lay laid,
lead led, lean leant, leap leapt, learn learnt, lend lent, light lit, lose lost,
mean meant, meet met, mistake mistook mistaken, overcome overcame, pay paid, prove proven,
ride rode ridden, ring rang rung, rise risen, run ran, seek sought, sell sold,
send sent, sew sewn, shake shook shaken, shine shone, shoot shot, shrink shrank shrunk,
sing sang sung, sink sank sunk, sit sat, sleep slept, slide slid, sling slung, smell smelt,
sow sown, speak spoke spoken, spell spelt, spend spent, spill spilt, spin spun, spit spat,
spoil spoilt, spring sprang sprung, stand stood, steal stole stolen, stick stuck, sting stung,
stink stank stunk, stride strode, strike struck, string strung, strive strove striven,
swear swore sworn, sweep swept, swell swollen, swim swam swum, swing swung,
teach taught, tear tore torn, tell told, think thought, throw threw thrown, tread trod trodden,
understand understood, undertake undertook undertaken, undo undid undone, wake woke woken,
wear wore worn, weave wove woven, weep wept, win won, withdraw withdrew withdrawn,
write wrote written, rewrite rewrote rewritten
"""
_SPELLINGS = """
grey gray, tyre tire, programme program, aluminium aluminum, mould mold, plough plow,
pyjamas pajamas, sceptic skeptic, sceptical skeptical, draught draft, jewellery jewelry,
moustache mustache, cheque check, kerb curb, storey story, whisky whiskey, yoghurt yogurt,
cosy cozy, artefact artifact, enrol enroll, fulfil fulfill, skilful skillful,
instalment installment, judgement judgment, acknowledgement acknowledgment, ageing aging,
manoeuvre maneuver, oesophagus esophagus, omelette omelet, ketchup catsup
"""
# Of each pair, one side's ending becomes the other's; `\1` is what follows.
_PATTERNS = tuple(
    (re.compile(pattern), other)
    for pattern, other in (
        (r"(?<=[a-z]{3})our((?:s|ed|ing|ful|less|able|ite|ites|y|hood|ly)?)$", r"or\1"),
        (r"(?<=[a-z]{3})or((?:s|ed|ing|ful|less|able|ite|ites|y|hood|ly)?)$", r"our\1"),
        (r"(?<=[a-z]{3})is(e|es|ed|er|ers|ing|ation|ations)$", r"iz\1"),
        (r"(?<=[a-z]{3})iz(e|es|ed|er|ers|ing|ation|ations)$", r"is\1"),
        (r"(?<=[a-z]{3})ys(e|es|ed|er|ers|ing)$", r"yz\1"),
        (r"(?<=[a-z]{3})yz(e|es|ed|er|ers|ing)$", r"ys\1"),
        (r"(?<=[a-z]{2})([tb])re(s?)$", r"\1er\2"),
        (r"(?<=[a-z]{2})([tb])er(s?)$", r"\1re\2"),
        (r"(?<=[a-z]{2})ogue(s?)$", r"og\1"),
        (r"(?<=[a-z]{2})og(s?)$", r"ogue\1"),
        (r"(?<=[a-z]{2})ence(s?)$", r"ense\1"),
        (r"(?<=[a-z]{2})ense(s?)$", r"ence\1"),
        (r"(?<=[aeiou])ll(ed|ing|er|ers|or|ors)$", r"l\1"),
        (r"(?<=[aeiou])l(ed|ing|er|ers|or|ors)$", r"ll\1"),
        (r"^(.+)ae(.+)$", r"\1e\2"),
    )
)
_FEWEST = 3  # letters of a word that is spelled in other ways
# How German writes a vowel with two points where a keyboard has none; folded, it loses them.
_TRANSLITERATED = re.compile(r"(?<=[a-z])([ao])e(?=[a-z])|(?<=[a-bd-pr-z])(u)e(?=[a-z])")
_FEWEST_TRANSLITERATED = 6  # letters; *poet* is no other form of *pot*


def _load_list() -> Mapping[str, tuple[str, ...]]:
    """The forms of the tables by word, in both directions."""
    by_form: dict[str, list[str]] = {}
    for group in f"{_PLURALS},{_VERBS},{_SPELLINGS}".split(","):
        for form in (forms := group.split()):
            by_form.setdefault(form, []).extend(other for other in forms if other != form)
    return {word: tuple(forms) for word, forms in by_form.items()}


_LISTED = _load_list()


def transliterate(word: str) -> str | None:
    """A folded word with plain vowels for `ae`, `oe` and `ue`: *mueller* is also *muller*."""
    if len(word) < _FEWEST_TRANSLITERATED or not word.isascii():
        return None
    form = _TRANSLITERATED.sub(lambda vowel: vowel[1] or vowel[2], word)
    return form if form != word else None


@lru_cache(maxsize=2048)
def other_forms(word: str) -> tuple[str, ...]:
    """The other forms that an English word, folded, may have; () of other words."""
    if not (word.isascii() and word.isalpha()):
        return ()
    patterns = _PATTERNS if len(word) >= _FEWEST else ()
    patterned = (pattern.sub(other, word) for pattern, other in patterns if pattern.search(word))
    forms = dict.fromkeys((*_LISTED.get(word, ()), *patterned))
    return tuple(form for form in forms if form != word)
