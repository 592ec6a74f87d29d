"""Which slot of a person's life a question asks about: "where do I live" asks for ``home``.

Statements carry the name of their slot (``Node.dimension``), so a question that shares no word
with its answer ("用户在市一医院当护士" for 我是做什么工作的) is still led to it. The names of the slots are
those of :mod:`dualmem_graph.system1.rules.dimensions`.
"""

from __future__ import annotations

import re

_PATTERNS: dict[str, str] = {
    "home": r"\b(?:live|lives|living|reside|address|home ?town now|based|move|moved|relocat\w+)\b"
    r"|住|居住|搬到|搬去|搬家|家在|地址|定居",
    "origin": r"\b(?:(?:am|is|are|was) \w+ from|come from|comes from|grew up|grow up|hometown|born in|"
    r"where \w+ (?:\w+ )?born|nationality)\b|哪里人|哪儿人|老家|家乡|故乡|籍贯|来自|出生在",
    "occupation": r"\b(?:for work|for a living|job|jobs|occupation|profession|career|work as)\b"
    r"|职业|工作|做什么的|上班|从事",
    "employer": r"\b(?:work|works|working|employer|company|employed|job|office)\b|公司|单位|上班|工作|任职|就职",
    "name": r"\b(?:my|user'?s?|the user'?s) (?:\w+ )?name\b|\bcalled\b|\bwho am i\b|叫什么|名字|姓名|怎么称呼|我是谁",
    "age": r"\bhow old\b|\b(?:my|user'?s) age\b|多大|几岁|年龄|年纪|岁数",
    "birthday": r"\bbirthday\b|\bborn\b|\bbirth ?date\b|\bdate of birth\b|生日|出生|哪天生|几号生",
    "school": r"\b(?:school|university|college|study|studied|studies|graduate\w*|degree|alma mater)\b"
    r"|学校|大学|毕业|就读|上学|读书|哪里念",
    "major": r"\b(?:major|majored|study|studied|studies|degree|field)\b|专业|学的|主修|读的",
    "relationship": r"\b(?:married|single|partner|husband|wife|boyfriend|girlfriend|spouse|dating|"
    r"relationship|engaged|divorced)\b|结婚|单身|对象|丈夫|妻子|老公|老婆|男朋友|女朋友|离婚|感情|恋爱",
    "diet": r"\b(?:diet|vegetarian|vegan|eat meat|eat|food)\b|饮食|吃素|吃肉|素食|忌口",
    "attitude": r"\b(?:like|likes|love|loves|enjoy|enjoys|hate|hates|dislike|dislikes|prefer\w*|afraid|"
    r"fear|fears|scared|interests?|hobby|hobbies|fond)\b|喜欢|讨厌|爱好|爱吃|爱喝|爱看|害怕|怕什么|兴趣|偏好|不爱",
    "favourite": r"\b(?:favou?rite|best liked|most like)\b|最喜欢|最爱|最爱的",
    "habit": r"\b(?:habit|habits|routine|usually|every (?:day|morning|week|sunday)|exercise|sport|sports|"
    r"work ?out)\b|习惯|平时|每天|每周|经常|运动|锻炼|作息",
    "pet": r"\b(?:pet|pets|dog|cat|puppy|kitten|animal|animals)\b|宠物|养了|猫|狗|养什么",
    "possession": r"\b(?:own|owns|have|bike|car|phone|instrument)\b|车|有什么|拥有|买了",
    "allergy": r"\ballerg\w*\b|过敏",
    "health": r"\b(?:health|ill|illness|sick|condition|disease|medication|medicine|injur\w+|pain|diagnos\w+)\b"
    r"|健康|身体|生病|什么病|吃药|受伤|症状|病",
    "skill": r"\b(?:skill|skills|speak|languages?|play|instrument|know how|good at|learn\w*)\b"
    r"|会说|擅长|语言|会什么|技能|乐器|会弹|会做|在学",
    "family": r"\b(?:family|sister|brother|mother|father|mom|mum|dad|parents?|son|daughter|child|children|"
    r"kids?|aunt|uncle|cousin|grand\w+|siblings?)\b"
    r"|家人|家里|妹妹|姐姐|弟弟|哥哥|妈妈|爸爸|父母|儿子|女儿|孩子|兄弟|姐妹|爷爷|奶奶|外公|外婆|表",
    "plan": r"\b(?:plan|plans|planning|going to|will|intend|next|upcoming|trip|goal|goals)\b"
    r"|计划|打算|准备|要去|安排|将要|目标",
    "trait": r"\b(?:personality|character|kind of person|describe)\b|性格|脾气|什么样的人",
}
_COMPILED = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in _PATTERNS.items()}

#: Slots that one person has once: their current value can be read by key.
SINGLE_SLOTS = frozenset(
    "home origin occupation employer name age birthday school major relationship diet".split()
)
_FIRST_PERSON = re.compile(r"\b(?:i|me|my|mine|myself|i'm|i've|user|user's)\b|我|咱|用户", re.I)


def dimensions_asked(question: str) -> frozenset[str]:
    """Name the slots that a question may ask about, without their keys.

    >>> sorted(dimensions_asked("where do I live")), sorted(dimensions_asked("我住在哪里"))
    (['home'], ['home'])
    """
    return frozenset(name for name, pattern in _COMPILED.items() if pattern.search(question))


def is_about_user(question: str) -> bool:
    """Say whether a question speaks of the user: in the first person, or as "the user"."""
    return _FIRST_PERSON.search(question) is not None
