"""Drafts: what one rule makes of one predicate, before times, tags and layers are added."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from dualmem_graph.system1.rules.dimensions import keyed, normalise_key
from dualmem_graph.system1.rules.english.predicates import Predicate
from dualmem_graph.system1.rules.english.types import Subject
from dualmem_graph.system1.rules.english.words import LANGUAGES
from dualmem_graph.system1.rules.wordlist import word_set


@dataclass(frozen=True, slots=True)
class Draft:
    """One statement in the making.

    Attributes:
        predicate: the words after the subject, where they are not those of the whole clause.
        subject: who it is about, where that is not the subject of the clause.
        display: how the subject is called then.
        profile: further profile entries by key; ``None`` says that one no longer holds.
    """

    dimension: str | None
    value: str | None = None
    negated: bool = False
    predicate: str = ""
    subject: str = ""
    display: str = ""
    profile: tuple[tuple[str, str | None], ...] = ()


@dataclass(frozen=True, slots=True)
class View:
    """What a rule sees of a clause."""

    subject: Subject
    text: str
    predicate: Predicate

    @property
    def negated(self) -> bool:
        """Whether the predicate is denied or over."""
        return self.predicate.negated


Handler = Callable[[re.Match[str], View], list[Draft]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern on the core of a predicate, and what to make of a match.

    An empty list means that the words matched and the sense did not: the next rule is tried.
    """

    pattern: re.Pattern[str]
    handle: Handler


def rule(pattern: str, handle: Handler) -> Rule:
    """A rule on a verbose, case-insensitive pattern that is anchored at the verb."""
    return Rule(re.compile(pattern, re.IGNORECASE), handle)


_NUMBER = (
    r"(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|(?:a )?few"
    r"|several|many|a couple of)"
)
_MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november"
    r"|december|jan|feb|mar|apr|jun"
    r"|jul|aug|sept?|oct|nov|dec)"
)
TIME_TAIL = (
    rf"(?:for |about |over |almost )*{_NUMBER} (?:and a half )?(?:minute|hour|day|week"
    r"|month|year|decade)s?(?: ago| now| back)?\b"
    r"|(?:last|next|this|every|each) \w+|by (?:19|20)\d\d|(?:since|until|till|for|during"
    r"|by) (?:last |next |this |the |my |their |about |over |almost |nearly |many "
    r"|several |\d|\w+ (?:years|months)|years|ages|now|\w+day|"
    rf"{_MONTH})\b|(?:back )?in (?:early |late |mid-?)?(?:(?:19|20)\d\d|{_MONTH})\b"
    rf"|on (?:the )?(?:\d+\w*|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weekends|{_MONTH})"
    r"|yesterday|today|tonight|tomorrow|originally|these days|right now|now"
    r"|at the moment|currently|recently|lately|again"
    r"|anymore|any more|someday|one day|some day|soon|once|twice|all the time|a lot"
    r"|(?:(?:a (?:bit|little|tad) |way |far |so |very )?(?:too|very|so) much)|a bit"
    r"|a little"
    r"|(?:after|before|by|at|around|past|until) (?:\d|one|two|three|four|five|six|seven"
    r"|eight|nine|ten|eleven|twelve|noon|midnight|dinner|lunch|breakfast|school)\b"
    r"|at (?:night|weekends|\d)|before (?:bed|work)|after work|in the (?:morning|evening"
    r"|afternoon)s?|the (?:day before|day after|week(?:end)? before|other day)"
    r"|when|whenever|while|because|since|where|which|who|but|so|if|though|although"
    r"|unless|as well|together|instead"
    r"|ever since|even though|to be honest|more than anything|the most|best|of course"
    r"|and (?:I|we|it|they|he|she|also|then)"
)
_STOP = re.compile(
    rf"(?:\s+(?:{TIME_TAIL})\b.*|\s*(?:[,;(!?]|:(?=\s)).*|\.(?:\s.*)?|\s+[-–—]\s.*)$", re.IGNORECASE
)
#: The words of a phrase, hyphens and apostrophes inside.
WORD = re.compile(r"[\w'’-]+")
_INITIAL = re.compile(r"\b(?:St|Mr|Mrs|Ms|Dr|Mt|Ft|[A-Z])\.(?= )")
_WITH = re.compile(
    r"\s+(?:with|alongside|near my|near their|and (?:their|my|have|has))\b.*$", re.IGNORECASE
)
_ARTICLE = re.compile(r"^(?:the|an?|some|any|my|their|our|his|her)\s+", re.IGNORECASE)
_HARD_SEPARATOR = re.compile(
    r",\s*(?:and|or|as well as)?\s+|\s+(?:and|or|as well as|and also|but also|nor|plus)\s+"
    r"|,\s*"
)
_LIST = re.compile(
    r"^[\w'’-]+(?: [\w'’-]+){0,3}(?:, (?!(?:which|who|so|but|because|I|we|it|my|and"
    r"|or)\b)[\w'’-]+(?: [\w'’-]+){0,3})+"
    r",? (?:and|or) (?!(?:I|we|it|my|they)\b)",
    re.IGNORECASE,
)
_SMALL = word_set("a an the of in on at de la le du von van der al and near outside")
_MOST_ITEMS = 6
_LONGEST_ITEM = 4
_LONGEST_VALUE = 8


