"""English rules for what happened and what goes on: the statements without a slot."""

from __future__ import annotations

import re

from dualmem_graph.system1.rules import dimensions as dim
from dualmem_graph.system1.rules.english import verbs
from dualmem_graph.system1.rules.english.content import FEW_WORDS, POINTING, content_words
from dualmem_graph.system1.rules.english.drafts import (
    Draft,
    View,
    cut,
    is_pronoun,
    key_of,
    without_article,
)
from dualmem_graph.system1.rules.english.habits import habit_key
from dualmem_graph.system1.rules.english.predicates import Tense
from dualmem_graph.system1.rules.english.types import Kind
from dualmem_graph.system1.rules.english.work import is_trade
from dualmem_graph.system1.rules.wordlist import word_set

_WEAK_PAST = word_set(
    "thought knew said asked meant wondered guessed wanted needed hoped liked loved "
    "enjoyed felt did was were had noticed realized realised "
    "forgot remembered agreed told heard saw looked seemed appreciated believed "
    "understood supposed figured imagined wished expected "
    "mentioned expressed assumed hated sounded let stood"
)
#: Verbs of many senses: with some object they tell what happened.
_PLAIN_PAST = word_set("gave kept came tried used called liked loved enjoyed")
_WEAK_PROGRESSIVE = word_set(
    "thinking wondering feeling looking going getting talking asking saying hoping "
    "doing being joking kidding guessing having seeing telling "
    "loving liking enjoying waiting sitting standing lying sending writing trying "
    "using referring wanting needing assuming suggesting "
    "experiencing dying freezing starving giving making coming counting begging "
    "calling listening rooting sure staying figuring starting beginning carrying "
    "missing leaning kinda learning"
)
_TALKING = re.compile(
    r"^(?:wanted|had|have|meant|hoped) to (?:tell|say|share|ask|let|show|talk|chat|check"
    r"|hear|update|catch|see how|mention|thank)\b"
    r"|^(?:has )?(?:talked|spoken|chatted|heard|caught up) (?:to|with|from|in|for)\b.*$"
    r"|^(?:missed|texted|called|asked|told|thanked) (?:[A-Z]\w+|you)$",
    re.IGNORECASE,
)
_LASTING_NOW = re.compile(
    r"^(?:(?:writing|trying|making|getting|having|doing|looking|giving"
    r"|listening)\s+(?:to (?:get|become|learn|lose|save|quit|find|start|build|eat|cut"
    r"|improve)\b|(?:my|our|their) (?:own|first|phd|master|thesis|dissertation)\b"
    r"|an? (?:\w+ )?(?:book|novel|memoir|thesis|dissertation|blog|album|documentary"
    r"|quilt|trouble)\b|up for\b|after (?:my|their)\b|for (?:a|an) (?:\w+ )?(?:job|flat"
    r"|apartment|house|place|spot|space|role|position)\b)|into\b|going through (?:an?|my"
    r"|their) |going to (?:therapy|school|college|university|physio))",
    re.IGNORECASE,
)
_ACTIVITIES = word_set(
    "teaches coaches volunteers collects leads grows breeds competes performs trains "
    "practises practices sings acts paints sells mentors attends "
    "organizes organises hosts commutes donates fosters brews plays writes builds "
    "designs restores photographs knits crochets sews tutors "
    "gardens blogs streams composes translates serves chairs captains referees raises "
    "homeschools co-owns shares rents subscribes wears"
)
#: What a thing or an activity does for somebody.
_INFLUENCE = re.compile(
    r"^(?:helps?|makes?|keeps?|gives?|brings?|calms?|relaxes|relax|lets?|inspires?"
    r"|motivates?|reminds?|allows?|soothes?|energi[sz]es?) [A-Z]\w+ "
    r"(?!happy\b|smile|laugh)\w+",
)
_ROLES = re.compile(
    r"^is (?:(?:an?|the) )?(?:\w+ )?(?:member|part|captain|leader|president|treasurer"
    r"|head|volunteer|founder|co-?founder|chair|moderator|owner|carer|caregiver"
    r"|godmother|godfather|guardian) (?:of|at|for|in|to|with)\b|^is (?:in charge of"
    r"|responsible for|involved (?:in|with)|signed up (?:for|to)|enrolled in"
    r"|registered for|allergic|on (?:antidepressants|insulin|statins|the pill"
    r"|birth control|the board|maternity leave|parental leave|sabbatical|medication"
    r"|sick leave|crutches)|the (?:oldest|youngest|eldest|middle child|first)"
    r"|recovering from|training (?:for|to)|used to (?:the|working|living)|named after)\b",
    re.IGNORECASE,
)
_EMPTY_TOPICS = word_set(
    "question questions problem point guess opinion bad apologies thoughts thought "
    "mistake understanding way day pleasure heart mind advice "
    "code function script file error issue prompt request message answer query text "
    "name friend words suggestion idea favorite favourite "
    "view concern main take two turn fault hope wish prayers deepest thanks "
    "condolences brain head luck favourites goodness god friends eyes sentence "
    "paragraph essay"
)
_MILESTONE = re.compile(
    r"\b(?:baby|twins|surgery|operation|miscarriage|stroke|heart attack|accident|wedding"
    r"|interview|seizure|breakdown)\b"
)
#: Whose things are none of the speaker's life.
_DISTANT = word_set("neighbour neighbor boss client landlord landlady teacher manager doctor")
_ALONE = word_set(
    "died retired graduated proposed divorced miscarried relapsed enlisted emigrated "
    "eloped separated passed"
)
#: Participles of feeling: "was moved" tells no event.
_FELT = word_set(
    "exhausted drained swamped amazed annoyed blown bored confused determined "
    "disappointed excited freaked hooked "
    "impressed inspired interested lost moved overwhelmed pleased psyched relieved scared "
    "shocked stoked stressed struck supposed surprised thrilled tired touched used "
    "worried"
)
_ONLY_THIS = re.compile(r"\w+ (?:this|that|these|those) \w+$")
_SOME_WORDS = 3


