"""The table of features, and of the core's requests, in the order of the documentation.

Every door reads its routes, commands and tools from here.
"""

from notewell.engine.feature import Feature
from notewell.features.archaeology import ARCHAEOLOGY
from notewell.features.ask import ASK
from notewell.features.backup import BACKUP
from notewell.features.context import CONTEXT
from notewell.features.devices import DEVICES
from notewell.features.diagnose import DIAGNOSE
from notewell.features.documents import DOCUMENTS
from notewell.features.evaluate import EVALUATE
from notewell.features.evidence import EVIDENCE
from notewell.features.gardener import GARDENER
from notewell.features.gleanings import GLEANINGS
from notewell.features.graph import GRAPH
from notewell.features.history import HISTORY
from notewell.features.memory import MEMORY
from notewell.features.packs import PACKS
from notewell.features.phone import PHONE
from notewell.features.postgres import POSTGRES
from notewell.features.properties import PROPERTIES
from notewell.features.query_table import QUERY_TABLE
from notewell.features.runs import RUNS
from notewell.features.sources import SOURCES
from notewell.features.topics import TOPICS
from notewell.features.writes import WRITES

FEATURES: tuple[Feature, ...] = (
    Feature("vaults", "notewell.contract.endpoints:VAULTS"),
    PROPERTIES,
    GRAPH,
    ARCHAEOLOGY,
    DIAGNOSE,
    EVIDENCE,
    HISTORY,
    Feature("looking", "notewell.contract.endpoints:LOOKING"),
    EVALUATE,
    MEMORY,
    TOPICS,
    GLEANINGS,
    GARDENER,
    WRITES,
    ASK,
    Feature("changes", "notewell.contract.endpoints:CHANGES"),
    RUNS,
    QUERY_TABLE,
    PHONE,
    CONTEXT,
    DOCUMENTS,
    SOURCES,
    Feature("session", "notewell.contract.endpoints:SESSION"),
    DEVICES,
    Feature("managing", "notewell.contract.endpoints:MANAGING"),
    BACKUP,
    PACKS,
    POSTGRES,
)
