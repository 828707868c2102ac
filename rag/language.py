"""A question -> the language that it is in, where that is not English, and what to say about it.

Goes in: a question. Comes out: a sentence in its language, or nothing. Pure.

Scripts tell most languages; for those in Latin letters their function words do. A word list is
enough here: what follows from it is a remark, never another answer.
"""

from __future__ import annotations

import re

_SCRIPTS = {
    "ja": re.compile(r"[\u3040-\u30ff]"),
    "ko": re.compile(r"[\uac00-\ud7af]"),
    "zh": re.compile(r"[\u4e00-\u9fff]"),
    "ru": re.compile(r"[\u0400-\u04ff]"),
    "ar": re.compile(r"[\u0600-\u06ff]"),
}
_WORDS = {
    "de": "der die das und ist sind ein eine einen welche welcher welches wie was warum für mit "
    "auf nicht über von zu wird werden bei gibt es im den dem sich",
    "fr": "le la les des est sont une quel quelle quels quelles comment pourquoi pour avec dans "
    "sur du qui que pas ce cette au aux et ils elle",
    "es": "el los las es son una qué cuál cuáles cómo por para con en del que no se este esta "
    "cuántos y sobre hay",
    "it": "il lo gli è sono una quale quali come perché per con nel della che non questo questa "
    "quanti e di si",
    "pt": "os as é são uma qual quais como por para com em da do que não este esta quantos e sobre "
    "há",
    "nl": "de het een is zijn welke hoe wat waarom voor met op niet van te wordt bij er dit deze",
}
_SAID = {
    "de": "Ohne Sprachmodell werden von einer Frage auf Deutsch nur Namen und Fachwörter "
    "verstanden; fragen Sie auf Englisch oder richten Sie ein Modell ein (README).",
    "fr": "Sans modèle de langue, seuls les noms et les termes d'une question en français sont "
    "compris ; posez-la en anglais ou configurez un modèle (README).",
    "es": "Sin un modelo de lenguaje, de una pregunta en español solo se entienden nombres y "
    "términos; pregunte en inglés o configure un modelo (README).",
    "it": "Senza un modello linguistico, di una domanda in italiano si capiscono solo nomi e "
    "termini; chieda in inglese o configuri un modello (README).",
    "pt": "Sem um modelo de linguagem, de uma pergunta em português só se entendem nomes e termos; "
    "pergunte em inglês ou configure um modelo (README).",
    "nl": "Zonder taalmodel worden van een vraag in het Nederlands alleen namen en termen "
    "begrepen; vraag in het Engels of stel een model in (README).",
    "zh": "没有语言模型时，中文问题中只能理解名称和术语；"
    "请用英文提问，或配置一个模型（见 README）。",
    "ja": "言語モデルなしでは、日本語の質問は名称と用語だけが理解されます。英語で質問するか、"
    "モデルを設定してください（README 参照）。",
    "ko": "언어 모델이 없으면 한국어 질문에서는 이름과 용어만 이해됩니다. "
    "영어로 질문하거나 모델을 설정하십시오(README 참조).",
    "ru": "Без языковой модели в вопросе на русском понимаются только имена и термины; спросите "
    "по-английски или подключите модель (README).",
    "ar": "من دون نموذج لغوي لا تُفهم من السؤال بالعربية إلا الأسماء والمصطلحات؛ "
    "اسأل بالإنجليزية أو اضبط نموذجًا (README).",
}
_ENGLISH = frozenset(
    "the of and is are what which how why who where when does do did in on for with that this to "
    "a an by from it its be can".split()
)
# A question in Latin letters needs so many of a language's words, and more than English ones.
LEAST_WORDS = 2


def remark(question: str) -> str:
    """What to say without a model to a question that is not in English; empty where it is."""
    language = detect(question)
    return _SAID[language] if language else ""


def detect(question: str) -> str:
    """The code of a question's language; empty for English and for what cannot be told."""
    letters = sum(letter.isalpha() for letter in question)
    for code, script in _SCRIPTS.items():
        if letters and 4 * len(script.findall(question)) >= letters:
            return code
    words = re.findall(r"[^\W\d_]+", question.lower())
    english = sum(word in _ENGLISH for word in words)
    counts = {code: sum(w in listed.split() for w in words) for code, listed in _WORDS.items()}
    best = max(counts, key=lambda code: counts[code])
    return best if counts[best] >= LEAST_WORDS and counts[best] > english else ""
