"""The rules of the English grammar, most of them one form of expression each."""

from __future__ import annotations

from dualmem_graph.text.times.english.absolute import (
    read_clock,
    read_counted_in_month,
    read_date,
    read_decade,
    read_festival,
    read_iso_date,
    read_iso_moment,
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
from dualmem_graph.text.times.english.words import (
    FESTIVAL,
    HOUR,
    MONTH,
    NUMBER,
    OF_YEAR,
    SEASON,
    SHORT_WEEKDAY,
    UNIT,
    WEEKDAY,
    WHICH,
    YEAR,
)
from dualmem_graph.text.times.grammar import rule, veto

_THIRD = r"(?P<third>early|mid|late|(?:the\s+)?(?P<edge>beginning|start|middle|end)\s+of)"
_D = r"(?:[12]\d|3[01]|0?[1-9])(?!\d)"
_ORD_D = rf"(?P<number>{_D})(?:st|nd|rd|th)?"
_RANGE = rf"(?:\s*(?:-|–|to)\s*(?P<last>{_D})(?:st|nd|rd|th)?)?"
_MONTH = rf"(?P<month>{MONTH})"
_BEFORE_MONTH = (
    r"(?:in|since|until|till|by|of|during|around|for|from|through|throughout|before|after|back\s+in"
    r"|to|and|between|starting|for\s+all\s+of)"
)

RULES = [
    # vetoes
    rule(
        rf"\b(?:every|each|any|most|some|per)\s+(?:other\s+|single\s+|second\s+)?"
        rf"(?:{UNIT}|{WEEKDAY}s?|{MONTH}|{FESTIVAL}|{SEASON}|morning|afternoon|evening)"
        rf"(?:\s+(?:morning|afternoon|evening|night)s?)?",
        veto,
    ),
    rule(rf"\b(?:on\s+)?{WEEKDAY}(?:s|\s+(?:mornings|afternoons|evenings|nights))\b", veto),
    # days
    rule(
        r"\b(?P<day>today|yesterday|tomorrow|tmrw?|(?:the\s+)?day\s+before\s+yesterday"
        r"|(?:the\s+)?day\s+after\s+tomorrow)\b",
        read_named_day,
    ),
    rule(
        r"\b(?:(?P<which>this)\s+(?P<part>morning|afternoon|evening)|tonight)\b", read_part_of_today
    ),
    rule(r"\b(?P<which>last)\s+(?P<part>night|evening)\b", read_part_of_today),
    rule(r"\b(?:the\s+)?other\s+(?P<unit>day|night|evening|week)\b", read_other_day),
    # distances
    rule(
        rf"\b(?P<number>{NUMBER})(?:\s*(?:or|to|-|–)\s*(?P<second>{NUMBER}))?"
        rf"(?P<half>\s+and\s+a\s+half)?\s+(?P<unit>{UNIT})(?:\s+or\s+(?:two|so))?"
        r"(?P<after>\s+and\s+a\s+half)?\s+(?:ago|back)\b",
        read_ago,
    ),
    rule(
        rf"\b(?P<in>in)\s+(?:about\s+|around\s+)?(?P<number>{NUMBER})"
        rf"(?:\s*(?:or|to|-|–)\s*(?P<second>{NUMBER}))?(?P<half>\s+and\s+a\s+half)?"
        rf"\s+(?P<unit>{UNIT})(?:['’]s?)?(?:\s+time)?",
        read_ahead,
    ),
    rule(
        rf"\b(?P<number>{NUMBER})(?:\s*(?:or|to|-|–)\s*(?P<second>{NUMBER}))?\s+(?P<unit>{UNIT})"
        r"\s+from\s+(?:now|today)\b",
        read_ahead,
    ),
    rule(
        rf"\b(?:the\s+|these\s+)?(?P<which>last|past|next|coming)\s+(?P<number>{NUMBER})\s+(?P<unit>{UNIT})",
        read_rolling,
    ),
    rule(
        r"\b(?:in|over|during|for|within|throughout)\s+(?P<core>the\s+(?P<which>last|past|next|coming)"
        r"\s+(?P<unit>day|week|month|quarter|year|decade|hour))\b(?!\s+(?:of|before)\b)",
        read_rolling,
    ),
    # units by relation
    rule(
        rf"\b{WHICH}\s+(?P<unit>weekend|week|fortnight|month|quarter|year|decade)\b",
        read_unit_by_relation,
    ),
    rule(
        r"\b(?:the\s+)?(?P<unit>weekend|week|month|quarter|year)\s+"
        r"(?P<beyond>before\s+last|after\s+next)\b",
        read_unit_by_relation,
    ),
    rule(
        r"\b(?:at|on|over|during|for|by)\s+(?P<core>the\s+weekend)\b(?!\s+of\b)", read_the_weekend
    ),
    rule(
        r"\b(?:the\s+)?(?P<third>early|beginning|start|mid|middle|late|end)(?:\s+of)?[\s-]+"
        r"(?:the|(?P<which>this|last|next))\s+(?P<unit>week|month|year)\b",
        read_part_of_unit,
    ),
    rule(
        r"\b(?P<third>later|earlier|early|late)\s+(?P<which>this|last|next)\s+(?P<unit>week|month|year)\b",
        read_part_of_unit,
    ),
    # weekdays
    rule(
        rf"\b(?:{WHICH}\s+)?(?P<weekday>{WEEKDAY})\b(?:\s+(?:of\s+)?(?P<week>last|this|next)\s+week\b)?",
        read_weekday,
    ),
    rule(rf"\b(?:on|{WHICH})\s+(?P<core>(?P<weekday>{SHORT_WEEKDAY}))(?!\w)", read_weekday),
    rule(rf"\b(?:the\s+)?(?P<weekday>{WEEKDAY})\s+(?P<beyond>before\s+last)\b", read_weekday),
    rule(
        rf"\b(?P<week>last|this|next)\s+week(?:['’]s)?(?:\s+on)?\s+(?P<weekday>{WEEKDAY})\b",
        read_weekday,
    ),
    # dates
    rule(
        rf"\b(?:{WEEKDAY}\s*,?\s+)?(?:the\s+)?{_MONTH}\s+(?:the\s+)?{_ORD_D}(?![\d:]|\s*[ap]\.?m\b)"
        rf"{_RANGE}{OF_YEAR}?",
        read_date,
    ),
    rule(
        rf"\b(?:{WEEKDAY}\s*,?\s+)?(?:the\s+)?{_ORD_D}{_RANGE}\s+(?:of\s+)?{_MONTH}{OF_YEAR}?",
        read_date,
    ),
    rule(
        rf"\b(?:the\s+)?(?P<what>weekend|week)\s+of\s+(?:the\s+)?(?:{_MONTH}\s+{_ORD_D}"
        rf"|(?P<number2>{_D})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<month2>{MONTH})){OF_YEAR}?",
        read_weekend_of,
    ),
    rule(
        rf"(?<![\d./-])(?P<y>{YEAR})(?P<sep>[-/.])(?P<m>0?[1-9]|1[0-2])(?P=sep)(?P<d>{_D})(?![\d-])",
        read_iso_date,
    ),
    rule(
        rf"(?<![\d./-])(?P<moment>{YEAR}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{{1,6}})?)?"
        r"(?:Z|[+-]\d\d:?\d\d)?)(?!\d)",
        read_iso_moment,
    ),
    rule(
        rf"(?<![\d./-])(?P<a>\d\d?)(?P<sep>[-/.])(?P<b>\d\d?)(?P=sep)(?P<y>{YEAR})(?![\d-])",
        read_slashed_date,
    ),
    rule(r"\bon\s+(?P<core>(?P<m>0?[1-9]|1[0-2])/(?P<d>\d\d?))(?![\d/])", read_short_date),
    rule(rf"(?<![\d./-])(?P<y>{YEAR})-(?P<m>0[1-9]|1[0-2])(?![\d-])", read_iso_month),
    # months and years
    rule(rf"\b{_MONTH}{OF_YEAR}", read_month),
    rule(rf"\b{WHICH}\s+{_MONTH}(?!\s+\d{{1,2}}\b)", read_month),
    rule(rf"\b{_BEFORE_MONTH}\s+(?P<core>{_MONTH})(?!\s+\d{{1,2}}\b)", read_month),
    rule(rf"\b{_THIRD}[\s-]+(?:in\s+)?{_MONTH}{OF_YEAR}?", read_month),
    rule(r"\b(?P<month>January|February|July|September|October|November|December)\b", read_month),
    rule(
        rf"\b(?:in|since|by|until|till|during|from|of|around|before|after|year|to|and|between)\s+"
        rf"(?P<core>(?P<year>{YEAR}))(?![\d:/.,-]*\d)",
        read_year_alone,
    ),
    rule(rf"\b{_THIRD}[\s-]+(?P<year>{YEAR})\b(?![-/])", read_year_alone),
    rule(rf"\b(?:{_THIRD}[\s-]+)?the\s+['’]?(?P<decade>(?:19|20)?\d0)['’]?s\b", read_decade),
    rule(rf"\b(?:{_THIRD}[\s-]+)?(?P<decade>(?:19|20)\d0)['’]?s\b", read_decade),
    rule(rf"\b(?:{WHICH}\s+)(?P<season>{SEASON})\b", read_season),
    rule(rf"\b(?:the\s+)?(?P<season>{SEASON}){OF_YEAR}", read_season),
    rule(
        rf"\b(?:in|over|during|for|by|since)\s+(?P<core>the\s+(?P<season>{SEASON}))\b", read_season
    ),
    rule(
        r"\b(?:the\s+)?(?P<ordinal>first|second|third|fourth|last|1st|2nd|3rd|4th)\s+"
        rf"(?P<what>{WEEKDAY}|weekend|week)\s+(?:of|in)\s+(?:{_MONTH}{OF_YEAR}?"
        r"|(?:the|(?P<which>this|last|next))\s+month\b)",
        read_counted_in_month,
    ),
    rule(
        rf"\b(?:on|by|until|before|from)\s+(?P<core>the\s+(?P<number>{_D})(?:st|nd|rd|th))\b"
        r"(?!\s+(?:of|floor|street|avenue|time|one|birthday|anniversary|day|century|grade|place))",
        read_nth_of_month,
    ),
    rule(rf"\b(?:{WHICH}\s+)?(?P<festival>{FESTIVAL})\b{OF_YEAR}?", read_festival),
    # clocks
    rule(
        rf"\b(?:at\s+)?(?P<core>(?P<hour>{HOUR})(?:[:.](?P<minute>[0-5]\d))?\s*(?P<half>[ap]m\b|[ap]\.m\b\.?))",
        read_clock,
    ),
    rule(
        r"(?<![\d:.])(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?![\d:])(?!\s*[ap]\.?m)",
        read_clock,
    ),
    rule(
        rf"\b(?P<hour>{HOUR})\s+o['’]clock(?:\s+(?:in\s+the|at)\s+(?P<part>morning|afternoon|evening|night))?\b",
        read_clock,
    ),
    rule(
        rf"\b(?P<hour>{HOUR})(?::(?P<minute>[0-5]\d))?\s+(?:in\s+the|at)\s+"
        r"(?P<part>morning|afternoon|evening|night)\b",
        read_clock,
    ),
    rule(
        rf"\b(?:a\s+)?(?P<share>half|quarter)\s+(?P<direction>past|to)\s+(?P<hour>{HOUR})\b",
        read_spoken_clock,
    ),
    rule(r"\bat\s+(?P<core>(?P<part>noon|midnight))\b", read_part),
    rule(r"\b(?P<part>morning|afternoon|evening|night|noon|midnight)\b", read_part, weak=True),
    rule(
        rf"\bat\s+(?P<core>(?P<hour>{HOUR}))(?![\d:%/]|\.\d|\s*[ap]\.?m)\b", read_clock, weak=True
    ),
]
