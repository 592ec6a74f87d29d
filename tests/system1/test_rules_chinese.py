"""What the Chinese rules make of sentences, one behaviour a test."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from dualmem_graph.system1 import rules
from dualmem_graph.system1.rules import chinese
from dualmem_graph.system1.rules.findings import Person, Reading, SentenceContext
from dualmem_graph.types import BasicInfo, Candidate, Layer, MemoryType, Turn

ZONE = timezone(timedelta(hours=8))
SAID = datetime(2024, 5, 15, 10, 0, tzinfo=ZONE)  # a Wednesday
CONTEXT = SentenceContext(reference=SAID, zone=ZONE, turn_index=3, language="zh")


def candidates(sentence: str, ctx: SentenceContext = CONTEXT) -> list[Candidate]:
    return [finding.candidate for finding in chinese.read_sentence(sentence, ctx)]


def contents(sentence: str, ctx: SentenceContext = CONTEXT) -> list[str]:
    return [one.content for one in candidates(sentence, ctx)]


def turn(text: str, index: int = 0, role: str = "user", name: str | None = None) -> Turn:
    return Turn(f"t{index}", index, role, text, SAID, name=name)


def test_a_clause_without_a_subject_goes_on_about_the_one_before() -> None:
    assert contents("我上个月从北京搬到了上海，在一家游戏公司做设计") == [
        "用户2024年4月从北京搬到了上海。",
        "用户在一家游戏公司工作。",
        "用户在一家游戏公司做设计。",
    ]


def test_a_candidate_carries_layer_dimension_value_time_quote_and_turn() -> None:
    (one,) = candidates("我上个月从北京搬到了上海。")
    assert one.event is not None
    assert one == Candidate(
        content="用户2024年4月从北京搬到了上海。",
        layer=Layer.FACT,
        memory_type=MemoryType.EPISODIC,
        subject="user",
        turn_index=3,
        tags=("home",),
        dimension="home",
        value="上海",
        event=one.event,
        quote="上个月从北京搬到了上海",
    )
    assert one.event.start == datetime(2024, 4, 1, tzinfo=ZONE).astimezone(UTC)
    assert one.event.end == datetime(2024, 5, 1, tzinfo=ZONE).astimezone(UTC)


def test_a_relative_of_the_speaker_is_the_subject_of_their_own_facts() -> None:
    found = candidates("我妈是护士，不吃辣")
    assert [(one.subject, one.layer, one.dimension, one.negated) for one in found] == [
        ("用户的妈妈", Layer.FACT, "occupation", False),
        ("用户的妈妈", Layer.FACT, "habit:吃辣", True),
    ]


def test_a_friends_fact_is_under_the_friends_name_and_fills_no_profile() -> None:
    findings = chinese.read_sentence("我表哥阿杰怕高，他周五来", CONTEXT)
    assert [(f.candidate.subject, f.candidate.content) for f in findings] == [
        ("阿杰", "用户的表哥阿杰怕高。"),
        ("阿杰", "阿杰2024年5月17日来。"),
    ]
    assert [f.basic_info for f in findings] == [(), ()]
    assert findings[0].people == (Person("阿杰", "he"),)


def test_a_pronoun_answers_to_the_person_of_the_sentence_before() -> None:
    ctx = replace(CONTEXT, people=(Person("小敏", "she"), Person("阿杰", "he")))
    assert contents("他养了两只猫", ctx) == ["阿杰养了两只猫。"]
    assert contents("她在深圳当护士", ctx)[-1] == "小敏在深圳当护士。"


def test_a_pronoun_that_nobody_answers_to_yields_nothing() -> None:
    assert contents("她在深圳当护士") == []


def test_a_named_speaker_is_the_subject_and_owns_the_relatives() -> None:
    ctx = replace(CONTEXT, subject="王磊")
    found = candidates("我住在成都，我妈住在绵阳", ctx)
    assert [(one.subject, one.content) for one in found] == [
        ("王磊", "王磊住在成都。"),
        ("王磊的妈妈", "王磊的妈妈住在绵阳。"),
    ]


@pytest.mark.parametrize(
    ("sentence", "dimension", "value"),
    [
        ("我不住在南京了", "home", "南京"),
        ("我以前住在大连", "home", "大连"),
        ("我已经不在腾讯了", "employer", "腾讯"),
        ("我离职了", "employer", None),
        ("我戒烟了", "habit:抽烟", "yes"),
        ("我现在不跑步了", "habit:跑步", "yes"),
        ("我不再喜欢喝可乐了", "attitude:可乐", "like"),
        ("我不吃素了", "diet", "素食"),
        ("我把车卖了", "possession:车", "yes"),
        ("不打算买房了", "plan:买房", "yes"),
    ],
)
def test_what_ends_is_a_negated_statement(sentence: str, dimension: str, value: str | None) -> None:
    (one,) = candidates(sentence)
    assert (one.dimension, one.value, one.negated) == (dimension, value, True)


def test_profile_entries_follow_what_holds() -> None:
    def profile(sentence: str) -> list[BasicInfo]:
        return [e for f in chinese.read_sentence(sentence, CONTEXT) for e in f.basic_info]

    assert profile("我叫李娜，今年28岁") == [
        BasicInfo("name", "李娜", 3),
        BasicInfo("age", "28", 3),
    ]
    assert profile("我不住在南京了") == [BasicInfo("location", None, 3)]
    # What ended long ago says nothing of the city that the profile holds now.
    assert profile("我以前住在南京") == []


def test_likings_coexist_and_a_list_is_one_statement_each() -> None:
    found = candidates("我喜欢咖啡、红茶和可可，但是不喜欢可乐")
    assert [(one.dimension, one.value) for one in found] == [
        ("attitude:咖啡", "like"),
        ("attitude:红茶", "like"),
        ("attitude:可可", "like"),
        ("attitude:可乐", "dislike"),
    ]


def test_a_correction_within_a_sentence_keeps_the_right_value_only() -> None:
    assert contents("我不是医生，我是药剂师") == ["用户是药剂师。"]
    assert contents("我生日是8月12日不是8月10日") == ["用户的生日是8月12日。"]
    assert contents("说错了，其实我住在无锡") == ["用户住在无锡。"]


def test_a_bare_correction_changes_what_was_said_before() -> None:
    said = Candidate("用户住在北京。", Layer.FACT, dimension="home", value="北京")
    findings = chinese.read_sentence("不是北京，是南京", replace(CONTEXT, earlier=lambda: (said,)))
    assert [(f.candidate.content, f.candidate.value) for f in findings] == [
        ("用户住在南京。", "南京")
    ]
    assert findings[0].basic_info == (BasicInfo("location", "南京", 3),)


@pytest.mark.parametrize(
    ("asked", "answer", "content"),
    [
        ("你现在住在哪个城市？", "上海", "用户住在上海。"),
        ("怎么称呼你？", "叫我老周就行", "用户叫老周。"),
        ("你多大了？", "34", "用户34岁。"),
        ("你喜欢吃辣吗？", "不太喜欢", "用户不太喜欢吃辣。"),
        ("你养宠物吗？", "有一只布偶", "用户养了一只布偶。"),
    ],
)
def test_a_short_answer_is_read_with_its_question(asked: str, answer: str, content: str) -> None:
    assert contents(answer, replace(CONTEXT, asked=asked)) == [content]


@pytest.mark.parametrize(
    "sentence",
    [
        "你住在哪里？",
        "我应该搬到上海吗？",
        "我应该留在北京，还是去上海？",
        "我住在哪来着",
        "如果我住在巴黎就好了",
        "要是我有一百万，我就买房",
        "我差点搬去深圳",
        "帮我写一封辞职信",
        "写一个关于我养了一只龙的故事",
        "“我喜欢你”用日语怎么说",
        "他在书里写道：“我住在瓦尔登湖边。”",
        '```\nname = "我叫张三"\n```',
        "我可能要搬去深圳",
        "听说北京要下雪",
        "我觉得你说得对",
        "我喜欢你的回答",
        "今天是周三",
        "水的沸点是100度",
        "我要去睡觉了",
    ],
)
def test_what_states_nothing_about_a_life_is_refused(sentence: str) -> None:
    assert contents(sentence) == []


def test_what_stands_before_a_question_or_an_order_is_still_said() -> None:
    assert contents("我不吃辣，有什么推荐的吗？") == ["用户不吃辣。"]
    assert contents("我住在成都，帮我找几家火锅店") == ["用户住在成都。"]


def test_a_word_on_oneself_counts_and_a_word_on_the_speaker_does_not() -> None:
    assert contents("小李说他下个月去日本") == ["小李2024年6月去日本。"]
    assert contents("我妈说我小时候很调皮") == []
    assert contents("医生说我血压偏高") == ["用户血压偏高。"]


def test_titles_addresses_and_numbers_come_back_as_written() -> None:
    (liking,) = candidates("我喜欢《红楼梦》")
    assert (liking.dimension, liking.content) == ("attitude:红楼梦", "用户喜欢《红楼梦》。")
    assert contents("我的邮箱是li.na@example.com") == ["用户的邮箱是li.na@example.com。"]


def test_spaces_and_emoji_part_clauses_as_commas_do() -> None:
    assert contents("我人在上海😂 做UI的") == ["用户人在上海。", "用户做UI的。"]
    assert contents("我在 Google 做 PM") == ["用户在Google工作。", "用户在Google做PM。"]


def test_traditional_characters_are_read_and_kept() -> None:
    found = candidates("我媽媽是護士，她對蝦過敏")
    assert [(one.subject, one.dimension, one.content) for one in found] == [
        ("用户的媽媽", "occupation", "用户的媽媽是護士。"),
        ("用户的媽媽", "allergy:蝦", "用户的媽媽對蝦過敏。"),
    ]
    assert chinese.asks_to_forget("忘掉我的地址") == "我的地址"


def test_what_is_asked_to_be_remembered_is_kept_even_where_no_rule_knows_it() -> None:
    assert contents("记住我的停车位是B203") == ["用户的停车位是B203。"]
    (one,) = candidates("请记住，我只接受靠窗的座位")
    assert (one.content, one.layer, one.tags) == (
        "用户只接受靠窗的座位。",
        Layer.FACT,
        ("note",),
    )


@pytest.mark.parametrize(
    ("text", "payload"),
    [
        ("帮我记一下，周五下午三点开会", "周五下午三点开会"),
        ("别忘了我对青霉素过敏", "我对青霉素过敏"),
        ("我对芒果过敏，帮我记一下", "我对芒果过敏"),
        ("你记住了吗？", None),
        ("我记住了", None),
        ("你还记得我叫什么吗", None),
    ],
)
def test_requests_to_remember(text: str, payload: str | None) -> None:
    assert chinese.asks_to_remember(text) == payload


@pytest.mark.parametrize(
    ("text", "payload"),
    [
        ("忘掉我的地址", "我的地址"),
        ("把我的手机号删掉", "我的手机号"),
        ("不要记住我刚说的话", "我刚说的话"),
        ("我忘了带伞", None),
        ("我想忘掉她", None),
        ("别忘了明天开会", None),
    ],
)
def test_requests_to_forget(text: str, payload: str | None) -> None:
    assert chinese.asks_to_forget(text) == payload


@pytest.mark.parametrize(
    "text",
    [
        "你好",
        "谢谢啦！",
        "好的",
        "哈哈哈哈",
        "晚安～",
        "收到",
        "嗯嗯",
        "👍👍",
        "",
        "好的，谢谢，晚安",
        "今天天气不错",
        "你会什么？",
        "帮我写首诗",
        "我想问一下",
    ],
)
def test_small_talk_is_known(text: str) -> None:
    assert chinese.is_small_talk(text)


@pytest.mark.parametrize("text", ["我住在北京", "好的，我叫李娜", "上周我摔了一跤"])
def test_what_holds_a_life_is_no_small_talk(text: str) -> None:
    assert not chinese.is_small_talk(text)


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("把这段翻译成英文：我住在北京", ""),
        ("帮我润色一下：\n我是一名护士。\n我喜欢猫。", ""),
        ("我住在成都。帮我改改这句话：我住在北京", "我住在成都。"),
        ("假装你是海盗。我叫红胡子。", ""),
        ("> 我住在北京\n不是我说的", "不是我说的"),
        ("我是写小说的，笔名：云起", "我是写小说的，笔名：云起"),
    ],
)
def test_handed_over_material_is_not_the_speakers_own(text: str, own: str) -> None:
    assert chinese.own_words(text) == own


@pytest.mark.parametrize(
    ("content", "reading"),
    [
        ("用户住在上海。", Reading("user", "home", "上海")),
        ("用户现居杭州", Reading("user", "home", "杭州")),
        ("用户于2024年4月从北京搬到上海。", Reading("user", "home", "上海")),
        ("用户已不再住在北京。", Reading("user", "home", "北京", negated=True)),
        ("用户讨厌香菜", Reading("user", "attitude:香菜", "dislike")),
        ("该用户是一名软件工程师。", Reading("user", "occupation", "软件工程师")),
        ("用户目前在字节跳动担任产品经理。", Reading("user", "occupation", "产品经理")),
        ("用户养了一只叫年糕的猫。", Reading("user", "pet:年糕", "猫")),
        ("用户的妈妈是护士。", Reading("用户的妈妈", "occupation", "护士")),
        ("阿杰怕高", Reading("阿杰", "attitude:高", "fear")),
        ("林小雨住在纽约。", Reading("林小雨", "home", "纽约")),
        ("Caroline喜欢画画。", Reading("Caroline", "attitude:画画", "like")),
        ("用户2024年5月14日去看了《奥本海默》。", None),
        ("今天下雨。", None),
    ],
)
def test_statements_are_read_back(content: str, reading: Reading | None) -> None:
    assert chinese.read_statement(content) == reading


def test_extract_reads_turns_and_leaves_context_and_the_assistant_alone() -> None:
    extraction = rules.extract(
        [
            replace(turn("我住在北京", 0), is_context=True),
            turn("我喜欢磨刀石，我住在巴黎", 1, role="assistant"),
            turn("我表哥阿杰怕高。他周五来。我最近住在大连。", 2),
        ]
    )
    assert [one.content for one in extraction.candidates] == [
        "用户的表哥阿杰怕高。",
        "阿杰2024年5月17日来。",
        "用户最近住在大连。",
    ]
    assert extraction.basic_info == (BasicInfo("location", "大连", 2),)
    assert not extraction.is_ephemeral


def test_extract_calls_courtesies_ephemeral() -> None:
    extraction = rules.extract([turn("好的，谢谢，晚安")])
    assert extraction.candidates == ()
    assert extraction.is_ephemeral


def test_two_named_speakers_speak_for_themselves_and_of_each_other() -> None:
    extraction = rules.extract(
        [turn("我养了一只猫", 0, name="陈晨"), turn("你怕狗，我怕蛇", 1, name="吴越")]
    )
    assert [(one.subject, one.content) for one in extraction.candidates] == [
        ("陈晨", "陈晨养了一只猫。"),
        ("陈晨", "陈晨怕狗。"),
        ("吴越", "吴越怕蛇。"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "啊" * 50000,
        "我喜欢" * 20000,
        "他想吃饭他想睡觉" * 5000,
        "\n" * 50000,
        "a" * 50000 + "我",
        "“" * 50000,
        "记住" + "天" * 50000,
        "我住在北京，" * 2000,
    ],
)
def test_long_and_endless_text_is_read_in_linear_time(text: str) -> None:
    extraction = rules.extract([turn(text)], language="zh")
    assert len(extraction.candidates) <= 1
