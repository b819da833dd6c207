"""Files and folders outside a vault that are indexed with it and only read.

They are in namespaces, which `store` keeps; `source` lists and reads them beside a vault's notes.
"""

from notewell.api import Feature

DOCUMENTS = Feature(
    name="documents",
    requests="notewell.features.documents.requests:REQUESTS",
    answers="notewell.features.documents.service:open_feature",
    commands={"vaults": {"documents": "notewell.features.documents.commands:documents"}},
    tools="notewell.features.documents.commands:TOOLS",
    provides={"files:documents": "notewell.features.documents.source:with_documents"},
    files=("documents.json",),
)
