"""Notes that are kept from assistants are kept from the language model that answers questions."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from notewell.base.support.http import Cancel
from notewell.base.types import AskRules, AssistantRules, ModelRules, Settings
from notewell.engine.open_vaults import Vaults
from notewell.features import FEATURES
from notewell.features.ask.requests import AskReply, AskRequest, ConversationsRequest
from tests.features.ask.conftest import NOTES
from tests.features.ask.scripted import Says, Script

PRIVATE = {
    "Private/Hive.md": "Bees in the hive: quetzalcoatl.",
    "Marked.md": "---\nassistants: false\n---\nBees find home, xochipilli.",
}


@pytest.mark.parametrize("exclude", [("private/",), ()])
def test_the_model_gets_no_word_of_them(
    tmp_path: Path, script: Script, exclude: tuple[str, ...]
) -> None:
    folder = tmp_path / "Notes"
    for path, text in {**NOTES, **PRIVATE}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    model = script(
        Says(calls=[("search", {"query": "bees hive"})]),
        Says(calls=[("read", {"path": "Marked.md"})]),
        Says(text="By the sun [1]."),
    )
    settings = Settings(
        data_dir=tmp_path / "data",
        model_dir=tmp_path / "models",
        state_dir=tmp_path,
        offline=True,
        model=ModelRules(folder=str(tmp_path / "none")),
        ask=AskRules(provider="openai", base_url=model.url, model="test-model"),
        assistants=AssistantRules(exclude=exclude),
    )
    with closing(Vaults(settings, features=FEATURES)) as vaults:
        record = vaults.add(folder)
        vaults.open(record, writable=True).index_now()
    with closing(Vaults(settings, features=FEATURES)) as vaults:
        engine = vaults.open(record, writable=False)
        events = list(engine.features.stream(AskRequest("How do bees find home?"), Cancel()))
        assert isinstance(events[-1].data, AskReply)
        told = json.dumps(model.asked) + str(events)
        assert "xochipilli" not in told
        assert ("quetzalcoatl" in told) is (not exclude)
        assert len(engine.answer(ConversationsRequest()).conversations) == 1
