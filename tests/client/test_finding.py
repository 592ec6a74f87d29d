"""Group G: finding it again, and finding nothing where there is nothing."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from answers import EX, RE, Open, chain, fact, model, over, texts
from langchain_core.embeddings import Embeddings

from dualmem_graph import SyncMemoryClient
from dualmem_graph.testing import HashEmbeddings, Reply, StubServer


class Table(Embeddings):
    """Vectors by the first of its words that a text holds; one vector for all the rest."""

    def __init__(self, dim: int = 8, **vectors: list[float]) -> None:
        self._dim = dim
        self._vectors = vectors
        self.asked: list[str] = []

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        self.asked.append(text)
        for word, vector in self._vectors.items():
            if word in text:
                return [*vector, *[0.0] * (self._dim - len(vector))]
        return [0.0] * (self._dim - 1) + [1.0]


def _know(memory: SyncMemoryClient, *contents: str, user: str = "u", **more: Any) -> None:
    memory.import_([{"content": content, **more} for content in contents], user_id=user)


QUERIES = ["", "   ", "?!", "👍", "the of and", "kayak", "我", "where do I live?", "\x00", "\ud83d"]


@pytest.mark.parametrize("query", QUERIES, ids=repr)
def test_an_empty_store_answers_with_nothing(query: str, memory: SyncMemoryClient) -> None:
    found = memory.search(query, user_id="new")

    assert (list(found), found.known_user, found.degraded) == ([], False, ())
    assert memory.context(query, user_id="new") == ""
    assert list(memory.list(user_id="new")) == []
    assert memory.profile(user_id="new") == {}
    assert memory.history(user_id="new") == []


@pytest.mark.parametrize("said", ["👍👍", "???", "…", "，。！", "ok", "的", "a"])
def test_a_store_without_a_word_in_it_can_be_searched(said: str, open_memory: Open) -> None:
    memory = open_memory(embeddings=Table())
    memory.add(said, user_id="u", wait=True)
    _know(memory, said)

    for query in QUERIES:
        assert len(memory.search(query, user_id="u")) <= 2
        memory.context(query, user_id="u")
    assert texts(memory) == [said]
    assert [turn.content for turn in memory.list(user_id="u", layers=["L1_RAW"])] == [said]


def test_an_exact_word_decides_where_all_vectors_are_equal(open_memory: Open) -> None:
    memory = open_memory(embeddings=Table())
    _know(memory, "owns a kayak", "owns a loom")

    found = memory.search("kayak", user_id="u", explain=True)

    assert found[0].content == "owns a kayak"
    details = [item.score_details or {} for item in found]
    assert details[0]["bm25"] > 0
    assert all(detail["bm25"] == 0 for detail in details[1:])
    both = memory.search("owns", user_id="u", explain=True)
    assert all((item.score_details or {})["bm25"] > 0 for item in both)
    assert {item.content for item in both} == {"owns a kayak", "owns a loom"}


def test_one_memory_alone_is_found_by_its_word(open_memory: Open) -> None:
    memory = open_memory(embeddings=Table())
    _know(memory, "owns a kayak")

    (item,) = memory.search("kayak", user_id="u", explain=True)

    assert (item.score_details or {})["bm25"] > 0
    assert 0 < item.score <= 1


CJK = {
    "扎染": "我去年在大理学会了扎染",
    "蜜蜂": "邻居家养了三箱蜜蜂",
    "皮划艇": "她周末常去划皮划艇",
    "搬家": "下个月要搬家到成都",
    "花生": "对花生过敏，吃了会起疹子",
    "茶道": "京都で茶道を習っている",
    "着物": "祖母の着物を直してもらった",
    "김치": "할머니께 김치 담그는 법을 배웠다",
    "등산": "주말마다 등산을 간다",
    "postgresql": "用PostgreSQL做备份",
    "NOTES.rst": "把会议记录写在 NOTES.rst 里",
    "v2.3.1": "升级到 v2.3.1 之后一切正常",
    "C++": "Wrote the parser in C++ over a weekend",
}


@pytest.mark.parametrize("query", CJK)
def test_words_of_every_script_rank_their_memory_first(query: str, open_memory: Open) -> None:
    memory = open_memory(embeddings=Table())
    _know(memory, *CJK.values())

    found = memory.search(query, user_id="u", explain=True)

    assert found[0].content == CJK[query]
    assert (found[0].score_details or {})["bm25"] > 0


def test_scores_are_similarities_and_the_threshold_is_on_them(open_memory: Open) -> None:
    def at(cosine: float) -> list[float]:
        return [cosine, float(np.sqrt(1 - cosine**2))]

    memory = open_memory(
        embeddings=Table(near=at(0.95), half=at(0.5), far=at(0.05), asked=[1.0, 0.0]),
        reader_mode="semantic",
        recall_min_similarity=0.0,
    )
    _know(memory, "far thing", "near thing", "half thing", "asked thing")

    found = memory.search("asked thing", user_id="u")
    cut = memory.search("asked thing", user_id="u", threshold=0.6)

    assert [item.content.split()[0] for item in found] == ["asked", "near", "half", "far"]
    assert [round(item.score, 2) for item in found] == [1.0, 0.95, 0.5, 0.05]
    assert [item.content.split()[0] for item in cut] == ["asked", "near"]


def test_the_identical_text_scores_about_one(memory: SyncMemoryClient) -> None:
    _know(memory, "Owns a kayak named Otter", "Owns a loom", "Keeps bees")

    found = memory.search("Owns a kayak named Otter", user_id="u")

    assert found[0].score > 0.9
    assert found[0].score <= 1
    assert all(item.score < 0.7 for item in found[1:])


@pytest.mark.parametrize("query", ["good morning", "早上好", "quux zyzzy", "thanks!", "🦊"])
def test_nothing_relevant_is_nothing(query: str, open_memory: Open) -> None:
    orthogonal = {"good": [1.0], "早": [1.0], "quux": [1.0], "thanks": [1.0], "🦊": [1.0]}
    memory = open_memory(embeddings=Table(**orthogonal))
    _know(memory, *(f"Owns kayak {n}" for n in range(30)))

    assert memory.search(query, user_id="u") == []
    assert memory.context(query, user_id="u") == ""


def test_the_context_keeps_its_budget(memory: SyncMemoryClient) -> None:
    from dualmem_graph.text.language import estimate_tokens

    _know(memory, *(f"Owns kayak {n} which is long and red and very old" for n in range(40)))

    for budget in (100, 300):
        block = memory.context("kayak", user_id="u", top_k=40, max_tokens=budget)
        assert block.count("\n- ") >= 2
        assert estimate_tokens(block) <= budget


def test_results_are_distinct_and_top_k_is_filled_with_others(open_memory: Open) -> None:
    old, new = "User lives in Braga.", "User lives in Porto."
    chat = model(
        [EX(old), EX(new, fact("User lives with a heron.")), EX("User lives by the sea.")],
        [over(old, new), RE()],
    )
    memory = open_memory(chat)
    for said in ("I live in Braga.", "I live in Porto with a heron.", "I live by the sea."):
        memory.add(said, user_id="u", wait=True)

    found = memory.search("lives live", user_id="u", top_k=10, layers=["L2"])
    two = memory.search("lives live", user_id="u", top_k=2, layers=["L2"])

    assert sorted(item.content for item in found) == [
        "User lives by the sea.",
        "User lives in Porto.",
        "User lives with a heron.",
    ]
    assert len({item.memory_id for item in two}) == 2


def test_a_turn_and_what_was_drawn_from_it_are_one_answer(memory: SyncMemoryClient) -> None:
    memory.add("I own a kayak.", user_id="u", session_id="s", wait=True)

    (item,) = memory.search("kayak", user_id="u")
    (turn,) = memory.search("kayak", user_id="u", layers=["L1_RAW"])

    assert item.content == "User owns a kayak."
    assert [source.turn_id for source in item.sources] == [turn.memory_id]


@pytest.mark.parametrize("query", ["What do you know about me?", "你知道我什么"])
def test_a_question_for_oneself_gives_the_profile(query: str, open_memory: Open) -> None:
    memory = open_memory(embeddings=Table())
    memory.add("My name is Ilka. I live in Porto. I love okra.", user_id="u", wait=True)

    found = memory.search(query, user_id="u")

    assert found.route == "profile"
    assert {item.metadata["key"] for item in found if item.layer == "L0_BASIC_INFO"} == {
        "name",
        "location",
    }
    assert any("okra" in item.content for item in found)
    block = memory.context(query, user_id="u")
    assert "Ilka" in block
    assert "Porto" in block


def test_the_query_that_is_embedded_is_the_users_own(open_memory: Open) -> None:
    embeddings = Table()
    memory = open_memory(embeddings=embeddings)
    _know(memory, "Owns a kayak")
    embeddings.asked.clear()

    memory.search(
        messages=[("system", "Be kind."), ("assistant", "Hello!"), ("user", "my red kayak")],
        user_id="u",
    )

    assert any("my red kayak" in text for text in embeddings.asked)
    assert not any("Be kind" in text for text in embeddings.asked)


def test_what_could_not_be_embedded_is_found_by_word_and_embedded_later(open_memory: Open) -> None:
    broken = Reply("down", status=500, headers={"Retry-After": "0"})
    names = ["kayak", "loom", "zither", "heron", "tent"]
    with StubServer(embeddings=[broken] * 10_000, embed_dim=32) as stub:
        memory = open_memory(
            embed_base_url=stub.base_url, embed_model="m", embed_dim=32, embed_max_retries=0
        )
        results = [memory.add(f"I own a {name}.", user_id="u", session_id="s") for name in names]

        assert [result.status for result in results] == ["pending"] * 5
        assert all("embedding" in result.degraded[0] for result in results)
        assert memory.stats()["pending_embeddings"] == 10  # five turns, five facts
        assert memory.status()["jobs"]["queued"] >= 1
        assert memory.flush() is False
        for name in names:
            found = memory.search(name, user_id="u")
            assert [item.content for item in found][:1] == [f"User owns a {name}."]
            assert any("embedding" in reason for reason in found.degraded)
        stub._embedding_script.clear()

        assert memory.flush() is True

        assert memory.stats()["pending_embeddings"] == 0
        found = memory.search("kayak", user_id="u", explain=True)
        assert found.degraded == ()
        assert (found[0].score_details or {})["cosine"] > 0.3


class Fussy(HashEmbeddings):
    """An embedder that never takes one word, and takes nothing at all while it is down."""

    def __init__(self) -> None:
        super().__init__()
        self.is_down = False
        self.has_embedded = threading.Event()

    def embed_query(self, text: str) -> list[float]:
        if self.is_down or "windmill" in text:
            raise ConnectionError("no such host")
        self.has_embedded.set()
        return super().embed_query(text)


def test_a_text_that_the_embedder_refuses_holds_up_no_other(open_memory: Open) -> None:
    fussy = Fussy()
    memory = open_memory(embeddings=fussy, job_max_attempts=2, job_backoff=0)
    fussy.is_down = True
    for name in ("kayak", "windmill", "loom"):
        memory.add(f"I own a {name}.", user_id="u", session_id="s")
    fussy.is_down = False

    for _ in range(4):
        memory.flush()

    assert memory.stats()["pending_embeddings"] == 2  # the turn and the fact of the windmill
    assert memory.status()["jobs"]["parked"] >= 1
    assert memory.search("windmill", user_id="u")[0].content == "User owns a windmill."
    found = memory.search("loom", user_id="u", explain=True)
    assert (found[0].score_details or {})["cosine"] > 0.3


def test_the_vectors_are_made_up_for_without_a_flush(open_memory: Open) -> None:
    fussy = Fussy()
    memory = open_memory(embeddings=fussy, job_workers=1, job_backoff=0, job_max_attempts=100)
    fussy.is_down = True
    memory.add("I own a kayak.", user_id="u")
    fussy.is_down = False

    assert fussy.has_embedded.wait(60)
    assert memory.flush() is True
    assert memory.stats()["pending_embeddings"] == 0


def test_an_update_without_the_embedder_is_embedded_later(open_memory: Open) -> None:
    fussy = Fussy()
    memory = open_memory(embeddings=fussy, reader_mode="semantic")
    memory.add("I own a kayak.", user_id="u", wait=True)
    (item,) = memory.list(user_id="u")
    fussy.is_down = True
    memory.update(item.memory_id, "User owns a zither.", user_id="u")
    fussy.is_down = False

    assert memory.flush() is True
    assert memory.search("zither", user_id="u", top_k=1)[0].content == "User owns a zither."


def test_the_vector_of_an_update_is_that_of_the_new_text(open_memory: Open) -> None:
    memory = open_memory(
        embeddings=Table(bagpipe=[1.0, 0.0], zither=[0.0, 1.0]), reader_mode="semantic"
    )
    _know(memory, "plays the bagpipe")
    (old,) = memory.list(user_id="u")

    new = memory.update(old.memory_id, "plays the zither", user_id="u")

    assert memory.search("bagpipe", user_id="u") == []
    (found,) = memory.search("zither", user_id="u")
    assert (found.memory_id, round(found.score, 3)) == (new.memory_id, 1.0)
    assert chain(found) == ["plays the zither", "plays the bagpipe"]


def test_what_was_just_said_is_found_before_anything_is_reconciled(open_memory: Open) -> None:
    old, new = "User lives in Braga.", "User lives in Porto."
    memory = open_memory(model([EX(old), EX(new)], [over(old, new)]))
    memory.add("I live in Braga.", user_id="u", memory_at="2025-01-01")
    memory.add("I live in Porto.", user_id="u", memory_at="2025-02-01")

    at_once = memory.search("where do I live", user_id="u", layers=["L2"])
    memory.flush()
    later = memory.search("where do I live", user_id="u", layers=["L2"])

    assert {item.content for item in at_once} == {old, new}
    assert [chain(item) for item in later] == [[new, old]]


def test_another_process_finds_what_was_just_said(open_memory: Open, tmp_path: Path) -> None:
    memory = open_memory()
    memory.add("I own a kayak.", user_id="u")
    script = (
        "import sys\n"
        "from dualmem_graph import SyncMemoryClient\n"
        "from dualmem_graph.testing import HashEmbeddings\n"
        "with SyncMemoryClient(storage_dir=sys.argv[1], embeddings=HashEmbeddings()) as memory:\n"
        "    print([item.content for item in memory.search('kayak', user_id='u')])\n"
    )

    ran = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "store")],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )

    assert ran.stdout.strip() == "['User owns a kayak.']"


def test_the_real_embedder_finds_by_meaning(tmp_path: Path) -> None:
    with SyncMemoryClient(storage_dir=tmp_path / "real", job_workers=0) as memory:
        memory.add("I am allergic to peanuts.", user_id="u", wait=True)
        memory.add("我住在上海，是一名护士。", user_id="u", wait=True)
        memory.add("I love long train journeys.", user_id="u", wait=True)

        assert "peanut" in memory.search("which food is dangerous for me?", user_id="u")[0].content
        assert "上海" in memory.search("我住在哪里？", user_id="u")[0].content
        assert "护士" in memory.search("我的职业是什么？", user_id="u")[0].content
