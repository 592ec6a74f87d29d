"""Casual spelling repaired: apostrophes, capital I, short forms, contractions."""

from __future__ import annotations

import re
from functools import lru_cache

from dualmem_graph.system1.rules.english import verbs

_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "´": "'", "`": "'"})
# Pictographs, dingbats, arrows, flags, joiners and variation selectors.
_EMOJI = re.compile(
    "[\U0001f000-\U0001faff\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\ufe0f\u200d\u20e3]+"
)
_EMOTICON = re.compile(r"(?<!\S)(?:[:;=8][-o']?[)(DPpOo3/\\|*]+|<3+|\^\^|xD|XD)(?!\w)")
_MARKUP = re.compile(r"\*{1,3}|(?<!\w)_{1,2}(?=\w)|(?<=\w)_{1,2}(?!\w)|^\s*(?:[-*•]|\d+[.)])\s+")
_SPACES = re.compile(r"\s+")
#: Spellings that chat uses, and the full words. Values with an apostrophe are expanded further.
_SHORT_FORMS = {
    "i": "I",
    "im": "I'm",
    "ive": "I've",
    "dont": "don't",
    "doesnt": "doesn't",
    "didnt": "didn't",
    "cant": "can't",
    "wont": "won't",
    "isnt": "isn't",
    "arent": "aren't",
    "wasnt": "wasn't",
    "werent": "weren't",
    "havent": "haven't",
    "hasnt": "hasn't",
    "hadnt": "hadn't",
    "couldnt": "couldn't",
    "wouldnt": "wouldn't",
    "shouldnt": "shouldn't",
    "hes": "he's",
    "shes": "she's",
    "theyre": "they're",
    "thats": "that's",
    "whats": "what's",
    "youre": "you're",
    "gonna": "going to",
    "wanna": "want to",
    "gotta": "got to",
    "hafta": "have to",
    "cuz": "because",
    "coz": "because",
    "'cause": "because",
    "'cuz": "because",
    "bc": "because",
    "tmrw": "tomorrow",
    "tmr": "tomorrow",
    "tomorow": "tomorrow",
    "yrs": "years",
    "wk": "week",
    "rn": "right now",
    "bday": "birthday",
    "b-day": "birthday",
    "fav": "favorite",
    "fave": "favorite",
    "gf": "girlfriend",
    "bf": "boyfriend",
    "u": "you",
    "ur": "your",
    "ppl": "people",
    "thx": "thanks",
    "pls": "please",
    "plz": "please",
    "fam": "family",
    "w/": "with",
    "lang": "language",
    "uni": "university",
}
_SOFTENER = re.compile(
    r"\b(?:kind|sort) of\b(?= (?!music|food|person|thing)\w+)|\bkinda\b|\bsorta\b", re.IGNORECASE
)
_ELIDED_DUTY = re.compile(r"^got to\b(?= (?!(?:see|know|go|visit|meet)\b)\w+)", re.IGNORECASE)
_HAD_OR_WOULD = re.compile(
    r"\b(I|we|he|she|they|you)'d\b"
    r"(?=(?:\W+(?:all|both|always|often|also|usually|just|sometimes|never|only))?\W+(\w+)|$)",
    re.IGNORECASE,
)
_DAY = re.compile(r"\b(?:Fri|Sat|Sun)\b", re.IGNORECASE)
_SHORT = re.compile(r"(?<![\w'./@-])(?:w/(?=\s)|'?[A-Za-z][A-Za-z-]*)(?![\w/@'-]|\.\w)")
_EXPANSIONS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), replacement)
    for pattern, replacement in (
        (r"\bi(?='(?:m|ve|d|ll)\b)", "I"),
        (r"\bI'm\b", "I am"),
        (r"\b(I|we|you|they)'ve got to\b", r"\1 have to"),
        (r"\b(I|we|they) (?:have )?got to\b(?= \w+)", r"\1 have to"),
        (r"\b(I|we|they)'ve got\b(?! \w+(?:ed|en)\b)", r"\1 have"),
        (r"\b(I|we|they) have got\b(?= (?:a|an|two|three|four|no|some|my)\b)", r"\1 have"),
        (r"\b(he|she)'s got\b", r"\1 has"),
        (r"\b(I|we|you|they|who|there)'ve\b", r"\1 have"),
        (r"\b(I|we|you|he|she|they|it|that|there|this)'ll\b", r"\1 will"),
        (
            r"\b(I|we|he|she|they|you)'d(?= (?:rather|love|like|prefer|be|have|never"
            r"|hate|really|say"
            r"|go|appreciate|want|want|need|probably)\b)",
            r"\1 would",
        ),
        (r"\b(we|you|they)'re\b", r"\1 are"),
        (r"\bcan't\b|\bcan not\b", "cannot"),
        (r"\bwon't\b", "will not"),
        (r"\bI ain't\b", "I am not"),
        (r"\bain't\b", "is not"),
        (r"\b(\w+)n't\b", r"\1 not"),
        (
            r"\b(he|she|it|that|there|here|who|what|where|this|name)'s"
            r"(?= (?:been|had|gone|\w{3,}ed|taken|given|done|become|made|grown)\b)",
            r"\1 has",
        ),
        (r"\b(he|she|it|that|there|here|who|what|where|this|name|everything)'s\b", r"\1 is"),
        (r"(?<=\w)'s(?= been\b)", " has"),
        (
            r"(?<=\w)'s(?= (?:a|an|the|not|called|named|from|allergic|afraid|very|so"
            r"|still|now|also"
            r"|in|at|my|scared|ok|okay|fine|doing|going|getting|coming|turning|about)\b)",
            " is",
        ),
        (r"(?<=\blast )Fri\b|(?<=\bnext )Fri\b|(?<=\bon )Fri\b|(?<=\bthis )Fri\b", "Friday"),
        (r"(?<=\blast )Sat\b|(?<=\bnext )Sat\b|(?<=\bon )Sat\b|(?<=\bthis )Sat\b", "Saturday"),
        (r"(?<=\blast )Sun\b|(?<=\bnext )Sun\b|(?<=\bon )Sun\b|(?<=\bthis )Sun\b", "Sunday"),
        (r"\bany\s?more\b(?=\W*$|,)", "any more"),
    )
)


