"""What a search finds, over a real store."""

from __future__ import annotations

from datetime import timedelta

import pytest
from langchain_core.embeddings import Embeddings
from recall_memory import NOW, TableEmbeddings, unit

from dualmem_graph.errors import EmbeddingMismatchError, FilterError, InputError, LimitError
from dualmem_graph.providers.embeddings import make_embedder
from dualmem_graph.recall.request import RecallDeps, RecallRequest
from dualmem_graph.recall.run import recall_items
from dualmem_graph.testing import HashEmbeddings
from dualmem_graph.types import Granularity, Layer, Status, TimeSpan, Turn, UpdateType

ODD_QUERIES = [
    "",
    "   ",
    "?!",
    "👍",
    "👍👍",
    "\x00",
    "\ud800",
    "a",
    "的",
    '"',
    "AND OR NOT *",
    "'; --",
]


@pytest.mark.parametrize("query", ODD_QUERIES)
def test_odd_queries_of_an_empty_memory_find_nothing(memory, query):
    outcome = memory.recall(query)
    assert (outcome.items, outcome.degraded) == ([], ())


@pytest.mark.parametrize("query", ODD_QUERIES)
def test_odd_queries_never_raise(memory, query):
    memory.turn("👍👍")
    memory.node("owns a kayak")
    assert len(memory.recall(query).items) <= 2


def test_an_emoji_finds_the_memory_that_holds_it(memory):
    memory.turn("👍👍")
    memory.node("owns a kayak")
    assert memory.contents("👍") == ["👍👍"]


def test_a_blank_query_finds_nothing(memory):
    memory.node("owns a kayak")
    assert memory.contents("") == memory.contents("  \n") == []


def test_one_memory_alone_is_found_by_its_word(words_decide):
    words_decide.node("owns a kayak")
    [item] = words_decide.recall("kayak", explain=True).items
    assert item.content == "owns a kayak"
    assert item.score_details["bm25"] > 0


def test_words_decide_where_all_vectors_are_the_same(words_decide):
    words_decide.node("owns a kayak", days_ago=1)
    words_decide.node("owns a loom")
    assert words_decide.contents("kayak") == ["owns a kayak", "owns a loom"]
    scores = [item.score for item in words_decide.recall("owns").items]
    assert scores[0] == pytest.approx(scores[1])


@pytest.mark.parametrize("text", ["User keeps bees behind the old mill.", "用户在旧磨坊后面养蜂。"])
def test_the_same_text_scores_one(memory, text):
    memory.node(text)
    memory.node("User plays chess with Tobin.")
    best = memory.recall(text).items[0]
    assert best.content == text
    assert best.score == pytest.approx(1, abs=0.01)


def test_cosines_order_results_and_the_threshold_cuts_scores(open_memory):
    table = {
        "near": unit(0.95, 0.31, 0),
        "half": unit(0.5, 0.87, 0),
        "far": unit(0.05, 1, 0),
        "wanted": unit(1, 0, 0),
    }
    memory = open_memory(table, other=unit(0, 0, 1), reader_mode="semantic")
    for text in ("far", "near", "half"):
        memory.node(text)
    found = memory.recall("wanted").items
    assert [item.content for item in found] == ["near", "half"]
    assert [item.score for item in found] == pytest.approx([0.95, 0.5], abs=0.01)
    assert memory.contents("wanted", threshold=0.6) == ["near"]


def test_a_query_unlike_everything_finds_nothing(open_memory):
    memory = open_memory({"unheard of": unit(1, 0, 0, 0)})
    for number in range(30):
        memory.node(f"fact number {number}")
    assert memory.contents("unheard of") == []


@pytest.mark.parametrize("greeting", ["good morning", "Hi there!", "谢谢", "早上好"])
def test_greetings_find_nothing(words_decide, greeting):
    words_decide.node("User runs every morning.")
    words_decide.node("用户早上喝咖啡。")
    assert words_decide.contents(greeting) == []


