"""Who a clause is about, and the clause in the third person.

``parse`` finds the subject ("I", "my cousin Tobin", "he", "my tent", "Tobin") and gives the clause
back as a subject and a predicate in the third person: "I've been living in Porto with my wife" →
"User", "has been living in Porto with their wife".
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum

from dualmem_graph.system1.rules import english_verbs as verbs
from dualmem_graph.system1.rules.english_clauses import SAME_SUBJECT
from dualmem_graph.system1.rules.english_words import (
    FILLERS,
    LIGHT_ADVERBS,
    NOT_NAMES,
    PETS,
    RELATIONS,
)
from dualmem_graph.system1.rules.findings import USER, Person, SentenceContext


class Kind(Enum):
    """What sort of subject a clause has."""

    SELF = "self"
    PERSON = "person"
    PET = "pet"
    THING = "thing"
    NAME = "name"
    WORLD = "world"


@dataclass(frozen=True, slots=True)
class Subject:
    """Who a clause is about.

    Attributes:
        id: the subject of the statement: ``"user"``, the speaker's or another's name.
        display: how the sentence calls them: ``"User"``, ``"User's cousin Tobin"``.
        kind: ``THING`` stands for a thing, topic or event that somebody has ("my tent").
        plural: the verb is plural as spoken.
        noun: of a THING, its noun ("tent"); of a person, the relation ("cousin").
        owner: of a THING, whether it is the speaker's own.
    """

    id: str
    display: str
    kind: Kind
    plural: bool = False
    noun: str = ""
    owner: str = ""
    people: tuple[Person, ...] = ()

    @property
    def has_name(self) -> bool:
        """Whether a person or pet was called by a name of their own."""
        return self.id != self.display

    @property
    def is_self(self) -> bool:
        """Whether the speaker themselves is the subject."""
        return self.kind is Kind.SELF


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause in the third person."""

    subject: Subject
    predicate: str
    spoken: str
    people: tuple[Person, ...] = field(default=())

    @property
    def text(self) -> str:
        """Subject and predicate, without a final mark."""
        return f"{self.subject.display} {self.predicate}"


