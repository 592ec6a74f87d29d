"""English rules for likes, dislikes, fears and preferences."""

from __future__ import annotations

import re
from dataclasses import replace

from dualmem_graph.system1.rules import dimensions as dim
from dualmem_graph.system1.rules.english.drafts import (
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
)
from dualmem_graph.system1.rules.english.predicates import Tense
from dualmem_graph.system1.rules.english.types import Kind

_LIGHT_ACTION = re.compile(
    r"^(?:(?:eating|drinking|playing with|listening to|watching|to eat|to drink"
    r"|to listen to|having)\s+)(?=\w)",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"^(?:having|knowing|that|how|when|what|it when|the way|the idea|the fact|if|where|why"
    r"|seeing|hearing|being able)\b",
    re.I,
)
#: What is pointed at and not named ("love this", "into making it lately").
_DEICTIC = re.compile(
    r"(?:all the|this|that|these|those|both of)\b"
    r"|\w+ing (?:it|them|this|that)(?=$|[,.!]| (?:lately|a lot|so|too|recently|again)\b)",
    re.IGNORECASE,
)
_PEOPLE = re.compile(
    r"^(?:(?:my|their|his|her|our)\s+(?:\w+\s+)?(?:wife|husband|kids?|family|mom|mum|dad"
    r"|boss|life|girlfriend|boyfriend|dog|cat|daughter|son"
    r"|children|friends?|sister|brother|parents)|him|her|people|everyone|each other)\b",
    re.IGNORECASE,
)
_ANOTHERS = re.compile(r"^(?:his|her|its|your)\b", re.IGNORECASE)
_LONGEST_OBJECT = 9
_OPPOSITE = {dim.LIKE: dim.DISLIKE, dim.DISLIKE: dim.LIKE}
_MOODS = re.compile(r"\b(?:today|tonight|right now|at the moment|so far)\b", re.IGNORECASE)


def _attitude(value: str) -> Handler:
    """A handler for one attitude; a denied liking is a dislike, an ended one just ends."""

    def handle(match: re.Match[str], view: View) -> list[Draft]:
        spoken = match["v"]
        if _CLAUSE.match(spoken) or _MOODS.search(spoken):
            return []
        if _DEICTIC.match(spoken):
            return []
        phrase = cut(
            re.sub(r"^(?:the (?:sound|taste|smell|feel|feeling|thought) of )", "", spoken),
            company=False,
            listed=True,
        )
        parts = _objects(re.sub(r"\s+as (?:an?|my|their) .*$", "", phrase))
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
    linked = not verbal and re.search(r"\w (?:of|with|for|between|about|from|in|on|at) ", parts[0])
    if len(parts) > 1 and linked:
        return [phrase]  # "moments filled with love and joy"
    if len(parts) > 1 and any(
        is_pronoun(part) or re.match(r"(?:my|their|its|his|her)\b", part) for part in parts
    ):
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
    """ "prefers A over B": one dimension for the pair, whichever way it goes."""
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


def _misses(match: re.Match[str], view: View) -> list[Draft]:
    phrase = cut(match["v"])
    if (
        view.negated
        or is_pronoun(phrase)
        or not is_value(phrase)
        or re.match(r"(?:the (?:train|bus|flight|deadline|call|meeting)|an?)\b", phrase)
    ):
        return []
    return [Draft(None)]


_LIKE = _attitude(dim.LIKE)
_DISLIKE = _attitude(dim.DISLIKE)
_FEAR = _attitude(dim.FEAR)


def _fan(match: re.Match[str], view: View) -> list[Draft]:
    """ "is a huge Arsenal fan": the same as liking Arsenal."""
    dimension = key_of(dim.ATTITUDE, match["v"])
    if dimension is None or view.subject.kind in (Kind.THING, Kind.WORLD):
        return []
    return [Draft(dimension, dim.DISLIKE if view.negated else dim.LIKE)]


def _likes(match: re.Match[str], view: View) -> list[Draft]:
    """ "loves X"; the simple past ("we loved the show") is an event, unless it is over."""
    past = re.match(r"(?:loved|liked|enjoyed)\b", match[0])
    if past and not view.predicate.ended:
        return []
    drafts: list[Draft] = _LIKE(match, view)
    return drafts


