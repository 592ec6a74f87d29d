"""The rules of the English grammar, most of them one form of expression each."""

from __future__ import annotations

from dualmem_graph.text.times.english.absolute import (
    read_clock,
    read_counted_in_month,
    read_date,
    read_decade,
    read_festival,
    read_iso_date,
    read_iso_month,
    read_month,
    read_nth_of_month,
    read_season,
    read_short_date,
    read_slashed_date,
    read_spoken_clock,
    read_weekend_of,
    read_year_alone,
)
from dualmem_graph.text.times.english.relative import (
    read_ago,
    read_ahead,
    read_named_day,
    read_other_day,
    read_part,
    read_part_of_today,
    read_part_of_unit,
    read_rolling,
    read_the_weekend,
    read_unit_by_relation,
    read_weekday,
)
from dualmem_graph.text.times.english.tense import leaning
from dualmem_graph.text.times.english.words import (
    DIGIT,
    FESTIVAL,
    FESTIVAL_WORDS,
    HOUR,
    MONTH,
    MONTHS,
    NUMBER,
    OF_YEAR,
    SEASON,
    SHORT_WEEKDAY,
    UNIT,
    UNIT_WORDS,
    WEEKDAY,
    WEEKDAY_WORDS,
    WHICH,
    YEAR,
    hints_of,
)
from dualmem_graph.text.times.grammar import Grammar, rule, veto
from dualmem_graph.text.wordlists import words

_MONTHS = frozenset(MONTHS)
_SEASONS = words("spring summer autumn fall winter")
_RELATIONS = words("last this next past coming upcoming current")
_PARTS = words("morning afternoon evening night")

_THIRD = r"(?P<third>early|mid|late|(?:the\s+)?(?P<edge>beginning|start|middle|end)\s+of)"
_D = r"(?:[12]\d|3[01]|0?[1-9])(?!\d)"
_TH = r"(?:st|nd|rd|th)"
_DAY = rf"(?P<number>{_D}){_TH}?"
_ON_WEEKDAY = rf"(?:(?P<weekday>{WEEKDAY}|{SHORT_WEEKDAY})\s*,?\s+)?"
_UP_TO_DAY = rf"(?:\s*(?:-|–|to)\s*(?P<last>{_D}){_TH}?)?"
_MONTH = rf"(?P<month>{MONTH})"
_BEFORE_MONTH = (
    r"(?:in|since|until|till|by|of|during|around|for|from|through|throughout|before|after"
    r"|back\s+in|to|and|between|starting)"
)
_BEFORE_YEAR = r"(?:in|since|by|until|till|during|from|of|around|before|after|year|to|and|between)"
_ON = r"(?:on|at|for|over|during|before|after|by|until|till|since|around|from|to)"
_OR_MORE = rf"(?:\s*(?:or|to|-|–)\s*(?P<second>{NUMBER}))?"

