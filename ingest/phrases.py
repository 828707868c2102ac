"""Running text -> a short noun phrase that ends where a phrase ends.

Goes in: the text from the word on where a noun phrase begins. Comes out: the phrase without
article or praise, cut only in front of a preposition or a clause. Knows no grammar beyond the
closed classes of English words; knows nothing of names or papers.
"""

from __future__ import annotations

import re

_PREPOSITIONS = (
    "of|for|in|on|with|by|via|from|to|at|into|onto|over|under|across|through|throughout|between|"
    "within|without|against|towards?|upon|using|as|during|among|amongst|after|before|beyond|per|"
    "around|along|despite|about"
)
# Participles that begin a remark on the noun before them.
_REMARKS = (
    "based|designed|tailored|built|capable|aimed|consisting|given|inspired|grounded|trained|"
    "combining|leveraging|achieving|enabling|composed|learned|obtained|required|caused|defined|"
    "operating|including|exploiting|integrating|applicable|necessary|available|due|that"
)
# Behind these a noun phrase has ended.
_STOP = re.compile(
    r"[;:!?$\\{}()|\[\]\"“”<>=]|\.(?=\s|$)|,? (?:[–—-]+|i\.e\.|e\.g\.) |[–—][–—-]|(?<=\w)—(?=\w)|"
    r"\b(?:that|which|who|whose|whom|where|when|while|whereas|because|since|if|although|though|"
    r"unless|so|such|is|are|was|were|be|been|has|have|had|can|could|may|might|will|would|should|"
    r"must|does|do|did|cannot|we|it|they|their|its|his|her|there|this|these|those|called|named|"
    r"dubbed|termed|namely|coined|referred|thus|thereby|hence|even|often|rather|whether|how|why|"
    r"what|not|also|still|now|today|already|typically|usually|commonly|generally|increasingly|"
    r"our|respectively)\b|"
    r" as well as |,? and (?:\w+ly )?(?:propose|prove|show|demonstrate|study|develop|provide|"
    r"derive|analy[sz]e|establish|present|give|use|apply|evaluate|introduce|investigate|design|"
    r"find|argue|discuss|"
    r"compare|conduct|reveal|pinpoint|seek|report|achieve|improve|extend|leverage|offer|make|"
    r"examine|consider|formulate|focus|address|tackle|highlight|perform|test|verify|validate|"
    r"release|suggest|feed|can|show|characteri[sz]e|identify|explore|then|describe|construct|"
    r"obtain)\b",
    re.IGNORECASE,
)
# Verbs that end the subject of a sentence.
_FINITE = re.compile(
    r"\b(?:\w+(?<!\Bou)(?<!s)(?:izes|ises|ates|ifies)|aims?|achieves?|outperforms?|remains?|"
    r"requires?|rely|"
    r"relies|enables?|allows?|provides?|suffers?|leads?|plays?|becomes?|obtains?|yields?|produces?|"
    r"consumes?|leverages?|uses?|offers?|helps?|seeks?|exhibits?|depends?|involves?|arises?|"
    r"represents?|describes?|draws?|possess(?:es)?|encodes?|reshapes?|searches|promises?|faces?|"
    r"limits?|poses?|presents?|shows?|makes?|gives?|takes?|"
    r"learns?|tends?|fails?|struggles?|lacks?|emerges?|continues?|contains?|consists?|refers?|"
    r"assumes?|ignores?|focus(?:es)?|transfers?|drives?|brings?|forms?|finds?|deals?|determines?|"
    r"concerns?|studies|comes?|works?|matches|acts?|cause[sd]?|improves?|reduces?|incurs?|implies|"
    r"depicts?|arose|became|emerged|gained|attracted|showed|shown|made|led|received|serves?|"
    r"widely|exists?|undergo(?:es)?|goes|address(?:es)?|adapts?|converges?|reuses?|includes?|"
    r"highlights?|adopts?|relates?|(?<!user )(?<!human )(?<!their )(?<!specific )needs)\b",
    re.IGNORECASE,
)
# What stands before "a", "the", "its" and the like and is none of these is a verb, or a
# participle that ends the phrase as well: "doors open the way", "models reuse a factor".
_NO_VERB = (
    rf"{_PREPOSITIONS}|and|or|but|nor|than|not|just|only|all|both|half|even|as|plus|versus|vs|per|"
    r"across|towards|like|unlike|off|out|up|down|near|beneath|behind|besides|is|whose|"
    r"that|which|where|when|while|if|because|since|namely|such|and/or|"
    rf"{_REMARKS}"
)
_DETERMINER = r"(?:an?|the|its|their|each|every|both|no)"
_VERB_BY_PLACE = re.compile(
    rf"(?<=\w )(?!(?:{_NO_VERB}|\w+ly)\b)(?:[a-z]+(?<![su])s|[a-z]+ed)(?= {_DETERMINER} )"
    rf"|(?<=[a-z]s )(?!(?:{_NO_VERB}|\w+ly|\w+ing)\b)[a-z]+(?= {_DETERMINER} )"
    rf"|(?<=[a-z]s )(?!(?:{_NO_VERB}|\w+ly|\w+ing|\w+ed)\b)[a-z]+(?= \w+ly (?:{_PREPOSITIONS})\b)"
    r"|(?<=\w )(?<!new )(?<!recent )(?<!main )(?<!our )(?<!these )(?<!\wal )(?<!existing )"
    r"(?<!promising )(?<!surprising )(?<!interesting )(?<!encouraging )"
    r"results? in\b"
    r"|(?<=\w )(?:calls? for|suggests?|means(?! of| clust)|hinges?|stems?(?= from)|relied|"
    r"established)\b"
)
# In front of these a phrase may be cut.
_JOINT = re.compile(rf" (?:{_PREPOSITIONS}|{_REMARKS}|and|or|when)\b|,", re.IGNORECASE)
_TIGHT = (" of", " and", " or", ",")
_ASIDE = re.compile(r" ?\([^()]*\)| ?\[[^\[\]]*\]")
_DANGLING = re.compile(
    rf"(?:[\s,–—/&+-]+$|(?:^|(?<=[\s,])|(?<=-))(?:{_PREPOSITIONS}|{_REMARKS}|an?|the|and|or|but|"
    rf"yet|both|"
    r"either|only|more|most|very|than|any|each|some|called|novel|new|all|other|such|two|three|"
    r"several|various|many|different|certain|\w+ly|i|ii|subject|enough|w\.r\.t|tantamount|"
    r"compatible|by (?:either |first |directly )?\w+ing|and utilize|"
    r"to (?:ensure|address|exploit|overcome|evaluate|verify|demonstrate|show|prove|understand|"
    r"determine|explain|assess|achieve|enable|improve|obtain|learn|find|provide|identify|"
    r"investigate)|"
    r"with (?:respect|the help)|"
    r"in (?:the )?(?:form|terms|order|presence|case|light|context|sense|spirit)|"
    r"(?:from|under|on) the (?:perspective|notion|assumption|basis)|a priori)$)",
    re.IGNORECASE,
)
_PRAISE = (
    r"novel|new|simple|effective|first(?:-ever)?|powerful|principled|innovative|efficient|elegant|"
    r"comprehensive|pioneering|original|highly|easy-to-use|straightforward|promising|important|"
    r"versatile|practical|flexible|competitive|improved|initial|well-studied|well-known|"
    r"challenging|"
    r"fundamental|classical?|long-standing|general|generic|key|in-depth|detailed|rigorous|careful|"
    r"thorough|natural|surprising(?:ly)?|unexplored|so-called|following|more|very|fairly|extensive|"
    r"much|extremely|conceptually|theoretically|broad|wide|rich|large|special|remarkably|recently"
)
_LEAD = re.compile(
    rf"(?:(?:an?|the|our|some|several|various|both|one|two|three|four|five|six|many|multiple|"
    rf"all)\s+|"
    rf"(?:{_PRAISE})(?:(?:,|,? and|,? yet|,? but) (?:\w+ly )?(?:{_PRAISE}))*,?\s+|"
    r"(?:problems?|tasks?|settings?|questions?|topics?|issues?|challenges?|concepts?|notions?|"
    r"ideas?|study|use|analysis|class(?:es)?|family|case|setup|role|range|number|series|set|"
    r"phenomenon|variety|area|field|effectiveness|importance|potential|possibility|success|rise|"
    r"growth|goal|aim|"
    r"ability|emergence|development|popularity|advent|availability|adoption|proliferation)\s+of\s+|"
    r"(?:recent\s+)?(?:advance(?:ment)?s?|progress|standard|interest|research|work|"
    r"success)\s+(?:in|on)\s+)",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"(?:(?:in|over|despite|although|while|given|as|due|for|to|with|when|since|recently|"
    r"traditionally|currently|inspired|motivated|by|on|under|if|from|among)\b[^,.]*, |"
    r"\w+ly, |(?:however|moreover|thus|hence), )+",
    re.IGNORECASE,
)
_NO_NOUN = re.compile(
    rf"(?:{_PREPOSITIONS}|and|or|but|how|why|what|whether|that|if|it|we|there|when|not|however|"
    r"instead|yield|moreover|then|authors?|paper)\b",
    re.IGNORECASE,
)
# A phrase of these alone says nothing.
EMPTY = frozenset(
    "method methods approach approaches framework frameworks model models algorithm "
    "algorithms network networks architecture system systems technique techniques strategy "
    "strategies scheme procedure solution solutions way ways problem problems task tasks "
    "setting study work paper analysis results result theory theoretical empirical general "
    "unified learning training new novel simple effective efficient two three several "
    "modifications contributions components questions question issue issues challenge "
    "challenges mechanism paradigm perspective family class variant variants idea insights "
    "insight limitation limitations experiments extensive following main key evidence first "
    "second lightweight deep neural based machine performance tool tools loss objective "
    "function functions estimator gap bounds bound guarantees conditions condition one "
    "dataset benchmark module pipeline systematic large-scale different end end-to-end "
    "generic alternative extension properties property formulation baseline it them they this "
    "that these those such goal aim many other others same case cases existing recent "
    "important large data evaluation evaluations above latter former aforementioned various "
    "number variety level simpler better both each further use set series range".split()
)
_WORDS = re.compile(r"[^\W_][\w'’-]*")
_SMALL = frozenset(_PREPOSITIONS.replace("?", "").split("|")) | {"a", "an", "the", "and", "or"}