def test_a_weak_match_is_an_answer_only_to_a_question_about_someone(open_memory):
    table = {"jazz festivals": unit(0.2, 1), "My trumpets": unit(0.2, 1), "note": unit(1, 0)}
    table["I trumpets"] = table["My trumpets"]
    memory = open_memory(table, other=unit(0, 0, 1))
    memory.node("note")
    assert memory.contents("jazz festivals") == []
    assert memory.contents("where do I trumpets") == ["note"]


def test_memories_of_one_user_are_never_those_of_another(memory):
    other = memory.as_user("tobin")
    old = other.node("Tobin lives in zanzibar.")
    other.node("Tobin moved to zanzibar town.", replaces=[old])
    other.turn("zanzibar is my home")
    memory.node("Ilka lives in Porto.")
    memory.turn("Porto is my home")
    for query in ("zanzibar", "home", "what do you know about me", "where do I live"):
        for request in ({}, {"include_superseded": True}, {"as_of": NOW + timedelta(days=1)}):
            assert not any("zanzibar" in text for text in memory.contents(query, **request))


def test_one_entry_per_chain_with_all_versions_newest_first(memory):
    first = memory.node("User lives in Riga.", days_ago=30)
    second = memory.node("User lives in Oslo.", days_ago=20, replaces=[first])
    third = memory.node("User lives in Porto.", days_ago=10, replaces=[second])
    [item] = memory.recall("User lives in").items
    assert (item.memory_id, item.head_id, item.status) == (third, third, Status.ACTIVE)
    assert [version.content for version in item.evolution_chain] == [
        "User lives in Porto.",
        "User lives in Oslo.",
        "User lives in Riga.",
    ]
    assert [version.update_type for version in item.evolution_chain] == [
        UpdateType.OVERRIDE,
        UpdateType.OVERRIDE,
        None,
    ]


def test_a_memory_without_versions_has_no_chain(memory):
    memory.node("User owns a kayak.")
    [item] = memory.recall("kayak").items
    assert item.evolution_chain is None


def test_a_word_of_an_earlier_version_leads_to_the_head(memory):
    old = memory.node("User lives in Riga.", days_ago=9)
    memory.node("User settled by the sea.", replaces=[old])
    [item] = memory.recall("Riga", explain=True).items
    assert item.content == "User settled by the sea."
    assert item.score_details["via"] == old


def test_earlier_versions_are_items_of_their_own_on_request(memory):
    old = memory.node("User lives in Riga.", days_ago=9)
    new = memory.node("User lives in Porto.", replaces=[old])
    found = memory.recall("User lives in Riga.", include_superseded=True).items
    assert [(item.memory_id, item.status, item.head_id) for item in found] == [
        (old, Status.SUPERSEDED, new),
        (new, Status.ACTIVE, new),
    ]


def test_as_of_answers_with_what_was_current_then(memory):
    old = memory.node("User lives in Riga.", days_ago=30)
    memory.node("User lives in Porto.", days_ago=10, replaces=[old])
    for days_ago, expected in [
        (40, []),
        (20, ["User lives in Riga."]),
        (5, ["User lives in Porto."]),
    ]:
        as_of = NOW - timedelta(days=days_ago)
        assert memory.contents("User lives in", as_of=as_of) == expected


def test_time_range_keeps_what_happened_within_it(memory):
    may = TimeSpan(NOW - timedelta(days=30), NOW - timedelta(days=29), Granularity.DAY)
    memory.node("User climbed a hill.", event=may)
    memory.node("User climbed a tower.", days_ago=2)
    until = NOW - timedelta(days=20)
    assert memory.contents("climbed", time_range=(None, until)) == ["User climbed a hill."]
    assert memory.contents("climbed", time_range=(until, None)) == ["User climbed a tower."]


