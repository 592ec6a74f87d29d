"""English rules for what somebody is like: likes and dislikes, favourites, diet, traits, habits."""

from __future__ import annotations

import re
from dataclasses import replace

from dualmem_graph.system1.rules import dimensions as dim
from dualmem_graph.system1.rules import english_verbs as verbs
from dualmem_graph.system1.rules.english_drafts import (
    Draft,
    Handler,
    Rule,
    View,
    cut,
    is_pronoun,
    is_value,
    items,
    key_of,
    rule,
    without_article,
)
from dualmem_graph.system1.rules.english_grammar import Kind
from dualmem_graph.system1.rules.english_predicates import Tense
from dualmem_graph.system1.rules.english_words import DIETS, NATIONALITIES, TRAIT_PHRASES, TRAITS

_LIGHT_ACTION = re.compile(
    r"^(?:(?:eating|drinking|playing with|listening to|watching|to eat|to drink|to listen to|having)\s+)(?=\w)", re.IGNORECASE
)
_CLAUSE = re.compile(r"^(?:having|knowing|that|how|when|what|it when|the way|the idea|the fact|if|where|why|seeing|hearing|being able)\b", re.I)
_PEOPLE = re.compile(
    r"^(?:(?:my|their|his|her|our)\s+(?:\w+\s+)?(?:wife|husband|kids?|family|mom|mum|dad|boss|life|girlfriend|boyfriend|dog|cat|daughter|son"
    r"|children|friends?|sister|brother|parents)|him|her|people|everyone|each other)\b",
    re.IGNORECASE,
)
_ANOTHERS = re.compile(r"^(?:his|her|its|your)\b", re.IGNORECASE)
_LONGEST_OBJECT = 9
_MOST_WORDS = 7
_OPPOSITE = {dim.LIKE: dim.DISLIKE, dim.DISLIKE: dim.LIKE}
_MOODS = re.compile(r"\b(?:today|tonight|right now|at the moment|so far)\b", re.IGNORECASE)


def _attitude(value: str) -> Handler:
    """A handler for one attitude; a denied liking is a dislike, an ended one just ends."""

    def handle(match: re.Match[str], view: View) -> list[Draft]:
        spoken = match["v"]
        if _CLAUSE.match(spoken) or _MOODS.search(spoken):
            return []
        if re.match(r"(?:all the|this|that|these|those|both of)\b", spoken):
            return []
        phrase = cut(re.sub(r"^(?:the (?:sound|taste|smell|feel|feeling|thought) of )", "", spoken), company=False, listed=True)
        parts = _objects(phrase)
        if view.subject.kind in (Kind.THING, Kind.WORLD):
            return []
        drafts = []
        for part in parts:
            key = _object_key(part)
            dimension = key_of(dim.ATTITUDE, key) if len(part.split()) <= _LONGEST_OBJECT else None
            if dimension is None or _PEOPLE.match(part) or _ANOTHERS.match(part):
                return []
            drafts.append(_stance(dimension, value, part, match, view, several=len(parts) > 1))
        return drafts

    return handle


def _stance(
    dimension: str, value: str, part: str, match: re.Match[str], view: View, *, several: bool
) -> Draft:
    predicate = ""
    if several:
        lead = view.text[: view.text.find(match["v"])] if match["v"] in view.text else ""
        predicate = f"{lead}{part}" if lead else ""
    if not view.negated:
        return Draft(dimension, value, predicate=predicate)
    if view.predicate.ended and view.predicate.tense is Tense.PAST:
        return Draft(dimension, value, True, predicate)  # "used to like"
    if value in _OPPOSITE:
        return Draft(dimension, _OPPOSITE[value], predicate=predicate)
    return Draft(dimension, value, True, predicate)


def _objects(phrase: str) -> list[str]:
    parts = items(phrase)
    verbal = any(re.match(r"to\b|\w+ing\b", part) for part in parts)
    if len(parts) > 1 and verbal and not all(re.match(r"to\b|\w+ing\b", part) for part in parts):
        return [phrase]
    if len(parts) > 1 and any(is_pronoun(part) or re.match(r"(?:my|their|its|his|her)\b", part) for part in parts):
        return [phrase]
    return parts


def _object_key(part: str) -> str:
    key = _LIGHT_ACTION.sub("", part)
    infinitive = re.match(r"to ([a-z]+)\b(.*)$", key)
    if infinitive:
        return f"{_gerund(infinitive[1])}{infinitive[2]}"
    return re.sub(r"^going (\w+ing)\b", r"\1", key)


