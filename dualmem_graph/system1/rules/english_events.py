"""English rules for what happened, goes on, or is planned: the statements without a slot."""

from __future__ import annotations

import re

from dualmem_graph.system1.rules import dimensions as dim
from dualmem_graph.system1.rules import english_verbs as verbs
from dualmem_graph.system1.rules.english_drafts import (
    Draft,
    View,
    cut,
    is_pronoun,
    key_of,
    without_article,
)
from dualmem_graph.system1.rules.english_grammar import Kind
from dualmem_graph.system1.rules.english_person import is_trade
from dualmem_graph.system1.rules.english_predicates import Tense
from dualmem_graph.system1.rules.english_tastes import habit_key
from dualmem_graph.system1.rules.english_words import APPOINTMENTS, LIGHT_ADVERBS

_INTENT = re.compile(
    r"^(?:is (?:\w+ )?(?:going|planning|hoping|aiming|about|looking|preparing|getting ready|determined|set|due|supposed|trying) to"
    r"|plans? (?:to|on)|is planning on|intends? to|hopes? to|wants? to|would (?:love|like) to|aims? to|has decided to|decided to"
    r"|is thinking (?:of|about)|is considering|dreams? (?:of|about)|has (?:always )?(?:wanted|dreamed|dreamt) (?:to|of)"
    r"|is looking forward to|can wait (?:to|for)|is excited (?:to|for)|is (?:saving up|saving) (?:to|for))\s+(?P<v>.+)$",
    re.IGNORECASE,
)
#: Intentions that only count with a time: without one they are moods.
_NEEDS_TIME = re.compile(r"^(?:is looking forward|can wait|is excited|is trying|is supposed|is about|is determined)", re.IGNORECASE)
_PLAN_NOUN = re.compile(r"^(?:is planning|plans|has planned|is organi[sz]ing|is hosting|is throwing|is attending|is getting)\s+(?P<v>(?:an?|my|our|their|the|two|some)\s.+)$", re.IGNORECASE)
_DUTY = re.compile(r"^(?:has to|needs? to|must)\s+(?P<v>.+)$", re.IGNORECASE)
_WILL = re.compile(r"^will\s+(?P<v>(?:be )?.+)$", re.IGNORECASE)
_COMING = re.compile(r"^is\s+(?P<v>[a-z]+ing\b.*)$", re.IGNORECASE)
_BEGINS = re.compile(r"^(?P<v>(?:starts|leaves|flies|moves|arrives|returns|graduates|begins|travels|goes)\s.+)$", re.IGNORECASE)
_HAS_DATE = re.compile(r"^has\s+(?P<v>(?:an?|my|our|their|the|two|another)\s.+)$", re.IGNORECASE)

