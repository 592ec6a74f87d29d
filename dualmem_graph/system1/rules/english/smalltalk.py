"""English turns that hold nothing to remember, and requests to remember or forget."""

from __future__ import annotations

import re

from dualmem_graph.system1.rules.english import refusals
from dualmem_graph.system1.rules.english.drafts import WORD
from dualmem_graph.system1.rules.english.naming import is_naming
from dualmem_graph.system1.rules.english.spelling import tidy
from dualmem_graph.system1.rules.wordlist import word_set
from dualmem_graph.text.chunks import sentences

#: A sentence of these words alone says nothing of anybody's life.
_PHATIC = word_set(
    "hey hi hello hiya yo there again everyone all good morning evening afternoon night day bye "
    "goodbye see you ya later soon take care thanks thank so much very a lot ton bunch "
    "million ok "
    "okay k kk yes yeah yep yup no nope nah sure right cool nice great awesome amazing perfect "
    "wonderful lovely fantastic excellent wow oh ah ugh lol lmao omg got it i see "
    "understood makes "
    "sense sounds that this is was really too funny hilarious interesting helpful same here "
    "exactly indeed agreed totally absolutely definitely of course fine am doing well "
    "how are what "
    "up going welcome problem worries np please sorry never mind nevermind love appreciate think "
    "know do not agree with guess let us me try done go ahead continue stop start next more one "
    "moment wait second sec minute just tired bored happy today now pretty kinda fun "
    "to talk hear "
    "from long time be back tell about mean work works working for and the best bad pleasure "
    "cheers ty thx yw brb gtg ttyl word true fair enough point luck congrats congratulations "
    "whatever maybe idk dunno alright bravo gotcha sweet roger noted"
)
_LAUGHTER = re.compile(r"(?:ha){2,}h?|(?:he){2,}|a+w+|h+m+|u+[mh]+")
_LONGEST_IDLE = 25
_OWN = re.compile(r"\b(?:my|our|mine|ours)\b", re.IGNORECASE)
_ABOUT_SELF = re.compile(
    r"\b(?:I|we) (?:am|was|were|have|had|live|lived|work|worked|study|moved|got|went"
    r"|like|love|hate|want|need|just|always|never|usually)\b",
    re.IGNORECASE,
)
_MEMORY_QUESTION = re.compile(
    r"^(?:do|can|did|could) you (?:remember|recall|know|tell)\b|^(?:what|where|when|who"
    r"|which|how)\b.*\b(?:did|do|am|was|have) (?:I|we)\b|^what(?:'s| is) my\b|^who(?:'s"
    r"| is) my\b|^where(?:'s| is) my\b",
    re.IGNORECASE,
)
_REMEMBER = re.compile(
    r"^(?:(?:please|can you|could you|would you|hey|also|and|ok|so|just)[\s,]+)*"
    r"(?:remember(?: this| that| for (?:me|later|next time))?"
    r"|do not (?:ever )?forget(?: this)?|keep in mind|bear in mind|note(?: down)?"
    r"|make a (?:mental )?note|take note|memori[sz]e(?: this)?|save this|for (?:future"
    r"|your) reference|for later)"
    r"\s*(?:,?\s*that\b|[:,—–-]+|(?=\s(?:my|I|the|our|we|his|her"
    r"|their)\b))[\s:,—–-]*(?P<v>\S.+)$",
    re.IGNORECASE | re.DOTALL,
)
_NOT_PAYLOAD = re.compile(
    r"^(?:to|when|what|how|where|who|why|the time|last|if|it|this|about)\b|\?\s*$", re.IGNORECASE
)
_FORGET = re.compile(
    r"^(?:(?:please|can you|could you|would you|you can|i want you to|hey|also|and|ok"
    r"|now|just)[\s,]+)*"
    r"(?:forget|delete|remove|erase|wipe|stop remembering|do not remember)\s+"
    r"(?:(?:everything|all|what|anything)\s+(?:you (?:know|remember|have|saved"
    r"|stored) )?(?:about |i (?:said|told you) about )?|that |about |the fact that )?"
    r"(?P<v>(?:my|I|our|me|everything|all my|what i|we|the)\b.*?|everything|it all)[\s.!?]*$",
    re.IGNORECASE,
)
_NOT_FORGET = re.compile(
    r"^(?:the (?:last|first|second|previous) (?:line|word|paragraph|row|column|sentence"
    r"|function)|it\b|to\b)|\b(?:from|in) the (?:list|table|code|file|function|text)\b"
    r"|\b(?:duplicates|rows|columns|files?|lines)\b",
    re.IGNORECASE,
)
_BOUND = re.compile(r"\b(?:I|my|me|we|our)\b", re.IGNORECASE)


def is_small_talk(text: str) -> bool:
    """Whether a whole turn is greeting, thanks, acknowledgement, command or bare question.

    Questions and commands that tell of the speaker ("my daughter's birthday") are not.
    """
    if not re.search(r"\w", text):
        return True
    return all(_is_idle(tidy(sentence)) for sentence in sentences(text))


def _is_phatic(sentence: str) -> bool:
    spoken = WORD.findall(sentence.lower())
    return len(spoken) <= _LONGEST_IDLE and all(
        word in _PHATIC or _LAUGHTER.fullmatch(word) for word in spoken
    )


def _is_idle(sentence: str) -> bool:
    if is_naming(sentence):
        return False
    if _is_phatic(sentence) or _MEMORY_QUESTION.match(sentence):
        return True
    if asks_to_forget(sentence):
        return True
    if asks_to_remember(sentence) is not None:
        return False
    asks = refusals.is_question(sentence) or refusals.is_command(sentence)
    return asks and not _OWN.search(sentence) and not _ABOUT_SELF.search(sentence)


def asks_to_remember(sentence: str) -> str | None:
    """What a sentence asks to keep ("remember that …"), in its own words; else ``None``."""
    match = _REMEMBER.match(tidy(sentence))
    if match is None or _NOT_PAYLOAD.search(match["v"]):
        return None
    aside = re.search(r"\b(?:remember|forget)\s*,", match[0], re.IGNORECASE)
    if aside and re.search(r"\byou\b", match["v"], re.IGNORECASE):
        return None  # "and remember, I'm always here for you"
    return match["v"].strip().rstrip(".! ")


def asks_to_forget(sentence: str) -> str | None:
    """What a sentence asks to forget ("forget my address"); else ``None``."""
    match = _FORGET.match(tidy(sentence))
    if (
        match is None
        or _NOT_FORGET.search(match["v"])
        or not (_BOUND.search(sentence) or match["v"].lower().startswith("everything"))
    ):
        return None
    return match["v"].strip()
