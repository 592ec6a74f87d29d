"""English rules for who somebody is: name, age, birthday, home, origin, work, study."""

from __future__ import annotations

import re

from dualmem_graph.system1.rules import dimensions as dim
from dualmem_graph.system1.rules.english_drafts import (
    Draft,
    Rule,
    View,
    cut,
    is_value,
    place,
    proper,
    rule,
    without_article,
)
from dualmem_graph.system1.rules.english_grammar import Kind
from dualmem_graph.system1.rules.english_words import NOT_TRADES, TRADES

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
    r"\s+(?:working|specializing|specialising|focused|focusing|based|living|currently|at|for|in|with|on|of my own|who|that|from|and|by|to)\b.*$|\s*[,(].*$", re.IGNORECASE
)
_EMPLOYER = re.compile(r"\b(?:at|for|with)\s+(.+)$", re.IGNORECASE)
_AS = re.compile(r"\s+as\s+(?:an?|the|head|lead|chief|senior|junior)?\s*.*$", re.IGNORECASE)
_INDUSTRY = re.compile(
    r"^(?:the )?(?:finance|marketing|it|tech|sales|hr|healthcare|health care|education|retail|logistics|advertising|publishing"
    r"|insurance|banking|construction|hospitality|real estate|consulting|accounting|law|media|journalism|fashion|film|gaming"
    r"|agriculture|manufacturing|aviation|tourism|biotech|pharma|research|academia|security|customer (?:service|support)"
    r"|human resources|public relations|[a-z]+ industry|[a-z]+ sector|a[n]? .+)$",
    re.IGNORECASE,
)
_NOT_EMPLOYER = re.compile(
    r"^(?:home|night|nights|myself|themselves|it|that|this|them|now|work|least|all|once|weekends|school|the (?:moment|weekend|same time)"
    r"|his|her|getting|becoming|making|a living|money|free|\d+|(?:two|three|four|five|six|ten) .*|years|a (?:year|month|while|long time|few) ?.*"
    r"|(?:my|their) (?:best|own)?\s?(?:self|friends?|kids|health|goals?|skills?|boss|brother|sister|team))\b",
    re.IGNORECASE,
)
_AGE = r"(?P<v>\d{1,3}|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:-\w+)?|eighteen|nineteen|seventeen|sixteen|fifteen|fourteen|thirteen|twelve|eleven|ten|nine|eight|seven|six|five|four|three|two|one)"
_UNITS = {
    word: number
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen".split()
    )
}
_TENS = {
    word: 10 * number
    for number, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)
}
_OLDEST = 119
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*\.?"
_DATE = rf"(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}(?:,? \d{{4}})?|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?|\d{{4}}-\d\d-\d\d|\d{{1,2}}[/.]\d{{1,2}}(?:[/.]\d{{2,4}})?"
_CAPITALISED = re.compile(r"^[A-Z][\w'’.-]*(?: (?:[A-Z][\w'’.-]*|de|la|van|von|der|bin|al|O'\w+)){0,3}$")
_NO_NAMES = re.compile(
    r"^(?:I|In|On|At|Not|So|Very|Here|Back|Ok|Okay|Fine|Good|Great|Happy|Sure|Sorry|Glad|Excited|American|British|Mexican"
    r"|\w+(?:ish|ese|ian))$"
)


def age_in_digits(words: str) -> str | None:
    """``thirty-four`` → ``34``; ``None`` beyond a human life."""
    words = words.lower()
    if words.isdigit():
        number = int(words)
    elif words in _UNITS:
        number = _UNITS[words]
    else:
        tens, _, unit = words.partition("-")
        if tens not in _TENS:
            return None
        number = _TENS[tens] + _UNITS.get(unit, 0)
    return str(number) if 0 < number <= _OLDEST else None


def _name(match: re.Match[str], view: View) -> list[Draft]:
    name = proper(cut(match["v"]))
    if not _CAPITALISED.match(name) or _NO_NAMES.match(name) or view.negated:
        return []
    return [Draft(dim.NAME, name)]


def _bare_name(match: re.Match[str], view: View) -> list[Draft]:
    """"I'm Maria": only a capitalised word that ends the clause."""
    name = match["v"].strip()
    named = view.subject.is_self or bool(view.subject.noun and not view.subject.has_name)
    if view.negated or not named or not _CAPITALISED.match(name):
        return []
    if _NO_NAMES.match(name.split()[0]) or name.isupper():
        return []
    return [Draft(dim.NAME, name, predicate=f"is called {name}")]