_WEAK_ACTIONS = words(
    "see know say be make ask share thank tell use show let keep do hear add give wait mention check talk understand think believe "
    "keep make remind focus feel look put stay rock spread help support find figure put push mean miss"
)
_WEAK_PAST = words(
    "thought knew said asked meant wondered guessed wanted needed hoped liked loved enjoyed felt did was were had noticed realized realised "
    "forgot remembered agreed told heard saw looked seemed appreciated believed understood supposed figured imagined wished expected "
    "mentioned expressed assumed hated sounded let stood"
)
#: Verbs of many senses: with some object they tell what happened.
_PLAIN_PAST = words(
    "gave kept came tried used called liked loved enjoyed"
)
_WEAK_PROGRESSIVE = words(
    "thinking wondering feeling looking going getting talking asking saying hoping doing being joking kidding guessing having seeing telling "
    "loving liking enjoying waiting sitting standing lying sending writing trying using referring wanting needing assuming suggesting "
    "experiencing dying freezing starving giving making coming counting begging calling listening rooting sure staying figuring starting beginning carrying missing leaning kinda learning"
)
_TALKING = re.compile(
    r"^(?:wanted|had|have|meant|hoped) to (?:tell|say|share|ask|let|show|talk|chat|check|hear|update|catch|see how|mention|thank)\b"
    r"|^(?:has )?(?:talked|spoken|chatted|heard|caught up) (?:to|with|from|in|for)\b.*$|^(?:missed|texted|called|asked|told|thanked) (?:[A-Z]\w+|you)$",
    re.IGNORECASE,
)
_LASTING_NOW = re.compile(
    r"^(?:(?:writing|trying|making|getting|having|doing|looking|giving|listening)\s+(?:to (?:get|become|learn|lose|save|quit|find|start|build|eat|cut|improve)\b|(?:my|our|their) (?:own|first|phd|master|thesis|dissertation)\b|an? (?:\w+ )?(?:book|novel|memoir|thesis|dissertation|blog|album|documentary|quilt|trouble)\b|up for\b|after (?:my|their)\b|for (?:a|an) (?:\w+ )?(?:job|flat|apartment|house|place|spot|space|role|position)\b)|into\b|going through (?:an?|my|their) |going to (?:therapy|school|college|university|physio))",
    re.IGNORECASE,
)
_ACTIVITIES = words(
    "teaches coaches volunteers collects leads grows breeds competes performs trains practises practices sings acts paints sells mentors attends "
    "organizes organises hosts commutes donates fosters brews plays writes builds designs restores photographs knits crochets sews tutors "
    "foreages gardens blogs streams composes translates serves chairs captains referees raises homeschools co-owns shares rents subscribes wears"
)
#: What a thing or an activity does for somebody.
_INFLUENCE = re.compile(
    r"^(?:helps?|makes?|keeps?|gives?|brings?|calms?|relaxes|relax|lets?|inspires?|motivates?|reminds?|allows?|soothes?|energi[sz]es?) [A-Z]\w+ "
    r"(?!happy\b|smile|laugh)\w+",
)
_ROLES = re.compile(
    r"^is (?:(?:an?|the) )?(?:\w+ )?(?:member|part|captain|leader|president|treasurer|head|volunteer|founder|co-?founder|chair|moderator|owner|carer|caregiver|godmother|godfather|guardian) (?:of|at|for|in|to|with)\b|^is (?:in charge of|responsible for|involved (?:in|with)|signed up (?:for|to)|enrolled in|registered for|allergic|on (?:antidepressants|insulin|statins|the pill|birth control|the board|maternity leave|parental leave|sabbatical|medication|sick leave|crutches)|the (?:oldest|youngest|eldest|middle child|first)|recovering from|training (?:for|to)|used to (?:the|working|living)|named after)\b",
    re.IGNORECASE,
)
_EMPTY_TOPICS = words(
    "question questions problem point guess opinion bad apologies thoughts thought mistake understanding way day pleasure heart mind advice "
    "code function script file error issue prompt request message answer query text name friend words suggestion idea favorite favourite "
    "view concern main take two turn fault hope wish prayers deepest thanks condolences brain head luck favourites goodness god friends eyes sentence paragraph essay"
)
_MILESTONE = re.compile(
    r"\b(?:baby|twins|surgery|operation|miscarriage|stroke|heart attack|accident|wedding|interview|seizure|breakdown)\b"
)
#: Whose things are none of the speaker's life.
_DISTANT = words(
    "neighbour neighbor boss client landlord landlady teacher manager doctor"
)
_ALONE = words(
    "died retired graduated proposed divorced miscarried relapsed enlisted emigrated eloped separated passed"
)
_HOLLOW = words(
    "it this that them these those there here him her they he she one some so too very really much more most well good great nice fun amazing "
    "awesome cool bad better best lot lots thing things something anything everything nothing way time point stuff a an the to of in on at for with and "
    "or but by from as up out off down over back away around about into through my our their your his its myself themselves what how when where why "
    "who which is was were be been being has had have do does did not no never also just still while ago now all any both each every other same such than then now"
)
_UNRESOLVED = re.compile(r"\b(?:he|she|him|her|his|hers|it|its|this|that|these|those)\b", re.IGNORECASE)
_POINTING = re.compile(
    r"^\w+(?: \w+ly| up| out| off| down| back| over| into| to| at| about| with| for| of| on| in| through)? (?:(?:it|them|him|her|there|here|one|everything|something|stuff)\b|(?:this|that|these|those)(?=$|[ ,.](?:in|on|at|for|to|from|with|by|last|yesterday|today|when|while|because|and|or|so|too|a|\d+|is|was|again|one|ones|way|stuff|things?|myself|before|after|since|now)\b|[,.]))",
    re.IGNORECASE,
)
_FEW_WORDS = 2
_SOME_WORDS = 3


