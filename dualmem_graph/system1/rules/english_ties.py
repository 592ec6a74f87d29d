"""English rules for whom and what somebody has: partner, family, pets, health, things, skills."""

from __future__ import annotations

import re

from dualmem_graph.system1.rules import dimensions as dim
from dualmem_graph.system1.rules.english_drafts import (
    Draft,
    Rule,
    View,
    cut,
    is_value,
    items,
    key_of,
    language,
    proper,
    rule,
    without_article,
)
from dualmem_graph.system1.rules.english_grammar import Kind
from dualmem_graph.system1.rules.english_words import (
    CONDITION_ENDINGS,
    CONDITION_HEADS,
    CONDITIONS,
    INSTRUMENTS,
    KIN,
    LANGUAGES,
    PETS,
    SINGLE_KIN,
    THINGS,
    VEHICLES,
)

_COUNT = r"(?P<n>an?|one|two|three|four|five|six|seven|eight|nine|ten|\d{1,2}|several|no|any|a couple of|my|their|another|some)"
_NAMES = re.compile(r"(?:(?:named|called|who is (?:named|called))\s+|,\s*(?:a [a-z ]+ )?|:\s*|\s+\()([A-Z][\w'-]+(?:(?:,? and |, )[A-Z][\w'-]+)*)")
_LOWER_NAME = re.compile(r"(?:named|called)\s+([a-z][\w'-]+)")
_WORDS = re.compile(r"[\w'’-]+")


def _names(text: str) -> str | None:
    found = _NAMES.search(text)
    if found:
        return found[1]
    lower = _LOWER_NAME.search(text)
    return proper(lower[1]) if lower else None


def _relationship(match: re.Match[str], view: View) -> list[Draft]:
    """The words tell the state; "is not married" ends nothing but that value."""
    if view.subject.kind in (Kind.THING, Kind.PET, Kind.WORLD):
        return []
    state = match["v"].lower()
    values = {"widow": "widowed", "widower": "widowed", "a widow": "widowed", "a widower": "widowed", "seeing": "dating"}
    return [Draft(dim.RELATIONSHIP, values.get(state, state), view.negated)]


def _separated(match: re.Match[str], view: View) -> list[Draft]:
    return [] if view.negated else [Draft(dim.RELATIONSHIP, "single")]


def _has(match: re.Match[str], view: View) -> list[Draft]:
    """What "has …" holds: each part of the list is kin, a pet, a condition or a thing."""
    drafts: list[Draft] = []
    rest = match["rest"]
    if rest.startswith("to "):
        return []
    for part in _has_parts(rest):
        draft = _had(part, view)
        if draft is None:
            return []
        drafts.append(draft)
    if len(drafts) == 1:
        return [Draft(drafts[0].dimension, drafts[0].value, drafts[0].negated)]
    return drafts


_AND_NEW = re.compile(r"\s*,?\s+and\s+(?=(?:an?|one|two|three|four|five|six|\d+|my|their|another|some)\s)|,\s+(?=(?:an?|two|three|four|\d+)\s)")


def _has_parts(rest: str) -> list[str]:
    return [part for part in _AND_NEW.split(rest) if part.strip()]


def _had(part: str, view: View) -> Draft | None:
    match = re.match(rf"{_COUNT}\s+(?P<rest>.+)$", part, re.IGNORECASE)
    count = match["n"].lower() if match else ""
    rest = (match["rest"] if match else part).strip()
    negated = view.negated or count == "no"
    phrase = cut(re.split(r"\s+(?:named|called|who|that|whose|at|for|of|in|with|on|from|to|about)\b|,", rest)[0])
    words = [word.lower() for word in _WORDS.findall(phrase)]
    if not words or len(words) > 5:  # noqa: PLR2004
        return None
    head = singular(words[-1])
    predicate = f"has {part.strip(' ,.')}" if not view.negated else ""
    name = _names(part)
    if head in KIN or words[-1] in KIN:
        return _kin(head, count, name, negated, predicate)
    if head in PETS and "farm" not in words:
        key = name if name and count in {"a", "an", "one", ""} and " and " not in name else phrase
        value = head if name and key == name else (None if negated else (name or _count(count)))
        dimension = pet_dimension(key, name)
        return Draft(dimension, value, negated, predicate) if dimension else None
    if is_condition(words):
        dimension = key_of(dim.HEALTH, without_article(phrase))
        return Draft(dimension, None if negated else dim.YES, negated, predicate) if dimension else None
    if head in THINGS and count != "some":
        key = "car" if head in VEHICLES else phrase
        dimension = key_of(dim.POSSESSION, key)
        return Draft(dimension, None if negated else dim.YES, negated, predicate) if dimension else None
    return None


