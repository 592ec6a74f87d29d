"""English rules for work: trade, employer, jobs begun and lost."""

from __future__ import annotations

import re

from dualmem_graph.system1.rules import dimensions as dim
from dualmem_graph.system1.rules.english.drafts import (
    Draft,
    Rule,
    View,
    cut,
    is_value,
    proper,
    rule,
    without_article,
)
from dualmem_graph.system1.rules.english.types import Kind
from dualmem_graph.system1.rules.english.words import NOT_TRADES, TRADES

_TRADE_ENDINGS = (
    "ologist",
    "grapher",
    "therapist",
    "ician",
    "ineer",
    "pathist",
    "keeper",
    "maker",
    "worker",
    "teacher",
    "manager",
    "developer",
    "designer",
)
_ROLE_STOP = re.compile(
    r"\s+(?:working|specializing|specialising|focused|focusing|based|living|currently|at"
    r"|for|in|with|on|of my own|who|that|from|and|by|to)\b.*$|\s*[,(].*$",
    re.IGNORECASE,
)
_EMPLOYER = re.compile(r"\b(?:at|for|with)\s+(.+)$", re.IGNORECASE)
_AS = re.compile(r"\s+as\s+(?:an?|the|head|lead|chief|senior|junior)?\s*.*$", re.IGNORECASE)
_INDUSTRY = re.compile(
    r"^(?:the )?(?:finance|marketing|it|tech|sales|hr|healthcare|health care|education"
    r"|retail|logistics|advertising|publishing"
    r"|insurance|banking|construction|hospitality|real estate|consulting|accounting|law"
    r"|media|journalism|fashion|film|gaming"
    r"|agriculture|manufacturing|aviation|tourism|biotech|pharma|research|academia"
    r"|security|customer (?:service|support)"
    r"|human resources|public relations|[a-z]+ industry|[a-z]+ sector|a[n]? .+)$",
    re.IGNORECASE,
)
NOT_EMPLOYER = re.compile(
    r"^(?:home|night|nights|myself|themselves|it|that|this|them|now|work|least|all|once"
    r"|weekends|school|the (?:moment|weekend|same time)"
    r"|his|her|getting|becoming|making|a living|money|free|\d+|(?:two|three|four|five"
    r"|six|ten) .*|years|a (?:year|month|while|long time|few) ?.*"
    r"|(?:my|their) (?:best|own)?\s?(?:self|friends?|kids|health|goals?|skills?|boss"
    r"|brother|sister|team))\b",
    re.IGNORECASE,
)


def _works(match: re.Match[str], view: View) -> list[Draft]:
    """ "works as a hygienist at BrightSmile": a trade, an employer, or both."""
    rest = match["rest"]
    drafts: list[Draft] = []
    role = re.search(r"\bas (?P<v>.+)$", rest, re.IGNORECASE)
    if role:
        value = _ROLE_STOP.sub("", without_article(cut(role["v"], company=False)))
        if is_value(value):
            drafts.append(Draft(dim.OCCUPATION, value, view.negated))
    employer = employer_in(rest)
    if employer:
        predicate = f"works at {employer}" if drafts else ""
        drafts.append(Draft(dim.EMPLOYER, employer, view.negated, predicate=predicate))
    if not drafts and re.match(r"(?:from home|remotely)\b", rest, re.IGNORECASE):
        drafts.append(Draft("habit:work from home", dim.YES, view.negated))
    if not drafts and re.match(r"for (?:myself|themselves)\b", rest, re.IGNORECASE):
        drafts.append(Draft(dim.OCCUPATION, "self-employed", view.negated))
    field = re.match(r"in (.+)$", rest)
    if not drafts and field:
        value = cut(field[1])
        if _INDUSTRY.match(value):
            drafts.append(Draft(dim.OCCUPATION, value, view.negated))
        elif value[:1].isupper():
            drafts.append(Draft(None))
    return drafts


def employer_in(rest: str) -> str:
    """The employer in "at Siemens", "for the fire department"; ``""`` where there is none."""
    match = _EMPLOYER.search(rest)
    if not match or rest[: match.start()].strip().lower().startswith(
        ("hard", "on ", "out", "towards")
    ):
        return ""
    value = _AS.sub("", cut(match[1]))
    if not is_value(value) or NOT_EMPLOYER.match(value) or re.search(r" to \w", value):
        return ""
    if match[0].lower().startswith("with") and not value[:1].isupper():
        return ""
    return proper(value) if " " not in value and value.isalpha() else value