def plan(view: View, *, future: bool, timed: bool) -> list[Draft]:
    """An intention with an action: "is going to run a marathon", "has a dentist appointment".

    Args:
        future: the clause names a time after it was said.
        timed: the clause names some time.
    """
    core = view.predicate.core
    kind = view.subject.kind
    if kind is Kind.WORLD:
        return []
    if kind is Kind.THING:
        return _dated_topic(view, future=future)
    intent = _INTENT.match(core)
    if intent:
        if re.match(r"can wait", core) and not view.negated:
            return []
        denied = view.negated and not core.startswith("can wait")
        needs = bool(_NEEDS_TIME.match(core))
        return _plan(intent["v"], view, denied=denied) if timed or not needs else []
    if view.negated:
        return []
    for pattern in (_WILL, _COMING, _DUTY, _BEGINS, _HAS_DATE, _PLAN_NOUN):
        match = pattern.match(core)
        if pattern is _BEGINS and view.predicate.habitual:
            continue
        if match and (future or (pattern is _PLAN_NOUN and core.startswith(("is planning", "plans")))):
            if pattern is _HAS_DATE and not _is_appointment(match["v"]):
                continue
            return _plan(re.sub(r"^be (?=\w+ing\b)", "", match["v"]), view, denied=False)
    return []


def _plan(action: str, view: View, *, denied: bool) -> list[Draft]:
    phrase = cut(action, company=False)
    words = phrase.lower().split()
    while words and words[0] in LIGHT_ADVERBS:
        words.pop(0)
    if not words:
        return []
    verb = verbs.base_form(words[0])
    content = [word for word in words[1:] if word not in _HOLLOW]
    if re.match(r"be an? \w", phrase):
        content.append("be")
        verb = "become"
    weak = verb in _WEAK_ACTIONS and len(content) < _FEW_WORDS
    if verb == "keep" and words[1:2] and words[1].endswith("ing"):
        return []
    if re.search(r"\b(?:it|that|this)$|\bthat happen\b|\ba difference\b", phrase):
        return []
    object_ = re.sub(r"^how (?=to )", "", " ".join(words[1:]))
    if weak or is_pronoun(object_ or words[0]) or _POINTING.match(phrase):
        return []
    if not content and verb not in {"retire", "propose", "marry", "move", "graduate", "quit", "visit", "come", "swim", "drive"}:
        return []
    dimension = key_of(dim.PLAN, _plan_key(words))
    return [Draft(dimension, None if denied else dim.YES, denied)] if dimension else []


def _plan_key(words: list[str]) -> str:
    return habit_key(" ".join(words))


def _is_appointment(phrase: str) -> bool:
    words = re.findall(r"[\w-]+", cut(phrase).lower())
    return any(word in APPOINTMENTS for word in words[:5])


def _dated_topic(view: View, *, future: bool) -> list[Draft]:
    words = view.subject.noun.lower().split()
    head = re.split(r" (?:to|with|at|for|in|on|of)\b", view.subject.noun.lower())[0].split()
    if not future or view.subject.owner or not words or head[-1] not in APPOINTMENTS:
        return []
    if not re.match(r"(?:is|will be|starts|begins|takes place)\b", view.predicate.core) or view.negated:
        return []
    return [Draft(f"{dim.PLAN}:{dim.normalise_key(view.subject.noun)}", dim.YES)]