_PRONOUNS = frozenset({"he", "she", "they"})
_DAY_NAME = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_MONTH_NAME = r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"
_PERIOD = rf"(?:day|week|weekend|month|year|morning|evening|night|afternoon|summer|winter|spring|autumn|fall|semester|term|time|christmas|{_DAY_NAME}|{_MONTH_NAME})s?"
#: Opens a clause with or without a comma after it.
_TIME_LEAD = re.compile(
    rf"^(?:yesterday|today|tonight|tomorrow|(?:earlier |later )?(?:last|next|this|these|this past|this coming|every|each|most|some) (?:other |single )?{_PERIOD}"
    r"|recently|lately|currently|sometimes|usually|often|normally|generally|occasionally|typically|nowadays|right now|now|then|soon|later"
    rf"|eventually|so far|the other {_PERIOD}|(?:starting |beginning )?(?:from|starting|as of) (?:now on|{_MONTH_NAME}|(?:next )?{_PERIOD})|the {_PERIOD} (?:before|after)\b.*?|(?:back )?in (?:(?:early |late )?{_MONTH_NAME}|(?:19|20)\d\d|the {_PERIOD})"
    rf"|(?:on |over )?(?:the )?(?:{_DAY_NAME}|weekends?)|(?:\d+|a few|a couple of|an?|one|two|three|four|five|six|ten) {_PERIOD} ago)(?=[\s,])",
    re.IGNORECASE,
)
#: Opens a clause only with a comma before the subject.
_ADVERBIAL = re.compile(
    r"^(?:in|on|at|during|over|back|for|after|before|as|at first|growing up|up until|until|by|with|to|from|besides|apart from|instead of"
    r"|despite|thanks to|like|unlike|since|throughout|within|under|when|whenever|while|once|ever since|because|although|though|even though"
    r"|now that|outside|inside|about|a|an|one|two|three|\d+|some|these|this|last|next|every)\b",
    re.IGNORECASE,
)
_SUBORDINATOR = re.compile(
    r"^(?:when|whenever|while|after|before|since|as|once|ever since|because|although|though|even though|now that"
    r"|until)\b",
    re.IGNORECASE,
)
_DROPPED_ADVERBIAL = words(
    "now then recently lately currently soon later eventually earlier so far nowadays"
)
_ASIDE = re.compile(
    r"^(?:as for|for me\b|to me\b|in my opinion|at first$|after all|at least|by the way|in fact|in general|like you|like I said)",
    re.IGNORECASE,
)
_MAIN = re.compile(r"(?:^|[\s,])((?:my (?:\w+ ){1,2}and I|I|we|my|our|he|she|they)\s)")
_PAIR = re.compile(
    r"^(?:(?P<with>(?i:my|our) [\w' -]{2,40}?|[A-Z][\w'-]+(?: [A-Z][\w'-]+)?) and (?:I|me|myself)"
    r"|(?:me|I) and (?P<with2>(?i:my|our) [\w'-]+(?: [A-Z][\w'-]+)?|[A-Z][\w'-]+))\s+(?P<rest>.+)$"
)
_PREPOSITIONS = words(
    "from at in of with on for to about who that"
)
_NAME = re.compile(r"^[A-Z][\w'’-]+$")
_NAMED = re.compile(r"^((?:[A-Z][\w-]+)(?: [A-Z][\w-]+)?)((?:'s)?)\s+(.+)$")
_ELIDED = re.compile(
    r"^(?:(?P<adv>just|finally|recently|already|almost|still|also|never|actually|currently|always|accidentally) )*"
    r"(?P<verb>[a-z]+)\b"
)
_KIN_NAMES = words(
    "mom mum dad grandma grandpa mommy daddy granny nana mama papa grandad"
)
_WORLD = re.compile(r"^(?:the|someone|somebody|everyone|everybody|some|a|an|[a-z]{3,}ing)\b", re.I)
_MINE = re.compile(r"\b(?:me|my|us|our)\b")
_COMMA_NAME = re.compile(r"^((?:my|our) [\w' -]+?), ([A-Z][\w-]+(?: [A-Z][\w-]+)?),? ")
_NAME_COMMA = re.compile(r"^([A-Z][\w-]+), ((?:my|our) [\w' -]+?), ")
_LONGEST_SUBJECT = 9
_LONGEST_THING = 5
#: Verbs before a list of nouns, some of which look like verbs ("I love music, dance and art").
_TAKES_LIST = words(
    "am are have like love enjoy prefer hate want need dislike adore"
)
#: Participles that open an elided "I am …", not an elided "I …ed".
_FEELINGS = words(
    "excited thrilled missed agreed loved inspired impressed tired bored blessed hoped stoked amazed shocked "
    "worried relieved delighted pleased honored honoured touched moved interested wanted needed looked "
    "noticed guessed confused annoyed scared surprised overwhelmed exhausted concerned convinced determined "
    "prepared motivated married used supposed seemed sounded liked enjoyed appreciated"
)
_OWN = {
    "i": "they",
    "we": "they",
    "my": "their",
    "our": "their",
    "mine": "theirs",
    "ours": "theirs",
    "me": "them",
    "us": "them",
    "myself": "themselves",
    "ourselves": "themselves",
}
_FIRST_PERSON = re.compile(
    r"(?<![-'])\b(?:(I|we)( (?:\w+ly|just|also|really|still|never|always))? (am|was|are|were)\b"
    r"|(?:I|we|my|our|mine|ours|me|us|myself|ourselves)\b(?!-))",
    re.IGNORECASE,
)
_I_VERB = re.compile(r"\b(?:I|we)((?: (?:just|also|really|still|never|always))*) ([a-z]+)\b")
_PRESENT_MARK = re.compile(
    r"\b(?:every|each|usually|often|always|never|sometimes|a lot|daily|weekly|on weekends|most|regularly"
    r"|twice|once a|times a|before bed)\b",
    re.IGNORECASE,
)
#: Of the verbs whose past looks like the base, those that chat mostly uses in the present.
_MOSTLY_PRESENT = words(
    "read knit fit cost bet"
)
_PAST_MARK = re.compile(
    r"\b(?:yesterday|ago|last|just|finally|already|recently|when I was|this morning|in (?:19|20)\d\d)\b",
    re.IGNORECASE,
)