def is_bare(phrase: str) -> bool:
    """Whether the phrase is one noun and what stands before it: it does not say what it is for."""
    return _HAS_JOINT.search(phrase) is None


_CASTS = re.compile(
    r"([\w ,-]{3,80}?),? (?:that|which) "
    r"(?:reduces|casts|treats|formulates|frames|recasts|models|views|"
    r"reformulates|turns|converts|poses|rethinks|addresses|tackles|solves|studies) "
    r"([\w ,-]{3,80}?)(?: (?:to|as|into)\b|[,.:;])"
)
_DOES = re.compile(
    r"(?:[\w-]+ ){0,6}?(?:that|which|to) (?:\w+ly |also |further |first |then |jointly )?"
    r"(?!(?:is|has|was|does|can|are)\b)([a-z]{3,}) (?=\w)"
)
_BY_DOING = re.compile(r"[^.;:]{5,160}? by (?=([a-z]{3,}ing) (?:an?|the|its|each|all|both)\b)")
# Doing this says little of what a thing is.
_BLAND = re.compile(
    r"(?:achiev|outperform|surpass|consist|contain|compris|requir|includ|need|show|obtain|attain|"
    r"match|satisf|address|featur|aim|seek|tak|improv|mitigat|understand|provid|enabl|allow|us|"
    r"employ|utiliz|leverag|tackl|demonstrat|yield|offer|eliminat|captur|reduc|enhanc|lead|work|"
    r"rel|perform|guarante|ensur|exhibit|giv|mak|keep|help|overcom|serv|deliver|exploit)"
    r"(?:e|y|ie)?s?"
)
_HAS_JOINT = re.compile(rf" (?:{_PREPOSITIONS})\b")
_BEFORE_ADVERBS = _SMALL | {"more", "most", "but", "yet", "is", "are", "both", "with", "such"}


