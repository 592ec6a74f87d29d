"""English rules for where somebody lives and comes from."""

from __future__ import annotations

import re

from dualmem_graph.system1.rules import dimensions as dim
from dualmem_graph.system1.rules.english.drafts import Draft, Rule, View, cut, is_value, place, rule


def _home(match: re.Match[str], view: View) -> list[Draft]:
    value = place(match["v"])
    if not is_place(value):
        return []
    return [Draft(dim.HOME, value, view.negated)]


def _moved(match: re.Match[str], view: View) -> list[Draft]:
    value = place(match["v"])
    if not is_place(value) or view.negated:
        return []
    return [Draft(dim.HOME, value)]


_NO_PLACE = re.compile(
    r"^(?:it|that|this|there|here|fear|(?:\d+|two|three|four|five|six|seven|many|several"
    r"|different|various|a few|a lot of) .*|the (?:moment|past|present|world|middle|next"
    r"|same|new|bigger|top|second|final)|a (?:new|bigger|different|better|lovely"
    r"|beautiful|small|smaller|nice) (?:place|one|role|job|position|phase)"
    r"|the (?:us|next|new) .* (?:step|stage)|(?:my|their|his|her|our) own|peace|harmony"
    r"|pain|hope|debt|love|touch|(?:my|their) (?:head|mind|dreams?|own world)"
    r"|another .* (?:job|role|team)|next .*|a .* (?:team|role|department|world|dream)"
    r"|work|bed|sleep"
    r"|general|remote work|management|in with .*)$",
    re.IGNORECASE,
)


def is_place(value: str) -> bool:
    """Whether what follows "lives in" or "moved to" can be a place ("fear" and "it" cannot)."""
    return is_value(value) and not _NO_PLACE.match(value)


def _origin(match: re.Match[str], view: View) -> list[Draft]:
    value = place(match["v"])
    if (
        not is_place(value)
        or view.negated
        or re.match(r"(?:\d|work|home|school|the (?:same|gym))", value)
    ):
        return []
    return [Draft(dim.ORIGIN, value)]


def _hails(match: re.Match[str], view: View) -> list[Draft]:
    """ "is from X" wants a name: "is from work", "is from scratch" say no origin."""
    value = place(match["v"])
    spoken = cut(match["v"])
    capital = spoken[:1].isupper() or match["sure"] is not None
    if not capital and " " in spoken and not re.match(r"(?:a|the) ", spoken):
        return []
    return _origin(match, view) if value else []


def _left_home(match: re.Match[str], view: View) -> list[Draft]:
    value = place(match["v"])
    return [Draft(dim.HOME, value, True)] if is_place(value) and not view.negated else []


def _grew_up(match: re.Match[str], view: View) -> list[Draft]:
    value = place(match["v"])
    if view.negated or not is_place(value):
        return []
    if match["prep"].strip() == "in" and re.match(
        r"an? (?:\w+ )?(?:family|household|home)\b", value
    ):
        return [Draft(None)]
    return [Draft(dim.ORIGIN, value)]


RULES: tuple[Rule, ...] = (
    rule(
        r"was born (?:and raised )?(?:in|on|near) (?P<v>(?!(?:19|20)\d\d|\d|the (?:\d"
        r"|fifties|sixties|seventies|eighties|nineties)|(?:january|february|march|april|may"
        r"|june|july|august|september|october|november|december)\b).+)$",
        _origin,
    ),
    rule(
        r"(?:grew up|was raised|was brought up)\s+(?:as .+? )?(?P<prep>in |on "
        r"|near )(?P<v>.+)$",
        lambda m, v: _grew_up(m, v),
    ),
    rule(
        r"(?:(?:comes?|came|hails?) (?P<sure>from)"
        r"|is (?P<x>originally )?from)\s+(?P<v>.+)$",
        _hails,
    ),
    rule(
        r"(?:lives?|lived|resides?|is (?:living|based|residing|staying|located|settled)"
        r"|has been (?:living|based|residing)|has lived|is back)\s+(?:alone |together "
        r"|happily |full-time )?(?:in|near|outside(?: of)?|at|on)\s+(?P<v>.+)$",
        _home,
    ),
    rule(
        r"(?:lives?|is living|has been living|has lived)\s+(?:alone\s+|happily\s+"
        r"|together\s+)?with .+? in (?P<v>(?-i:[A-Z]).*)$",
        _home,
    ),
    rule(
        r"(?:lives|lived|is living|has been living|stays)\s+(?:alone|by (?:myself"
        r"|themselves)|on (?:my|their) own|(?:at home )?with (?:my|their|a|an|two|three|four"
        r"|(?-i:User))\b).*$",
        lambda m, v: [Draft(None, negated=v.negated)],
    ),
    rule(
        r"(?:moved|relocated|has (?:just )?(?:moved|relocated)|emigrated|immigrated"
        r"|moves)\s+(?:back |over |out |up |down |all the way )?(?:from .+? )?(?:to"
        r"|into)\s+(?P<v>.+)$",
        _moved,
    ),
    rule(
        r"(?:settled(?: down)?|has settled|bought a (?:house|flat|home|apartment|place)"
        r"|lives now)\s+in\s+(?P<v>.+)$",
        _moved,
    ),
    rule(r"moved (?:out of|away from)\s+(?P<v>(?-i:[A-Z]).*)$", _left_home),
)
