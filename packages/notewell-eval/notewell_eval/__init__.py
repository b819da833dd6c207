"""Corpora and other search programs for `notewell eval`, and models that run by PyTorch."""

from notewell.api import Feature

COMPARE = Feature(
    name="compare",
    provides={
        "measure:corpus": "notewell_eval.corpora:run_corpus",
        "measure:against": "notewell_eval.against:against",
    },
)