def noun_phrase(tail: str, limit: int, *, subject: bool = False) -> str:
    """The noun phrase at the head of `tail`, at most `limit` characters; empty where there is none.

    `subject` says that a sentence begins here, so that its verb ends the phrase.
    """
    head = _ASIDE.sub("", tail[: 4 * limit])
    if subject:
        head = head[opening.end() :] if (opening := _OPENING.match(head)) else head
    verb = _VERB_BY_PLACE.search(head)
    head = head if verb is None else head[: verb.start()]
    if subject:
        verb = _FINITE.search(head)
        head = _before_adverb(head if verb is None else head[: verb.start()])
    stop = _STOP.search(head)
    head = _before_comma(_without_lead(head if stop is None else head[: stop.start()]))
    return "" if _NO_NOUN.match(head) else _fitted(head, limit)


def shows_its_verb(sentence: str) -> bool:
    """Whether a verb of the sentence is known; else its subject may run on into the verb."""
    head = _ASIDE.sub("", sentence)
    stop = _STOP.search(head)
    if _FINITE.search(head) or _VERB_BY_PLACE.search(head):
        return True
    return stop is not None and stop.group()[:1].isalpha()


def for_object(tail: str, limit: int) -> str:
    """From "a framework that casts X as ..." the phrase "framework for X"; maybe empty."""
    clause = _CASTS.match(tail)
    if clause is None:
        return ""
    head, thing = noun_phrase(clause.group(1), limit), noun_phrase(clause.group(2), limit)
    phrase = f"{head} for {thing}"
    return phrase if head and thing and len(phrase) <= limit else ""