def cut(text: str, *, company: bool = True, listed: bool = False) -> str:
    """The value at the start of ``text``, without times, reasons and further clauses.

    Args:
        company: cut "with …" as well ("Porto with their wife" → "Porto").
        listed: keep the commas of a plain list ("coffee, tea and cocoa").

    Example:
        >>> cut("Porto with their wife since 2019")
        'Porto'
    """
    masked = _INITIAL.sub(lambda match: match[0].replace(".", "\x00"), text.strip())
    if listed and (series := _LIST.match(masked)):
        masked = masked[: series.end()].replace(",", "\x01") + masked[series.end() :]
    masked = _STOP.sub("", " " + masked).replace("\x01", ",")
    if company:
        masked = _WITH.sub("", masked)
    return masked.replace("\x00", ".").strip(" ,.-\"'")


def items(text: str) -> list[str]:
    """The parts of a list of short noun phrases; one item where it is no plain list.

    Example:
        >>> items("coffee, jasmine tea and cocoa")
        ['coffee', 'jasmine tea', 'cocoa']
    """
    text = re.sub(r"^both (?=.* and )", "", text.strip())
    parts = [part.strip() for part in _HARD_SEPARATOR.split(text) if part.strip()]
    long = any(len(part.split()) > _LONGEST_ITEM for part in parts)
    if len(parts) < 2 or len(parts) > _MOST_ITEMS or long:
        return [text.strip()]
    return parts


def without_article(text: str) -> str:
    """``a bakery`` → ``bakery``."""
    return _ARTICLE.sub("", text).strip()


def place(text: str) -> str:
    """A place name in its usual capitals; descriptions ("a small town") stay as they are."""
    text = cut(text)
    if not text or text != text.lower() or _ARTICLE.match(text):
        return text
    return proper(text)


def proper(text: str) -> str:
    """A name in capitals where the chat wrote none: ``new york`` → ``New York``."""
    if text != text.lower():
        return text
    words = text.split()
    return " ".join(
        word if at and word in _SMALL else word[:1].upper() + word[1:]
        for at, word in enumerate(words)
    )


def language(text: str) -> str:
    """A language's name with its capital."""
    return text[:1].upper() + text[1:] if text.lower() in LANGUAGES else text


def is_value(text: str) -> bool:
    """Whether a text can stand as a value: short, and more than a pronoun."""
    return (
        bool(normalise_key(text)) and len(text.split()) <= _LONGEST_VALUE and not is_pronoun(text)
    )


_PRONOUN_ONLY = re.compile(
    r"^(?:it|this|that|them|these|those|there|here|him|her|they|he|she|one|ones|some|you"
    r"|your \w+|everything|anything"
    r"|something|nothing|things?|what .*|how .*|that .*|the (?:idea|way|fact|most|same"
    r"|one)\b.*|both|all|all of .*|so|such|to|a (?:few|couple|lot|bit)|and .*|(?:this"
    r"|that|these|those) \w+(?: \w+)?"
    r"|me|us|myself|each other|who .*|why .*|when .*|if .*|being able .*"
    r"|seeing how .*)(?: (?:all|too|so much|a lot|very much))*$",
    re.IGNORECASE,
)


def is_pronoun(text: str) -> bool:
    """Whether a phrase only points at something ("it", "this", "what you said")."""
    return bool(_PRONOUN_ONLY.match(text.strip()))


def key_of(dimension: str, key: str) -> str | None:
    """The keyed dimension, or ``None`` where no key can be made of the words."""
    key = key.strip()
    if not is_value(key):
        return None
    return keyed(dimension, key)
