"""Word lists of the English rules: adverbs, kin, trades, pets, things, traits, tongues."""

from __future__ import annotations

from dualmem_graph.system1.rules.wordlist import word_set

#: Adverbs that may stand between subject and verb and change nothing for a rule.
LIGHT_ADVERBS = word_set(
    "also just really still now currently actually already absolutely totally definitely truly "
    "simply honestly personally kinda quite basically literally recently lately "
    "finally only even "
    "once both all presently officially completely deeply genuinely particularly especially "
    "probably obviously clearly suddenly eventually originally first later then instead together "
    "always secretly largely mainly primarily soon pretty very so super too rather mostly "
    "happily proudly fully barely almost nearly nowadays today long unfortunately sadly luckily "
    "thankfully apparently certainly sure kind sort of never ever usually often sometimes rarely "
    "seldom generally normally typically regularly occasionally frequently constantly hardly "
    "accidentally immediately quickly slowly"
)
#: Adverbs that say how often: what follows is a habit.
FREQUENCY = word_set(
    "always usually often sometimes rarely seldom generally normally typically regularly "
    "occasionally frequently constantly mostly never"
)
#: Fillers that a statement is better without.
FILLERS = word_set("actually basically literally honestly kinda obviously apparently")
#: Relations, with the pronoun that fits ("" where any may).
RELATIONS = {
    **dict.fromkeys(
        word_set(
            "husband boyfriend brother father dad daddy papa son grandfather grandpa "
            "granddad uncle "
            "nephew stepfather stepdad stepson stepbrother grandson fiancé hubby godfather groom"
        ),
        "he",
    ),
    **dict.fromkeys(
        word_set(
            "wife girlfriend sister mother mom mum mommy mummy mama daughter grandmother grandma "
            "granny nana gran aunt auntie niece stepmother stepmom stepdaughter stepsister "
            "granddaughter fiancée goddaughter godmother bride wifey"
        ),
        "she",
    ),
    **dict.fromkeys(
        word_set(
            "partner spouse fiance cousin friend buddy pal mate bestie roommate "
            "flatmate housemate "
            "colleague coworker co-worker boss manager supervisor mentor neighbour "
            "neighbor teacher "
            "coach tutor trainer therapist doctor dentist landlord landlady client kid "
            "child baby "
            "toddler sibling twin grandchild godson ex ex-wife ex-husband "
            "ex-girlfriend ex-boyfriend "
            "classmate teammate student parent in-law mother-in-law father-in-law sister-in-law "
            "brother-in-law teen teenager"
        ),
        "",
    ),
    **dict.fromkeys(
        word_set(
            "kids children parents grandparents siblings brothers sisters sons "
            "daughters twins friends "
            "cousins neighbours neighbors colleagues coworkers in-laws grandkids grandchildren "
            "roommates flatmates family folks students boys girls nephews nieces uncles aunts"
        ),
        "they",
    ),
}
#: Kin of whom a person has one: the relation alone is the key.
SINGLE_KIN = word_set(
    "husband wife spouse partner mother mom mum father dad boyfriend girlfriend fiance fiancé "
    "fiancée"
)
KIN = word_set(
    "sister brother sibling son daughter kid child baby toddler twin cousin niece nephew aunt "
    "uncle grandmother grandfather grandma grandpa grandson granddaughter grandchild stepson "
    "stepdaughter stepbrother stepsister stepmother stepfather half-brother half-sister "
    "mother father mom mum dad husband wife partner boyfriend girlfriend fiance fiancé fiancée "
    "grandkid godson goddaughter roommate flatmate family"
)
PARTNERS = word_set("husband wife partner spouse boyfriend girlfriend fiance fiancé fiancée")
PETS = word_set(
    "dog puppy pup cat kitten kitty parrot parakeet budgie cockatiel canary rabbit bunny hamster "
    "gerbil guinea-pig ferret rat mouse snake python gecko lizard iguana chameleon "
    "turtle tortoise "
    "fish goldfish betta axolotl frog horse pony goat sheep lamb pig chicken hen "
    "rooster duck goose "
    "alpaca llama donkey tarantula hedgehog chinchilla bird pet greyhound whippet "
    "labrador retriever "
    "beagle poodle corgi dachshund husky collie terrier spaniel bulldog pug chihuahua shepherd "
    "dalmatian rottweiler schnauzer shiba akita tabby siamese ragdoll sphynx "
    "newfoundland labradoodle "
    "lab mutt hound malamute samoyed pomeranian shih-tzu maltese boxer mastiff pitbull"
)
#: Things that one can be said to have; "has a question" is no possession.
THINGS = word_set(
    "car bike bicycle motorbike motorcycle scooter van truck boat sailboat kayak canoe "
    "house home "
    "flat apartment condo cabin cottage farm garden greenhouse balcony garage workshop studio "
    "caravan campervan rv tent laptop computer macbook pc phone iphone tablet ipad kindle camera "
    "drone printer tv piano guitar violin cello ukulele accordion saxophone flute drum keyboard "
    "telescope microscope tattoo piercing scar ring collection library record-player turntable "
    "ps5 xbox switch playstation surfboard snowboard skateboard treadmill loom kiln oven smoker "
    "grill espresso-machine vineyard orchard beehive allotment pool sauna tesla skoda bmw vespa "
    "licence license permit passport visa toyota honda ford volvo audi subaru mustang "
    "jeep necklace watch backpack sewing-machine "
    "blog podcast channel website shop store business company restaurant bakery cafe"
)
VEHICLES = word_set("car van truck pickup")
#: Conditions that one "has"; others are found by their ending (-itis, -algia, -emia…).
CONDITIONS = word_set(
    "diabetes asthma migraine migraines epilepsy anxiety depression adhd add autism ptsd ocd "
    "insomnia eczema psoriasis arthritis hypertension anemia anaemia celiac coeliac ibs ibd "
    "crohn's lupus fibromyalgia endometriosis pcos cancer leukemia glaucoma cataracts tinnitus "
    "vertigo gout scoliosis osteoporosis hypothyroidism hyperthyroidism dyslexia dyspraxia "
    "narcolepsy tourette's parkinson's alzheimer's dementia copd reflux gerd sciatica hayfever "
    "dandruff rosacea synesthesia aphantasia"
)
CONDITION_ENDINGS = (
    "itis",
    "algia",
    "emia",
    "aemia",
    "osis",
    "opathy",
    "phobia",
    "plegia",
    "pathy",
)
CONDITION_HEADS = word_set(
    "disease disorder syndrome pressure cholesterol fever pain condition intolerance arrhythmia "
    "murmur deficiency apnea apnoea palsy sclerosis disability injury hernia"
)
#: Trades that no ending gives away.
TRADES = word_set(
    "nurse chef cook judge coach pilot tailor clerk guide host hostess maid nanny au-pair "
    "architect accountant assistant consultant analyst scientist artist pharmacist journalist "
    "doctor vet veterinarian surgeon physician dentist lawyer attorney paralegal solicitor "
    "barrister professor lecturer librarian musician magician electrician technician dietician "
    "dietitian optician politician paramedic mechanic critic medic cop policeman policewoman "
    "fireman firefighter soldier sailor marine mayor priest pastor monk nun imam rabbi vicar "
    "secretary receptionist midwife housewife househusband homemaker freelancer intern "
    "apprentice "
    "trainee student undergrad postdoc ceo cto cfo founder cofounder co-founder entrepreneur "
    "businessman businesswoman salesman saleswoman salesperson spokesperson fisherman postman "
    "mailman craftsman tradesman cameraman stuntman barista sommelier stylist florist "
    "model actor "
    "actress author poet composer conductor director producer editor translator interpreter "
    "inspector contractor sculptor investor realtor auditor adjuster actuary carpenter plumber "
    "welder roofer bricklayer blacksmith locksmith potter baker butcher brewer farmer gardener "
    "herbalist beekeeper zookeeper housekeeper bookkeeper shopkeeper engineer "
    "programmer developer "
    "designer illustrator animator photographer filmmaker videographer writer "
    "copywriter reporter "
    "blogger youtuber streamer influencer singer dancer choreographer drummer guitarist pianist "
    "violinist cellist dj teacher tutor trainer instructor counselor counsellor therapist "
    "psychologist psychiatrist physiotherapist chiropractor hygienist radiographer biologist "
    "chemist physicist geologist economist statistician mathematician historian archaeologist "
    "anthropologist linguist philosopher meteorologist astronomer banker broker trader teller "
    "cashier waiter waitress bartender driver courier trucker dispatcher conductor steward "
    "stewardess attendant manager supervisor foreman administrator coordinator planner "
    "strategist "
    "recruiter officer detective guard bodyguard ranger lifeguard diver miner logger lumberjack "
    "surveyor researcher academic scholar diplomat ambassador senator activist organizer "
    "bookseller librarian curator archivist conservator restorer upholsterer seamstress tiler "
    "painter decorator landscaper arborist cleaner janitor caretaker caregiver carer babysitter "
    "childminder hairdresser barber beautician masseuse masseur wrestler boxer "
    "footballer athlete "
    "jockey umpire referee scout agent representative specialist executive associate partner "
    "owner landlord sysadmin devops handyman lead principal headteacher headmaster dean"
)
#: "is an early riser" is no trade although it ends like one.
NOT_TRADES = word_set(
    "member lover fan believer number winner loser riser sleeper eater drinker reader runner "
    "walker hiker swimmer smoker vegetarian vegan person beginner father mother brother sister "
    "daughter foreigner stranger owner newcomer character matter bummer disaster hater nerd "
    "loner introvert survivor beliver supporter gamer killer blocker follower reminder cancer "
    "user customer other pescatarian humanitarian christian italian hungarian brazilian"
)
TRAITS = word_set(
    "introvert extrovert ambivert introverted extroverted shy outgoing left-handed right-handed "
    "ambidextrous colorblind colour-blind color-blind colourblind short-sighted nearsighted "
    "far-sighted perfectionist minimalist workaholic homebody optimist pessimist optimistic "
    "pessimistic stubborn impatient patient organized organised disorganized forgetful religious "
    "atheist agnostic catholic christian muslim jewish buddhist hindu feminist environmentalist "
    "deaf blind dyslexic autistic transgender trans gay lesbian bisexual queer nonbinary "
    "non-binary straight asexual competitive ambitious creative curious punctual messy clumsy "
    "frugal superstitious sensitive bookworm foodie tall short bald teetotal teetotaler sober "
    "claustrophobic bilingual trilingual spontaneous adventurous picky handy tech-savvy chatty "
    "reserved quiet sociable independent cautious risk-averse empathetic"
)
TRAIT_PHRASES = frozenset(
    (
        "night owl",
        "early bird",
        "morning person",
        "evening person",
        "night person",
        "early riser",
        "light sleeper",
        "heavy sleeper",
        "dog person",
        "cat person",
        "people person",
        "picky eater",
        "fast reader",
        "slow reader",
        "team player",
        "control freak",
        "neat freak",
        "clean freak",
        "history buff",
        "movie buff",
        "film buff",
        "music lover",
        "animal lover",
        "dog lover",
        "cat lover",
        "nature lover",
        "single mom",
        "single dad",
        "single mother",
        "single father",
        "single parent",
        "big eater",
        "early adopter",
        "history nerd",
        "trans woman",
        "trans man",
        "visual learner",
    )
)
DIETS = word_set(
    "vegan vegetarian pescatarian veggie plant-based keto gluten-free dairy-free paleo halal "
    "kosher flexitarian omnivore carnivore low-carb pescetarian lactose-free"
)
LANGUAGES = word_set(
    "english spanish french german italian portuguese dutch swedish norwegian danish finnish "
    "icelandic polish czech slovak hungarian romanian bulgarian greek turkish russian ukrainian "
    "serbian croatian slovenian albanian estonian latvian lithuanian arabic hebrew persian farsi "
    "urdu hindi bengali punjabi gujarati marathi tamil telugu kannada malayalam nepali sinhala "
    "thai vietnamese khmer lao burmese malay indonesian tagalog filipino chinese mandarin "
    "cantonese japanese korean mongolian swahili yoruba igbo hausa amharic somali zulu xhosa "
    "afrikaans catalan basque galician irish welsh gaelic scots breton latin esperanto georgian "
    "armenian azerbaijani kazakh uzbek pashto kurdish maltese luxembourgish flemish twi asl "
    "bsl quechua maori hawaiian samoan yiddish creole"
)
INSTRUMENTS = word_set(
    "guitar piano violin viola cello bass drums flute clarinet oboe saxophone sax "
    "trumpet trombone "
    "harp accordion ukulele banjo mandolin keyboard keyboards organ harmonica bagpipes tuba "
    "recorder sitar erhu guzheng lute didgeridoo percussion synth fiddle horn marimba kalimba "
    "theremin zither dulcimer koto shamisen oud djembe"
)
#: Nouns after "has a …" that stand for something to come, once a time is given.
APPOINTMENTS = word_set(
    "appointment meeting exam interview flight test date party deadline wedding "
    "concert game match "
    "race recital presentation conference trip vacation holiday surgery operation "
    "check-up checkup "
    "class lesson performance show rehearsal tournament competition audition session call dinner "
    "lunch reservation booking visit reunion gig festival shoot viewing marathon ceremony event "
    "workshop hearing trial ultrasound scan mri defense defence hike getaway playdate tryout"
)
#: Nouns after "has" that carry nothing of a life.
EMPTY_NOUNS = word_set(
    "question questions problem problems issue issues idea ideas doubt doubts feeling "
    "feelings time "
    "lot lots chance look point something nothing anything everything thing things one ones fun "
    "trouble thought thoughts suggestion suggestions request error clue plan plans way ways day "
    "moment minute second sense blast bit couple few need hope faith goal list file "
    "table dataset "
    "function script class code bug string array variable column document text sentence "
    "paragraph essay task app folder command choice option options reason experience great good"
)
#: Words that begin sentences with a capital and are no names.
NOT_NAMES = word_set(
    "i we you he she it they this that these those there here my our your his her "
    "their its the a "
    "an and but or so because if when while since after before although though as at in on for "
    "with without from to of by about into over under what which who whom whose where why how "
    "yes no not never always sometimes usually often maybe perhaps also just still "
    "even only then "
    "now today tomorrow yesterday tonight please thanks thank sorry hello hi hey wow oh ok okay "
    "well right sure good great nice cool awesome everyone everybody someone somebody nobody "
    "anyone people some any all both each every most many much more less few none nothing "
    "something everything anything monday tuesday wednesday thursday friday saturday sunday "
    "january february march april may june july august september october november december "
    "spring summer autumn fall winter christmas easter life love work home time music dancing "
    "running painting cooking reading writing god english mom dad grandma grandpa "
    "is are was were am has have had do does did can could will would should let lets one two "
    "three"
)
NATIONALITIES = word_set(
    "american british english scottish welsh irish french german italian spanish "
    "portuguese dutch belgian swiss austrian "
    "danish swedish norwegian finnish icelandic polish czech slovak hungarian romanian "
    "bulgarian greek turkish russian "
    "ukrainian serbian croatian bosnian slovenian albanian estonian latvian lithuanian "
    "canadian mexican cuban jamaican "
    "brazilian argentinian argentine chilean colombian peruvian venezuelan ecuadorian "
    "bolivian uruguayan australian "
    "kiwi chinese taiwanese japanese korean vietnamese thai indonesian malaysian "
    "singaporean filipino filipina indian "
    "pakistani bangladeshi nepali iranian iraqi israeli lebanese syrian jordanian "
    "palestinian egyptian moroccan "
    "tunisian algerian nigerian ghanaian kenyan ethiopian ugandan tanzanian zimbabwean "
    "somali senegalese georgian "
    "armenian kazakh mongolian swede dane finn"
)
#: Countries and regions whose capital chat often drops.
COUNTRIES = word_set(
    "ghana nigeria kenya ethiopia egypt morocco tunisia algeria senegal uganda "
    "tanzania rwanda zambia zimbabwe "
    "mexico canada brazil argentina colombia peru venezuela ecuador bolivia uruguay "
    "paraguay cuba jamaica "
    "haiti panama guatemala honduras nicaragua france germany italy spain portugal "
    "belgium netherlands "
    "luxembourg switzerland austria poland czechia slovakia hungary romania bulgaria "
    "greece cyprus croatia "
    "serbia bosnia slovenia albania norway sweden finland denmark iceland ireland "
    "scotland wales england "
    "britain ukraine russia belarus estonia latvia lithuania georgia armenia "
    "azerbaijan kazakhstan "
    "uzbekistan iran iraq syria lebanon israel palestine yemen oman qatar kuwait dubai "
    "india pakistan "
    "bangladesh nepal bhutan thailand vietnam cambodia laos malaysia singapore "
    "indonesia philippines taiwan "
    "japan korea mongolia australia europe asia africa america london paris berlin "
    "tokyo amsterdam lisbon "
    "porto madrid barcelona rome vienna prague budapest dublin oslo stockholm copenhagen helsinki"
)
#: Topics that a statement is tagged with, and the words that give them away.
TOPICS = {
    "travel": word_set(
        "trip travel traveled travelled flew fly flight vacation holiday hotel abroad "
        "airport camping roadtrip "
        "cruise visited visit passport beach island backpacking"
    ),
    "family": word_set(
        "wife husband son daughter kids kid children mother father mom mum dad sister "
        "brother parents "
        "grandmother grandfather grandma grandpa family cousin aunt uncle niece nephew baby"
    ),
    "work": word_set(
        "job work boss colleague office company project client promotion career interview "
        "business startup "
        "meeting salary"
    ),
    "education": word_set(
        "school university college exam class course degree thesis teacher student "
        "graduated lesson "
        "study"
    ),
    "health": word_set(
        "doctor hospital surgery therapy therapist medication pain injury broke dentist "
        "diagnosed sick "
        "illness sleep yoga"
    ),
    "sport": word_set(
        "run ran running marathon race gym hike hiked hiking swim swimming football soccer "
        "basketball tennis "
        "climbing cycling bike skiing yoga match tournament"
    ),
    "food": word_set(
        "cook cooked cooking bake baked baking recipe restaurant eat ate dinner lunch "
        "breakfast coffee tea "
        "cake bread meal"
    ),
    "music": word_set(
        "concert music song band guitar piano violin sing sang album festival choir drums"
    ),
    "art": word_set(
        "painted painting paint pottery drawing museum art photography gallery sculpture "
        "novel poem poetry "
        "book writing"
    ),
    "pet": word_set("dog cat puppy kitten pet parrot rabbit hamster"),
    "social": word_set("friend friends party wedding birthday met reunion community group"),
}
