"""From turns to an :class:`Extraction` by rules: the loop that is the same in every language."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from importlib import import_module
from types import ModuleType

from dualmem_graph.system1.rules.emotion import feel, weigh
from dualmem_graph.system1.rules.findings import (
    USER,
    Finding,
    Person,
    Reading,
    SentenceContext,
)
from dualmem_graph.text.chunks import sentences
from dualmem_graph.text.language import detect_language
from dualmem_graph.types import BasicInfo, Candidate, Emotion, Extraction, Skipped, Turn

_MODULES = {"en": "english", "zh": "chinese"}
_PEOPLE_REMEMBERED = 8


def extract(
    turns: Sequence[Turn],
    *,
    language: str = "auto",
    zone: tzinfo | None = None,
    max_items: int = 20,
) -> Extraction:
    """Draw statements from what the user said, by rules alone.

    Only turns of role ``user`` that are not context are read. With two or more distinct names
    among the user turns (context included), each speaker's name is the subject of what they say;
    otherwise it is ``"user"``.

    Args:
        turns: the turns of one ``add``, with the earlier ones as context.
        language: ``"en"``, ``"zh"``, or ``"auto"`` to tell by each turn's own words.
        zone: the speaker's time zone; unset: the offset of each turn's time.
        max_items: most statements per turn; what is beyond is reported as skipped.
    """
    reader = _Reader(tuple(turns), language, zone)
    candidates: list[Candidate] = []
    basic_info: list[BasicInfo] = []
    skipped: list[Skipped] = []
    for turn in turns:
        if turn.role != "user" or turn.is_context:
            continue
        findings = reader.read(turn)
        for finding in findings[:max_items]:
            candidates.append(finding.candidate)
            basic_info += finding.basic_info
        skipped += [
            Skipped(f"more than {max_items} statements of one turn", finding.candidate.content)
            for finding in findings[max_items:]
        ]
    own = [turn for turn in turns if turn.role == "user" and not turn.is_context]
    emotion = _strongest(feel(turn.text) for turn in own)
    idle = bool(own) and not candidates and all(is_small_talk(turn.text) for turn in own)
    return Extraction(
        gate=weigh(candidates, emotion, idle=idle),
        is_ephemeral=idle,
        emotion=emotion,
        candidates=tuple(candidates),
        basic_info=_latest(basic_info),
        skipped=tuple(skipped),
        extractor="rules",
    )


@dataclass(slots=True)
class _Reader:
    """Reads the turns of one call in order, keeping what later turns may point back to."""

    turns: tuple[Turn, ...]
    language: str
    zone: tzinfo | None
    found: list[Candidate] = field(default_factory=list)
    names: tuple[str, ...] = ()
    places: dict[int, int] = field(default_factory=dict)
    people: dict[str | None, tuple[Person, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        said = (turn.name for turn in self.turns if turn.role == "user" and turn.name)
        self.places = {id(turn): at for at, turn in enumerate(self.turns)}
        self.names = tuple(dict.fromkeys(said))

    def read(self, turn: Turn) -> list[Finding]:
        findings = self._findings(turn, lambda: (*self._context(), *self.found))
        self.found += [finding.candidate for finding in findings]
        return findings

    def _context(self) -> tuple[Candidate, ...]:
        """What the context turns said; only read when a correction asks for it."""
        earlier = [turn for turn in self.turns if turn.is_context and turn.role == "user"]
        return tuple(
            finding.candidate for turn in earlier for finding in self._findings(turn, tuple)
        )

    def _findings(self, turn: Turn, earlier: Callable[[], tuple[Candidate, ...]]) -> list[Finding]:
        language = detect_language(turn.text) if self.language == "auto" else self.language
        module = _module(language)
        own_words = getattr(module, "own_words", None)
        text = own_words(turn.text) if own_words else turn.text
        asked = self._asked(turn)
        people = self._spoken_of(turn)
        findings: list[Finding] = []
        for sentence in sentences(text):
            ctx = SentenceContext(
                reference=turn.at,
                zone=self.zone or turn.at.tzinfo or UTC,
                subject=self._subject(turn),
                turn_index=turn.index,
                language=language,
                asked=asked,
                people=people,
                partner=self._partner(turn),
                earlier=earlier,
            )
            found = module.read_sentence(sentence, ctx)
            new = _people_in(module, sentence, ctx, found)
            people = (*new, *people)[:_PEOPLE_REMEMBERED]
            findings += found
            asked = ""
        self.people[turn.name] = tuple(dict.fromkeys(people))
        return findings

    def _spoken_of(self, turn: Turn) -> tuple[Person, ...]:
        """The one person the speaker's last turn was about; of several, none."""
        last = self.people.get(turn.name, ())
        return last if len(last) == 1 else ()

    def _subject(self, turn: Turn) -> str:
        if len(self.names) > 1 and turn.name:
            return turn.name
        return USER

    def _partner(self, turn: Turn) -> str:
        others = [name for name in self.names if name != turn.name]
        return others[0] if turn.name and len(others) == 1 else ""

    def _asked(self, turn: Turn) -> str:
        """The last sentence of the other side just before this turn."""
        at = self.places[id(turn)]
        before = self.turns[at - 1] if at else None
        if before is None or (before.role == turn.role and before.name == turn.name):
            return ""
        asked = [sentence for sentence in sentences(before.text) if sentence]
        return asked[-1] if asked else ""


def _people_in(
    module: ModuleType, sentence: str, ctx: SentenceContext, found: Sequence[Finding]
) -> tuple[Person, ...]:
    """Whom a sentence spoke of: those of its findings, else those it only mentions."""
    named = tuple(person for finding in reversed(found) for person in finding.people)
    people_in = getattr(module, "people_in", None)
    return (*named, *(people_in(sentence, ctx) if people_in else ()))


def read_statement(content: str) -> Reading | None:
    """What a third-person statement is a version of, in either language.

    Returns:
        ``None`` where no rule knows a dimension for it.
    """
    reading: Reading | None = _module(detect_language(content)).read_statement(content)
    return reading


def is_small_talk(text: str) -> bool:
    """Whether a whole turn holds nothing of a life: greeting, thanks, "ok", a bare command."""
    if asks_to_remember(text):
        return False
    idle: bool = _module(detect_language(text)).is_small_talk(text)
    return idle


def asks_to_remember(text: str) -> str | None:
    """What a turn explicitly asks to keep, in its own words; ``None`` where it asks nothing."""
    return _first(text, "asks_to_remember")


def asks_to_forget(text: str) -> str | None:
    """What a turn asks to forget; ``None`` where it asks nothing."""
    return _first(text, "asks_to_forget")


def _first(text: str, function: str) -> str | None:
    module = _module(detect_language(text))
    for sentence in sentences(text):
        payload: str | None = getattr(module, function)(sentence)
        if payload:
            return payload
    return None


def _module(language: str) -> ModuleType:
    """The rules of a language, imported on first use: their tables cost a few milliseconds."""
    return import_module(f"{__package__}.{_MODULES.get(language, 'english')}")


def _strongest(emotions: Iterable[Emotion | None]) -> Emotion | None:
    return max((each for each in emotions if each), key=lambda each: each.arousal, default=None)


def _latest(entries: Sequence[BasicInfo]) -> tuple[BasicInfo, ...]:
    """One entry a key: what was said last holds."""
    return tuple({entry.key: entry for entry in entries}.values())
