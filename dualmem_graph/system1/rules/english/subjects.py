"""Who a clause is about: the speaker, a relative, a pet, a thing, a name."""

from __future__ import annotations

import re

from dualmem_graph.system1.rules.english import verbs
from dualmem_graph.system1.rules.english.types import Kind, Subject, display_of
from dualmem_graph.system1.rules.english.words import LIGHT_ADVERBS, NOT_NAMES, PETS, RELATIONS
from dualmem_graph.system1.rules.findings import Person, SentenceContext
from dualmem_graph.system1.rules.wordlist import word_set

_PRONOUNS = frozenset({"he", "she", "they"})
_PAIR = re.compile(
    r"^(?:(?P<with>(?i:my|our) [\w' -]{2,40}?|[A-Z][\w'-]+(?: [A-Z][\w'-]+)?) and (?:I|me|myself)"
    r"|(?:me|I) and (?P<with2>(?i:my|our) [\w'-]+(?: [A-Z][\w'-]+)?"
    r"|[A-Z][\w'-]+))\s+(?P<rest>.+)$"
)
_PREPOSITIONS = word_set("from at in of with on for to about who that")
_NAME = re.compile(r"^[A-Z][\w'’-]+$")
_NAMED = re.compile(r"^((?:[A-Z][\w-]+)(?: [A-Z][\w-]+)?)((?:'s)?)\s+(.+)$")
_ELIDED = re.compile(
    r"^(?:(?P<adv>just|finally|recently|already|almost|still|also|never|actually"
    r"|currently|always|accidentally) )*"
    r"(?P<verb>[a-z]+)\b"
)
_KIN_NAMES = word_set("mom mum dad grandma grandpa mommy daddy granny nana mama papa grandad")
_WORLD = re.compile(r"^(?:the|someone|somebody|everyone|everybody|some|a|an|[a-z]{3,}ing)\b", re.I)
_MINE = re.compile(r"\b(?:me|my|us|our)\b")
_LONGEST_SUBJECT = 9
_LONGEST_THING = 5
#: Participles that open an elided "I am …", not an elided "I …ed".
_FEELINGS = word_set(
    "excited thrilled missed agreed loved inspired impressed tired bored blessed hoped "
    "stoked amazed shocked "
    "worried relieved delighted pleased honored honoured touched moved interested "
    "wanted needed looked "
    "noticed guessed confused annoyed scared surprised overwhelmed exhausted concerned "
    "convinced determined "
    "prepared motivated married used supposed seemed sounded liked enjoyed appreciated"
)


def find_subject(
    text: str, ctx: SentenceContext, people: tuple[Person, ...]
) -> tuple[Subject, str] | None:
    """Split a clause, without a leading adverbial, into its subject and the rest."""
    me = display_of(ctx.subject)
    pair = _PAIR.match(text)
    if pair and not _finite_in(pair["with"] or ""):
        other = pair["with"] or pair["with2"]
        other = re.sub(r"^(?i:my|our)\b", "their", other)
        return Subject(ctx.subject, f"{me} and {other}", Kind.SELF, plural=True), pair["rest"]
    first, _, rest = text.partition(" ")
    lowered = first.lower()
    if first == "I" or lowered == "we":
        return Subject(ctx.subject, me, Kind.SELF), rest
    if lowered in {"my", "our"}:
        return _possessive(rest, ctx)
    if lowered in _PRONOUNS:
        person = _antecedent(lowered, people)
        if person is None:
            return None
        return Subject(person.name, person.name, Kind.PERSON, plural=lowered == "they"), rest
    if lowered in _KIN_NAMES and rest:
        return _possessive(text[0].lower() + text[1:], ctx)
    named = _named(text, people)
    if named is not None:
        return named
    if _WORLD.match(text) and _MINE.search(text):
        return _world(text, ctx)
    return _elided(text, ctx, me)


def _antecedent(pronoun: str, people: tuple[Person, ...]) -> Person | None:
    for person in people:
        if person.pronoun == pronoun or (not person.pronoun and pronoun != "they"):
            return person
    return None


