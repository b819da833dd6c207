"""The table of features, and of the core's requests, in the order of the documentation.

Every door reads its routes, commands and tools from here. Those of this package are listed, as
their order is that of help and documents; those of other packages are found (docs/extending.md).
"""

from notewell.engine.feature import Feature
from notewell.engine.installed_features import find_installed, package_folders
from notewell.features.archaeology import ARCHAEOLOGY
from notewell.features.ask import ASK
from notewell.features.backup import BACKUP
from notewell.features.bases import BASES
from notewell.features.bookmarks import BOOKMARKS
from notewell.features.companions import COMPANIONS
from notewell.features.conflicts import CONFLICTS
from notewell.features.context import CONTEXT
from notewell.features.devices import DEVICES
from notewell.features.diagnose import DIAGNOSE
from notewell.features.documents import DOCUMENTS
from notewell.features.edits import EDITS
from notewell.features.evaluate import EVALUATE
from notewell.features.evidence import EVIDENCE
from notewell.features.gardener import GARDENER
from notewell.features.gleanings import GLEANINGS
from notewell.features.graph import GRAPH
from notewell.features.history import HISTORY
from notewell.features.memory import MEMORY
from notewell.features.open_ends import OPEN_ENDS
from notewell.features.packs import PACKS
from notewell.features.phone import PHONE
from notewell.features.properties import PROPERTIES
from notewell.features.query_table import QUERY_TABLE
from notewell.features.runs import RUNS
from notewell.features.sources import SOURCES
from notewell.features.topics import TOPICS
from notewell.features.writes import WRITES

BUILT_IN: tuple[Feature, ...] = (
    Feature("vaults", "notewell.contract.endpoints:VAULTS"),
    PROPERTIES,
    EDITS,
    BASES,
    BOOKMARKS,
    GRAPH,
    ARCHAEOLOGY,
    DIAGNOSE,
    COMPANIONS,
    EVIDENCE,
    OPEN_ENDS,
    HISTORY,
    Feature("looking", "notewell.contract.endpoints:LOOKING"),
    EVALUATE,
    MEMORY,
    TOPICS,
    GLEANINGS,
    GARDENER,
    CONFLICTS,
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
)

# Those of other packages, found anew by each process: 2 ms where a hundred packages are installed.
INSTALLED = find_installed(package_folders(), BUILT_IN)
FEATURES = (*BUILT_IN, *(found.row for found in INSTALLED if found.row is not None))
