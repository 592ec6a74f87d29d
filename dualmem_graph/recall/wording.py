"""How questions to a memory are worded, in English and Chinese.

An encoder puts "When did Caroline …" nearest to other questions of that form, so the words that
only ask are taken out of the text that is embedded; on long English conversations that doubles
the recall of the dense side, in Chinese it is worth eight points.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from dualmem_graph.text.chunks import sentences
from dualmem_graph.text.language import Language
from dualmem_graph.text.stopwords import ENGLISH, LONE_CHARACTERS

_WH = frozenset({"what", "when", "where", "who", "whom", "whose", "which", "why", "how"})
_AUXILIARIES = frozenset(
    {"do", "does", "did", "is", "are", "was", "were", "am", "be", "been", "being", "has", "have"}
    | {"had", "can", "could", "will", "would", "shall", "should", "may", "might", "must"}
)
_ARTICLES = frozenset({"a", "an", "the"})
_ASKING = _WH | _AUXILIARIES | _ARTICLES
#: What follows the auxiliary of a question ("do I …"), but hardly a name or verb ("Will sings").
_QUESTION_SUBJECTS = frozenset(
    {"i", "you", "he", "she", "it", "we", "they", "my", "your", "his", "her", "our", "their"}
    | {"the", "a", "an", "this", "that", "these", "there", "user", "any", "anyone", "someone"}
)
_WORD = re.compile(r"[^\W_]+(?:['’.&+#\-_/@:][^\W_]+)*[+#]*")
_POSSESSIVE = re.compile(r"['’]s$", re.I)
_CONTRACTED_WH = re.compile(r"\b(what|when|where|who|how|why)['’](?:s|re|d|ll|ve)\b", re.IGNORECASE)
_REQUEST = re.compile(
    r"^\W*(?:hey|hi|hello|so|well|and|ok(?:ay)?|please)?\W*"
    r"(?:(?:please|can you|could you|would you|will you|do you|i want to know|i wonder)\s+)*"
    r"(?:tell me|remind me|show me|remember|recall|know|find out|let me know)\b"
    r"(?:\s+(?:again|about|of|if|whether|that|please|everything about))*",
    re.IGNORECASE,
)
_REQUEST_ZH = re.compile(
    r"^(?:请问|请|麻烦)?(?:你|您)?(?:能不能|可不可以|能|可以)?(?:还)?(?:再)?"
    r"(?:告诉我|提醒我|帮我(?:想想|回忆一下|看看)|记不记得|记得|知不知道|知道|说说|讲讲|想想)(?:一下)?"
)
_ASKING_ZH = re.compile(
    r"是什么时候|什么时候|什么时间|是什么|什么样的?|什么|甚麼|什麼|为什么|为何|为啥|怎么样|怎么|怎麼|怎样"
    r"|如何|多少|哪里|哪裡|哪儿|哪个|哪些|哪天|哪年|哪位|哪一|哪|几点|几号|几个|几岁|多久|多长|多大|几"
    r"|是谁|谁|是不是|有没有|会不会|能不能|要不要|喜不喜欢|何时|何地|啥|请问|吗|呢|嘛|吧|呀|啊|[?？]"
)
_QUESTION_ZH = re.compile(
    r"[?？]|什么|甚麼|什麼|为何|为啥|怎么|怎麼|怎样|如何|多少|哪|几[个点号岁月天年次位]|多久|多长|多大"
    r"|谁|是不是|有没有|会不会|能不能|要不要|不喜欢吗|何时|啥|吗\W*$|呢\W*$"
)
#: Content characters that must be left for a stripped Chinese question to mean anything.
_LEAST_ZH = 2

_SELF_EN = re.compile(
    r"^\W*(?:(?:hey|hi|ok(?:ay)?|so|please|well)\W+)*(?:"
    r"(?:(?:can|could|would|will) you )?(?:please )?(?:tell|remind|show) me (?:again )?"
    r"(?:everything |all |what )?(?:you (?:know|remember|have(?: stored| saved)?) )?"
    r"about (?:me|myself)"
    r"|(?:what|how much|everything|all|anything)(?: all| else| exactly| things?)?(?: that)?"
    r"(?:(?: do| did| can| have) you| you(?:['’]ve)?)"
    r"(?: (?:actually|really|already|currently|still))?"
    r" (?:know|remember|learn(?:ed|t)?|recall|store[d]?|saved?|have|got|tell me)"
    r"(?: (?:in memory|on file|stored|saved))?(?: about| of| on) (?:me|myself)"
    r"|(?:do you|did you)(?: still| even)? (?:know|remember) (?:anything about )?me"
    r"|do you (?:still )?know who i am|who am i(?: to you)?"
    r"|(?:describe|summari[sz]e) (?:me|my profile|who i am)"
    r"|(?:what(?:['’]s| is) )?(?:in )?my (?:user )?profile"
    r"|what(?:['’]s| is) my (?:background|story)"
    r")(?: so far| now| already| again| please| right now| then)*\W*$",
    re.IGNORECASE,
)
#: All that a Chinese question for one's own profile is made of, longest first.
_SELF_WORDS_ZH = re.compile(
    r"什么样|有印象|关于|有关|告诉|说说|讲讲|介绍|总结|描述|列出|一下|知道|了解|记得|记住|记录|掌握"
    r"|认识|信息|事情|情况|资料|内容|档案|画像|个人|到底|现在|目前|究竟|已经|什么|哪些|多少|怎样"
    r"|所有|全部|一切|[你您我请对的地得都还存有些事是谁个人了吗呢啊呀吧]|[\W_]+"
)
_KNOWING_ZH = re.compile(
    r"知道|了解|记得|记住|记录|掌握|认识|印象|存了|信息|资料|档案|画像|介绍|总结|描述"
    r"|我是(?:谁|个?什么样的人|个?怎样的人)|(?:说说|讲讲)我"
)
_PLANS_EN = re.compile(
    r"\bwhat(?:['’]s| is| are| do i have| have i got|)\b.{0,20}\b(?:coming up|planned|scheduled|"
    r"on my (?:calendar|schedule|agenda|plate|to-?do list)|due|my (?:upcoming )?plans?)\b"
    r"|\b(?:do i have|have i(?: got)?|are there)\b.{0,12}\b(?:any |some )?(?:upcoming |other )?"
    r"(?:plans?|appointments?|reminders?|deadlines?|to-?dos?)\b"
    r"|\b(?:my|any) (?:upcoming |next )(?:plans?|appointments?|events?)\b"
    r"|\bwhat (?:should|must|do) i (?:need to |have to |remember to )?do (?:today|tomorrow|next|"
    r"this (?:week|weekend|month))\b"
    r"|\b(?:anything|something) i should (?:remember|not forget|do)\b"
    r"|\bwhat am i (?:planning|going to do|supposed to do)\b",
    re.IGNORECASE,
)
_PLANS_ZH = re.compile(
    r"(?:我|接下来|最近|今天|明天|后天|这周|下周|周末|下个?月|这个月|今年).{0,8}"
    r"(?:有(?:什么|哪些|啥|没有)?(?:新的?)?(?:计划|安排|打算|日程|待办|事要做|要做的事)|(?:的)?(?:计划|安排|日程|待办)"
    r"(?:是|有)(?:什么|哪些)|(?:打算|准备|计划|要|该)(?:做|干)(?:什么|啥|些什么))"
    r"|有(?:什么|哪些)(?:计划|安排|待办)|提醒我(?:要做|该做)"
)

#: A question for a fact of the asker's own life, and for no advice.
_OWN_LIFE_EN = re.compile(
    r"^\W*(?:(?:so|and|by the way|hey|ok(?:ay)?)\W+)*"
    r"(?:(?:what|where|who|whom|which|when (?:do|did|is|was|will|does)"
    r"|how (?:old|many|much|long|often))\b.*\b(?:i|my|me|user|user['’]s)\b"
    r"|(?:do|did|am|was|have|had) i\b|(?:is|are|was|were|does|did) my\b"
    r"|(?:is|was|does|did|has) (?:the )?user\b)",
    re.IGNORECASE,
)
_ADVICE_EN = re.compile(r"\b(?:should|could|can|would|if|think|better|suggest\w*)\b", re.I)
_OWN_LIFE_ZH = re.compile(
    r"(?:我|用户).*(?:哪|什么|谁|多少|几|多大|多久|吗|有没有|是不是)|(?:哪|什么|谁|几).*(?:我|用户)"
)
_ADVICE_ZH = re.compile(r"为什么|应该|怎么|如何|可以|能|要不要|觉得|建议|如果|怎样|好呢|好[?？]")
_HISTORY = re.compile(
    r"\b(?:used to|before|previous(?:ly)?|earlier|formerly|in the past|history|chang(?:e|es|ed)"
    r"|over time|no longer|evol\w+|originally)\b"
    r"|以前|之前|从前|过去|曾经?|原来|原先|历史|变化|改变|变了|变成|一直|起初|最初",
    re.IGNORECASE,
)

_SMALL_TALK_EN = (
    r"hi+|hey+|hello+|yo|hiya|howdy|greetings|good (?:morning|afternoon|evening|night|day)|morning"
    r"|evening|night(?: night)?|there|everyone|all|again|how are you(?: doing)?(?: today)?"
    r"|how(?:['’]s| is) it going|how do you do|how are things|what(?:['’]s| is) up|sup|wassup"
    r"|how(?:['’]s| is) your day(?: going)?|nice to (?:meet|see) you|long time no see"
    r"|welcome(?: back)?"
    r"|thanks?(?: you)?(?: so| very)?(?: much| a lot| a million)?|thank u|thx|ty|cheers"
    r"|much appreciated|you(?:['’]re| are) (?:welcome|great|awesome|the best)|no problem|no worries"
    r"|my pleasure|ok(?:ay)?|okey|k|sure|yes|yeah|yep|yup|no|nope|nah|cool|great|nice|awesome"
    r"|perfect|wonderful|fantastic|amazing|good|fine|alright|all right|right|got it|i see"
    r"|sounds good"
    r"|that(?:['’]s| is) (?:great|nice|cool|good|fine|awesome|all)|makes sense|indeed|exactly|wow"
    r"|oh|ah|uh|um|hm+|mm+|well|so|lol|lmao|rofl|ha(?:ha)+|he(?:he)+|bye(?: bye)?|goodbye|cya"
    r"|see you(?: later| soon| tomorrow| around)?|see ya|later|take care|sleep well|sweet dreams"
    r"|have a (?:nice|good|great|lovely) (?:day|one|evening|night|weekend|time)|ttyl"
    r"|talk to you later"
    r"|sorry|my bad|never ?mind|please|test(?:ing)?|are you there|anybody there|my friend|buddy|bro"
    r"|dear|mate|pal|dude|man|i(?:['’]m| am) (?:back|here|bored|good|fine|ok(?:ay)?)|and you"
    r"|to you too|you too|same here|happy (?:mon|tues|wednes|thurs|fri|satur|sun)day|today"
    r"|for (?:that|everything|your help|the help|helping)"
)
_SMALL_TALK_ZH = (
    r"你好+|您好|大家好|嗨+|嘿+|哈喽|哈啰|喂|早+|早安|早上好|上午好|中午好|下午好|晚上好|晚安|午安|在吗|在不在"
    r"|在么|你在吗|有人吗|你好吗|最近(?:还)?好吗|最近怎么样|过得(?:怎么样|好吗)|吃了吗|吃饭了吗|好久不见|很高兴认识你"
    r"|谢谢+|多谢|谢啦|谢了|感谢|非常感谢|太感谢了|辛苦了|麻烦你了|不客气|不用谢|没事|没关系|没问题|别客气"
    r"|好+|好的+|好呀|好吧|好嘞|好哒|可以|行+|行吧|嗯+|嗯哼|哦+|噢+|喔+|啊+|唉+|是的?|对+|对的|对呀|没错|不是|不|不用了?"
    r"|知道了|明白了?|懂了|收到|了解了?|原来如此|这样啊|是吗|真的吗|真的|太好了|太棒了|真棒|棒+|厉害|不错|挺好|哇+"
    r"|哈+|呵+|嘻+|嘿嘿|再见|拜+|拜拜|回见|回头见|明天见|下次见|待会见|一会儿见|慢走|保重|祝你(?:好运|开心|愉快)"
    r"|周末愉快|新年快乐|节日快乐|对不起|抱歉|不好意思|算了|没什么|测试一下?|随便聊聊|聊聊天?吧?|陪我聊聊天?|我回来了|我来了"
    r"|呀|啦|了|哦|啊|呢|吧|嘛|哒|你|您|亲|朋友|老师|大家|今天|你呢|你的帮助|帮忙|天气真好|今天天气真好"
)
_SMALL_TALK = re.compile(
    rf"(?:(?:(?<!\w)(?:{_SMALL_TALK_EN})(?!\w)|{_SMALL_TALK_ZH})[\W_]*)+", re.IGNORECASE
)
#: No small talk is longer, and the pattern need not be tried on a long text.
_LONGEST_SMALL_TALK = 120


def is_small_talk(text: str) -> bool:
    """Say whether a text only greets, thanks, agrees or takes leave: it asks memory nothing.

    >>> is_small_talk("Good morning! How are you?"), is_small_talk("早上好呀")
    (True, True)
    >>> is_small_talk("good morning, where did I park the car")
    False
    """
    core = text.strip("\n\t !.,?~、。，！？～…")
    if not core or len(core) > _LONGEST_SMALL_TALK:
        return False
    # Straight apostrophes and no leading emoji, so that the pattern starts at the first word.
    core = re.sub(r"^[\W_]+", "", core.replace("’", "'"))
    return bool(core) and _SMALL_TALK.fullmatch(core) is not None


def is_self_query(text: str) -> bool:
    """Say whether a text asks what is known about the asker.

    >>> is_self_query("What do you know about me?"), is_self_query("你了解我多少")
    (True, True)
    """
    if _SELF_EN.match(text):
        return True
    return "我" in text and not _SELF_WORDS_ZH.sub("", text) and bool(_KNOWING_ZH.search(text))


def asks_for_plans(text: str) -> bool:
    """Say whether a text asks what is planned or due.

    >>> asks_for_plans("What are my plans for next week?"), asks_for_plans("我接下来有什么安排？")
    (True, True)
    """
    return bool(_PLANS_EN.search(text) or _PLANS_ZH.search(text))


def asks_of_own_life(text: str, language: Language) -> bool:
    """Say whether a text is one question for a fact of the asker's life, rather than for advice.

    >>> asks_of_own_life("Where do I live?", "en"), asks_of_own_life("What should I wear?", "en")
    (True, False)
    """
    own, advice = (_OWN_LIFE_ZH, _ADVICE_ZH) if language == "zh" else (_OWN_LIFE_EN, _ADVICE_EN)
    bare = _without_request(text, language)
    return bool(own.search(bare)) and not advice.search(bare) and len(sentences(text)) == 1


def asks_for_history(text: str) -> bool:
    """Say whether a text asks how something was, or became what it is.

    >>> asks_for_history("Where did I live before?"), asks_for_history("我以前住在哪里")
    (True, True)
    """
    return _HISTORY.search(text) is not None


def is_question(text: str, language: Language) -> bool:
    """Say whether a text asks, with or without its question mark.

    >>> is_question("where do I live", "en"), is_question("I live in Porto", "en")
    (True, False)
    >>> is_question("我住在哪里", "zh"), is_question("我住在北京", "zh")
    (True, False)
    """
    if language == "zh":
        return bool(_QUESTION_ZH.search(text) or _REQUEST_ZH.match(text))
    if "?" in text or "？" in text or _REQUEST.match(text):
        return True
    words = [word.lower() for word in _WORD.findall(text)[:2]]
    if not words:
        return False
    if words[0] in _WH or words[0].partition("'")[0].partition("’")[0] in _WH:
        return True
    return len(words) > 1 and words[0] in _AUXILIARIES and words[1] in _QUESTION_SUBJECTS


def strip_question(text: str, language: Language, names: Collection[str] = ()) -> str:
    """Take out of a question what only asks, so that what it is about can be embedded.

    The participants' names become the first person: that is how their turns are written. Where
    too little would be left, the text comes back as it is.

    Args:
        text: a question.
        language: the language it is in.
        names: the names under which people speak in this scope.

    >>> strip_question("When did Caroline go to the museum?", "en", ["Caroline"])
    'I go to museum'
    >>> strip_question("我是什么时候搬家的？", "zh")
    '我搬家的'
    """
    if language == "zh":
        return _strip_chinese(text, names)
    return _strip_english(text, names)


def _without_request(text: str, language: Language) -> str:
    """Take "can you tell me" off a question."""
    if language == "zh":
        return _REQUEST_ZH.sub("", text.strip(), count=1)
    return _REQUEST.sub(" ", text, count=1).strip()


def _strip_english(text: str, names: Collection[str]) -> str:
    bare = _CONTRACTED_WH.sub(r"\1", _without_request(text, "en"))
    known = {name.casefold() for name in names}
    kept: list[str] = []
    says_something = False
    for word in _WORD.findall(bare):
        folded = word.casefold()
        if folded in known:
            kept.append("I")
        elif _POSSESSIVE.sub("", folded) in known:
            kept.append("my")
        elif folded not in _ASKING:
            kept.append(word)
            says_something = says_something or folded not in ENGLISH
    return " ".join(kept) if says_something else text


def _strip_chinese(text: str, names: Collection[str]) -> str:
    bare = _ASKING_ZH.sub("", _without_request(text, "zh"))
    for name in sorted(names, key=len, reverse=True):
        bare = bare.replace(name, "我")
    bare = bare.strip("，,。.！!、 ")
    content = [char for char in bare if char.isalnum() and char not in LONE_CHARACTERS]
    return bare if len(content) >= _LEAST_ZH else text