def _age(match: re.Match[str], view: View) -> list[Draft]:
    age = age_in_digits(match["v"])
    if age is None or view.negated:
        return []
    return [Draft(dim.AGE, age)]


def _birthday(match: re.Match[str], view: View) -> list[Draft]:
    return [] if view.negated else [Draft(dim.BIRTHDAY, cut(match["v"]))]


def _home(match: re.Match[str], view: View) -> list[Draft]:
    value = place(match["v"])
    if not _is_place(value):
        return []
    return [Draft(dim.HOME, value, view.negated)]


def _moved(match: re.Match[str], view: View) -> list[Draft]:
    value = place(match["v"])
    if not _is_place(value) or view.negated:
        return []
    return [Draft(dim.HOME, value)]


_NO_PLACE = re.compile(
    r"^(?:it|that|this|there|here|fear|(?:\d+|two|three|four|five|six|seven|many|several|different|various|a few|a lot of) .*|the (?:moment|past|present|world|middle|next|same|new|bigger|top|second|final)|a (?:new|bigger|different|better|lovely|beautiful|small|smaller|nice) (?:place|one|role|job|position|phase)"
    r"|the (?:us|next|new) .* (?:step|stage)|(?:my|their|his|her|our) own|peace|harmony|pain|hope|debt|love|touch|(?:my|their) (?:head|mind|dreams?|own world)|another .* (?:job|role|team)|next .*|a .* (?:team|role|department|world|dream)|work|bed|sleep"
    r"|general|remote work|management|in with .*)$",
    re.IGNORECASE,
)


def _is_place(value: str) -> bool:
    return is_value(value) and not _NO_PLACE.match(value)


def _origin(match: re.Match[str], view: View) -> list[Draft]:
    value = place(match["v"])
    if not _is_place(value) or view.negated or re.match(r"(?:\d|work|home|school|the (?:same|gym))", value):
        return []
    return [Draft(dim.ORIGIN, value)]


def _hails(match: re.Match[str], view: View) -> list[Draft]:
    """"is from X" wants a name: "is from work", "is from scratch" say no origin."""
    value = place(match["v"])
    spoken = cut(match["v"])
    capital = spoken[:1].isupper() or match["sure"] is not None
    if not capital and " " in spoken and not re.match(r"(?:a|the) ", spoken):
        return []
    return _origin(match, view) if value else []


def _works(match: re.Match[str], view: View) -> list[Draft]:
    """"works as a hygienist at BrightSmile": a trade, an employer, or both."""
    rest = match["rest"]
    drafts: list[Draft] = []
    role = re.search(r"\bas (?P<v>.+)$", rest, re.IGNORECASE)
    if role:
        value = _ROLE_STOP.sub("", without_article(cut(role["v"], company=False)))
        if is_value(value):
            drafts.append(Draft(dim.OCCUPATION, value, view.negated))
    employer = _employer(rest)
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


def _employer(rest: str) -> str:
    match = _EMPLOYER.search(rest)
    if not match or rest[: match.start()].strip().lower().startswith(("hard", "on ", "out", "towards")):
        return ""
    value = _AS.sub("", cut(match[1]))
    if not is_value(value) or _NOT_EMPLOYER.match(value) or re.search(r" to \w", value):
        return ""
    if match[0].lower().startswith("with") and not value[:1].isupper():
        return ""
    return proper(value) if " " not in value and value.isalpha() else value


def _employs(match: re.Match[str], view: View) -> list[Draft]:
    value = _AS.sub("", cut(match["v"]))
    if not is_value(value) or _NOT_EMPLOYER.match(value) or view.negated:
        return []
    return [Draft(dim.EMPLOYER, proper(value) if " " not in value else value)]


def _joins(match: re.Match[str], view: View) -> list[Draft]:
    value = cut(match["v"])
    if view.negated or not value[:1].isupper() or re.search(r"(?:Club|Gym|Group|Choir|Band|Team|Army)$", value):
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
    if view.negated or not value[:1].isupper() or not re.search(r"\bafter .*\byears?\b|\bjob\b", match[0]):
        return []
    return [Draft(dim.EMPLOYER, value, True)]