def pet_dimension(key: str, name: str | None) -> str | None:
    """The dimension of a pet: by its name as it is, else by its kind."""
    if key == name:
        return f"{dim.PET}:{key.casefold()}"
    words = key.split()
    plural_kind = len(words) > 1 and words[-1].lower() in {"dogs", "cats", "pets", "fish"}
    return key_of(dim.PET, words[-1] if plural_kind else key)


def _count(count: str) -> str:
    return dim.YES if count in {"a", "an", "one", "", "my", "their", "another"} else count


def _kin(head: str, count: str, name: str | None, negated: bool, predicate: str) -> Draft | None:
    key = "kid" if head in {"child", "children"} else head
    plural_name = bool(name and (" and " in name or "," in name))
    named_key = f"{key} {name}" if name and not plural_name and head not in SINGLE_KIN else key
    dimension = key_of(dim.FAMILY, named_key)
    if dimension is None:
        return None
    value = None if negated else (name or _count(count))
    return Draft(dimension, value, negated, predicate)


def singular(word: str) -> str:
    """The singular of a noun of our lists: ``kids`` → ``kid``."""
    if word == "children":
        return "child"
    if word in KIN or word in PETS or word in THINGS:
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def is_condition(words: list[str]) -> bool:
    """Whether a noun phrase (lower case words) names a lasting illness or complaint."""
    return any(
        word in CONDITIONS or (word.endswith(CONDITION_ENDINGS) and len(word) > 6)  # noqa: PLR2004
        for word in words
    ) or (len(words) > 1 and words[-1] in CONDITION_HEADS)


def _parent_of(match: re.Match[str], view: View) -> list[Draft]:
    return [] if view.negated else [Draft("family:kid", match["n"].lower())]


def _only_child(match: re.Match[str], view: View) -> list[Draft]:
    return [] if view.negated else [Draft("family:sibling", "only child")]


def _expecting(match: re.Match[str], view: View) -> list[Draft]:
    return [Draft("health:pregnancy", None if view.negated else dim.YES, view.negated)]


def _got_pet(match: re.Match[str], view: View) -> list[Draft]:
    if view.negated:
        return []
    phrase = cut(re.split(r"\s+(?:named|called|from|who|that)\b|,", match["rest"])[0])
    words = [singular(word.lower()) for word in _WORDS.findall(phrase)]
    if not words or words[-1] not in PETS:
        return []
    name = _names(match["rest"])
    dimension = pet_dimension(name or phrase, name)
    return [Draft(dimension, words[-1] if name else dim.YES)] if dimension else []


def _allergic(match: re.Match[str], view: View) -> list[Draft]:
    parts = items(cut(match["v"], listed=True))
    drafts = []
    for part in parts:
        dimension = key_of(dim.ALLERGY, re.sub(r"^(?:most|all|raw|certain)\s+", "", part))
        if dimension is None:
            return []
        predicate = f"is allergic to {part}" if len(parts) > 1 and not view.negated else ""
        drafts.append(Draft(dimension, None if view.negated else dim.YES, view.negated, predicate))
    return drafts


def _allergy(match: re.Match[str], view: View) -> list[Draft]:
    dimension = key_of(dim.ALLERGY, match["v"])
    return [Draft(dimension, None if view.negated else dim.YES, view.negated)] if dimension else []


def _diagnosed(match: re.Match[str], view: View) -> list[Draft]:
    dimension = key_of(dim.HEALTH, without_article(cut(match["v"])))
    return [Draft(dimension, dim.YES)] if dimension and not view.negated else []