def _gerund(verb: str) -> str:
    if verb.endswith("ie"):
        return verb[:-2] + "ying"
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")):
        return verb[:-1] + "ing"
    if re.fullmatch(r"[^aeiou]*[aeiou][bdgklmnprt]", verb):
        return verb + verb[-1] + "ing"
    return verb + "ing"


def _prefers(match: re.Match[str], view: View) -> list[Draft]:
    """"prefers A over B": one dimension for the pair, whichever way it goes."""
    one, other = cut(match["v"], company=False), cut(match["w"] or "", company=False)
    if view.negated or is_pronoun(one) or not is_value(one):
        return []
    if not other:
        return [_single_preference(one)] if key_of(dim.ATTITUDE, _object_key(one)) else []
    if not is_value(other):
        return []
    pair = sorted((dim.normalise_key(one), dim.normalise_key(other)))
    return [Draft(f"{dim.ATTITUDE}:{' or '.join(pair)}", one)]


def _single_preference(one: str) -> Draft:
    return Draft(f"{dim.ATTITUDE}:{dim.normalise_key(_object_key(one))}", dim.LIKE)


def _diet(match: re.Match[str], view: View) -> list[Draft]:
    value = without_article(cut(match["v"])).lower().replace("gluten free", "gluten-free").replace("dairy free", "dairy-free")
    value = re.sub(r"\s+diet$", "", value)
    plural = value not in DIETS and value.removesuffix("s") in DIETS
    value = value.removesuffix("s") if plural else value
    if value not in DIETS:
        return []
    predicate = f"is {value}" if plural and not view.negated and not view.subject.plural else ""
    return [Draft(dim.DIET, value, view.negated, predicate)]


def _trait(match: re.Match[str], view: View) -> list[Draft]:
    """"is left-handed and pretty introverted": each adjective of the list that is a trait."""
    if view.subject.kind in (Kind.THING, Kind.WORLD):
        return []
    phrase = re.sub(r" (?=handed\b)", "-", cut(match["v"]))
    parts = [re.sub(r"^(?:very|pretty|quite|really|so|a bit|a little|rather|super|extremely|an?|more of an?|such an?|total|big|huge|natural|complete|bit of an?)\s+", "", part) for part in items(phrase)]
    parts = [re.sub(r"^(?:an?|total|huge|big)\s+", "", part) for part in parts]
    traits = [part for part in parts if part.lower() in TRAITS or part.lower() in TRAIT_PHRASES]
    if not traits or len(traits) < len(parts):
        return []
    several = len(traits) > 1
    return [
        Draft(
            f"{dim.TRAIT}:{dim.normalise_key(part)}",
            None if view.negated else dim.YES,
            view.negated,
            predicate=f"is {_with_article(phrase, part)}" if several and not view.negated else "",
        )
        for part in traits
    ]


def _with_article(phrase: str, part: str) -> str:
    before = re.search(rf"(?:\ban? )?{re.escape(part)}", phrase)
    return before[0] if before else part


def _stopped(match: re.Match[str], view: View) -> list[Draft]:
    """"stopped smoking", "gave up meat", "quit drinking coffee": the habit is over."""
    phrase = cut(match["v"])
    if view.negated or is_pronoun(phrase) or not is_value(phrase):
        return []
    dimension = key_of(dim.HABIT, habit_key(phrase))
    return [Draft(dimension, None, True)] if dimension else []


def _started(match: re.Match[str], view: View) -> list[Draft]:
    phrase = cut(match["v"])
    first = phrase.split(" ", 1)[0].lower()
    if view.negated or not is_value(phrase) or first in {"feeling", "getting", "thinking", "being", "working", "having", "seeing", "looking", "realizing", "noticing"}:
        return []
    if first in {"learning"}:
        return []
    dimension = key_of(dim.HABIT, habit_key(phrase))
    return [Draft(dimension, dim.YES)] if dimension else []


def _switched(match: re.Match[str], view: View) -> list[Draft]:
    """"switched from coffee to matcha": what is done now; the old thing is in the text."""
    new = cut(match["new"])
    if view.negated or not is_value(new):
        return []
    dimension = key_of(dim.HABIT, habit_key(without_article(new)))
    return [Draft(dimension, dim.YES)] if dimension else []


_SMALL_VERBS = words(
    "is has does can was feels gets seems thinks knows wants needs says means hopes guesses wishes goes has thanks appreciates sounds looks tells asks "
    "agrees believes understands hears loves likes hates enjoys prefers dislikes misses would will"
)
#: Verbs that name a habit without an object.
_WHOLE_HABITS = words(
    "smokes drinks drives gambles vapes snores meditates swims runs cooks bakes travels reads exercises jogs cycles fasts journals prays sleepwalks"
)
_ABSTAINS = words(
    "eats drinks smokes drives wears uses watches flies consumes celebrates works own owns trusts reads cooks vapes gambles sleeps"
    " follows takes keeps"
)


