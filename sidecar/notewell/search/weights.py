"""The weights of the parts of a score, and the factors that were fitted to one vault."""

from __future__ import annotations

from dataclasses import replace

from notewell.base.types.frozen import frozen


@frozen
class EvidenceWeights:
    """The constants of the score (docs/search.md; tests/eval/README.md has how they were fitted).

    `meaning` is the weight of a cosine of the reference model (all-MiniLM-L6-v2), in which the mean
    over the note's passages has the share `mean`, and the best one the rest. `rise` is the
    logarithm of the most that the weight rises; so is `most_topical` where the nearest passages
    stand out, `topical` times how far above `topical_from`, unless their notes say less than `said`
    of the query. `unreadable` is the share it loses where the model cannot read the query, `named`
    the share it loses where a note has the query as its name. `exact_name` is added to the names of
    such a note, so that it comes first.
    """

    meaning: float = 1.1
    mean: float = 0.4
    coverage: float = 0.8
    described: float = 0.6
    names: float = 2.0
    exact_name: float = 1.0
    links: float = 0.2
    unreadable: float = 0.7
    named: float = 0.5
    rise: float = 2.3
    topical: float = 2.3
    topical_from: float = 1.0
    most_topical: float = 2.3
    said: float = 0.3


@frozen
class Tuning:
    """Factors on the parts of the score that were fitted to one vault (`features/evaluate`).

    Factors and not weights, so that they keep their meaning when a setting, a model or a new
    version changes a weight. `names` is on both constants of names.
    """

    meaning: float = 1.0
    coverage: float = 1.0
    names: float = 1.0
    links: float = 1.0

    def applied(self, weights: EvidenceWeights) -> EvidenceWeights:
        return replace(
            weights,
            meaning=weights.meaning * self.meaning,
            coverage=weights.coverage * self.coverage,
            described=weights.described * self.coverage,
            names=weights.names * self.names,
            exact_name=weights.exact_name * self.names,
            links=weights.links * self.links,
        )


UNTUNED = Tuning()
