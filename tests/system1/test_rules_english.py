"""What the English rules make of single turns: wording, dimensions, refusals."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from dualmem_graph.system1.rules import (
    asks_to_forget,
    asks_to_remember,
    extract,
    is_small_talk,
    read_statement,
)
from dualmem_graph.system1.rules.findings import Reading
from dualmem_graph.types import BasicInfo, Candidate, Layer, MemoryType, Turn

#: A Wednesday.
SAID = datetime(2024, 6, 12, 9, 0, tzinfo=UTC)


def candidates(text: str, *, at: datetime = SAID) -> tuple[Candidate, ...]:
    return extract([Turn("t", 0, "user", text, at)], language="en").candidates


def contents(text: str) -> list[str]:
    return [candidate.content for candidate in candidates(text)]


def slots(text: str) -> list[tuple[str, str | None, str | None, bool]]:
    return [(c.subject, c.dimension, c.value, c.negated) for c in candidates(text)]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (
            "I've been living in Porto with my wife.",
            ["User has been living in Porto with their wife."],
        ),
        (
            "I quit my job at Siemens and moved to Lisbon last month.",
            ["User quit their job at Siemens.", "User moved to Lisbon in May 2024."],
        ),
        ("ive got a dog called rufus", ["User has a dog called rufus."]),
        ("I don't eat meat.", ["User does not eat meat."]),
        ("Every Sunday I call my grandmother.", ["User calls their grandmother every Sunday."]),
        (
            "When I was ten, I broke my arm.",
            ["User broke their arm when they were ten."],
        ),
        (
            "My wife and I adopted a cat yesterday.",
            ["User and their wife adopted a cat on 11 June 2024."],
        ),
        ("Just finished my first marathon!!! 🎉", ["User just finished their first marathon."]),
        (
            "My friend Aisha loves calligraphy and she works as an architect.",
            ["User's friend Aisha loves calligraphy.", "Aisha works as an architect."],
        ),
        (
            "My boss told me I could leave, but I cook and bake every weekend.",
            ["User cooks and bakes every weekend."],
        ),
        (
            "I'm vegetarian, can you suggest a dinner for tonight?",
            ["User is vegetarian."],
        ),
        ("Teal is my favourite colour.", ["User's favourite colour is teal."]),
        ("i speak spanish", ["User speaks Spanish."]),
    ],
)
def test_statements_read_well_in_the_third_person(said: str, kept: list[str]) -> None:
    assert contents(said) == kept


@pytest.mark.parametrize(
    ("said", "slot"),
    [
        ("I don't live in Porto any more.", ("user", "home", "Porto", True)),
        ("I no longer work at Nokia.", ("user", "employer", "Nokia", True)),
        ("I used to love techno.", ("user", "attitude:techno", "like", True)),
        ("I can't stand okra any more.", ("user", "attitude:okra", "dislike", False)),
        ("I adore okra.", ("user", "attitude:okra", "like", False)),
        ("I don't like olives.", ("user", "attitude:olive", "dislike", False)),
        ("I gave up smoking.", ("user", "habit:smoke", None, True)),
        ("I switched from Bosch to Zeiss.", ("user", "employer", "Zeiss", False)),
        ("I sold my motorbike.", ("user", "possession:motorbike", None, True)),
        ("I'm not going to move to Berlin.", ("user", "plan:move to berlin", None, True)),
        ("No, my name is Lena, not Lea.", ("user", "name", "Lena", False)),
        ("my brother hates cilantro", ("User's brother", "attitude:cilantro", "dislike", False)),
    ],
)
def test_change_and_negation_have_their_slots(
    said: str, slot: tuple[str, str | None, str | None, bool]
) -> None:
    assert slots(said) == [slot]


def test_things_that_coexist_are_separate_statements_with_separate_slots() -> None:
    assert [(c.content, c.dimension) for c in candidates("I like coffee and jasmine tea.")] == [
        ("User likes coffee.", "attitude:coffee"),
        ("User likes jasmine tea.", "attitude:jasmine tea"),
    ]


def test_a_cousins_fear_is_not_the_users() -> None:
    found = candidates("My cousin Tobin is afraid of heights. He is coming on Friday.")
    assert [(c.subject, c.layer, c.content) for c in found] == [
        ("Tobin", Layer.FACT, "User's cousin Tobin is afraid of heights."),
        ("Tobin", Layer.FACT, "Tobin is coming on 14 June 2024."),
    ]
    assert found[1].event is not None
    assert found[1].event.start == datetime(2024, 6, 14, tzinfo=UTC)


def test_trade_and_employer_are_two_statements_of_one_sentence() -> None:
    found = extract(
        [Turn("t", 0, "user", "I work as a dental hygienist at BrightSmile.", SAID)], language="en"
    )
    assert [(c.content, c.dimension, c.value) for c in found.candidates] == [
        (
            "User works as a dental hygienist at BrightSmile.",
            "occupation",
            "dental hygienist",
        ),
        ("User works at BrightSmile.", "employer", "BrightSmile"),
    ]
    assert found.basic_info == (
        BasicInfo("occupation", "dental hygienist"),
        BasicInfo("employer", "BrightSmile"),
    )


def test_an_entry_that_no_longer_holds_is_taken_out_of_the_profile() -> None:
    turn = Turn("t", 3, "user", "I don't live in Porto any more.", SAID)
    assert extract([turn], language="en").basic_info == (BasicInfo("location", None, 3),)


def test_event_days_are_the_speakers_days() -> None:
    late = datetime(2024, 6, 12, 16, 30, tzinfo=UTC)  # past midnight in Tokyo
    turn = Turn("t", 0, "user", "I bought a kayak yesterday.", late)
    (found,) = extract([turn], language="en", zone=ZoneInfo("Asia/Tokyo")).candidates
    assert found.content == "User bought a kayak on 12 June 2024."
    assert found.event is not None
    assert found.event.start == datetime(2024, 6, 11, 15, 0, tzinfo=UTC)


def test_plans_are_intentions_with_a_time() -> None:
    (found,) = candidates("We're flying to Crete next Friday.")
    assert found.layer is Layer.INTENTION
    assert found.dimension == "plan:fly to crete"
    assert found.event is not None
    assert found.event.start == datetime(2024, 6, 21, tzinfo=UTC)


def test_what_happened_is_an_episodic_fact() -> None:
    (found,) = candidates("Yesterday I took my kids to the science museum.")
    assert (found.layer, found.memory_type, found.dimension) == (
        Layer.FACT,
        MemoryType.EPISODIC,
        None,
    )
    assert found.content == "User took their kids to the science museum on 11 June 2024."
    assert found.quote == "Yesterday I took my kids to the science museum."


@pytest.mark.parametrize(
    "text",
    [
        "Where do I live?",
        "What if I quit my job?",
        "If I lived in Paris I would eat croissants every day.",
        "I wish I had a garden.",
        "Maybe I should get a dog.",
        "Should I move to Berlin or stay in Munich?",
        'He said "I live in Madrid and I hate rain".',
        "Translate this to French: I live in Berlin and I love cheese.",
        "Proofread my letter:\nI have two sons and I work at a bank.",
        "Pretend you are a pirate. My name is Captain Flint.",
        "```python\nname = 'I live in Rome'\n```",
        "Traceback: TypeError in module I use",
        "run the tests again",
        "I have a question about pandas.",
        "I think so.",
        "I'm so tired today",
        "I love it!",
        "The capital of Australia is Canberra.",
        "I need help with my code",
        "I'd like a table with three columns.",
    ],
)
def test_what_asserts_nothing_yields_nothing(text: str) -> None:
    assert candidates(text) == ()


@pytest.mark.parametrize(
    ("text", "idle"),
    [
        ("hello!", True),
        ("thanks so much 🙏", True),
        ("ok cool", True),
        ("what is your name?", True),
        ("Where do I live?", True),
        ("run the tests again", True),
        ("haha that's hilarious", True),
        ("I moved to Porto.", False),
        ("What should I cook for my daughter's birthday?", False),
        ("remember that my tent is in the attic", False),
        ("thanks! I'm allergic to nuts by the way", False),
        ("I went to a support group yesterday", False),
    ],
)
def test_small_talk_is_told_from_life(text: str, idle: bool) -> None:
    assert is_small_talk(text) is idle


def test_a_request_to_remember_is_always_kept() -> None:
    assert asks_to_remember("remember that my tent is in the attic") == "my tent is in the attic"
    assert contents("remember that my tent is in the attic") == ["User's tent is in the attic."]
    assert contents("Please remember: the door code hint is grandma's village.") == [
        "The door code hint is grandma's village."
    ]
    assert asks_to_remember("Do you remember my tent?") is None
    assert asks_to_remember("I remember that day") is None


def test_a_request_to_forget_is_recognised_and_stores_nothing() -> None:
    assert asks_to_forget("Please forget my address.") == "my address"
    assert asks_to_forget("I forgot my keys") is None
    assert candidates("Please forget my address.") == ()


@pytest.mark.parametrize(
    ("content", "reading"),
    [
        ("User lives in Porto.", Reading("user", "home", "Porto")),
        ("The user works at Yarrow Labs", Reading("user", "employer", "Yarrow Labs")),
        ("Ilka moved to Porto", Reading("Ilka", "home", "Porto")),
        ("dislikes okra", Reading("user", "attitude:okra", "dislike")),
        ("User no longer lives in Porto.", Reading("user", "home", "Porto", True)),
        ("User's name is Marek.", Reading("user", "name", "Marek")),
        ("User's cousin Tobin is afraid of heights.", Reading("Tobin", "attitude:height", "fear")),
        ("User is allergic to peanuts.", Reading("user", "allergy:peanut", "yes")),
        ("User's favorite color is teal.", Reading("user", "favourite:colour", "teal")),
        ("User has a dog named Waffles.", Reading("user", "pet:waffles", "dog")),
        ("User went camping on 7 May 2023.", None),
        ("The weather was fine.", None),
    ],
)
def test_third_person_statements_are_read_back(content: str, reading: Reading | None) -> None:
    assert read_statement(content) == reading


@pytest.mark.parametrize(
    "said",
    [
        "I've been living in Porto with my wife.",
        "I used to love techno.",
        "I'm allergic to penicillin.",
        "My cat's name is Pixel.",
        "I'm studying marine biology.",
        "I'm married.",
        "I prefer tea over coffee.",
        "I usually go swimming before work.",
        "I can't swim.",
        "My sister's birthday is May 3.",
        "My wife and I live in Ghent.",
    ],
)
def test_our_own_sentences_are_read_back_as_they_were_written(said: str) -> None:
    (found,) = candidates(said)
    assert read_statement(found.content) == Reading(
        found.subject, found.dimension or "", found.value, found.negated
    )


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (
            "My grandmother, who is 90, still drives.",
            ["User's grandmother is 90.", "User's grandmother still drives."],
        ),
        (
            "I live alone with my cat Mochi in Toronto.",
            [
                "User lives alone with their cat Mochi in Toronto.",
                "User has a cat named Mochi.",
            ],
        ),
        ("I'm 1.85 m tall.", ["User is 1.85 m tall."]),
        (
            "I signed up for a half marathon on 10 May.",
            ["User signed up for a half marathon on 10 May 2025."],
        ),
        (
            "Last week I scored 40 points, my highest ever.",
            ["User scored 40 points in the week of 3 June 2024."],
        ),
        ("Since I lost my job, things have been tough.", []),
        ("And remember, I'm always here for you.", []),
        ("Please call me Sasha, not Alexandra", ["User goes by Sasha."]),
        (
            "I ran the marathon in 3:45 last September.",
            ["User ran the marathon in 3:45 in September 2023."],
        ),
        ("I'm engaged in a mock interview.", []),
        ("I've lived in five countries.", ["User has lived in five countries."]),
    ],
)
def test_faults_that_real_conversations_showed_stay_mended(said: str, kept: list[str]) -> None:
    assert contents(said) == kept


@pytest.mark.parametrize(
    ("text", "content", "dimension"),
    [
        ("I keep bees.", "User keeps bees.", "habit:keep bee"),
        ("I collect stamps", "User collects stamps.", "habit:collect stamp"),
        ("I quit Siemens.", "User quit Siemens.", "employer"),
        ("I quit coffee", "User quit coffee.", "habit:coffee"),
    ],
)
def test_a_pastime_is_a_habit_and_a_firm_that_was_quit_an_employer(
    text: str, content: str, dimension: str
) -> None:
    (found,) = candidates(text)
    assert (found.content, found.dimension) == (content, dimension)