def test_filters_narrow_before_the_limit(words_decide):
    words_decide.node("User saw a heron at the lake.", metadata={"trip": "spring"}, days_ago=90)
    for number in range(150):
        words_decide.node(f"User saw heron number {number}.", metadata={"trip": "autumn"})
    found = words_decide.contents("heron", filters={"metadata": {"trip": "spring"}}, top_k=3)
    assert found == ["User saw a heron at the lake."]


def test_an_unknown_filter_is_refused(memory):
    with pytest.raises(FilterError, match="colour"):
        memory.recall("kayak", filters={"colour": "red"})


def test_layers_narrow(memory):
    memory.node("User owns a kayak.")
    memory.node("User likes the kayak.", Layer.IDENTITY)
    assert memory.contents("kayak", layers=(Layer.IDENTITY,)) == ["User likes the kayak."]


def test_the_fact_stands_for_its_turn_and_names_it(memory):
    turn = memory.turn("I bought a red kayak in May.", name="Ilka")
    memory.node("User bought a red kayak in May.", turn=turn)
    [item] = memory.recall("red kayak").items
    assert item.layer is Layer.FACT
    [source] = item.sources
    assert (source.turn_id, source.name, source.role) == (turn, "Ilka", "user")


def test_turns_are_found_where_they_are_asked_for(memory):
    turn = memory.turn("I bought a red kayak in May.")
    memory.node("User bought a red kayak in May.", turn=turn)
    [item] = memory.recall("red kayak", layers=(Layer.RAW,)).items
    assert (item.memory_id, item.sources[0].turn_id) == (turn, turn)


def test_a_turn_speaks_for_itself_where_its_fact_is_about_something_else(memory):
    turn = memory.turn("I paddled my red kayak to the lighthouse, and my sister is called Ana.")
    memory.node("User's sister is Ana.", turn=turn)
    assert memory.recall("red kayak lighthouse").items[0].memory_id == turn


def test_coexisting_statements_of_one_turn_are_both_found(memory):
    turn = memory.turn("I like coffee and I like tea.")
    memory.node("User likes coffee.", Layer.IDENTITY, turn=turn)
    memory.node("User likes tea.", Layer.IDENTITY, turn=turn)
    assert sorted(memory.contents("User likes")) == ["User likes coffee.", "User likes tea."]


def test_a_turn_whose_statement_was_replaced_gives_way_to_the_head(memory):
    old_turn = memory.turn("I live in Riga.", days_ago=9)
    old = memory.node("User lives in Riga.", days_ago=9, turn=old_turn, dimension="home")
    new_turn = memory.turn("I moved to Porto.")
    memory.node("User lives in Porto.", turn=new_turn, replaces=[old], dimension="home")
    assert memory.contents("where do I live") == ["User lives in Porto."]


def test_a_deleted_statement_does_not_return_through_its_turn(memory):
    turn = memory.turn("I am allergic to walnuts.")
    fact = memory.node("User is allergic to walnuts.", turn=turn)
    memory.store.delete(memory.scope, fact, chain=False, actor="test", reason="")
    assert memory.contents("allergic to walnuts") == []


@pytest.mark.parametrize("query", ["what do you know about me?", "你知道我什么"])
def test_self_queries_find_the_profile(memory, query):
    fact = memory.node("User lives in Porto.", dimension="home")
    memory.node("location: Porto", Layer.BASIC_INFO, dimension="profile:location", turn=fact)
    memory.node("User loves sailing.", Layer.IDENTITY)
    memory.node("Tobin loves chess.", Layer.IDENTITY, subject="Tobin")
    outcome = memory.recall(query)
    assert outcome.route == "profile"
    assert [item.content for item in outcome.items] == ["location: Porto", "User loves sailing."]


def test_facts_stand_in_for_a_profile_that_is_not_there(memory):
    memory.node("User adopted a parrot.")
    outcome = memory.recall("what do you know about me?")
    assert (outcome.route, [item.content for item in outcome.items]) == (
        "profile",
        ["User adopted a parrot."],
    )


