"""English rules for who somebody is: name, age, birthday."""

from __future__ import annotations

import re

from dualmem_graph.system1.rules import dimensions as dim
from dualmem_graph.system1.rules.english.drafts import Draft, Rule, View, cut, proper, rule

_AGE = (
    r"(?P<v>\d{1,3}|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:-\w+)?"
    r"|eighteen|nineteen|seventeen|sixteen|fifteen|fourteen|thirteen|twelve|eleven|ten"
    r"|nine|eight|seven|six|five|four|three|two|one)"
)
_UNITS = {
    word: number
    for number, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
        ]
    )
}
_TENS = {
    word: 10 * number
    for number, word in enumerate(
        ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], 2
    )
}
_OLDEST = 119
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*\.?"
_DATE = (
    rf"(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}(?:,? \d{{4}})?"
    rf"|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?|\d{{4}}-\d\d-\d\d"
    rf"|\d{{1,2}}[/.]\d{{1,2}}(?:[/.]\d{{2,4}})?"
)
_CAPITALISED = re.compile(
    r"^[A-Z][\w'’.-]*(?: (?:[A-Z][\w'’.-]*|de|la|van|von|der|bin|al|O'\w+)){0,3}$"
)
_NO_NAMES = re.compile(
    r"^(?:I|In|On|At|Not|So|Very|Here|Back|Ok|Okay|Fine|Good|Great|Happy|Sure|Sorry|Glad"
    r"|Excited|American|British|Mexican"
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
    """ "I'm Maria": only a capitalised word that ends the clause."""
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


RULES: tuple[Rule, ...] = (
    rule(r"(?:is called|goes by(?: the name)?|is named|was named)\s+(?P<v>\S.*)$", _name),
    rule(
        rf"is\s+{_AGE}(?: years? old| y/?o| years of age)?(?=$|[,!]|\.(?!\d)| (?:now|today"
        r"|and(?! \d)|already|this|next|years))",
        _age,
    ),
    rule(rf"(?:turned|has turned|just turned|is turning|turns)\s+{_AGE}\b(?!%)", _age),
    rule(rf"was born (?:on )(?P<v>{_DATE})", _birthday),
    rule(rf"was born in (?P<v>(?:{_MONTH} )?(?:19|20)\d\d)\b", _birthday),
    rule(r"is\s+(?P<v>(?-i:[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)?))$", _bare_name),
)
