"""The embedder is down: everything is kept, found by its words, and made up for later."""

from __future__ import annotations

from faulty_parts import FlakyEmbeddings, Open, contents

from dualmem_graph.testing import Reply, StubServer


def test_while_the_embedder_is_down_every_operation_keeps_its_promise(open_memory: Open) -> None:
    embeddings = FlakyEmbeddings()
    memory = open_memory(embeddings=embeddings, embed_max_retries=0)
    memory.add("I live in Braga.", user_id="u", wait=True)
    memory.add("I own a kayak.", user_id="u", wait=True)
    kayak = memory.search("kayak", user_id="u")[0]
    embeddings.is_down = True

    stated = memory.add("I live in Porto.", user_id="u", wait=True)
    loom = memory.add("I own a loom.", user_id="u")
    canoe = memory.update(kayak.memory_id, "User owns a canoe.", user_id="u")

    # the answer says that something is still to be done, and what
    assert (stated.status, loom.status) == ("pending", "pending")
    assert all("embedding" in result.degraded[0] for result in (stated, loom))
    # two turns, two facts, an entry of the profile, an edit
    assert memory.stats(user_id="u")["pending_embeddings"] == 6
    for query, found in (
        ("Porto", "User lives in Porto."),
        ("loom", "User owns a loom."),
        ("canoe", "User owns a canoe."),
    ):
        hits = memory.search(query, user_id="u", layers=["L2"])
        assert [item.content for item in hits] == [found]
        assert any("embedding" in reason for reason in hits.degraded)
        assert found in memory.context(query, user_id="u")
    before = memory.search("kayak Braga", user_id="u", layers=["L2"])
    assert not {"User owns a kayak.", "User lives in Braga."} & {item.content for item in before}
    assert memory.profile(user_id="u")["location"].metadata["value"] == "Porto"
    assert memory.flush() is False
    memory.delete(canoe.memory_id, user_id="u")
    memory.restore(canoe.memory_id, user_id="u")
    embeddings.is_down = False

    assert memory.flush() is True

    assert memory.stats(user_id="u")["pending_embeddings"] == 0
    assert memory.status()["jobs"] == {"done": memory.status()["jobs"]["done"]}
    for text in ("User lives in Porto.", "User owns a loom.", "User owns a canoe."):
        hits = memory.search(text, user_id="u", top_k=1, layers=["L2"], explain=True)
        assert (hits[0].content, hits.degraded) == (text, ())
        assert (hits[0].score_details or {})["cosine"] > 0.99
    assert sorted(contents(memory)) == [
        "User lives in Porto.",
        "User owns a canoe.",
        "User owns a loom.",
        "location: Porto",
    ]


def test_an_embeddings_endpoint_that_fails_for_a_while_leaves_no_two_alike(
    open_memory: Open,
) -> None:
    """Each text gets a vector of its own, none a stopgap."""
    broken = Reply("overloaded", status=500, headers={"Retry-After": "0"})
    names = ["kayak", "loom", "zither", "heron", "tent"]
    with StubServer(embeddings=[broken] * 10_000, embed_dim=32) as stub:
        memory = open_memory(
            embeddings=None,
            embed_base_url=stub.base_url,
            embed_model="m",
            embed_dim=32,
            embed_max_retries=0,
        )
        for name in names:
            memory.add(f"I own a {name}.", user_id="u", session_id=name)
        stub._embedding_script.clear()
        memory.add("I own a barge.", user_id="u", session_id="barge")

        assert memory.flush() is True

        found = {
            name: memory.search(f"User owns a {name}.", user_id="u", top_k=1, explain=True)[0]
            for name in (*names, "barge")
        }
    assert {name: item.content for name, item in found.items()} == {
        name: f"User owns a {name}." for name in found
    }
    assert all((item.score_details or {})["cosine"] > 0.99 for item in found.values())


def test_a_store_that_never_had_a_vector_works_by_words(open_memory: Open) -> None:
    embeddings = FlakyEmbeddings()
    embeddings.is_down = True
    memory = open_memory(embeddings=embeddings, embed_max_retries=0)

    added = memory.add("我住在波尔图。", user_id="u", wait=True)
    memory.add("I own a kayak.", user_id="u", wait=True)

    assert added.status == "pending"
    assert memory.search("波尔图", user_id="u")[0].content == "用户住在波尔图。"
    assert "kayak" in memory.context("kayak", user_id="u")
    memory.close()
    again = open_memory(embeddings=FlakyEmbeddings())
    assert again.flush() is True
    assert again.stats()["pending_embeddings"] == 0
    assert again.search("kayak", user_id="u")[0].content == "User owns a kayak."