def test_a_self_query_of_an_empty_memory_finds_nothing(memory):
    assert memory.recall("what do you know about me?").items == []


@pytest.mark.parametrize("query", ["what are my plans?", "我有什么计划"])
def test_plans_come_first_where_they_are_asked_for(memory, query):
    def within(days: int) -> TimeSpan:
        return TimeSpan(NOW + timedelta(days=days), NOW + timedelta(days=days + 1), Granularity.DAY)

    memory.node("User plans to visit Riga.", Layer.INTENTION, event=within(9))
    memory.node("User planned to fix the roof.", Layer.INTENTION, event=within(-9))
    memory.node("User has big plans.")
    outcome = memory.recall(query)
    assert outcome.route == "proactive"
    assert outcome.items[0].content == "User plans to visit Riga."


def test_a_profile_entry_is_not_told_beside_its_fact(memory):
    fact = memory.node("User lives in Porto.", dimension="home", value="Porto")
    memory.node(
        "location: Porto",
        Layer.BASIC_INFO,
        dimension="profile:location",
        value="Porto",
        turn=fact,
    )
    assert memory.contents("Porto") == ["User lives in Porto."]


CJK = [
    "我去年在大理学会了扎染",
    "我喜欢在周末染布",
    "他扎了一个很大的风筝",
    "妹妹在成都读大学",
    "我养了一只橘猫",
    "昨天和同事去爬山",
    "我对花生过敏",
    "用PostgreSQL做备份",
    "発表は来週の金曜日です",
    "저는 서울에서 피아노를 배웁니다",
    "see NOTES.rst for v2.3.1",
]


@pytest.mark.parametrize(
    ("query", "place"),
    [("扎染", 0), ("橘猫", 4), ("postgresql", 7), ("金曜", 8), ("서울", 9), ("NOTES.rst", 10)],
)
def test_unspaced_scripts_and_identifiers_are_found_by_their_words(words_decide, query, place):
    for text in CJK:
        words_decide.node(text)
    assert words_decide.contents(query)[0] == CJK[place]


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("where do I live", "User lives in Porto."),
        ("Where does the user live?", "User lives in Porto."),
        ("what is my job?", "User is a nurse."),
        ("我住在哪里", "用户住在上海。"),
        ("我是做什么工作的？", "用户是护士。"),
    ],
)
def test_questions_in_the_first_person_find_statements_about_the_user(memory, query, answer):
    chinese = not query.isascii()
    owner = memory.as_user("小林") if chinese else memory
    lives, works = (
        ("用户住在上海。", "用户是护士。")
        if chinese
        else (
            "User lives in Porto.",
            "User is a nurse.",
        )
    )
    owner.node(lives, dimension="home")
    owner.node(works, dimension="occupation")
    owner.node("用户的妹妹住在成都。" if chinese else "User's sister lives in Riga.")
    assert owner.contents(query)[0] == answer


def test_what_the_named_person_said_comes_first(words_decide):
    words_decide.turn("The exhibition was wonderful.", name="Caroline", days_ago=1)
    words_decide.turn("The exhibition was wonderful!", name="Melanie")
    assert (
        words_decide.recall("What did Caroline say about the exhibition?").items[0].sources[0].name
        == "Caroline"
    )


def test_an_earlier_question_is_no_answer(words_decide):
    words_decide.turn("Where is the spare key?")
    words_decide.turn("The spare key is under the mat.", days_ago=1)
    assert words_decide.contents("where is the spare key?")[0] == "The spare key is under the mat."


def test_what_was_said_when_the_query_says_comes_first(words_decide):
    words_decide.turn("We had soup for lunch.", days_ago=40)
    words_decide.turn("We had rice for lunch.", days_ago=1)
    assert words_decide.contents("what was for lunch yesterday?")[0] == "We had rice for lunch."