def _employs(match: re.Match[str], view: View) -> list[Draft]:
    value = _AS.sub("", cut(match["v"]))
    if not is_value(value) or NOT_EMPLOYER.match(value) or view.negated:
        return []
    return [Draft(dim.EMPLOYER, proper(value) if " " not in value else value)]


def _joins(match: re.Match[str], view: View) -> list[Draft]:
    value = cut(match["v"])
    if (
        view.negated
        or not value[:1].isupper()
        or re.search(r"(?:Club|Gym|Group|Choir|Band|Team|Army)$", value)
    ):
        return []
    return [Draft(dim.EMPLOYER, _AS.sub("", value))]


def _quits(match: re.Match[str], view: View) -> list[Draft]:
    if view.negated:
        return []
    value = cut(match["v"] or "") or None
    if value is None and match["job"] is None:
        return []
    return [Draft(dim.EMPLOYER, value, True)]


def _leaves(match: re.Match[str], view: View) -> list[Draft]:
    value = cut(match["v"])
    if (
        view.negated
        or not value[:1].isupper()
        or not re.search(r"\bafter .*\byears?\b|\bjob\b", match[0])
    ):
        return []
    return [Draft(dim.EMPLOYER, value, True)]


def _jobless(match: re.Match[str], view: View) -> list[Draft]:
    if view.negated:
        return []
    return [Draft(dim.OCCUPATION, "unemployed", profile=((dim.EMPLOYER, None),))]


def _is_trade(match: re.Match[str], view: View) -> list[Draft]:
    """ "is a nurse at St. Mary's": the last word of the role must be a trade."""
    whole = cut(match["v"], company=False)
    role = _ROLE_STOP.sub("", whole)
    if not is_trade(role) or view.subject.kind in (Kind.THING, Kind.WORLD, Kind.PET):
        return []
    drafts = [Draft(dim.OCCUPATION, role, view.negated)]
    after = whole[len(role) :].strip()
    employer = employer_in(after) if after.startswith(("at ", "for ")) else ""
    student = role.lower().endswith("student")
    if employer and not view.negated:
        slot, verb = (dim.SCHOOL, "studies at") if student else (dim.EMPLOYER, "works at")
        drafts.append(Draft(slot, employer, predicate=f"{verb} {employer}"))
    return drafts


def is_trade(role: str) -> bool:
    """Whether a noun phrase names a trade: judged by its last word."""
    words = role.lower().split()
    if not words or len(words) > 5:
        return False
    head = words[-1]
    return head in TRADES or (head.endswith(_TRADE_ENDINGS) and head not in NOT_TRADES)


def _role(match: re.Match[str], view: View) -> list[Draft]:
    value = _ROLE_STOP.sub("", without_article(cut(match["v"], company=False)))
    whole = cut(match["v"])
    if re.match(r"(?:head|director|vice|vp|chief|manager|professor) ?of\b", whole, re.IGNORECASE):
        value = re.sub(r"\s+(?:at|for|in|with)\b.*$", "", whole)
    if not is_value(value) or view.negated:
        return []
    return [Draft(dim.OCCUPATION, value)]


def _became(match: re.Match[str], view: View) -> list[Draft]:
    role = _ROLE_STOP.sub("", without_article(cut(match["v"], company=False)))
    return [Draft(dim.OCCUPATION, role)] if is_trade(role) and not view.negated else []


def _status(match: re.Match[str], view: View) -> list[Draft]:
    return [Draft(dim.OCCUPATION, match["v"].lower(), view.negated)]


def _runs_business(match: re.Match[str], view: View) -> list[Draft]:
    value = cut(match["v"])
    if view.negated:
        return []
    return [Draft(dim.OCCUPATION, f"{match['verb'].lower()} {value}")]


def _switched_job(match: re.Match[str], view: View) -> list[Draft]:
    """ "switched from Bosch to Zeiss": names are employers, trades occupations."""
    new = cut(match["new"])
    if view.negated or not is_value(new):
        return []
    trade = _ROLE_STOP.sub("", without_article(new))
    if is_trade(trade):
        return [Draft(dim.OCCUPATION, trade)]
    if (
        match["old"][:1].isupper()
        and new[:1].isupper()
        and not re.search(
            r"\b(?:Windows|Mac|macOS|Linux|Android|iPhone|iOS|Python|Java|Spotify|Netflix"
            r"|Chrome|Firefox)\b",
            match[0],
        )
    ):
        return [Draft(dim.EMPLOYER, new)]
    return []