def _before_adverb(head: str) -> str:
    """Up to an adverb that stands where only a verb can follow ("networks implicitly model")."""
    for adverb in re.finditer(r"(\w+) \w+ly [a-z]", head):
        if adverb.group(1).casefold() not in _BEFORE_ADVERBS and not _LEAD.fullmatch(
            head[: adverb.end(1)] + " "
        ):
            return head[: adverb.end(1)]
    return head


def with_clause(tail: str, limit: int) -> str:
    """As `noun_phrase`, but with a "that ..." behind it if all of that fits; else empty."""
    clause = re.match(r"((?:[\w-]+ ){1,8}?)(?=(?:that|which|to) )([^,;:.$()\\]+?)(?=[,;:.])", tail)
    # A comma that parts the things of a list does not end the clause.
    if clause is None or re.match(r", (?:[\w-]+,? ){1,3}(?:and|or) ", tail[clause.end() :]):
        return ""
    phrase = _without_lead(clause.group())
    if len(phrase) > limit:
        phrase = re.split(r" (?:while|when|so that|thereby) ", phrase, maxsplit=1)[0]
    return phrase if len(phrase) <= limit and not re.search(r"\b(?:we|our|it)\b", phrase) else ""


def does(tail: str, limit: int) -> str:
    """From "a framework that casts X as ..." the phrase "casting X as ..."; maybe empty.

    Where what it does says little ("improves Y by casting X as ..."), how it does it.
    """
    clause = _DOES.match(tail)
    if clause is None:
        return ""
    verb = clause.group(1)
    if _BLAND.fullmatch(verb):
        means = _BY_DOING.match(tail)
        return "" if means is None else noun_phrase(tail[means.end() :], limit)
    if not clause.group().rstrip().endswith(f"to {verb}"):
        third = verb.endswith("s") and not verb.endswith("ss")
        if not third and re.match(rf"{_DETERMINER} ", tail[clause.end() :]) is None:
            return ""
        verb = _plain(verb) if third else verb
    return gerund(f"{verb} {tail[clause.end() :]}", limit)