def event(view: View, *, timed: bool) -> list[Draft]:
    """What happened or goes on, kept as said, without a dimension.

    Precision comes from what is refused: verbs of thinking and politeness, clauses that only
    point ("I did it"), moods, and people that the clause does not tie to the speaker.
    """
    kind, tense, core = view.subject.kind, view.predicate.tense, view.predicate.core
    if kind is Kind.NAME and not re.search(r"\bUser\b", view.text):
        return []
    pointing = POINTING.match(re.sub(r"^(?:has|is|had)\s+", "", core))
    if (pointing and not re.match(r"moved (?:here|there) from (?-i:[A-Z])", core)) or _dangling(
        view
    ):
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
        return bool(re.search(r"\b(?:he|she|him|hers?|his)\b", view.text)) and not _names_person(
            view.text
        )
    return False


def _names_person(text: str) -> bool:
    return bool(
        re.search(
            r"\b(?:their|my) (?:\w+ ){0,2}(?:mom|mum|mother|dad|father|wife|husband|sister"
            r"|brother|son|daughter|friend|cousin|boss|aunt|uncle|niece|nephew|girlfriend"
            r"|boyfriend|partner|grand\w+|dog|cat|baby|kid|child|teacher|doctor|neighbou?r"
            r"|colleague|coworker)\b|\b[A-Z][a-z]+\b(?!')",
            text[1:],
        )
    )


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
    return len(content_words(bare)) >= FEW_WORDS and not view.negated and not is_pronoun(bare)