def _possessive(rest: str, ctx: SentenceContext) -> tuple[Subject, str] | None:
    """The subject "my …": a person, a pet, a thing or topic, also over two owners."""
    words = rest.split()
    at = _verb_index(words)
    if at is None:
        return None
    noun_words, verb_words = words[:at], words[at:]
    while len(noun_words) > 1 and noun_words[-1].lower() in LIGHT_ADVERBS:
        verb_words.insert(0, noun_words.pop())
    predicate = " ".join(verb_words)
    me = f"{display_of(ctx.subject)}'s"
    phrase = " ".join(noun_words).replace(",", "")
    owned = re.match(r"(.+?)'s? (.+)$", phrase)
    if owned:
        owner = _relative(owned[1].split(), me)
        if owner is not None:
            display = f"{owner.display}'s {owned[2]}"
            return Subject(
                owner.id, display, Kind.THING, noun=owned[2], owner=owner.noun, people=owner.people
            ), predicate
        return None
    relative = _relative(noun_words, me)
    if relative is not None:
        return relative, predicate
    if re.search(r"\b(?:I|me|we)\b", phrase) or len(noun_words) > _LONGEST_THING:
        return None
    plural = verb_words[0].lower() in {"are", "were", "have"}
    return Subject(ctx.subject, f"{me} {phrase}", Kind.THING, plural=plural, noun=phrase), predicate


def _relative(words: list[str], me: str) -> Subject | None:
    """A person or pet called by relation: ``cousin Tobin`` → Tobin, "User's cousin Tobin"."""
    for at, word in enumerate(words):
        noun = word.lower().strip(",")
        if noun in _PREPOSITIONS:
            return None
        if noun not in RELATIONS and noun not in PETS and noun.rstrip("s") not in PETS:
            continue
        following = words[at + 1 :]
        if following and following[0].lower() not in _PREPOSITIONS | {"and", "called", "named"}:
            if not _NAME.match(following[0]):
                continue  # "dog food", "sister company"
            name = " ".join(word for word in following[:2] if _NAME.match(word))
        else:
            name = ""
        display = f"{me} {' '.join(words)}"
        pronoun = RELATIONS.get(noun, "")
        plural = (
            pronoun == "they" or "and" in following or (noun not in RELATIONS and noun not in PETS)
        )
        person = Person(name or display, "they" if plural else pronoun)
        kind = Kind.PERSON if noun in RELATIONS else Kind.PET
        return Subject(name or display, display, kind, plural, noun, people=(person,))
    return None


def _named(text: str, people: tuple[Person, ...]) -> tuple[Subject, str] | None:
    """A proper name as the subject: "Tobin lives …", "Tobin's wedding is …"."""
    match = _NAMED.match(text)
    if match is None or match[1].split()[0].lower() in NOT_NAMES:
        return None
    name, possessive, rest = match.groups()
    if possessive:
        words = rest.split()
        at = _verb_index(words)
        if at is None:
            return None
        noun = " ".join(words[:at])
        subject = Subject(name, f"{name}'s {noun}", Kind.THING, noun=noun, owner="name")
        return subject, " ".join(words[at:])
    words = [word for word in rest.split()[:4] if word.lower() not in LIGHT_ADVERBS]
    if not words or not verbs.is_finite(words[0].lower()) or _is_noun(words, rest):
        return None
    known = any(person.name == name for person in people)
    kind = Kind.PERSON if known else Kind.NAME
    return Subject(name, name, kind, people=(Person(name),)), rest


def _is_noun(words: list[str], rest: str) -> bool:
    """Whether what looks like a verb after a name is a plural noun ("Fantasy books always …")."""
    first = words[0].lower()
    if first in verbs.AUXILIARIES or not verbs.is_third(first):
        return False
    following = rest.split()[1:2]
    adverb = bool(following) and following[0].lower() in LIGHT_ADVERBS
    verb = len(words) > 1 and (verbs.is_finite(words[1].lower()) or words[1].lower() in verbs.BASES)
    return adverb or verb