def _suffers(match: re.Match[str], view: View) -> list[Draft]:
    phrase = without_article(cut(match["v"]))
    phrase = re.sub(r"^(?:bad|terrible|frequent|severe|chronic|mild|really bad)\s+", "", phrase)
    words = [word.lower() for word in _WORDS.findall(phrase)]
    sure = match["verb"].lower().startswith(("suffer", "is suff", "has suff", "struggl", "is struggl", "has strug"))
    if not words or not (is_condition(words) or (sure and len(words) < 4)):  # noqa: PLR2004
        return []
    dimension = key_of(dim.HEALTH, phrase)
    return [Draft(dimension, None if view.negated else dim.YES, view.negated)] if dimension else []


def _is_ill(match: re.Match[str], view: View) -> list[Draft]:
    dimension = key_of(dim.HEALTH, match["v"])
    return [Draft(dimension, None if view.negated else dim.YES, view.negated)] if dimension else []


def _speaks(match: re.Match[str], view: View) -> list[Draft]:
    """One skill a language: "speaks Portuguese and a bit of Hungarian" is two."""
    spoken = cut(re.sub(r"\b(a (?:bit|little))(?= of\b)", "some", match["v"]), listed=True)
    spoken = spoken.replace("some of ", "a bit of ")
    parts = items(spoken)
    drafts = []
    for part in parts:
        word = re.sub(
            r"^(?:a (?:bit|little)(?: bit)?(?: of)?|some|fluent|basic|native|conversational|decent|broken|only|both|very little)\s+",
            "",
            part,
            flags=re.IGNORECASE,
        )
        word = re.sub(r"\s+(?:fluently|well|natively|a bit|a little|at home|at work)$", "", word, flags=re.IGNORECASE)
        if word.lower() not in LANGUAGES:
            return []
        shown = part.replace(word, language(word))
        predicate = f"speaks {shown}" if len(parts) > 1 and not view.negated else ""
        negated = view.negated
        drafts.append(Draft(f"{dim.SKILL}:{word.lower()}", None if negated else dim.YES, negated, predicate))
    return drafts


def _learns(match: re.Match[str], view: View) -> list[Draft]:
    value = cut(match["v"])
    value = re.sub(r"^(?:how )?to\s+", "", value)
    if view.negated or not is_value(value) or re.match(r"(?:about|from|that|how|more|a lot|so much|new)\b", value):
        return []
    dimension = key_of(dim.SKILL, value)
    return [Draft(dimension, "learning")] if dimension else []


def _plays(match: re.Match[str], view: View) -> list[Draft]:
    phrase = cut(re.split(r"\s+(?:in|at|for|on|every|as|when|since|with|until)\b", match["v"])[0])
    parts = [without_article(part) for part in items(phrase)]
    if not parts or any(part.lower().split()[-1:] == [] for part in parts):
        return []
    if all(part.lower().split()[-1] in INSTRUMENTS for part in parts):
        return [
            Draft(
                f"{dim.SKILL}:{dim.normalise_key(part)}",
                None if view.negated else dim.YES,
                view.negated,
                predicate=f"plays {part}" if len(parts) > 1 and not view.negated else "",
            )
            for part in parts
        ]
    return []


def _can(match: re.Match[str], view: View) -> list[Draft]:
    """"cannot swim", "can play the piano": only for what is learnt."""
    verb = match["verb"].lower()
    rest = cut(match["rest"] or "")
    if rest and not is_value(rest):
        return []
    if verb in {"eat", "drink"}:
        key = key_of(dim.HABIT, f"{verb} {rest}") if view.negated and rest else None
        return [Draft(key, None, True)] if key else []
    if verb == "speak":
        spoken = re.match(r"(?P<v>.+)", rest)
        return _speaks(spoken, view) if spoken else []
    dimension = key_of(dim.SKILL, f"{verb} {rest}".strip())
    return [Draft(dimension, None if view.negated else dim.YES, view.negated)] if dimension else []


def _knows_how(match: re.Match[str], view: View) -> list[Draft]:
    dimension = key_of(dim.SKILL, cut(match["v"]))
    return [Draft(dimension, None if view.negated else dim.YES, view.negated)] if dimension else []


