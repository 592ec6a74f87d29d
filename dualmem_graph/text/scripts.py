"""Character classes of writing systems, as bodies of regular-expression sets.

They are shared by everything in this folder, so that a character that counts as Chinese when a
language is guessed is also cut into n-grams when it is indexed.
"""

from __future__ import annotations

#: Chinese characters (also in Japanese text): unified ideographs, extensions, compatibility forms.
HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"

#: Hiragana and Katakana with their length and iteration marks.
KANA = "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"

#: Korean syllables and the letters they are made of.
HANGUL = "\uac00-\ud7a3\u1100-\u11ff\u3131-\u318e"

#: Scripts that put no spaces between words besides the three above: Thai, Lao, Myanmar, Khmer,
#: and Chinese phonetic letters.
OTHER_UNSPACED = "\u0e01-\u0e4e\u0e81-\u0ece\u1000-\u109f\u1780-\u17d3\u3105-\u312f"

#: Everything that is cut into character n-grams instead of words.
UNSPACED = HAN + KANA + HANGUL + OTHER_UNSPACED

#: Combining marks that belong to a word but are no letters for Python's ``\\w``: Latin accents,
#: Hebrew and Arabic vowel points, and the vowel signs of the Indic scripts.
MARKS = (
    "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0903\u093a-\u094f\u0951-\u0957"
    "\u0962\u0963\u0981-\u0dff"
)

#: Emoji and pictographs, without the modifiers that only colour them.
EMOJI = (
    "\u231a-\u23ff\u2600-\u27bf\u2b05-\u2b55\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa"
    "\U0001f400-\U0001faff"
)

#: The letters that flags are spelled with, two for each.
FLAG_LETTERS = "\U0001f1e6-\U0001f1ff"