def test_results_are_distinct_and_at_most_top_k(memory):
    for number in range(5):
        memory.node(f"User visited castle number {number}.")
    found = memory.recall("User visited castle number", top_k=3).items
    assert len({item.memory_id for item in found}) == len(found) == 3
    assert len(memory.recall("User visited castle number", top_k=10).items) == 5


def test_the_same_words_of_the_same_person_are_one_answer(memory):
    memory.turn("The tide is low.", days_ago=2)
    newest = memory.turn("The tide is low.")
    memory.turn("The tide is low.", days_ago=1, role="assistant")
    found = memory.recall("the tide is low").items
    assert [item.sources[0].role for item in found] == ["user", "assistant"]
    assert found[0].memory_id == newest


def test_scores_fall_from_one_to_zero_and_are_explained(memory):
    for text in ("User owns a red kayak.", "User owns a blue boat.", "User likes red."):
        memory.node(text)
    found = memory.recall("red kayak", explain=True).items
    scores = [item.score for item in found]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    details = found[0].score_details
    assert details["score"] == pytest.approx(details["semantic"] + details["lexical"])
    assert set(details["anchors"]) == {"semantic", "lexical"}
    assert memory.recall("red kayak").items[0].score_details is None


def test_a_conversation_brings_back_what_belongs_to_it(memory):
    memory.node("User won a magic trick contest at school.")
    memory.node("User dislikes walnuts.")
    texts = [("user", "I will do a magic trick at the party!"), ("assistant", "Great!")]
    turns = tuple(Turn(f"q{n}", n, role, text, NOW) for n, (role, text) in enumerate(texts))
    assert memory.recall(messages=turns).items[0].content.startswith("User won a magic trick")


class BrokenEmbeddings(Embeddings):
    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        raise ConnectionError("no route to host")

    def embed_query(self, text: str) -> list[float]:
        raise ConnectionError("no route to host")


def test_words_still_find_where_the_embedder_is_down(memory):
    memory.node("User owns a kayak.")
    broken = make_embedder(memory.deps.settings, BrokenEmbeddings())
    deps = RecallDeps(memory.store, broken, memory.deps.settings, memory.deps.clock)
    outcome = recall_items(deps, RecallRequest(memory.scope, "kayak"))
    assert [item.content for item in outcome.items] == ["User owns a kayak."]
    assert outcome.degraded[0].startswith("embedding: ")


def test_a_memory_without_a_vector_is_found_by_its_words(memory):
    memory.node("User owns a kayak.", embedded=False)
    memory.node("User owns a loom.")
    assert memory.contents("kayak")[0] == "User owns a kayak."


def test_another_embedder_is_refused_but_words_go_on(memory, open_memory):
    memory.node("User owns a kayak.")
    other = make_embedder(memory.deps.settings, HashEmbeddings(dim=32))
    request = RecallRequest(memory.scope, "kayak")
    with pytest.raises(EmbeddingMismatchError):
        recall_items(RecallDeps(memory.store, other, memory.deps.settings, lambda: NOW), request)
    by_words = open_memory(embeddings=HashEmbeddings(dim=32), reader_mode="lexical")
    assert by_words.contents("kayak") == ["User owns a kayak."]


def test_the_question_is_embedded_without_what_only_asks(open_memory):
    embeddings = TableEmbeddings({}, unit(1, 0))
    memory = open_memory(embeddings=embeddings)
    memory.turn("I saw the harbour.", name="Caroline")
    embeddings.asked.clear()
    memory.recall("When did Caroline see the harbour?")
    assert embeddings.asked == ["I see harbour"]


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        ({"top_k": 0}, InputError),
        ({"top_k": 10_000}, LimitError),
        ({"threshold": 1.5}, InputError),
        ({"query": "x" * 20_000}, LimitError),
        ({"time_range": (NOW, NOW - timedelta(days=1))}, InputError),
    ],
)
def test_requests_out_of_range_are_refused(memory, request_, error):
    with pytest.raises(error):
        memory.recall(**{"query": "kayak", **request_})