_VETOES = (
    rule(
        words("every each any most some per"),
        r"\b(?:every|each|any|most|some|per)\s+(?:other\s+|single\s+|second\s+)?"
        rf"(?:{UNIT}|{WEEKDAY}s?|{MONTH}|{FESTIVAL}|{SEASON}|morning|afternoon|evening)"
        r"(?:\s+(?:morning|afternoon|evening|night)s?)?",
        veto,
    ),
    rule(
        WEEKDAY_WORDS,
        rf"\b(?:on\s+)?{WEEKDAY}(?:s|\s+(?:mornings|afternoons|evenings|nights))\b",
        veto,
    ),
)
_DAYS = (
    rule(
        words("today yesterday tomorrow tmr tmrw"),
        r"\b(?P<day>today|yesterday|tomorrow|tmrw?|(?:the\s+)?day\s+before\s+yesterday"
        r"|(?:the\s+)?day\s+after\s+tomorrow)\b",
        read_named_day,
    ),
    rule(
        words("this tonight last"),
        r"\b(?:this\s+(?P<part>morning|afternoon|evening)|tonight"
        r"|(?P<last>last)\s+(?:night|evening))\b",
        read_part_of_today,
    ),
    rule(
        words("other"), r"\b(?:the\s+)?other\s+(?P<unit>day|night|evening|week)\b", read_other_day
    ),
)
_DISTANCES = (
    rule(
        words("ago back"),
        rf"\b(?P<number>{NUMBER}){_OR_MORE}(?P<half>\s+and\s+a\s+half)?\s+(?P<unit>{UNIT})"
        r"(?:\s+or\s+(?:two|so))?(?P<after>\s+and\s+a\s+half)?\s+(?:ago|back)\b",
        read_ago,
    ),
    rule(
        UNIT_WORDS,
        rf"\b(?P<in>in)\s+(?:about\s+|around\s+)?(?P<number>{NUMBER}){_OR_MORE}"
        rf"(?P<half>\s+and\s+a\s+half)?\s+(?P<unit>{UNIT})(?:['’]s?)?(?:\s+time)?",
        read_ahead,
    ),
    rule(
        words("now today"),
        rf"\b(?P<number>{NUMBER}){_OR_MORE}\s+(?P<unit>{UNIT})\s+from\s+(?:now|today)\b",
        read_ahead,
    ),
    rule(
        words("last past next coming"),
        r"\b(?:the\s+|these\s+)?(?P<which>last|past|next|coming)\s+"
        rf"(?P<number>{NUMBER})\s+(?P<unit>{UNIT})",
        read_rolling,
    ),
    rule(
        words("last past next coming"),
        r"\b(?:in|over|during|for|within|throughout)\s+(?P<core>the\s+"
        r"(?P<which>last|past|next|coming)\s+(?P<unit>day|week|month|quarter|year|decade|hour))\b"
        r"(?!\s+(?:of|before)\b)",
        read_rolling,
    ),
)
_UNITS = (
    rule(
        _RELATIONS,
        rf"\b{WHICH}\s+(?P<unit>weekend|week|fortnight|month|quarter|year|decade)\b",
        read_unit_by_relation,
    ),
    rule(
        words("last next"),
        r"\b(?:the\s+)?(?P<unit>weekend|week|month|quarter|year)\s+"
        r"(?P<beyond>before\s+last|after\s+next)\b",
        read_unit_by_relation,
    ),
    rule(
        words("weekend"),
        r"\b(?:at|on|over|during|for|by)\s+(?P<core>the\s+weekend)\b(?!\s+of\b)",
        read_the_weekend,
    ),
    rule(
        words("week month year"),
        rf"\b{_THIRD}[\s-]+"
        r"(?:the|(?P<which>this|last|next))\s+(?P<unit>week|month|year)\b",
        read_part_of_unit,
    ),
    rule(
        words("later earlier early late"),
        r"\b(?P<third>later|earlier|early|late)\s+(?P<which>this|last|next)\s+"
        r"(?P<unit>week|month|year)\b",
        read_part_of_unit,
    ),
)
_WEEKDAYS = (
    rule(
        WEEKDAY_WORDS,
        rf"\b(?:{WHICH}\s+)?(?P<weekday>{WEEKDAY})\b"
        r"(?:\s+(?:of\s+)?(?P<week>last|this|next)\s+week\b)?",
        read_weekday,
    ),
    rule(WEEKDAY_WORDS, rf"\bon\s+(?P<core>(?P<weekday>{SHORT_WEEKDAY}))(?!['’\w])", read_weekday),
    rule(WEEKDAY_WORDS, rf"\b{WHICH}\s+(?P<weekday>{SHORT_WEEKDAY})(?!['’\w])", read_weekday),
    rule(
        WEEKDAY_WORDS,
        rf"\b(?:the\s+)?(?P<weekday>{WEEKDAY})\s+(?P<beyond>before\s+last)\b",
        read_weekday,
    ),
    rule(
        WEEKDAY_WORDS,
        rf"\b(?P<week>last|this|next)\s+week(?:['’]s)?(?:\s+on)?\s+(?P<weekday>{WEEKDAY})\b",
        read_weekday,
    ),
)
_DATES = (
    rule(
        _MONTHS,
        rf"\b{_ON_WEEKDAY}(?:the\s+)?{_MONTH}\s+(?:the\s+)?{_DAY}"
        rf"(?![\d:]|\s*[ap]\.?m\b){_UP_TO_DAY}{OF_YEAR}?",
        read_date,
    ),
    rule(
        _MONTHS,
        rf"\b{_ON_WEEKDAY}(?:the\s+)?{_DAY}{_UP_TO_DAY}\s+(?:of\s+)?{_MONTH}{OF_YEAR}?",
        read_date,
    ),
    rule(
        _MONTHS,
        rf"\b(?:the\s+)?(?P<what>weekend|week)\s+of\s+(?:the\s+)?{_MONTH}\s+{_DAY}{OF_YEAR}?",
        read_weekend_of,
    ),
    rule(
        _MONTHS,
        rf"\b(?:the\s+)?(?P<what>weekend|week)\s+of\s+(?:the\s+)?{_DAY}\s+(?:of\s+)?{_MONTH}"
        rf"{OF_YEAR}?",
        read_weekend_of,
    ),
    rule(
        words("first second third fourth last st nd rd th"),
        r"\b(?:the\s+)?(?P<ordinal>first|second|third|fourth|last|1st|2nd|3rd|4th)\s+"
        rf"(?P<what>{WEEKDAY}|weekend|week)\s+(?:of|in)\s+(?:{_MONTH}{OF_YEAR}?"
        r"|(?:the|(?P<which>this|last|next))\s+month\b)",
        read_counted_in_month,
    ),
    rule(
        words("st nd rd th"),
        rf"\b(?:on|by|until|before|from)\s+(?P<core>the\s+(?P<number>{_D}){_TH})\b"
        r"(?!\s+(?:of|floor|street|avenue|time|one|birthday|anniversary|day|century|grade|place))",
        read_nth_of_month,
    ),
    rule(
        DIGIT,
        rf"(?<![\d./-])(?P<y>{YEAR})(?P<sep>[-/.])(?P<m>0?[1-9]|1[0-2])(?P=sep)(?P<d>{_D})(?!-)",
        read_iso_date,
    ),
    rule(
        DIGIT,
        rf"(?<![\d./-])(?P<a>\d\d?)(?P<sep>[-/.])(?P<b>\d\d?)(?P=sep)(?P<y>{YEAR})(?![\d-])",
        read_slashed_date,
    ),
    rule(DIGIT, r"\bon\s+(?P<core>(?P<m>0?[1-9]|1[0-2])/(?P<d>\d\d?))(?![\d/])", read_short_date),
    rule(DIGIT, rf"(?<![\d./-])(?P<y>{YEAR})-(?P<m>0[1-9]|1[0-2])(?![\d-])", read_iso_month),
)
_MONTHS_AND_YEARS = (
    rule(_MONTHS, rf"\b{_MONTH}{OF_YEAR}", read_month),
    rule(_MONTHS, rf"\b{WHICH}\s+{_MONTH}(?!\s+\d{{1,2}}\b)", read_month),
    rule(_MONTHS, rf"\b{_BEFORE_MONTH}\s+(?P<core>{_MONTH})(?!\s+\d{{1,2}}\b)", read_month),
    rule(_MONTHS, rf"\b{_THIRD}[\s-]+(?:in\s+)?{_MONTH}{OF_YEAR}?", read_month),
    # The others are words or first names too ("may", "march", "April"), and need company.
    rule(
        _MONTHS,
        r"\b(?P<month>January|February|July|September|October|November|December)\b",
        read_month,
    ),
    rule(
        DIGIT, rf"\b{_BEFORE_YEAR}\s+(?P<core>(?P<year>{YEAR}))\b(?![\d:/.,-]*\d)", read_year_alone
    ),
    rule(DIGIT, rf"\b{_THIRD}[\s-]+(?P<year>{YEAR})\b(?![-/])", read_year_alone),
    rule(
        DIGIT,
        rf"\b(?:{_THIRD}[\s-]+)?the\s+['’]?(?P<decade>(?:19|20)?\d0)['’]?s\b",
        read_decade,
    ),
    rule(DIGIT, rf"\b(?:{_THIRD}[\s-]+)?(?P<decade>(?:19|20)\d0)['’]?s\b", read_decade),
    rule(_SEASONS, rf"\b{WHICH}\s+(?P<season>{SEASON})\b", read_season),
    rule(_SEASONS, rf"\b(?:the\s+)?(?P<season>{SEASON}){OF_YEAR}", read_season),
    rule(
        _SEASONS,
        rf"\b(?:in|over|during|for|by|since)\s+(?P<core>the\s+(?P<season>{SEASON}))\b",
        read_season,
    ),
)
_FESTIVALS = (
    rule(
        FESTIVAL_WORDS,
        rf"\b{_ON}\s+(?:the\s+)?(?P<core>(?P<festival>{FESTIVAL}))\b",
        read_festival,
    ),
    rule(FESTIVAL_WORDS, rf"\b{WHICH}\s+(?P<festival>{FESTIVAL})\b", read_festival),
    rule(FESTIVAL_WORDS, rf"\b(?P<festival>{FESTIVAL}){OF_YEAR}", read_festival),
    # Alone it must be the end or the subject of a clause: "Christmas carols" are no date.
    rule(
        FESTIVAL_WORDS,
        rf"\b(?P<festival>{FESTIVAL})\b(?=\s*(?:[.,;!?]|\Z|\b(?:is|was|were|will|with|at|in|when)\b))",
        read_festival,
    ),
)
_CLOCKS = (
    rule(
        words("am pm") | DIGIT,
        rf"\b(?P<hour>{HOUR})(?:[:.](?P<minute>[0-5]\d))?\s*(?P<half>[ap]m\b|[ap]\.m\b\.?)",
        read_clock,
    ),
    rule(
        DIGIT,
        r"(?<![\d:.])(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?![\d:])(?!\s*[ap]\.?m)",
        read_clock,
    ),
    rule(
        words("clock"),
        rf"\b(?P<hour>{HOUR})\s+o['’]clock"
        r"(?:\s+(?:in\s+the|at)\s+(?P<part>morning|afternoon|evening|night))?\b",
        read_clock,
    ),
    rule(
        _PARTS,
        rf"\b(?P<hour>{HOUR})(?::(?P<minute>[0-5]\d))?\s+(?:in\s+the|at)\s+"
        r"(?P<part>morning|afternoon|evening|night)\b",
        read_clock,
    ),
    rule(
        words("half quarter"),
        rf"\b(?:a\s+)?(?P<share>half|quarter)\s+(?P<direction>past|to)\s+(?P<hour>{HOUR})\b",
        read_spoken_clock,
    ),
    rule(words("noon midnight"), r"\bat\s+(?P<core>(?P<part>noon|midnight))\b", read_part),
    rule(
        _PARTS | words("noon midnight"),
        r"\b(?P<part>morning|afternoon|evening|night|noon|midnight)\b",
        read_part,
        weak=True,
    ),
    rule(
        words("at"),
        rf"\bat\s+(?P<core>(?P<hour>{HOUR}))(?![\d:%/]|\.\d|\s*[ap]\.?m)\b",
        read_clock,
        weak=True,
    ),
)

#: Everything English.
ENGLISH = Grammar(
    (
        *_VETOES,
        *_DAYS,
        *_DISTANCES,
        *_UNITS,
        *_WEEKDAYS,
        *_DATES,
        *_MONTHS_AND_YEARS,
        *_FESTIVALS,
        *_CLOCKS,
    ),
    hints_of,
    leaning,
)
