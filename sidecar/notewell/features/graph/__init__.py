"""The links between notes: what is near a note, what connects two, how the whole vault is shaped.

`service` answers the requests. Below it are pure functions over a `Network`. Algorithms on the
whole network come from networkx, which only `structure` imports, when such a question comes.
"""

from notewell.api import Feature

GRAPH = Feature(
    name="graph",
    requests="notewell.features.graph.requests:REQUESTS",
    answers="notewell.features.graph.service:open_feature",
    commands={"Groups of commands": {"graph": "notewell.features.graph.commands:graph"}},
    tools="notewell.features.graph.commands:TOOLS",
)
