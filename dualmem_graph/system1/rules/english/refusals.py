"""What is no statement about anybody's life: questions, wishes, commands, quotes, code.

Each test is on one tidied sentence, except :func:`own_words`, which takes a whole turn and leaves
out what the speaker only passes on.
"""

from __future__ import annotations

import re

_CODE_BLOCK = re.compile(r"```.*?(?:```|\Z)|`[^`\n]+`", re.DOTALL)
_QUOTED_LINE = re.compile(r"^\s*>.*$", re.MULTILINE)
_CODE_LINE = re.compile(
    r"[{};]\s*$|^\s*(?:def|class|import|from \w+ import|return|function|var|let|const"
    r"|public|#include"
    r"|SELECT|INSERT|\$|>>>|sudo|pip|npm|git)\b.*|\w+\([^)]*\)\s*[;{:]?\s*$|==|!=|=>|->"
    r"|::|</?\w+>|\w+\s=\s\S"
    r"|^\s*at \S+\(|Traceback|\b\w+(?:Error|Exception)\b|^\s*[\[{]|https?://\S+$"
)
_TASK = (
    r"translate|rewrite|re-write|proofread|proof-read|summari[sz]e|paraphrase|rephrase"
    r"|edit|correct|fix"
    r"|polish|improve|shorten|classify|analy[sz]e|explain|review|check|grade|format"
    r"|convert|parse|debug"
    r"|complete|continue|respond to|reply to|answer|extract|draft|write|compose|generate"
    r"|create|make"
)
# "Translate this: …", "Here's my essay: …": what follows is somebody's text, not a statement.
_TASK_TEXT = re.compile(
    r"^(?:please\s+|can you\s+|could you\s+|would you\s+|hey,?\s+"
    rf"|now\s+)*(?:{_TASK})\b[^.:?!\n]*[:\n]",
    re.IGNORECASE | re.MULTILINE,
)
_MY_DRAFT = re.compile(
    r"(?:here(?:'s| is)|this is|below is)\s+(?:the|my|an?|our)\s+(?:\w+\s+){0,3}"
    r"(?:email|e-mail|essay|letter|text|draft|story|poem|paragraph|code|log|output|error"
    r"|article|post"
    r"|message|transcript|lyrics|sentence|resume|cv|cover letter|script|prompt)\b[^.\n]{0,40}:",
    re.IGNORECASE,
)
_ROLE_PLAY = re.compile(
    r"^\W*(?:please\s+|let's\s+)?(?:pretend|imagine|role-?play|act as|act like|suppose"
    r"|you are (?:a|an|now)\b"
    r"|let's (?:say|pretend|imagine|play)|i want you to (?:act|be|play|pretend)"
    r"|from now on,? you)",
    re.IGNORECASE,
)
_QUESTION_START = re.compile(
    r"^(?:who|whom|whose|what|which|when|where|why|how)\b(?! (?:I|we) (?:was|were|am|got"
    r"|moved|grew)\b)"
    r"|^(?:is|are|am|was|were|do|does|did|can|could|will|would|should|shall|may|might"
    r"|has|have)\s+"
    r"(?:I|you|we|he|she|they|it|this|that|there|my|your|the|any|anyone)\b"
    r"|^(?:any|got any|wanna|want to|how about|what about)\b.*\?",
    re.IGNORECASE,
)
_HYPOTHETICAL = re.compile(
    r"^(?:if|what if|unless|suppose|supposing|imagine|assume|assuming|let us say|let's say|say I"
    r"|in case|provided|hypothetically|maybe|perhaps|whether)\b"
    r"|\bif (?:I|we) (?:were|was|had|lived|could|won|did)\b|\b(?:I|we) wish\b"
    r"|\bwish (?:I|we)\b|\bif only\b",
    re.IGNORECASE,
)
_IMPERATIVE = re.compile(
    r"^(?:please\b|kindly\b|let us\b|let's\b|lets\b|let me know\b|do not\b|don't\b"
    r"|never mind\b|nevermind\b"
    r"|try (?:again|it|to|this|the)\b|(?:give|tell|show|help|send|remind|teach|ask|find"
    r"|get|suggest|recommend|list|explain"
    r"|describe|write|make|create|generate|translate|summari[sz]e|rewrite|fix|run|rerun"
    r"|check|look at|look up"
    r"|search|use|add|remove|delete|change|update|forget|stop|start|open|close|play|set"
    r"|turn|keep|take|consider"
    r"|go ahead|continue|repeat|compare|convert|calculate|compute|solve|analy[sz]e|draft"
    r"|plan|book|order|call"
    r"|think|guess|imagine|remember|note|save|wait|hold on|hang in|come on|feel free"
    r"|enjoy|have a (?:great|good|nice)"
    r"|good luck|take care|see you|talk soon|stay|sounds|looks like|check out)\b"
    r"(?! (?:me|my|I)\b.*\b(?:a lot|often)\b))",
    re.IGNORECASE,
)
#: Verbs of opinion and politeness: what hangs on them is not asserted, or is not about a life.
_HEDGE = re.compile(
    r"^(?:I|we)(?: \w+ly| just| really| still| also| do| do not| did not| cannot| can"
    r"| would| will| am| was)*"
    r" (?:think|thought|guess|suppose|wonder|wondering|believe|bet|assume|imagine"
    r"|hope you|hope that|hope it"
    r"|hope this|know|knew|mean|meant|see|understand|understood|agree|disagree"
    r"|appreciate|doubt|wish|figure|figured"
    r"|thank|apologi[sz]e|sure|certain|feel like|feel that|feel you|glad|sorry|kidding"
    r"|joking|curious|asking"
    r"|ask|say|said|suggest|recommend|expect|hear you|got you|got it|get it|hear that"
    r"|have no idea|not sure"
    r"|afraid (?:that|I|not|so)|happy to|happy for|happy you|happy that|able to|wondered)\b",
    re.IGNORECASE,
)
#: Hedges that nevertheless may carry a statement about oneself.
_HEDGE_EXCEPT = re.compile(
    r"\bbelieve in\b|\bappreciate (?:\w+ ){0,2}(?:music|art|nature|poetry|silence)\b"
    r"|\b(?:I|we) (?:know|knew) how to\b|\b(?:I|we) (?:saw|see) (?:a|the"
    r"|my) (?:therapist|doctor|dentist)\b",
    re.IGNORECASE,
)
_UNCERTAIN = re.compile(
    r"\b(?:could|should|might|(?-i:may)|maybe|perhaps|supposedly|would(?! (?:love|rather"
    r"|prefer|like to "
    r"(?:visit|learn|travel|become|move|live|study|own)))|ought|possibly|probably should)\b",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"\b(?:I|we) (?:need|want|would like|am looking|require|was hoping|were hoping"
    r"|was looking|have)"
    r"(?: (?:some|your|more|any|a bit of|a little))*"
    r" (?:help|advice|assistance|you to|tips|information|info|suggestions?"
    r"|recommendations?|to know"
    r"|to ask|to understand|to see (?:if|the|how|a)|clarification|for (?:some "
    r"|any )?(?:advice|help|tips|ideas|information|inspiration|recommendations?"
    r"|suggestions?|something|a (?:good|nice|way|place to|recipe|book|list|tool|library"
    r"|template|word|synonym))|ideas?|an? (?:table|list|answer|summary|explanation"
    r"|example"
    r"|script|function|plan|schedule|recipe|question|questions|problem with (?:my|the"
    r"|this) code|code)"
    r"|questions?|to (?:create|write|generate|calculate|compute|convert|sort|parse"
    r"|find out|implement|debug"
    r"|fix|make sure|check|discuss|talk|figure|add|use|format|plot|analy[sz]e|translate))\b"
    r"|\b(?:I|we) would like\b(?! to (?:visit|learn|travel|become|move|live|study|own))",
    re.IGNORECASE,
)
_QUOTE = re.compile(r'"([^"]*)(?:"|$)')
_OWN_WORD = re.compile(r"\b(?:I|my|me|we|our)\b")