def _jobless(match: re.Match[str], view: View) -> list[Draft]:
    if view.negated:
        return []
    return [Draft(dim.OCCUPATION, "unemployed", profile=((dim.EMPLOYER, None),))]


def _is_trade(match: re.Match[str], view: View) -> list[Draft]:
    """"is a nurse at St. Mary's": the last word of the role must be a trade."""
    whole = cut(match["v"], company=False)
    role = _ROLE_STOP.sub("", whole)
    if not is_trade(role) or view.subject.kind in (Kind.THING, Kind.WORLD, Kind.PET):
        return []
    drafts = [Draft(dim.OCCUPATION, role, view.negated)]
    after = whole[len(role) :].strip()
    employer = _employer(after) if after.startswith(("at ", "for ")) else ""
    student = role.lower().endswith("student")
    if employer and not view.negated:
        slot, verb = (dim.SCHOOL, "studies at") if student else (dim.EMPLOYER, "works at")
        drafts.append(Draft(slot, employer, predicate=f"{verb} {employer}"))
    return drafts


def is_trade(role: str) -> bool:
    """Whether a noun phrase names a trade: judged by its last word."""
    words = role.lower().split()
    if not words or len(words) > 5:  # noqa: PLR2004
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
    """"switched from Bosch to Zeiss": names are employers, trades occupations."""
    new = cut(match["new"])
    if view.negated or not is_value(new):
        return []
    trade = _ROLE_STOP.sub("", without_article(new))
    if is_trade(trade):
        return [Draft(dim.OCCUPATION, trade)]
    if match["old"][:1].isupper() and new[:1].isupper() and not re.search(
        r"\b(?:Windows|Mac|macOS|Linux|Android|iPhone|iOS|Python|Java|Spotify|Netflix|Chrome|Firefox)\b", match[0]
    ):
        return [Draft(dim.EMPLOYER, new)]
    return []


_DEGREE = r"(?:a |an |the |their |my )?(?:(?:bachelor|master|doctorate|associate)(?:'?s)?(?: degree)?|degree|ph\.?d\.?|mba|bsc|msc|ba|ma|bs|ms|diploma|phd|doctorate|major|minor)"
_AT_SCHOOL = re.compile(r"\s+(?:at|from)\s+(.+)$", re.IGNORECASE)
_NO_SUBJECT = re.compile(
    r"^(?:hard|a lot|abroad|together|online|for|with|at|in|all|every|everything|more|here|there|how|the (?:text|book|map|menu|data|material)|it|this|that)\b",
    re.IGNORECASE,
)


def _studies(match: re.Match[str], view: View) -> list[Draft]:
    """"is studying marine biology at Bergen": a subject, a school, or both."""
    rest = match["rest"]
    drafts: list[Draft] = []
    school = _AT_SCHOOL.search(rest)
    subject = cut(rest[: school.start()] if school else rest)
    subject = re.sub(r"^(?:to (?:be|become) .*|for .*)$", "", subject)
    if subject and is_value(subject) and not _NO_SUBJECT.match(subject):
        drafts.append(Draft(dim.MAJOR, subject, view.negated))
    elif rest.lower().startswith(("at ", "in ")):
        school = re.match(r"(?:at|in) (.+)$", rest, re.IGNORECASE)
    if school and is_value(cut(school[1])) and not _NOT_EMPLOYER.match(cut(school[1])):
        name = cut(school[1])
        predicate = f"studies at {name}" if drafts else ""
        drafts.append(Draft(dim.SCHOOL, name, view.negated, predicate=predicate))
    return drafts


def _degree(match: re.Match[str], view: View) -> list[Draft]:
    value = cut(_AT_SCHOOL.sub("", match["v"]))
    if not is_value(value) or view.negated:
        return []
    drafts = [Draft(dim.MAJOR, value)]
    school = _AT_SCHOOL.search(match["v"])
    if school and is_value(cut(school[1])):
        name = cut(school[1])
        drafts.append(Draft(dim.SCHOOL, name, predicate=f"studied at {name}"))
    return drafts


def _school(match: re.Match[str], view: View) -> list[Draft]:
    value = cut(match["v"])
    if not is_value(value):
        return []
    return [Draft(dim.SCHOOL, value, view.negated)]


