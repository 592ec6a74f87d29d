"""Which slot of a person's life a question asks about: "where do I live" asks for ``home``.

Statements carry the name of their slot (``Node.dimension``), so a question that shares no word
with its answer (用户是护士 for 我做什么工作) is still led to it. The names of the slots are those
that System1 gives its statements.
"""

from __future__ import annotations

import re

#: Slot → the words of a question about it, English and Chinese.
_PATTERNS: dict[str, tuple[str, str]] = {
    "home": (
        r"live|lives|living|reside|address|based|move|moved|relocat\w+",
        "住|居住|搬到|搬去|搬家|家在|地址|定居",
    ),
    "origin": (
        r"(?:am|is|are|was) \w+ from|comes? from|gr[eo]w up|hometown|born in|nationality",
        "哪里人|哪儿人|老家|家乡|故乡|籍贯|来自|出生在",
    ),
    "occupation": (
        "for work|for a living|jobs?|occupation|profession|career|work as",
        "职业|工作|做什么的|上班|从事",
    ),
    "employer": (
        "work|works|working|employer|company|employed|job|office",
        "公司|单位|上班|工作|任职|就职",
    ),
    "name": (r"(?:my|user's) (?:\w+ )?name|called|who am i", "叫什么|名字|姓名|怎么称呼|我是谁"),
    "age": (r"how old|(?:my|user's) age", "多大|几岁|年龄|年纪|岁数"),
    "birthday": ("birthday|born|birth ?date|date of birth", "生日|出生|哪天生|几号生"),
    "school": (
        r"school|university|college|study|studied|studies|graduat\w+|degree",
        "学校|大学|毕业|就读|上学|读书",
    ),
    "major": ("majors?|majored|study|studied|studies|degree", "专业|学的|主修|读的"),
    "relationship": (
        "married|single|partner|husband|wife|boyfriend|girlfriend|spouse|dating|relationship"
        "|engaged|divorced",
        "结婚|单身|对象|丈夫|妻子|老公|老婆|男朋友|女朋友|离婚|感情|恋爱",
    ),
    "diet": ("diet|vegetarian|vegan|eat", "饮食|吃素|吃肉|素食|忌口"),
    "attitude": (
        r"likes?|loves?|enjoys?|hates?|dislikes?|prefer\w*|afraid|fears?|scared|interests?"
        "|hobby|hobbies|fond",
        "喜欢|讨厌|爱好|爱吃|爱喝|爱看|害怕|怕什么|兴趣|偏好|不爱",
    ),
    "favourite": ("favou?rite", "最喜欢|最爱"),
    "habit": (
        "habits?|routine|usually|every (?:day|week|morning)|exercise|sports?|work ?out",
        "习惯|平时|每天|每周|经常|运动|锻炼|作息",
    ),
    "pet": ("pets?|dogs?|cats?|puppy|kitten", "宠物|养了|猫|狗|养什么"),
    "possession": ("own|owns", "拥有|买了什么"),
    "allergy": (r"allerg\w*", "过敏"),
    "health": (
        r"health|ill|illness|sick|condition|disease|medication|medicine|injur\w+|diagnos\w+",
        "健康|身体|生病|什么病|吃药|受伤|症状",
    ),
    "skill": (
        r"skills?|speak|languages?|play|instrument|good at|learn\w*",
        "会说|擅长|语言|会什么|技能|乐器|会弹|在学",
    ),
    "family": (
        r"family|sisters?|brothers?|mother|father|mom|mum|dad|parents?|sons?|daughters?|child"
        r"|children|kids?|aunt|uncle|cousins?|grand\w+|siblings?",
        "家人|家里人|妹妹|姐姐|弟弟|哥哥|妈妈|爸爸|父母|儿子|女儿|孩子|兄弟|姐妹|爷爷|奶奶|外公|外婆",
    ),
    "plan": (
        "plans?|planning|going to|intend|upcoming|trip|goals?",
        "计划|打算|准备|要去|安排|将要|目标",
    ),
    "trait": ("personality|character|kind of person", "性格|脾气|什么样的人"),
}
_COMPILED = {
    slot: re.compile(rf"\b(?:{english})\b|{chinese}", re.IGNORECASE)
    for slot, (english, chinese) in _PATTERNS.items()
}

#: Slots that one person has once: their current value can be read by key.
SINGLE_SLOTS = frozenset(
    {
        "home",
        "origin",
        "occupation",
        "employer",
        "name",
        "age",
        "birthday",
        "school",
        "major",
        "relationship",
        "diet",
    }
)
#: Dimensions of profile entries are ``profile:<key>``.
_PROFILE = "profile:"
_SLOTS_OF_KEYS = {"location": "home"}
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


def slot_of(dimension: str | None) -> str | None:
    """Name the slot of a statement or of a profile entry: ``profile:location`` is ``home``."""
    if dimension is None or not dimension.startswith(_PROFILE):
        return dimension
    key = dimension.removeprefix(_PROFILE)
    return _SLOTS_OF_KEYS.get(key, key)