def parse(
    clause: str, ctx: SentenceContext, before: Subject | None, people: tuple[Person, ...]
) -> Clause | None:
    """Find the subject of a clause and put the clause into the third person.

    Args:
        clause: a tidied clause, possibly with :data:`SAME_SUBJECT` for its subject.
        before: the subject of the clause before, for clauses that share it.
        people: who was spoken of before, the latest first.

    Returns:
        ``None`` where the clause is about nobody that is known.
    """
    if clause.startswith(SAME_SUBJECT):
        rest = clause[len(SAME_SUBJECT) :].strip()
        return _clause(before, rest, "", ctx) if before is not None else None
    clause = _COMMA_NAME.sub(r"\1 \2 ", clause)
    clause = _NAME_COMMA.sub(r"\2 \1 ", clause)
    front, main = _split_adverbial(clause)
    found = _subject(main, ctx, people)
    if found is None:
        return None
    subject, rest = found
    return _clause(subject, rest, front, ctx)


def _clause(
    subject: Subject, rest: str, front: str, ctx: SentenceContext
) -> Clause | None:
    if not rest:
        return None
    if front and front.lower() not in _DROPPED_ADVERBIAL and not _ASIDE.match(front):
        rest = f"{rest} {front[0].lower() + front[1:] if not front.startswith('I ') else front}"
    predicate = third_person(rest, subject, ctx.subject)
    if not predicate:
        return None
    return Clause(subject, predicate, rest, subject.people)


def display_of(subject: str) -> str:
    """How a statement calls its subject: ``"user"`` → ``"User"``, a name as it is."""
    return "User" if subject == USER else subject


def _split_adverbial(clause: str) -> tuple[str, str]:
    """Split "Last week, I moved" into the adverbial and the main clause."""
    time = _TIME_LEAD.match(clause)
    if not time and not _ADVERBIAL.match(clause):
        return "", clause
    starts = [match for match in _MAIN.finditer(clause) if match.start() > 0]
    after_comma = [match for match in starts if clause[: match.start(1)].rstrip().endswith(",")]
    if after_comma:
        starts = after_comma
    elif _SUBORDINATOR.match(clause):
        starts = [match for match in starts if not match[1].lower().startswith(("my", "our"))][1:2]
    elif not time:
        starts = []
    if not starts:
        return "", clause
    cut = starts[0].start(1)
    return clause[:cut].strip(" ,"), clause[cut:]


def _subject(
    text: str, ctx: SentenceContext, people: tuple[Person, ...]
) -> tuple[Subject, str] | None:
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
    return Subject(
        ctx.subject, f"{me} {phrase}", Kind.THING, plural=plural, noun=phrase
    ), predicate


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
        plural = pronoun == "they" or "and" in following or (noun not in RELATIONS and noun not in PETS)
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
    if not words or not verbs.is_finite(words[0].lower()):
        return None
    known = any(person.name == name for person in people)
    kind = Kind.PERSON if known else Kind.NAME
    return Subject(name, name, kind, people=(Person(name),)), rest


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
    if verb in {"can", "have", "had"} or (verb not in verbs.BASES and verbs.is_irregular_past(verb)):
        return (subject, rest) if verb not in {"was", "were", "did", "said", "thought", "left"} else None
    if verb.endswith("ing") and adverb in {"still", "currently"}:
        return subject, f"am {rest}"
    moved = re.match(r"moved (?:to|here|from|out|in|into|back)\b", match[0] + rest[match.end() :])
    if verb.endswith("ed") and (moved or verb not in _FEELINGS) and len(verb) > 4 and verbs.base_form(verb) in verbs.BASES:  # noqa: PLR2004
        return subject, rest
    if verb in {"love", "hate", "miss", "have"} and adverb is None:
        pointing = re.match(r"\w+ (?:the|your|this|that|these|those|it|how|when|and|to|for|all|you|him|her)\b", rest)
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


