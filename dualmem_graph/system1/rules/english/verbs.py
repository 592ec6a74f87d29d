"""English verb forms: which word is a verb, in which form, and its other forms.

A table of the irregular verbs and a list of the common regular ones; everything else is judged by
its ending. No tagger is needed for what the rules ask: find the verb after a known subject, tell
past from present, and put it in the third person.
"""

from __future__ import annotations

from functools import lru_cache

from dualmem_graph.system1.rules.wordlist import word_set

# base: past forms (several where usage varies) / participle where it differs from the past
_IRREGULAR = """
awake:awoke/awoken bear:bore/borne beat:beat/beaten become:became/become begin:began/begun
bend:bent bet:bet bid:bid bind:bound bite:bit/bitten bleed:bled blow:blew/blown break:broke/broken
breed:bred bring:brought broadcast:broadcast build:built burn:burnt,burned burst:burst buy:bought
catch:caught choose:chose/chosen cling:clung come:came/come cost:cost creep:crept cut:cut
deal:dealt dig:dug dive:dove,dived draw:drew/drawn dream:dreamt,dreamed drink:drank/drunk
drive:drove/driven eat:ate/eaten fall:fell/fallen feed:fed feel:felt fight:fought find:found
fit:fit flee:fled fling:flung fly:flew/flown forbid:forbade/forbidden forget:forgot/forgotten
forgive:forgave/forgiven freeze:froze/frozen get:got/gotten give:gave/given go:went/gone
grind:ground grow:grew/grown hang:hung hear:heard hide:hid/hidden hit:hit hold:held hurt:hurt
keep:kept kneel:knelt knit:knit,knitted know:knew/known lay:laid lead:led lean:leant,leaned
leap:leapt learn:learnt,learned leave:left lend:lent let:let light:lit lose:lost make:made
mean:meant meet:met mow:mowed/mown outgrow:outgrew/outgrown overcome:overcame/overcome
oversleep:overslept pay:paid prove:proved/proven put:put quit:quit read:read rebuild:rebuilt
redo:redid/redone rid:rid ride:rode/ridden ring:rang/rung rise:rose/risen run:ran/run
say:said see:saw/seen seek:sought sell:sold send:sent set:set sew:sewed/sewn shake:shook/shaken
shed:shed shine:shone shoot:shot show:showed/shown shrink:shrank/shrunk shut:shut sing:sang/sung
sink:sank/sunk sit:sat sleep:slept slide:slid sow:sowed/sown speak:spoke/spoken spend:spent
spill:spilt,spilled spin:spun split:split spoil:spoilt,spoiled spread:spread spring:sprang/sprung
stand:stood steal:stole/stolen stick:stuck sting:stung strike:struck strive:strove/striven
swear:swore/sworn sweep:swept swell:swelled/swollen swim:swam/swum swing:swung take:took/taken
teach:taught tear:tore/torn tell:told think:thought throw:threw/thrown undergo:underwent/undergone
understand:understood undo:undid/undone upset:upset wake:woke/woken wear:wore/worn weave:wove/woven
weep:wept win:won wind:wound withdraw:withdrew/withdrawn write:wrote/written
"""
_REGULAR = """
accept access accompany achieve acquire act adapt add admire admit adopt adore advise afford age
agree aim allow amaze announce annoy answer apologize apologise appear apply appoint appreciate
approve argue arrange arrive ask assemble assist attend audition avoid babysit bake bathe battle
believe belong bike blame blend blog boil book borrow bother breathe brew browse brush budget bully
buzz call camp cancel care carry cause celebrate change charge chase chat cheat check cheer chew
chop claim clean clear climb close coach code collect combine commute compete complain complete
compose concentrate confess confirm connect consider consult contact contain continue contribute
control convert convince cook cope copy count cover crash create crochet cross cry curate cycle
damage dance date daydream decide declare decline decorate dedicate delay delete deliver demand deny
depend describe deserve design despise destroy detest develop die diet disagree disappear discover
discuss dislike ditch divide divorce document doubt download draft drag dread dress drop dry earn
edit embarrass embrace employ empty enable encourage end endure enjoy enlist enroll enrol ensure
enter entertain envy escape establish evacuate examine exchange excite excuse exercise exist expand
expect experience experiment explain explore express extend face fail fast fear fetch fill film
finish fish fix fold follow forage foster frame frighten fund gain gamble garden gather
graduate greet grill guard guess guide hand handle happen harvest hate haul head heal help hesitate
hike hire hope host hug hunt hurry identify ignore imagine impress improve include increase infect
influence inform inherit injure install intend interview introduce invent invest investigate invite
iron jog join joke judge juggle jump kayak kick kiss knock label lack land last laugh launch
lecture lift like limit list listen live loathe lock log long look love maintain major manage march
mark marry match matter measure meditate memorize memorise mention mentor merge milk mind miss mix
moderate mop motivate mountaineer move multiply name nap need negotiate nod note notice nurse obey
observe obtain offend offer open operate order organize organise outline owe own pack paint park
participate pass pause perform persuade phone photograph pick place plan plant play please plug
point polish post pot pour practice practise praise pray preach prefer prepare present preserve
press pretend prevent print produce program promise promote protect provide publish pull pump punch
purchase push qualify question queue race raise reach react realize realise rebuild receive
recognize recognise recommend record recover recycle reduce refuse register regret rehearse reject
relate relax release relocate rely remain remember remind remodel remove renew renovate rent repair
repeat replace reply report rescue research resent reside resign respect respond rest restore
result retire retrain return reunite reveal review reward roast rock roll row rub ruin rush sail
salsa save scare schedule scold score scratch scream sculpt search season separate serve settle
share shave shelter shift shiver shop shout sign sketch ski skate skateboard skip skydive slip
slow smell smile smoke snack sneeze snore snorkel snowboard socialize socialise solve sort sound
specialize specialise sponsor spot sprain squeeze stack staff stammer stamp stare start stay steer
step stir stop store strain stream strengthen stretch struggle study stumble submit subscribe
succeed suffer suggest suit supply support suppose surf surprise surrender suspect switch talk tap
taste tempt tend test text thank tick tie till tire toast touch tour trace track trade train
transfer transform translate transition transport trap travel treat trek tremble trip trouble trust
try turn tutor twist type unite unlock unpack update upgrade use vacation value visit vlog
volunteer vote wait walk wander want warm warn wash waste watch water wave weigh welcome whisper
whistle wish witness wonder work worry wrap wreck wrestle yell
"""
#: Words that open a finite predicate whatever follows.
AUXILIARIES = word_set(
    "am are is was were has have had do does did will would can could shall should may "
    "might must "
    "cannot ought need dare 's 're 'm 've"
)
MODALS = word_set("will would can could shall should may might must cannot")
#: Past and base form are one; the past is meant unless the sentence speaks of a habit.
SAME_PAST = word_set(
    "beat bet bid broadcast burst cost cut fit hit hurt knit let put quit read rid set shed shut "
    "split spread upset"
)
_S_ENDINGS = ("s", "x", "z", "ch", "sh", "o")
_SHORTEST = 4


