"""Downloads from the hub succeed, or fail within a time limit."""

from pathlib import Path

import pytest

from notewell.base.errors import ModelUnavailableError
from notewell.models.download import ANSWER_WITHIN_S, download
from tests.models.conftest import FILES
from tests.models.loopback import Hub, nobody, serving, silence

REVISION = "0123456789abcdef0123456789abcdef01234567"


def _download(endpoint: str, into: Path, **patience: float) -> None:
    download("nobody/tiny", REVISION, FILES, into, endpoint=endpoint, **patience)


def test_files_are_downloaded_unchanged(tiny_folder: Path, tmp_path: Path) -> None:
    with serving(Hub(tiny_folder)) as server:
        _download(server.url, tmp_path)
    for name in FILES:
        assert (tmp_path / name).read_bytes() == (tiny_folder / name).read_bytes()
    assert server.asked[0] == f"/nobody/tiny/resolve/{REVISION}/config.json"


def test_how_much_has_come_is_told_while_it_comes(tiny_folder: Path, tmp_path: Path) -> None:
    told: list[int] = []
    with (
        serving(Hub(tiny_folder, cut_after=100)) as server,
        pytest.raises(ModelUnavailableError),
    ):
        download(
            "nobody/tiny",
            REVISION,
            FILES,
            tmp_path,
            endpoint=server.url,
            stall_s=0.5,
            told=told.append,
            tell_every_s=0.0,
        )
    assert told == sorted(told)
    assert told[-1] == 100


def test_a_hub_that_does_not_respond_times_out(tmp_path: Path) -> None:
    with silence() as url, pytest.raises(ModelUnavailableError, match="did not answer"):
        _download(url, tmp_path, answer_within_s=0.2)


def test_an_unreachable_hub_fails_quickly() -> None:
    assert ANSWER_WITHIN_S < 3.0


def test_a_stalled_download_times_out(tiny_folder: Path, tmp_path: Path) -> None:
    with (
        serving(Hub(tiny_folder, cut_after=100)) as server,
        pytest.raises(ModelUnavailableError, match="did not answer"),
    ):
        _download(server.url, tmp_path, stall_s=0.2)


def test_a_refused_connection_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailableError, match="Connect"):
        _download(nobody(), tmp_path)


def test_an_error_of_the_hub_is_reported(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with (
        serving(Hub(tmp_path / "empty")) as server,
        pytest.raises(ModelUnavailableError, match="answered 404"),
    ):
        _download(server.url, tmp_path)