def _goes_on(view: View, *, timed: bool) -> bool:
    action = view.predicate.core.partition(" ")[2]
    verb, _, rest = action.partition(" ")
    if view.negated or view.subject.kind is Kind.WORLD:
        return False
    if _LASTING_NOW.match(action):
        return True
    if _ONLY_THIS.match(action):
        return False
    if verb.lower() in _WEAK_PROGRESSIVE and not (timed and not view.subject.is_self):
        return False
    return len(content_words(rest)) >= 1 or not view.subject.is_self


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
            content = content_words(tail)
            return (
                (action not in _WEAK_PROGRESSIVE or len(content) > FEW_WORDS)
                and bool(content)
                and not view.negated
            )
        if action in {"to", "in", "part", "through", "with"}:
            return bool(content_words(tail)) and (
                action != "through" or len(content_words(tail)) > 1
            )
        return (
            verbs.is_participle(action)
            and len(content_words(tail)) >= FEW_WORDS
            and action not in {"so", "amazed", "excited", "inspired", "swamped"}
        )
    weak = verb in _WEAK_PAST or verb in {
        "seen",
        "heard",
        "known",
        "done",
        "had",
        "given",
        "gotten",
        "got",
        "come",
        "taken",
    }
    return len(content_words(tail)) >= (
        _SOME_WORDS if weak else 1 if not view.negated or "never" in view.text else FEW_WORDS
    ) and (view.subject.kind is not Kind.WORLD or not view.negated)


def _happened(view: View, *, timed: bool) -> bool:
    core = view.predicate.core
    verb, _, rest = core.partition(" ")
    verb = verb.lower()
    if view.negated:
        return timed and len(content_words(rest)) >= FEW_WORDS
    content = content_words(rest)
    if verb in {"was", "were"}:
        if view.subject.kind is not Kind.WORLD and is_trade(without_article(cut(rest))):
            return True
        return _was_there(rest, view, timed=timed)
    if verb == "had":
        return _had(rest, timed=timed or not view.subject.is_self)
    if _TALKING.match(core):
        return False
    if verb in _PLAIN_PAST:
        return len(content) >= FEW_WORDS
    if verb in _WEAK_PAST:
        reported = verb in {"told", "said", "asked", "gave", "called"} and not view.subject.is_self
        return len(content) >= (1 if reported else _SOME_WORDS + (not timed))
    if verb == "got":
        return len(content) >= (1 if timed else FEW_WORDS) and not re.match(
            r"(?:to|it|so|really|very)\b", rest
        )
    if re.match(r"(?:when|because|as|since|so|that)\b", rest):
        return verb in _ALONE
    if not content:
        return verb in _ALONE or (timed and bool(rest.strip())) or not view.subject.is_self
    return True


def _was_there(rest: str, view: View, *, timed: bool) -> bool:
    if re.match(
        r"(?:in|at|on) (?!(?:awe|shock|love|tears|the (?:same|mood|middle)|it|a (?:good|bad"
        r"|rush)))\w",
        rest,
    ):
        return bool(content_words(rest))
    word = rest.partition(" ")[0].lower()
    passive = verbs.is_participle(word) and word not in _FELT
    return passive and len(content_words(rest)) >= FEW_WORDS


def _had(rest: str, *, timed: bool) -> bool:
    if re.match(r"to (?!be\b|say\b|admit\b|laugh\b)\w", rest):
        return len(content_words(rest)) >= FEW_WORDS
    if re.match(
        r"(?:an? )?(?:\w+ )?(?:great|good|blast|nice|fun|hard|rough|bad|tough|amazing|lovely"
        r"|wonderful) ?(?:time|day|week|weekend|night|chat|talk|one)?\b",
        rest,
    ):
        return len(content_words(rest)) >= _SOME_WORDS
    return len(content_words(rest)) >= (1 if timed or _MILESTONE.search(rest) else FEW_WORDS)


def _activity(view: View) -> list[Draft]:
    """ "teaches yoga", "sings in a choir": a present activity without a word for how often."""
    core = view.predicate.core
    if _ROLES.match(core):
        return [Draft(None)] if not view.negated else []
    verb, _, rest = core.partition(" ")
    if (
        verb.lower() not in _ACTIVITIES
        or view.negated
        or not content_words(rest)
        or is_pronoun(rest)
    ):
        return []
    phrase = cut(core)
    dimension = key_of(dim.HABIT, habit_key(phrase))
    return [Draft(dimension, dim.YES)] if dimension else []
