"""A claim laid beside its sentences: added, lost, turned, moved; all texts are invented."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.objections import objection

SOURCE = {
    "yield": "On the MARSH-12 benchmark, REEDNET outperforms WILLOW by up to 12% under matched "
    "compute budgets, while training on 40 sites takes two days.",
    "may": "Shallow roots may limit growth in dry soil, because water sinks below them.",
    "not": "The pruning step does not change the shape of the crown and needs no extra sensors.",
    "most": "Most growers report that shade reduces the loss of water on nearly all slopes.",
    "from": "A decoder maps bark images into age classes and replaces counts with estimates.",
    "count": "MOSSNET needs 25 public maps and three expert surveys, cuts labelling by a factor of "
    "90, and drops the number of missed trees from 40 to 12.",
    "contrast": "FERNER requires a large greenhouse, while IVYNET needs several rounds per plot.",
    "cause": "Heavy shade leads to slow growth, and mulch can mitigate erosion on steep slopes.",
    "without": "Seeds sprout at 20 degrees without using any fertilizer, and their number of "
    "leaves doubles.",
    "short": "Graph Leaf Sorting (GLS) is common. GLS is model-agnostic and its cost is exp(d) "
    "in $\\epsilon$.",
    "quality": "The accuracy of OAKGROVE improves with rain while preserving soil depth, for "
    "several soils.",
    "moss": "Every moss of the survey was drawn by Hölder under low light, and coupling may appear "
    "to spread from roots to leaves. Spores need shade; the method suppresses mould in all jars.",
    "open": "Many maps were made before. Whether ferns move remains unknown, unlike mosses.",
    "every": "Every jar was underestimated and sealed before the frost.",
    "lately": "To keep the grain dry, we add a sieve of Moss and Fern that lets dust through.",
    "why": "We mix ash into clay to keep roots warm, and trials empirically find that soils drain "
    "poorly due to fine silt.",
    "belief": "We hypothesize that common ferns store water.",
    "bounds": "We give a lower bound on the depth of roots and an upper bound on the height of "
    "crowns.",
    "noisy": "The gauge stays exact in the noiseless case, and its drift is understudied.",
    "both": "Vines with thorns grow faster than vines without thorns.",
    "even": "With dense sampling the error decays linearly, rather than exponentially, in the age.",
}

FAITHFUL = [
    ("yield", "REEDNET beats WILLOW by as much as 12% on MARSH-12 when compute budgets match"),
    ("yield", "With equal compute, REEDNET is up to 12% better than WILLOW on MARSH-12"),
    ("yield", "Training takes 2 days on 40 sites"),
    ("may", "Growth in dry soil could be limited by shallow roots, since water sinks below them"),
    ("not", "Pruning leaves the crown's shape unchanged and requires no additional sensors"),
    (
        "most",
        "The majority of growers say that water loss is lower with shade on almost all slopes",
    ),
    ("from", "Counts are replaced by estimates, and a decoder turns bark images into ages"),
    ("even", "The error falls linearly in the age with dense sampling, not exponentially"),
    ("count", "MOSSNET uses three surveys by experts and 25 maps that are public"),
    ("count", "Missed trees fall from 40 to 12, and labelling becomes 90x cheaper"),
    (
        "contrast",
        "IVYNET needs several rounds for each plot, whereas FERNER needs a big greenhouse",
    ),
    ("cause", "Growth is slow because of heavy shade"),
    ("without", "No fertilizer is needed for seeds to sprout at 20 degrees"),
    ("without", "The number of leaves becomes twice as large"),
    ("short", "Graph leaf sorting does not depend on the model"),
    ("short", "The cost of GLS is exponential in d"),
    ("short", "The cost of GLS grows with epsilon"),
    ("moss", "Even under low light Holder drew each moss"),
    ("moss", "Spores only need shade"),
    ("moss", "The method keeps mould from growing in all jars"),
    ("open", "It is not known if ferns move"),
    ("lately", "To keep the grain dry, we add a sieve due to Moss and Fern"),
    ("every", "Before the frost every jar was sealed"),
    ("why", "Because of fine silt the soils drain poorly"),
    ("why", "The ash is mixed into clay in order to keep roots warm"),
    ("bounds", "An upper bound on crown height and a lower bound on root depth are given"),
    ("noisy", "Without noise the gauge stays exact"),
    ("noisy", "The drift of the gauge has hardly been studied"),
    ("not", "The pruning step needs hardly any extra sensors"),
    ("both", "Vines that have thorns grow faster"),
    ("quality", "OAKGROVE's accuracy goes up with rain, and soil depth stays the same"),
]

# The source, the claim, a word of the reason.
CORRUPTED = [
    ("yield", "REEDNET beats WILLOW by 21% at most under matched compute budgets", "21%"),
    ("yield", "REEDNET beats WILLOW by up to 12 points under matched compute budgets", "12%"),
    ("yield", "Training on two sites takes 40 days", "two"),
    ("yield", "REEDNET outperforms WILLOW on FOREST-12 under matched budgets", "FOREST-12"),
    ("yield", "WILLOW outperforms REEDNET by up to 12% under matched compute budgets", "places"),
    ("yield", "REEDNET outperforms WILLOW by 12% under matched compute budgets", "up to"),
    ("yield", "REEDNET outperforms WILLOW by up to 12% under any compute budgets", "any"),
    ("may", "Shallow roots limit growth in dry soil", "may"),
    ("may", "Shallow roots always limit growth in dry soil", "always"),
    ("may", "Shallow roots may limit growth in wet soil", "wet"),
    ("may", "Water sinks below the roots because growth is limited in dry soil", "because"),
    ("may", "Shallow roots may promote growth in dry soil", "promote"),
    ("not", "The pruning step changes the shape of the crown", "not"),
    ("not", "The pruning step does not change the crown but needs extra sensors", "no"),
    ("most", "All growers report that shade reduces the loss of water", "All"),
    ("most", "Most growers report that shade increases the loss of water", "reduces"),
    ("from", "A decoder maps age classes into bark images", "places"),
    ("from", "It replaces estimates with counts", "places"),
    ("from", "A decoder maps bark images into age classes with a perceptron", "perceptron"),
    ("even", "With dense sampling the error decays exponentially in the age", "exponentially"),
    ("even", "With sparse sampling the error decays linearly in the age", "dense"),
    ("count", "MOSSNET needs 25 public surveys", "25"),
    ("count", "MOSSNET needs a single expert survey", "three"),
    ("count", "MOSSNET cuts labelling by 90%", "90"),
    ("count", "The number of missed trees goes from 12 to 40", "from 40 to 12"),
    (
        "contrast",
        "FERNER needs several rounds per plot, while IVYNET requires a greenhouse",
        "places",
    ),
    ("cause", "Slow growth leads to heavy shade", "places"),
    ("cause", "Erosion on steep slopes is caused by mulch", "cause"),
    ("cause", "Slow growth is due to rain and erosion of slopes", "cause"),
    ("why", "We mix ash into clay in order to improve crops", "purpose"),
    ("why", "Trials prove that soils drain poorly due to fine silt", "prove"),
    ("why", "The reason for poorly drained soils is heavy summer rain", "cause"),
    ("belief", "It is settled that common ferns store water", "hypothesize"),
    ("bounds", "An upper bound on the depth of roots and a lower bound on the height", "places"),
    ("noisy", "The gauge cannot drift without bound", "without bound"),
    ("noisy", "An exact gauge is impossible", "impossible"),
    ("every", "Most jars were sealed before the frost", "Every"),
    ("lately", "To sort the seeds by age, we add a sieve that lets dust through", "purpose"),
    ("lately", "The sieve lets dust through because the grain is wet and heavy", "cause"),
    ("lately", "The new sieve lets dust through on damp harbour mornings", "nothing"),
    ("every", "Every jar was overestimated before the frost", "underestimated"),
    ("most", "Only some growers report that shade reduces the loss of water", "Only some"),
    ("most", "Most growers fully report that shade reduces the loss of water", "fully"),
    ("count", "MOSSNET finds its public maps hard, slow, costly and often too old", "nothing"),
    ("without", "Seeds sprout at 20 degrees using any fertilizer", "without"),
    ("without", "The number of seeds doubles", "number"),
    ("moss", "Coupling spreads from leaves to roots", "from"),
    ("moss", "The method suppresses mould in all spores", "all"),
    ("moss", "Coupling is certain to spread from roots to leaves", "certain"),
    ("quality", "The accuracy of OAKGROVE declines with rain", "improves"),
    ("quality", "The accuracy of OAKGROVE improves at the expense of soil depth", "loss"),
    ("quality", "The accuracy improves with rain for a single soil", "several"),
    ("quality", "The accuracy improves for clay as well as for several soils", "clay"),
]


@pytest.mark.parametrize(("key", "claim"), FAITHFUL)
def test_a_paraphrase_raises_no_objection(key: str, claim: str) -> None:
    assert objection(claim, [SOURCE[key]]) == ""


@pytest.mark.parametrize(("key", "claim", "word"), CORRUPTED)
def test_a_corruption_is_told_in_words(key: str, claim: str, word: str) -> None:
    assert word in objection(claim, [SOURCE[key]])


@pytest.mark.parametrize("sentence", SOURCE.values())
def test_a_sentence_carries_itself(sentence: str) -> None:
    assert objection(sentence, [sentence]) == ""


@given(st.lists(st.sampled_from(sorted(SOURCE)), min_size=1, max_size=3, unique=True))
def test_sentences_carry_each_other_whatever_stands_beside_them(keys: list[str]) -> None:
    assert objection(SOURCE[keys[0]], [SOURCE[key] for key in keys]) == ""


def test_a_models_loop_of_contrasts_takes_no_time() -> None:
    source = "The method lowers the error while the network improves the accuracy, not the speed."
    claim = "the error while the network and the accuracy " * 400
    assert objection(claim, [source]) == objection(claim[: len(claim) // 4], [source])
