"""The language of a question."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag import Assistant
from rag.language import detect, remark


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Which papers study video?", ""),
        ("ane-vr vs sgd", ""),
        ("", ""),
        ("Welche Arbeit handelt von Robotern und wie gut ist sie?", "de"),
        ("Quels sont les articles sur la vidéo ?", "fr"),
        ("¿Qué artículos tratan de los robots y cuál es el mejor?", "es"),
        ("Quali sono gli articoli che parlano di robot?", "it"),
        ("Quais são os artigos que não usam vídeo?", "pt"),
        ("Welke artikelen gaan over het gebruik van robots en wat is het doel?", "nl"),
        ("ORCHID 是什么?", "zh"),
        ("ORCHIDとは何ですか", "ja"),
        ("ORCHID는 무엇입니까", "ko"),
        ("Что такое ORCHID и для чего он нужен?", "ru"),
        ("ما هو ORCHID؟ وكيف يعمل", "ar"),
        ("Is the model of de Vries et al. better?", ""),
    ],
)
def test_a_language_is_told_by_script_or_function_words(question: str, language: str) -> None:
    assert detect(question) == language


@given(st.text(max_size=80))
def test_any_text_is_looked_at_without_failing(text: str) -> None:
    assert isinstance(remark(text), str)


def test_names_in_a_german_question_are_used_and_the_rest_is_said(assistant: Assistant) -> None:
    answer = assistant.ask("Was ist ORCHID und wie gut ist es?")
    assert [paper.name for paper in answer.papers] == ["ORCHID"]
    assert answer.warnings[0].startswith("Ohne Sprachmodell")


def test_an_english_question_has_no_such_remark(assistant: Assistant) -> None:
    assert assistant.ask("What is ORCHID?").warnings == ()