def _good_at(match: re.Match[str], view: View) -> list[Draft]:
    parts = items(cut(match["v"]))
    bad = match["how"].lower() in {"bad", "terrible", "awful", "hopeless"}
    negated = view.negated or bad
    drafts = []
    for part in parts:
        dimension = key_of(dim.SKILL, part)
        if dimension is None or re.match(r"(?:what|this|that)\b", part):
            return []
        predicate = f"is {match['how']} at {part}" if len(parts) > 1 and not view.negated else ""
        drafts.append(Draft(dimension, None if negated else dim.YES, negated, predicate))
    return drafts


def _drives(match: re.Match[str], view: View) -> list[Draft]:
    phrase = without_article(cut(match["v"]))
    words = phrase.split()
    if not words or view.negated or not re.search(r"[A-Z]|\d|\b(?:car|van|truck|pickup|minivan|suv|hatchback)$", phrase):
        return []
    return [Draft("possession:car", phrase)]


def _owns(match: re.Match[str], view: View) -> list[Draft]:
    phrase = without_article(cut(match["v"]))
    dimension = key_of(dim.POSSESSION, phrase)
    return [Draft(dimension, None if view.negated else dim.YES, view.negated)] if dimension else []


_PASSING = re.compile(
    r"(?:ticket|food|coffee|grocer|drink|lunch|dinner|breakfast|gift|present|flower|snack|stuff|thing|clothes|time|round|meal|pizza|cake|milk|bread|something|some|more|lots|lot|few|them|it)s?\b",
    re.IGNORECASE,
)


def _bought(match: re.Match[str], view: View) -> list[Draft]:
    """A purchase that lasts; groceries and tickets are events, not possessions."""
    phrase = without_article(cut(re.split(r"\s+(?:for|at|from|in|on|to|named|called|that|because|which)\b", match["v"])[0]))
    if view.negated or not phrase or _PASSING.search(phrase) or len(phrase.split()) > 4:  # noqa: PLR2004
        return []
    if " and " in phrase:
        return []
    dimension = key_of(dim.POSSESSION, phrase)
    return [Draft(dimension, dim.YES)] if dimension else []


def _sold(match: re.Match[str], view: View) -> list[Draft]:
    phrase = cut(re.split(r"\s+(?:to|at|for|on|in|during)\b", match["v"])[0])
    dimension = key_of(dim.POSSESSION, re.sub(r"^(?:old|beloved|broken)\s+", "", without_article(phrase)))
    if dimension is None or view.negated or len(phrase.split()) > 4:  # noqa: PLR2004
        return []
    return [Draft(dimension, None, True)]


_SKILL_VERBS = (
    r"swim|drive|cook|bake|ski|skate|surf|dance|sing|sew|knit|crochet|draw|paint|code|program|juggle|whistle|ride|play|speak|read"
    r"|type|fly|sail|row|dive|climb|eat|drink"
)

_WITH_PET = re.compile(r"\bwith (?:my|their|our) (?:\w+ )?(?P<kind>[a-z]+),? (?P<name>[A-Z][\w'-]+)")
_COMPANION = re.compile(
    r"\bwith (?P<part>(?:an?|one|two|three|my|their|our|his|her) (?:[\w-]+ ){1,4}(?:called|named) [A-Z][\w'-]+(?:(?:,? and |, )[A-Z][\w'-]+)*)"
)


def companion(view: View) -> list[Draft]:
    """"lives in Leeds with a whippet called Biscuit" says that there is a whippet, too."""
    if not view.subject.is_self or view.negated:
        return []
    pet = _WITH_PET.search(view.text)
    if pet and pet["kind"] in PETS:
        name = pet["name"]
        return [Draft(pet_dimension(name, name), pet["kind"], predicate=f"has a {pet['kind']} named {name}")]
    match = _COMPANION.search(view.text)
    if match is None:
        return []
    draft = _had(match["part"], view)
    return [draft] if draft is not None and draft.predicate else []