def _enrolled(match: re.Match[str], view: View) -> list[Draft]:
    """"is a junior at UCLA studying economics": a school and perhaps a subject."""
    school, _, subject = match["v"].partition(" studying ")
    name = cut(school)
    if not is_value(name) or view.negated:
        return []
    drafts = [Draft(dim.SCHOOL, name)]
    if subject and is_value(cut(subject)):
        major = cut(subject)
        drafts.append(Draft(dim.MAJOR, major, predicate=f"studies {major}"))
    return drafts


def _left_home(match: re.Match[str], view: View) -> list[Draft]:
    value = place(match["v"])
    return [Draft(dim.HOME, value, True)] if _is_place(value) and not view.negated else []


def _graduated(match: re.Match[str], view: View) -> list[Draft]:
    value = re.sub(r"\s+(?:in|with)\b.*$", "", cut(match["v"]))
    if not is_value(value) or view.negated:
        return []
    return [Draft(dim.SCHOOL, value)]


RULES: tuple[Rule, ...] = (
    rule(r"(?:is called|goes by(?: the name)?|is named|was named)\s+(?P<v>\S.*)$", _name),
    rule(rf"is\s+{_AGE}(?: years? old| y/?o| years of age)?(?=$|[,!]|\.(?!\d)| (?:now|today|and(?! \d)|already|this|next|years))", _age),
    rule(rf"(?:turned|has turned|just turned|is turning|turns)\s+{_AGE}\b(?!%)", _age),
    rule(rf"was born (?:on )(?P<v>{_DATE})", _birthday),
    rule(r"was born (?:and raised )?(?:in|on|near) (?P<v>(?!(?:19|20)\d\d|\d|the (?:\d|fifties|sixties|seventies|eighties|nineties)|(?:january|february|march|april|may|june|july|august|september|october|november|december)\b).+)$", _origin),
    rule(rf"was born in (?P<v>(?:{_MONTH} )?(?:19|20)\d\d)\b", _birthday),
    rule(r"(?:grew up|was raised|was brought up)\s+(?:as .+? )?(?P<prep>in |on |near )(?P<v>.+)$", lambda m, v: _grew_up(m, v)),
    rule(r"(?:(?:comes?|came|hails?) (?P<sure>from)|is (?P<x>originally )?from)\s+(?P<v>.+)$", _hails),
    rule(r"(?:lives?|lived|resides?|is (?:living|based|residing|staying|located|settled)|has been (?:living|based|residing)|has lived|is back)\s+(?:alone |together |happily |full-time )?(?:in|near|outside(?: of)?|at|on)\s+(?P<v>.+)$", _home),
    rule(r"(?:lives?|is living|has been living|has lived)\s+(?:alone\s+|happily\s+|together\s+)?with .+? in (?P<v>(?-i:[A-Z]).*)$", _home),
    rule(r"(?:lives|lived|is living|has been living|stays)\s+(?:alone|by (?:myself|themselves)|on (?:my|their) own|(?:at home )?with (?:my|their|a|an|two|three|four|(?-i:User))\b).*$", lambda m, v: [Draft(None, negated=v.negated)]),
    rule(r"(?:moved|relocated|has (?:just )?(?:moved|relocated)|emigrated|immigrated|moves)\s+(?:back |over |out |up |down |all the way )?(?:from .+? )?(?:to|into)\s+(?P<v>.+)$", _moved),
    rule(r"(?:settled(?: down)?|has settled|bought a (?:house|flat|home|apartment|place)|lives now)\s+in\s+(?P<v>.+)$", _moved),
    rule(r"(?:works?|worked|is working|has been working|has worked|is employed|was working)\s+(?P<rest>.+)$", _works),
    rule(r"(?:got|gets|landed|started|has started|has got|accepted|is starting|has|took|found|has landed|begins|began)\s+(?:a |an |my |their |his |her )?(?:(?:new|part-time|full-time|summer|dream|great|first) )*(?:job|position|role|internship|gig)(?: as .+?)?\s+(?:at|with|for|in)\s+(?P<v>.+)$", _employs),
    rule(r"(?:got|was|has been) (?:hired|recruited|employed) (?:by|at)\s+(?P<v>.+)$", _employs),
    rule(r"(?:started|began|has started) (?:working )?(?:at|for)\s+(?P<v>(?-i:[A-Z]).*)$", _employs),
    rule(r"(?:joined|has joined)\s+(?P<v>.+)$", _joins),
    rule(r"(?:quit|quits|left|has quit|has left|resigned from|gave up|lost|has lost)\s+(?P<job>(?:my |their |his |her |the |that )?(?:(?:old|current|day|previous|full-time|part-time|corporate) )?(?:jobs?|position|post))(?:\s+(?:as .+? )?(?:at|with|for|in)\s+(?P<v>.+))?(?:$|\s|[,.])", _quits),
    rule(r"(?:resigned|has resigned|got fired|was fired|was laid off|got laid off)\s+from\s+(?P<v>.+)$(?P<job>)?", _quits),
    rule(r"(?:left|has left)\s+(?P<v>(?-i:[A-Z][\w&.-]+(?: [A-Z][\w&.-]+)*))\s+after\b.*$", _leaves),
    rule(r"(?:got|was|has been|is) (?:laid off|fired|made redundant|let go|unemployed|out of work|between jobs)\b", _jobless),
    rule(r"is (?P<v>retired|self-employed|unemployed|a stay-at-home (?:mom|dad|parent|mum)|a freelancer|freelance|freelancing|semi-retired)\b", _status),
    rule(r"(?:got|was|has been) (?:promoted|appointed|elected|named)(?: to| as)?\s+(?P<v>(?!again|last|today|yesterday|recently|at |on |in ).+)$", _role),
    rule(r"(?:became|has become|becomes|started (?:working )?as|qualified as|retrained as|is training as)\s+(?P<v>.+)$", _became),
    rule(r"is (?:working as |currently )?(?:an?|the|one of the) (?P<v>.+)$", _is_trade),
    rule(r"(?P<verb>runs?|owns?|manages)\s+(?P<v>(?:a|an|my own|their own|my|their|his|her|the) (?:[\w-]+ ){0,3}(?:business|company|shop|store|bakery|restaurant|cafe|café|bookshop|studio|farm|salon|agency|startup|start-up|bar|hotel|practice|clinic|gallery|gym|school|podcast|firm|workshop|bookstore|brewery|vineyard|charity|food truck|b&b|hostel|roastery|boutique|consultancy|bistro|pub|winery|distillery|ranch|nursery|daycare|magazine|newsletter)\b.*)$", _runs_business),
    rule(r"(?:switched|has switched|changed|moved)\s+(?:jobs? )?from\s+(?P<old>.+?)\s+to\s+(?P<new>.+)$", _switched_job),
    rule(r"(?:studies|studied|is studying|has been studying|was studying)\s+(?P<rest>.+)$", _studies),
    rule(r"(?:majors?|majored|is majoring|is doing a major)\s+in\s+(?P<rest>.+)$", _studies),
    rule(rf"(?:has|got|earned|holds|is (?:doing|pursuing|finishing|getting|working on|studying for)|finished|completed|did|started|has (?:got|finished|completed|started))\s+{_DEGREE}\s+(?:degree )?(?:in|on)\s+(?P<v>.+)$", _degree),
    rule(r"is an? (?:[\w-]+ )?(?:freshman|sophomore|junior|senior|student|undergrad|phd candidate) at (?P<v>.+)$", _enrolled),
    rule(r"had (?:my|their|his|her) last day at (?P<v>.+)$(?P<job>)?", _quits),
    rule(r"is (?:now )?(?:at|with) an? (?:[\w-]+ )?(?:startup|start-up|company|firm|agency) (?:called|named) (?P<v>.+)$", _employs),
    rule(r"moved (?:out of|away from)\s+(?P<v>(?-i:[A-Z]).*)$", _left_home),
    rule(r"(?:goes to|attends|is enrolled at|enrolled at|got into|(?:was|got|has been) (?:accepted|admitted) (?:to|into|at)|is a (?:student|freshman|sophomore|junior|senior) at|went to)\s+(?P<v>(?:the )?(?-i:(?:[A-Z][\w'’.-]* )*)(?:University|College|School|Academy|Institute|High|Primary|Conservatory|Polytechnic)\b.*)$", _school),
    rule(r"(?:graduated|has graduated)\s+from\s+(?P<v>.+)$", _graduated),
    rule(r"is\s+(?P<v>(?-i:[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)?))$", _bare_name),
)


def _grew_up(match: re.Match[str], view: View) -> list[Draft]:
    value = place(match["v"])
    if view.negated or not _is_place(value):
        return []
    if match["prep"].strip() == "in" and re.match(r"an? (?:\w+ )?(?:family|household|home)\b", value):
        return [Draft(None)]
    return [Draft(dim.ORIGIN, value)]