def _cannot_stand(match: re.Match[str], view: View) -> list[Draft]:
    """ "cannot stand okra": denied bearing is dislike, whatever else the sentence denies."""
    if not view.negated:
        return []
    plain = replace(view, predicate=replace(view.predicate, negated=False))
    drafts: list[Draft] = _DISLIKE(match, plain)
    return drafts


RULES: tuple[Rule, ...] = (
    rule(
        r"is\s+an? (?:(?:huge|big|massive|lifelong|avid|total|real|serious|bit of a"
        r"|die-hard) )*(?P<v>(?!no )[\w' -]+?) (?:fan|lover|enthusiast|geek|nerd|buff|addict"
        r"|junkie)$",
        _fan,
    ),
    rule(
        r"prefers?\s+(?P<v>.+?)(?:\s+(?:over|to|rather than|instead of|more than"
        r"|than)\s+(?P<w>(?!\w+ (?:it|them)\b).+))$",
        _prefers,
    ),
    rule(r"would rather\s+(?P<v>.+?)(?:\s+than\s+(?P<w>.+))$", _prefers),
    rule(r"prefers?\s+(?P<v>.+)(?P<w>)$", _prefers),
    rule(r"can (?:stand|bear|tolerate)\s+(?P<v>.+)$", lambda m, v: _cannot_stand(m, v)),
    rule(
        r"(?:hates?|dislikes?|despises?|detests?|loathes?|has gone off|went off|is sick of"
        r"|is tired of|is fed up with|is bored of|has always hated|avoids?|is grossed out by"
        r"|has grown to hate)\s+(?P<v>.+)$",
        _DISLIKE,
    ),
    rule(
        r"(?:is|has always been|has been|gets) (?:\w+ )?(?:afraid|scared|terrified"
        r"|frightened|petrified) of\s+(?P<v>.+)$",
        _FEAR,
    ),
    rule(
        r"has (?:a |an )?(?:(?:huge|big|real|deep|terrible|bit of a) )?(?:fear"
        r"|phobia) of\s+(?P<v>.+)$",
        _FEAR,
    ),
    rule(r"fears?\s+(?P<v>.+)$", _FEAR),
    rule(
        r"(?:loves?|adores?|enjoys?|(?:likes?|loved|liked|enjoyed)(?! (?:to (?:say|think|add"
        r"|know|see if))|the idea)|has (?:always |recently )?(?:loved|liked|enjoyed|adored)"
        r"|has grown to (?:like|love)|fell in love with|has fallen in love with"
        r"|is in love with)\s+(?P<v>.+)$",
        lambda m, v: _likes(m, v),
    ),
    rule(
        r"(?:is|has been|has always been|became|has become) (?:an? )?(?:(?:really|very|super"
        r"|so|totally|big|huge|massive|great|lifelong|avid|pretty|completely|quite|more of a"
        r"|much of a|absolute|keen|real|such a|hardcore|longtime) )*(?:fan of|into|fond of"
        r"|crazy about|mad about|passionate about|obsessed with|keen on|interested in"
        r"|hooked on|addicted to|enthusiastic about|a sucker for|lover of|nuts about"
        r"|enthusiast of)\s+(?P<v>.+)$",
        _LIKE,
    ),
    rule(
        r"(?:got|has gotten|has got|gets) (?:really |super |so )?(?:into|hooked on"
        r"|obsessed with)\s+(?P<v>(?!(?:an?|the|my|their|trouble|college|university|grad|law"
        r"|med|bed|\w+ (?:school|college|university)|(?-i:[A-Z])\w+$)\b).+)$",
        _LIKE,
    ),
    rule(
        r"(?:values?|cares? (?:deeply |a lot )?about|believes in|has (?:had )?an? (?:real "
        r"|huge |big |deep )?(?:soft spot|passion|thing|weakness|sweet tooth"
        r"|love) for)\s+(?P<v>.+)$",
        _LIKE,
    ),
    rule(r"misses\s+(?P<v>.+)$", _misses),
)