def habit(view: View) -> list[Draft]:
    """A present action that is said to be regular, or that somebody never does.

    Example: "usually goes swimming before work", "drinks three espressos a day",
    "does not eat pork".
    """
    predicate = view.predicate
    if predicate.tense is not Tense.PRESENT or view.subject.kind in (Kind.THING, Kind.WORLD):
        return []
    verb = predicate.verb
    going = (verb == "goes" or predicate.core.startswith("looks forward to")) and not re.match(r"goes (?:back|through|well|on)\b", predicate.core)
    if (verb in _SMALL_VERBS and not going) or not verbs.is_third(verb):
        return []
    abstains = predicate.negated and verb in _ABSTAINS
    regular = predicate.habitual or re.match(r"still\b", view.text)
    mostly = re.search(r"\b(?:mostly|mainly|mostly)\b", view.text)
    if not (abstains or regular or mostly or predicate.ended):
        return []
    phrase = cut(predicate.core)
    words = phrase.split()
    object_ = " ".join(words[1:])
    if re.match(r"(?:it|them|that|this|him|her|those|these)\b", object_):
        return []
    if not words or (is_pronoun(object_) and words[1] != "and") or len(words) > _MOST_WORDS + 2:
        return []
    key = habit_key(phrase)
    scheduled = bool(re.search(r"\b(?:every|on \w+days|on weekends|each)\b", predicate.core))
    if " " not in key and not scheduled and not (abstains or verb in _WHOLE_HABITS):
        return []
    dimension = key_of(dim.HABIT, key)
    return [Draft(dimension, None if predicate.negated else dim.YES, predicate.negated)] if dimension else []


_PER = re.compile(r"\s+(?:(?:(?:a few|several|a couple of|many|\w+) times|once|twice) )?(?:an?|per|every|each|once|twice) (?:day|week|month|year|morning|evening|night|weekend|single|other|\w+day).*$", re.IGNORECASE)
_INNER = re.compile(r"\b(?:my|their|his|her|our|the|an?|some|any) ", re.IGNORECASE)


def habit_key(phrase: str) -> str:
    """``calls their grandmother`` → ``call grandmother``: base form, no times, no articles."""
    phrase = _PER.sub("", phrase)
    head, space, rest = phrase.partition(" ")
    first = head.lower()
    base = verbs.base_form(first) if first.endswith(("s", "ing")) and verbs.base_form(first) in verbs.BASES else first
    return " ".join((base + space + _INNER.sub("", rest)).split()[:_MOST_WORDS])


def _misses(match: re.Match[str], view: View) -> list[Draft]:
    phrase = cut(match["v"])
    if view.negated or is_pronoun(phrase) or not is_value(phrase) or re.match(r"(?:the (?:train|bus|flight|deadline|call|meeting)|an?)\b", phrase):
        return []
    return [Draft(None)]


_LIKE = _attitude(dim.LIKE)
_DISLIKE = _attitude(dim.DISLIKE)
_FEAR = _attitude(dim.FEAR)

def _fan(match: re.Match[str], view: View) -> list[Draft]:
    """"is a huge Arsenal fan": the same as liking Arsenal."""
    dimension = key_of(dim.ATTITUDE, match["v"])
    if dimension is None or view.subject.kind in (Kind.THING, Kind.WORLD):
        return []
    return [Draft(dimension, dim.DISLIKE if view.negated else dim.LIKE)]


def _nationality(match: re.Match[str], view: View) -> list[Draft]:
    value = match["v"]
    if value.lower() not in NATIONALITIES or view.subject.kind in (Kind.THING, Kind.WORLD):
        return []
    return [Draft("trait:nationality", value[:1].upper() + value[1:], view.negated)]