def third_person(rest: str, subject: Subject, speaker: str) -> str:
    """Put a predicate as spoken into the third person of its subject.

    Example:
        >>> third_person("have lost my keys", Subject("user", "User", Kind.SELF), "user")
        'has lost their keys'
    """
    words = rest.split()
    at = _main_verb(words)
    if at is None:
        return ""
    if subject.is_self and not subject.plural:
        spoken, words[at] = words[at], _conjugated(words[at], rest)
        paired = at + 2 < len(words) and words[at + 1] in {"and", "or"}
        if paired and words[at] != spoken and words[at + 2] in verbs.BASES:
            words[at + 2] = _conjugated(words[at + 2], rest)
        if words[at] != spoken and spoken not in _TAKES_LIST:
            _conjugate_listed(words, at, rest)
    elif subject.plural and words[at].lower() == "am":
        words[at] = "are"
    head = [word for word in words[:at] if word.lower() not in FILLERS | {"both", "all"}]
    tail = " ".join(words[at:])
    if subject.is_self:
        tail = _own_pronouns(tail)
    elif subject.kind in (Kind.WORLD, Kind.THING):
        tail = _later_pronouns(tail, speaker, named=subject.display.startswith(display_of(speaker)))
    else:
        tail = _others_pronouns(tail, speaker)
    return " ".join([*head, tail])


def _conjugate_listed(words: list[str], at: int, rest: str) -> None:
    """"roast marshmallows, tell stories": each verb after a comma agrees as well."""
    for place in range(at + 2, len(words)):
        if words[place - 1].endswith(",") and words[place] in verbs.BASES:
            words[place] = _conjugated(words[place], rest)


def _main_verb(words: list[str]) -> int | None:
    for at, word in enumerate(words):
        lowered = word.lower().strip(",")
        if lowered in {"no", "longer"} and "longer" in words[: at + 2]:
            continue
        if lowered in LIGHT_ADVERBS or (lowered.endswith("ly") and lowered not in verbs.BASES):
            continue
        return at if lowered.replace("'", "").isalpha() else None
    return None


def _conjugated(word: str, rest: str) -> str:
    verb = word.lower()
    if verb in {"am", "are"}:
        return "is"
    if verb in verbs.MODALS or verb in {"is", "was", "has", "does", "had", "did"}:
        return verb
    if verb in verbs.SAME_PAST:
        habitual = bool(_PRESENT_MARK.search(rest))
        past = bool(_PAST_MARK.search(rest))
        present = habitual or (verb in _MOSTLY_PRESENT and not past)
        return verbs.third_singular(verb) if present else verb
    if verb in {"were"}:
        return "was"
    if verbs.is_past(verb) and verb not in verbs.BASES:
        return verb
    return verbs.third_singular(verb)


def _own_pronouns(text: str) -> str:
    def replace(match: re.Match[str]) -> str:
        if match[1]:
            return f"they{match[2] or ''} {'are' if match[3].lower() in {'am', 'are'} else 'were'}"
        return _OWN[match[0].lower()]

    return _FIRST_PERSON.sub(replace, text)


def _later_pronouns(text: str, speaker: str, *, named: bool) -> str:
    """First person beside a thing: the name once, then pronouns."""
    if named:
        return _own_pronouns(text)
    first = _FIRST_PERSON.search(text)
    if first is None:
        return text
    named_to = first.end()
    return _others_pronouns(text[:named_to], speaker) + _own_pronouns(text[named_to:])