def _plain(verb: str) -> str:
    """The verb without the ending of its third person: applies, matches, fixes, casts."""
    if verb.endswith("ies"):
        return f"{verb[:-3]}y"
    return verb[:-2] if re.search(r"(?:ss|[cs]h|x|zz|o)es$", verb) else verb[:-1]


def gerund(tail: str, limit: int) -> str:
    """From "solve a problem in ..." the phrase "solving a problem in ..."; maybe empty."""
    match = re.match(
        r"(?:(?!(?:app|supp|re|multip|comp|imp)ly)\w+ly |first |also |then )?([a-z]{3,}) (?=\w)",
        tail,
    )
    if match is None:
        return ""
    verb = match.group(1)
    if verb.endswith("e") and not verb.endswith("ee"):
        verb = verb[:-1]
    elif re.fullmatch(r"[^aeiou]*[aeiou][bdgmnpt]", verb):
        verb += verb[-1]
    stop = _STOP.search(_ASIDE.sub("", tail[: 4 * limit]), match.end())
    rest = _ASIDE.sub("", tail[: 4 * limit])[match.end() : None if stop is None else stop.start()]
    phrase = f"{verb}ing {rest.partition(',')[0]}"
    return _fitted(phrase, limit)


def content_words(phrase: str) -> list[str]:
    """The words of a phrase that say something, in small letters."""
    words = (match.group().casefold() for match in _WORDS.finditer(phrase))
    return [word for word in words if word not in EMPTY and word not in _SMALL]


def capitalised(phrase: str) -> str:
    """The phrase with a capital first, unless its first word is spelt on purpose (kFFM)."""
    first = phrase.split(" ", 1)[0].split("-", 1)[0]
    if any(letter.isupper() for letter in first[1:]) or phrase[1:2] == "-":
        return phrase
    upper = phrase[:1].upper()
    # A few letters have two capitals (ß); the phrase must not grow.
    return upper + phrase[1:] if len(upper) == 1 else phrase


def _without_lead(head: str) -> str:
    head = head.strip(" ,")
    while (lead := _LEAD.match(head)) is not None:
        head = head[lead.end() :].lstrip(" ,")
    return head


def _before_comma(head: str) -> str:
    """Up to the first comma that does not merely part two adjectives."""
    first, comma, rest = head.partition(",")
    if comma and len(first.split()) <= 2 and not _JOINT.match(rest) and len(rest.split()) > 1:
        ends = r"(?:al|ive|ed|ble|ic|ous|ful|ent|ant|less|free|wise|aware|end|fast|ing)$"
        if re.search(ends, first):
            return f"{first},{_before_comma(rest)}"
    return first


def _fitted(head: str, limit: int) -> str:
    head = trimmed(head)
    if len(head) <= limit:
        return head
    best = ""
    for joint in _JOINT.finditer(head):
        if joint.start() > limit:
            break
        before = head[: joint.start()]
        # "of" binds tightly ("in the presence"), "and" may join adjectives: for want of a better.
        if joint.group() in _TIGHT and best:
            continue
        if not _paired(before):
            best = before
    return trimmed(best)


def _paired(before: str) -> bool:
    """Whether the last preposition asks for two things ("between A and B")."""
    return re.search(r"\b(?:between|both|either)\b(?!.*\band\b)", before) is not None


def trimmed(phrase: str) -> str:
    """The phrase without small words and marks that hang at its end."""
    phrase = " ".join(phrase.split())
    while (dangling := _DANGLING.search(phrase)) is not None:
        phrase = phrase[: dangling.start()]
    return phrase.strip(" .,'’‘*_`&")