@lru_cache(maxsize=256)
def tidy(text: str) -> str:
    """Repair and expand one sentence; the words stay the speaker's.

    Example:
        >>> tidy("im a nurse & ive got two cats 🐱")
        'I am a nurse and I have two cats'
    """
    text = _EMOJI.sub(" ", text.translate(_QUOTES))
    text = _EMOTICON.sub(" ", text)
    text = _MARKUP.sub("", text).replace(" & ", " and ")
    text = _SOFTENER.sub("", text)
    text = _ELIDED_DUTY.sub("I have to", _SHORT.sub(_full_form, text).strip())
    if (
        "'" in text
        or "got to" in text
        or "an not" in text
        or _DAY.search(text)
        or "more" in text
        or " of " in text
    ):
        text = expand(text)
    return _SPACES.sub(" ", text).strip()


def expand(text: str) -> str:
    """Write contractions out: ``I've`` → ``I have``, ``doesn't`` → ``does not``."""
    for pattern, replacement in _EXPANSIONS:
        text = pattern.sub(replacement, text)
    return _HAD_OR_WOULD.sub(_had_or_would, text) if "'d" in text else text


def _had_or_would(match: re.Match[str]) -> str:
    """ "I'd watch" is "would", "I'd watched" and "I'd been" are "had"."""
    verb = (match[2] or "").lower()
    would = verb in verbs.BASES and not verbs.is_irregular_past(verb)
    return f"{match[1]} {'would' if would else 'had'}"


def _full_form(match: re.Match[str]) -> str:
    word = match[0]
    full = _SHORT_FORMS.get(word) or _SHORT_FORMS.get(word.lower())
    if full is None or (word.isupper() and len(word) > 1 and word != "IM"):
        return word
    return full[0].upper() + full[1:] if word[0].isupper() else full