RULES: tuple[Rule, ...] = (
    rule(r"is\s+an? (?:(?:huge|big|massive|lifelong|avid|total|real|serious|bit of a|die-hard) )*(?P<v>(?!no )[\w' -]+?) (?:fan|lover|enthusiast|geek|nerd|buff|addict|junkie)$", _fan),
    rule(r"is\s+(?:half |part |originally |also |half-)?(?P<v>[A-Za-z]+)$", _nationality),
    rule(r"(?:is|went|has been|became|turned|has gone|has become|goes|eats|follows|is on|has started)\s+(?:strictly |mostly |fully |on |back to (?:being )?)*(?P<v>(?:an? )?[\w-]+(?: free)?(?: diet)?)(?=$|[\s,.])", _diet),
    rule(r"prefers?\s+(?P<v>.+?)(?:\s+(?:over|to|rather than|instead of|more than|than)\s+(?P<w>(?!\w+ (?:it|them)\b).+))$", _prefers),
    rule(r"would rather\s+(?P<v>.+?)(?:\s+than\s+(?P<w>.+))$", _prefers),
    rule(r"prefers?\s+(?P<v>.+)(?P<w>)$", _prefers),
    rule(r"can (?:stand|bear|tolerate)\s+(?P<v>.+)$", lambda m, v: _cannot_stand(m, v)),
    rule(r"(?:hates?|dislikes?|despises?|detests?|loathes?|has gone off|went off|is sick of|is tired of|is fed up with|is bored of|has always hated|avoids?|is grossed out by|has grown to hate)\s+(?P<v>.+)$", _DISLIKE),
    rule(r"(?:is|has always been|has been|gets) (?:\w+ )?(?:afraid|scared|terrified|frightened|petrified) of\s+(?P<v>.+)$", _FEAR),
    rule(r"has (?:a |an )?(?:(?:huge|big|real|deep|terrible|bit of a) )?(?:fear|phobia) of\s+(?P<v>.+)$", _FEAR),
    rule(r"fears?\s+(?P<v>.+)$", _FEAR),
    rule(r"(?:loves?|adores?|enjoys?|(?:likes?|loved|liked|enjoyed)(?! (?:to (?:say|think|add|know|see if))|the idea)|has (?:always |recently )?(?:loved|liked|enjoyed|adored)|has grown to (?:like|love)|fell in love with|has fallen in love with|is in love with)\s+(?P<v>.+)$", lambda m, v: _likes(m, v)),
    rule(r"(?:is|has been|has always been|became|has become) (?:an? )?(?:(?:really|very|super|so|totally|big|huge|massive|great|lifelong|avid|pretty|completely|quite|more of a|much of a|absolute|keen|real|such a|hardcore|longtime) )*(?:fan of|into|fond of|crazy about|mad about|passionate about|obsessed with|keen on|interested in|hooked on|addicted to|enthusiastic about|a sucker for|lover of|nuts about|enthusiast of)\s+(?P<v>.+)$", _LIKE),
    rule(r"(?:got|has gotten|has got|gets) (?:really |super |so )?(?:into|hooked on|obsessed with)\s+(?P<v>(?!(?:an?|the|my|their|trouble|college|university|grad|law|med|bed|\w+ (?:school|college|university)|(?-i:[A-Z])\w+$)\b).+)$", _LIKE),
    rule(r"(?:values?|cares? (?:deeply |a lot )?about|believes in|has (?:had )?an? (?:real |huge |big |deep )?(?:soft spot|passion|thing|weakness|sweet tooth|love) for)\s+(?P<v>.+)$", _LIKE),
    rule(r"misses\s+(?P<v>.+)$", _misses),
    rule(r"(?:stopped|quit|gave up|has stopped|has quit|has given up|cut out|has cut out|swore off)\s+(?P<v>(?!(?:my|their|the|his|her|that|a) (?:job|position|team|whole)|on\b|work\b|at\b|by\b|for\b|in\b|trying\b).+)$", _stopped),
    rule(r"(?:started|has started|took up|has taken up|began|has begun|picked up|has picked up)\s+(?P<v>(?:\w+ing)\b.*)$", _started),
    rule(r"(?:switched|has switched|changed|went|has gone)\s+from\s+(?P<old>.+?)\s+to\s+(?P<new>.+)$", _switched),
    rule(r"(?:is|has (?:always )?been|considers (?:myself|themselves))\s+(?P<v>.+)$", _trait),
    rule(r"weighs\s+(?P<v>\d.*)$", lambda m, v: _measure("weight", m, v)),
    rule(r"is\s+(?P<v>\d.*?) tall$", lambda m, v: _measure("height", m, v)),
)


def _likes(match: re.Match[str], view: View) -> list[Draft]:
    """"loves X"; the simple past ("we loved the show") is an event, unless it is over."""
    past = re.match(r"(?:loved|liked|enjoyed)\b", match[0])
    if past and not view.predicate.ended:
        return []
    drafts: list[Draft] = _LIKE(match, view)
    return drafts


def _measure(what: str, match: re.Match[str], view: View) -> list[Draft]:
    return [] if view.negated else [Draft(f"{dim.TRAIT}:{what}", cut(match["v"].replace(".", "\x00")).replace("\x00", "."))]


def _cannot_stand(match: re.Match[str], view: View) -> list[Draft]:
    """"cannot stand okra": denied bearing is dislike, whatever else the sentence denies."""
    if not view.negated:
        return []
    plain = replace(view, predicate=replace(view.predicate, negated=False))
    drafts: list[Draft] = _DISLIKE(match, plain)
    return drafts