RULES: tuple[Rule, ...] = (
    rule(
        r"(?:works?|worked|is working|has been working|has worked|is employed"
        r"|was working)\s+(?P<rest>.+)$",
        _works,
    ),
    rule(
        r"(?:got|gets|landed|started|has started|has got|accepted|is starting|has|took|found"
        r"|has landed|begins|began)\s+(?:a |an |my |their |his |her )?(?:(?:new|part-time"
        r"|full-time|summer|dream|great|first) )*(?:job|position|role|internship"
        r"|gig)(?: as .+?)?\s+(?:at|with|for|in)\s+(?P<v>.+)$",
        _employs,
    ),
    rule(r"(?:got|was|has been) (?:hired|recruited|employed) (?:by|at)\s+(?P<v>.+)$", _employs),
    rule(
        r"(?:started|began|has started) (?:working )?(?:at|for)\s+(?P<v>(?-i:[A-Z]).*)$", _employs
    ),
    rule(r"(?:joined|has joined)\s+(?P<v>.+)$", _joins),
    rule(
        r"(?:quit|quits|left|has quit|has left|resigned from|gave up|lost"
        r"|has lost)\s+(?P<job>(?:my |their |his |her |the |that )?(?:(?:old|current|day"
        r"|previous|full-time|part-time|corporate) )?(?:jobs?|position"
        r"|post))(?:\s+(?:as .+? )?(?:at|with|for|in)\s+(?P<v>.+))?(?:$|\s|[,.])",
        _quits,
    ),
    rule(
        r"(?:resigned|has resigned|got fired|was fired|was laid off"
        r"|got laid off)\s+from\s+(?P<v>.+)$(?P<job>)?",
        _quits,
    ),
    rule(
        r"(?:left|has left)\s+(?P<v>(?-i:[A-Z][\w&.-]+(?: [A-Z][\w&.-]+)*))\s+after\b.*$", _leaves
    ),
    rule(
        r"(?:got|was|has been|is) (?:laid off|fired|made redundant|let go|unemployed"
        r"|out of work|between jobs)\b",
        _jobless,
    ),
    rule(
        r"is (?P<v>retired|self-employed|unemployed|a stay-at-home (?:mom|dad|parent|mum)"
        r"|a freelancer|freelance|freelancing|semi-retired)\b",
        _status,
    ),
    rule(
        r"(?:got|was|has been) (?:promoted|appointed|elected|named)(?: to"
        r"| as)?\s+(?P<v>(?!again|last|today|yesterday|recently|at |on |in ).+)$",
        _role,
    ),
    rule(
        r"(?:became|has become|becomes|started (?:working )?as|qualified as|retrained as"
        r"|is training as)\s+(?P<v>.+)$",
        _became,
    ),
    rule(r"is (?:working as |currently )?(?:an?|the|one of the) (?P<v>.+)$", _is_trade),
    rule(
        r"(?P<verb>runs?|owns?|manages)\s+(?P<v>(?:a|an|my own|their own|my|their|his|her"
        r"|the) (?:[\w-]+ ){0,3}(?:business|company|shop|store|bakery|restaurant|cafe|café"
        r"|bookshop|studio|farm|salon|agency|startup|start-up|bar|hotel|practice|clinic"
        r"|gallery|gym|school|podcast|firm|workshop|bookstore|brewery|vineyard|charity"
        r"|food truck|b&b|hostel|roastery|boutique|consultancy|bistro|pub|winery|distillery"
        r"|ranch|nursery|daycare|magazine|newsletter)\b.*)$",
        _runs_business,
    ),
    rule(
        r"(?:switched|has switched|changed"
        r"|moved)\s+(?:jobs? )?from\s+(?P<old>.+?)\s+to\s+(?P<new>.+)$",
        _switched_job,
    ),
    rule(r"had (?:my|their|his|her) last day at (?P<v>.+)$(?P<job>)?", _quits),
    rule(
        r"is (?:now )?(?:at|with) an? (?:[\w-]+ )?(?:startup|start-up|company|firm"
        r"|agency) (?:called|named) (?P<v>.+)$",
        _employs,
    ),
)