def own_words(text: str) -> str:
    """A turn without code, quoted lines, pasted drafts and role play; ``""`` if nothing is left.

    Example:
        >>> own_words("Translate this to French: I live in Berlin.")
        ''
    """
    if _ROLE_PLAY.match(text):
        return ""
    text = _QUOTED_LINE.sub(" ", _CODE_BLOCK.sub(" ", text)) if "`" in text or ">" in text else text
    for pattern in (_TASK_TEXT, _MY_DRAFT):
        match = pattern.search(text)
        if match:
            text = text[: match.start()]
    return "\n".join(line for line in text.splitlines() if not _CODE_LINE.search(line)).strip()


def is_question(sentence: str) -> bool:
    """Whether a whole sentence asks, with or without its mark."""
    return sentence.rstrip(" )\"'!").endswith("?") or bool(_QUESTION_START.match(sentence))


def starts_question(clause: str) -> bool:
    """Whether a clause opens like a question ("can you …", "any tips …")."""
    return bool(_QUESTION_START.match(clause))


def is_hypothetical(sentence: str) -> bool:
    """Whether the sentence supposes or wishes rather than says."""
    return bool(_HYPOTHETICAL.search(sentence))


def is_command(sentence: str) -> bool:
    """Whether the sentence tells the other side to do something."""
    return bool(_IMPERATIVE.match(sentence))


def is_unsure(clause: str) -> bool:
    """Whether a clause is hedged, polite, modal or a request, so that nothing is asserted."""
    if _HEDGE.match(clause) and not _HEDGE_EXCEPT.search(clause):
        return True
    return bool(_UNCERTAIN.search(clause) or _REQUEST.search(clause))


def quotes_somebody(clause: str) -> bool:
    """Whether the clause holds direct speech with its own "I"."""
    if '"' not in clause:
        return False
    return any(_OWN_WORD.search(quote) for quote in _QUOTE.findall(clause))