def event(view: View, *, timed: bool) -> list[Draft]:
    """What happened or goes on, kept as said, without a dimension.

    Precision comes from what is refused: verbs of thinking and politeness, clauses that only
    point ("I did it"), moods, and people that the clause does not tie to the speaker.
    """
    kind, tense, core = view.subject.kind, view.predicate.tense, view.predicate.core
    if kind is Kind.NAME and not re.search(r"\bUser\b", view.text):
        return []
    pointing = _POINTING.match(re.sub(r"^(?:has|is|had)\s+", "", core))
    if (pointing and not re.match(r"moved (?:here|there) from (?-i:[A-Z])", core)) or _dangling(view):
        return []
    if kind is Kind.THING:
        return [Draft(None)] if _topic_counts(view) else []
    if tense is Tense.PROGRESSIVE:
        return [Draft(None)] if _goes_on(view, timed=timed) else []
    if tense is Tense.PERFECT:
        return [Draft(None, negated=False)] if _has_done(view, timed=timed) else []
    if tense is Tense.PAST:
        return [Draft(None)] if _happened(view, timed=timed) else []
    if kind is Kind.WORLD:
        return [Draft(None)] if _INFLUENCE.match(core) and not view.negated else []
    return _activity(view) if tense is Tense.PRESENT else []


def _dangling(view: View) -> bool:
    """Whether a pronoun in the clause points at somebody or something that is not named."""
    if view.subject.is_self:
        return bool(re.search(r"\b(?:he|she|him|hers?|his)\b", view.text)) and not _names_person(view.text)
    return False


def _names_person(text: str) -> bool:
    return bool(re.search(r"\b(?:their|my) (?:\w+ ){0,2}(?:mom|mum|mother|dad|father|wife|husband|sister|brother|son|daughter|friend|cousin|boss|aunt|uncle|niece|nephew|girlfriend|boyfriend|partner|grand\w+|dog|cat|baby|kid|child|teacher|doctor|neighbou?r|colleague|coworker)\b|\b[A-Z][a-z]+\b(?!')", text[1:]))


def _content(text: str) -> list[str]:
    words = re.findall(r"[\w'-]+", text.lower())
    return [word for word in words if word not in _HOLLOW and word not in LIGHT_ADVERBS]


def _topic_counts(view: View) -> bool:
    words = view.subject.noun.lower().split()
    if view.subject.owner in _DISTANT:
        return False
    if not words or words[-1] in _EMPTY_TOPICS or words[0] in _EMPTY_TOPICS:
        return False
    core = view.predicate.core
    if view.subject.owner == "name" or re.match(r"(?:can|will|would)\b", core):
        return False
    bare = re.sub(r"^(?:is|was|has|had|are|were)\s+", "", core)
    if re.search(r"[A-Z\d]", bare) and core.startswith("is "):
        return not view.negated
    return len(_content(bare)) >= _FEW_WORDS and not view.negated and not is_pronoun(bare)


def _goes_on(view: View, *, timed: bool) -> bool:
    action = view.predicate.core.partition(" ")[2]
    verb, _, rest = action.partition(" ")
    if view.negated or view.subject.kind is Kind.WORLD:
        return False
    if _LASTING_NOW.match(action):
        return True
    if verb.lower() in _WEAK_PROGRESSIVE and not (timed and not view.subject.is_self):
        return False
    return len(_content(rest)) >= 1 or not view.subject.is_self


def _has_done(view: View, *, timed: bool) -> bool:
    rest = re.sub(r"^(?:has|had)\s+", "", view.predicate.core)
    verb, _, tail = rest.partition(" ")
    verb = verb.lower()
    if verb == "been":
        action, _, tail = tail.partition(" ")
        if tail.split(" ", 1)[0].endswith("ing") and not action.endswith("ing"):
            action, _, tail = f"{action} {tail}".partition(" ")[2].partition(" ")
            return not view.negated and action not in _WEAK_PROGRESSIVE
        if action.endswith("ing"):
            content = _content(tail)
            return (action not in _WEAK_PROGRESSIVE or len(content) > _FEW_WORDS) and bool(content) and not view.negated
        if action in {"to", "in", "part", "through", "with"}:
            return bool(_content(tail)) and (action != "through" or len(_content(tail)) > 1)
        return verbs.is_participle(action) and len(_content(tail)) >= _FEW_WORDS and action not in {"so", "amazed", "excited", "inspired", "swamped"}
    weak = verb in _WEAK_PAST or verb in {"seen", "heard", "known", "done", "had", "given", "gotten", "got", "come", "taken"}
    return len(_content(tail)) >= (_SOME_WORDS if weak else 1 if not view.negated or "never" in view.text else _FEW_WORDS) and (
        view.subject.kind is not Kind.WORLD or not view.negated
    )


