"""Measures the search on judged queries, and fits the weights of its ranking to them.

Metrics are those of trec_eval; the package notewell-eval
adds corpora, and other programs on the same notes.
"""

from notewell.api import Feature

EVALUATE = Feature(
    name="evaluate",
    requests="notewell.features.evaluate.requests:REQUESTS",
    answers="notewell.features.evaluate.service:open_feature",
    commands={
        "improve": {
            "tune": "notewell.features.evaluate.commands:tune",
            "eval": "notewell.features.evaluate.commands:evaluate",
        }
    },
    files=("tuning.json",),
)