def _world(text: str, ctx: SentenceContext) -> tuple[Subject, str] | None:
    words = text.split()
    at = _verb_index(words, singular=True)
    if at is None or words[at].lower() in {"be"}:
        return None
    phrase = " ".join(words[:at])
    if _MINE.search(phrase):
        return None
    display = phrase[0].upper() + phrase[1:]
    return Subject(ctx.subject, display, Kind.WORLD), " ".join(words[at:])


def _elided(text: str, ctx: SentenceContext, me: str) -> tuple[Subject, str] | None:
    """Chat leaves "I" out: "Just ran my first 10k", "Been working on …", "Went vegan"."""
    match = _ELIDED.match(text[0].lower() + text[1:])
    if match is None:
        return None
    adverb, verb = match["adv"], match["verb"]
    subject = Subject(ctx.subject, me, Kind.SELF)
    rest = text[0].lower() + text[1:]
    intended = re.match(r"going to (\w+)", rest)
    if intended and intended[1] in verbs.BASES:
        return subject, f"am {rest}"
    if verb == "been":
        return subject, f"have {rest}"
    if verb in {"can", "have", "had"} or (
        verb not in verbs.BASES and verbs.is_irregular_past(verb)
    ):
        return (
            (subject, rest)
            if verb not in {"was", "were", "did", "said", "thought", "left"}
            else None
        )
    if verb.endswith("ing") and adverb in {"still", "currently"}:
        return subject, f"am {rest}"
    moved = re.match(r"moved (?:to|here|from|out|in|into|back)\b", match[0] + rest[match.end() :])
    if (
        verb.endswith("ed")
        and (moved or verb not in _FEELINGS)
        and len(verb) > 4
        and verbs.base_form(verb) in verbs.BASES
    ):
        return subject, rest
    if verb in {"love", "hate", "miss", "have"} and adverb is None:
        pointing = re.match(
            r"\w+ (?:the|your|this|that|these|those|it|how|when|and|to|for|all|you|him"
            r"|her)\b",
            rest,
        )
        return None if pointing else (subject, rest)
    return None


def _verb_index(words: list[str], *, singular: bool = False) -> int | None:
    """Where the predicate begins in "cousin Tobin is afraid": the first finite verb."""
    plural = not singular and any(
        RELATIONS.get(word.lower().strip(",")) == "they" for word in words[:4]
    )
    for at in range(1, min(len(words), _LONGEST_SUBJECT)):
        word = words[at].lower()
        if words[at] != word or "'" in word:
            continue
        following = words[at + 1].lower() if at + 1 < len(words) else ""
        if word in verbs.AUXILIARIES and word != "need":
            return at
        finite = verbs.is_past(word) or verbs.is_third(word) or (plural and word in verbs.BASES)
        if finite and following not in {"is", "are", "was", "were", "has", "have", "had", "will"}:
            if words[at - 1].lower() in {"the", "a", "an", "my", "our", "of"}:
                continue
            return at
    return None


def _finite_in(phrase: str) -> bool:
    return any(verbs.is_finite(word) for word in phrase.split()[1:])


_MENTION = re.compile(
    r"\b(?:[Mm]y|[Oo]ur) (?:\w+ )??(?P<r>[a-z-]+)\b(?:,? (?P<n>[A-Z][\w-]+(?: [A-Z][\w-]+)?))?"
)


def mentioned(clause: str, speaker: str) -> tuple[Person, ...]:
    """Relatives and friends that a clause names beside its subject, the last one first."""
    if "y " not in clause and "r " not in clause:  # neither "my" nor "our"
        return ()
    people = []
    for match in _MENTION.finditer(clause):
        pronoun = RELATIONS.get(match["r"])
        if pronoun is not None:
            name = match["n"] or f"{display_of(speaker)}'s {match['r']}"
            people.append(Person(name, pronoun))
    return tuple(reversed(people))