def _happened(view: View, *, timed: bool) -> bool:
    core = view.predicate.core
    verb, _, rest = core.partition(" ")
    verb = verb.lower()
    if view.negated:
        return timed and len(_content(rest)) >= _FEW_WORDS
    content = _content(rest)
    if verb in {"was", "were"}:
        if view.subject.kind is not Kind.WORLD and is_trade(without_article(cut(rest))):
            return True
        return _was_there(rest, view, timed=timed)
    if verb == "had":
        return _had(rest, timed=timed or not view.subject.is_self)
    if _TALKING.match(core):
        return False
    if verb in _PLAIN_PAST:
        return len(content) >= _FEW_WORDS
    if verb in _WEAK_PAST:
        reported = verb in {"told", "said", "asked", "gave", "called"} and not view.subject.is_self
        return len(content) >= (1 if reported else _SOME_WORDS + (not timed))
    if verb == "got":
        return len(content) >= (1 if timed else _FEW_WORDS) and not re.match(r"(?:to|it|so|really|very)\b", rest)
    if re.match(r"(?:when|because|as|since|so|that)\b", rest):
        return verb in _ALONE
    if not content:
        return verb in _ALONE or (timed and bool(rest.strip())) or not view.subject.is_self
    return True


def _was_there(rest: str, view: View, *, timed: bool) -> bool:
    if re.match(r"(?:in|at|on) (?!(?:awe|shock|love|tears|the (?:same|mood|middle)|it|a (?:good|bad|rush)))\w", rest):
        return bool(_content(rest))
    word = rest.partition(" ")[0].lower()
    passive = verbs.is_participle(word) and word not in {
        "excited", "tired", "amazed", "shocked", "scared", "worried", "surprised", "thrilled", "bored", "stressed", "inspired", "impressed", "blown",
        "moved", "annoyed", "disappointed", "overwhelmed", "freaked", "psyched", "stoked", "psyched", "lost", "struck", "hooked", "determined", "supposed", "touched", "pleased", "interested", "confused", "used", "relieved",
    }  # fmt: skip
    return passive and len(_content(rest)) >= _FEW_WORDS


def _had(rest: str, *, timed: bool) -> bool:
    if re.match(r"to (?!be\b|say\b|admit\b|laugh\b)\w", rest):
        return len(_content(rest)) >= _FEW_WORDS
    if re.match(r"(?:an? )?(?:\w+ )?(?:great|good|blast|nice|fun|hard|rough|bad|tough|amazing|lovely|wonderful) ?(?:time|day|week|weekend|night|chat|talk|one)?\b", rest):
        return len(_content(rest)) >= _SOME_WORDS
    return len(_content(rest)) >= (1 if timed or _MILESTONE.search(rest) else _FEW_WORDS)


def _activity(view: View) -> list[Draft]:
    """"teaches yoga", "sings in a choir": a present activity without a word for how often."""
    core = view.predicate.core
    if _ROLES.match(core):
        return [Draft(None)] if not view.negated else []
    verb, _, rest = core.partition(" ")
    if verb.lower() not in _ACTIVITIES or view.negated or not _content(rest) or is_pronoun(rest):
        return []
    phrase = cut(core)
    dimension = key_of(dim.HABIT, habit_key(phrase))
    return [Draft(dimension, dim.YES)] if dimension else []