def _tables() -> tuple[dict[str, str], dict[str, str], frozenset[str]]:
    past: dict[str, str] = {"was": "be", "were": "be", "had": "have", "did": "do"}
    participle: dict[str, str] = {"been": "be", "had": "have", "done": "do"}
    bases = {"be", "have", "do", *_REGULAR.split()}
    for entry in _IRREGULAR.split():
        verb, _, forms = entry.partition(":")
        pasts, _, participles = forms.partition("/")
        bases.add(verb)
        past.update((form, verb) for form in pasts.split(","))
        participle.update((form, verb) for form in (participles or pasts).split(","))
    return past, participle, frozenset(bases)


_PAST, _PARTICIPLE, BASES = _tables()
#: Words that look like a regular past and are none.
_NOT_PAST = word_set(
    "need feed speed bleed breed seed weed exceed proceed succeed embed indeed red bed "
    "shed hundred "
    "naked sacred wicked wed kindred"
)


def is_past(word: str) -> bool:
    """Whether ``word`` (lower case) can be a verb in the simple past."""
    if word in _PAST:
        return True
    return len(word) >= _SHORTEST and word.endswith("ed") and word not in _NOT_PAST


def is_irregular_past(word: str) -> bool:
    """Whether ``word`` is in the table of irregular pasts."""
    return word in _PAST


def is_participle(word: str) -> bool:
    """Whether ``word`` can be a past participle."""
    return word in _PARTICIPLE or is_past(word)


@lru_cache(maxsize=4096)
def third_singular(verb: str) -> str:
    """``live`` → ``lives``, ``go`` → ``goes``, ``study`` → ``studies``, ``have`` → ``has``."""
    special = {"be": "is", "am": "is", "are": "is", "have": "has", "were": "was"}
    if verb in special:
        return special[verb]
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return verb[:-1] + "ies"
    if verb == "quiz":
        return "quizzes"
    return verb + ("es" if verb.endswith(_S_ENDINGS) else "s")


@lru_cache(maxsize=4096)
def base_form(word: str) -> str:
    """The base form of any form of a verb: ``goes``, ``going``, ``went``, ``gone`` → ``go``.

    A word that no rule explains comes back as it is.
    """
    if word in BASES:
        return word
    if word in {"is", "am", "are", "was", "were", "been", "being"}:
        return "be"
    if word == "has":
        return "have"
    if word in _PAST:
        return _PAST[word]
    if word in _PARTICIPLE:
        return _PARTICIPLE[word]
    if word.endswith("ing") and len(word) > _SHORTEST:
        return _restem(word[:-3])
    if word.endswith("ied"):
        return word[:-3] + "y"
    if word.endswith("ed") and len(word) >= _SHORTEST:
        return _restem(word[:-2])
    return _from_third(word)


def is_third(word: str) -> bool:
    """Whether ``word`` is the third person singular of a verb we know."""
    return word in {"is", "has", "does", "was"} or (
        word.endswith("s") and word not in BASES and _from_third(word) in BASES
    )


def is_finite(word: str) -> bool:
    """Whether ``word`` (lower case) can open a predicate of a third person subject."""
    return word in AUXILIARIES or is_third(word) or is_past(word)


def _from_third(word: str) -> str:
    if word.endswith("ies"):
        return word[:-3] + "y" if word != "dies" else "die"
    if word.endswith("es") and word[:-2] in BASES and word[:-2].endswith(_S_ENDINGS):
        return word[:-2]
    if word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


def _restem(stem: str) -> str:
    """The base of a stem that lost ``-ing`` or ``-ed``: add ``e``, undouble, or leave it."""
    if stem in BASES:
        return stem
    if stem + "e" in BASES:
        return stem + "e"
    if len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] not in "sl":
        return stem[:-1]
    if stem[:-1] in BASES and stem[-1:] == stem[-2:-1]:
        return stem[:-1]
    if stem.endswith("y") and stem[:-1] + "ie" in BASES:
        return stem[:-1] + "ie"
    # "emigrat-", "commut-", "argu-", "solv-": a mute e was lost; "kayak-", "mountaineer-": not.
    if stem.endswith(("at", "ut", "iz", "iv", "lv", "rs", "uc", "ag", "u")):
        return stem + "e"
    return stem