def _others_pronouns(text: str, speaker: str) -> str:
    """First person inside a clause about another: always by name, "they" would be ambiguous."""
    me = display_of(speaker)

    def verb(match: re.Match[str]) -> str:
        spoken = match[2]
        form = spoken if verbs.is_past(spoken) and spoken not in verbs.BASES else _conjugated(spoken, "")
        return f"{me}{match[1]} {form}"

    text = _I_VERB.sub(verb, text)
    forms = {"my": f"{me}'s", "our": f"{me}'s", "mine": f"{me}'s", "ours": f"{me}'s"}
    return _FIRST_PERSON.sub(lambda match: forms.get(match[0].lower(), me), text)


_NAMING = re.compile(
    r"^(?:(?:you can |please |just |but )?call me|(?:everyone|everybody|people|friends|my friends|they) calls? me|I go by)\s+(?P<v>[\w'-]+(?: [A-Z][\w'-]+)?)(?:,? (?:not|instead of|rather than) .*)?[.!]*$",
    re.IGNORECASE,
)
_LAST_DAY = re.compile(
    r"^(?P<t>today|yesterday|(?:last )?(?:mon|tues|wednes|thurs|fri|satur|sun)day) (?:is|was) my (?:very )?last day at (?P<v>[\w' &.-]+)$",
    re.IGNORECASE,
)
_BIRTHDAY = re.compile(
    r"^(?:it is|it was) my birthday (?P<a>today|tomorrow|(?:on|next|this) [\w ]+)$|^(?P<b>today|tomorrow) is my birthday$",
    re.IGNORECASE,
)
_FAVOURITE = re.compile(
    r"^(?P<v>(?!(?:that|this|it|he|she|they|what|which|there|these|those|you)\b)[^,;]{2,40}?) (?:is|are|has always been|was always)"
    r" (?:by far |definitely |probably |still )?my (?P<k>(?:all-time )?favou?rite (?!of\b|one\b|thing about\b|part\b)[\w -]+)$",
    re.IGNORECASE,
)
#: Favourites that are no proper names.
_COMMON_FAVOURITE = re.compile(
    r"\b(?:colou?r|food|fruit|vegetable|season|drink|dessert|animal|flower|sport|subject|hobby|snack|meal|dish|ice cream|number|weather)$"
)
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


def is_naming(text: str) -> bool:
    """Whether a text is "call me …" and no command."""
    return bool(_NAMING.match(text))


def naming(clause: str, ctx: SentenceContext) -> Clause | None:
    """"Call me Theo", "teal is my favourite colour": the subject stands elsewhere.

    Returns:
        The clause with the speaker, or what is theirs, as the subject; ``None`` for others.
    """
    me = display_of(ctx.subject)
    favourite = _FAVOURITE.match(clause)
    if favourite:
        noun = favourite["k"]
        value = favourite["v"]
        if _COMMON_FAVOURITE.search(noun):
            value = value[:1].lower() + value[1:]
        topic = Subject(ctx.subject, f"{me}'s {noun}", Kind.THING, noun=noun)
        return Clause(topic, f"is {value}", clause)
    birthday = _BIRTHDAY.match(clause)
    if birthday:
        topic = Subject(ctx.subject, f"{me}'s birthday", Kind.THING, noun="birthday")
        return Clause(topic, f"is {birthday['a'] or birthday['b']}", clause)
    last = _LAST_DAY.match(clause)
    if last:
        when = last["t"][0].lower() + last["t"][1:]
        speaker = Subject(ctx.subject, me, Kind.SELF)
        return Clause(speaker, f"had their last day at {last['v']} {when}", clause)
    match = _NAMING.match(clause)
    if match is None:
        return None
    name = match["v"][:1].upper() + match["v"][1:]
    return Clause(Subject(ctx.subject, me, Kind.SELF), f"goes by {name}", clause)
