"""How queries are read: what asks, what is about, what memory is not asked at all."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from dualmem_graph.config import Settings
from dualmem_graph.recall.hints import dimensions_asked, is_about_user, slot_of
from dualmem_graph.recall.intent import understand
from dualmem_graph.recall.request import RecallRequest
from dualmem_graph.recall.wording import (
    asks_for_history,
    asks_for_plans,
    is_question,
    is_self_query,
    is_small_talk,
    strip_question,
)
from dualmem_graph.types import Scope, Turn

NOW = datetime(2025, 6, 1, tzinfo=UTC)
SCOPE = Scope("default", "u1")


def read(query: str = "", turns: list[tuple[str, str]] | None = None, **settings: object):
    messages = tuple(
        Turn(f"t{index}", index, role, text, NOW) for index, (role, text) in enumerate(turns or [])
    )
    request = RecallRequest(SCOPE, query, messages)
    return understand(request, Settings(**settings), NOW)


@pytest.mark.parametrize(
    "text",
    [
        "hi",
        "Good morning!",
        "hello there, how are you today?",
        "thanks a lot :)",
        "ok cool, see you tomorrow",
        "haha nice",
        "你好",
        "早上好呀！",
        "谢谢你的帮助",
        "好的，明白了",
        "哈哈哈",
        "晚安，明天见",
    ],
)
def test_small_talk_asks_memory_nothing(text):
    assert is_small_talk(text)
    assert read(text).is_empty


@pytest.mark.parametrize(
    "text",
    [
        "good coffee near my office",
        "good morning, where did I park the car?",
        "thanks to whom did I get the job",
        "hi-fi system",
        "nice",
        "你好好想想我妹妹住哪里",
        "好吃的餐厅",
        "谢谢那位医生叫什么",
        "",
        "👍",
    ],
)
def test_words_with_content_are_no_small_talk(text):
    assert is_small_talk(text) == (text == "nice")


@pytest.mark.parametrize(
    "text",
    [
        "What do you know about me?",
        "what do you remember about me so far",
        "Tell me everything you know about me.",
        "Who am I?",
        "do you remember me",
        "my profile",
        "How much do you know about me?",
        "你知道我什么",
        "你了解我多少？",
        "你都记得我哪些事情",
        "关于我你知道什么",
        "告诉我你知道的关于我的一切",
        "我是谁",
        "介绍一下我",
    ],
)
def test_self_queries_take_the_profile_route(text):
    assert is_self_query(text)
    assert read(text).route == "profile"


@pytest.mark.parametrize(
    "text",
    [
        "what do you know about my sister",
        "what do you know about Porto?",
        "who am I meeting tomorrow",
        "do you remember my cat's name",
        "你知道我妹妹住在哪里吗",
        "你记得我什么时候搬家的吗",
        "我是哪里人",
        "我喜欢什么",
    ],
)
def test_questions_about_something_are_no_self_queries(text):
    assert not is_self_query(text)


@pytest.mark.parametrize(
    "text",
    [
        "What are my plans for next week?",
        "do I have any appointments tomorrow",
        "what's coming up?",
        "我接下来有什么安排",
        "这周末我有什么计划？",
    ],
)
def test_questions_for_plans_take_the_proactive_route(text):
    assert asks_for_plans(text)
    assert read(text).route == "proactive"


@pytest.mark.parametrize("text", ["Where do I live?", "我的计划书写完了", "I planned a trip"])
def test_other_texts_take_the_normal_route(text):
    assert read(text).route == "normal"


def test_a_question_is_known_with_and_without_its_mark():
    asking = ["where do I live", "do I own a bike", "Tell me about Miso", "Ilka lives here?"]
    telling = ["I live in Porto", "Will plays the cello", "Ilka owns a kayak"]
    assert [is_question(text, "en") for text in asking] == [True] * 4
    assert [is_question(text, "en") for text in telling] == [False] * 3
    assert [is_question(text, "zh") for text in ["我住在哪里", "他有没有猫", "你喜欢茶吗"]] == [
        True
    ] * 3
    assert [is_question(text, "zh") for text in ["我住在北京", "他养了一只猫"]] == [False] * 2


@pytest.mark.parametrize(
    ("question", "names", "stripped"),
    [
        ("When did Caroline go to the museum?", ["Caroline"], "I go to museum"),
        ("What is Caroline's identity?", ["Caroline"], "my identity"),
        ("What is Caroline's identity?", [], "Caroline's identity"),
        ("Can you remind me where I parked the car?", [], "I parked car"),
        ("Where was I?", [], "Where was I?"),
    ],
)
def test_english_questions_lose_what_only_asks(question, names, stripped):
    assert strip_question(question, "en", names) == stripped


@pytest.mark.parametrize(
    ("question", "stripped"),
    [
        ("我妹妹住在哪里？", "我妹妹住在"),
        ("你记得我养了什么猫吗？", "我养了猫"),
        ("我多大了？", "我多大了？"),
        ("是谁？", "是谁？"),
    ],
)
def test_chinese_questions_lose_what_only_asks(question, stripped):
    assert strip_question(question, "zh") == stripped


def test_a_statement_is_embedded_as_it_is():
    assert read("User lives in the old town of Porto.").dense_text() == (
        "User lives in the old town of Porto."
    )


@pytest.mark.parametrize(
    ("question", "slot"),
    [
        ("where do I live", "home"),
        ("我住在哪里", "home"),
        ("what do I do for work?", "occupation"),
        ("我是做什么工作的", "occupation"),
        ("What's my name?", "name"),
        ("我叫什么名字", "name"),
        ("how old am I", "age"),
        ("我今年多大", "age"),
        ("am I married?", "relationship"),
        ("我结婚了吗", "relationship"),
        ("what am I allergic to", "allergy"),
        ("我对什么过敏", "allergy"),
    ],
)
def test_questions_are_led_to_the_slot_they_ask_about(question, slot):
    assert slot in dimensions_asked(question)
    assert is_about_user(question)


def test_a_profile_entry_has_the_slot_of_its_key():
    assert [slot_of(name) for name in ("profile:location", "profile:age", "pet:miso", None)] == [
        "home",
        "age",
        "pet:miso",
        None,
    ]


def test_history_is_told_only_where_it_is_asked_for():
    assert asks_for_history("Where did I live before?")
    assert asks_for_history("我以前住在哪里")
    assert not asks_for_history("Where do I live?")


@pytest.mark.parametrize("query", ["", "   ", "?!", "👍", "\ud800", "\x00"])
def test_unusual_queries_are_read_without_an_error(query):
    understanding = read(query)
    assert understanding.dense_text() in ("", "\ufffd")


def test_a_conversation_asks_as_a_whole():
    understanding = read(
        turns=[
            ("user", "I'm going to perform a magic trick at the party!"),
            ("assistant", "That is fantastic."),
            ("user", "I am a bit nervous."),
        ]
    )
    assert understanding.is_conversation
    assert understanding.focus.splitlines() == [
        "I'm going to perform a magic trick at the party!",
        "That is fantastic.",
        "I am a bit nervous.",
    ]


def test_only_the_last_turns_of_a_long_conversation_ask():
    turns = [("user", f"story number {number} about my garden") for number in range(50)]
    focus = read(turns=turns, recall_conversation_chars=100).focus
    assert focus.splitlines()[-1] == "story number 49 about my garden"
    assert len(focus) < 110


def test_a_question_about_oneself_at_the_end_of_a_conversation_asks_alone():
    understanding = read(
        turns=[
            ("user", "The weather was wild today, trees fell all over the park."),
            ("assistant", "I hope you are safe."),
            ("user", "Where do I live?"),
        ]
    )
    assert (understanding.focus, understanding.is_conversation) == ("Where do I live?", False)


def test_a_conversation_of_greetings_asks_nothing():
    assert read(turns=[("user", "hi"), ("assistant", "Hello!"), ("user", "how are you?")]).is_empty


def test_a_long_query_asks_with_its_last_question():
    small_talk = "It rained all day and the bus was late again. I had soup for lunch. "
    understanding = read(small_talk * 6 + "Where did I put the spare key?")
    assert understanding.focus == "Where did I put the spare key?"
    assert understanding.dense_text() == "I put spare key"
