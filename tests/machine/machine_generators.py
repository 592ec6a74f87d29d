"""What the machine may say, and to whom: few words, so that they are said again and again."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

USERS = ("one", "two")
CITIES = ("Porto", "Braga", "Faro")


@dataclass(frozen=True)
class Thing:
    """A statement about one user, whose last word is of that user alone."""

    user: str
    word: str
    said: str
    known: str


def thing(user: str, word: str) -> Thing:
    """In English or in Chinese, as the word is."""
    own = f"{word}{user}"
    if word.isascii():
        return Thing(user, own, f"I own a {own}.", f"User owns a {own}.")
    return Thing(user, own, f"我喜欢喝{own}。", f"用户喜欢喝{own}。")


users = st.sampled_from(USERS)
cities = st.sampled_from(CITIES)
things = st.builds(thing, users, st.sampled_from(("kayak", "loom", "drum", "咖啡", "绿茶")))
#: What is only imported: nothing that is said reads like it.
stamps = st.builds(
    lambda user, word: Thing(user, f"{word}{user}", "", f"User keeps the stamp {word}{user}."),
    users,
    st.sampled_from(("alpha", "beta", "邮票")),
)
