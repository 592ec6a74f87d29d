"""What frames a sentence without being part of it: openers and closers."""

from __future__ import annotations

import re

_OPENER = re.compile(
    r"^(?:"
    r"(?:hey|hi|hello|hiya|yo|good (?:morning|evening|afternoon))\b(?: there| again"
    r"| everyone| all| guys)?"
    r"(?: [A-Z][\w'-]+(?=[,!.:—–-]))?"
    r"|(?:many |so many )?thanks\b(?: so much| a lot| a ton| a bunch| again)?(?:,? [A-Z][\w'-]+)?"
    r"|thank you\b(?: so much| very much)?(?:,? [A-Z][\w'-]+)?"
    r"|(?:yeah|yes|yep|yup|nope|no|nah|sure|ok|okay|right|well|so|oh|ah|aww?|wow|whoa"
    r"|woah|haha+|hehe+|lol"
    r"|lmao|omg|hmm+|um+|uh+|ugh|btw|by the way|anyway|anyways|also|plus|additionally"
    r"|tbh|fyi|ps|honestly"
    r"|actually|basically|to be (?:fair|honest)|in fact|of course|absolutely|definitely|totally"
    r"|exactly|indeed|sorry|oops|i mean|you know|look|listen|guess what|fun fact"
    r"|quick update|update"
    r"|just (?:fyi|so you know)|for (?:context|the record|your information|what it's worth)"
    r"|the thing is|truth is|turns out(?: that)?|as (?:i|I) (?:said|mentioned)(?: before"
    r"| earlier)?"
    r"|let me tell you(?: that)?|let me think|good news|bad news|big news|luckily"
    r"|unfortunately|sadly|fortunately"
    r"|thankfully|hopefully|apparently|long story short|first(?: of all)?|secondly"
    r"|finally|oh my god|man"
    r"|dude|bro|true|same here|me too|cool|nice|great|awesome|amazing|congrats|and|but"
    r"|or|because|personally"
    r"|lately)(?=\W)"
    r"|(?:I|i) (?:have to|must|should|gotta|need to) (?:say|admit|mention|confess"
    r"|add)(?: that)?(?=\W)"
    r"|(?:I|i) forgot to (?:say|mention|tell you)(?: that)?(?=\W)"
    r"|(?:I|i) (?:already )?(?:told|said to) you(?: that)?(?=\W)"
    r"|(?:I|i) (?:just )?wanted to (?:say|tell you|mention|let you know)(?: that)?(?= I\b| my\b)"
    r"|just wanted to (?:say|tell you|let you know)(?: that)?(?= I\b| my\b)"
    r"|(?:I|i) (?:just )?(?:heard|found out)(?: that)?(?= [A-Z])"
    r")[\s,!.:;—–-]*",
    re.IGNORECASE,
)
_LONE_MARK = re.compile(r"^[\s,!.:;—–)(-]+")
_CLOSER = re.compile(
    r"(?:[\s,]+(?:lol|haha+|hehe+|lmao|tho|though|btw|by the way|you know|tbh|fyi|ha|xd|i guess"
    r"|actually|honestly|to be honest|of course|as you know|as well|please|thanks"
    r"|thank you|so yeah|so far so good|speaking of which|speaking of"
    r"|etc|and stuff|and all|or something|or whatever|for now|too|yay|phew)|,\s*(?:man"
    r"|dude|bro|mate|right|ok|okay)"
    r"|,\s*(?:(?:a bit|a little|so|really|very|super|pretty|quite)\s+)?(?:nervous"
    r"|excited|stoked|scared|happy|anxious|tired|sad|proud))*[\s.!?,;:…~]*$",
    re.IGNORECASE,
)
_MAX_OPENERS = 6


def strip_openers(sentence: str, partner: str = "") -> str:
    """Take away greetings, interjections and vocatives in front of the statement.

    Args:
        partner: the name of who is spoken to; "Mel, I moved" loses it.
    """
    sentence = _LONE_MARK.sub("", sentence)
    for _ in range(_MAX_OPENERS):
        match = _OPENER.match(sentence)
        if match and match.end() < len(sentence) and not _is_content(match[0], sentence):
            sentence = _LONE_MARK.sub("", sentence[match.end() :])
            continue
        if partner:
            vocative = re.match(rf"{re.escape(partner[:3])}\w*\s*[,!.—–-]+\s*", sentence)
            if vocative and vocative.end() < len(sentence):
                sentence = sentence[vocative.end() :]
                continue
        break
    return sentence


def _is_content(opener: str, sentence: str) -> bool:
    """Whether what looks like an opener is part of the sentence ("no longer", "so many")."""
    rest = sentence[len(opener) :]
    word = opener.strip().lower().rstrip(",.!")
    if opener.rstrip() != opener.rstrip(",.!:;—–-"):
        return False  # a mark follows the opener
    if word in {"no", "first", "great", "nice", "true", "same here", "man", "right", "lately"}:
        return not re.match(r"(?:I|we|my)\b", rest)
    if word in {"so", "well", "look", "because", "finally", "just", "good news", "cool", "awesome"}:
        return not re.match(
            r"(?:I|we|my|our|he|she|they|yesterday|today|last|the|this)\b", rest, re.I
        )
    return False


def strip_closers(sentence: str, partner: str = "") -> str:
    """Take away the final mark, laughter and vocatives after the statement."""
    if partner:
        sentence = re.sub(rf",\s*{re.escape(partner[:3])}\w*\s*[.!]*$", "", sentence)
    return _CLOSER.sub("", sentence).strip()