RULES: tuple[Rule, ...] = (
    rule(r"(?:is|was|got|has been|has gotten|gets)\s+(?:happily |recently |newly )?(?P<v>married|engaged|divorced|separated|widowed)\b(?! (?:in|with) (?:the|a|an|my|their) (?:community|project|work|process|conversation))", _relationship),
    rule(r"is\s+(?P<v>single|an? (?:widow|widower)|seeing(?= (?:someone|somebody|an? (?:new )?(?:guy|girl|man|woman)))|dating)\b(?! (?:mom|dad|parent|mother|father|mum|malt|origin|most|point|day))", _relationship),
    rule(r"(?P<x>started|has started|has been|began) (?P<v>dating|seeing) (?:someone|somebody|an? |(?-i:[A-Z]))", _relationship),
    rule(r"(?:broke up|split up|has broken up|has split up|separated|parted ways)\b(?: with (?:my|their|his|her|(?-i:[A-Z])))?", _separated),
    rule(r"(?:has|keeps|has got)\s+(?P<v>[\w-]+(?: [\w-]+)?) allergy\b", lambda m, v: _has_allergy(m, v)),
    rule(r"(?:has|owns|keeps|has got|cares for)\s+(?P<rest>.+)$", _has),
    rule(r"is\s+(?:an?|the) (?:proud |single |married |happy )*(?:mom|mum|mother|dad|father|parent|mama)(?:-| )of(?:-| )(?P<n>\w+)", _parent_of),
    rule(r"is\s+an? only child\b", _only_child),
    rule(r"is\s+(?:\w+ (?:weeks|months) )?(?:pregnant|expecting (?:a baby|our|my|their|twins))\b", _expecting),
    rule(r"(?:adopted|got|rescued|has adopted|has got|bought|brought home|is fostering|fostered|has rescued|gets|picked up)\s+(?P<rest>(?:an?|two|three|my|our|their|another|a new) .+)$", _got_pet),
    rule(r"(?:is|was) (?:\w+ly )?allergic to\s+(?P<v>.+)$", _allergic),
    rule(r"is\s+(?P<v>lactose|gluten|histamine|fructose)(?:-| )intolerant\b", _allergy),
    rule(r"(?:was|got|has been|has just been) diagnosed with\s+(?P<v>.+)$", _diagnosed),
    rule(r"(?P<verb>suffers? from|is suffering from|has suffered from|struggles? with|has struggled with|gets?|is prone to|lives? with|deals? with|is living with|is recovering from)\s+(?P<v>.+)$", _suffers),
    rule(r"is\s+(?P<v>diabetic|asthmatic|epileptic|anemic|anaemic|coeliac|celiac|dyslexic|hypothyroid|immunocompromised)\b", _is_ill),
    rule(r"(?:speaks?|knows|is fluent in|is learning to speak|is bilingual in|understands)\s+(?P<v>.+)$", _speaks),
    rule(r"(?:is learning|learns|is taking (?:lessons|classes) in|is teaching (?:myself|themselves)|has been learning|is studying|started learning|has started learning|began learning|took up|has taken up)\s+(?P<v>.+)$", _learns),
    rule(r"(?:plays?|has played|has been playing|is playing|played)\s+(?P<v>.+)$", _plays),
    rule(rf"can\s+(?P<verb>{_SKILL_VERBS})(?:\s+(?P<rest>.+))?$", _can),
    rule(r"(?:knows|learned|learnt|has learned|has learnt) how to\s+(?P<v>.+)$", _knows_how),
    rule(r"(?:is|has been)\s+(?:\w+ly |so |very |pretty )?(?P<how>good|great|bad|terrible|awful|hopeless|skilled|decent|brilliant) (?:at|with)\s+(?P<v>.+)$", _good_at),
    rule(r"drives?\s+(?P<v>(?:an?|my|their|the|his|her) .+)$", _drives),
    rule(r"owns?\s+(?P<v>.+)$", _owns),
    rule(r"(?:bought|purchased|has bought|has purchased|treated (?:myself|themselves) to|got (?:myself|themselves)|got (?:a|an) new)\s+(?P<v>.+)$", _bought),
    rule(r"(?:sold|gave away|got rid of|donated|crashed|has sold|has given away)\s+(?P<v>(?:my|their|our|his|her) .+)$", _sold),
)


def _has_allergy(match: re.Match[str], view: View) -> list[Draft]:
    dimension = key_of(dim.ALLERGY, without_article(match["v"]).removeprefix("severe ").removeprefix("bad "))
    return [Draft(dimension, None if view.negated else dim.YES, view.negated)] if dimension else []
