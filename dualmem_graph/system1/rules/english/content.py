"""Which words of a clause carry something, and which only point."""

from __future__ import annotations

import re

from dualmem_graph.system1.rules.english.words import LIGHT_ADVERBS
from dualmem_graph.system1.rules.wordlist import word_set

HOLLOW = word_set(
    "it this that them these those there here him her they he she one some so too very "
    "really much more most well good great nice fun amazing "
    "awesome cool bad better best lot lots thing things something anything everything "
    "nothing way time point stuff a an the to of in on at for with and "
    "or but by from as up out off down over back away around about into through my our "
    "their your his its myself themselves what how when where why "
    "who which is was were be been being has had have do does did not no never also "
    "hard just still while ago now all any both each every other same such than then now"
)
POINTING = re.compile(
    r"^\w+(?: \w+ly| up| out| off| down| back| over| into| to| at| about| with| for| of"
    r"| on| in| through)? (?:(?:it|them|him|her|there|here|one|everything|something"
    r"|stuff)\b|(?:this|that|these|those)(?=$|[ ,.](?:in|on|at|for|to|from|with|by|last"
    r"|yesterday|today|when|while|because|and|or|so|too|a|\d+|is|was|again|one|ones|way"
    r"|stuff|things?|myself|before|after|since|now)\b|[,.]))",
    re.IGNORECASE,
)
FEW_WORDS = 2


def content_words(text: str) -> list[str]:
    """The words of a text that say something of themselves, in lower case."""
    words = re.findall(r"[\w'-]+", text.lower())
    return [word for word in words if word not in HOLLOW and word not in LIGHT_ADVERBS]
