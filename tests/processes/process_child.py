"""One of several processes on a store: it writes, reads, or does the work that the others queue.

    python process_child.py ROLE NUMBER SECONDS FOLDER SETTINGS

It prints one line of JSON for each thing that went wrong, and one for what it did.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

from dualmem_graph import SyncMemoryClient
from dualmem_graph.testing import HashEmbeddings

CITIES = ("Porto", "Braga", "Lisbon", "Madrid", "Berlin", "Vienna", "Prague", "Oslo", "Paris")


class Child:
    """A process with a log of what it wrote, which the others read."""

    def __init__(self, number: int, seconds: float, folder: Path, settings: dict[str, Any]) -> None:
        self.number = number
        self.folder = folder
        self.memory = SyncMemoryClient(
            storage_dir=folder / "store", embeddings=HashEmbeddings(), **settings
        )
        self.until = time.monotonic() + seconds
        self.log = (folder / f"{number}.log").open("w")
        self.done = 0

    def say(self, **what: Any) -> None:
        sys.stdout.write(json.dumps(what) + "\n")

    def is_time_left(self) -> bool:
        return time.monotonic() < self.until

    def write(self) -> None:
        """Add, look it up, edit, delete; every user is written to by several processes."""
        while self.is_time_left():
            self.done += 1
            name, user = f"{self.number}-{self.done}", f"user {self.done % 3}"
            said, known = f"I own kayak {name}.", f"User owns kayak {name}."
            self.memory.add(said, user_id=user, session_id=name)
            self.acknowledge(user, known)
            found = self.memory.search(f"kayak {name}", user_id=user)
            if known not in [item.content for item in found]:
                self.say(wrong=f"{known!r} was not found by its own process: {list(found)}")
            if self.done % 4 == 0:
                city = CITIES[(self.done // 4 + self.number) % len(CITIES)]
                self.memory.add(f"I live in {city}.", user_id="everybody", session_id=name)
            if self.done % 5 == 0:
                item = next(item for item in found if item.content == known)
                text = f"User owns canoe {name}."
                self.acknowledge(user, None, gone=known)  # from now on it may be gone
                self.memory.update(item.memory_id, text, user_id=user)
                self.acknowledge(user, text)
            if self.done % 7 == 0:
                self.memory.import_([{"content": f"User keeps stamp {name}."}], user_id=user)
                self.acknowledge(user, f"User keeps stamp {name}.")

    def acknowledge(self, user: str, text: str | None, gone: str | None = None) -> None:
        self.log.write(json.dumps({"user": user, "text": text, "gone": gone}) + "\n")
        self.log.flush()

    def read(self) -> None:
        """What any process has acknowledged is found, what it replaced is not, nothing is mixed."""
        seen = 0
        while self.is_time_left():
            lines = acknowledged(self.folder)
            for line in [line for line in lines[seen:] if line["text"]][-5:]:
                words = line["text"].split("User ")[1]
                found = self.memory.search(words, user_id=line["user"], top_k=20)
                texts = [item.content for item in found]
                late = {line["gone"] for line in acknowledged(self.folder)}
                if line["text"] not in texts and line["text"] not in late:
                    self.say(wrong=f"{line['text']!r} is acknowledged and not found: {texts}")
                canoes = {text.replace("canoe", "kayak") for text in texts if "canoe" in text}
                if canoes & set(texts):
                    self.say(wrong=f"replaced, and found beside what replaced it: {texts}")
                self.done += 1
            seen = len(lines)
            homes = self.memory.list(user_id="everybody", layers=["L2"])
            if any("kayak" in item.content for item in homes):
                self.say(wrong=f"another user's memory: {homes}")

    def work(self) -> None:
        """Do what the others queue."""
        while self.is_time_left():
            self.memory.flush(timeout=5)
            self.done += 1

    def end(self) -> None:
        self.memory.close()
        self.say(done=self.done)


def acknowledged(folder: Path) -> list[dict[str, Any]]:
    """All that any process has acknowledged; a line that is being written is left for later."""
    lines = []
    for path in sorted(folder.glob("*.log")):
        for line in path.read_text().splitlines(keepends=True):
            if line.endswith("\n"):
                lines.append(json.loads(line))
    return lines


def main() -> None:
    roles, number, seconds, folder, settings = sys.argv[1:]
    child = Child(int(number), float(seconds), Path(folder), json.loads(settings))
    for role in roles.split("+"):
        getattr(child, role)()
    child.end()


if __name__ == "__main__":
    main()
